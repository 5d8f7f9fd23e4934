// Forward dynamics of the tree by articulated bodies (Featherstone 1983), in three parts that an
// engine may also use one by one:
//   articulate        inertias as the joints feel them: depends on q alone
//   find_accelerations  with velocities, gravity, wrenches and efforts
//   apply_inverse_mass  H⁻¹ times any vector, O(n) each, after articulate
// Cut joints are absent: their accelerations are 0.
#pragma once

#include "kernel/base/tolerances.hpp"
#include "kernel/dynamics/inverse.hpp"

namespace kinegen {
namespace KINEGEN_ISA {

// The articulated inertia of a link: n = I alpha + H a, f = Hᵀ alpha + M a, in its frame.
template <class V>
struct Articulated {
    V I[6], H[9], M[6];
};

template <class V>
struct LinkDynamics {
    Place<V> at;
    Articulated<V> body;
    V w[3];
    V point_term[3], angular_term[3];
    V f[3], n[3];
    V a[3], alpha[3];
    V R_W[9];
};

// Scratch: links, and per variable U = body S (force, moment), rows of D⁻¹, remaining effort.
template <class V>
struct ForwardMemory {
    LinkDynamics<V>* links;
    V (*U)[MAX_JOINT_DOF];
    V (*inverse)[MAX_JOINT_DOF];
    V* rest;
};

template <class V>
inline ForwardMemory<V> take_forward(Arena<V>& arena, const Model& m) {
    ForwardMemory<V> s;
    s.links = reinterpret_cast<LinkDynamics<V>*>(
        arena.take((int64_t)(sizeof(LinkDynamics<V>) / sizeof(V)) * m.link_count));
    s.U = reinterpret_cast<V(*)[MAX_JOINT_DOF]>(arena.take(MAX_JOINT_DOF * (int64_t)m.nv));
    s.inverse = reinterpret_cast<V(*)[MAX_JOINT_DOF]>(arena.take(MAX_JOINT_DOF * (int64_t)m.nv));
    s.rest = arena.take(m.nv);
    return s;
}

// D⁻¹ of count × count, symmetric positive definite, by Gauss-Jordan; false when it is not.
template <class V>
inline bool invert_block(V D[MAX_JOINT_DOF][MAX_JOINT_DOF], int32_t count, const V* least) {
    bool good = true;
    for (int32_t k = 0; k < count; ++k) {
        good = good && all_above(D[k][k], least[k]);
        const V pivot = broadcast<V>(1) / D[k][k];
        D[k][k] = broadcast<V>(1);
        for (int32_t c = 0; c < count; ++c) D[k][c] = D[k][c] * pivot;
        for (int32_t r = 0; r < count; ++r) {
            if (r == k) continue;
            const V factor = D[r][k];
            D[r][k] = broadcast<V>(0);
            for (int32_t c = 0; c < count; ++c) D[r][c] = D[r][c] - factor * D[k][c];
        }
    }
    return good;
}

// body -= u wᵀ for the force and moment u, w (linear first); only u wᵀ + … that sum up symmetric.
template <class V>
KINEGEN_SPATIAL void take_outer(const V* u, const V* w, Articulated<V>& b) {
    const V *uf = u, *un = u + 3, *wf = w, *wn = w + 3;
    b.I[XX] = b.I[XX] - un[0] * wn[0];
    b.I[YY] = b.I[YY] - un[1] * wn[1];
    b.I[ZZ] = b.I[ZZ] - un[2] * wn[2];
    b.I[XY] = b.I[XY] - un[0] * wn[1];
    b.I[XZ] = b.I[XZ] - un[0] * wn[2];
    b.I[YZ] = b.I[YZ] - un[1] * wn[2];
    b.M[XX] = b.M[XX] - uf[0] * wf[0];
    b.M[YY] = b.M[YY] - uf[1] * wf[1];
    b.M[ZZ] = b.M[ZZ] - uf[2] * wf[2];
    b.M[XY] = b.M[XY] - uf[0] * wf[1];
    b.M[XZ] = b.M[XZ] - uf[0] * wf[2];
    b.M[YZ] = b.M[YZ] - uf[1] * wf[2];
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) b.H[3 * r + c] = b.H[3 * r + c] - un[r] * wf[c];
}

// The force and moment that give a body these accelerations.
template <class V>
KINEGEN_SPATIAL void multiply_body(const Articulated<V>& b, const V* linear, const V* angular, V* f,
                                   V* n) {
    V x[3], y[3];
    multiply_symmetric(b.I, angular, x);
    turn_out(b.H, linear, y);
    for (int i = 0; i < 3; ++i) n[i] = x[i] + y[i];
    turn_in(b.H, angular, x);
    multiply_symmetric(b.M, linear, y);
    for (int i = 0; i < 3; ++i) f[i] = x[i] + y[i];
}

// Adds a body, given in M, to one in the frame that carries M.
template <class V>
KINEGEN_SPATIAL void add_articulated(const Place<V>& at, const Articulated<V>& b,
                                     Articulated<V>& to) {
    V I[6], H[9], M[6];
    turn_symmetric(at.R, b.I, I);
    turn_symmetric(at.R, b.M, M);
    turn_matrix(at.R, b.H, H);
    const V* p = at.p;
    // H_P = H + [p] M, column by column
    V shifted[9];
    const V columns[3][3] = {{M[XX], M[XY], M[XZ]}, {M[XY], M[YY], M[YZ]}, {M[XZ], M[YZ], M[ZZ]}};
    for (int c = 0; c < 3; ++c) {
        V pm[3];
        cross(p, columns[c], pm);
        for (int r = 0; r < 3; ++r) shifted[3 * r + c] = H[3 * r + c] + pm[r];
    }
    // I_P = I + [p] Hᵀ - H_P [p]
    V before[3][3], after[3][3];
    for (int r = 0; r < 3; ++r) {
        cross(p, H + 3 * r, before[r]);
        cross(p, shifted + 3 * r, after[r]);
    }
    to.I[XX] = to.I[XX] + (I[XX] + before[0][0] + after[0][0]);
    to.I[YY] = to.I[YY] + (I[YY] + before[1][1] + after[1][1]);
    to.I[ZZ] = to.I[ZZ] + (I[ZZ] + before[2][2] + after[2][2]);
    to.I[XY] = to.I[XY] + (I[XY] + before[1][0] + after[0][1]);
    to.I[XZ] = to.I[XZ] + (I[XZ] + before[2][0] + after[0][2]);
    to.I[YZ] = to.I[YZ] + (I[YZ] + before[2][1] + after[1][2]);
    for (int k = 0; k < 9; ++k) to.H[k] = to.H[k] + shifted[k];
    for (int k = 0; k < 6; ++k) to.M[k] = to.M[k] + M[k];
}

template <class V>
KINEGEN_SPATIAL void start_body(const Model& m, int32_t link, Articulated<V>& b) {
    RigidBody<V> r;
    rigid_body(m, link, r);
    const V zero = broadcast<V>(0), *h = r.moment;
    for (int k = 0; k < 6; ++k) b.I[k] = r.inertia[k];
    const V H[9] = {zero, zero - h[2], h[1], h[2], zero, zero - h[0], zero - h[1], h[0], zero};
    for (int k = 0; k < 9; ++k) b.H[k] = H[k];
    b.M[XX] = b.M[YY] = b.M[ZZ] = r.mass;
    b.M[XY] = b.M[XZ] = b.M[YZ] = zero;
}

// U and D⁻¹ of a joint of several degrees of freedom (or a screw).
template <class V>
inline bool articulate_any(const Model& m, int32_t joint, const LinkDynamics<V>& L,
                           ForwardMemory<V>& s) {
    const int32_t first = m.joint_v[joint], count = JOINT_NV[m.joint_type[joint]];
    V D[MAX_JOINT_DOF][MAX_JOINT_DOF], least[MAX_JOINT_DOF];
    const V turning = L.body.I[XX] + L.body.I[YY] + L.body.I[ZZ];
    const V sliding = L.body.M[XX] + L.body.M[YY] + L.body.M[ZZ];
    for (int32_t k = 0; k < count; ++k) {
        V x[MAX_JOINT_DOF], linear[3], angular[3], entries[MAX_JOINT_DOF];
        set_zero(x, MAX_JOINT_DOF);
        set_zero(linear, 3);
        set_zero(angular, 3);
        set_zero(entries, MAX_JOINT_DOF);
        x[k] = broadcast<V>(1);
        add_columns(m, joint, L.at, x, linear, angular);
        V* U = s.U[first + k];
        multiply_body(L.body, linear, angular, U, U + 3);
        project(m, joint, L.at, U, U + 3, entries);
        for (int32_t r = 0; r < count; ++r) D[r][k] = entries[r];
        D[k][k] = D[k][k] + broadcast<V>(reflected_inertia(m, first + k));
        least[k] = (dot(linear, linear) * sliding + dot(angular, angular) * turning) *
                   broadcast<V>(tolerance::MASSLESS);
    }
    const bool good = invert_block(D, count, least);
    for (int32_t r = 0; r < count; ++r)
        for (int32_t c = 0; c < count; ++c) s.inverse[first + r][c] = D[r][c];
    return good;
}

// Places all links and finds their articulated inertias. Returns 0, or 1 + a joint that has no mass
// to move (the first from the tips; in any lane).
template <class V>
inline int32_t articulate(const Model& m, const V* q, ForwardMemory<V>& s) {
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t joint = m.tree_order[i], link = m.joint_child[joint];
        place_joint(m, joint, q + m.joint_q[joint], s.links[link].at);
        start_body(m, link, s.links[link].body);
    }
    int32_t status = 0;
    for (int32_t i = m.tree_count - 1; i >= 0; --i) {
        const int32_t joint = m.tree_order[i], first = m.joint_v[joint];
        const int32_t type = m.joint_type[joint], parent = m.joint_parent[joint];
        const LinkDynamics<V>& L = s.links[m.joint_child[joint]];
        const Articulated<V>& b = L.body;
        bool good = true;
        Articulated<V> left = b;
        if (type == REVOLUTE || type == PRISMATIC) {
            V* U = s.U[first];
            V D, around;
            if (type == REVOLUTE) {
                U[0] = b.H[6];
                U[1] = b.H[7];
                U[2] = b.H[8];
                U[3] = b.I[XZ];
                U[4] = b.I[YZ];
                U[5] = b.I[ZZ];
                D = b.I[ZZ];
                around = b.I[XX] + b.I[YY] + b.I[ZZ];
            } else {
                U[0] = b.M[XZ];
                U[1] = b.M[YZ];
                U[2] = b.M[ZZ];
                U[3] = b.H[2];
                U[4] = b.H[5];
                U[5] = b.H[8];
                D = b.M[ZZ];
                around = b.M[XX] + b.M[YY] + b.M[ZZ];
            }
            D = D + broadcast<V>(reflected_inertia(m, first));
            good = all_above(D, around * broadcast<V>(tolerance::MASSLESS));
            const V inverse = broadcast<V>(1) / D;
            s.inverse[first][0] = inverse;
            if (parent != 0) {
                V scaled[MAX_JOINT_DOF];
                for (int k = 0; k < 6; ++k) scaled[k] = U[k] * inverse;
                take_outer(U, scaled, left);
            }
        } else if (type != FIXED) {
            good = articulate_any(m, joint, L, s);
            const int32_t count = JOINT_NV[type];
            for (int32_t k = 0; parent != 0 && k < count; ++k) {
                V scaled[MAX_JOINT_DOF];
                set_zero(scaled, 6);
                for (int32_t r = 0; r < count; ++r)
                    for (int c = 0; c < 6; ++c)
                        scaled[c] = scaled[c] + s.inverse[first + k][r] * s.U[first + r][c];
                take_outer(s.U[first + k], scaled, left);
            }
        }
        if (!good && status == 0) status = 1 + joint;
        if (parent != 0) add_articulated(L.at, left, s.links[parent].body);
    }
    return status;
}

