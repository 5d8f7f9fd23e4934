// Forces between and on bodies as impulses: half a step's worth at either end of a step.
#pragma once

#include "impulse_rows.hpp"

namespace kinegen::impulse {

// Whether a joint's part of q is a quaternion (and a place): its variables are not those of q.
inline bool is_ball(int32_t type) { return type == SPHERICAL || type == FREE; }

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
    const RowAxis kind = FREED[bond_type(w, j)][k];
    double axis[3], none[3] = {0, 0, 0};
    row_axis(w, j, kind.axis, w.X_F + 12LL * j, w.X_M + 12LL * j, axis);
    for (int i = 0; i < 3; ++i) axis[i] *= impulse;
    for (int side = 0; side < 2; ++side) {
        const int32_t body = side ? bond_b(w, j) : bond_a(w, j);
        if (kind.angular) push_body(w, body, none, axis, side ? 1 : -1, V);
        else push_at(w, body, w.X_M + 12LL * j + 9, axis, side ? 1 : -1, V);
    }
}

// How far variable k of a joint is from where its spring is relaxed.
inline double axis_stretch(const World& w, int32_t j, int32_t k) {
    const int32_t type = bond_type(w, j);
    const double* q = w.q + bond_q(w, j);
    const double rest = w.axis[(int64_t)AXIS_SIZE * (bond_v(w, j) + k) + REST];
    if (!is_ball(type)) return q[k] - rest;
    if (type == FREE && k < 3) return q[4 + k] - rest;
    double turn[3];
    quat_log(q, turn);
    return turn[type == FREE ? k - 3 : k] - rest;
}

struct SpringState {
    double a[3], b[3], along[3], length, speed;
};

inline bool spring_state(const World& w, int32_t i, const double* V, SpringState& s) {
    const int32_t *ends = w.spring + 2LL * i;
    const double* numbers = w.spring_numbers + (int64_t)SPRING_SIZE * i;
    double speed[2][3];
    for (int side = 0; side < 2; ++side) {
        const double *X = w.X + 12LL * ends[side], *V_b = V + 6LL * ends[side];
        double arm[3], *place = side ? s.b : s.a;
        rotate(X, numbers + 3 * side, arm);
        for (int k = 0; k < 3; ++k) {
            place[k] = X[9 + k] + arm[k];
            speed[side][k] = V_b[k];
        }
        add_cross3(V_b + 3, arm, speed[side]);
    }
    double d[3], u[3];
    for (int k = 0; k < 3; ++k) {
        d[k] = s.b[k] - s.a[k];
        u[k] = speed[1][k] - speed[0][k];
    }
    s.length = sqrt(dot3(d, d));
    if (s.length < 1e-12) return false;  // no direction: no force
    for (int k = 0; k < 3; ++k) s.along[k] = d[k] / s.length;
    s.speed = dot3(s.along, u);
    return true;
}

// Impulses over time t of efforts, springs, point springs and outer loads at the present place.
// ends: at the end of a step. The bodies' speeds do not agree there yet: dampers go by mean speeds.
inline void kick(World& w, double t, bool ends) {
    for (int32_t j = 0; j < w.bond_count; ++j) {
        const int32_t type = bond_type(w, j);
        for (int32_t k = 0; k < BOND_NV[type]; ++k) {
            const int32_t v = bond_v(w, j) + k;
            const double* axis = w.axis + (int64_t)AXIS_SIZE * v;
            double effort = w.efforts[v];
            if (axis[STIFFNESS] != 0) effort -= axis[STIFFNESS] * axis_stretch(w, j, k);
            double impulse = t * effort;
            // the part of damping that acts at the end of a step
            if (ends && axis[DAMPING] != 0) {
                const double u = w.rotor[v];
                const double p = -(1 - w.theta[v]) * w.step * axis[DAMPING] * u;
                impulse += p;
                w.work += p * u;
            }
            if (impulse != 0) push_axis(w, j, k, impulse, w.V);
        }
    }
    for (int32_t i = 0; i < w.spring_count; ++i) {
        SpringState s;
        if (!spring_state(w, i, w.V, s)) continue;
        const double* numbers = w.spring_numbers + (int64_t)SPRING_SIZE * i;
        // at the end: carried on from the start over the mean to the whole step
        const double mean = (s.length - w.spring_length[i]) / w.step;
        const double speed = ends ? 2 * mean - w.spring_speed[i] : s.speed;
        w.spring_speed[i] = speed;
        w.spring_length[i] = s.length;
        const double drag = numbers[7] * speed;
        const double pull = t * (numbers[6] * (s.length - numbers[8]) + drag);
        w.work -= t * drag * speed;
        double p[3];
        for (int k = 0; k < 3; ++k) p[k] = pull * s.along[k];
        push_at(w, w.spring[2LL * i], s.a, p, 1, w.V);
        push_at(w, w.spring[2LL * i + 1], s.b, p, -1, w.V);
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
            work += w.efforts[v] * (is_ball(type) ? 0.5 * w.step * (w.v_held[v] + w.v[v])
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

inline double kinetic(const World& w) {
    double sum = 0;
    for (int32_t b = 0; b < w.body_count; ++b) {
        const double *numbers = w.body + (int64_t)BODY_SIZE * b, *V = w.V + 6LL * b;
        if (w.inverse[4LL * b] == 0) continue;
        double turn[3];
        rotate_back(w.X + 12LL * b, V + 3, turn);
        sum += 0.5 * numbers[0] * dot3(V, V);
        for (int i = 0; i < 3; ++i) sum += 0.5 * numbers[1 + i] * turn[i] * turn[i];
    }
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
            const double stretch = axis_stretch(w, j, k);
            sum += 0.5 * stiffness * stretch * stretch;
        }
    for (int32_t i = 0; i < w.spring_count; ++i) {
        SpringState s;
        spring_state(w, i, w.V, s);
        const double* numbers = w.spring_numbers + (int64_t)SPRING_SIZE * i;
        const double stretch = s.length - numbers[8];
        sum += 0.5 * numbers[6] * stretch * stretch;
    }
    return sum;
}

}  // namespace kinegen::impulse
