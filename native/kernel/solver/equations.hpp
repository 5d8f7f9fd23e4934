// The solver's equations at a pose: scaled rows and right sides of loops and handles.
#pragma once

#include "kernel/base/tolerances.hpp"
#include "kernel/base/manifold.hpp"
#include "kernel/base/jacobian.hpp"
#include "kernel/loops/loops.hpp"
#include "kernel/solver/state.hpp"

namespace kinegen {

// Scaled columns of one joint at a point: out[row][column], rows linear (by size) then angular.
inline void scaled_columns(const Solver& s, const double* q, int32_t joint, const double* X_WM,
                           const double* p_W, double sign, double* out, int32_t stride) {
    const Model& m = *s.model;
    const int32_t type = m.joint_type[joint];
    JointAxes a;
    joint_axes(type, m.pitch[joint], q + m.joint_q[joint], X_WM, a);
    const double r[3] = {p_W[0] - X_WM[9], p_W[1] - X_WM[10], p_W[2] - X_WM[11]};
    const double by_size = sign / s.size;
    for (int k = 0; k < JOINT_NV[type]; ++k) {
        add_cross3(a.angular[k], r, a.linear[k]);
        const double scale = s.scale[m.joint_v[joint] + k];
        for (int i = 0; i < 3; ++i) {
            out[(int64_t)i * stride + k] = by_size * scale * a.linear[k][i];
            out[(int64_t)(3 + i) * stride + k] = sign * scale * a.angular[k][i];
        }
    }
}

// What is missing to close a loop, in world axes, scaled: the right side of its rows.
inline double loop_rhs(const Solver& s, const double* X_WM, const double* X_WK, double* rhs) {
    double phi[6];
    loop_error(X_WM, X_WK, phi);
    for (int i = 0; i < 3; ++i) rhs[i] = (X_WK[9 + i] - X_WM[9 + i]) / s.size;
    double turn[3];
    rotate(X_WM, phi + 3, turn);
    for (int i = 0; i < 3; ++i) rhs[3 + i] = -turn[i];
    return sqrt(dot3(rhs, rhs) + dot3(turn, turn));
}

// The same of a coupling.
inline double coupling_rhs(const Solver& s, const double* q, int32_t coupling, double* rhs) {
    const Model& m = *s.model;
    const double phi =
        coupling_residual(m, q, coupling) / (m.coupling_length[coupling] ? s.size : 1);
    for (int i = 0; i < 6; ++i) rhs[i] = 0;
    rhs[m.coupling_row(coupling)] = -phi;
    return fabs(phi);
}

// Ends and right sides of all loops at q, kept for the elimination; returns the widest gap, scaled.
inline double loop_gaps(Solver& s, const double* q) {
    const Model& m = *s.model;
    double widest = 0;
    for (int32_t loop = 0; loop < m.loop_count; ++loop) {
        LoopEnds& ends = s.ends[loop];
        double gap;
        if (m.is_coupling(loop)) {
            gap = coupling_rhs(s, q, loop - m.cut_count(), ends.rhs);
        } else {
            loop_transforms(m, q, s.links, loop, ends.X_WM, ends.X_WK);
            gap = loop_rhs(s, ends.X_WM, ends.X_WK, ends.rhs);
        }
        // a gap that is not a number must never pass for a closed one
        if (!(gap <= widest)) widest = gap;
    }
    return widest;
}

// Adds what is missing at another loop's cut, as seen from p_W, to a right side.
inline void add_gap(const Solver& s, const LoopEnds& other, const double* p_W, double side,
                    double* rhs) {
    const double *go = other.rhs, *turn = other.rhs + 3, *at = other.X_WM + 9;
    const double r[3] = {p_W[0] - at[0], p_W[1] - at[1], p_W[2] - at[2]};
    double swing[3];
    cross3(turn, r, swing);
    for (int i = 0; i < 3; ++i) {
        rhs[i] += side * (go[i] + swing[i] / s.size);
        rhs[3 + i] += side * turn[i];
    }
}

// The scaled row of a coupling, one column per term.
inline void coupling_columns(const Solver& s, const double* q, int32_t coupling, double* row) {
    const Model& m = *s.model;
    const double unit = m.coupling_length[coupling] ? 1 / s.size : 1;
    for (int32_t i = m.term_start[coupling]; i < m.term_start[coupling + 1]; ++i)
        *row++ = unit * s.scale[m.term_v[i]] * coupling_slope(m, q, coupling, i);
}

// Eliminates all loops. Rows smaller than the tolerance count as redundant; while a loop is open
// its rows are only known to about the gap, so the tolerance follows it.
inline void eliminate_loops(Solver& s, const double* q, double gap) {
    const Model& m = *s.model;
    const double tolerance = larger(tolerance::LOOP_RANK, smaller(10 * gap, 0.05));
    for (int32_t n = 0; n < m.loop_count; ++n) {
        const int32_t loop = s.plan.loop_order[n];
        const double* X_WM = s.ends[loop].X_WM;
        double rhs[6];
        memcpy(rhs, s.ends[loop].rhs, sizeof(rhs));
        const int32_t first = s.plan.column_first[n];
        const int32_t width = s.plan.column_first[n + 1] - first;
        if (m.is_coupling(loop)) {
            const int32_t coupling = loop - m.cut_count();
            coupling_columns(s, q, coupling, s.loop_rows);
            eliminate(s.elimination, s.plan.column + first, width, s.loop_rows,
                      rhs + m.coupling_row(coupling), 1, tolerance, s.local, s.columns);
            continue;
        }
        int32_t at = 0;
        for (int32_t i = s.plan.path_first[n]; i < s.plan.path_first[n + 1]; ++i) {
            const int32_t joint = s.plan.path_joint[i], other = s.plan.loop_of[joint];
            const double side = s.plan.path_side[i];
            const double* X = other >= 0 ? s.ends[other].X_WM
                                         : s.links + TRANSFORM_SIZE * (int64_t)m.joint_child[joint];
            scaled_columns(s, q, joint, X, X_WM + 9, side, s.loop_rows + at, width);
            at += JOINT_NV[m.joint_type[joint]];
            // a way through another cut joint passes that one's own gap
            if (other >= 0 && other != loop) add_gap(s, s.ends[other], X_WM + 9, side, rhs);
        }
        eliminate(s.elimination, s.plan.column + first, width, s.loop_rows, rhs, 6, tolerance,
                  s.local, s.columns);
    }
}

// Right side of one handle's rows: where to go and how to turn, scaled and weighted, world axes.
inline void handle_error(const Solver& s, const int32_t* ints, const double* reals,
                         HandleError& e) {
    using at = record::HandleReals;
    const int32_t site = ints[record::HandleInts::SITE], kind = ints[record::HandleInts::KIND];
    const double *point = reals + at::POINT, *axis = reals + at::AXIS,
                 *position = reals + at::POSITION, *quat = reals + at::TURN;
    const double weight_linear = reals[at::WEIGHT], weight_angular = reals[at::ROTATION_WEIGHT];
    double X_WS[TRANSFORM_SIZE];
    site_transform(*s.model, s.links, site, X_WS);
    rotate(X_WS, point, e.p_W);
    for (int i = 0; i < 3; ++i) e.p_W[i] += X_WS[9 + i];
    e.row_count = handle_rows(kind);

    if (kind != HANDLE_ROTATION)
        for (int i = 0; i < 3; ++i) e.rhs[i] = weight_linear * (position[i] - e.p_W[i]) / s.size;
    if (kind == HANDLE_POSE || kind == HANDLE_ROTATION) {
        double R[9], R_ST[9], w[3];
        quat_to_matrix(quat, R);
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k)
                R_ST[3 * i + k] = X_WS[i] * R[k] + X_WS[3 + i] * R[3 + k] + X_WS[6 + i] * R[6 + k];
        matrix_log(R_ST, w);
        double* turn = e.rhs + (kind == HANDLE_POSE ? 3 : 0);
        rotate(X_WS, w, turn);
        for (int i = 0; i < 3; ++i) turn[i] *= weight_angular;
    }
    if (kind == HANDLE_DIRECTION) {
        // two directions across the axis; turning about the axis itself is free
        double a[3], t[3], helper[3] = {0, 0, 0};
        rotate(X_WS, axis, a);
        cross3(a, quat, t);
        const double sine = sqrt(dot3(t, t)), cosine = dot3(a, quat);
        const double x = fabs(a[0]), y = fabs(a[1]), z = fabs(a[2]);
        helper[x <= y && x <= z ? 0 : y <= z ? 1 : 2] = 1;
        cross3(a, helper, e.across[0]);
        const double n = sqrt(dot3(e.across[0], e.across[0]));
        for (int i = 0; i < 3; ++i) e.across[0][i] /= n;
        cross3(a, e.across[0], e.across[1]);
        const double angle = atan2(sine, cosine);
        for (int i = 0; i < 2; ++i)
            e.rhs[3 + i] =
                weight_angular * (sine > 1e-12 ? angle / sine * dot3(e.across[i], t) : 0);
        // straight backwards: any way round will do
        if (sine <= 1e-12 && cosine < 0) e.rhs[3] = weight_angular * PI;
    }
}