// From the tips to the base: what each joint's effort leaves, and what its force hands on. The
// links' f and n hold their bias at first. WITH_TERMS: whether velocity terms accelerate the links.
template <class V, bool WITH_TERMS>
inline void sweep_in(const Model& m, const V* tau, ForwardMemory<V>& s) {
    for (int32_t i = m.tree_count - 1; i >= 0; --i) {
        const int32_t joint = m.tree_order[i], first = m.joint_v[joint];
        const int32_t parent = m.joint_parent[joint], count = JOINT_NV[m.joint_type[joint]];
        LinkDynamics<V>& L = s.links[m.joint_child[joint]];
        project(m, joint, L.at, L.f, L.n, s.rest + first);
        for (int32_t k = first; k < first + count; ++k) s.rest[k] = tau[k] - s.rest[k];
        if (parent == 0) continue;
        V f[3], n[3];
        for (int k = 0; k < 3; ++k) {
            f[k] = L.f[k];
            n[k] = L.n[k];
        }
        if (WITH_TERMS) {
            V df[3], dn[3];
            multiply_body(L.body, L.point_term, L.angular_term, df, dn);
            for (int k = 0; k < 3; ++k) {
                f[k] = f[k] + df[k];
                n[k] = n[k] + dn[k];
            }
        }
        for (int32_t k = 0; k < count; ++k) {
            V gain = broadcast<V>(0);
            for (int32_t r = 0; r < count; ++r) {
                V left = s.rest[first + r];
                if (WITH_TERMS)
                    left = left - dot(s.U[first + r], L.point_term) -
                           dot(s.U[first + r] + 3, L.angular_term);
                gain = gain + s.inverse[first + k][r] * left;
            }
            for (int c = 0; c < 3; ++c) {
                f[c] = f[c] + gain * s.U[first + k][c];
                n[c] = n[c] + gain * s.U[first + k][3 + c];
            }
        }
        hand_on(L.at, f, n, s.links[parent].f, s.links[parent].n);
    }
}

