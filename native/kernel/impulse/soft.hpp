// Rows that give way: rotors, dampers and springs in joints, and springs between points. The
// impulse of a spring and damper over a step is that of the implicit midpoint rule, h (k x + c u)
// with the mean x of both ends' stretches and the mean speed u; half of it is an unknown of the
// look ahead, solved with the joints, and the other half acts at the step's end. Of second order,
// stable for any stiffness.
#pragma once

#include "kernel/impulse/limits.hpp"

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

// Impulses that a spring and a damper give over a step as it looks now: at its start and its end.
struct Pull {
    double speed, start, end;
};
inline Pull pull_of(const World& w, int32_t j, int32_t k) {
    const int32_t v = bond_v(w, j) + k;
    const double *axis = w.axis + (int64_t)AXIS_SIZE * v, h = w.step, theta = w.theta[v];
    const double u = mean_speed(w, j, k), drag = h * axis[DAMPING] * u;
    double half = 0;
    if (axis[STIFFNESS] != 0)
        half = 0.25 * h * axis[STIFFNESS] *
               (axis_stretch(w, j, k, w.q) + axis_stretch(w, j, k, w.q_next));
    return {u, -half - theta * drag, -half - (1 - theta) * drag};
}

// Direction in which a spring between points pulls b, times -1: from the places of both ends of the
// step. With it a spring gives what it took, and turns nothing.
inline void pull_direction(const World& w, int32_t j, double* e) {
    const double *F = w.X_F + 12LL * j + 9, *M = w.X_M + 12LL * j + 9;
    const double *F_next = w.X_F_next + 12LL * j + 9, *M_next = w.X_M_next + 12LL * j + 9;
    const double sum = w.q[bond_q(w, j)] + w.q_next[bond_q(w, j)];
    for (int i = 0; i < 3; ++i)
        e[i] = sum > 1e-12 ? (M[i] - F[i] + M_next[i] - F_next[i]) / sum : 0;
}

// Residuals of a joint's soft rows; returns by how much the widest misses over the step [m, rad].
inline double look_at_soft_rows(const World& w, int32_t j) {
    const int32_t held = HELD_ROWS[bond_type(w, j)], n = w.row_count[j];
    const double *lambda = w.lambda + 6LL * j, *yield = w.yield + 6LL * j, *own = w.own + 6LL * j;
    double *residual = w.residual + 6LL * j, widest = 0;
    if (bond_type(w, j) == SPRING && n > 0) {
        const Pull p = pull_of(w, j, 0);
        double e[3];
        pull_direction(w, j, e);
        for (int32_t i = 0; i < n; ++i) {
            const double* J = w.rows[j].Jb + i;
            residual[i] =
                yield[i] * (lambda[i] - p.start * (J[0] * e[0] + J[6] * e[1] + J[12] * e[2]));
        }
    }
    for (int32_t i = held; i < n && bond_type(w, j) != SPRING; ++i) {
        const int32_t v = w.soft[6LL * j + i];
        const Pull p = pull_of(w, j, v - bond_v(w, j));
        const double rotor = w.axis[(int64_t)AXIS_SIZE * v + ROTOR];
        residual[i] = yield[i] * (lambda[i] + rotor * (p.speed - w.rotor[v]) - p.start);
    }
    // as ways that bodies miss; stiff springs turn small ones into energy, and must miss less
    for (int32_t i = held; i < n; ++i)
        widest = larger(widest,
                        w.step * fabs(residual[i]) * own[i] / sqrt((own[i] + yield[i]) * yield[i]));
    return widest;
}

// Change of a row's speed per impulse along it, joints let go.
inline double row_response(const World& w, int32_t j, int32_t row) {
    const Rows& r = w.rows[j];
    double own = 0;
    for (int d = 0; d < 6; ++d)
        own += r.Ja[6 * d + row] * r.Ya[6 * row + d] + r.Jb[6 * d + row] * r.Yb[6 * row + d];
    return own;
}

// Share of damping at a step's start: half, as in the midpoint rule. Damping far too strong for the
// step would turn speeds round at its end; a little more of it at the start lets them keep 0.8 at
// most.
inline double damping_share(const World& w, double damping, double mass) {
    const double x = 0.5 * w.step * damping / mass;
    return x > 9 ? 5. / 9 - 0.5 / x : 0.5;
}

