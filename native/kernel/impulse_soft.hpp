// Rows that give way: rotors and dampers in joints.
#pragma once

#include "impulse_limits.hpp"

namespace kinegen::impulse {

// A compliance that lets a row do nothing.
constexpr double FULLY_SOFT = 1e30;

// Mean speed of a joint's variable k over the step, from q and q_next.
inline double mean_speed(const World& w, int32_t j, int32_t k) {
    const int32_t type = bond_type(w, j);
    const double *a = w.q + bond_q(w, j), *b = w.q_next + bond_q(w, j);
    if (!is_ball(type)) return (b[k] - a[k]) / w.step;
    const double inverse[4] = {a[0], -a[1], -a[2], -a[3]};
    double turn[4], log[3];
    quat_multiply(inverse, b, turn);
    quat_log(turn, log);
    if (type == SPHERICAL) return log[k] / w.step;
    if (k >= 3) return log[k - 3] / w.step;
    double R[9], d[3] = {b[4] - a[4], b[5] - a[5], b[6] - a[6]}, shift[3];
    quat_to_matrix(a, R);
    rotate_back(R, d, d);
    left_jacobian_inverse(log, d, shift);
    return shift[k] / w.step;
}

// Compliance of rotors (both ends of a step) and dampers (its start only).
inline void set_soft_rows(const World& w, bool starts) {
    for (int32_t j = 0; j < w.bond_count; ++j)
        for (int32_t i = HELD_ROWS[bond_type(w, j)]; i < w.row_count[j]; ++i) {
            const int32_t v = w.soft[6LL * j + i];
            const double* axis = w.axis + (int64_t)AXIS_SIZE * v;
            if (starts && axis[DAMPING] > 0) {
                // damping that is strong for the step acts wholly at its start: it cannot swing
                double own = 0;
                for (int d = 0; d < 6; ++d)
                    own += w.rows[j].Ja[6 * d + i] * w.rows[j].Ya[6 * i + d] +
                           w.rows[j].Jb[6 * d + i] * w.rows[j].Yb[6 * i + d];
                const double mass = axis[ROTOR] + (own > 0 ? 1 / own : 0);
                const double x = 0.5 * w.step * axis[DAMPING] / mass;
                w.theta[v] = x > 0.5 ? 1 - 0.25 / x : 0.5;
            }
            const double mass =
                axis[ROTOR] + (starts ? w.theta[v] * w.step * axis[DAMPING] : 0);
            w.yield[6LL * j + i] = mass > 0 ? 1 / mass : FULLY_SOFT;
            w.keep[6LL * j + i] = mass > 0 ? axis[ROTOR] / mass : 0;
        }
}

inline void factor_for(const World& w, bool starts) {
    set_soft_rows(w, starts);
    factor(w);
    if (w.sweeps == 0) return;
    for (int32_t j = 0; j < w.bond_count; ++j) {
        double *A = w.local + 36LL * j, none[6] = {0, 0, 0, 0, 0, 0};
        clear_all(A, 36);
        add_soft_block(w, j, A);
        invert_block(A, w.row_count[j], none);
    }
}

// Rotors after the impulses of a step's start: as fast as their joints are over the step.
inline void turn_rotors(World& w) {
    for (int32_t j = 0; j < w.bond_count; ++j) {
        const int32_t type = bond_type(w, j);
        for (int32_t i = HELD_ROWS[type]; i < w.row_count[j]; ++i) {
            const int32_t v = w.soft[6LL * j + i], k = v - bond_v(w, j);
            const double* axis = w.axis + (int64_t)AXIS_SIZE * v;
            const double speed = mean_speed(w, j, k);
            w.work -= w.theta[v] * w.step * axis[DAMPING] * speed * speed;
            w.rotor[v] = speed;
        }
    }
}

}  // namespace kinegen::impulse
