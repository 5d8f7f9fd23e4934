// Torque-free flight of a rigid body: Euler's equations in principal axes and the quaternion that
// follows them, as Taylor series in time; their terms are summed until none counts any more.
#pragma once

#include "kernel/base/rotation.hpp"

namespace kinegen::impulse {

constexpr int FLIGHT_TERMS = 16;
// Size of a term, against 1, at which the series ends.
constexpr double FLIGHT_ACCURACY = 1e-15;

// Whether a body's spin leaves its axis within t: one about a principal axis keeps it, to rounding.
inline bool flight_bends(const double* k, const double* w, double t) {
    const double bending =
        fabs(k[0] * w[1] * w[2]) + fabs(k[1] * w[2] * w[0]) + fabs(k[2] * w[0] * w[1]);
    return t * t * bending > 0.01 * FLIGHT_ACCURACY;
}

// Length 1 again, after rounding alone.
inline void quat_refresh(double* q) {
    const double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(fabs(n - 1) < 1e-7)) return quat_normalize(q);
    const double f = 1.5 - 0.5 * n;
    for (int i = 0; i < 4; ++i) q[i] *= f;
}

// Half turns (squared) up to which a spin's series is used as it is written out below.
constexpr double SMALL_SPIN = 0.0175;

// quat after a spin about a fixed axis; false where it turns too far.
inline bool spin(const double* quat, const double* w, double t, double* quat_out) {
    const double half = 0.5 * t, x = half * half * dot3(w, w);
    if (!(x < SMALL_SPIN)) return false;
    // cosine and sine / argument
    const double c =
        1 - x * (1. / 2 - x * (1. / 24 - x * (1. / 720 - x * (1. / 40320 - x / 3628800))));
    const double s = half * (1 - x * (1. / 6 - x * (1. / 120 - x * (1. / 5040 - x / 362880))));
    const double p[4] = {c, s * w[0], s * w[1], s * w[2]};
    quat_multiply(quat, p, quat_out);
    quat_refresh(quat_out);
    return true;
}

// quat (of R_WB) and w (in B) after t; k: (I2 - I3) / I1 and so on, one per axis.
inline void fly(const double* k, const double* quat, const double* w, double t, double* quat_out,
                double* w_out) {
    // terms already hold t^n: w = Σ W[n], p = Σ P[n], with R_WB(t) = R_WB(0) R(p)
    double W[FLIGHT_TERMS + 1][3], P[FLIGHT_TERMS + 1][4];
    double w_sum[3], p_sum[4] = {1, 0, 0, 0};
    for (int i = 0; i < 3; ++i) W[0][i] = w_sum[i] = w[i];
    P[0][0] = 1;
    P[0][1] = P[0][2] = P[0][3] = 0;
    const bool bends = flight_bends(k, w, t);
    double last = 1;
    for (int n = 0; n < FLIGHT_TERMS; ++n) {
        const double share = t / (n + 1), half = 0.5 * share;
        double a = 0, b = 0, c = 0;
        double p0 = 0, p1 = 0, p2 = 0, p3 = 0;
        // without bending only W[0] is not zero
        const int first = bends ? 0 : n;
        for (int i = first; i <= n; ++i) {
            const double* p = P[i];
            const double* u = W[n - i];
            p0 -= p[1] * u[0] + p[2] * u[1] + p[3] * u[2];
            p1 += p[0] * u[0] + p[2] * u[2] - p[3] * u[1];
            p2 += p[0] * u[1] - p[1] * u[2] + p[3] * u[0];
            p3 += p[0] * u[2] + p[1] * u[1] - p[2] * u[0];
        }
        double* next = P[n + 1];
        next[0] = half * p0;
        next[1] = half * p1;
        next[2] = half * p2;
        next[3] = half * p3;
        for (int i = 0; i < 4; ++i) p_sum[i] += next[i];
        double size = fabs(next[0]) + fabs(next[1]) + fabs(next[2]) + fabs(next[3]);
        if (bends) {
            for (int i = 0; i <= n; ++i) {
                const double *u = W[i], *v = W[n - i];
                a += u[1] * v[2];
                b += u[2] * v[0];
                c += u[0] * v[1];
            }
            W[n + 1][0] = share * k[0] * a;
            W[n + 1][1] = share * k[1] * b;
            W[n + 1][2] = share * k[2] * c;
            for (int i = 0; i < 3; ++i) {
                w_sum[i] += W[n + 1][i];
                size += fabs(t * W[n + 1][i]);
            }
        }
        // two small terms in a row: a single one may vanish by chance
        if (size + last < FLIGHT_ACCURACY) break;
        last = size;
    }
    quat_multiply(quat, p_sum, quat_out);
    quat_refresh(quat_out);
    for (int i = 0; i < 3; ++i) w_out[i] = w_sum[i];
}

}  // namespace kinegen::impulse