// From the base to the tips: accelerations of joints and links.
template <class V, bool WITH_TERMS>
inline void sweep_out(const Model& m, ForwardMemory<V>& s, V* vdot) {
    for (int32_t k = 0; k < m.nv; ++k) vdot[k] = broadcast<V>(0);
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t joint = m.tree_order[i], first = m.joint_v[joint];
        const int32_t count = JOINT_NV[m.joint_type[joint]];
        const LinkDynamics<V>& P = s.links[m.joint_parent[joint]];
        LinkDynamics<V>& L = s.links[m.joint_child[joint]];
        V carried[3];
        cross(P.alpha, L.at.p, carried);
        for (int k = 0; k < 3; ++k) carried[k] = carried[k] + P.a[k];
        turn_in(L.at.R, carried, L.a);
        turn_in(L.at.R, P.alpha, L.alpha);
        if (WITH_TERMS)
            for (int k = 0; k < 3; ++k) {
                L.a[k] = L.a[k] + L.point_term[k];
                L.alpha[k] = L.alpha[k] + L.angular_term[k];
            }
        V left[MAX_JOINT_DOF];
        for (int32_t k = 0; k < count; ++k)
            left[k] =
                s.rest[first + k] - dot(s.U[first + k], L.a) - dot(s.U[first + k] + 3, L.alpha);
        for (int32_t k = 0; k < count; ++k)
            for (int32_t r = 0; r < count; ++r)
                vdot[first + k] = vdot[first + k] + s.inverse[first + k][r] * left[r];
        add_columns(m, joint, L.at, vdot + first, L.a, L.alpha);
    }
}

