// The anytime mode: joints closed one by one, in sweeps that may be stopped at any time.
#pragma once

#include "impulse_ahead.hpp"

namespace kinegen::impulse {

// One limit of a sweep, by itself.
inline void sweep_limit(World& w, int32_t i) {
    Limit& l = w.limits[i];
    if (!(l.own > 0)) return;
    if (w.inverse[4LL * l.a] != 0) fly_body(w, l.a);
    if (w.inverse[4LL * l.b] != 0) fly_body(w, l.b);
    if (l.kind <= STOP_UPPER) {
        double X_F[12], X_M[12];
        const int32_t q = bond_q(w, l.bond);
        bond_frames(w, l.bond, w.X_next, X_F, X_M);
        bond_variables(bond_type(w, l.bond), X_F, X_M, w.q + q, w.q_next + q);
    }
    const double value = look_at_limit(w, l);
    const double p = bounded(w, l, l.p + (l.aim - value) / l.own);
    push_limit(l, p - l.p, w.V);
    l.p = p;
}

// The paper's sweeps: joint by joint, each by itself.
inline void close_by_sweeps(World& w, ImpulseReport& r) {
    for (int32_t sweep = 0; sweep < w.sweeps; ++sweep) {
        r.gap = r.angle_gap = r.soft_gap = 0;
        for (int32_t c = 0; c < w.order.count; ++c) {
            const int32_t j = w.order.bond[c], a = bond_a(w, j), b = bond_b(w, j);
            if (w.inverse[4LL * a] != 0) fly_body(w, a);
            if (w.inverse[4LL * b] != 0) fly_body(w, b);
            look_at_bond(w, j, r);
            double by[6] = {0, 0, 0, 0, 0, 0};
            const double *D = w.local + 36LL * j, *residual = w.residual + 6LL * j;
            for (int i = 0; i < 6; ++i)
                for (int l = 0; l < 6; ++l) by[l] -= D[6 * i + l] * residual[i];
            push_rows(w, j, by, w.V);
            for (int i = 0; i < 6; ++i) w.lambda[6LL * j + i] += by[i];
            ++r.corrections;
        }
        for (int32_t i = 0; i < w.limit_count; ++i) sweep_limit(w, i);
        ++r.iterations;
        if (is_closed(w, r)) break;
    }
    look_ahead(w, r);
}

// Turns per step [rad] beyond which impulses at its start no longer aim well.
constexpr double FAST_TURN = 0.02;

inline bool turns_fast(const World& w, double most) {
    for (int32_t b = 0; b < w.body_count; ++b) {
        const double* turn = w.V + 6LL * b + 3;
        if (w.inverse[4LL * b] != 0 && dot3(turn, turn) * w.step * w.step > most * most)
            return true;
    }
    return false;
}

// Moves a body at the step's end by what a change of its velocity is worth over the step.
inline void shift_body(const World& w, int32_t b, const double* change) {
    if (w.inverse[4LL * b] == 0) return;
    double *X = w.X_next + 12LL * b, *V = w.V_next + 6LL * b, *quat = w.quat_next + 4LL * b;
    double turn[3], by[4], turned[4];
    for (int i = 0; i < 3; ++i) {
        X[9 + i] += w.step * change[i];
        turn[i] = w.step * change[3 + i];
    }
    for (int i = 0; i < 6; ++i) V[i] += change[i];
    quat_exp(turn, by);
    quat_multiply(by, quat, turned);
    quat_normalize(turned);
    copy_all(quat, turned, 4);
    quat_to_matrix(quat, X);
}

// Sweeps for bodies that turn far within a step: impulses are aimed and act at the step's end, which
// damps but never swings up.
inline void close_at_end(World& w, ImpulseReport& r) {
    look_ahead(w, r);
    World at = w;  // the same world, seen at the step's end
    at.X = w.X_next;
    at.turn = w.turn_next;
    at.X_F = w.X_F_next;
    at.X_M = w.X_M_next;
    for (int32_t sweep = 0; sweep < w.sweeps; ++sweep) {
        r.gap = r.angle_gap = r.soft_gap = 0;
        for (int32_t c = 0; c < w.order.count; ++c) {
            const int32_t j = w.order.bond[c];
            const int32_t n = w.row_count[j], type = bond_type(w, j), held = HELD_ROWS[type];
            if (n == 0) continue;
            const int32_t sides[2] = {bond_a(w, j), bond_b(w, j)};
            for (int32_t b : sides) turn_inertia(at, b);
            bond_frames(w, j, w.X_next, at.X_F + 12LL * j, at.X_M + 12LL * j);
            for (int32_t i = 0; i < n; ++i)
                set_row(at, j, i, i < held ? HELD[type][i]
                                           : FREED[type][w.soft[6LL * j + i] - bond_v(w, j)]);
            look_at_bond(w, j, r);
            double A[36], none[6] = {0, 0, 0, 0, 0, 0}, by[6] = {0, 0, 0, 0, 0, 0};
            clear_all(A, 36);
            add_soft_block(w, j, A);
            invert_block(A, n, none);
            for (int i = 0; i < 6; ++i)
                for (int l = 0; l < 6; ++l) by[l] -= A[6 * i + l] * w.residual[6LL * j + i];
            double change[2][6] = {};
            for (int32_t i = 0; i < n; ++i) {
                add_scaled(by[i], w.rows[j].Ya + 6 * i, change[0], 6);
                add_scaled(by[i], w.rows[j].Yb + 6 * i, change[1], 6);
                w.lambda[6LL * j + i] += by[i];
            }
            for (int side = 0; side < 2; ++side) shift_body(w, sides[side], change[side]);
            ++r.corrections;
        }
        for (int32_t i = 0; i < w.limit_count; ++i) {
            Limit& l = w.limits[i];
            if (!(l.own > 0)) continue;
            const double p = bounded(w, l, l.p + (l.aim - look_at_limit(w, l)) / l.own);
            double change[2][6];
            for (int k = 0; k < 6; ++k) {
                change[0][k] = (p - l.p) * l.Ya[k];
                change[1][k] = (p - l.p) * l.Yb[k];
            }
            shift_body(w, l.a, change[0]);
            shift_body(w, l.b, change[1]);
            l.p = p;
        }
        ++r.iterations;
        if (is_closed(w, r)) break;
    }
    r.gap = r.angle_gap = r.soft_gap = 0;
    for (int32_t j = 0; j < w.bond_count; ++j) look_at_bond(w, j, r);
}

}  // namespace kinegen::impulse
