// Looking ahead: all bodies fly over the step, and impulses at its start close the joints at its
// end.
#pragma once

#include "kernel/impulse/soft.hpp"

namespace kinegen::impulse {

// Flight of one body over a step: from (X, V) to (X_next, V_next).
inline void fly_body(const World& w, int32_t b) {
    const double h = w.step, *X = w.X + 12LL * b, *V = w.V + 6LL * b;
    double *X_next = w.X_next + 12LL * b, *V_next = w.V_next + 6LL * b;
    double turn[3], turned[3];
    rotate_back(X, V + 3, turn);
    const double *bend = w.bend + 3LL * b, *quat = w.quat + 4LL * b;
    double* quat_next = w.quat_next + 4LL * b;
    if (!flight_bends(bend, turn, h) && spin(quat, turn, h, quat_next)) {
        quat_to_matrix(quat_next, X_next);
        for (int i = 3; i < 6; ++i) V_next[i] = V[i];
    } else {
        fly(bend, quat, turn, h, quat_next, turned);
        quat_to_matrix(quat_next, X_next);
        rotate(X_next, turned, V_next + 3);
    }
    for (int i = 0; i < 3; ++i) {
        X_next[9 + i] = X[9 + i] + h * (V[i] + 0.5 * h * w.gravity[i]);
        V_next[i] = V[i] + h * w.gravity[i];
    }
}

// Residuals of a joint's rows at the step's end; updates its q_next where rows or limits need it.
inline void look_at_bond(const World& w, int32_t j, ImpulseReport& r) {
    const int32_t type = bond_type(w, j), held = HELD_ROWS[type], q = bond_q(w, j);
    double *X_F = w.X_F_next + 12LL * j, *X_M = w.X_M_next + 12LL * j, g[6], gap, angle;
    bond_frames(w, j, w.X_next, X_F, X_M);
    bond_gap(w, j, X_F, X_M, bond_before(w, j), g, gap, angle);
    r.gap = larger_root(r.gap, gap);
    r.angle_gap = larger_root(r.angle_gap, angle);
    double* residual = w.residual + 6LL * j;
    const double *lambda = w.lambda + 6LL * j, *yield = w.yield + 6LL * j;
    const double rate = 1 / w.step;
    for (int32_t i = 0; i < held; ++i) residual[i] = g[i] * rate + yield[i] * lambda[i];
    if (w.reads[j] != READ_AHEAD) return;
    bond_variables(type, X_F, X_M, w.q + q, w.q_next + q);
    r.soft_gap = larger(r.soft_gap, look_at_soft_rows(w, j));
}

// Residual of a coupling at the step's end; its joints were looked at.
inline void look_at_coupling(const World& w, int32_t c, ImpulseReport& r) {
    const int64_t row = 6LL * (w.bond_count + c);
    const double gap = coupling_gap(w, c, w.q_next);
    double& widest = w.model->coupling_length[c] ? r.gap : r.angle_gap;
    widest = larger_root(widest, gap * gap);
    w.residual[row] = gap / w.step + w.yield[row] * w.lambda[row];
}

// Residuals of all ties where the bodies are at the step's end.
inline void look_at_ties(const World& w, ImpulseReport& r) {
    r.gap = r.angle_gap = r.soft_gap = 0;
    for (int32_t j = 0; j < w.bond_count; ++j) look_at_bond(w, j, r);
    for (int32_t c = 0; c < w.coupling_count; ++c) look_at_coupling(w, c, r);
}

inline void look_ahead(const World& w, ImpulseReport& r) {
    for (int32_t b = 0; b < w.body_count; ++b)
        if (w.inverse[4LL * b] != 0) fly_body(w, b);
    look_at_ties(w, r);
}

// Adds A⁻¹ (-residual) to the impulses and pushes the bodies.
inline void correct(const World& w, double* lambda) {
    solve(w, w.residual);
    for (int32_t j = 0; j < w.tie_count; ++j) {
        double by[6];
        store_vec6(less_vec6(zero_vec6(), load_vec6(w.residual + 6LL * j)), by);
        push_tie(w, j, by, w.V);
        store_vec6(sum_vec6(load_vec6(lambda + 6LL * j), load_vec6(by)), lambda + 6LL * j);
    }
}

// Whether all that was looked at is within the gap.
inline bool is_closed(const World& w, const ImpulseReport& r) {
    return r.gap <= w.gap_limit && r.angle_gap <= w.gap_limit && r.soft_gap <= w.gap_limit;
}

// Impulses that close all joints at the step's end, all at once, until they do.
inline void close_direct(World& w, ImpulseReport& r) {
    if (w.limit_count) prepare_limits(w, w.limit_response, w.limit_impulses, w.limit_G);
    for (int32_t turn = 0;; ++turn) {
        look_ahead(w, r);
        const bool done = turn > (w.limit_count ? 1 : 0) && is_closed(w, r);
        if (done || turn == w.iteration_limit || !(r.gap < INFINITY)) break;
        for (int32_t i = 0; i < w.limit_count; ++i)
            w.limits[i].value = look_at_limit(w, w.limits[i]) - limit_speed(w.limits[i], w.V);
        correct(w, w.lambda);
        r.corrections += w.order.count;
        ++r.iterations;
        if (w.limit_count) {
            for (int32_t i = 0; i < w.limit_count; ++i)
                w.limits[i].value += limit_speed(w.limits[i], w.V);
            meet_limits(w, w.limit_response, w.limit_impulses, w.limit_G, w.V, w.lambda);
        }
    }
}

}  // namespace kinegen::impulse
