// The anytime mode: joints closed one by one, in sweeps that may be stopped at any time.
#pragma once

#include "kernel/impulse/ahead.hpp"

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

// The flight of a joint's bodies, and its residuals then.
inline void look_at_flight(const World& w, int32_t j, ImpulseReport& r) {
    if (w.inverse[4LL * bond_a(w, j)] != 0) fly_body(w, bond_a(w, j));
    if (w.inverse[4LL * bond_b(w, j)] != 0) fly_body(w, bond_b(w, j));
    look_at_bond(w, j, r);
}

// The same of a tie; a coupling looks at its joints first.
inline void look_at_tie(const World& w, int32_t tie, ImpulseReport& r) {
    if (tie < w.bond_count) return look_at_flight(w, tie, r);
    const int32_t c = tie - w.bond_count, *terms = w.model->term_start + c;
    ImpulseReport others{};
    for (int32_t n = terms[0]; n < terms[1]; ++n)
        look_at_flight(w, w.term[(int64_t)TERM_SIZE * n], others);
    look_at_coupling(w, c, r);
}

// The paper's sweeps: joint by joint, each by itself.
inline void close_by_sweeps(World& w, ImpulseReport& r) {
    for (int32_t j = 0; j < w.tie_count; ++j) {
        double *A = w.local + 36LL * j, none[6] = {0, 0, 0, 0, 0, 0};
        clear_all(A, 36);
        add_soft_block(w, j, A);
        invert_block(A, w.row_count[j], none);
    }
    for (int32_t sweep = 0; sweep < w.sweeps; ++sweep) {
        r.gap = r.angle_gap = r.soft_gap = 0;
        for (int32_t c = 0; c < w.order.count; ++c) {
            const int32_t j = w.order.tie[c];
            look_at_tie(w, j, r);
            double by[6] = {0, 0, 0, 0, 0, 0};
            const double *D = w.local + 36LL * j, *residual = w.residual + 6LL * j;
            for (int i = 0; i < 6; ++i)
                for (int l = 0; l < 6; ++l) by[l] -= D[6 * i + l] * residual[i];
            push_tie(w, j, by, w.V);
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

inline bool turns_fast(const World& w, const double* V, double most) {
    for (int32_t b = 0; b < w.body_count; ++b) {
        const double* turn = V + 6LL * b + 3;
        if (w.inverse[4LL * b] != 0 && dot3(turn, turn) * w.step * w.step > most * most)
            return true;
    }
    return false;
}

// Kinetic energy that the foreseen impulses of joints may bring, against that of the bodies in
// flight. Joints that turn bodies by θ need θ²/4; near singular poses it would be without bounds.
constexpr double MOST_FORESEEN = 0.5;

// Impulses p (six per tie) of the rows that are held, or of those that give way, as speeds.
inline void push_kind(const World& w, const double* p, bool held, double scale, double* V) {
    for (int32_t j = 0; j < w.tie_count; ++j) {
        const int32_t rows = held_rows(w, j);
        double by[6] = {0, 0, 0, 0, 0, 0};
        for (int32_t i = held ? 0 : rows; i < (held ? rows : w.row_count[j]); ++i)
            by[i] = scale * p[6LL * j + i];
        push_tie(w, j, by, V);
    }
}

// Impulses at the step's start against all that the flight would open, foreseen at once from the
// factors of the step's start. How far joints are open already is left out: no speeds come of that.
inline void foresee(World& w, ImpulseReport& r) {
    if (w.limit_count) prepare_limits(w, w.limit_response, w.limit_impulses, w.limit_G);
    look_ahead(w, r);
    for (int32_t j = 0; j < w.bond_count; ++j) {
        double g[6], gap, angle;
        bond_gap(w, j, w.X_F + 12LL * j, w.X_M + 12LL * j, bond_before(w, j), g, gap, angle);
        for (int32_t i = 0; i < HELD_ROWS[bond_type(w, j)]; ++i)
            w.residual[6LL * j + i] -= g[i] / w.step;
    }
    for (int32_t c = 0; c < w.coupling_count; ++c)
        w.residual[6LL * (w.bond_count + c)] -= coupling_gap(w, c, w.q) / w.step;
    for (int32_t i = 0; i < w.limit_count; ++i)
        w.limits[i].value = look_at_limit(w, w.limits[i]) - limit_speed(w.limits[i], w.V);
    solve(w, w.residual);
    // within bounds
    double* by = w.V_next;
    push_kind(w, w.residual, false, -1, by);
    const double most = MOST_FORESEEN * bodies_energy(w, w.X, by);
    clear_all(by, 6LL * w.body_count);
    push_kind(w, w.residual, true, -1, by);
    const double spent = bodies_energy(w, w.X, by), share = spent > most ? sqrt(most / spent) : 1;
    push_kind(w, w.residual, true, -share, w.V);
    push_kind(w, w.residual, false, -1, w.V);
    for (int32_t j = 0; j < w.tie_count; ++j)
        for (int32_t i = 0; i < w.row_count[j]; ++i)
            w.lambda[6LL * j + i] -= w.residual[6LL * j + i] * (i < held_rows(w, j) ? share : 1);
    if (w.limit_count == 0) return;
    for (int32_t i = 0; i < w.limit_count; ++i) w.limits[i].value += limit_speed(w.limits[i], w.V);
    meet_limits(w, w.limit_response, w.limit_impulses, w.limit_G, w.V, w.lambda);
}

// Moves a body at the step's end [m, rad]; its speeds stay.
inline void shift_body(const World& w, int32_t b, const double* shift) {
    if (w.inverse[4LL * b] == 0) return;
    double *X = w.X_next + 12LL * b, *quat = w.quat_next + 4LL * b, by[4], turned[4];
    for (int i = 0; i < 3; ++i) X[9 + i] += shift[i];
    quat_exp(shift + 3, by);
    quat_multiply(by, quat, turned);
    quat_normalize(turned);
    copy_all(quat, turned, 4);
    quat_to_matrix(quat, X);
}

// Closes a joint of a tree at the step's end: its outer body goes where the inner one wants it,
// turned first, then moved.
inline void place_outer(const World& w, int32_t j, int32_t outer) {
    const int32_t type = bond_type(w, j), body = outer ? bond_b(w, j) : bond_a(w, j);
    double *X_F = w.X_F_next + 12LL * j, *X_M = w.X_M_next + 12LL * j;
    for (int angular = 1; angular >= 0; --angular) {
        double g[6], gap, angle, shift[6] = {0, 0, 0, 0, 0, 0};
        bond_frames(w, j, w.X_next, X_F, X_M);
        bond_gap(w, j, X_F, X_M, bond_before(w, j), g, gap, angle);
        for (int32_t i = 0; i < HELD_ROWS[type]; ++i) {
            const BondRow kind = HELD[type][i];
            if ((kind.action == ABOUT) != (angular == 1)) continue;
            double axis[3];
            row_axis(w, j, kind.axis, X_F, X_M, axis);
            add_scaled((outer ? -g[i] : g[i]) / dot3(axis, axis), axis, shift + 3 * angular, 3);
        }
        shift_body(w, body, shift);
    }
}

// Closes a joint of a loop at the step's end: both bodies give way according to their masses. `at`
// is the same world, seen there.
inline void share_gap(const World& w, const World& at, int32_t j) {
    const int32_t type = bond_type(w, j), held = HELD_ROWS[type];
    const int32_t sides[2] = {bond_a(w, j), bond_b(w, j)};
    const double *X_F = at.X_F + 12LL * j, *X_M = at.X_M + 12LL * j;
    for (int32_t b : sides) turn_inertia(at, b);
    bond_frames(w, j, at.X, at.X_F + 12LL * j, at.X_M + 12LL * j);
    double A[36], none[6] = {0, 0, 0, 0, 0, 0}, g[6], gap, angle, shift[2][6] = {};
    bond_gap(w, j, X_F, X_M, bond_before(w, j), g, gap, angle);
    for (int32_t i = 0; i < held; ++i) set_row(at, j, i, HELD[type][i]);
    const Rows& rows = w.rows[j];
    clear_all(A, 36);
    add_product<0>(rows.Ya, rows.Ja, held, A);
    add_product<0>(rows.Yb, rows.Jb, held, A);
    for (int32_t i = 0; i < held; ++i) A[7 * i] *= 1 + SOFTNESS;
    invert_block(A, held, none);
    for (int32_t i = 0; i < held; ++i) {
        const double by = -dot(A + 6 * i, g, held);
        add_scaled(by, rows.Ya + 6 * i, shift[0], 6);
        add_scaled(by, rows.Yb + 6 * i, shift[1], 6);
    }
    for (int side = 0; side < 2; ++side) shift_body(w, sides[side], shift[side]);
}

// Turn of a body [rad] by which couplings may move it at a step's end.
constexpr double MOST_COUPLED = 0.25;

// Closes all couplings at the step's end: bodies move as all joints together let them, by the
// factors of the step's start. Where these are too far away to bring the widest gap below half of
// `before`, nothing moves. Returns that gap.
inline double close_couplings(const World& w, double before) {
    double *shift = w.V_before, most = 0, widest = 0;
    clear_all(shift, 6LL * w.body_count);
    clear_all(w.residual, 6LL * w.bond_count);
    for (int32_t c = 0; c < w.coupling_count; ++c) {
        const double gap = coupling_gap(w, c, w.q_next);
        w.residual[6LL * (w.bond_count + c)] = -gap;
        widest = larger(widest, fabs(gap));
    }
    if (!(widest < 0.5 * before)) return 0;
    solve(w, w.residual);
    push_ties(w, w.residual, shift);
    for (int32_t b = 0; b < w.body_count; ++b)
        most = larger(most, sqrt(dot3(shift + 6LL * b + 3, shift + 6LL * b + 3)));
    if (!(most < INFINITY)) return 0;
    const double share = most > MOST_COUPLED ? MOST_COUPLED / most : 1;
    for (int64_t i = 0; i < 6LL * w.body_count; ++i) shift[i] *= share;
    for (int32_t b = 0; b < w.body_count; ++b) shift_body(w, b, shift + 6LL * b);
    return widest;
}

// Sweeps for bodies that turn far within a step: joints are closed at its end by moving bodies
// there, from the held ones outward.
inline void close_at_end(World& w, ImpulseReport& r) {
    look_ahead(w, r);
    World at = w;
    at.X = w.X_next;
    at.turn = w.turn_next;
    at.X_F = w.X_F_next;
    at.X_M = w.X_M_next;
    double coupled = INFINITY;
    for (int32_t sweep = 0; sweep < w.sweeps; ++sweep) {
        if (w.coupling_count) coupled = close_couplings(w, coupled);
        for (int32_t c = 0; c < w.order.sweep_count; ++c) {
            const int32_t* one = w.order.sweep + 3LL * c;
            if (HELD_ROWS[bond_type(w, one[0])] == 0) continue;
            if (one[2])
                share_gap(w, at, one[0]);
            else
                place_outer(w, one[0], one[1]);
            ++r.corrections;
        }
        ++r.iterations;
        look_at_ties(w, r);
        if (is_closed(w, r)) break;
    }
}

inline void scale_speeds(const World& w, double share) {
    for (int64_t i = 0; i < 6LL * w.body_count; ++i) w.V[i] *= share;
    for (int32_t v = 0; v < w.nv; ++v) w.rotor[v] *= share;
}

// Gaps, times this, that slow bodies down against the way they go in a step.
constexpr double BRAKE = 10;

// Where sweeps cannot keep up, the motion slows down: loops on their way through singular poses.
inline void slow_down(const World& w, double gap) {
    double fastest = 0;
    for (int32_t b = 0; b < w.body_count; ++b)
        fastest = larger(fastest, dot3(w.V + 6LL * b, w.V + 6LL * b));
    const double way = w.step * sqrt(fastest);
    if (gap > w.gap_limit) scale_speeds(w, way / (way + BRAKE * gap));
}

// Share of lost energy per step that may not come back: what swings within some steps does.
constexpr double FORGETTING = 0.05;

// Energy that comes of moving bodies is taken back: it never grows by itself. False: it cannot be,
// not even by bodies at rest.
inline bool keep_passive(World& w) {
    const double motion = kinetic(w), balance = motion + potential(w) - w.work;
    const double excess = balance - w.balance;
    if (excess > 0 && motion > 0) scale_speeds(w, excess < motion ? sqrt(1 - excess / motion) : 0);
    w.balance = excess < 0 ? w.balance + FORGETTING * excess : larger(w.balance, balance - motion);
    return excess <= 0 || excess < motion;
}

}  // namespace kinegen::impulse