// Compliances across a spring: what it pulls at turns with it.
inline double sideways_stiffness(const World& w, int32_t j) {
    const double *axis = w.axis + (int64_t)AXIS_SIZE * bond_v(w, j), length = w.q[bond_q(w, j)];
    if (axis[REST] == 0) return axis[STIFFNESS];
    return length > 1e-9 ? larger(0, axis[STIFFNESS] * (1 - axis[REST] / length)) : 0;
}

// Compliance of soft rows: of rotors at both ends of a step, of dampers and springs at its start.
inline void set_soft_rows(const World& w, bool starts) {
    const double h = w.step;
    for (int32_t j = 0; j < w.bond_count; ++j) {
        const int32_t held = HELD_ROWS[bond_type(w, j)];
        double *yield = w.yield + 6LL * j, *own = w.own + 6LL * j;
        for (int32_t i = held; i < w.row_count[j]; ++i) {
            const bool across = bond_type(w, j) == SPRING && i > 0;
            const int32_t v = across ? bond_v(w, j) : w.soft[6LL * j + i];
            const double* axis = w.axis + (int64_t)AXIS_SIZE * v;
            double mass = axis[ROTOR];
            own[i] = row_response(w, j, i);
            if (starts) {
                if (axis[DAMPING] > 0 && !across)
                    w.theta[v] =
                        damping_share(w, axis[DAMPING], mass + (own[i] > 0 ? 1 / own[i] : 0));
                const double stiffness = across ? sideways_stiffness(w, j) : axis[STIFFNESS];
                mass += 0.25 * h * h * larger(0, stiffness);
                if (!across) mass += w.theta[v] * h * axis[DAMPING];
            }
            yield[i] = mass > 1 / FULLY_SOFT ? 1 / mass : FULLY_SOFT;
            w.keep[6LL * j + i] = mass > 1 / FULLY_SOFT ? axis[ROTOR] / mass : 0;
        }
    }
}

inline void factor_for(const World& w, bool starts) {
    set_soft_rows(w, starts);
    factor(w);
}

// After the impulses of a step's start: what dampers took, what is left for the end. Rotors have
// the momentum that they did not give: as fast as their joints are over the step, but for what the
// look ahead still misses, which would add up over the steps.
inline void settle_soft_rows(World& w) {
    for (int32_t j = 0; j < w.bond_count; ++j) {
        const int32_t type = bond_type(w, j), held = HELD_ROWS[type];
        const int32_t end = type == SPRING && w.row_count[j] > 0 ? 1 : w.row_count[j];
        double* late = w.late + 6LL * j;
        for (int32_t i = held; i < end; ++i) {
            const int32_t v = w.soft[6LL * j + i], k = v - bond_v(w, j);
            const Pull p = pull_of(w, j, k);
            w.work -= w.step * w.axis[(int64_t)AXIS_SIZE * v + DAMPING] * p.speed * p.speed;
            const double rotor = w.axis[(int64_t)AXIS_SIZE * v + ROTOR];
            if (rotor > 0) w.rotor[v] += (p.start - w.lambda[6LL * j + i]) / rotor;
            late[k] = p.end;
            if (type != SPRING) continue;
            double e[3];
            pull_direction(w, j, e);
            for (int d = 0; d < 3; ++d) late[d] = p.end * e[d];
        }
    }
}

// The impulses of springs and dampers at a step's end.
inline void push_late(const World& w) {
    for (int32_t j = 0; j < w.bond_count; ++j) {
        const double* late = w.late + 6LL * j;
        if (w.row_count[j] == HELD_ROWS[bond_type(w, j)]) continue;
        if (bond_type(w, j) == SPRING) {
            push_at(w, bond_a(w, j), w.X_F + 12LL * j + 9, late, -1, w.V);
            push_at(w, bond_b(w, j), w.X_M + 12LL * j + 9, late, 1, w.V);
            continue;
        }
        for (int32_t k = 0; k < BOND_NV[bond_type(w, j)]; ++k)
            if (late[k] != 0) push_axis(w, j, k, late[k], w.V);
    }
}

// Rotors turn with their joints.
inline void read_rotors(const World& w) {
    for (int32_t j = 0; j < w.bond_count; ++j)
        for (int32_t i = HELD_ROWS[bond_type(w, j)]; i < w.row_count[j]; ++i)
            if (bond_type(w, j) != SPRING) w.rotor[w.soft[6LL * j + i]] = row_speed(w, j, i, w.V);
}

}  // namespace kinegen::impulse
