// One step after Visum, made symmetric: half of all forces as impulses; impulses at the joints that
// close them at the step's end, found by looking ahead; free flight; the other half of the forces;
// impulses that make the joints' speeds agree. With exact flights this is the RATTLE scheme: of
// second order, and its energy does not drift.
#pragma once

#include "impulse_limits.hpp"

namespace kinegen::impulse {

// A compliance that lets a row do nothing.
constexpr double FULLY_SOFT = 1e30;

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

// Mean speed of a joint's variable k over the step, from q and q_next.
inline double mean_speed(const World& w, int32_t j, int32_t k) {
    const int32_t type = bond_type(w, j);
    const double *a = w.q + bond_q(w, j), *b = w.q_next + bond_q(w, j);
    if (!is_ball(type)) return (b[k] - a[k]) / w.step;
    const double inverse[4] = {a[0], -a[1], -a[2], -a[3]};
    double turn[4], log[3];
    quat_multiply(inverse, b, turn);
    quat_log(turn, log);
    if (type == SPHERICAL) return log[k] / w.step;
    if (k >= 3) return log[k - 3] / w.step;
    double R[9], d[3] = {b[4] - a[4], b[5] - a[5], b[6] - a[6]}, shift[3];
    quat_to_matrix(a, R);
    rotate_back(R, d, d);
    left_jacobian_inverse(log, d, shift);
    return shift[k] / w.step;
}

// Residuals of a joint's rows at the step's end; updates its q_next where rows or limits need it.
inline void look_at_bond(const World& w, int32_t j, ImpulseReport& r) {
    const int32_t type = bond_type(w, j), held = HELD_ROWS[type], q = bond_q(w, j);
    double *X_F = w.X_F_next + 12LL * j, *X_M = w.X_M_next + 12LL * j, g[6], gap, angle;
    bond_frames(w, j, w.X_next, X_F, X_M);
    const double before = type == POINT_ON_CURVE ? w.curve_at[j] : type == SCREW ? w.q[q] : 0;
    bond_gap(w, j, X_F, X_M, before, g, gap, angle);
    r.gap = larger_root(r.gap, gap);
    r.angle_gap = larger_root(r.angle_gap, angle);
    double* residual = w.residual + 6LL * j;
    const double *lambda = w.lambda + 6LL * j, *yield = w.yield + 6LL * j;
    const double rate = 1 / w.step;
    for (int32_t i = 0; i < held; ++i) residual[i] = g[i] * rate + yield[i] * lambda[i];
    if (w.reads[j] != READ_AHEAD) return;
    bond_variables(type, X_F, X_M, w.q + q, w.q_next + q);
    for (int32_t i = held; i < w.row_count[j]; ++i) {
        const int32_t v = w.soft[6LL * j + i], k = v - bond_v(w, j);
        residual[i] =
            mean_speed(w, j, k) + yield[i] * lambda[i] - w.keep[6LL * j + i] * w.rotor[v];
        r.soft_gap = larger(r.soft_gap, w.step * fabs(residual[i]));
    }
}

// Compliance of rotors (both ends of a step) and dampers (its start only).
inline void set_soft_rows(const World& w, bool starts) {
    for (int32_t j = 0; j < w.bond_count; ++j)
        for (int32_t i = HELD_ROWS[bond_type(w, j)]; i < w.row_count[j]; ++i) {
            const int32_t v = w.soft[6LL * j + i];
            const double* axis = w.axis + (int64_t)AXIS_SIZE * v;
            if (starts && axis[DAMPING] > 0) {
                // damping that is strong for the step acts wholly at its start: it cannot swing
                double own = 0;
                for (int d = 0; d < 6; ++d)
                    own += w.rows[j].Ja[6 * d + i] * w.rows[j].Ya[6 * i + d] +
                           w.rows[j].Jb[6 * d + i] * w.rows[j].Yb[6 * i + d];
                const double mass = axis[ROTOR] + (own > 0 ? 1 / own : 0);
                const double x = 0.5 * w.step * axis[DAMPING] / mass;
                w.theta[v] = x > 0.5 ? 1 - 0.25 / x : 0.5;
            }
            const double mass =
                axis[ROTOR] + (starts ? w.theta[v] * w.step * axis[DAMPING] : 0);
            w.yield[6LL * j + i] = mass > 0 ? 1 / mass : FULLY_SOFT;
            w.keep[6LL * j + i] = mass > 0 ? axis[ROTOR] / mass : 0;
        }
}

inline void factor_for(const World& w, bool starts) {
    set_soft_rows(w, starts);
    factor(w);
    if (w.sweeps == 0) return;
    for (int32_t j = 0; j < w.bond_count; ++j) {
        double *A = w.local + 36LL * j, none[6] = {0, 0, 0, 0, 0, 0};
        clear_all(A, 36);
        add_soft_block(w, j, A);
        invert_block(A, w.row_count[j], none);
    }
}

inline void note_limit_speeds(const World& w, double* out) {
    for (int32_t i = 0; i < w.limit_count; ++i) out[i] = limit_speed(w.limits[i], w.V);
}

// Work of the bounded impulses: each times the mean of the speeds before and after.
inline void add_limit_work(World& w) {
    for (int32_t i = 0; i < w.limit_count; ++i)
        w.work += w.limits[i].p * 0.5 * (w.limit_before[i] + limit_speed(w.limits[i], w.V));
}

inline void look_ahead(const World& w, ImpulseReport& r) {
    r.gap = r.angle_gap = r.soft_gap = 0;
    for (int32_t b = 0; b < w.body_count; ++b)
        if (w.inverse[4LL * b] != 0) fly_body(w, b);
    for (int32_t j = 0; j < w.bond_count; ++j) look_at_bond(w, j, r);
}

// Adds A⁻¹ (-residual) to the impulses and pushes the bodies.
inline void correct(const World& w, double* lambda) {
    solve(w, w.residual);
    for (int32_t j = 0; j < w.bond_count; ++j) {
        double by[6];
        store_six(less_six(no_six(), load_six(w.residual + 6LL * j)), by);
        push_rows(w, j, by, w.V);
        store_six(sum_six(load_six(lambda + 6LL * j), load_six(by)), lambda + 6LL * j);
    }
}

// Impulses that close all joints at the step's end, all at once, until they do.
inline void close_direct(World& w, ImpulseReport& r) {
    if (w.limit_count) prepare_limits(w, w.limit_response, w.limit_impulses, w.limit_G);
    for (int32_t turn = 0;; ++turn) {
        look_ahead(w, r);
        bool done = turn > 0 && r.gap <= w.gap_limit && r.angle_gap <= w.gap_limit &&
                    r.soft_gap <= w.gap_limit;
        if (w.limit_count) done = done && turn > 1;
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
        if (r.gap <= w.gap_limit && r.angle_gap <= w.gap_limit) break;
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
        if (r.gap <= w.gap_limit && r.angle_gap <= w.gap_limit) break;
    }
    r.gap = r.angle_gap = r.soft_gap = 0;
    for (int32_t j = 0; j < w.bond_count; ++j) look_at_bond(w, j, r);
}

// Speeds at which the joints' rows open, as residuals; the widest is told.
inline double look_at_speeds(const World& w, const double* lambda) {
    double widest = 0;
    for (int32_t j = 0; j < w.bond_count; ++j) {
        const int32_t type = bond_type(w, j), held = HELD_ROWS[type];
        const Rows& rows = w.rows[j];
        const double *Va = w.V + 6LL * bond_a(w, j), *Vb = w.V + 6LL * bond_b(w, j);
        double* residual = w.residual + 6LL * j;
        double u[6], along = 0;
        Six of_a = no_six(), of_b = no_six();
        for (int i = 3; i < 6; ++i) {
            add_six(of_a, Va[i], rows.Ja + 6 * i);
            add_six(of_b, Vb[i], rows.Jb + 6 * i);
        }
        const bool is_point = holds_point(type);
        for (int i = 0; i < 3 && !is_point; ++i) {
            add_six(of_a, Va[i], rows.Ja + 6 * i);
            add_six(of_b, Vb[i], rows.Jb + 6 * i);
        }
        store_six(sum_six(of_a, of_b), u);
        for (int i = 0; i < 3 && is_point; ++i) u[i] += Vb[i] - Va[i];
        for (int32_t i = 0; i < w.row_count[j]; ++i) {
            if (i < held) {
                residual[i] = u[i] + w.yield[6LL * j + i] * lambda[6LL * j + i];
                if (HELD[type][i].angular != 1) along += u[i] * u[i];
            } else if (w.yield[6LL * j + i] >= FULLY_SOFT) {
                residual[i] = 0;
            } else {
                const int32_t v = w.soft[6LL * j + i];
                residual[i] = u[i] + w.yield[6LL * j + i] * lambda[6LL * j + i] -
                              w.keep[6LL * j + i] * w.rotor[v];
            }
        }
        widest = larger(widest, along);
    }
    return sqrt(widest);
}

// Impulses that make all speeds agree, at the present place.
inline void agree(World& w, ImpulseReport& r) {
    double* lambda = w.lambda_last;
    clear_all(lambda, 6LL * w.bond_count);
    look_at_speeds(w, lambda);
    correct(w, lambda);
    if (w.limit_count) {
        prepare_limits(w, w.limit_response, w.limit_impulses, w.limit_G);
        for (int32_t i = 0; i < w.limit_count; ++i)
            w.limits[i].value = limit_speed(w.limits[i], w.V);
        meet_limits(w, w.limit_response, w.limit_impulses, w.limit_G, w.V, lambda);
    }
    r.velocity_gap = look_at_speeds(w, lambda);
    for (int32_t turn = 0; turn < 3 && r.velocity_gap > w.speed_limit; ++turn) {
        correct(w, lambda);
        r.velocity_gap = look_at_speeds(w, lambda);
    }
}

// Bodies that meet and are thrown back, before the step.
inline void collide(World& w, double quiet, ImpulseReport& r) {
    w.limit_count = 0;
    if (w.stop_restitution > 0 && w.with_stops) list_axes(w, IMPACT);
    list_touches(w, IMPACT, quiet);
    if (w.limit_count == 0) return;
    note_limit_speeds(w, w.limit_before);
    prepare_limits(w, w.limit_response, w.limit_impulses, w.limit_G);
    for (int32_t i = 0; i < w.limit_count; ++i) w.limits[i].value = w.limit_before[i];
    meet_limits(w, w.limit_response, w.limit_impulses, w.limit_G, w.V, nullptr);
    add_limit_work(w);
    r.contacts += w.limit_count;
}

// Copies whole arrays that do not overlap.
inline void keep_all(double* to, const double* from, int64_t count) {
    if (count > 0) memcpy(to, from, (size_t)count * sizeof(double));
}

inline void hold_state(const World& w) {
    keep_all(w.quat_held, w.quat, 4LL * w.body_count);
    keep_all(w.X_held, w.X, 12LL * w.body_count);
    keep_all(w.V_held, w.V, 6LL * w.body_count);
    keep_all(w.q_held, w.q, w.nq);
    keep_all(w.v_held, w.v, w.nv);
    keep_all(w.rotor_held, w.rotor, w.nv);
}
inline void restore_state(const World& w) {
    copy_all(w.quat, w.quat_held, 4LL * w.body_count);
    copy_all(w.X, w.X_held, 12LL * w.body_count);
    copy_all(w.V, w.V_held, 6LL * w.body_count);
    copy_all(w.q, w.q_held, w.nq);
    copy_all(w.v, w.v_held, w.nv);
    copy_all(w.rotor, w.rotor_held, w.nv);
}

// Rotors after the impulses of a step's start: as fast as their joints are over the step.
inline void turn_rotors(World& w) {
    for (int32_t j = 0; j < w.bond_count; ++j) {
        const int32_t type = bond_type(w, j);
        for (int32_t i = HELD_ROWS[type]; i < w.row_count[j]; ++i) {
            const int32_t v = w.soft[6LL * j + i], k = v - bond_v(w, j);
            const double* axis = w.axis + (int64_t)AXIS_SIZE * v;
            const double speed = mean_speed(w, j, k);
            w.work -= w.theta[v] * w.step * axis[DAMPING] * speed * speed;
            w.rotor[v] = speed;
        }
    }
}

// A joint's variables, and its place on its curve, from its present frames.
inline void read_bond(const World& w, int32_t j) {
    const double *X_F = w.X_F + 12LL * j, *X_M = w.X_M + 12LL * j;
    double* q = w.q + bond_q(w, j);
    if (bond_type(w, j) == POINT_ON_CURVE) {
        const double d[3] = {X_M[9] - X_F[9], X_M[10] - X_F[10], X_M[11] - X_F[11]};
        double p[3], offset[3], n1[3], n2[3];
        rotate_back(X_F, d, p);
        w.curve_at[j] = follow_curve(w, j, p, w.curve_at[j], offset, n1, n2);
    } else {
        double before[7];
        copy_all(before, q, BOND_NQ[bond_type(w, j)]);
        bond_variables(bond_type(w, j), X_F, X_M, before, q);
    }
}

// Steps between readings: of 0.5 rad at most between two bodies (WIDE_TURN), together below π.
constexpr int32_t UNREAD_STEPS = 4;

inline void swap_places(double*& a, double*& b) {
    double* const other = a;
    a = b;
    b = other;
}

// Where all bodies are after the flight becomes where they are.
inline void arrive(World& w) {
    swap_places(w.quat, w.quat_next);
    swap_places(w.X, w.X_next);
    swap_places(w.V, w.V_next);
    swap_places(w.X_F, w.X_F_next);
    swap_places(w.X_M, w.X_M_next);
    set_rows<false>(w);
    // variables that nothing asks for are read now and then: turns must stay countable
    const bool all = w.acts || w.sweeps > 0 || ++w.unread >= UNREAD_STEPS;
    if (all) w.unread = 0;
    for (int32_t j = 0; j < w.bond_count; ++j)
        if (all || w.reads[j]) read_bond(w, j);
}

// Speeds of all joints' variables.
inline void read_speeds(const World& w) {
    for (int32_t j = 0; j < w.bond_count; ++j)
        for (int32_t k = 0; k < BOND_NV[bond_type(w, j)]; ++k)
            w.v[bond_v(w, j) + k] = axis_speed(w, j, k, w.V);
}

inline bool all_finite(const double* x, int64_t count) {
    // x - x is 0 or nothing; counts are multiples of six
    Six sum = no_six();
    for (int64_t i = 0; i < count; i += 6) {
        const Six s = load_six(x + i);
        sum = sum_six(sum, less_six(s, s));
    }
    double all[6];
    store_six(sum, all);
    return all[0] + all[1] + all[2] + all[3] + all[4] + all[5] == 0;
}

// One step; rows and factors are those of its start.
inline void step(World& w, ImpulseReport& r) {
    const double h = w.step;
    const double quiet = 1e-3 + 4 * h * sqrt(dot3(w.gravity, w.gravity));
    const bool may_limit = w.limit_capacity > 0;
    if (may_limit) collide(w, quiet, r);

    if (w.acts) kick(w, 0.5 * h, false);
    w.limit_count = 0;
    if (may_limit) {
        list_axes(w, AHEAD);
        list_touches(w, AHEAD, quiet);
        note_limit_speeds(w, w.limit_before);
    }
    // impulses of the step before are a good guess; sweeps start from nothing, as in the paper
    if (w.sweeps) clear_all(w.lambda, 6LL * w.bond_count);
    else
        for (int32_t j = 0; j < w.bond_count; ++j) push_rows(w, j, w.lambda + 6LL * j, w.V);
    if (w.sweeps == 0) close_direct(w, r);
    else if (turns_fast(w, FAST_TURN)) close_at_end(w, r);
    else close_by_sweeps(w, r);
    if (may_limit) add_limit_work(w);
    if (w.soft_count) turn_rotors(w);

    arrive(w);
    factor_for(w, false);
    if (w.acts) kick(w, 0.5 * h, true);
    w.limit_count = 0;
    if (may_limit) {
        list_axes(w, NOW);
        list_touches(w, NOW, quiet);
        note_limit_speeds(w, w.limit_before);
    }
    agree(w, r);
    if (may_limit) {
        add_limit_work(w);
        for (int32_t i = 0; i < w.limit_count; ++i)
            r.contacts += w.limits[i].kind == TOUCHING && w.limits[i].p > 0;
    }
    for (int32_t j = 0; j < w.bond_count && w.soft_count; ++j)
        for (int32_t i = HELD_ROWS[bond_type(w, j)]; i < w.row_count[j]; ++i)
            w.rotor[w.soft[6LL * j + i]] = row_speed(w, j, i, w.V);
    if (w.damped) factor_for(w, true);
}

// Gaps and speeds as they are now; nothing changes.
inline void look_now(const World& w, ImpulseReport& r) {
    for (int32_t j = 0; j < w.bond_count; ++j) {
        double g[6], gap, angle;
        const double before = bond_type(w, j) == POINT_ON_CURVE ? w.curve_at[j] : 0;
        bond_gap(w, j, w.X_F + 12LL * j, w.X_M + 12LL * j,
                 bond_type(w, j) == SCREW ? w.q[bond_q(w, j)] : before, g, gap, angle);
        r.gap = larger_root(r.gap, gap);
        r.angle_gap = larger_root(r.angle_gap, angle);
    }
    r.velocity_gap = look_at_speeds(w, w.lambda_last);
}

// Mean force and moment about M's origin that body a gave b through a joint over the last step: what
// holds it, rotors and dampers, efforts and springs.
inline void reaction(const World& w, int32_t j, double* out) {
    const int32_t type = bond_type(w, j), held = HELD_ROWS[type];
    const double *X_F = w.X_F + 12LL * j, *X_M = w.X_M + 12LL * j;
    clear_all(out, 6);
    for (int32_t i = 0; i < w.row_count[j]; ++i) {
        const RowAxis kind =
            i < held ? HELD[type][i] : FREED[type][w.soft[6LL * j + i] - bond_v(w, j)];
        const double force = (w.lambda[6LL * j + i] + w.lambda_last[6LL * j + i]) / w.step;
        double axis[3];
        row_axis(w, j, kind.axis, X_F, X_M, axis);
        if (kind.angular != 1) add_scaled(force, axis, out, 3);
        if (kind.angular == 1) add_scaled(force, axis, out + 3, 3);
        if (kind.angular == 2)
            add_scaled(-force * w.bond_numbers[(int64_t)BOND_SIZE * j + 24] / (2 * PI), axis, out + 3, 3);
    }
    for (int32_t k = 0; k < BOND_NV[type]; ++k) {
        const int32_t v = bond_v(w, j) + k;
        const double stiffness = w.axis[(int64_t)AXIS_SIZE * v + STIFFNESS];
        double effort = w.efforts[v], axis[3];
        if (stiffness != 0) effort -= stiffness * axis_stretch(w, j, k);
        if (effort == 0) continue;
        row_axis(w, j, FREED[type][k].axis, X_F, X_M, axis);
        add_scaled(effort, axis, out + (FREED[type][k].angular ? 3 : 0), 3);
    }
}

// Turn of a body [rad] that one step may make, unless sweeps must do with what they are given.
constexpr double WIDE_TURN = 0.25;
// Steps shorter than a whole one that are tried where it does not close: halves of halves.
constexpr int32_t HALVINGS = 7;

// One whole step, in parts if need be; false: not even in the smallest.
inline bool whole_step(World& w, ImpulseReport& r) {
    const double h = w.step, work = w.work;
    hold_state(w);
    int32_t first = 0;
    while (w.sweeps == 0 && first < HALVINGS && turns_fast(w, WIDE_TURN)) {
        w.step *= 0.5;
        ++first;
    }
    if (first > 0) {
        clear_all(w.lambda, 6LL * w.bond_count);
        factor_for(w, true);
    }
    for (int32_t depth = first;; ++depth) {
        bool finite = true, closed = true;
        r = ImpulseReport{};
        for (int32_t part = 0; part < 1 << depth && finite && closed; ++part) {
            ImpulseReport own{};
            step(w, own);
            finite = all_finite(w.V, 6LL * w.body_count) && all_finite(w.X, 12LL * w.body_count);
            // the smallest parts may stay open a little: a singular place is being passed
            const double most = larger(w.gap_limit, 1e-9) * (depth == HALVINGS ? 1000 : 1);
            closed = w.sweeps > 0 || (own.gap <= most && own.angle_gap <= most);
            r.gap = larger(r.gap, own.gap);
            r.angle_gap = larger(r.angle_gap, own.angle_gap);
            r.velocity_gap = larger(r.velocity_gap, own.velocity_gap);
            r.iterations += own.iterations;
            r.corrections += own.corrections;
            r.contacts = own.contacts;
        }
        if (finite && closed) {
            if (depth > 0) {
                w.step = h;
                clear_all(w.lambda, 6LL * w.bond_count);
                factor_for(w, true);
            }
            return true;
        }
        restore_state(w);
        w.work = work;
        clear_all(w.lambda, 6LL * w.bond_count);
        w.step = depth == HALVINGS ? h : 0.5 * w.step;
        build_rows(w);
        factor_for(w, true);
        if (depth == HALVINGS) return false;
    }
}

// Runs steps; stops before the first that fails. Returns how many were run.
inline int64_t run(World& w, int64_t steps, ImpulseReport& total) {
    total = ImpulseReport{};
    const bool loaded = w.load_count > 0 || !all_zero(w.efforts, w.nv);
    w.acts = loaded || w.sprung;
    build_rows(w);
    factor_for(w, true);
    const double start = w.time;
    int64_t done = 0;
    for (; done < steps; ++done) {
        ImpulseReport r{};
        if (!whole_step(w, r)) {
            total.status = IMPULSE_OPEN;
            break;
        }
        if (loaded) {
            read_speeds(w);
            w.work += work_of_step(w);
        }
        total.gap = larger(total.gap, r.gap);
        total.angle_gap = larger(total.angle_gap, r.angle_gap);
        total.velocity_gap = larger(total.velocity_gap, r.velocity_gap);
        total.iterations += r.iterations;
        total.corrections += r.corrections;
        total.contacts = r.contacts;
        w.time = start + (double)(done + 1) * w.step;
    }
    for (int32_t j = 0; j < w.bond_count && w.unread > 0; ++j)
        if (!w.reads[j]) read_bond(w, j);
    w.unread = 0;
    read_speeds(w);
    return done;
}

}  // namespace kinegen::impulse
