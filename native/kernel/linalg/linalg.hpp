// Small dense matrices: row by row, as many numbers apart as there are columns, any size.
// The parts that kernel/linalg/qr.hpp, kernel/linalg/ldlt.hpp and kernel/linalg/svd.hpp share.
#pragma once

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

namespace kinegen {

// Returned instead of a rank or a number of sweeps when a matrix holds NaN or infinity.
constexpr int32_t NOT_FINITE = -10;

inline void swap_numbers(double& a, double& b) {
    const double swap = a;
    a = b;
    b = swap;
}

inline double dot(const double* a, const double* b, int32_t n) {
    // four sums side by side: the additions of one sum would wait for each other
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int32_t i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < n; ++i) s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

// y += a x
inline void add_scaled(double a, const double* x, double* y, int32_t n) {
    for (int32_t i = 0; i < n; ++i) y[i] += a * x[i];
}

// Largest absolute value, or a negative number when one is not finite.
inline double largest(const double* a, int64_t count) {
    double top = 0;
    bool finite = true;
    for (int64_t i = 0; i < count; ++i) {
        const double x = fabs(a[i]);
        finite = finite && x <= DBL_MAX;
        top = x > top ? x : top;
    }
    return finite ? top : -1;
}

// A power of two that brings numbers of this size to where their squares neither overflow nor
// vanish; 1 for all sizes that a mechanism has.
inline double safe_scale(double top) {
    if (top == 0 || (top > 1e-120 && top < 1e120)) return 1;
    int exponent;
    frexp(top, &exponent);
    return ldexp(1.0, exponent < -1000 ? 1000 : exponent > 1000 ? -1000 : -exponent);
}

// to := from and a := 0; unlike memcpy and memset also for no numbers at no address.
inline void copy_all(double* to, const double* from, int64_t count) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i];
}
inline void clear_all(double* a, int64_t count) {
    for (int64_t i = 0; i < count; ++i) a[i] = 0;
}

inline void scale_all(double* a, int64_t count, double factor) {
    if (factor != 1)
        for (int64_t i = 0; i < count; ++i) a[i] *= factor;
}

// The tolerance for a rank: the one asked for, or that of rounding when it is negative.
inline double rank_tolerance(double tolerance, int32_t m, int32_t n) {
    return tolerance >= 0 ? tolerance : DBL_EPSILON * (m > n ? m : n);
}

}  // namespace kinegen
