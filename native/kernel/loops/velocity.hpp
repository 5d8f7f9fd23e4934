// Velocities and accelerations under the loops: how all joints move for given inputs.
#pragma once

#include "kernel/base/tolerances.hpp"
#include "kernel/loops/groups.hpp"
#include "kernel/loops/system.hpp"

namespace kinegen {

// Acceleration of the point p_W of a link [m/s²], from its twist and acceleration at its origin.
inline void point_acceleration(const double* X_WL, const double* twist, const double* acceleration,
                               const double* p_W, double* out) {
    const double r[3] = {p_W[0] - X_WL[9], p_W[1] - X_WL[10], p_W[2] - X_WL[11]};
    double speed[3];
    cross3(twist + 3, r, speed);
    for (int i = 0; i < 3; ++i) out[i] = acceleration[i];
    add_cross3(acceleration + 3, r, out);
    add_cross3(twist + 3, speed, out);
}

// Acceleration of a joint's moving frame M at its origin: linear, then angular, in world axes.
// twist and acceleration are those of the parent link; vdot null means zero.
inline void joint_acceleration(const Model& m, const double* q, const double* v, const double* vdot,
                               int32_t joint, const double* X_WP, const double* twist,
                               const double* acceleration, const double* X_WM, double* out) {
    JointAxes a;
    const int32_t type = m.joint_type[joint];
    joint_axes(type, m.pitch[joint], q + m.joint_q[joint], X_WM, a);
    const double* vj = v + m.joint_v[joint];
    double v_rel[3] = {0, 0, 0}, w_rel[3] = {0, 0, 0};
    for (int k = 0; k < JOINT_NV[type]; ++k)
        for (int i = 0; i < 3; ++i) {
            v_rel[i] += vj[k] * a.linear[k][i];
            w_rel[i] += vj[k] * a.angular[k][i];
        }
    // the parent's acceleration there, and what its turning does to the joint's own motion
    point_acceleration(X_WP, twist, acceleration, X_WM + 9, out);
    for (int i = 0; i < 3; ++i) out[3 + i] = acceleration[3 + i];
    const double twice[3] = {2 * v_rel[0], 2 * v_rel[1], 2 * v_rel[2]};
    add_cross3(twist + 3, twice, out);
    add_cross3(twist + 3, w_rel, out + 3);
    for (int k = 0; k < JOINT_NV[type]; ++k) {
        // axes that are fixed in M turn with it
        if (!a.in_parent[k]) {
            const double turning[3] = {vj[k] * w_rel[0], vj[k] * w_rel[1], vj[k] * w_rel[2]};
            add_cross3(turning, a.linear[k], out);
            add_cross3(turning, a.angular[k], out + 3);
        }
        if (vdot == nullptr) continue;
        for (int i = 0; i < 3; ++i) {
            out[i] += vdot[m.joint_v[joint] + k] * a.linear[k][i];
            out[3 + i] += vdot[m.joint_v[joint] + k] * a.angular[k][i];
        }
    }
}

// Accelerations of all links at their origins, linear then angular, in world axes: six per link.
// Xs_WL and twists are filled as well.
inline void link_accelerations(const Model& m, const double* q, const double* v, const double* vdot,
                               double* Xs_WL, double* twists, double* accelerations) {
    forward_links(m, q, Xs_WL);
    link_twists(m, q, v, Xs_WL, twists);
    clear_all(accelerations, 6);
    for (int32_t n = 0; n < m.tree_count; ++n) {
        const int32_t joint = m.tree_order[n], parent = m.joint_parent[joint];
        const int32_t child = m.joint_child[joint];
        joint_acceleration(m, q, v, vdot, joint, Xs_WL + TRANSFORM_SIZE * parent,
                           twists + 6 * parent, accelerations + 6 * parent,
                           Xs_WL + TRANSFORM_SIZE * child, accelerations + 6 * child);
    }
}

// Twist and acceleration of a site (a link or a frame), each linear then angular, from those of all
// links.
inline void site_motion(const Model& m, const double* Xs_WL, const double* twists,
                        const double* accelerations, int32_t site, double* twist,
                        double* acceleration) {
    double X_WS[TRANSFORM_SIZE];
    site_transform(m, Xs_WL, site, X_WS);
    const int32_t link = m.site_link(site);
    const double* X_WL = Xs_WL + TRANSFORM_SIZE * link;
    const double r[3] = {X_WS[9] - X_WL[9], X_WS[10] - X_WL[10], X_WS[11] - X_WL[11]};
    copy_all(twist, twists + 6 * link, 6);
    add_cross3(twist + 3, r, twist);
    point_acceleration(X_WL, twists + 6 * link, accelerations + 6 * link, X_WS + 9, acceleration);
    copy_all(acceleration + 3, accelerations + 6 * link + 3, 3);
}

// The part of the loops' acceleration that v alone causes, d(J_phi)/dt · v, six numbers per loop.
// Exact where loops are closed and v keeps them so: then both ends of a cut joint have the same
// twist, and the rows' own axes make no difference. links, twists, accelerations: those of v alone.
inline void loop_bias(const Model& m, const double* q, const double* v, const double* Xs_WL,
                      const double* twists, const double* accelerations, double* bias) {
    double X_WM[TRANSFORM_SIZE], X_WK[TRANSFORM_SIZE], at_M[6], at_K[3];
    for (int32_t loop = 0; loop < m.loop_count; ++loop) {
        if (m.is_coupling(loop)) {
            const int32_t coupling = loop - m.cut_count();
            clear_all(bias + 6 * loop, 6);
            bias[6 * loop + m.coupling_row(coupling)] = coupling_bias(m, q, v, coupling);
            continue;
        }
        const int32_t cut = m.loop_joint[loop];
        const int32_t parent = m.joint_parent[cut], child = m.joint_child[cut];
        loop_transforms(m, q, Xs_WL, loop, X_WM, X_WK);
        joint_acceleration(m, q, v, nullptr, cut, Xs_WL + TRANSFORM_SIZE * parent,
                           twists + 6 * parent, accelerations + 6 * parent, X_WM, at_M);
        // K is fixed on the link it lands on
        point_acceleration(Xs_WL + TRANSFORM_SIZE * child, twists + 6 * child,
                           accelerations + 6 * child, X_WK + 9, at_K);
        for (int i = 0; i < 3; ++i) {
            at_M[i] -= at_K[i];
            at_M[3 + i] -= accelerations[6 * child + 3 + i];
        }
        rotate_back(X_WK, at_M, bias + 6 * loop);
        rotate_back(X_WK, at_M + 3, bias + 6 * loop + 3);
    }
}

// What is asked: velocities of all joints (accelerations when v is given) for some given ones.
struct MotionInputs {
    const int32_t* driven;       // per v: 1 where it is given
    const double* values;        // per v [rad, m; per s or s²]
    const int32_t* frames;       // site and number of rows (3: linear, 6: linear, angular) each
    const double* frame_values;  // six each
    int32_t frame_count;
    const double* v;  // null for velocities
};

inline int32_t input_rows(const Model& m, const MotionInputs& in) {
    int32_t rows = 0;
    for (int32_t i = 0; i < m.nv; ++i) rows += in.driven[i] != 0;
    for (int32_t f = 0; f < in.frame_count; ++f) rows += in.frames[2 * f + 1];
    return rows;
}

struct MotionReport {
    double residual;     // of the inputs, and of the loops' own accelerations, scaled
    double smallest;     // singular value of the inputs over the free motion
    int32_t free_count;  // motions that loops and inputs leave open
};

struct MotionMemory {
    LoopGroups groups;
    LoopSystem system;
    Spectrum spectrum;  // of the inputs
    double *links, *twists, *accelerations, *bias, *local, *scale;
    double* free_motion;  // one scaled step per row
    double *part, *steps, *rows, *wanted, *over, *least, *x, *missed;
    int32_t* marks;
    int32_t row_count;
};

// Scratch for so many input rows; the groups must have been found, and memory be zero.
inline void lay_out_motion(const Model& m, int32_t rows, Arena<double>& reals, Arena<int32_t>& ints,
                           MotionMemory& s) {
    const int64_t nv = m.nv, links = m.link_count;
    const int32_t widest = s.groups.largest_variables;
    lay_out_system(m, s.groups.largest_loops, widest, reals, ints, s.system);
    lay_out_spectrum(rows, nv, reals, ints, s.spectrum);
    s.row_count = rows;
    s.links = reals.take(TRANSFORM_SIZE * links);
    s.twists = reals.take(6 * links);
    s.accelerations = reals.take(6 * links);
    s.bias = reals.take(6LL * m.loop_count);
    s.local = reals.take(6 * nv);
    s.scale = reals.take(nv);
    s.free_motion = reals.take(nv * nv);
    s.part = reals.take(widest);
    s.steps = reals.take((int64_t)widest * widest);
    s.rows = reals.take(rows * nv);
    s.wanted = reals.take(rows);
    s.over = reals.take(rows * nv);
    s.least = reals.take(nv);
    s.x = reals.take(nv);
    s.missed = reals.take(rows);
    s.marks = ints.take(m.joint_count);
}

// The inputs as equations: rows · x = wanted, scaled by the size. With v also what v alone does.
inline void write_inputs(const Model& m, MotionMemory& s, const double* q, const MotionInputs& in,
                         double size) {
    int32_t at = 0;
    clear_all(s.rows, (int64_t)s.row_count * m.nv);
    for (int32_t i = 0; i < m.nv; ++i)
        if (in.driven[i]) {
            s.rows[(int64_t)at * m.nv + i] = 1;
            s.wanted[at++] = in.values[i] / s.scale[i];
        }
    for (int32_t f = 0; f < in.frame_count; ++f) {
        const int32_t site = in.frames[2 * f], count = in.frames[2 * f + 1];
        double X_WS[TRANSFORM_SIZE], twist[6], acceleration[6];
        site_transform(m, s.links, site, X_WS);
        clear_all(s.local, 6LL * m.nv);
        for (int32_t j = m.link_joint[m.site_link(site)]; j >= 0;
             j = m.link_joint[m.joint_parent[j]])
            add_joint_columns(m, q, j, s.links + TRANSFORM_SIZE * m.joint_child[j], X_WS + 9, 1,
                              s.local);
        if (in.v) site_motion(m, s.links, s.twists, s.accelerations, site, twist, acceleration);
        for (int32_t row = 0; row < count; ++row, ++at) {
            const double unit = row < 3 ? 1 / size : 1;
            for (int32_t i = 0; i < m.nv; ++i)
                s.rows[(int64_t)at * m.nv + i] =
                    unit * s.scale[i] * s.local[(int64_t)row * m.nv + i];
            s.wanted[at] = unit * (in.frame_values[6 * f + row] - (in.v ? acceleration[row] : 0));
        }
    }
}

// The loops, group by group: the least x that they ask for and the free motions, one per row.
// Returns how many there are, or NOT_FINITE; torn: what the loops' own accelerations miss.
inline int32_t loop_motion(const Model& m, MotionMemory& s, const double* q, bool accelerating,
                           double size, double& torn) {
    int32_t count = 0;
    torn = 0;
    clear_all(s.least, m.nv);
    for (int32_t j = 0; j < m.joint_count; ++j)
        for (int32_t k = 0; s.groups.joint_group[j] < 0 && k < JOINT_NV[m.joint_type[j]]; ++k) {
            clear_all(s.free_motion + (int64_t)count * m.nv, m.nv);
            s.free_motion[(int64_t)count++ * m.nv + m.joint_v[j] + k] = 1;
        }
    LoopSystem& system = s.system;
    for (int32_t group = 0; group < s.groups.count; ++group) {
        system.size = size;
        system.loop_count = system.n = 0;
        copy_all(system.scale, s.scale, m.nv);
        for (int32_t loop = 0; loop < m.loop_count; ++loop) {
            if (s.groups.loop_group[loop] != group) continue;
            for (int row = 0; row < 6; ++row)
                system.rhs[6 * system.loop_count + row] =
                    -s.bias[6 * loop + row] / (row < 3 ? size : 1);
            system.loops[system.loop_count++] = loop;
        }
        for (int32_t j = 0; j < m.joint_count; ++j)
            for (int32_t k = 0; s.groups.joint_group[j] == group && k < JOINT_NV[m.joint_type[j]];
                 ++k)
                system.variables[system.n++] = m.joint_v[j] + k;
        const int32_t rows = system.rows(), n = system.n;
        system_jacobian(system, q, system.J);
        const int32_t rank = resolve(system.spectrum, system.J, rows, n, tolerance::RANK,
                                     accelerating ? system.rhs : nullptr, s.part, s.steps);
        if (rank < 0) return rank;
        for (int32_t i = 0; i < n; ++i) s.least[system.variables[i]] = s.part[i];
        for (int32_t row = 0; row < rows && accelerating; ++row) {
            const double lack = dot(system.J + (int64_t)row * n, s.part, n) - system.rhs[row];
            torn += lack * lack;
        }
        for (int32_t i = 0; i < n - rank; ++i, ++count) {
            double* row = s.free_motion + (int64_t)count * m.nv;
            clear_all(row, m.nv);
            for (int32_t k = 0; k < n; ++k) row[system.variables[k]] = s.steps[(int64_t)i * n + k];
        }
    }
    torn = sqrt(torn);
    return count;
}

// Motions of all joints for the given inputs, loops kept closed and inputs met as well as they can
// be: the least such motion, out (nv) [rad, m; per s or s²]. size [m] measures lengths. missed:
// what each input row lacks, scaled. free_motion: null, or room for nv × nv numbers, receives the
// motions that are left open, orthonormal, one per row. Returns OK or NOT_FINITE.
inline int32_t find_motion(const Model& m, MotionMemory& s, const double* q, const MotionInputs& in,
                           double size, double* out, double* missed, double* free_motion,
                           MotionReport& r) {
    if (largest(q, m.nq) < 0) return NOT_FINITE;
    variable_scales(m, size, s.scale);
    if (in.v != nullptr) {
        link_accelerations(m, q, in.v, nullptr, s.links, s.twists, s.accelerations);
        loop_bias(m, q, in.v, s.links, s.twists, s.accelerations, s.bias);
    } else {
        forward_links(m, q, s.links);
    }
    write_inputs(m, s, q, in, size);
    double torn = 0;
    const int32_t count = loop_motion(m, s, q, in.v != nullptr, size, torn);
    if (count < 0) return count;

    // inputs over the free motion
    const int32_t rows = s.row_count;
    for (int32_t row = 0; row < rows; ++row) {
        const double* input = s.rows + (int64_t)row * m.nv;
        for (int32_t i = 0; i < count; ++i)
            s.over[(int64_t)row * count + i] = dot(input, s.free_motion + (int64_t)i * m.nv, m.nv);
        s.missed[row] = s.wanted[row] - dot(input, s.least, m.nv);
    }
    const int32_t rank = find_spectrum(s.spectrum, s.over, rows, count, tolerance::RANK, true);
    if (rank < 0) return rank;
    copy_all(s.x, s.least, m.nv);
    for (int32_t i = 0; i < rank; ++i) {
        // along each direction that the inputs act on: (A v · lack) / s²
        const double* direction = s.spectrum.directions + (int64_t)i * count;
        const double value = s.spectrum.values[i];
        double along = 0;
        for (int32_t row = 0; row < rows; ++row)
            along += dot(s.over + (int64_t)row * count, direction, count) *
                     (s.wanted[row] - dot(s.rows + (int64_t)row * m.nv, s.least, m.nv));
        along /= value * value;
        for (int32_t k = 0; k < count; ++k)
            add_scaled(along * direction[k], s.free_motion + (int64_t)k * m.nv, s.x, m.nv);
    }
    for (int32_t row = 0; row < rows; ++row)
        s.missed[row] = s.wanted[row] - dot(s.rows + (int64_t)row * m.nv, s.x, m.nv);
    copy_all(missed, s.missed, rows);
    for (int32_t i = 0; i < m.nv; ++i) out[i] = s.scale[i] * s.x[i];
    const double lack = norm_of(s.missed, rows);
    r.residual = sqrt(lack * lack + torn * torn);
    r.smallest = rank > 0 ? s.spectrum.values[rank - 1] : INFINITY;
    r.free_count = count - rank;
    for (int32_t i = 0; i < r.free_count && free_motion != nullptr; ++i) {
        const double* direction = s.spectrum.directions + (int64_t)(rank + i) * count;
        double* row = free_motion + (int64_t)i * m.nv;
        clear_all(row, m.nv);
        for (int32_t k = 0; k < count; ++k)
            for (int32_t v = 0; v < m.nv; ++v)
                row[v] += direction[k] * s.scale[v] * s.free_motion[(int64_t)k * m.nv + v];
        orthonormalize_row(free_motion, i, m.nv);
    }
    return OK;
}

}  // namespace kinegen