// Rows of one handle, dense over nv.
inline void handle_jacobian(const Solver& s, const double* q, const int32_t* ints,
                            const double* reals, const HandleError& e, double* rows) {
    const Model& m = *s.model;
    const int32_t kind = ints[record::HandleInts::KIND], nv = m.nv;
    const double weight_linear = reals[record::HandleReals::WEIGHT],
                 weight_angular = reals[record::HandleReals::ROTATION_WEIGHT];
    memset(rows, 0, sizeof(double) * (size_t)e.row_count * (size_t)nv);
    for (int32_t joint = m.link_joint[m.site_link(ints[record::HandleInts::SITE])]; joint >= 0;
         joint = m.link_joint[m.joint_parent[joint]]) {
        double c[6 * 6];
        scaled_columns(s, q, joint, s.links + TRANSFORM_SIZE * (int64_t)m.joint_child[joint], e.p_W,
                       1, c, 6);
        for (int k = 0; k < JOINT_NV[m.joint_type[joint]]; ++k) {
            double* at = rows + m.joint_v[joint] + k;
            const double w[3] = {c[18 + k], c[24 + k], c[30 + k]};
            if (kind != HANDLE_ROTATION)
                for (int i = 0; i < 3; ++i, at += nv) *at = weight_linear * c[6 * i + k];
            if (kind == HANDLE_POSE || kind == HANDLE_ROTATION)
                for (int i = 0; i < 3; ++i, at += nv) *at = weight_angular * w[i];
            if (kind == HANDLE_DIRECTION)
                for (int i = 0; i < 2; ++i, at += nv) *at = weight_angular * dot3(e.across[i], w);
        }
    }
}

