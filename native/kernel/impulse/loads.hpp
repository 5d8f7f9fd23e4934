// Forces between and on bodies as impulses: half a step's worth at either end of a step.
#pragma once

#include "kernel/impulse/gaps.hpp"

namespace kinegen::impulse {

// Whether a joint's part of q is a quaternion (and a place): its variables are not those of q.
// Bonds that are no joints have numbers beyond those of the joint types.
inline bool is_ball(int32_t type) { return type < JOINT_TYPE_COUNT && JOINT_QUATERNION[type]; }

// Impulse p and moment about the centre m on a body.
inline void push_body(const World& w, int32_t body, const double* p, const double* m, double sign,
                      double* V) {
    double turned[3];
    rotate(w.turn + 9LL * body, m, turned);
    for (int i = 0; i < 3; ++i) {
        V[6LL * body + i] += sign * w.inverse[4LL * body] * p[i];
        V[6LL * body + 3 + i] += sign * turned[i];
    }
}

// Impulse p at a place on a body.
inline void push_at(const World& w, int32_t body, const double* place, const double* p, double sign,
                    double* V) {
    const double* c = w.X + 12LL * body + 9;
    const double arm[3] = {place[0] - c[0], place[1] - c[1], place[2] - c[2]};
    double m[3];
    cross3(arm, p, m);
    push_body(w, body, p, m, sign, V);
}

// Impulse along variable k of a joint: on b, its opposite on a.
inline void push_axis(const World& w, int32_t j, int32_t k, double impulse, double* V) {
    const BondRow kind = FREED[bond_type(w, j)][k];
    double axis[3], none[3] = {0, 0, 0};
    row_axis(w, j, kind.axis, w.X_F + 12LL * j, w.X_M + 12LL * j, axis);
    for (int i = 0; i < 3; ++i) axis[i] *= impulse;
    for (int side = 0; side < 2; ++side) {
        const int32_t body = side ? bond_b(w, j) : bond_a(w, j);
        if (kind.action == ABOUT)
            push_body(w, body, none, axis, side ? 1 : -1, V);
        else
            push_at(w, body, w.X_M + 12LL * j + 9, axis, side ? 1 : -1, V);
    }
}

// How far variable k of a joint is from where its spring is relaxed.
inline double axis_stretch(const World& w, int32_t j, int32_t k, const double* all_q) {
    const int32_t type = bond_type(w, j);
    const double* q = all_q + bond_q(w, j);
    const double rest = w.axis[(int64_t)AXIS_SIZE * (bond_v(w, j) + k) + REST];
    if (!is_ball(type)) return q[k] - rest;
    if (type == FREE && k < 3) return q[4 + k] - rest;
    double turn[3];
    quat_log(q, turn);
    return turn[type == FREE ? k - 3 : k] - rest;
}

// Impulses over time t of efforts and outer loads at the present place.
inline void kick(World& w, double t) {
    for (int32_t j = 0; j < w.bond_count; ++j)
        for (int32_t k = 0; k < BOND_NV[bond_type(w, j)]; ++k) {
            const double effort = w.efforts[bond_v(w, j) + k];
            if (effort != 0) push_axis(w, j, k, t * effort, w.V);
        }
    for (int32_t i = 0; i < w.load_count; ++i) {
        const int32_t body = w.load[i];
        const double *numbers = w.load_numbers + (int64_t)LOAD_SIZE * i, *X = w.X + 12LL * body;
        double arm[3], p[3], m[3];
        rotate(X, numbers, arm);
        for (int k = 0; k < 3; ++k) {
            p[k] = t * numbers[3 + k];
            m[k] = t * numbers[6 + k];
        }
        add_cross3(arm, p, m);
        push_body(w, body, p, m, 1, w.V);
    }
}

// Work of efforts and loads over a step, from the state before (held) to the present one: exact
// along variables and for forces, trapezoids of speeds for the rest.
inline double work_of_step(const World& w) {
    double work = 0;
    for (int32_t j = 0; j < w.bond_count; ++j) {
        const int32_t type = bond_type(w, j);
        for (int32_t k = 0; k < BOND_NV[type]; ++k) {
            const int32_t v = bond_v(w, j) + k;
            if (w.efforts[v] == 0) continue;
            work +=
                w.efforts[v] * (is_ball(type) ? 0.5 * w.step * (w.v_held[v] + w.v[v])
                                              : w.q[bond_q(w, j) + k] - w.q_held[bond_q(w, j) + k]);
        }
    }
    for (int32_t i = 0; i < w.load_count; ++i) {
        const int32_t body = w.load[i];
        const double* numbers = w.load_numbers + (int64_t)LOAD_SIZE * i;
        double before[3], after[3];
        rotate(w.X_held + 12LL * body, numbers, before);
        rotate(w.X + 12LL * body, numbers, after);
        for (int k = 0; k < 3; ++k) {
            work += numbers[3 + k] * (w.X[12LL * body + 9 + k] + after[k] -
                                      w.X_held[12LL * body + 9 + k] - before[k]);
            work += numbers[6 + k] * 0.5 * w.step *
                    (w.V_held[6LL * body + 3 + k] + w.V[6LL * body + 3 + k]);
        }
    }
    return work;
}

// Kinetic energy of the bodies at places X with velocities V.
inline double bodies_energy(const World& w, const double* X, const double* all_V) {
    double sum = 0;
    for (int32_t b = 0; b < w.body_count; ++b) {
        const double *numbers = w.body + (int64_t)BODY_SIZE * b, *V = all_V + 6LL * b;
        if (w.inverse[4LL * b] == 0) continue;
        double turn[3];
        rotate_back(X + 12LL * b, V + 3, turn);
        sum += 0.5 * numbers[0] * dot3(V, V);
        for (int i = 0; i < 3; ++i) sum += 0.5 * numbers[1 + i] * turn[i] * turn[i];
    }
    return sum;
}

inline double kinetic(const World& w) {
    double sum = bodies_energy(w, w.X, w.V);
    for (int32_t v = 0; v < w.nv; ++v)
        sum += 0.5 * w.axis[(int64_t)AXIS_SIZE * v + ROTOR] * w.rotor[v] * w.rotor[v];
    return sum;
}

inline double potential(const World& w) {
    double sum = 0;
    for (int32_t b = 0; b < w.body_count; ++b)
        if (w.inverse[4LL * b] != 0)
            sum -= w.body[(int64_t)BODY_SIZE * b] * dot3(w.gravity, w.X + 12LL * b + 9);
    for (int32_t j = 0; j < w.bond_count; ++j)
        for (int32_t k = 0; k < BOND_NV[bond_type(w, j)]; ++k) {
            const double stiffness = w.axis[(int64_t)AXIS_SIZE * (bond_v(w, j) + k) + STIFFNESS];
            if (stiffness == 0) continue;
            const double stretch = axis_stretch(w, j, k, w.q);
            sum += 0.5 * stiffness * stretch * stretch;
        }
    return sum;
}

}  // namespace kinegen::impulse
