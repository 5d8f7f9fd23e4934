// Which motions a matrix of rows forbids and which it leaves, with the rank decided by the gap in
// its singular values, never by a count of rows.
//
// A pivoted QR goes first: it removes redundant rows and leaves the Jacobi rotations little to do
// (Drmač and Veselić 2008). Where its pivots alone leave no doubt, it also decides the rank.
#pragma once

#include "kernel/base/arena.hpp"
#include "kernel/linalg/qr.hpp"
#include "kernel/linalg/svd.hpp"

namespace kinegen {

// Singular values that are this factor above or below the tolerance are clear cases; between, the
// widest gap decides.
constexpr double RANK_CLEAR = 10;
// Pivots differ from singular values; farther than this from the clear cases they are clear as
// well.
constexpr double PIVOT_CLEAR = 100;

// How many of the singular values (falling) count; gap: the last that does by the first that does
// not, infinite where all count.
inline int32_t rank_by_gap(const double* values, int32_t count, double tolerance, double& gap) {
    gap = INFINITY;
    if (count == 0 || !(values[0] > 0)) return 0;
    auto relative = [&](int32_t i) { return fmax(values[i] / values[0], DBL_EPSILON); };
    int32_t sure = 0, possible = 0, rank = 0;
    for (int32_t i = 0; i < count; ++i) {
        sure += relative(i) > RANK_CLEAR * tolerance;
        possible += relative(i) > tolerance / RANK_CLEAR;
        rank += relative(i) > tolerance;
    }
    // with nothing below, nothing shows where rounding begins: the tolerance alone decides
    if (possible < count) {
        double widest = 0;
        // the first always counts, however large the tolerance
        for (int32_t i = sure > 0 ? sure - 1 : 0; i < possible; ++i) {
            const double drop = relative(i) / relative(i + 1);
            if (drop > widest) {
                widest = drop;
                rank = i + 1;
            }
        }
    }
    if (rank > 0 && rank < count) gap = relative(rank - 1) / relative(rank);
    return rank;
}

// Scratch and results for matrices of up to row_room × column_room.
struct Spectrum {
    double* values;  // singular values, falling: min(rows, n)
    double*
        directions;  // orthonormal, n × n, one per row: the forbidden ones first, by falling value
    int32_t rank;
    double gap;
    // scratch
    double *A, *R, *G, *W, *N, *tau, *tau_z, *work;
    int32_t* perm;
};

inline void lay_out_spectrum(int64_t rows, int64_t n, Arena<double>& reals, Arena<int32_t>& ints,
                             Spectrum& s) {
    const int64_t k = rows < n ? rows : n;
    s.values = reals.take(k);
    s.directions = reals.take(n * n);
    s.A = reals.take(rows * n);
    s.R = reals.take(k * n);
    s.G = reals.take(k * k);
    s.W = reals.take(k * n);
    s.N = reals.take(n * n);
    s.tau = reals.take(k);
    s.tau_z = reals.take(k);
    s.work = reals.take((n + 3) * n + rows);
    s.perm = ints.take(n);
}

// Row r of V := itself without what the rows before it have of it, of length 1; a row of which
// nothing is left becomes any other direction.
inline void orthonormalize_row(double* V, int32_t r, int32_t n) {
    double* row = V + (int64_t)r * n;
    const double before = sqrt(dot(row, row, n));
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t j = 0; j < r; ++j)
            add_scaled(-dot(V + (int64_t)j * n, row, n), V + (int64_t)j * n, row, n);
    const double length = sqrt(dot(row, row, n));
    if (length > 1e-8 * before)
        scale_all(row, n, 1 / length);
    else
        complete_row(V, r, n);
}

// The free directions from the completed QR of rank r, as the rows of V from `first` on.
inline void write_null_space(Spectrum& s, int32_t n, int32_t r, double* V, int32_t first) {
    qr_null_space(s.A, n, r, s.tau_z, s.perm, s.N, s.work);
    const int32_t free_count = n - r;
    for (int32_t i = 0; i < free_count; ++i)
        for (int32_t j = 0; j < n; ++j)
            V[(int64_t)(first + i) * n + j] = s.N[(int64_t)j * free_count + i];
}

