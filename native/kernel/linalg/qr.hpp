// Rank-revealing QR by Householder reflections with column pivoting, and what follows from it:
// least squares (basic and of minimum norm) and the null space.
//
// A P = Q R (Businger and Golub 1965). Column k is the one with the largest part outside the span
// of the columns before it; when that part is at most tolerance × |R_00| the rest is taken for zero
// and k is the rank. Golub and Van Loan, Matrix Computations, 4th ed., sections 5.1 and 5.4.
#pragma once

#include "kernel/linalg/linalg.hpp"

namespace kinegen {

// Squared length of the numbers a, `stride` apart, each times scale.
inline double squared_length(const double* a, int32_t count, int32_t stride, double scale) {
    double sum = 0;
    for (int32_t i = 0; i < count; ++i) {
        const double x = scale * a[(int64_t)i * stride];
        sum += x * x;
    }
    return sum;
}

// Reflection I − tau v vᵀ that maps x to (beta, 0, …, 0), with v_0 = 1; head is x_0, tail its other
// entries, which become those of v. Returns beta.
inline double make_reflection(double head, double* tail, int32_t count, int32_t stride,
                              double& tau) {
    double scale = 1, tail2 = squared_length(tail, count, stride, 1);
    if (!(tail2 > 1e-240 && tail2 < 1e240)) {
        // squares that overflow or vanish: once more at a better scale
        double top = fabs(head);
        for (int32_t i = 0; i < count; ++i) top = fmax(top, fabs(tail[(int64_t)i * stride]));
        scale = safe_scale(top);
        tail2 = squared_length(tail, count, stride, scale);
    }
    tau = 0;
    if (tail2 == 0) return head;
    const double x = scale * head, norm = sqrt(x * x + tail2), beta = x > 0 ? -norm : norm;
    const double factor = scale / (x - beta);
    tau = (beta - x) / beta;
    for (int32_t i = 0; i < count; ++i) tail[(int64_t)i * stride] *= factor;
    return beta / scale;
}

// B := (I − tau v vᵀ) B for the reflection in column k of A (m × n), below the diagonal.
// B: its rows k … m − 1 matter, p columns, ldb apart. scratch: p numbers.
inline void reflect_rows(const double* A, int32_t m, int32_t n, int32_t k, double tau, double* B,
                         int32_t p, int32_t ldb, double* scratch) {
    if (tau == 0) return;
    copy_all(scratch, B + (int64_t)k * ldb, p);
    for (int32_t i = k + 1; i < m; ++i)
        add_scaled(A[(int64_t)i * n + k], B + (int64_t)i * ldb, scratch, p);
    add_scaled(-tau, scratch, B + (int64_t)k * ldb, p);
    for (int32_t i = k + 1; i < m; ++i)
        add_scaled(-tau * A[(int64_t)i * n + k], scratch, B + (int64_t)i * ldb, p);
}

// Squared norms of the rows k … m − 1 of all columns from k on.
inline void column_norms(const double* A, int32_t m, int32_t n, int32_t k, double* norms) {
    for (int32_t j = k; j < n; ++j) norms[j] = 0;
    for (int32_t i = k; i < m; ++i)
        for (int32_t j = k; j < n; ++j) norms[j] += A[(int64_t)i * n + j] * A[(int64_t)i * n + j];
}

// Factors A (m × n) in place: R on and above the diagonal, the reflections of Q below, with tau
// (min(m, n) numbers); column j of A P is column perm[j] of A. scratch: 3 n numbers.
// A negative tolerance means that of rounding. Returns the rank, or NOT_FINITE.
inline int32_t qr_factor(double* A, int32_t m, int32_t n, double tolerance, double* tau,
                         int32_t* perm, double* scratch) {
    const int32_t steps = m < n ? m : n;
    for (int32_t j = 0; j < n; ++j) perm[j] = j;
    for (int32_t k = 0; k < steps; ++k) tau[k] = 0;
    const double top = largest(A, (int64_t)m * n);
    if (top < 0) return NOT_FINITE;
    const double scale = safe_scale(top);
    scale_all(A, (int64_t)m * n, scale);
    tolerance = rank_tolerance(tolerance, m, n);

    // squared norms of what is left of each column, and their values when last summed up again
    double *norms = scratch, *summed = scratch + n, *row = scratch + 2 * (int64_t)n;
    column_norms(A, m, n, 0, norms);
    copy_all(summed, norms, n);
    double threshold = 0;
    int32_t rank = 0;
    for (; rank < steps; ++rank) {
        const int32_t k = rank;
        // the column that has most left
        int32_t pivot = k;
        for (int32_t j = k + 1; j < n; ++j)
            if (norms[j] > norms[pivot]) pivot = j;
        if (k == 0) threshold = tolerance * tolerance * norms[pivot];
        if (!(norms[pivot] > threshold)) break;
        if (pivot != k) {
            for (int32_t i = 0; i < m; ++i)
                swap_numbers(A[(int64_t)i * n + k], A[(int64_t)i * n + pivot]);
            const int32_t swap = perm[k];
            perm[k] = perm[pivot];
            perm[pivot] = swap;
            norms[pivot] = norms[k];
            summed[pivot] = summed[k];
        }
        // its reflection, applied to the columns behind it
        double* diagonal = A + (int64_t)k * n + k;
        *diagonal = make_reflection(*diagonal, diagonal + n, m - k - 1, n, tau[k]);
        reflect_rows(A, m, n, k, tau[k], A + k + 1, n - k - 1, n, row);
        // what is left of each: subtract, but sum up again where the difference has lost its digits
        for (int32_t j = k + 1; j < n; ++j) {
            const double r = A[(int64_t)k * n + j];
            norms[j] -= r * r;
            if (norms[j] <= 1e-8 * summed[j]) {
                norms[j] = 0;
                for (int32_t i = k + 1; i < m; ++i)
                    norms[j] += A[(int64_t)i * n + j] * A[(int64_t)i * n + j];
                summed[j] = norms[j];
            }
        }
    }
    // what was taken for zero becomes zero
    for (int32_t i = rank; i < m; ++i) clear_all(A + (int64_t)i * n + rank, n - rank);
    if (scale != 1)
        for (int32_t i = 0; i < rank; ++i) scale_all(A + (int64_t)i * n + i, n - i, 1 / scale);
    return rank;
}

// B := Qᵀ B and B := Q B, with B of m × p. scratch: p numbers.
inline void qr_apply_qt(const double* A, int32_t m, int32_t n, int32_t rank, const double* tau,
                        double* B, int32_t p, double* scratch) {
    for (int32_t k = 0; k < rank; ++k) reflect_rows(A, m, n, k, tau[k], B, p, p, scratch);
}
inline void qr_apply_q(const double* A, int32_t m, int32_t n, int32_t rank, const double* tau,
                       double* B, int32_t p, double* scratch) {
    for (int32_t k = rank - 1; k >= 0; --k) reflect_rows(A, m, n, k, tau[k], B, p, p, scratch);
}

// Complete orthogonal decomposition: turns the first rank rows [R11 R12] into [T 0] Z, T upper
// triangular. Each row's reflection of Z acts on its diagonal entry and the last n − rank ones,
// where it is stored; tau_z: rank numbers.
inline void qr_complete(double* A, int32_t n, int32_t rank, double* tau_z) {
    const int32_t rest = n - rank;
    for (int32_t k = rank - 1; k >= 0; --k) {
        double* row = A + (int64_t)k * n;
        row[k] = make_reflection(row[k], row + rank, rest, 1, tau_z[k]);
        for (int32_t i = 0; i < k && tau_z[k] != 0; ++i) {
            double* a = A + (int64_t)i * n;
            const double s = tau_z[k] * (a[k] + dot(a + rank, row + rank, rest));
            a[k] -= s;
            add_scaled(-s, row + rank, a + rank, rest);
        }
    }
}

// X := Zᵀ X of a completed factorisation, with X of n × p. scratch: p numbers.
inline void qr_apply_zt(const double* A, int32_t n, int32_t rank, const double* tau_z, double* X,
                        int32_t p, double* scratch) {
    const int32_t rest = n - rank;
    for (int32_t k = 0; k < rank; ++k) {
        if (tau_z[k] == 0) continue;
        const double* v = A + (int64_t)k * n + rank;
        copy_all(scratch, X + (int64_t)k * p, p);
        for (int32_t i = 0; i < rest; ++i)
            add_scaled(v[i], X + (int64_t)(rank + i) * p, scratch, p);
        add_scaled(-tau_z[k], scratch, X + (int64_t)k * p, p);
        for (int32_t i = 0; i < rest; ++i)
            add_scaled(-tau_z[k] * v[i], scratch, X + (int64_t)(rank + i) * p, p);
    }
}

// Puts the rows of X (n × p) back in the order of A's columns: out row perm[i] = row i.
inline void unpermute_rows(const double* X, const int32_t* perm, int32_t n, int32_t p,
                           double* out) {
    for (int32_t i = 0; i < n; ++i) copy_all(out + (int64_t)perm[i] * p, X + (int64_t)i * p, p);
}

// X (n × p) with the smallest |A X − B|, from a factorisation. B (m × p) is overwritten.
// With tau_z (A completed) X is also the smallest such; with null it is the basic solution, whose
// entries of the columns beyond the rank are zero. scratch: (n + 1) p numbers.
inline void qr_solve(const double* A, int32_t m, int32_t n, int32_t rank, const double* tau,
                     const double* tau_z, const int32_t* perm, double* B, int32_t p, double* X,
                     double* scratch) {
    double *Y = scratch, *row = scratch + (int64_t)n * p;
    qr_apply_qt(A, m, n, rank, tau, B, p, row);
    clear_all(Y, (int64_t)n * p);
    // back substitution
    for (int32_t k = rank - 1; k >= 0; --k) {
        double* y = Y + (int64_t)k * p;
        copy_all(y, B + (int64_t)k * p, p);
        for (int32_t i = k + 1; i < rank; ++i)
            add_scaled(-A[(int64_t)k * n + i], Y + (int64_t)i * p, y, p);
        for (int32_t j = 0; j < p; ++j) y[j] /= A[(int64_t)k * n + k];
    }
    if (tau_z != nullptr) qr_apply_zt(A, n, rank, tau_z, Y, p, row);
    unpermute_rows(Y, perm, n, p, X);
}

// Orthonormal columns N (n × (n − rank)) with A N = 0, from a completed factorisation.
// scratch: (n + 1) (n − rank) numbers.
inline void qr_null_space(const double* A, int32_t n, int32_t rank, const double* tau_z,
                          const int32_t* perm, double* N, double* scratch) {
    const int32_t p = n - rank;
    double *Y = scratch, *row = scratch + (int64_t)n * p;
    clear_all(Y, (int64_t)n * p);
    for (int32_t i = 0; i < p; ++i) Y[(int64_t)(rank + i) * p + i] = 1;
    qr_apply_zt(A, n, rank, tau_z, Y, p, row);
    unpermute_rows(Y, perm, n, p, N);
}

}  // namespace kinegen
