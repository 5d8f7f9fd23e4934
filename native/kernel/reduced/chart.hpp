// Coordinates around a configuration in which an integrator may add: a turning vector for every
// quaternion, the place in the world for a free joint, the variable itself for all others.
//
// Their second derivatives follow from those of the joints' velocities, so that any method for
// y'' = f(y, y') keeps its order on quaternions (E. Hairer, C. Lubich, G. Wanner, Geometric
// Numerical Integration, 2nd ed., section IV.8).
#pragma once

#include "kernel/base/manifold.hpp"

namespace kinegen {

// out = Jr(xi) a: body angular velocity of R exp(xi) when xi changes by a.
inline void right_jacobian(const double* xi, const double* a, double* out) {
    const double back[3] = {-xi[0], -xi[1], -xi[2]};
    left_jacobian(back, a, out);
}

// Rate of Jr(xi) p when xi changes by p, to the third order in xi.
inline void right_jacobian_rate(const double* xi, const double* p, double* out) {
    double c1[3], c2[3], c3[3], pc1[3], a[3], b[3];
    cross3(xi, p, c1);
    cross3(xi, c1, c2);
    cross3(xi, c2, c3);
    cross3(p, c1, pc1);
    for (int i = 0; i < 3; ++i) out[i] = pc1[i] / 6;
    cross3(p, c2, a);
    cross3(xi, pc1, b);
    for (int i = 0; i < 3; ++i) out[i] -= (a[i] + b[i]) / 24;
    double pc2[3] = {a[0], a[1], a[2]}, d[3];
    cross3(p, c3, a);
    cross3(xi, pc2, d);
    for (int i = 0; i < 3; ++i) a[i] += d[i];
    cross3(xi, b, d);
    for (int i = 0; i < 3; ++i) out[i] += (a[i] + d[i]) / 120;
}

// p: rates of the coordinates at q0 itself, for velocities v. Tree joints only, as all here.
inline void enter_chart(const Model& m, const double* q0, const double* v, double* p) {
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t j = m.tree_order[i], type = m.joint_type[j], at = m.joint_v[j];
        for (int32_t k = 0; k < JOINT_NV[type]; ++k) p[at + k] = v[at + k];
        if (type == FREE) {
            double R[9];
            quat_to_matrix(q0 + m.joint_q[j], R);
            rotate(R, v + at, p + at);
        }
    }
}

// q and v at coordinates xi and their rates p, around q0.
inline void leave_chart(const Model& m, const double* q0, const double* xi, const double* p,
                        double* q, double* v) {
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t j = m.tree_order[i], type = m.joint_type[j], at = m.joint_v[j];
        const double* from = q0 + m.joint_q[j];
        double* to = q + m.joint_q[j];
        if (!JOINT_QUATERNION[type]) {
            for (int32_t k = 0; k < JOINT_NV[type]; ++k) {
                to[k] = from[k] + xi[at + k];
                v[at + k] = p[at + k];
            }
            continue;
        }
        const int32_t turn = type == FREE ? at + 3 : at;
        double step[4], quat[4];
        quat_exp(xi + turn, step);
        quat_multiply(from, step, quat);
        quat_normalize(quat);
        right_jacobian(xi + turn, p + turn, v + turn);
        if (type == FREE) {
            double R[9];
            quat_to_matrix(quat, R);
            rotate_back(R, p + at, v + at);
            for (int k = 0; k < 3; ++k) to[4 + k] = from[4 + k] + xi[at + k];
        }
        for (int k = 0; k < 4; ++k) to[k] = quat[k];
    }
}

// Accelerations of the coordinates from those of the joints (in place), at q, v as leave_chart
// gave.
inline void chart_accelerations(const Model& m, const double* q, const double* v, const double* xi,
                                const double* p, double* a) {
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t j = m.tree_order[i], type = m.joint_type[j], at = m.joint_v[j];
        if (!JOINT_QUATERNION[type]) continue;
        const int32_t turn = type == FREE ? at + 3 : at;
        if (type == FREE) {
            double R[9];
            quat_to_matrix(q + m.joint_q[j], R);
            add_cross3(v + turn, v + at, a + at);
            rotate(R, a + at, a + at);
        }
        double rate[3];
        right_jacobian_rate(xi + turn, p + turn, rate);
        for (int k = 0; k < 3; ++k) rate[k] = a[turn + k] - rate[k];
        right_jacobian_inverse(xi + turn, rate, a + turn);
    }
}

// q moved by a tangent vector, tree joints only.
inline void move_tree_joints(const Model& m, const double* q, const double* v, double scale,
                             double* out) {
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t j = m.tree_order[i], type = m.joint_type[j];
        const double *from = q + m.joint_q[j], *by = v + m.joint_v[j];
        double* to = out + m.joint_q[j];
        if (!JOINT_QUATERNION[type]) {
            for (int32_t k = 0; k < JOINT_NV[type]; ++k) to[k] = from[k] + scale * by[k];
            continue;
        }
        double step[4], quat[4], w[3];
        const double* turn = type == FREE ? by + 3 : by;
        for (int k = 0; k < 3; ++k) w[k] = scale * turn[k];
        if (type == FREE) {
            double R[9], shift[3], d[3] = {scale * by[0], scale * by[1], scale * by[2]};
            quat_to_matrix(from, R);
            left_jacobian(w, d, shift);
            rotate(R, shift, shift);
            for (int k = 0; k < 3; ++k) to[4 + k] = from[4 + k] + shift[k];
        }
        quat_exp(w, step);
        quat_multiply(from, step, quat);
        quat_normalize(quat);
        for (int k = 0; k < 4; ++k) to[k] = quat[k];
    }
}

}  // namespace kinegen
