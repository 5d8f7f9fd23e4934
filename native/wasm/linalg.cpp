// The small linear algebra for the page; what goes in and comes out is as in python/linalg.cpp.
//
// Matrices are row by row. Each returns what it is named for in Python last: the rank, the number
// of columns or of sweeps; negative when an array does not fit or holds NaN or infinity.
#include "kernel/linalg/ldlt.hpp"
#include "kernel/linalg/qr.hpp"
#include "kernel/linalg/svd.hpp"
#include "wasm/page.hpp"

using namespace kinegen;

namespace {

int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

// Whether the numbers of an array are a matrix of this size.
bool is_matrix(const double* a, int32_t count, int32_t rows, int32_t columns) {
    return rows >= 0 && columns >= 0 && fits(a, count, (int64_t)rows * columns);
}

// A copy of A and its factorisation.
struct Qr {
    int32_t m, n, rank;
    Scratch<double> a, tau, tau_z, scratch;
    Scratch<int32_t> perm;

    Qr(const double* A, int32_t m_, int32_t n_, double tolerance)
        : m(m_),
          n(n_),
          rank(NO_MEMORY),
          a((int64_t)m * n),
          tau(smaller(m, n)),
          tau_z(smaller(m, n)),
          scratch(3 * (int64_t)n),
          perm(n) {
        if (!a || !tau || !tau_z || !scratch || !perm) return;
        memcpy(a.data, A, sizeof(double) * (size_t)m * (size_t)n);
        rank = qr_factor(a.data, m, n, tolerance, tau.data, perm.data, scratch.data);
    }
};

int32_t solve(const double* A, int32_t A_count, int32_t m, int32_t n, const double* B,
              int32_t B_count, int32_t p, double tolerance, bool minimum_norm, double* X,
              int32_t X_count) {
    if (!is_matrix(A, A_count, m, n) || !is_matrix(B, B_count, m, p) ||
        !is_matrix(X, X_count, n, p))
        return BAD_SIZE;
    if (largest(B, B_count) < 0) return NOT_FINITE;
    Qr f(A, m, n, tolerance);
    Scratch<double> right(B_count), scratch(((int64_t)n + 1) * p);
    if (f.rank < 0) return f.rank;
    if (!right || !scratch) return NO_MEMORY;
    memcpy(right.data, B, sizeof(double) * (size_t)B_count);
    if (minimum_norm) qr_complete(f.a.data, n, f.rank, f.tau_z.data);
    qr_solve(f.a.data, m, n, f.rank, f.tau.data, minimum_norm ? f.tau_z.data : nullptr, f.perm.data,
             right.data, p, X, scratch.data);
    return f.rank;
}

struct Ldlt {
    int32_t rank, failed;
    Scratch<double> a;
    Scratch<int32_t> perm;

    Ldlt(const double* A, int32_t n, double tolerance)
        : rank(NO_MEMORY), failed(0), a((int64_t)n * n), perm(n) {
        if (!a || !perm) return;
        memcpy(a.data, A, sizeof(double) * (size_t)n * (size_t)n);
        rank = ldlt_factor(a.data, n, tolerance, perm.data, failed);
    }
};

// out (columns × rows) = the transpose of a
void transpose(const double* a, int32_t rows, int32_t columns, double* out) {
    for (int32_t i = 0; i < rows; ++i)
        for (int32_t j = 0; j < columns; ++j)
            out[(int64_t)j * rows + i] = a[(int64_t)i * columns + j];
}

}  // namespace

// A P = Q R: Q is m × k, R is k × n, k = min(m, n). Returns the rank.
EXPORT(kg_qr_factor)(const double* A, int32_t A_count, int32_t m, int32_t n, double tolerance,
                     double* Q, int32_t Q_count, double* R, int32_t R_count, int32_t* perm,
                     int32_t perm_count)
    ->int32_t {
    const int32_t k = smaller(m, n);
    if (!is_matrix(A, A_count, m, n) || !is_matrix(Q, Q_count, m, k) ||
        !is_matrix(R, R_count, k, n) || !fits(perm, perm_count, n))
        return BAD_SIZE;
    Qr f(A, m, n, tolerance);
    if (f.rank < 0) return f.rank;
    memset(Q, 0, sizeof(double) * (size_t)Q_count);
    memset(R, 0, sizeof(double) * (size_t)R_count);
    for (int32_t i = 0; i < k; ++i) {
        const int64_t diagonal = (int64_t)i * n + i;
        memcpy(R + diagonal, f.a.data + diagonal, sizeof(double) * (size_t)(n - i));
        Q[(int64_t)i * k + i] = 1;
    }
    qr_apply_q(f.a.data, m, n, f.rank, f.tau.data, Q, k, f.scratch.data);
    memcpy(perm, f.perm.data, sizeof(int32_t) * (size_t)n);
    return f.rank;
}

