// Through singular places: where loops lose their hold on a motion for a moment, it keeps its
// course.
//
// Next to such a place the loops' rows say the less about the motion the nearer it is, and rounding
// says the rest: a gap of 1e-16 m is an angle of 1e-10 rad at 1e-6 rad from there. Without the rows
// the motion would be free for a whole stage of the step, which is wrong by as much as the loops'
// forces are large. The motion that the loops allow passes smoothly. So rows that are weak against
// what they were give way to their own last words: the direction that they held and the
// acceleration along it change on as they did between the last two places where the rows were
// strong.
#pragma once

#include "kernel/reduced/engine.hpp"

namespace kinegen {

// How long [s] a motion keeps its course; who is slower than that stays near the singular place.
constexpr double LONGEST_COURSE = 0.05;

// A course must keep the loops as closed [m, rad, and per second] as numbers allow: then it is the
// motion that they allow. Else the place is only nearly singular, and the rows have the say.
constexpr double COURSE_GAP = 1e-11;
constexpr double COURSE_SPEED = 1e-8;

// Uses all rows again, however weak, until they are strong.
inline void leave_course(ReducedEngine& e) { e.has_course = e.system.watches = false; }

// Whether a course is kept that the loops do not allow; after close_speeds.
inline bool is_off_course(ReducedEngine& e, const double* v) {
    ReducedSystem& s = e.system;
    if (s.weak_count == 0) return false;
    move_tree(s.tree, v);
    return larger(e.left.linear, e.left.angular) > COURSE_GAP ||
           row_speeds(s.tree, s.springs, s.ties, s.y) > COURSE_SPEED;
}

inline bool are_same(const double* a, const double* b, int32_t count) {
    for (int32_t i = 0; i < count; ++i)
        if (a[i] != b[i]) return false;
    return true;
}

// Notes the beginning of a step of length h; where all rows are strong, a course may be taken from
// here.
inline void note_course(ReducedEngine& e, const double* q, const double* v, double h) {
    const Model& m = *e.system.tree.model;
    if (e.system.ties.loop_count == 0) return;
    // a trial that was too long begins again where it began
    const bool has_moved = !are_same(q, e.course_noted, m.nq);
    const double before = e.course_step;
    copy_all(e.course_noted, q, m.nq);
    e.course_step = h;
    e.course_stage = 0;
    if (e.system.weak_count > 0) {
        if (has_moved) e.course_offset += before;
        if (e.time - e.course_time > LONGEST_COURSE) leave_course(e);
        return;
    }
    if (!e.system.watches && !(e.system.nearest > STRONG_ROW)) return;
    if (e.has_course && !are_same(q, e.course_q, m.nq)) {
        // the place before, unless this is where a trial began that led to the course's place
        e.has_older = has_moved && !(e.has_older && are_same(q, e.older_q, m.nq));
        e.course_age = e.course_offset + before;
        copy_all(e.older_q, e.course_q, m.nq);
        copy_all(e.older_v, e.course_v, m.nv);
    } else if (!e.has_course) {
        e.has_older = false;
    }
    copy_all(e.course_q, q, m.nq);
    copy_all(e.course_v, v, m.nv);
    e.course_time = e.time;
    e.course_offset = 0;
    e.has_course = e.system.watches = true;
    for (int32_t row = 0; row < e.system.ties.row_count; ++row) e.course_known[row] = 0;
}

// y less what the strong rows take; after solve_outer.
inline void take_rows(ReducedEngine& e, double* y) {
    ReducedSystem& s = e.system;
    multiply_rows(s, y, e.course_rows);
    for (int32_t row = 0; row < s.ties.row_count; ++row) e.course_rows[row] = -e.course_rows[row];
    solve_rows(s, e.course_rows);
    add_rows(s, e.course_rows, y);
}

// What the rows that are known say at a place where all rows are strong: the directions that they
// hold there, and the accelerations along them. False where some are weak.
inline bool find_held(ReducedEngine& e, const double* q, const double* v, double* held,
                      double* rate) {
    ReducedSystem& s = e.system;
    const int64_t n = s.tree.n;
    assemble(s, q, nullptr);
    if (s.weak_count > 0) return false;
    move_tree(s.tree, v);
    find_efforts(e, q, v, true);
    row_targets(s.tree, s.ties, s.lambda);
    solve_system(s);
    copy_all(e.course_x, s.x, n);
    s.excluded = e.course_known;
    assemble(s, q, nullptr);
    s.excluded = nullptr;
    for (int32_t row = 0; row < s.ties.row_count; ++row) {
        if (!e.course_known[row]) continue;
        double *y = e.course_Y, *own = held + row * n;
        copy_all(y, s.Y + row * n, n);
        take_rows(e, y);
        const double size = sqrt(dot(y, y, (int32_t)n));
        scale_all(y, n, size > 0 ? 1 / size : 0);
        multiply_outer(s.tree, y, own);
        rate[row] = dot(own, e.course_x, (int32_t)n);
    }
    return true;
}

// The directions that the rows that are weak now held where they were strong last, the
// accelerations along them, and how both changed until then. Leaves the system assembled elsewhere.
inline void find_course(ReducedEngine& e) {
    ReducedSystem& s = e.system;
    const int64_t n = s.tree.n;
    for (int32_t row = 0; row < s.ties.row_count; ++row) e.course_known[row] |= s.weak[row];
    const bool has_older = e.has_older && e.course_age > 0 &&
                           find_held(e, e.older_q, e.older_v, e.course_turn, e.course_jerk);
    if (!find_held(e, e.course_q, e.course_v, e.course_held, e.course_acceleration)) return;
    for (int32_t row = 0; row < s.ties.row_count; ++row) {
        double *held = e.course_held + row * n, *turn = e.course_turn + row * n;
        for (int64_t i = 0; i < n; ++i)
            turn[i] = has_older ? (held[i] - turn[i]) / e.course_age : 0;
        double& jerk = e.course_jerk[row];
        jerk = has_older ? (e.course_acceleration[row] - jerk) / e.course_age : 0;
    }
}

// Assembles at q with matrices; where rows are weak, their course is known then.
inline void assemble_watched(ReducedEngine& e, const double* q) {
    assemble_dense(e, q, nullptr);
    ReducedSystem& s = e.system;
    if (s.weak_count == 0 || !e.has_course) return;
    bool known = true;
    for (int32_t row = 0; row < s.ties.row_count; ++row)
        known = known && (!s.weak[row] || e.course_known[row]);
    if (known) return;
    find_course(e);
    assemble_dense(e, q, nullptr);
}

// Adds to the accelerations in system.x what keeps the course of weak rows.
inline void keep_course(ReducedEngine& e) {
    ReducedSystem& s = e.system;
    const int32_t n = s.tree.n, rows = s.ties.row_count;
    int32_t count = 0;
    double *G = e.course_G, *rate = e.course_x;  // its accelerations are not needed any more
    const double since = e.course_offset + e.course_stage;
    for (int32_t row = 0; row < rows && count < n; ++row) {
        if (!s.weak[row] || !e.course_known[row]) continue;
        double *held = e.rest_x, *y = e.course_Y + (int64_t)count * n;
        copy_all(held, e.course_held + (int64_t)row * n, n);
        add_scaled(since, e.course_turn + (int64_t)row * n, held, n);
        rate[count] = e.course_acceleration[row] + since * e.course_jerk[row] - dot(held, s.x, n);
        copy_all(y, held, n);
        solve_outer(s.tree, y);
        take_rows(e, y);
        for (int32_t i = 0; i <= count; ++i)
            G[(int64_t)count * n + i] = dot(y, e.course_Y + (int64_t)i * n, n);
        ++count;
    }
    // Cholesky; directions that say nothing new are left out
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
    for (int32_t i = 0; i < count; ++i) add_scaled(rate[i], e.course_Y + (int64_t)i * n, sum, n);
    solve_inner(s.tree, sum);
    add_scaled(1, sum, s.x, n);
}

}  // namespace kinegen