// Singular values of J (rows × n), rank and directions. With `absolute`, singular values up to the
// tolerance are zero; else the gap about tolerance × the largest decides. Returns the rank, or
// NOT_FINITE.
inline int32_t find_spectrum(Spectrum& s, const double* J, int32_t rows, int32_t n,
                             double tolerance, bool absolute = false) {
    const int32_t k = rows < n ? rows : n;
    copy_all(s.A, J, (int64_t)rows * n);
    const int32_t r = qr_factor(s.A, rows, n, -1, s.tau, s.perm, s.work);
    if (r < 0) return r;

    // right singular vectors of R are those of J
    clear_all(s.R, (int64_t)r * n);
    for (int32_t i = 0; i < r; ++i)
        for (int32_t j = i; j < n; ++j) s.R[(int64_t)i * n + s.perm[j]] = s.A[(int64_t)i * n + j];
    svd_factor(s.R, r, n, false, s.G, s.W, s.values, s.work);
    clear_all(s.values + r, k - r);
    s.rank = rank_by_gap(s.values, k, tolerance, s.gap);
    if (absolute)
        for (s.rank = 0; s.rank < k && s.values[s.rank] > tolerance;) ++s.rank;

    // forbidden directions; free ones from the QR; then those that are hardly resisted
    double* V = s.directions;
    copy_all(V, s.W, (int64_t)s.rank * n);
    qr_complete(s.A, n, r, s.tau_z);
    write_null_space(s, n, r, V, s.rank);
    for (int32_t i = s.rank; i < r; ++i) {
        const int32_t at = i + n - r;
        copy_all(V + (int64_t)at * n, s.W + (int64_t)i * n, n);
        orthonormalize_row(V, at, n);
    }
    return s.rank;
}

// Factors J and returns its rank if the pivots leave no doubt about it, else -1; or NOT_FINITE.
inline int32_t clear_rank(Spectrum& s, const double* J, int32_t rows, int32_t n, double tolerance) {
    copy_all(s.A, J, (int64_t)rows * n);
    const int32_t r = qr_factor(s.A, rows, n, -1, s.tau, s.perm, s.work);
    if (r <= 0) return r;
    const double top = fabs(s.A[0]);
    const double above = RANK_CLEAR * PIVOT_CLEAR * tolerance * top;
    const double below = tolerance / (RANK_CLEAR * PIVOT_CLEAR) * top;
    int32_t rank = 0;
    for (; rank < r; ++rank) {
        const double pivot = fabs(s.A[(int64_t)rank * n + rank]);
        if (pivot > above) continue;
        if (pivot > below) return -1;
        break;
    }
    return rank;
}

// The rank of J alone: as find_spectrum decides it, and mostly faster.
inline int32_t find_rank(Spectrum& s, const double* J, int32_t rows, int32_t n, double tolerance) {
    const int32_t rank = clear_rank(s, J, rows, n, tolerance);
    return rank == -1 ? find_spectrum(s, J, rows, n, tolerance) : rank;
}

// The least x with |J x − b| smallest, and the free directions of J as the first rows of V (n −
// rank rows). Returns the rank, or NOT_FINITE. b: rows numbers, kept; b null means zero.
inline int32_t resolve(Spectrum& s, const double* J, int32_t rows, int32_t n, double tolerance,
                       const double* b, double* x, double* V) {
    int32_t rank = clear_rank(s, J, rows, n, tolerance);
    if (rank == NOT_FINITE) return rank;
    clear_all(x, n);
    if (rank >= 0) {
        qr_complete(s.A, n, rank, s.tau_z);
        write_null_space(s, n, rank, V, 0);
        if (b != nullptr) {
            double* rhs = s.work + (int64_t)(n + 3) * n;
            copy_all(rhs, b, rows);
            qr_solve(s.A, rows, n, rank, s.tau, s.tau_z, s.perm, rhs, 1, x, s.work);
        }
        return rank;
    }
    rank = find_spectrum(s, J, rows, n, tolerance);
    if (rank < 0) return rank;
    copy_all(V, s.directions + (int64_t)rank * n, (int64_t)(n - rank) * n);
    if (b == nullptr) return rank;
    // x = sum of v (J v · b) / s²
    for (int32_t i = 0; i < rank; ++i) {
        const double* v = s.directions + (int64_t)i * n;
        double along = 0;
        for (int32_t row = 0; row < rows; ++row) along += dot(J + (int64_t)row * n, v, n) * b[row];
        add_scaled(along / (s.values[i] * s.values[i]), v, x, n);
    }
    return rank;
}

}  // namespace kinegen
