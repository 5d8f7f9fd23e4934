// One step after Visum, made symmetric: half of all forces as impulses; impulses at the joints that
// close them at the step's end, found by looking ahead; free flight; the other half of the forces;
// impulses that make the joints' speeds agree. With exact flights this is the RATTLE scheme: of
// second order, and its energy does not drift.
#pragma once

#include "kernel/base/tolerances.hpp"
#include "kernel/base/never.hpp"
#include "kernel/impulse/speeds.hpp"
#include "kernel/impulse/sweeps.hpp"

namespace kinegen::impulse {

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

// Steps between readings: of 0.5 rad at most between two bodies (WIDE_TURN), together below π.
constexpr int32_t UNREAD_STEPS = 4;

inline void swap_places(double*& a, double*& b) {
    double* const other = a;
    a = b;
    b = other;
}

// The memory of where all bodies are, and of where they will be, exchanged.
inline void swap_all_places(World& w) {
    swap_places(w.quat, w.quat_next);
    swap_places(w.X, w.X_next);
    swap_places(w.V, w.V_next);
    swap_places(w.X_F, w.X_F_next);
    swap_places(w.X_M, w.X_M_next);
}
inline bool are_swapped(const World& w) { return w.X > w.X_next; }

// Where all bodies are after the flight becomes where they are.
inline void arrive(World& w) {
    swap_all_places(w);
    set_rows<false>(w);
    // variables that nothing asks for are read now and then: turns must stay countable
    const bool all = w.loaded || w.sweeps > 0 || ++w.unread >= UNREAD_STEPS;
    if (all) w.unread = 0;
    for (int32_t j = 0; j < w.bond_count; ++j)
        if (all || w.reads[j]) read_bond(w, j);
    set_couplings(w);
}

inline bool all_finite(const double* x, int64_t count) {
    // x - x is 0 or nothing; counts are multiples of six
    Vec6 sum = zero_vec6();
    for (int64_t i = 0; i < count; i += 6) {
        const Vec6 s = load_vec6(x + i);
        sum = sum_vec6(sum, less_vec6(s, s));
    }
    double all[6];
    store_vec6(sum, all);
    return all[0] + all[1] + all[2] + all[3] + all[4] + all[5] == 0;
}

// One step; rows and factors are those of its start.
inline void step(World& w, ImpulseReport& r) {
    const double h = w.step;
    const double quiet = tolerance::QUIET + 4 * h * sqrt(dot3(w.gravity, w.gravity));
    const bool may_limit = w.limit_capacity > 0;
    if (may_limit) collide(w, quiet, r);

    // what is pushed at one moment shares one work: limits use the speeds before all of it
    if (may_limit) keep_all(w.V_before, w.V, 6LL * w.body_count);
    if (w.loaded) kick(w, 0.5 * h);
    w.limit_count = 0;
    if (may_limit) {
        list_axes(w, AHEAD);
        list_touches(w, AHEAD, quiet);
        note_limit_speeds(w, w.V_before, w.limit_before);
    }
    // impulses of the step before are a good guess, unless loops and contacts share them; sweeps
    // start from nothing, as in the paper
    if (w.sweeps || (w.looped && w.limit_count > 0 && w.touch_count > 0))
        clear_all(w.lambda, 6LL * w.tie_count);
    else
        push_ties(w, w.lambda, w.V);
    const bool is_fast = w.sweeps > 0 && turns_fast(w, w.V, FAST_TURN);
    if (w.sweeps == 0)
        close_direct(w, r);
    else {
        foresee(w, r);
        if (is_fast)
            close_at_end(w, r);
        else
            close_by_sweeps(w, r);
    }
    if (may_limit) add_limit_work(w, true, w.V_next, quiet);
    if (w.soft_count) settle_soft_rows(w);

    arrive(w);
    factor_for(w, false);
    if (may_limit) keep_all(w.V_before, w.V, 6LL * w.body_count);
    if (w.loaded) kick(w, 0.5 * h);
    if (w.sprung) push_late(w);
    w.limit_count = 0;
    if (may_limit) {
        list_axes(w, NOW);
        list_touches(w, NOW, quiet);
        note_limit_speeds(w, w.V_before, w.limit_before);
    }
    agree(w, r);
    if (may_limit) {
        add_limit_work(w, false, w.V_next, quiet);
        for (int32_t i = 0; i < w.limit_count; ++i)
            r.contacts += w.limits[i].kind == TOUCHING && w.limits[i].p > 0;
    }
    if (is_fast) slow_down(w, r.gap);
    if (w.soft_count) read_rotors(w);
    if (w.sprung) factor_for(w, true);
}

// Turn of a body [rad] that one step may make, unless sweeps must do with what they are given;
// those may lose it beyond.
constexpr double WIDE_TURN = 0.25;
// Steps shorter than a whole one that are tried where it does not close: halves of halves.
constexpr int32_t HALVINGS = 7;

// Part of the kinetic energy that a step may lose or gain, and what it may where the steps before
// did alike, but for a factor: that is no jump.
constexpr double STEADY = 3e-5, SWINGING = 1e-3, ALIKE = 8;

// Whether a step kept its energy: loops lose or gain some where they jump over a singular pose.
inline bool keeps_energy(World& w, bool is_shortest) {
    if (!w.looped || w.sweeps > 0) return true;
    const double motion = kinetic(w), balance = motion + potential(w) - w.work;
    w.swing = larger(0.99 * w.swing, motion);
    // what is below rounding is no loss
    const double most = larger(STEADY * w.swing + 1e-9 * (fabs(balance) + motion),
                               smaller(SWINGING * w.swing, ALIKE * w.change));
    const double change = fabs(balance - w.balance);
    const bool keeps = is_shortest || w.limit_count > 0 || change <= most;
    if (keeps) {
        w.balance = balance;
        w.change = w.change < INFINITY ? larger(change, 0.5 * w.change) : change;
    }
    return keeps;
}

// Impulses of a part of a step, added up for the reactions.
inline void add_part(const World& w) {
    const int32_t n = 6 * w.tie_count;
    add_scaled(1, w.lambda, w.carried, n);
    add_scaled(1, w.lambda_last, w.carried, n);
    add_scaled(1, w.late, w.carried_late, n);
}

// One whole step, in parts if need be; false: not even in the smallest.
inline bool whole_step(World& w, ImpulseReport& r) {
    const double h = w.step, work = w.work;
    hold_state(w);
    int32_t first = 0;
    while (w.sweeps == 0 && first < HALVINGS && turns_fast(w, w.V, WIDE_TURN)) {
        w.step *= 0.5;
        ++first;
    }
    if (first > 0) {
        clear_all(w.lambda, 6LL * w.tie_count);
        factor_for(w, true);
    }
    for (int32_t depth = first;; ++depth) {
        bool finite = true, closed = true;
        r = ImpulseReport{};
        w.cut = depth > 0;
        if (w.cut) clear_all(w.carried, 6LL * w.tie_count);
        if (w.cut) clear_all(w.carried_late, 6LL * w.tie_count);
        for (int32_t part = 0; part < 1 << depth && finite && closed; ++part) {
            ImpulseReport own{};
            step(w, own);
            if (w.cut) add_part(w);
            finite = all_finite(w.V, 6LL * w.body_count) && all_finite(w.X, 12LL * w.body_count);
            // the smallest parts may stay open a little: a singular place is being passed
            const double most = larger(w.gap_limit, depth == HALVINGS ? 1e-6 : 1e-9);
            closed =
                w.sweeps > 0 || (own.gap <= most && own.angle_gap <= most && own.soft_gap <= most);
            r.gap = larger(r.gap, own.gap);
            r.angle_gap = larger(r.angle_gap, own.angle_gap);
            r.velocity_gap = larger(r.velocity_gap, own.velocity_gap);
            r.iterations += own.iterations;
            r.corrections += own.corrections;
            r.contacts = own.contacts;
        }
        // what efforts and loads did
        if (w.loaded && finite && closed) {
            read_speeds(w);
            w.work += work_of_step(w);
        }
        if (finite && closed && keeps_energy(w, depth == HALVINGS)) {
            if (depth > 0) {
                w.step = h;
                clear_all(w.lambda, 6LL * w.tie_count);
                factor_for(w, true);
            }
            return true;
        }
        restore_state(w);
        w.work = work;
        clear_all(w.lambda, 6LL * w.tie_count);
        w.step = depth == HALVINGS ? h : 0.5 * w.step;
        build_rows(w);
        factor_for(w, true);
        if (depth == HALVINGS) return false;
    }
}

// Sweeps bring no energy. Where bodies turned too far for them, all stay where they were, at half
// the speed.
inline void guard(World& w, double work) {
    const double balance = w.balance;
    if (keep_passive(w) || !turns_fast(w, w.V_held, WIDE_TURN)) return;
    restore_state(w);
    scale_speeds(w, 0.5);
    w.work = work;
    w.balance = balance;
    build_rows(w);
    factor_for(w, true);
}

// Runs steps; stops before the first that fails. Returns how many were run.
template <class Stop = Never>
inline int64_t run(World& w, int64_t steps, ImpulseReport& total, Stop&& stop = Stop()) {
    total = ImpulseReport{};
    w.loaded = w.load_count > 0 || !all_zero(w.efforts, w.nv);
    build_rows(w);
    factor_for(w, true);
    const double start = w.time;
    if (!(w.balance < INFINITY)) w.balance = kinetic(w) + potential(w) - w.work;
    int64_t done = 0;
    for (; done < steps && !stop(); ++done) {
        ImpulseReport r{};
        const double work = w.work;
        if (!whole_step(w, r)) {
            total.status = IMPULSE_OPEN;
            break;
        }
        if (w.sweeps) guard(w, work);
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
