// Singular values alone: two-sided reflections to a bidiagonal matrix, then bisection.
//
// The singular values of a bidiagonal B are the positive eigenvalues of a symmetric tridiagonal
// matrix with zeros on its diagonal and the entries of B beside it, in turn (Golub and Kahan 1965).
// How many lie below a number is counted by its Sturm sequence, which finds any one of them alone.
#pragma once

#include "kernel/linalg/qr.hpp"

namespace kinegen {

// Entries of the bidiagonal form of A (m × n), d_0 e_0 d_1 e_1 … d_(k−1), with k = min(m, n).
// work: m n + m + n numbers.
inline void bidiagonal_entries(const double* A, int32_t m, int32_t n, double* work,
                               double* entries) {
    double *B = work, *scratch = work + (int64_t)m * n;
    if (m >= n) {
        copy_all(B, A, (int64_t)m * n);
    } else {
        for (int32_t i = 0; i < m; ++i)
            for (int32_t j = 0; j < n; ++j) B[(int64_t)j * m + i] = A[(int64_t)i * n + j];
        const int32_t swap = m;
        m = n;
        n = swap;
    }
    for (int32_t k = 0; k < n; ++k) {
        double tau, *diagonal = B + (int64_t)k * n + k;
        entries[2 * k] = make_reflection(*diagonal, diagonal + n, m - k - 1, n, tau);
        reflect_rows(B, m, n, k, tau, B + k + 1, n - k - 1, n, scratch);
        if (k + 1 == n) break;
        double *row = diagonal + 1, *tail = diagonal + 2;
        const int32_t rest = n - k - 2;
        entries[2 * k + 1] = make_reflection(*row, tail, rest, 1, tau);
        for (int32_t i = k + 1; i < m && tau != 0; ++i) {
            double* a = B + (int64_t)i * n + k + 1;
            const double s = tau * (a[0] + dot(a + 1, tail, rest));
            a[0] -= s;
            add_scaled(-s, tail, a + 1, rest);
        }
    }
}

// How many singular values of the bidiagonal form with these entries are at least x > 0.
inline int32_t values_above(const double* entries, int32_t k, double x) {
    int32_t below = 0;
    double t = -x;
    for (int32_t i = 0; i < 2 * k - 1; ++i) {
        if (t < 0) ++below;
        // a pivot of zero counts as a tiny one
        if (t == 0) t = DBL_MIN;
        t = -x - entries[i] * (entries[i] / t);
    }
    if (t < 0) ++below;
    return 2 * k - below;
}

// Singular value number `index`, the largest being number 0, accurate to rounding of the largest.
inline double bidiagonal_value(const double* entries, int32_t k, int32_t index) {
    double high = 0, before = 0;
    for (int32_t i = 0; i < 2 * k - 1; ++i) {
        high = fmax(high, fabs(entries[i]) + before);
        before = fabs(entries[i]);
    }
    double low = 0;
    const double floor = 1e-17 * high;
    high *= 1 + 4 * DBL_EPSILON;
    for (int step = 0; step < 120 && high - low > floor + DBL_EPSILON * low; ++step) {
        // the first steps look for the order of magnitude
        const double middle = low > 0 || high < 1e-3 ? (low + high) / 2 : high * 0.25;
        if (middle <= low || middle >= high) break;
        if (values_above(entries, k, middle) > index)
            low = middle;
        else
            high = middle;
    }
    return low == 0 ? 0 : (low + high) / 2;
}

}  // namespace kinegen
