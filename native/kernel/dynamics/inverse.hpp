// Inverse dynamics of the tree by the recursive Newton-Euler algorithm (Luh, Walker, Paul 1980).
//
// Outward: velocities and accelerations of all links, the base accelerated by -gravity. Inward: the
// force and moment that each joint hands on. Cut joints are absent: their efforts are 0.
#pragma once

#include "kernel/dynamics/joint.hpp"

namespace kinegen {
namespace KINEGEN_ISA {

template <class V>
struct LinkMotion {
    Place<V> at;
    V w[3], alpha[3], a[3];  // angular velocity, angular acceleration, acceleration of the origin
    V f[3], n[3];            // force and moment about the origin
    V R_W[9];                // R_WM, kept only when wrenches are given
};

template <class V>
constexpr int64_t LINK_MOTION_SIZE = (int64_t)(sizeof(LinkMotion<V>) / sizeof(V));

// Scratch of all functions here: one LinkMotion per link.
template <class V>
inline LinkMotion<V>* take_motions(Arena<V>& arena, const Model& m) {
    return reinterpret_cast<LinkMotion<V>*>(arena.take(LINK_MOTION_SIZE<V> * m.link_count));
}

template <class V>
KINEGEN_SPATIAL void rest_base(const Model& m, LinkMotion<V>& base) {
    for (int i = 0; i < 3; ++i) {
        base.w[i] = base.alpha[i] = broadcast<V>(0);
        base.a[i] = broadcast<V>(-m.gravity[i]);
    }
    for (int i = 0; i < 9; ++i) base.R_W[i] = broadcast<V>(i % 4 == 0 ? 1 : 0);
}

// f -= force, n -= moment of an outer wrench (force, moment about the link's origin; world axes).
template <class V>
KINEGEN_SPATIAL void take_wrench(const V* R_W, const V* wrench, V* f, V* n) {
    V local[3];
    turn_in(R_W, wrench, local);
    for (int i = 0; i < 3; ++i) f[i] = f[i] - local[i];
    turn_in(R_W, wrench + 3, local);
    for (int i = 0; i < 3; ++i) n[i] = n[i] - local[i];
}

// Hands a force and a moment on to the link that carries this one.
template <class V>
KINEGEN_SPATIAL void hand_on(const Place<V>& at, const V* f, const V* n, V* f_P, V* n_P) {
    V force[3], moment[3];
    turn_out(at.R, f, force);
    turn_out(at.R, n, moment);
    add_cross(at.p, force, moment);
    for (int i = 0; i < 3; ++i) {
        f_P[i] = f_P[i] + force[i];
        n_P[i] = n_P[i] + moment[i];
    }
}

// Efforts tau (nv) for accelerations vdot. MOVING, ACCELERATED: whether v, vdot are given at all;
// else they are 0 and not read. wrenches: six numbers per link (force [N], moment about its origin
// [N m], world axes), or null.
template <class V, bool MOVING, bool ACCELERATED>
inline void newton_euler(const Model& m, const V* q, const V* v, const V* vdot, const V* wrenches,
                         LinkMotion<V>* links, V* tau) {
    rest_base(m, links[0]);
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t joint = m.tree_order[i], link = m.joint_child[joint];
        const int32_t type = m.joint_type[joint], first = m.joint_v[joint];
        const LinkMotion<V>& P = links[m.joint_parent[joint]];
        LinkMotion<V>& L = links[link];
        place_joint(m, joint, q + m.joint_q[joint], L.at);

        // motion; from a base at rest little is handed on
        V a[3], angular_term[3];
        const bool grounded = m.joint_parent[joint] == 0;
        if (grounded || (!MOVING && !ACCELERATED)) {
            turn_in(L.at.R, P.a, L.a);
            for (int k = 0; k < 3; ++k) L.w[k] = L.alpha[k] = broadcast<V>(0);
            if (MOVING && type != FIXED) {
                if (type == REVOLUTE) {
                    L.w[2] = v[first];
                } else {
                    velocity_terms(m, joint, L.at, P.w, v + first, L.w, a, angular_term);
                    for (int k = 0; k < 3; ++k) {
                        L.a[k] = L.a[k] + a[k];
                        L.alpha[k] = angular_term[k];
                    }
                }
            }
        } else {
            V carried[3];
            cross(P.alpha, L.at.p, carried);
            for (int k = 0; k < 3; ++k) carried[k] = carried[k] + P.a[k];
            turn_in(L.at.R, carried, L.a);
            turn_in(L.at.R, P.alpha, L.alpha);
            if (MOVING) {
                velocity_terms(m, joint, L.at, P.w, v + first, L.w, a, angular_term);
                for (int k = 0; k < 3; ++k) {
                    L.a[k] = L.a[k] + a[k];
                    L.alpha[k] = L.alpha[k] + angular_term[k];
                }
            }
        }
        if (ACCELERATED) add_columns(m, joint, L.at, vdot + first, L.a, L.alpha);

        // force and moment, by the centre of mass
        const double* number = m.inertia + (int64_t)INERTIA_SIZE * link;
        const V mass = broadcast<V>(number[0]);
        V centre[3], inertia[6], at_centre[3];
        for (int k = 0; k < 3; ++k) {
            centre[k] = broadcast<V>(number[1 + k]);
            at_centre[k] = L.a[k];
            L.n[k] = broadcast<V>(0);
        }
        if (MOVING || ACCELERATED) {
            for (int k = 0; k < 6; ++k) inertia[k] = broadcast<V>(number[4 + k]);
            add_cross(L.alpha, centre, at_centre);
            multiply_symmetric(inertia, L.alpha, L.n);
        }
        if (MOVING) {
            V wc[3], spin[3];
            cross(L.w, centre, wc);
            add_cross(L.w, wc, at_centre);
            multiply_symmetric(inertia, L.w, spin);
            add_cross(L.w, spin, L.n);
        }
        for (int k = 0; k < 3; ++k) L.f[k] = mass * at_centre[k];
        add_cross(centre, L.f, L.n);
        if (wrenches != nullptr) {
            multiply(P.R_W, L.at.R, L.R_W);
            take_wrench(L.R_W, wrenches + 6 * (int64_t)link, L.f, L.n);
        }
    }

