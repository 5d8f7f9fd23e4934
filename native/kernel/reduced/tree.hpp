// The tree of a mechanism with loops, for the reduced engine: everything in world axes about one
// point, so that motions, forces and inertias of different links are simply added.
//
// Six-vectors are linear first: a motion is the velocity of the link's point at `centre` and the
// angular velocity, a force is the force and its moment about `centre`. The point is the origin of
// the first moving link: far from the world's origin nothing cancels.
#pragma once

#include "kernel/base/tolerances.hpp"
#include "kernel/base/arena.hpp"
#include "kernel/dynamics/measures.hpp"
#include "kernel/base/jacobian.hpp"

namespace kinegen {

constexpr int32_t BODY_SIZE =
    10;  // mass, first moment (3), inertia about `centre` xx yy zz xy xz yz

struct ReducedTree {
    const Model* model;
    int32_t n;        // degrees of freedom
    int32_t* index;   // per variable: its place in v
    int32_t* before;  // per variable: the one before it on the way to the base, -1
    int32_t* first;   // per joint: its first degree of freedom, -1 for cut joints
    int32_t* last;    // per link: the last degree of freedom on its way from the base, -1
    double centre[3];
    double* X;          // X_WL, TRANSFORM_SIZE per link
    double* S;          // per variable: the motion that a unit of it gives
    double* body;       // per link
    double* composite;  // per link: with all that it carries
    double* V;          // per link: its motion
    double* A;  // per link: its acceleration when no degree of freedom accelerates, less gravity
    double* F;  // per link: force handed on
    double* H;  // mass matrix, then its factor: of row k only k and those before it
    int32_t* row_at;  // per variable: where column 0 of its row of H would be
    int32_t H_size;
    double* inverse;  // per variable: 1 / diagonal of the factor
    double* kept;     // where the mass matrix is kept before it is factored; null: nowhere
    const double* q;  // where it was placed last
    const double* v;  // how it was moved last

    double* row(int32_t k) const { return H + row_at[k]; }
};

inline void lay_out_tree(const Model& m, Arena<double>& reals, Arena<int32_t>& ints,
                         ReducedTree& t) {
    t.model = &m;
    t.index = ints.take(m.nv);
    t.before = ints.take(m.nv);
    t.first = ints.take(m.joint_count);
    t.last = ints.take(m.link_count);
    t.X = reals.take(TRANSFORM_SIZE * (int64_t)m.link_count);
    t.S = reals.take(6LL * m.nv);
    t.body = reals.take(BODY_SIZE * (int64_t)m.link_count);
    t.composite = reals.take(BODY_SIZE * (int64_t)m.link_count);
    t.V = reals.take(6LL * m.link_count);
    t.A = reals.take(6LL * m.link_count);
    t.F = reals.take(6LL * m.link_count);
    t.n = 0;
    for (int32_t i = 0; i < m.tree_count; ++i) t.n += JOINT_NV[m.joint_type[m.tree_order[i]]];
    t.row_at = ints.take(t.n);
    t.inverse = reals.take(t.n);
}

// Numbers the degrees of freedom of the tree, each after those before it, and the rows of H: each
// begins with the first variable on its way from the base.
inline void number_tree(ReducedTree& t) {
    const Model& m = *t.model;
    int32_t count = 0;
    for (int32_t j = 0; j < m.joint_count; ++j) t.first[j] = -1;
    t.last[0] = -1;
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t joint = m.tree_order[i];
        int32_t last = t.last[m.joint_parent[joint]];
        t.first[joint] = count;
        for (int32_t k = 0; k < JOINT_NV[m.joint_type[joint]]; ++k) {
            t.index[count] = m.joint_v[joint] + k;
            t.before[count] = last;
            last = count++;
        }
        t.last[m.joint_child[joint]] = last;
    }
    for (int i = 0; i < 6; ++i) t.V[i] = t.A[i] = t.F[i] = 0;
    for (int i = 0; i < BODY_SIZE; ++i) t.body[i] = t.composite[i] = 0;
    t.H_size = 0;
    for (int32_t k = 0; k < t.n; ++k) {
        int32_t first = k;
        while (t.before[first] >= 0) first = t.before[first];
        t.row_at[k] = t.H_size - first;
        t.H_size += k - first + 1;
    }
}

