// Rotations and quaternions on plain arrays: matrices row by row, quaternions w x y z.
#pragma once

#include <math.h>

namespace kinegen {

constexpr double PI = 3.14159265358979323846;

// Squared angle below which the series are used: their first dropped term is then below 1e-17.
constexpr double SMALL_ANGLE_SQUARED = 1e-8;

// fmax and fmin are calls into the C library; these are one instruction.
inline double larger(double a, double b) { return a > b ? a : b; }
inline double smaller(double a, double b) { return a < b ? a : b; }

inline double dot3(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

inline void cross3(const double* a, const double* b, double* out) {
    const double x = a[1] * b[2] - a[2] * b[1];
    const double y = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
}

inline void add_cross3(const double* a, const double* b, double* out) {
    out[0] += a[1] * b[2] - a[2] * b[1];
    out[1] += a[2] * b[0] - a[0] * b[2];
    out[2] += a[0] * b[1] - a[1] * b[0];
}

// out = R a
inline void rotate(const double* R, const double* a, double* out) {
    const double x = R[0] * a[0] + R[1] * a[1] + R[2] * a[2];
    const double y = R[3] * a[0] + R[4] * a[1] + R[5] * a[2];
    out[2] = R[6] * a[0] + R[7] * a[1] + R[8] * a[2];
    out[0] = x;
    out[1] = y;
}

// out = Rᵀ a
inline void rotate_back(const double* R, const double* a, double* out) {
    const double x = R[0] * a[0] + R[3] * a[1] + R[6] * a[2];
    const double y = R[1] * a[0] + R[4] * a[1] + R[7] * a[2];
    out[2] = R[2] * a[0] + R[5] * a[1] + R[8] * a[2];
    out[0] = x;
    out[1] = y;
}

inline void column(const double* R, int k, double* out) {
    out[0] = R[k];
    out[1] = R[3 + k];
    out[2] = R[6 + k];
}

inline void quat_normalize(double* q) {
    const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (n > 0) {
        for (int i = 0; i < 4; ++i) q[i] /= n;
    } else {
        q[0] = 1;
        q[1] = q[2] = q[3] = 0;
    }
}

inline void quat_multiply(const double* a, const double* b, double* out) {
    const double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    const double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    const double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    const double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    out[0] = w;
    out[1] = x;
    out[2] = y;
    out[3] = z;
}

// Matrix of a quaternion of any length but zero.
inline void quat_to_matrix(const double* q, double* R) {
    const double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    const double s = n > 0 ? 2 / n : 0;
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = 1 - s * (y * y + z * z);
    R[1] = s * (x * y - w * z);
    R[2] = s * (x * z + w * y);
    R[3] = s * (x * y + w * z);
    R[4] = 1 - s * (x * x + z * z);
    R[5] = s * (y * z - w * x);
    R[6] = s * (x * z - w * y);
    R[7] = s * (y * z + w * x);
    R[8] = 1 - s * (x * x + y * y);
}

// Quaternion of a matrix, w >= 0; divides by the largest component (Shepperd 1978).
inline void matrix_to_quat(const double* R, double* q) {
    const double trace = R[0] + R[4] + R[8];
    if (trace > R[0] && trace > R[4] && trace > R[8]) {
        const double s = 2 * sqrt(1 + trace);
        q[0] = 0.25 * s;
        q[1] = (R[7] - R[5]) / s;
        q[2] = (R[2] - R[6]) / s;
        q[3] = (R[3] - R[1]) / s;
    } else if (R[0] >= R[4] && R[0] >= R[8]) {
        const double s = 2 * sqrt(1 + R[0] - R[4] - R[8]);
        q[0] = (R[7] - R[5]) / s;
        q[1] = 0.25 * s;
        q[2] = (R[1] + R[3]) / s;
        q[3] = (R[2] + R[6]) / s;
    } else if (R[4] >= R[8]) {
        const double s = 2 * sqrt(1 + R[4] - R[0] - R[8]);
        q[0] = (R[2] - R[6]) / s;
        q[1] = (R[1] + R[3]) / s;
        q[2] = 0.25 * s;
        q[3] = (R[5] + R[7]) / s;
    } else {
        const double s = 2 * sqrt(1 + R[8] - R[0] - R[4]);
        q[0] = (R[3] - R[1]) / s;
        q[1] = (R[2] + R[6]) / s;
        q[2] = (R[5] + R[7]) / s;
        q[3] = 0.25 * s;
    }
    if (q[0] < 0)
        for (int i = 0; i < 4; ++i) q[i] = -q[i];
}

// Quaternion of a rotation vector.
inline void quat_exp(const double* w, double* q) {
    const double t2 = dot3(w, w);
    double half_sinc;
    if (t2 < SMALL_ANGLE_SQUARED) {
        half_sinc = 0.5 - t2 / 48;
        q[0] = 1 - t2 / 8;
    } else {
        const double t = sqrt(t2);
        half_sinc = sin(0.5 * t) / t;
        q[0] = cos(0.5 * t);
    }
    for (int i = 0; i < 3; ++i) q[1 + i] = half_sinc * w[i];
}

// Rotation vector of a unit quaternion, the short way round.
inline void quat_log(const double* q, double* w) {
    const double sign = q[0] < 0 ? -1 : 1;
    const double n = sqrt(dot3(q + 1, q + 1));
    const double scale = n < 1e-12 ? 2 * sign : sign * 2 * atan2(n, sign * q[0]) / n;
    for (int i = 0; i < 3; ++i) w[i] = scale * q[1 + i];
}

inline void matrix_log(const double* R, double* w) {
    double q[4];
    matrix_to_quat(R, q);
    quat_log(q, w);
}

// out = a + alpha (w × a) + beta (w × (w × a)): the shape of all Jacobians of the exponential.
inline void rodrigues(const double* w, double alpha, double beta, const double* a, double* out) {
    double wa[3], wwa[3];
    cross3(w, a, wa);
    cross3(w, wa, wwa);
    for (int i = 0; i < 3; ++i) out[i] = a[i] + alpha * wa[i] + beta * wwa[i];
}

// out = V(w) a, with V the left Jacobian of SO(3): the translation of exp(v, w) is V(w) v.
inline void left_jacobian(const double* w, const double* a, double* out) {
    const double t2 = dot3(w, w);
    double alpha, beta;
    if (t2 < SMALL_ANGLE_SQUARED) {
        alpha = 0.5 - t2 / 24;
        beta = 1.0 / 6 - t2 / 120;
    } else {
        const double t = sqrt(t2);
        const double s = sin(0.5 * t);
        alpha = 2 * s * s / t2;
        beta = (t - sin(t)) / (t2 * t);
    }
    rodrigues(w, alpha, beta, a, out);
}

// Coefficient of w × (w × a) in the inverse Jacobians of SO(3).
inline double inverse_jacobian_coefficient(double t2) {
    if (t2 < 1e-4) return 1.0 / 12 + t2 / 720 + t2 * t2 / 30240;
    const double half = 0.5 * sqrt(t2);
    return (1 - half * cos(half) / sin(half)) / t2;
}

// out = V(w)⁻¹ a
inline void left_jacobian_inverse(const double* w, const double* a, double* out) {
    rodrigues(w, -0.5, inverse_jacobian_coefficient(dot3(w, w)), a, out);
}

// out = Jr(w)⁻¹ a, with d log(R) = Jr(log R)⁻¹ · (body angular velocity)
inline void right_jacobian_inverse(const double* w, const double* a, double* out) {
    rodrigues(w, 0.5, inverse_jacobian_coefficient(dot3(w, w)), a, out);
}

}  // namespace kinegen