// X (n × p) with the smallest |A X − B|; of several the basic one, or the smallest. Returns the
// rank.
EXPORT(kg_qr_solve)(const double* A, int32_t A_count, int32_t m, int32_t n, const double* B,
                    int32_t B_count, int32_t p, double tolerance, double* X, int32_t X_count)
    ->int32_t {
    return solve(A, A_count, m, n, B, B_count, p, tolerance, false, X, X_count);
}
EXPORT(kg_qr_solve_minimum_norm)(const double* A, int32_t A_count, int32_t m, int32_t n,
                                 const double* B, int32_t B_count, int32_t p, double tolerance,
                                 double* X, int32_t X_count)
    ->int32_t {
    return solve(A, A_count, m, n, B, B_count, p, tolerance, true, X, X_count);
}

// Orthonormal columns with A N = 0: n × p at the beginning of N, which has room for n × n.
// Returns p.
EXPORT(kg_qr_null_space)(const double* A, int32_t A_count, int32_t m, int32_t n, double tolerance,
                         double* N, int32_t N_count)
    ->int32_t {
    if (!is_matrix(A, A_count, m, n) || !is_matrix(N, N_count, n, n)) return BAD_SIZE;
    Qr f(A, m, n, tolerance);
    if (f.rank < 0) return f.rank;
    const int32_t p = n - f.rank;
    Scratch<double> scratch(((int64_t)n + 1) * p);
    if (!scratch) return NO_MEMORY;
    qr_complete(f.a.data, n, f.rank, f.tau_z.data);
    qr_null_space(f.a.data, n, f.rank, f.tau_z.data, f.perm.data, N, scratch.data);
    return p;
}

// P A Pᵀ = L D Lᵀ of a symmetric A (n × n). failed: one number. Returns the rank.
EXPORT(kg_ldlt_factor)(const double* A, int32_t A_count, int32_t n, double tolerance, double* L,
                       int32_t L_count, double* D, int32_t D_count, int32_t* perm,
                       int32_t perm_count, int32_t* failed, int32_t failed_count)
    ->int32_t {
    if (!is_matrix(A, A_count, n, n) || !is_matrix(L, L_count, n, n) || !fits(D, D_count, n) ||
        !fits(perm, perm_count, n) || !fits(failed, failed_count, 1))
        return BAD_SIZE;
    Ldlt f(A, n, tolerance);
    if (f.rank < 0) return f.rank;
    *failed = f.failed;
    memcpy(perm, f.perm.data, sizeof(int32_t) * (size_t)n);
    memcpy(L, f.a.data, sizeof(double) * (size_t)A_count);
    for (int32_t i = 0; i < n; ++i) {
        double* diagonal = L + (int64_t)i * n + i;
        D[i] = *diagonal;
        *diagonal = 1;
        memset(diagonal + 1, 0, sizeof(double) * (size_t)(n - i - 1));
    }
    return f.rank;
}

// X (n × p) with A X = B for a symmetric A. failed: one number. Returns the rank.
EXPORT(kg_ldlt_solve)(const double* A, int32_t A_count, int32_t n, const double* B, int32_t B_count,
                      int32_t p, double tolerance, double* X, int32_t X_count, int32_t* failed,
                      int32_t failed_count)
    ->int32_t {
    if (!is_matrix(A, A_count, n, n) || !is_matrix(B, B_count, n, p) ||
        !is_matrix(X, X_count, n, p) || !fits(failed, failed_count, 1))
        return BAD_SIZE;
    if (largest(B, B_count) < 0) return NOT_FINITE;
    Ldlt f(A, n, tolerance);
    Scratch<double> scratch(B_count);
    if (f.rank < 0) return f.rank;
    if (!scratch) return NO_MEMORY;
    *failed = f.failed;
    memcpy(X, B, sizeof(double) * (size_t)B_count);
    ldlt_solve(f.a.data, n, f.rank, f.perm.data, X, p, scratch.data);
    return f.rank;
}

// A = U S Vᵀ: U is m × k, s has k numbers, V is n × k, k = min(m, n). start: k × k, the U (or, when
// m > n, the V) of a similar matrix, or nothing. Returns the number of sweeps.
EXPORT(kg_svd_factor)(const double* A, int32_t A_count, int32_t m, int32_t n, const double* start,
                      int32_t start_count, double* U, int32_t U_count, double* s, int32_t s_count,
                      double* V, int32_t V_count)
    ->int32_t {
    const int32_t k = smaller(m, n);
    if (!is_matrix(A, A_count, m, n) || !is_matrix(U, U_count, m, k) || !fits(s, s_count, k) ||
        !is_matrix(V, V_count, n, k) || (start_count != 0 && !is_matrix(start, start_count, k, k)))
        return BAD_SIZE;
    const int32_t l = m + n - k;
    Scratch<double> G((int64_t)k * k), W((int64_t)k * l), scratch(k);
    if (!G || !W || !scratch) return NO_MEMORY;
    if (start_count != 0) transpose(start, k, k, G.data);
    const int32_t sweeps = svd_factor(A, m, n, start_count != 0, G.data, W.data, s, scratch.data);
    if (sweeps == NOT_FINITE) return NOT_FINITE;
    transpose(G.data, k, k, m > n ? V : U);
    transpose(W.data, k, l, m > n ? U : V);
    return sweeps;
}
