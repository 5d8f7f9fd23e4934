// LDLᵀ of a symmetric matrix with diagonal pivoting: P A Pᵀ = L D Lᵀ.
//
// The pivot is the largest |diagonal entry| of what is left. Semidefinite matrices of any rank come
// out whole; an indefinite one can be left with a block without a usable diagonal (as [0 1; 1 0]),
// which is reported. Golub and Van Loan, Matrix Computations, 4th ed., section 4.2.8.
#pragma once

#include "kernel/linalg/linalg.hpp"

namespace kinegen {

// Exchanges rows and columns k < p of what the lower triangle holds.
inline void swap_symmetric(double* A, int32_t n, int32_t k, int32_t p) {
    for (int32_t j = 0; j < k; ++j) swap_numbers(A[(int64_t)k * n + j], A[(int64_t)p * n + j]);
    for (int32_t i = k + 1; i < p; ++i) swap_numbers(A[(int64_t)i * n + k], A[(int64_t)p * n + i]);
    for (int32_t i = p + 1; i < n; ++i) swap_numbers(A[(int64_t)i * n + k], A[(int64_t)i * n + p]);
    swap_numbers(A[(int64_t)k * n + k], A[(int64_t)p * n + p]);
}

// Factors A (n × n) in place, reading and writing its lower triangle only: L below the diagonal
// (its own is 1), D on it. Row i of P A Pᵀ is row perm[i] of A. Pivots up to tolerance × the
// largest entry of A count as zero; a negative tolerance means that of rounding.
// Returns the rank, or NOT_FINITE; failed: the size of the block that is left but is not zero.
inline int32_t ldlt_factor(double* A, int32_t n, double tolerance, int32_t* perm, int32_t& failed) {
    failed = 0;
    double top = 0;
    for (int32_t i = 0; i < n; ++i) {
        perm[i] = i;
        const double row = largest(A + (int64_t)i * n, i + 1);
        if (row < 0) return NOT_FINITE;
        top = row > top ? row : top;
    }
    const double threshold = rank_tolerance(tolerance, n, n) * top;
    int32_t rank = 0;
    for (; rank < n; ++rank) {
        const int32_t k = rank;
        int32_t pivot = k;
        for (int32_t i = k + 1; i < n; ++i)
            if (fabs(A[(int64_t)i * n + i]) > fabs(A[(int64_t)pivot * n + pivot])) pivot = i;
        if (!(fabs(A[(int64_t)pivot * n + pivot]) > threshold)) break;
        if (pivot != k) {
            swap_symmetric(A, n, k, pivot);
            const int32_t swap = perm[k];
            perm[k] = perm[pivot];
            perm[pivot] = swap;
        }
        // A22 −= l d lᵀ, row by row; column k still holds l d
        const double d = A[(int64_t)k * n + k];
        for (int32_t i = k + 1; i < n; ++i) {
            double* row = A + (int64_t)i * n;
            const double l = row[k] / d;
            for (int32_t j = k + 1; j <= i; ++j) row[j] -= l * A[(int64_t)j * n + k];
        }
        for (int32_t i = k + 1; i < n; ++i) A[(int64_t)i * n + k] /= d;
    }
    // what was taken for zero becomes zero, if it is
    for (int32_t i = rank; i < n; ++i)
        for (int32_t j = rank; j <= i; ++j) {
            if (fabs(A[(int64_t)i * n + j]) > threshold) failed = n - rank;
            A[(int64_t)i * n + j] = 0;
        }
    return rank;
}

// X with A X = B (n × p, overwritten by X) from a factorisation; in a singular system the unknowns
// beyond the rank are zero. scratch: n p numbers.
inline void ldlt_solve(const double* A, int32_t n, int32_t rank, const int32_t* perm, double* B,
                       int32_t p, double* scratch) {
    double* Y = scratch;
    for (int32_t i = 0; i < n; ++i) copy_all(Y + (int64_t)i * p, B + (int64_t)perm[i] * p, p);
    for (int32_t i = 0; i < rank; ++i)
        for (int32_t j = 0; j < i; ++j)
            add_scaled(-A[(int64_t)i * n + j], Y + (int64_t)j * p, Y + (int64_t)i * p, p);
    for (int32_t i = 0; i < rank; ++i)
        for (int32_t k = 0; k < p; ++k) Y[(int64_t)i * p + k] /= A[(int64_t)i * n + i];
    clear_all(Y + (int64_t)rank * p, (int64_t)(n - rank) * p);
    for (int32_t i = rank - 1; i >= 0; --i)
        for (int32_t j = i + 1; j < rank; ++j)
            add_scaled(-A[(int64_t)j * n + i], Y + (int64_t)j * p, Y + (int64_t)i * p, p);
    for (int32_t i = 0; i < n; ++i) copy_all(B + (int64_t)perm[i] * p, Y + (int64_t)i * p, p);
}

}  // namespace kinegen