// How far the variable furthest beyond its limits is out, scaled; 0 when all are within.
inline double limit_excess(const Solver& s, const double* q) {
    const Model& m = *s.model;
    double excess = 0;
    for (int32_t j = 0; j < m.joint_count; ++j) {
        const int32_t type = m.joint_type[j];
        if (has_swing_limit(m, j))
            excess = larger(excess, swing_angle(q + m.joint_q[j]) - m.upper[m.joint_v[j]]);
        if (JOINT_QUATERNION[type]) continue;
        for (int32_t k = 0; k < JOINT_NV[type]; ++k) {
            const int32_t i = m.joint_v[j] + k;
            const double x = q[m.joint_q[j] + k];
            excess = larger(excess, larger(x - m.upper[i], m.lower[i] - x) / s.scale[i]);
        }
    }
    return excess;
}

// Where a configuration stands: scaled gap of the loops, squared errors of handles and pins.
struct Errors {
    double gap, soft, hard;
};

// Errors at q; leaves the links' transforms and what each handle lacks behind.
inline Errors errors_at(Solver& s, const double* q, const int32_t* ints, const double* reals,
                        int32_t handle_count) {
    forward_links(*s.model, q, s.links);
    Errors errors{loop_gaps(s, q), 0, 0};
    for (int32_t h = 0; h < handle_count; ++h) {
        HandleError& e = s.handle_errors[h];
        handle_error(s, ints + HANDLE_INTS * h, reals + HANDLE_REALS * h, e);
        double sum = 0;
        for (int32_t r = 0; r < e.row_count; ++r) sum += e.rhs[r] * e.rhs[r];
        (ints[HANDLE_INTS * h + record::HandleInts::PIN] ? errors.hard : errors.soft) += sum;
    }
    return errors;
}

}  // namespace kinegen
