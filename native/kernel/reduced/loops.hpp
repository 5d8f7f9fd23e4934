// What ties the links of the tree together: cut joints, and springs that are too stiff for a step.
//
// A cut joint is described by the forces T that it transmits, never by its own variables: six less
// its degrees of freedom. T is fixed in the frame K where the joint lands, so that the rows Tᵀ (V_B
// - V_P) = 0 and their derivative are simple. The joint's variables are read off the links' places.
//
// A relation between variables of the tree's joints (kernel/loops/coupling.hpp) is a row over just
// these: the effort that it transmits acts in their joints.
#pragma once

#include "kernel/loops/loops.hpp"
#include "kernel/reduced/protocol.hpp"
#include "kernel/reduced/tree.hpp"

namespace kinegen {

inline bool is_linear_row(int32_t kind) {
    return kind <= FORCE_Z || kind == THREAD || kind == SLIDES;
}
inline bool is_relation_row(int32_t kind) { return kind == SLIDES || kind == TURNS; }

// The rows of a cut joint, at most six; returns how many.
inline int32_t cut_rows(int32_t type, int32_t* kinds) {
    int32_t count = 0;
    for (int32_t kind = 0; kind < 8; ++kind)
        if (CUT_ROWS[type] >> kind & 1) kinds[count++] = kind;
    return count;
}

struct PointSprings {
    int32_t count;
    const int32_t *link_a, *link_b;
    const double *point_a, *point_b;  // in the links' frames, three numbers each
    const double *stiffness, *damping, *rest;
};

// Couplings: loops in an order that keeps the system narrow, then springs between points, then cut
// joints with springs or dampers of their own.
struct Couplings {
    int32_t count, loop_count;  // those that are loops come first
    int32_t spring_count, cut_count;
    int32_t* loop;         // per coupling: its loop, its spring, or the coupling of its cut joint
    int32_t* row_first;    // per coupling + 1
    int32_t* kind;         // per row
    int32_t* reach_first;  // per coupling + 1: the degrees of freedom on both ways to the base,
                           // outermost
    int32_t* reach;        //   first
    int32_t* side;         // per reach: +1 moves the end K, -1 the other, 0 both alike
    int32_t reach_size;
    int32_t row_count;  // rows in use
    double* T;          // per row: the force
    double* t_dot;      // per CROSS row: derivative of its axis (3 per coupling)
    double* X_F;        // per loop coupling: frames of the cut joint on the two links
    double* X_K;
    double* slope;      // per term of the model's relations: derivative of its residual
    int32_t* term_dof;  // per term: its degree of freedom, -1 for variables of cut joints
};

// The relation between variables that a coupling is, -1 for others.
inline int32_t relation_of(const Model& m, const Couplings& c, int32_t i) {
    return i < c.loop_count && m.is_coupling(c.loop[i]) ? c.loop[i] - m.cut_count() : -1;
}

inline int32_t coupling_link(const Model& m, const PointSprings& springs, const Couplings& c,
                             int32_t i, int end) {
    if (c.loop_count <= i && i < c.loop_count + c.spring_count)
        return (end == 0 ? springs.link_a : springs.link_b)[c.loop[i]];
    const int32_t cut = m.loop_joint[c.loop[i < c.loop_count ? i : c.loop[i]]];
    return end == 0 ? m.joint_parent[cut] : m.joint_child[cut];
}

// Room for all loops and, if they are to be couplings, all springs: a cut joint has six rows
// together with those of its springs. Called with null arenas to count; reach_size must be known
// (count_reach).
inline void lay_out_couplings(const Model& m, int64_t reach_size, Arena<double>& reals,
                              Arena<int32_t>& ints, Couplings& c) {
    const int64_t most = (int64_t)c.loop_count + c.spring_count + c.cut_count;
    const int64_t rows = 6LL * c.loop_count + c.spring_count;
    c.loop = ints.take(most);
    c.row_first = ints.take(most + 1);
    c.kind = ints.take(rows);
    c.reach_first = ints.take(most + 1);
    c.reach = ints.take(reach_size);
    c.side = ints.take(reach_size);
    c.T = reals.take(6 * rows);
    c.t_dot = reals.take(3LL * m.loop_count);
    c.X_F = reals.take(TRANSFORM_SIZE * (int64_t)m.loop_count);
    c.X_K = reals.take(TRANSFORM_SIZE * (int64_t)m.loop_count);
    c.slope = reals.take(m.term_count);
    c.term_dof = ints.take(m.term_count);
}

// Degrees of freedom on the ways of two links to the base, outermost (highest number) first; with
// null lists only how many.
inline int32_t reach_of(const ReducedTree& t, int32_t link_a, int32_t link_b, int32_t* reach,
                        int32_t* side) {
    int32_t a = t.last[link_a], b = t.last[link_b], count = 0;
    while (a >= 0 || b >= 0) {
        const int32_t at = a > b ? a : b;
        if (reach != nullptr) {
            reach[count] = at;
            side[count] = (b == at ? 1 : 0) - (a == at ? 1 : 0);
        }
        ++count;
        if (a == at) a = t.before[a];
        if (b == at) b = t.before[b];
    }
    return count;
}

// The degree of freedom of a term's variable, -1 where a cut joint has it.
inline int32_t dof_of_term(const ReducedTree& t, int32_t term) {
    const int32_t v = t.model->term_v[term];
    for (int32_t k = 0; k < t.n; ++k)
        if (t.index[k] == v) return k;
    return -1;
}

// The same of a coupling's reach, whatever it is: a relation reaches all its variables and those
// on their ways to the base.
inline int32_t reach_of_coupling(const ReducedTree& t, const PointSprings& springs,
                                 const Couplings& c, int32_t i, int32_t* reach, int32_t* side) {
    const Model& m = *t.model;
    const int32_t relation = relation_of(m, c, i);
    if (relation < 0)
        return reach_of(t, coupling_link(m, springs, c, i, 0), coupling_link(m, springs, c, i, 1),
                        reach, side);
    // outermost first: the highest number below the last one that is on a way
    int32_t count = 0;
    for (int32_t below = t.n;;) {
        int32_t at = -1;
        for (int32_t term = m.term_start[relation]; term < m.term_start[relation + 1]; ++term) {
            int32_t k = dof_of_term(t, term);
            while (k >= below) k = t.before[k];
            at = k > at ? k : at;
        }
        if (at < 0) return count;
        if (reach != nullptr) {
            reach[count] = at;
            side[count] = 0;
        }
        ++count;
        below = at;
    }
}

// Lists the rows and the degrees of freedom of all couplings; c.loop, c.count, c.loop_count are
// given.
inline void number_couplings(const ReducedTree& t, const PointSprings& springs, Couplings& c) {
    const Model& m = *t.model;
    c.row_first[0] = c.reach_first[0] = 0;
    for (int32_t i = 0; i < c.count; ++i) {
        int32_t rows = 1;
        const int32_t relation = relation_of(m, c, i);
        if (relation >= 0) {
            c.kind[c.row_first[i]] = m.coupling_length[relation] ? SLIDES : TURNS;
            for (int32_t n = m.term_start[relation]; n < m.term_start[relation + 1]; ++n)
                c.term_dof[n] = dof_of_term(t, n);
        } else if (i < c.loop_count) {
            rows = cut_rows(m.joint_type[m.loop_joint[c.loop[i]]], c.kind + c.row_first[i]);
        } else {
            if (i >= c.loop_count + c.spring_count)
                rows = JOINT_NV[m.joint_type[m.loop_joint[c.loop[c.loop[i]]]]];
            for (int32_t k = 0; k < rows; ++k) c.kind[c.row_first[i] + k] = SPRING;
        }
        c.row_first[i + 1] = c.row_first[i] + rows;
        const int32_t at = c.reach_first[i];
        c.reach_first[i + 1] = at + reach_of_coupling(t, springs, c, i, c.reach + at, c.side + at);
    }
    c.row_count = c.row_first[c.count];
}

// Frames F on the carrying link and K on the other, of one loop.
inline void loop_frames(const ReducedTree& t, int32_t loop, double* X_F, double* X_K) {
    const Model& m = *t.model;
    const int32_t cut = m.loop_joint[loop];
    compose(t.X + TRANSFORM_SIZE * (int64_t)m.joint_parent[cut], m.joint_transform(cut), X_F);
    compose(t.X + TRANSFORM_SIZE * (int64_t)m.joint_child[cut], m.loop_transform(loop), X_K);
}

// Angle about z from F to K, the one nearest to `near`.
inline double angle_about_z(const double* X_F, const double* X_K, double near) {
    double s = 0, c = 0;
    for (int r = 0; r < 3; ++r) {
        const double fx = X_F[3 * r], fy = X_F[3 * r + 1], kx = X_K[3 * r], ky = X_K[3 * r + 1];
        s += fy * kx - fx * ky;
        c += fx * kx + fy * ky;
    }
    const double angle = atan2(s, c);
    return angle + 2 * PI * floor((near - angle) / (2 * PI) + 0.5);
}

// The ends of a spring in the world, its direction a to b and its length.
inline double spring_line(const ReducedTree& t, const PointSprings& springs, int32_t s,
                          double* point_b, double* along) {
    const double* X_A = t.X + TRANSFORM_SIZE * (int64_t)springs.link_a[s];
    const double* X_B = t.X + TRANSFORM_SIZE * (int64_t)springs.link_b[s];
    double a[3];
    rotate(X_A, springs.point_a + 3LL * s, a);
    rotate(X_B, springs.point_b + 3LL * s, point_b);
    for (int k = 0; k < 3; ++k) {
        point_b[k] += X_B[9 + k];
        along[k] = point_b[k] - (a[k] + X_A[9 + k]);
    }
    const double length = sqrt(dot3(along, along));
    // points that touch have no direction between them: no force acts
    const double scale = length > 1e-12 ? 1 / length : 0;
    for (int k = 0; k < 3; ++k) along[k] *= scale;
    return length;
}

// A force along `axis` through a point, or a moment about it, as a six-vector.
inline void force_at(const ReducedTree& t, const double* point, const double* axis, double* out) {
    const double r[3] = {point[0] - t.centre[0], point[1] - t.centre[1], point[2] - t.centre[2]};
    for (int k = 0; k < 3; ++k) out[k] = axis[k];
    cross3(r, axis, out + 3);
}
inline void moment_of(const double* axis, double* out) {
    for (int k = 0; k < 3; ++k) {
        out[k] = 0;
        out[3 + k] = axis[k];
    }
}

// The force T of a row between frames F and K; lead: of a screw.
inline void row_force(const ReducedTree& t, int32_t kind, const double* X_F, const double* X_K,
                      double lead, double* T) {
    double axis[3];
    if (kind <= FORCE_Z) {
        column(X_K, kind, axis);
        force_at(t, X_K + 9, axis, T);
    } else if (kind <= MOMENT_Z) {
        column(X_K, kind - MOMENT_X, axis);
        moment_of(axis, T);
    } else if (kind == THREAD) {
        column(X_K, 2, axis);
        force_at(t, X_K + 9, axis, T);
        for (int k = 0; k < 3; ++k) T[3 + k] -= lead * axis[k];
    } else {
        double z_F[3], x_K[3];
        column(X_F, 2, z_F);
        column(X_K, 0, x_K);
        cross3(z_F, x_K, axis);
        moment_of(axis, T);
    }
}

inline void cut_axes(const ReducedTree& t, const Couplings& c, int32_t i, double* out);

// Frames and forces T of all couplings, after place_tree.
inline void place_couplings(const ReducedTree& t, const PointSprings& springs, Couplings& c) {
    const Model& m = *t.model;
    for (int32_t i = 0; i < c.count; ++i) {
        double* T = c.T + 6LL * c.row_first[i];
        if (i >= c.loop_count + c.spring_count) {
            cut_axes(t, c, c.loop[i], T);
            continue;
        }
        if (i >= c.loop_count) {
            double point[3], along[3];
            spring_line(t, springs, c.loop[i], point, along);
            force_at(t, point, along, T);
            continue;
        }
        double *X_F = c.X_F + TRANSFORM_SIZE * (int64_t)i,
               *X_K = c.X_K + TRANSFORM_SIZE * (int64_t)i;
        loop_frames(t, c.loop[i], X_F, X_K);
        const int32_t relation = relation_of(m, c, i);
        if (relation >= 0) {
            // no force between two links: its effort is in the joints themselves
            for (int k = 0; k < 6; ++k) T[k] = 0;
            for (int32_t n = m.term_start[relation]; n < m.term_start[relation + 1]; ++n)
                c.slope[n] = coupling_slope(m, t.q, relation, n);
            continue;
        }
        const double lead = KINEGEN_ISA::screw_lead(m, m.loop_joint[c.loop[i]]);
        for (int32_t row = c.row_first[i]; row < c.row_first[i + 1]; ++row, T += 6)
            row_force(t, c.kind[row], X_F, X_K, lead, T);
    }
}

struct Gaps {
    double linear, angular;  // largest of all loops [m], [rad]
};

// How far the loops are open, per row; springs' rows are 0. q: for the turns of screws.
inline Gaps loop_gaps(const ReducedTree& t, const Couplings& c, const double* q, double* gap) {
    const Model& m = *t.model;
    Gaps most{0, 0};
    for (int32_t i = 0; i < c.loop_count; ++i) {
        const double *X_F = c.X_F + TRANSFORM_SIZE * (int64_t)i,
                     *X_K = c.X_K + TRANSFORM_SIZE * (int64_t)i;
        const double d[3] = {X_K[9] - X_F[9], X_K[10] - X_F[10], X_K[11] - X_F[11]};
        const int32_t cut = m.loop_joint[c.loop[i]], type = m.joint_type[cut];
        double local[3], turned[3] = {};
        rotate_back(X_K, d, local);
        if (type == PRISMATIC || type == FIXED) {
            // half the antisymmetric part of R_FK, about the axes of K (and of F: they agree)
            double R[9];
            for (int r = 0; r < 3; ++r)
                for (int k = 0; k < 3; ++k)
                    R[3 * r + k] =
                        X_F[r] * X_K[k] + X_F[3 + r] * X_K[3 + k] + X_F[6 + r] * X_K[6 + k];
            turned[0] = 0.5 * (R[7] - R[5]);
            turned[1] = 0.5 * (R[2] - R[6]);
            turned[2] = 0.5 * (R[3] - R[1]);
        } else if (type != SPHERICAL && type != UNIVERSAL) {
            // z of F turned onto z of K
            double z_F[3], z_K[3], axis[3];
            column(X_F, 2, z_F);
            column(X_K, 2, z_K);
            cross3(z_F, z_K, axis);
            rotate_back(X_K, axis, turned);
        }
        double linear = 0, angular = 0;
        for (int32_t row = c.row_first[i]; row < c.row_first[i + 1]; ++row) {
            const int32_t kind = c.kind[row];
            double e;
            if (is_relation_row(kind)) {
                e = coupling_residual(m, q, relation_of(m, c, i));
            } else if (kind <= FORCE_Z) {
                e = local[kind];
            } else if (kind <= MOMENT_Z) {
                e = turned[kind - MOMENT_X];
            } else if (kind == THREAD) {
                e = local[2] -
                    KINEGEN_ISA::screw_lead(m, cut) * angle_about_z(X_F, X_K, q[m.joint_q[cut]]);
            } else {
                double z_F[3], x_K[3];
                column(X_F, 2, z_F);
                column(X_K, 0, x_K);
                e = -dot3(z_F, x_K);
            }
            gap[row] = e;
            (is_linear_row(kind) ? linear : angular) += e * e;
        }
        most.linear = larger(most.linear, linear);
        most.angular = larger(most.angular, angular);
    }
    for (int32_t row = c.row_first[c.loop_count]; row < c.row_count; ++row) gap[row] = 0;
    most.linear = sqrt(most.linear);
    most.angular = sqrt(most.angular);
    return most;
}

// Motion of the end K against the other.
inline void relative_motion(const ReducedTree& t, const PointSprings& springs, const Couplings& c,
                            int32_t i, double* relative) {
    const double* V_P = t.V + 6LL * coupling_link(*t.model, springs, c, i, 0);
    const double* V_B = t.V + 6LL * coupling_link(*t.model, springs, c, i, 1);
    for (int k = 0; k < 6; ++k) relative[k] = V_B[k] - V_P[k];
}

// Speed of a relation between variables, after move_tree.
inline double relation_speed(const ReducedTree& t, const Couplings& c, int32_t relation) {
    const Model& m = *t.model;
    double speed = 0;
    for (int32_t n = m.term_start[relation]; n < m.term_start[relation + 1]; ++n)
        speed += c.slope[n] * t.v[m.term_v[n]];
    return speed;
}

// Speeds of all rows, after move_tree; returns the fastest opening of a loop [m/s].
inline double row_speeds(const ReducedTree& t, const PointSprings& springs, const Couplings& c,
                         double* speed) {
    double most = 0;
    for (int32_t i = 0; i < c.count; ++i) {
        double relative[6], sum = 0;
        relative_motion(t, springs, c, i, relative);
        for (int32_t row = c.row_first[i]; row < c.row_first[i + 1]; ++row) {
            speed[row] = is_relation_row(c.kind[row])
                             ? relation_speed(t, c, relation_of(*t.model, c, i))
                             : dot6(c.T + 6LL * row, relative);
            if (is_linear_row(c.kind[row])) sum += speed[row] * speed[row];
        }
        if (i < c.loop_count) most = larger(most, sum);
    }
    return sqrt(most);
}

// What the rows' accelerations must be made up to by the degrees of freedom, after move_tree: -J̇ v.
inline void row_targets(const ReducedTree& t, const Couplings& c, double* target) {
    const Model& m = *t.model;
    for (int32_t i = 0; i < c.loop_count; ++i) {
        const int32_t relation = relation_of(m, c, i);
        if (relation >= 0) {
            if (c.row_first[i] < c.row_first[i + 1])
                target[c.row_first[i]] = -coupling_bias(m, t.q, t.v, relation);
            continue;
        }
        const int32_t cut = m.loop_joint[c.loop[i]];
        const int64_t P = m.joint_parent[cut], B = m.joint_child[cut];
        const double *V_P = t.V + 6 * P, *V_B = t.V + 6 * B;
        double relative[6], wanted[6];
        for (int k = 0; k < 6; ++k) {
            relative[k] = V_B[k] - V_P[k];
            wanted[k] = t.A[6 * P + k] - t.A[6 * B + k];
        }
        const double angular[3] = {wanted[3], wanted[4], wanted[5]};
        add_motion_cross(V_B, relative, wanted);  // T turns with K
        for (int32_t row = c.row_first[i]; row < c.row_first[i + 1]; ++row) {
            if (c.kind[row] != CROSS) {
                target[row] = dot6(c.T + 6LL * row, wanted);
                continue;
            }
            // its axis z_F × x_K turns with both
            double z_F[3], x_K[3], a[3], n_dot[3];
            column(c.X_F + TRANSFORM_SIZE * (int64_t)i, 2, z_F);
            column(c.X_K + TRANSFORM_SIZE * (int64_t)i, 0, x_K);
            cross3(V_P + 3, z_F, a);
            cross3(a, x_K, n_dot);
            cross3(V_B + 3, x_K, a);
            add_cross3(z_F, a, n_dot);
            target[row] = dot3(c.T + 6LL * row + 3, angular) - dot3(n_dot, relative + 3);
        }
    }
}

// Variables of a cut joint as the links stand; angles nearest to those that q holds.
inline void read_cut(const ReducedTree& t, const Couplings& c, int32_t i, double* q) {
    const Model& m = *t.model;
    const int32_t cut = m.loop_joint[c.loop[i]], type = m.joint_type[cut];
    const double *X_F = c.X_F + TRANSFORM_SIZE * (int64_t)i,
                 *X_K = c.X_K + TRANSFORM_SIZE * (int64_t)i;
    double* own = q + m.joint_q[cut];
    const double d[3] = {X_K[9] - X_F[9], X_K[10] - X_F[10], X_K[11] - X_F[11]};
    double local[3];
    rotate_back(X_F, d, local);
    auto near = [](double angle, double old) {
        return angle + 2 * PI * floor((old - angle) / (2 * PI) + 0.5);
    };
    if (type == REVOLUTE || type == SCREW || type == CYLINDRICAL) {
        own[0] = angle_about_z(X_F, X_K, own[0]);
        if (type == CYLINDRICAL) own[1] = local[2];
    } else if (type == PRISMATIC) {
        own[0] = local[2];
    } else if (type == PLANAR) {
        own[0] = local[0];
        own[1] = local[1];
        own[2] = angle_about_z(X_F, X_K, own[2]);
    } else if (type != FIXED) {
        double R[9];
        for (int r = 0; r < 3; ++r)
            for (int k = 0; k < 3; ++k)
                R[3 * r + k] = X_F[r] * X_K[k] + X_F[3 + r] * X_K[3 + k] + X_F[6 + r] * X_K[6 + k];
        if (type == UNIVERSAL) {
            own[0] = near(atan2(R[3], R[0]), own[0]);
            own[1] = near(atan2(R[7], R[8]), own[1]);
            return;
        }
        double quat[4];
        matrix_to_quat(R, quat);
        double along = 0;
        for (int k = 0; k < 4; ++k) along += quat[k] * own[k];
        for (int k = 0; k < 4; ++k) own[k] = along < 0 ? -quat[k] : quat[k];
        if (type == FREE)
            for (int k = 0; k < 3; ++k) own[4 + k] = local[k];
    }
}

// Forces that do one unit of work per unit of each variable of a joint between frames F and K, on
// the link with K (and the opposite on the other); also, times a relative motion, the variables'
// speeds but for a screw. out: six numbers per variable.
inline void joint_forces(const ReducedTree& t, int32_t type, const double* X_F, const double* X_K,
                         double* out) {
    double axis[3];
    auto force = [&](const double* X, int k, int to) {
        column(X, k, axis);
        force_at(t, X_K + 9, axis, out + 6 * to);
    };
    auto moment = [&](const double* X, int k, int to) {
        column(X, k, axis);
        moment_of(axis, out + 6 * to);
    };
    switch (type) {
        case REVOLUTE:
        case SCREW:
            moment(X_K, 2, 0);
            break;
        case PRISMATIC:
            force(X_K, 2, 0);
            break;
        case CYLINDRICAL:
            moment(X_K, 2, 0);
            force(X_K, 2, 1);
            break;
        case UNIVERSAL:
            moment(X_F, 2, 0);
            moment(X_K, 0, 1);
            break;
        case SPHERICAL:
            for (int k = 0; k < 3; ++k) moment(X_K, k, k);
            break;
        case PLANAR:
            force(X_F, 0, 0);
            force(X_F, 1, 1);
            moment(X_K, 2, 2);
            break;
        case FREE:
            for (int k = 0; k < 3; ++k) {
                force(X_K, k, k);
                moment(X_K, k, 3 + k);
            }
            break;
        default:
            break;
    }
}

// The same of a cut joint.
inline void cut_axes(const ReducedTree& t, const Couplings& c, int32_t i, double* out) {
    joint_forces(t, t.model->joint_type[t.model->loop_joint[c.loop[i]]],
                 c.X_F + TRANSFORM_SIZE * (int64_t)i, c.X_K + TRANSFORM_SIZE * (int64_t)i, out);
}

}  // namespace kinegen