inline double dot6(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

// out += a × b of two motions: how fast b, fixed in what moves by a, changes.
inline void add_motion_cross(const double* a, const double* b, double* out) {
    add_cross3(a + 3, b, out);
    add_cross3(a, b + 3, out);
    add_cross3(a + 3, b + 3, out + 3);
}

// out = force that gives a body this acceleration (or the momentum of this motion).
inline void multiply_rigid(const double* body, const double* a, double* out) {
    const double mass = body[0], *h = body + 1, *I = body + 4;
    const double *u = a, *w = a + 3;
    for (int i = 0; i < 3; ++i) out[i] = mass * u[i];
    add_cross3(w, h, out);
    out[3] = I[0] * w[0] + I[3] * w[1] + I[4] * w[2];
    out[4] = I[3] * w[0] + I[1] * w[1] + I[5] * w[2];
    out[5] = I[4] * w[0] + I[5] * w[1] + I[2] * w[2];
    add_cross3(h, u, out + 3);
}

// The rigid body of a link, about `centre`.
inline void place_body(const Model& m, int32_t link, const double* X, const double* centre,
                       double* body) {
    const double* n = m.inertia + (int64_t)INERTIA_SIZE * link;
    const double mass = n[0];
    double c[3], T[9];
    rotate(X, n + 1, c);
    for (int i = 0; i < 3; ++i) c[i] += X[9 + i] - centre[i];
    // R I Rᵀ
    for (int i = 0; i < 3; ++i) {
        const double x = X[3 * i], y = X[3 * i + 1], z = X[3 * i + 2];
        T[3 * i] = n[4] * x + n[7] * y + n[8] * z;
        T[3 * i + 1] = n[7] * x + n[5] * y + n[9] * z;
        T[3 * i + 2] = n[8] * x + n[9] * y + n[6] * z;
    }
    const double xx = mass * c[0] * c[0], yy = mass * c[1] * c[1], zz = mass * c[2] * c[2];
    body[0] = mass;
    for (int i = 0; i < 3; ++i) body[1 + i] = mass * c[i];
    body[4] = dot3(T, X) + yy + zz;
    body[5] = dot3(T + 3, X + 3) + xx + zz;
    body[6] = dot3(T + 6, X + 6) + xx + yy;
    body[7] = dot3(T, X + 3) - body[1] * c[1];
    body[8] = dot3(T, X + 6) - body[1] * c[2];
    body[9] = dot3(T + 3, X + 6) - body[2] * c[2];
}

// Places links, degrees of freedom and bodies.
inline void place_tree(ReducedTree& t, const double* q) {
    const Model& m = *t.model;
    t.q = q;
    identity(t.X);
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t joint = m.tree_order[i], link = m.joint_child[joint];
        forward_joint(m, q, joint, t.X);
        const double* X = t.X + TRANSFORM_SIZE * (int64_t)link;
        if (i == 0)
            for (int k = 0; k < 3; ++k) t.centre[k] = X[9 + k];
        const double r[3] = {X[9] - t.centre[0], X[10] - t.centre[1], X[11] - t.centre[2]};
        const int32_t type = m.joint_type[joint];
        double* S = t.S + 6LL * t.first[joint];
        if (type == REVOLUTE) {
            column(X, 2, S + 3);
            cross3(r, S + 3, S);
        } else if (type == PRISMATIC) {
            column(X, 2, S);
            S[3] = S[4] = S[5] = 0;
        } else if (type != FIXED) {
            JointAxes a;
            joint_axes(type, m.pitch[joint], q + m.joint_q[joint], X, a);
            for (int32_t k = 0; k < JOINT_NV[type]; ++k, S += 6) {
                cross3(r, a.angular[k], S);
                for (int c = 0; c < 3; ++c) {
                    S[c] += a.linear[k][c];
                    S[3 + c] = a.angular[k][c];
                }
            }
        }
        place_body(m, link, X, t.centre, t.body + BODY_SIZE * (int64_t)link);
    }
}

// Motions of all links for velocities v, and their accelerations as far as velocities make them.
inline void move_tree(ReducedTree& t, const double* v) {
    const Model& m = *t.model;
    t.v = v;
    for (int i = 0; i < 3; ++i) t.A[i] = -m.gravity[i];
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t joint = m.tree_order[i], type = m.joint_type[joint];
        const double *V_P = t.V + 6LL * m.joint_parent[joint],
                     *A_P = t.A + 6LL * m.joint_parent[joint];
        double *V = t.V + 6LL * m.joint_child[joint], *A = t.A + 6LL * m.joint_child[joint];
        const double *S = t.S + 6LL * t.first[joint], *speed = v + m.joint_v[joint];
        double relative[6] = {};
        for (int32_t k = 0; k < JOINT_NV[type]; ++k)
            for (int c = 0; c < 6; ++c) relative[c] += speed[k] * S[6 * k + c];
        for (int c = 0; c < 6; ++c) {
            V[c] = V_P[c] + relative[c];
            A[c] = A_P[c];
        }
        add_motion_cross(V_P, relative, A);
        // of variables whose axes turn with the link, not with what carries it
        if (type == UNIVERSAL || type == PLANAR) {
            const int32_t own = JOINT_NV[type] - 1;
            double turning[6];
            for (int c = 0; c < 6; ++c) turning[c] = speed[own] * S[6 * own + c];
            add_motion_cross(relative, turning, A);
        }
    }
}

