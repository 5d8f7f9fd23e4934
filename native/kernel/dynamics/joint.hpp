// What each joint type does, in the frame M that it moves: placement, relative motion, projection.
#pragma once

#include "kernel/dynamics/spatial.hpp"

namespace kinegen {
namespace KINEGEN_ISA {

constexpr int MAX_JOINT_DOF = 6;

// A link seen from the one that carries it.
template <class V>
struct Place {
    V R[9], p[3];  // X_PM
    V s, c;        // of the angle on which the joint's axes depend (universal, planar)
};

KINEGEN_SPATIAL double screw_lead(const Model& m, int32_t joint) {
    return m.pitch[joint] * (0.5 / 3.14159265358979323846);
}

template <class V>
KINEGEN_SPATIAL void place_quat(const V* q, V* E) {
    const V w = q[0], x = q[1], y = q[2], z = q[3], one = broadcast<V>(1);
    const V s = broadcast<V>(2) / (w * w + x * x + y * y + z * z);
    E[0] = one - s * (y * y + z * z);
    E[1] = s * (x * y - w * z);
    E[2] = s * (x * z + w * y);
    E[3] = s * (x * y + w * z);
    E[4] = one - s * (x * x + z * z);
    E[5] = s * (y * z - w * x);
    E[6] = s * (x * z - w * y);
    E[7] = s * (y * z + w * x);
    E[8] = one - s * (x * x + y * y);
}

// X_PM of any joint type but hinges and sliders, by X_FM.
template <class V>
inline void place_any(const Model& m, int32_t joint, const V* q, const V* R0, const V* p0,
                      Place<V>& out) {
    const V zero = broadcast<V>(0), one = broadcast<V>(1);
    V E[9] = {one, zero, zero, zero, one, zero, zero, zero, one};
    V d[3] = {zero, zero, zero};
    const int32_t type = m.joint_type[joint];
    if (JOINT_QUATERNION[type]) {
        place_quat(q, E);
        if (type == FREE)
            for (int i = 0; i < 3; ++i) d[i] = q[4 + i];
    } else if (type != FIXED) {
        // all others turn about z
        V s, c;
        sine_cosine(type == PLANAR ? q[2] : q[0], s, c);
        E[0] = E[4] = c;
        E[1] = zero - s;
        E[3] = s;
        if (type == SCREW) d[2] = q[0] * broadcast<V>(screw_lead(m, joint));
        if (type == CYLINDRICAL) d[2] = q[1];
        if (type == PLANAR) {
            d[0] = q[0];
            d[1] = q[1];
            out.s = s;
            out.c = c;
        }
        if (type == UNIVERSAL) {
            V sx, cx;
            sine_cosine(q[1], sx, cx);
            E[1] = zero - s * cx;
            E[2] = s * sx;
            E[4] = c * cx;
            E[5] = zero - c * sx;
            E[7] = sx;
            E[8] = cx;
            out.s = sx;
            out.c = cx;
        }
    }
    multiply(R0, E, out.R);
    turn_out(R0, d, out.p);
    for (int i = 0; i < 3; ++i) out.p[i] = out.p[i] + p0[i];
}

// X_PM of a joint; q: the joint's own variables.
template <class V>
KINEGEN_SPATIAL void place_joint(const Model& m, int32_t joint, const V* q, Place<V>& out) {
    const double* X = m.transforms + (int64_t)TRANSFORM_SIZE * joint;
    const int32_t type = m.joint_type[joint];
    V R0[9], p0[3];
    for (int i = 0; i < 9; ++i) R0[i] = broadcast<V>(X[i]);
    for (int i = 0; i < 3; ++i) p0[i] = broadcast<V>(X[9 + i]);
    if (type == REVOLUTE) {
        V s, c;
        sine_cosine(q[0], s, c);
        for (int i = 0; i < 3; ++i) {
            out.R[3 * i] = c * R0[3 * i] + s * R0[3 * i + 1];
            out.R[3 * i + 1] = c * R0[3 * i + 1] - s * R0[3 * i];
            out.R[3 * i + 2] = R0[3 * i + 2];
            out.p[i] = p0[i];
        }
    } else if (type == PRISMATIC) {
        for (int i = 0; i < 9; ++i) out.R[i] = R0[i];
        for (int i = 0; i < 3; ++i) out.p[i] = p0[i] + R0[3 * i + 2] * q[0];
    } else {
        place_any(m, joint, q, R0, p0, out);
    }
}

// Adds S x: what variables x (speeds, or accelerations) of a joint do to its link, in M.
template <class V>
KINEGEN_SPATIAL void add_columns(const Model& m, int32_t joint, const Place<V>& at, const V* x,
                                 V* linear, V* angular) {
    switch (m.joint_type[joint]) {
        case REVOLUTE:
            angular[2] = angular[2] + x[0];
            break;
        case PRISMATIC:
            linear[2] = linear[2] + x[0];
            break;
        case SCREW:
            angular[2] = angular[2] + x[0];
            linear[2] = linear[2] + x[0] * broadcast<V>(screw_lead(m, joint));
            break;
        case CYLINDRICAL:
            angular[2] = angular[2] + x[0];
            linear[2] = linear[2] + x[1];
            break;
        case UNIVERSAL:
            angular[0] = angular[0] + x[1];
            angular[1] = angular[1] + at.s * x[0];
            angular[2] = angular[2] + at.c * x[0];
            break;
        case SPHERICAL:
            for (int i = 0; i < 3; ++i) angular[i] = angular[i] + x[i];
            break;
        case PLANAR:
            linear[0] = linear[0] + at.c * x[0] + at.s * x[1];
            linear[1] = linear[1] + at.c * x[1] - at.s * x[0];
            angular[2] = angular[2] + x[2];
            break;
        case FREE:
            for (int i = 0; i < 3; ++i) {
                linear[i] = linear[i] + x[i];
                angular[i] = angular[i] + x[3 + i];
            }
            break;
        default:
            break;
    }
}

// Sᵀ (f, n): the efforts along a joint's variables of a force and a moment at M's origin.
template <class V>
KINEGEN_SPATIAL void project(const Model& m, int32_t joint, const Place<V>& at, const V* f,
                             const V* n, V* effort) {
    switch (m.joint_type[joint]) {
        case REVOLUTE:
            effort[0] = n[2];
            break;
        case PRISMATIC:
            effort[0] = f[2];
            break;
        case SCREW:
            effort[0] = n[2] + f[2] * broadcast<V>(screw_lead(m, joint));
            break;
        case CYLINDRICAL:
            effort[0] = n[2];
            effort[1] = f[2];
            break;
        case UNIVERSAL:
            effort[0] = at.s * n[1] + at.c * n[2];
            effort[1] = n[0];
            break;
        case SPHERICAL:
            for (int i = 0; i < 3; ++i) effort[i] = n[i];
            break;
        case PLANAR:
            effort[0] = at.c * f[0] - at.s * f[1];
            effort[1] = at.s * f[0] + at.c * f[1];
            effort[2] = n[2];
            break;
        case FREE:
            for (int i = 0; i < 3; ++i) {
                effort[i] = f[i];
                effort[3 + i] = n[i];
            }
            break;
        default:
            break;
    }
}

// Angular velocity w of a link, and what its acceleration owes to velocities alone: point_term for
// its origin, angular_term. v: the joint's speeds; w_P: of the link that carries it, in its axes.
template <class V>
KINEGEN_SPATIAL void velocity_terms(const Model& m, int32_t joint, const Place<V>& at, const V* w_P,
                                    const V* v, V* w, V* point_term, V* angular_term) {
    const V zero = broadcast<V>(0);
    const int32_t type = m.joint_type[joint];
    // w_P × (w_P × p), seen from M
    V turned[3], wp[3], wwp[3];
    cross(w_P, at.p, wp);
    cross(w_P, wp, wwp);
    turn_in(at.R, wwp, point_term);
    turn_in(at.R, w_P, turned);
    for (int i = 0; i < 3; ++i) w[i] = turned[i];
    if (type == REVOLUTE) {
        w[2] = w[2] + v[0];
        angular_term[0] = turned[1] * v[0];
        angular_term[1] = zero - turned[0] * v[0];
        angular_term[2] = zero;
    } else if (type == PRISMATIC) {
        const V twice = v[0] + v[0];
        point_term[0] = point_term[0] + turned[1] * twice;
        point_term[1] = point_term[1] - turned[0] * twice;
        angular_term[0] = angular_term[1] = angular_term[2] = zero;
    } else {
        V linear[3] = {zero, zero, zero}, angular[3] = {zero, zero, zero};
        add_columns(m, joint, at, v, linear, angular);
        cross(turned, angular, angular_term);
        V coriolis[3];
        cross(turned, linear, coriolis);
        for (int i = 0; i < 3; ++i) {
            w[i] = w[i] + angular[i];
            point_term[i] = point_term[i] + (coriolis[i] + coriolis[i]);
        }
        if (type == UNIVERSAL) {
            // z of F turns about x in M
            const V both = v[0] * v[1];
            angular_term[1] = angular_term[1] + at.c * both;
            angular_term[2] = angular_term[2] - at.s * both;
        }
        if (type == FREE) add_cross(angular, linear, point_term);  // its axes turn with M
    }
}

}  // namespace KINEGEN_ISA
}  // namespace kinegen
