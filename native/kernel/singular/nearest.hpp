// The nearest singular pose: going straight for it through the poses with closed loops.
#pragma once

#include "kernel/singular/heading.hpp"

namespace kinegen {

constexpr double FOUND_VALUE = 1e-12;     // a measure below this is zero
constexpr double FOUND_NEARLY = 1e-6;     // good enough where nothing better comes: branch points
constexpr int32_t NEAREST_STEPS = 250;    // about a turn of a joint
constexpr int32_t NEAREST_PATIENCE = 8;   // steps without gain
constexpr double DIFFERENCE_STEP = 1e-5;  // of central differences: their error is its square

// The smallest singular value of a kind as a smooth function near a pose that changes sign where it
// is zero: its singular vectors are kept, so that value and derivative there are exact.
struct Weakness {
    int32_t kind;
    double* left;    // over the rows
    double* motion;  // over the passive variables, or all of them
};

inline Weakness weakness_at(const Probe& p, const double* q, int32_t kind) {
    const Model& m = *p.s.m;
    ScratchStack& stack = *p.s.stack;
    Weakness w;
    w.kind = kind;
    const int32_t loops = 6 * m.loop_count, rows = kind == KIND_GAIN ? loops : p.watched.rows;
    w.left = stack.reals(rows);
    w.motion = stack.reals(m.nv);
    Level level(stack);
    double *J = stack.reals((int64_t)loops * m.nv), *A = stack.reals((int64_t)(rows + 1) * m.nv);
    double* N = stack.reals((int64_t)m.nv * m.nv);
    if (kind == KIND_GAIN) {
        scaled_loops(p.s, q, J);
        passive_rows(p, J, A);
        const FullSvd f = full_svd(stack, A, loops, p.passive_count);
        copy_all(w.left, f.Ut + (int64_t)(p.gain_rank - 1) * loops, loops);
        copy_all(w.motion, f.Vt + (int64_t)(p.gain_rank - 1) * f.n, f.n);
        return w;
    }
    const int32_t free = rows_over_free(p, p.watched, q, p.loop_rank, N, A);
    const FullSvd f = full_svd(stack, A, rows, free);
    copy_all(w.left, f.Ut + (int64_t)(p.task_rank - 1) * rows, rows);
    for (int32_t i = 0; i < m.nv; ++i)
        w.motion[i] = dot(N + (int64_t)i * free, f.Vt + (int64_t)(p.task_rank - 1) * free, free);
    return w;
}

inline double weakness_value(const Probe& p, const Weakness& w, const double* q) {
    const Model& m = *p.s.m;
    ScratchStack& stack = *p.s.stack;
    Level level(stack);
    const int32_t loops = 6 * m.loop_count, rows = w.kind == KIND_GAIN ? loops : p.watched.rows;
    double *J = stack.reals((int64_t)(rows + loops) * m.nv), *x = stack.reals(m.nv), sum = 0;
    if (w.kind == KIND_GAIN) {
        double* A = stack.reals((int64_t)loops * m.nv);
        scaled_loops(p.s, q, J);
        passive_rows(p, J, A);
        for (int32_t i = 0; i < loops; ++i)
            sum += w.left[i] * dot(A + (int64_t)i * p.passive_count, w.motion, p.passive_count);
        return sum;
    }
    double *N = stack.reals((int64_t)m.nv * m.nv), *parts = stack.reals(m.nv);
    const int32_t free = free_basis(p.s, q, p.loop_rank, N);
    project(N, m.nv, free, w.motion, parts, x);
    coordinate_rows(p.s, p.watched, q, J);
    for (int32_t i = 0; i < rows; ++i) sum += w.left[i] * dot(J + (int64_t)i * m.nv, x, m.nv);
    return sum;
}

// Derivative of the measure over the free motion by central differences; false where loops open.
inline bool weakness_gradient(const Probe& p, const Weakness& w, const double* q, double* total) {
    const Model& m = *p.s.m;
    ScratchStack& stack = *p.s.stack;
    Level level(stack);
    double *N = stack.reals((int64_t)m.nv * m.nv), *x = stack.reals(m.nv), *at = stack.reals(m.nq);
    const int32_t free = free_basis(p.s, q, p.loop_rank, N);
    clear_all(total, m.nv);
    for (int32_t k = 0; k < free; ++k) {
        double change = 0;
        for (int32_t i = 0; i < m.nv; ++i) x[i] = N[(int64_t)i * free + k];
        for (int sign = 1; sign >= -1; sign -= 2) {
            scaled_move(p.s, q, x, sign * DIFFERENCE_STEP, at);
            if (!close_pose(p.s, nullptr, at)) return false;
            change += sign * weakness_value(p, w, at);
        }
        add_scaled(change / (2 * DIFFERENCE_STEP), x, total, m.nv);
    }
    return true;
}

inline double distance_of(const Probe& p, const double* q, int32_t kind) {
    double both[2];
    distances(p, q, nullptr, nullptr, both);
    return both[kind];
}

// Closed poses from q to the nearest singular one of a kind, at most `step` (scaled) apart, into
// path (NEAREST_STEPS + 2 poses); returns their number, 0 when none is found.
inline int32_t nearest_singular(const Probe& p, const double* q, int32_t kind, double step,
                                double* path) {
    const Model& m = *p.s.m;
    ScratchStack& stack = *p.s.stack;
    copy_all(path, q, m.nq);
    int32_t count = 1, best_count = 0;
    double best = INFINITY;
    for (;;) {
        Level level(stack);
        const double* here = path + (int64_t)(count - 1) * m.nq;
        const double distance = distance_of(p, here, kind);
        if (distance < best) {
            best = distance;
            best_count = count;
        }
        const bool stands = best < FOUND_NEARLY && count > best_count + NEAREST_PATIENCE;
        if (best < FOUND_VALUE || !(best < INFINITY) || stands || count > NEAREST_STEPS) break;
        const Weakness w = weakness_at(p, here, kind);
        double* gradient = stack.reals(m.nv);
        if (!weakness_gradient(p, w, here, gradient)) break;
        const double square = dot(gradient, gradient, m.nv);
        if (square < 1e-12) break;
        // Newton's step for the measure, shortened
        double factor = -weakness_value(p, w, here) / square;
        const double length = fabs(factor) * largest_part(gradient, m.nv);
        if (length < 1e-13) break;
        factor *= fmin(1, step / length);
        double* there = path + (int64_t)count * m.nq;
        scaled_move(p.s, here, gradient, factor, there);
        if (!close_pose(p.s, nullptr, there)) break;
        ++count;
    }
    return best < FOUND_NEARLY ? best_count : 0;
}

}  // namespace kinegen
