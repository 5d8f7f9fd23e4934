// Extrapolation through singular poses, where the loops' rows stop constraining a motion for a
// moment.
//
// The nearer a pose is to a singular one, the less the loops' rows determine the motion, and
// rounding determines the rest: at 1e-6 rad from it, a gap of 1e-16 m is an angle of 1e-10 rad.
// Without these rows the motion would be free for a whole stage of the step, an error as large as
// the loops' forces. The true motion passes smoothly. So each row that is weak compared with its
// earlier strength is replaced by an extrapolation: the direction that it constrained, and the
// acceleration along that direction, keep changing as they did between the last two states in
// which all rows were strong.
#pragma once

#include "kernel/reduced/engine.hpp"

namespace kinegen {

// Longest extrapolation [s]; a slower motion stays near the singular pose.
constexpr double LONGEST_EXTRAPOLATION = 0.05;

// An extrapolated motion must keep the loops closed to rounding [m, rad, and per second]: then it
// is the motion that they allow. Otherwise the pose is only nearly singular, and the rows are used.
constexpr double EXTRAPOLATION_GAP = 1e-11;
constexpr double EXTRAPOLATION_SPEED = 1e-8;

// Uses all rows again, however weak, until they are strong.
inline void stop_extrapolating(ReducedEngine& e) { e.has_strong = e.system.watches = false; }

// Whether the loops contradict the extrapolated motion; after close_speeds.
inline bool is_extrapolation_wrong(ReducedEngine& e, const double* v) {
    ReducedSystem& s = e.system;
    if (s.weak_count == 0) return false;
    move_tree(s.tree, v);
    return larger(e.left.linear, e.left.angular) > EXTRAPOLATION_GAP ||
           row_speeds(s.tree, s.springs, s.ties, s.y) > EXTRAPOLATION_SPEED;
}

inline bool are_same(const double* a, const double* b, int32_t count) {
    for (int32_t i = 0; i < count; ++i)
        if (a[i] != b[i]) return false;
    return true;
}

// Notes the beginning of a step of length h; where all rows are strong, the state is kept for
// extrapolation.
inline void note_strong_state(ReducedEngine& e, const double* q, const double* v, double h) {
    const Model& m = *e.system.tree.model;
    if (e.system.ties.loop_count == 0) return;
    // a trial that was too long starts again from the same state
    const bool has_moved = !are_same(q, e.noted_q, m.nq);
    const double before = e.noted_step;
    copy_all(e.noted_q, q, m.nq);
    e.noted_step = h;
    e.stage_offset = 0;
    if (e.system.weak_count > 0) {
        if (has_moved) e.since_strong += before;
        if (e.time - e.strong_time > LONGEST_EXTRAPOLATION) stop_extrapolating(e);
        return;
    }
    if (!e.system.watches && !(e.system.nearest > STRONG_ROW)) return;
    if (e.has_strong && !are_same(q, e.strong_q, m.nq)) {
        // the state before, unless a trial began here that led to the kept state
        e.has_older = has_moved && !(e.has_older && are_same(q, e.older_q, m.nq));
        e.strong_age = e.since_strong + before;
        copy_all(e.older_q, e.strong_q, m.nq);
        copy_all(e.older_v, e.strong_v, m.nv);
    } else if (!e.has_strong) {
        e.has_older = false;
    }
    copy_all(e.strong_q, q, m.nq);
    copy_all(e.strong_v, v, m.nv);
    e.strong_time = e.time;
    e.since_strong = 0;
    e.has_strong = e.system.watches = true;
    for (int32_t row = 0; row < e.system.ties.row_count; ++row) e.direction_known[row] = 0;
}

// y without the strong rows' part; after solve_outer.
inline void take_rows(ReducedEngine& e, double* y) {
    ReducedSystem& s = e.system;
    multiply_rows(s, y, e.extrapolation_rows);
    for (int32_t row = 0; row < s.ties.row_count; ++row)
        e.extrapolation_rows[row] = -e.extrapolation_rows[row];
    solve_rows(s, e.extrapolation_rows);
    add_rows(s, e.extrapolation_rows, y);
}

// Directions that the rows marked in direction_known constrain in a state where all rows are
// strong, and the accelerations along them. False if some rows are weak there.
inline bool find_directions(ReducedEngine& e, const double* q, const double* v, double* held,
                            double* rate) {
    ReducedSystem& s = e.system;
    const int64_t n = s.tree.n;
    assemble(s, q, nullptr);
    if (s.weak_count > 0) return false;
    move_tree(s.tree, v);
    find_efforts(e, q, v, true);
    row_targets(s.tree, s.ties, s.lambda);
    solve_system(s);
    copy_all(e.extrapolation_x, s.x, n);
    s.excluded = e.direction_known;
    assemble(s, q, nullptr);
    s.excluded = nullptr;
    for (int32_t row = 0; row < s.ties.row_count; ++row) {
        if (!e.direction_known[row]) continue;
        double *y = e.extrapolation_Y, *own = held + row * n;
        copy_all(y, s.Y + row * n, n);
        take_rows(e, y);
        const double size = sqrt(dot(y, y, (int32_t)n));
        scale_all(y, n, size > 0 ? 1 / size : 0);
        multiply_outer(s.tree, y, own);
        rate[row] = dot(own, e.extrapolation_x, (int32_t)n);
    }
    return true;
}

// For the rows that are weak now: the directions that they constrained when they were last strong,
// the accelerations along these, and their rates of change. Leaves the system assembled elsewhere.
inline void find_extrapolation(ReducedEngine& e) {
    ReducedSystem& s = e.system;
    const int64_t n = s.tree.n;
    for (int32_t row = 0; row < s.ties.row_count; ++row) e.direction_known[row] |= s.weak[row];
    const bool has_older =
        e.has_older && e.strong_age > 0 &&
        find_directions(e, e.older_q, e.older_v, e.row_direction_rate, e.row_jerk);
    if (!find_directions(e, e.strong_q, e.strong_v, e.row_direction, e.row_acceleration)) return;
    for (int32_t row = 0; row < s.ties.row_count; ++row) {
        double *held = e.row_direction + row * n, *turn = e.row_direction_rate + row * n;
        for (int64_t i = 0; i < n; ++i)
            turn[i] = has_older ? (held[i] - turn[i]) / e.strong_age : 0;
        double& jerk = e.row_jerk[row];
        jerk = has_older ? (e.row_acceleration[row] - jerk) / e.strong_age : 0;
    }
}

// Assembles at q with matrices; the extrapolation of weak rows is then known.
inline void assemble_watched(ReducedEngine& e, const double* q) {
    assemble_dense(e, q, nullptr);
    ReducedSystem& s = e.system;
    if (s.weak_count == 0 || !e.has_strong) return;
    bool known = true;
    for (int32_t row = 0; row < s.ties.row_count; ++row)
        known = known && (!s.weak[row] || e.direction_known[row]);
    if (known) return;
    find_extrapolation(e);
    assemble_dense(e, q, nullptr);
}

// Adds the extrapolated accelerations of weak rows to system.x.
inline void extrapolate_weak_rows(ReducedEngine& e) {
    ReducedSystem& s = e.system;
    const int32_t n = s.tree.n, rows = s.ties.row_count;
    int32_t count = 0;
    double *G = e.extrapolation_G,
           *rate = e.extrapolation_x;  // its accelerations are no longer needed
    const double since = e.since_strong + e.stage_offset;
    for (int32_t row = 0; row < rows && count < n; ++row) {
        if (!s.weak[row] || !e.direction_known[row]) continue;
        double *held = e.rest_x, *y = e.extrapolation_Y + (int64_t)count * n;
        copy_all(held, e.row_direction + (int64_t)row * n, n);
        add_scaled(since, e.row_direction_rate + (int64_t)row * n, held, n);
        rate[count] = e.row_acceleration[row] + since * e.row_jerk[row] - dot(held, s.x, n);
        copy_all(y, held, n);
        solve_outer(s.tree, y);
        take_rows(e, y);
        for (int32_t i = 0; i <= count; ++i)
            G[(int64_t)count * n + i] = dot(y, e.extrapolation_Y + (int64_t)i * n, n);
        ++count;
    }
    // Cholesky; dependent directions are left out
    for (int32_t i = 0; i < count; ++i) {
        double* a = G + (int64_t)i * n;
        const double own = a[i];
        for (int32_t k = 0; k <= i; ++k) {
            const double* b = G + (int64_t)k * n;
            const double left = a[k] - dot(a, b, k);
            if (k < i)
                a[k] = b[k] > 0 ? left / b[k] : 0;
            else
                a[k] = left > 1e-8 * own ? sqrt(left) : 0;
        }
        rate[i] = a[i] > 0 ? (rate[i] - dot(a, rate, i)) / a[i] : 0;
    }
    for (int32_t i = count - 1; i >= 0; --i) {
        const double* a = G + (int64_t)i * n;
        rate[i] = a[i] > 0 ? rate[i] / a[i] : 0;
        for (int32_t k = 0; k < i; ++k) rate[k] -= a[k] * rate[i];
    }
    double* sum = e.rest_x;
    clear_all(sum, n);
    for (int32_t i = 0; i < count; ++i)
        add_scaled(rate[i], e.extrapolation_Y + (int64_t)i * n, sum, n);
    solve_inner(s.tree, sum);
    add_scaled(1, sum, s.x, n);
}

}  // namespace kinegen
