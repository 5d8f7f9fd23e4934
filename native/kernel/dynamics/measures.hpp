// Centre of mass, momentum and energy of the tree; efforts and energy of springs and friction.
#pragma once

#include "kernel/dynamics/inverse.hpp"
#include "kernel/dynamics/tasks.hpp"

namespace kinegen {
namespace KINEGEN_ISA {

// Where a link is and how it moves, in the link's axes but for the place.
template <class V>
struct LinkFlight {
    Place<V> at;
    V R_W[9], p_W[3];  // X_WM
    V w[3], u[3];      // angular velocity, velocity of the origin
};

template <class V>
inline LinkFlight<V>* take_flights(Arena<V>& arena, const Model& m) {
    return reinterpret_cast<LinkFlight<V>*>(
        arena.take((int64_t)(sizeof(LinkFlight<V>) / sizeof(V)) * m.link_count));
}

// Numbers of a task's result.
inline int64_t dynamics_rows(const Model& m, int32_t task) {
    return task == TASK_MASS ? (int64_t)m.nv * m.nv : task == TASK_MEASURES ? MEASURE_COUNT : m.nv;
}

// How far a joint's variable k is from where its spring is relaxed; q: the joint's own variables.
// A ball joint's springs are relaxed at the unit quaternion: its displacement is the rotation
// vector.
template <class V>
KINEGEN_SPATIAL V spring_stretch(const Model& m, int32_t joint, int32_t k, const V* q);

template <>
KINEGEN_SPATIAL double spring_stretch(const Model& m, int32_t joint, int32_t k, const double* q) {
    const int32_t type = m.joint_type[joint];
    const double rest = m.spring_rest[m.joint_v[joint] + k];
    if (type == FREE && k < 3) return q[4 + k] - rest;
    if (!JOINT_QUATERNION[type]) return q[k] - rest;
    // the rotation vector of the quaternion, the short way round
    const double n = ::sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double sign = q[0] < 0 ? -1 : 1;
    const double scale = n < 1e-12 ? 2 * sign : sign * 2 * ::atan2(n, sign * q[0]) / n;
    return scale * q[1 + (type == FREE ? k - 3 : k)] - rest;
}
template <>
KINEGEN_SPATIAL Lanes64 spring_stretch(const Model& m, int32_t joint, int32_t k, const Lanes64* q) {
    Lanes64 out = all<double>(0);
    for (int i = 0; i < WIDTH<double>; ++i) {
        double own[7];
        for (int32_t n = 0; n < JOINT_NQ[m.joint_type[joint]]; ++n) own[n] = q[n][i];
        out[i] = spring_stretch<double>(m, joint, k, own);
    }
    return out;
}

// Efforts of springs, dampers and friction along v (they push: subtract them from what a motor must
// give). Friction is viscous plus Coulomb's, which grows to the static one at speeds below
// Stribeck's; at rest it is 0. Springs of cut joints count as well.
inline void passive_efforts(const Model& m, const double* q, const double* v, double* tau) {
    for (int32_t joint = 0; joint < m.joint_count; ++joint)
        for (int32_t k = 0; k < JOINT_NV[m.joint_type[joint]]; ++k) {
            const int32_t i = m.joint_v[joint] + k;
            double effort = -(m.viscous[i] + m.spring_damping[i]) * v[i];
            if (m.stiffness[i] != 0)
                effort -=
                    m.stiffness[i] * spring_stretch<double>(m, joint, k, q + m.joint_q[joint]);
            if (m.coulomb[i] != 0 || m.breakaway[i] != 0) {
                double dry = m.coulomb[i];
                if (m.stribeck[i] > 0 && m.breakaway[i] > dry) {
                    const double ratio = v[i] / m.stribeck[i];
                    dry += (m.breakaway[i] - dry) * ::exp(-ratio * ratio);
                }
                effort -= v[i] > 0 ? dry : v[i] < 0 ? -dry : 0;
            }
            tau[i] = effort;
        }
}

// Where a joint's outer link is and how it moves; q, v: of the whole mechanism, v null at rest.
template <class V>
KINEGEN_SPATIAL void carry_link(const Model& m, int32_t joint, const V* q, const V* v,
                                LinkFlight<V>* links) {
    const LinkFlight<V>& P = links[m.joint_parent[joint]];
    LinkFlight<V>& L = links[m.joint_child[joint]];
    place_joint(m, joint, q + m.joint_q[joint], L.at);
    multiply(P.R_W, L.at.R, L.R_W);
    turn_out(P.R_W, L.at.p, L.p_W);
    V carried[3];
    cross(P.w, L.at.p, carried);
    for (int k = 0; k < 3; ++k) {
        L.p_W[k] = L.p_W[k] + P.p_W[k];
        carried[k] = carried[k] + P.u[k];
    }
    turn_in(L.at.R, carried, L.u);
    turn_in(L.at.R, P.w, L.w);
    if (v != nullptr) add_columns(m, joint, L.at, v + m.joint_v[joint], L.u, L.w);
}

// Adds a link's share of all measures; spin: angular momentum about the world's origin.
template <class V>
KINEGEN_SPATIAL void measure_link(const Model& m, int32_t link, const LinkFlight<V>& L, V* spin,
                                  V* out) {
    const double* number = m.inertia + (int64_t)INERTIA_SIZE * link;
    const V mass = broadcast<V>(number[0]), half = broadcast<V>(0.5);
    V centre[3], inertia[6], velocity[3], turning[3], p[3], momentum[3];
    for (int k = 0; k < 3; ++k) {
        centre[k] = broadcast<V>(number[1 + k]);
        velocity[k] = L.u[k];
    }
    for (int k = 0; k < 6; ++k) inertia[k] = broadcast<V>(number[4 + k]);
    add_cross(L.w, centre, velocity);
    multiply_symmetric(inertia, L.w, turning);
    out[MEASURE_KINETIC] =
        out[MEASURE_KINETIC] + half * (mass * dot(velocity, velocity) + dot(turning, L.w));
    turn_out(L.R_W, centre, p);
    turn_out(L.R_W, velocity, momentum);
    turn_out(L.R_W, turning, turning);
    out[MEASURE_MASS] = out[MEASURE_MASS] + mass;
    for (int k = 0; k < 3; ++k) {
        p[k] = p[k] + L.p_W[k];
        momentum[k] = mass * momentum[k];
        spin[k] = spin[k] + turning[k];
        out[MEASURE_CENTRE + k] = out[MEASURE_CENTRE + k] + mass * p[k];
        out[MEASURE_LINEAR_MOMENTUM + k] = out[MEASURE_LINEAR_MOMENTUM + k] + momentum[k];
        out[MEASURE_POTENTIAL] = out[MEASURE_POTENTIAL] - mass * p[k] * broadcast<V>(m.gravity[k]);
    }
    add_cross(p, momentum, spin);
}

// Adds the energy of rotors and springs.
template <class V>
inline void measure_joints(const Model& m, const V* q, const V* v, V* out) {
    const V half = broadcast<V>(0.5);
    for (int32_t joint = 0; joint < m.joint_count; ++joint)
        for (int32_t k = 0; k < JOINT_NV[m.joint_type[joint]]; ++k) {
            const int32_t i = m.joint_v[joint] + k;
            const bool carries = m.link_joint[m.joint_child[joint]] == joint;
            if (v != nullptr && carries && m.rotor[i] != 0)
                out[MEASURE_KINETIC] = out[MEASURE_KINETIC] +
                                       half * broadcast<V>(reflected_inertia(m, i)) * v[i] * v[i];
            if (m.stiffness[i] != 0) {
                const V x = spring_stretch<V>(m, joint, k, q + m.joint_q[joint]);
                out[MEASURE_SPRINGS] =
                    out[MEASURE_SPRINGS] + half * broadcast<V>(m.stiffness[i]) * x * x;
            }
        }
}

// All measures; v null: at rest.
template <class V>
inline void measure(const Model& m, const V* q, const V* v, LinkFlight<V>* links, V* out) {
    const V zero = broadcast<V>(0);
    set_zero(out, MEASURE_COUNT);
    LinkFlight<V>& base = links[0];
    for (int i = 0; i < 9; ++i) base.R_W[i] = broadcast<V>(i % 4 == 0 ? 1 : 0);
    for (int i = 0; i < 3; ++i) base.p_W[i] = base.w[i] = base.u[i] = zero;
    V spin[3] = {zero, zero, zero};
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t joint = m.tree_order[i], link = m.joint_child[joint];
        carry_link(m, joint, q, v, links);
        measure_link(m, link, links[link], spin, out);
    }
    // about the centre of mass
    const V total = out[MEASURE_MASS];
    for (int k = 0; k < 3; ++k) {
        out[MEASURE_CENTRE + k] = out[MEASURE_CENTRE + k] / total;
        out[MEASURE_CENTRE_VELOCITY + k] = out[MEASURE_LINEAR_MOMENTUM + k] / total;
    }
    V offset[3];
    cross(out + MEASURE_CENTRE, out + MEASURE_LINEAR_MOMENTUM, offset);
    for (int k = 0; k < 3; ++k) out[MEASURE_ANGULAR_MOMENTUM + k] = spin[k] - offset[k];
    measure_joints(m, q, v, out);
}

}  // namespace KINEGEN_ISA

using KINEGEN_ISA::dynamics_rows;
using KINEGEN_ISA::LinkFlight;
using KINEGEN_ISA::measure;
using KINEGEN_ISA::passive_efforts;
using KINEGEN_ISA::take_flights;

}  // namespace kinegen
