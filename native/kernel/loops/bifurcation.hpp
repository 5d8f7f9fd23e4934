// Bifurcations: the few directions in which motions leave a pose where branches of motion cross.
#pragma once

#include "kernel/linalg/ldlt.hpp"
#include "kernel/loops/system.hpp"

namespace kinegen {

// Free directions among which ways out of a crossing are looked for; with more there is none that
// few starts would find.
constexpr int32_t MOST_CROSSING = 8;
// Scaled step over which second derivatives are taken: errors of about its square, and rounding.
constexpr double BEND_STEP = 1e-3;
// Share of the curvature that counts as none: above the errors of the derivatives.
constexpr double SECOND_ORDER = 1e-4;
// Curvatures below this are rounding.
constexpr double STRAIGHT = 1e-6;
constexpr int32_t CROSSING_STARTS = 4, CROSSING_STEPS = 40;

// How the loops open along mixes of free directions, to second order, without what steps of first
// order can close.
struct Bends {
    double* reach;  // rank rows of the loops' rows: J v of the forbidden directions
    double* pairs;  // MOST_CROSSING² vectors of the loops' rows
    double* inner;  // MOST_CROSSING vectors of the loops' rows
    double *step, *q, *gap;
    int32_t count, rank;
    double size;
};

inline void lay_out_bends(const Model& m, int32_t loops, int32_t n, Arena<double>& reals,
                          Bends& b) {
    const int64_t rows = 6 * (int64_t)loops + 3;
    b.reach = reals.take((rows < n ? rows : n) * rows);
    b.pairs = reals.take(MOST_CROSSING * MOST_CROSSING * rows);
    b.inner = reals.take(MOST_CROSSING * rows);
    b.step = reals.take(n);
    b.q = reals.take(m.nq);
    b.gap = reals.take(rows);
}

// (I − J J⁺) H(u, u) / 2 for the step u that is in b.step.
inline void bend_along(LoopSystem& s, const double* q, Bends& b, double* out) {
    const int32_t rows = s.rows();
    scale_all(b.step, s.n, BEND_STEP);
    system_move(s, q, b.step, b.q);
    system_residual(s, b.q, out);
    scale_all(b.step, s.n, -1);
    system_move(s, q, b.step, b.q);
    system_residual(s, b.q, b.gap);
    for (int32_t i = 0; i < rows; ++i) out[i] = (out[i] + b.gap[i]) / (2 * BEND_STEP * BEND_STEP);
    for (int32_t r = 0; r < b.rank; ++r) {
        const double* column = b.reach + (int64_t)r * rows;
        add_scaled(-dot(column, out, rows) / dot(column, column, rows), column, out, rows);
    }
}

// Finds the bends of all pairs of the free directions in `basis`; false where there is nothing to
// find: none, too many, or no curvature.
inline bool find_bends(LoopSystem& s, const double* q, const double* basis, int32_t count,
                       double tolerance, Bends& b) {
    if (count > MOST_CROSSING) return false;
    const int32_t rows = s.rows(), n = s.n;
    b.count = count;
    system_jacobian(s, q, s.J);
    b.rank = find_spectrum(s.spectrum, s.J, rows, n, tolerance);
    if (b.rank < 0) return false;
    for (int32_t r = 0; r < b.rank; ++r)
        for (int32_t i = 0; i < rows; ++i)
            b.reach[(int64_t)r * rows + i] =
                dot(s.J + (int64_t)i * n, s.spectrum.directions + (int64_t)r * n, n);
    auto pair = [&](int32_t i, int32_t j) {
        return b.pairs + (int64_t)(i * MOST_CROSSING + j) * rows;
    };
    b.size = 0;
    for (int32_t i = 0; i < count; ++i) {
        copy_all(b.step, basis + (int64_t)i * n, n);
        bend_along(s, q, b, pair(i, i));
        b.size += dot(pair(i, i), pair(i, i), rows);
    }
    for (int32_t i = 0; i < count; ++i)
        for (int32_t j = 0; j < i; ++j) {
            copy_all(b.step, basis + (int64_t)i * n, n);
            add_scaled(1, basis + (int64_t)j * n, b.step, n);
            bend_along(s, q, b, pair(i, j));
            for (int32_t r = 0; r < rows; ++r)
                pair(i, j)[r] = (pair(i, j)[r] - pair(i, i)[r] - pair(j, j)[r]) / 2;
            copy_all(pair(j, i), pair(i, j), rows);
            b.size += 2 * dot(pair(i, j), pair(i, j), rows);
        }
    b.size = sqrt(b.size);
    return b.size >= STRAIGHT;
}

// Turns a mix of free directions into one along which the loops stay closed to second order, by
// Gauss-Newton steps on the unit sphere; whether there is one nearby.
inline bool way_out(LoopSystem& s, Bends& b, double* mix) {
    const int32_t rows = s.rows(), count = b.count;
    double A[MOST_CROSSING * MOST_CROSSING], x[MOST_CROSSING], work[MOST_CROSSING];
    int32_t perm[MOST_CROSSING], failed = 0;
    for (int32_t step = 0; step < CROSSING_STEPS; ++step) {
        scale_all(mix, count, 1 / norm_of(mix, count));
        clear_all(b.gap, rows);
        for (int32_t i = 0; i < count; ++i) {
            double* inner = b.inner + (int64_t)i * rows;
            clear_all(inner, rows);
            for (int32_t j = 0; j < count; ++j)
                add_scaled(mix[j], b.pairs + (int64_t)(i * MOST_CROSSING + j) * rows, inner, rows);
            add_scaled(mix[i], inner, b.gap, rows);
        }
        if (norm_of(b.gap, rows) < SECOND_ORDER * b.size) return true;
        for (int32_t i = 0; i < count; ++i) {
            const double* inner = b.inner + (int64_t)i * rows;
            x[i] = 2 * dot(inner, b.gap, rows);
            // steps along the mix itself would only shorten it
            for (int32_t j = 0; j < count; ++j)
                A[i * count + j] = 4 * dot(inner, b.inner + (int64_t)j * rows, rows) +
                                   b.size * b.size * (1e3 * mix[i] * mix[j] + (i == j ? 1e-9 : 0));
        }
        const int32_t rank = ldlt_factor(A, count, -1, perm, failed);
        if (rank < 0) return false;
        ldlt_solve(A, count, rank, perm, x, 1, work);
        for (int32_t i = 0; i < count; ++i) mix[i] -= x[i];
    }
    return false;
}

}  // namespace kinegen
