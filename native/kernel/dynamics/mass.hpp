// The mass matrix H of the tree (composite rigid bodies: Walker, Orin 1982) and its factors.
#pragma once

#include "kernel/dynamics/inverse.hpp"

namespace kinegen {
namespace KINEGEN_ISA {

template <class V>
struct Composite {
    Place<V> at;
    RigidBody<V> body;  // the link and all that it carries, in its own frame
};

template <class V>
inline Composite<V>* take_composites(Arena<V>& arena, const Model& m) {
    return reinterpret_cast<Composite<V>*>(
        arena.take((int64_t)(sizeof(Composite<V>) / sizeof(V)) * m.link_count));
}

// Adds a body, given in M, to one in the frame that carries M.
template <class V>
KINEGEN_SPATIAL void add_body(const Place<V>& at, const RigidBody<V>& b, RigidBody<V>& to) {
    V h[3], I[6];
    turn_out(at.R, b.moment, h);
    turn_symmetric(at.R, b.inertia, I);
    const V* p = at.p;
    // about the other origin: + 2 (p·h) 1 - p hᵀ - h pᵀ + m (p·p 1 - p pᵀ), by g = h + m p / 2
    V g[3];
    const V half = b.mass * broadcast<V>(0.5);
    for (int i = 0; i < 3; ++i) g[i] = h[i] + half * p[i];
    const V xx = p[0] * g[0], yy = p[1] * g[1], zz = p[2] * g[2];
    const V two = broadcast<V>(2);
    to.inertia[XX] = to.inertia[XX] + I[XX] + two * (yy + zz);
    to.inertia[YY] = to.inertia[YY] + I[YY] + two * (xx + zz);
    to.inertia[ZZ] = to.inertia[ZZ] + I[ZZ] + two * (xx + yy);
    to.inertia[XY] = to.inertia[XY] + I[XY] - (p[0] * g[1] + p[1] * g[0]);
    to.inertia[XZ] = to.inertia[XZ] + I[XZ] - (p[0] * g[2] + p[2] * g[0]);
    to.inertia[YZ] = to.inertia[YZ] + I[YZ] - (p[1] * g[2] + p[2] * g[1]);
    to.mass = to.mass + b.mass;
    for (int i = 0; i < 3; ++i) to.moment[i] = to.moment[i] + h[i] + b.mass * p[i];
}

// H (nv × nv, row by row); rows and columns of cut joints are 0.
template <class V>
inline void mass_matrix(const Model& m, const V* q, Composite<V>* links, V* H) {
    const int64_t nv = m.nv;
    for (int64_t k = 0; k < nv * nv; ++k) H[k] = broadcast<V>(0);
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t joint = m.tree_order[i], link = m.joint_child[joint];
        place_joint(m, joint, q + m.joint_q[joint], links[link].at);
        rigid_body(m, link, links[link].body);
    }
    for (int32_t i = m.tree_count - 1; i >= 0; --i) {
        const int32_t joint = m.tree_order[i], link = m.joint_child[joint];
        const int32_t first = m.joint_v[joint], count = JOINT_NV[m.joint_type[joint]];
        const Composite<V>& L = links[link];
        if (m.joint_parent[joint] != 0) add_body(L.at, L.body, links[m.joint_parent[joint]].body);
        for (int32_t k = 0; k < count; ++k) {
            // the force and moment that accelerate the composite along this column
            V x[MAX_JOINT_DOF], linear[3], angular[3], f[3], n[3], entries[MAX_JOINT_DOF];
            set_zero(x, MAX_JOINT_DOF);
            set_zero(linear, 3);
            set_zero(angular, 3);
            x[k] = broadcast<V>(1);
            add_columns(m, joint, L.at, x, linear, angular);
            multiply_symmetric(L.body.inertia, angular, n);
            add_cross(L.body.moment, linear, n);
            cross(angular, L.body.moment, f);
            for (int r = 0; r < 3; ++r) f[r] = f[r] + L.body.mass * linear[r];
            project(m, joint, L.at, f, n, entries);
            for (int32_t r = 0; r <= k; ++r)
                H[(first + r) * nv + first + k] = H[(first + k) * nv + first + r] = entries[r];
            V& diagonal = H[(first + k) * nv + first + k];
            diagonal = diagonal + broadcast<V>(reflected_inertia(m, first + k));
            // and what they ask of the joints before
            for (int32_t at = joint; m.joint_parent[at] != 0;) {
                V f_P[3], n_P[3];
                set_zero(f_P, 3);
                set_zero(n_P, 3);
                hand_on(links[m.joint_child[at]].at, f, n, f_P, n_P);
                for (int r = 0; r < 3; ++r) {
                    f[r] = f_P[r];
                    n[r] = n_P[r];
                }
                at = m.link_joint[m.joint_parent[at]];
                project(m, at, links[m.joint_child[at]].at, f, n, entries);
                const int32_t row = m.joint_v[at];
                for (int32_t r = 0; r < JOINT_NV[m.joint_type[at]]; ++r)
                    H[(row + r) * nv + first + k] = H[(first + k) * nv + row + r] = entries[r];
            }
        }
    }
}

// The degrees of freedom of the tree, each after those before it on the way to the base, and for
// each degree of freedom the one before it there (-1: none). order, before: nv ints. Returns how
// many there are; those of cut joints are not among them.
inline int32_t order_variables(const Model& m, int32_t* order, int32_t* before) {
    int32_t count = 0;
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t joint = m.tree_order[i];
        int32_t last = -1;
        for (int32_t up = m.link_joint[m.joint_parent[joint]]; up >= 0 && last < 0;
             up = m.link_joint[m.joint_parent[up]]) {
            const int32_t dof = JOINT_NV[m.joint_type[up]];
            if (dof > 0) last = m.joint_v[up] + dof - 1;
        }
        for (int32_t k = 0; k < JOINT_NV[m.joint_type[joint]]; ++k) {
            order[count++] = m.joint_v[joint] + k;
            before[m.joint_v[joint] + k] = last;
            last = m.joint_v[joint] + k;
        }
    }
    return count;
}

