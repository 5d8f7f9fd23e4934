// Moving on the configuration manifold: q ⊕ v and q1 ⊖ q0, quaternions handled exactly.
#pragma once

#include "kernel/base/tolerances.hpp"
#include "kernel/base/transform.hpp"

namespace kinegen {

// The swing of a rotation wxyz: the angle by which it tilts the z axis [rad].
inline double swing_angle(const double* quat) {
    return 2 * atan2(sqrt(quat[1] * quat[1] + quat[2] * quat[2]),
                     sqrt(quat[0] * quat[0] + quat[3] * quat[3]));
}

// The body axis (x and y alone) about which a turn widens the swing by its own angle; false where
// every axis does, at no swing at all and at half a turn.
inline bool swing_axis(const double* quat, double* axis) {
    const double x = 2 * (quat[2] * quat[3] + quat[0] * quat[1]);
    const double y = -2 * (quat[1] * quat[3] - quat[0] * quat[2]);
    const double sine = sqrt(x * x + y * y);
    axis[0] = sine > tolerance::UPRIGHT ? x / sine : 0;
    axis[1] = sine > tolerance::UPRIGHT ? y / sine : 0;
    return sine > tolerance::UPRIGHT;
}

// Acceleration of the swing under steady angular velocity w, body axes, where it has an axis.
inline double swing_bend(const double* quat, const double* w) {
    // the z axis that it leaves, in body axes: its z is the cosine of the swing
    const double u[3] = {2 * (quat[1] * quat[3] - quat[0] * quat[2]),
                         2 * (quat[2] * quat[3] + quat[0] * quat[1]),
                         1 - 2 * (quat[1] * quat[1] + quat[2] * quat[2])};
    const double sine = sqrt(u[0] * u[0] + u[1] * u[1]), rate = (u[1] * w[0] - u[0] * w[1]) / sine;
    const double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2] - rate * rate;
    return (square * u[2] - (u[0] * w[0] + u[1] * w[1] + u[2] * w[2]) * w[2]) / sine;
}

// Changes the swing of a rotation by an angle, in place, its z axis staying in its plane.
inline void add_swing(double* quat, double angle) {
    double w[3] = {0, 0, 0}, turn[4], out[4];
    if (!swing_axis(quat, w)) return;
    w[0] *= angle;
    w[1] *= angle;
    quat_exp(w, turn);
    quat_multiply(quat, turn, out);
    quat_normalize(out);
    memcpy(quat, out, sizeof(out));
}

// Whether a joint has a swing limit: a spherical one, its limit being the first of its three.
inline bool has_swing_limit(const Model& m, int32_t joint) {
    return m.joint_type[joint] == SPHERICAL && m.upper[m.joint_v[joint]] < PI;
}

// out = q moved by the tangent vector v (a velocity times a time step).
inline void integrate(const Model& m, const double* q, const double* v, double* out) {
    for (int32_t j = 0; j < m.joint_count; ++j) {
        const int32_t type = m.joint_type[j];
        const double* qj = q + m.joint_q[j];
        const double* vj = v + m.joint_v[j];
        double* oj = out + m.joint_q[j];
        if (type == SPHERICAL || type == FREE) {
            double step[4], quat[4] = {qj[0], qj[1], qj[2], qj[3]};
            quat_normalize(quat);
            if (type == FREE) {
                // p + R V(w) v
                double R[9], shift[3];
                quat_to_matrix(quat, R);
                left_jacobian(vj + 3, vj, shift);
                rotate(R, shift, shift);
                for (int i = 0; i < 3; ++i) oj[4 + i] = qj[4 + i] + shift[i];
            }
            quat_exp(type == FREE ? vj + 3 : vj, step);
            quat_multiply(quat, step, oj);
            quat_normalize(oj);
        } else {
            for (int i = 0; i < JOINT_NQ[type]; ++i) oj[i] = qj[i] + vj[i];
        }
    }
}

// out = the tangent vector that moves q0 to q1.
inline void difference(const Model& m, const double* q0, const double* q1, double* out) {
    for (int32_t j = 0; j < m.joint_count; ++j) {
        const int32_t type = m.joint_type[j];
        const double* a = q0 + m.joint_q[j];
        const double* b = q1 + m.joint_q[j];
        double* vj = out + m.joint_v[j];
        if (type == SPHERICAL || type == FREE) {
            double inverse[4] = {a[0], -a[1], -a[2], -a[3]}, relative[4], w[3];
            quat_multiply(inverse, b, relative);
            quat_normalize(relative);
            quat_log(relative, w);
            if (type == FREE) {
                double R[9];
                double d[3] = {b[4] - a[4], b[5] - a[5], b[6] - a[6]};
                quat_to_matrix(a, R);
                rotate_back(R, d, d);
                left_jacobian_inverse(w, d, vj);
            }
            double* angular = type == FREE ? vj + 3 : vj;
            for (int i = 0; i < 3; ++i) angular[i] = w[i];
        } else {
            for (int i = 0; i < JOINT_NQ[type]; ++i) vj[i] = b[i] - a[i];
        }
    }
}

}  // namespace kinegen