    for (int32_t k = 0; k < m.nv; ++k) tau[k] = broadcast<V>(0);
    for (int32_t i = m.tree_count - 1; i >= 0; --i) {
        const int32_t joint = m.tree_order[i], parent = m.joint_parent[joint];
        const LinkMotion<V>& L = links[m.joint_child[joint]];
        const int32_t first = m.joint_v[joint];
        project(m, joint, L.at, L.f, L.n, tau + first);
        if (ACCELERATED)
            for (int32_t k = first; k < first + JOINT_NV[m.joint_type[joint]]; ++k)
                tau[k] = tau[k] + vdot[k] * broadcast<V>(reflected_inertia(m, k));
        if (parent != 0) hand_on(L.at, L.f, L.n, links[parent].f, links[parent].n);
    }
}

// H(q) vdot + bias(q, v) - Jᵀ wrenches
template <class V>
inline void inverse_dynamics(const Model& m, const V* q, const V* v, const V* vdot,
                             const V* wrenches, LinkMotion<V>* links, V* tau) {
    newton_euler<V, true, true>(m, q, v, vdot, wrenches, links, tau);
}

// Coriolis, centrifugal and gravity efforts, and those of wrenches.
template <class V>
inline void bias_efforts(const Model& m, const V* q, const V* v, const V* wrenches,
                         LinkMotion<V>* links, V* tau) {
    newton_euler<V, true, false>(m, q, v, static_cast<const V*>(nullptr), wrenches, links, tau);
}

// Efforts that hold the tree at rest against gravity, and against wrenches.
template <class V>
inline void gravity_efforts(const Model& m, const V* q, const V* wrenches, LinkMotion<V>* links,
                            V* tau) {
    const V* none = nullptr;
    newton_euler<V, false, false>(m, q, none, none, wrenches, links, tau);
}

}  // namespace KINEGEN_ISA

using KINEGEN_ISA::bias_efforts;
using KINEGEN_ISA::gravity_efforts;
using KINEGEN_ISA::inverse_dynamics;
using KINEGEN_ISA::LinkMotion;
using KINEGEN_ISA::take_motions;

}  // namespace kinegen