// Accelerations for efforts tau; after articulate at the same q.
template <class V>
inline void find_accelerations(const Model& m, const V* v, const V* tau, const V* wrenches,
                               ForwardMemory<V>& s, V* vdot) {
    LinkDynamics<V>& base = s.links[0];
    for (int i = 0; i < 3; ++i) {
        base.w[i] = base.alpha[i] = broadcast<V>(0);
        base.a[i] = broadcast<V>(-m.gravity[i]);
    }
    for (int i = 0; i < 9; ++i) base.R_W[i] = broadcast<V>(i % 4 == 0 ? 1 : 0);
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t joint = m.tree_order[i], link = m.joint_child[joint];
        const LinkDynamics<V>& P = s.links[m.joint_parent[joint]];
        LinkDynamics<V>& L = s.links[link];
        velocity_terms(m, joint, L.at, P.w, v + m.joint_v[joint], L.w, L.point_term,
                       L.angular_term);
        // what turning alone asks for: w × (w × m c), w × I w
        RigidBody<V> b;
        rigid_body(m, link, b);
        V x[3];
        cross(L.w, b.moment, x);
        cross(L.w, x, L.f);
        multiply_symmetric(b.inertia, L.w, x);
        cross(L.w, x, L.n);
        if (wrenches != nullptr) {
            multiply(P.R_W, L.at.R, L.R_W);
            take_wrench(L.R_W, wrenches + 6 * (int64_t)link, L.f, L.n);
        }
    }
    sweep_in<V, true>(m, tau, s);
    sweep_out<V, true>(m, s, vdot);
}

// x := H⁻¹ tau, without velocities and gravity; after articulate at the same q.
template <class V>
inline void apply_inverse_mass(const Model& m, const V* tau, ForwardMemory<V>& s, V* x) {
    for (int32_t link = 0; link < m.link_count; ++link) {
        LinkDynamics<V>& L = s.links[link];
        set_zero(L.f, 3);
        set_zero(L.n, 3);
    }
    set_zero(s.links[0].a, 3);
    set_zero(s.links[0].alpha, 3);
    sweep_in<V, false>(m, tau, s);
    sweep_out<V, false>(m, s, x);
}

// Accelerations vdot (nv) for efforts tau. wrenches: as in inverse_dynamics, or null. Returns 0, or
// 1 + a joint that has no mass to move.
template <class V>
inline int32_t forward_dynamics(const Model& m, const V* q, const V* v, const V* tau,
                                const V* wrenches, ForwardMemory<V>& s, V* vdot) {
    const int32_t status = articulate(m, q, s);
    find_accelerations(m, v, tau, wrenches, s, vdot);
    return status;
}

}  // namespace KINEGEN_ISA

using KINEGEN_ISA::apply_inverse_mass;
using KINEGEN_ISA::articulate;
using KINEGEN_ISA::find_accelerations;
using KINEGEN_ISA::forward_dynamics;
using KINEGEN_ISA::ForwardMemory;
using KINEGEN_ISA::take_forward;

}  // namespace kinegen