// F of every link: what its motion and gravity ask for when no degree of freedom accelerates.
inline void start_forces(ReducedTree& t) {
    const Model& m = *t.model;
    for (int i = 0; i < 6; ++i) t.F[i] = 0;
    for (int32_t link = 1; link < m.link_count; ++link) {
        const double *body = t.body + BODY_SIZE * (int64_t)link, *V = t.V + 6LL * link;
        double *F = t.F + 6LL * link, momentum[6];
        multiply_rigid(body, t.A + 6LL * link, F);
        multiply_rigid(body, V, momentum);
        add_cross3(V + 3, momentum, F);
        add_cross3(V + 3, momentum + 3, F + 3);
        add_cross3(V, momentum, F + 3);
    }
}

// Hands the links' forces on to the base; bias: per variable, what they ask of it.
inline void gather_forces(ReducedTree& t, double* bias) {
    const Model& m = *t.model;
    for (int32_t i = m.tree_count - 1; i >= 0; --i) {
        const int32_t joint = m.tree_order[i], parent = m.joint_parent[joint];
        const double* F = t.F + 6LL * m.joint_child[joint];
        const int32_t first = t.first[joint];
        for (int32_t k = first; k < first + JOINT_NV[m.joint_type[joint]]; ++k)
            bias[k] = dot6(t.S + 6LL * k, F);
        if (parent != 0)
            for (int c = 0; c < 6; ++c) t.F[6LL * parent + c] += F[c];
    }
}

// The mass matrix, rotors included.
inline void weigh_tree(ReducedTree& t) {
    const Model& m = *t.model;
    memcpy(t.composite, t.body, sizeof(double) * BODY_SIZE * (size_t)m.link_count);
    for (int32_t i = m.tree_count - 1; i >= 0; --i) {
        const int32_t joint = m.tree_order[i], parent = m.joint_parent[joint];
        const double* body = t.composite + BODY_SIZE * (int64_t)m.joint_child[joint];
        const int32_t first = t.first[joint];
        for (int32_t k = first; k < first + JOINT_NV[m.joint_type[joint]]; ++k) {
            double F[6];
            multiply_rigid(body, t.S + 6LL * k, F);
            double* row = t.row(k);
            for (int32_t a = k; a >= 0; a = t.before[a]) row[a] = dot6(t.S + 6LL * a, F);
            const int32_t v = t.index[k];
            row[k] += m.rotor[v] * m.gear[v] * m.gear[v];
        }
        if (parent != 0)
            for (int c = 0; c < BODY_SIZE; ++c)
                t.composite[BODY_SIZE * (int64_t)parent + c] += body[c];
    }
}

// H = Lᵀ L in place, without fill-in (Featherstone 2005). Returns 0, or 1 + a degree of freedom
// without mass.
inline int32_t factor_tree(ReducedTree& t) {
    int32_t status = 0;
    for (int32_t k = t.n - 1; k >= 0; --k) {
        double* row = t.row(k);
        if (!(row[k] > 0)) {
            status = 1 + k;
            row[k] = 1;
        }
        const double inverse = t.inverse[k] = 1 / sqrt(row[k]);
        for (int32_t i = t.before[k]; i >= 0; i = t.before[i]) row[i] *= inverse;
        for (int32_t i = t.before[k]; i >= 0; i = t.before[i]) {
            double* to = t.row(i);
            const double factor = row[i], own = to[i];
            for (int32_t j = i; j >= 0; j = t.before[j]) to[j] -= factor * row[j];
            if (!(to[i] > tolerance::MASSLESS * own)) to[i] = 0;
        }
    }
    return status;
}

// x := L⁻ᵀ x
inline void solve_outer(const ReducedTree& t, double* x) {
    for (int32_t k = t.n - 1; k >= 0; --k) {
        if (x[k] == 0) continue;
        const double* row = t.row(k);
        const double value = x[k] *= t.inverse[k];
        for (int32_t i = t.before[k]; i >= 0; i = t.before[i]) x[i] -= row[i] * value;
    }
}

// out := Lᵀ y
inline void multiply_outer(const ReducedTree& t, const double* y, double* out) {
    for (int32_t k = 0; k < t.n; ++k) out[k] = 0;
    for (int32_t k = 0; k < t.n; ++k) {
        const double* row = t.row(k);
        out[k] += y[k] / t.inverse[k];
        for (int32_t i = t.before[k]; i >= 0; i = t.before[i]) out[i] += row[i] * y[k];
    }
}

// x := L⁻¹ x
inline void solve_inner(const ReducedTree& t, double* x) {
    for (int32_t k = 0; k < t.n; ++k) {
        const double* row = t.row(k);
        double sum = x[k];
        for (int32_t i = t.before[k]; i >= 0; i = t.before[i]) sum -= row[i] * x[i];
        x[k] = sum * t.inverse[k];
    }
}

}  // namespace kinegen