// H = Lᵀ L in place, lower triangle of the tree's order, without fill-in (Featherstone 2005).
// Returns 0, or 1 + the degree of freedom that has no mass to move.
inline int32_t factor_mass(int32_t nv, const int32_t* order, const int32_t* before, int32_t count,
                           double* H) {
    for (int32_t n = count - 1; n >= 0; --n) {
        const int32_t k = order[n];
        double* row = H + (int64_t)k * nv;
        if (!(row[k] > 0)) return 1 + k;
        row[k] = ::sqrt(row[k]);
        for (int32_t i = before[k]; i >= 0; i = before[i]) row[i] /= row[k];
        for (int32_t i = before[k]; i >= 0; i = before[i])
            for (int32_t j = i; j >= 0; j = before[j]) H[(int64_t)i * nv + j] -= row[i] * row[j];
    }
    return 0;
}

// x := H⁻¹ x by the factors of factor_mass; entries of cut joints become 0.
inline void solve_mass(int32_t nv, const int32_t* order, const int32_t* before, int32_t count,
                       const double* L, double* x, double* scratch) {
    for (int32_t n = count - 1; n >= 0; --n) {
        const int32_t k = order[n];
        const double* row = L + (int64_t)k * nv;
        scratch[k] = (x[k] /= row[k]);
        for (int32_t i = before[k]; i >= 0; i = before[i]) x[i] -= row[i] * x[k];
    }
    for (int32_t k = 0; k < nv; ++k) x[k] = 0;
    for (int32_t n = 0; n < count; ++n) {
        const int32_t k = order[n];
        const double* row = L + (int64_t)k * nv;
        double sum = scratch[k];
        for (int32_t i = before[k]; i >= 0; i = before[i]) sum -= row[i] * x[i];
        x[k] = sum / row[k];
    }
}

}  // namespace KINEGEN_ISA

using KINEGEN_ISA::Composite;
using KINEGEN_ISA::factor_mass;
using KINEGEN_ISA::mass_matrix;
using KINEGEN_ISA::order_variables;
using KINEGEN_ISA::solve_mass;
using KINEGEN_ISA::take_composites;

}  // namespace kinegen
