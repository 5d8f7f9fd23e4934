// Speeds that agree at every joint: after a step, and where bodies meet; what can be read of them.
#pragma once

#include "kernel/impulse/ahead.hpp"

namespace kinegen::impulse {

// Speeds of all limits in velocities V, as their impulses find them.
inline void note_limit_speeds(const World& w, const double* V, double* out) {
    for (int32_t i = 0; i < w.limit_count; ++i) out[i] = limit_speed(w.limits[i], V);
}

// Work of the bounded impulses: each times the mean of the speeds before and after.
inline void add_limit_work(World& w) {
    for (int32_t i = 0; i < w.limit_count; ++i)
        w.work += w.limits[i].p * 0.5 * (w.limit_before[i] + limit_speed(w.limits[i], w.V));
}

// The same at a step's start or end, given the velocities at the other end of its flight. Bodies
// fly up and fall back between the impulses that hold them: where a contact of a linkage with loops
// rests the mean speed of the flight counts instead, or whatever joints and contacts pass to each
// other from one end of the step to the other would be work.
inline void add_limit_work(World& w, bool starts, const double* flown, double quiet) {
    for (int32_t i = 0; i < w.limit_count; ++i) {
        const Limit& l = w.limits[i];
        double before = w.limit_before[i], after = limit_speed(l, w.V);
        if (w.looped && l.kind >= TOUCHING && l.p != 0) {
            const int32_t n = l.kind > TOUCHING ? l.normal : i;
            const double now = limit_speed(w.limits[n], w.V);
            const double first = starts ? now : w.limit_before[n];
            const double mean = 0.5 * (first + limit_speed(w.limits[n], flown));
            if (fabs(mean) < quiet && fabs(starts ? w.limit_before[n] : now) < quiet) {
                double& near = starts ? after : before;
                near = 0.5 * (near + limit_speed(l, flown));
            }
        }
        w.work += l.p * 0.5 * (before + after);
    }
}

// Speeds at which the joints' rows open, as residuals; the widest is reported.
inline double look_at_speeds(const World& w, const double* lambda) {
    double widest = 0;
    for (int32_t j = 0; j < w.bond_count; ++j) {
        const int32_t type = bond_type(w, j), held = HELD_ROWS[type];
        const Rows& rows = w.rows[j];
        const double *Va = w.V + 6LL * bond_a(w, j), *Vb = w.V + 6LL * bond_b(w, j);
        double* residual = w.residual + 6LL * j;
        double u[6], along = 0;
        Vec6 of_a = zero_vec6(), of_b = zero_vec6();
        for (int i = 3; i < 6; ++i) {
            add_vec6(of_a, Va[i], rows.Ja + 6 * i);
            add_vec6(of_b, Vb[i], rows.Jb + 6 * i);
        }
        const bool is_point = holds_point(type);
        for (int i = 0; i < 3 && !is_point; ++i) {
            add_vec6(of_a, Va[i], rows.Ja + 6 * i);
            add_vec6(of_b, Vb[i], rows.Jb + 6 * i);
        }
        store_vec6(sum_vec6(of_a, of_b), u);
        for (int i = 0; i < 3 && is_point; ++i) u[i] += Vb[i] - Va[i];
        for (int32_t i = 0; i < w.row_count[j]; ++i) {
            if (i < held) {
                residual[i] = u[i] + w.yield[6LL * j + i] * lambda[6LL * j + i];
                if (HELD[type][i].action != ABOUT) along += u[i] * u[i];
            } else if (w.yield[6LL * j + i] >= FULLY_SOFT) {
                residual[i] = 0;
            } else {
                // a spring has one variable for its three rows
                const int32_t v = type == SPRING ? bond_v(w, j) : w.soft[6LL * j + i];
                residual[i] = u[i] + w.yield[6LL * j + i] * lambda[6LL * j + i] -
                              w.keep[6LL * j + i] * w.rotor[v];
            }
        }
        widest = larger(widest, along);
    }
    for (int32_t c = 0; c < w.coupling_count; ++c) {
        const int64_t row = 6LL * (w.bond_count + c);
        const double u = coupling_speed(w, c, w.V);
        w.residual[row] = u + w.yield[row] * lambda[row];
        if (w.model->coupling_length[c]) widest = larger(widest, u * u);
    }
    return sqrt(widest);
}

// Impulses that make all speeds agree, at the present place.
inline void agree(World& w, ImpulseReport& r) {
    double* lambda = w.lambda_last;
    clear_all(lambda, 6LL * w.tie_count);
    look_at_speeds(w, lambda);
    correct(w, lambda);
    if (w.limit_count) {
        prepare_limits(w, w.limit_response, w.limit_impulses, w.limit_G);
        for (int32_t i = 0; i < w.limit_count; ++i)
            w.limits[i].value = limit_speed(w.limits[i], w.V);
        meet_limits(w, w.limit_response, w.limit_impulses, w.limit_G, w.V, lambda);
    }
    r.velocity_gap = look_at_speeds(w, lambda);
    for (int32_t turn = 0; turn < 3 && r.velocity_gap > w.speed_limit; ++turn) {
        correct(w, lambda);
        r.velocity_gap = look_at_speeds(w, lambda);
    }
}

// Bodies that meet and are thrown back, before the step.
inline void collide(World& w, double quiet, ImpulseReport& r) {
    w.limit_count = 0;
    if (w.stop_restitution > 0 && w.with_stops) list_axes(w, IMPACT);
    list_touches(w, IMPACT, quiet);
    if (w.limit_count == 0) return;
    note_limit_speeds(w, w.V, w.limit_before);
    prepare_limits(w, w.limit_response, w.limit_impulses, w.limit_G);
    for (int32_t i = 0; i < w.limit_count; ++i) w.limits[i].value = w.limit_before[i];
    meet_limits(w, w.limit_response, w.limit_impulses, w.limit_G, w.V, nullptr);
    add_limit_work(w);
    r.contacts += w.limit_count;
}

// A joint's variables, and its place on its curve, from its present frames.
inline void read_bond(const World& w, int32_t j) {
    const double *X_F = w.X_F + 12LL * j, *X_M = w.X_M + 12LL * j;
    double* q = w.q + bond_q(w, j);
    if (bond_type(w, j) == POINT_ON_CURVE) {
        const double d[3] = {X_M[9] - X_F[9], X_M[10] - X_F[10], X_M[11] - X_F[11]};
        double p[3], offset[3], n1[3], n2[3];
        rotate_back(X_F, d, p);
        w.curve_at[j] = follow_curve(w, j, p, w.curve_at[j], offset, n1, n2);
    } else {
        double before[7];
        copy_all(before, q, BOND_NQ[bond_type(w, j)]);
        bond_variables(bond_type(w, j), X_F, X_M, before, q);
    }
}

// Speeds of all joints' variables.
inline void read_speeds(const World& w) {
    for (int32_t j = 0; j < w.bond_count; ++j)
        for (int32_t k = 0; k < BOND_NV[bond_type(w, j)]; ++k)
            w.v[bond_v(w, j) + k] = axis_speed(w, j, k, w.V);
}

// Gaps and speeds as they are now; nothing changes.
inline void look_now(const World& w, ImpulseReport& r) {
    for (int32_t j = 0; j < w.bond_count; ++j) {
        double g[6], gap, angle;
        bond_gap(w, j, w.X_F + 12LL * j, w.X_M + 12LL * j, bond_before(w, j), g, gap, angle);
        r.gap = larger_root(r.gap, gap);
        r.angle_gap = larger_root(r.angle_gap, angle);
    }
    for (int32_t c = 0; c < w.coupling_count; ++c) {
        const double gap = coupling_gap(w, c, w.q);
        double& widest = w.model->coupling_length[c] ? r.gap : r.angle_gap;
        widest = larger_root(widest, gap * gap);
    }
    r.velocity_gap = look_at_speeds(w, w.lambda_last);
}

// Mean effort of a row of a tie over the last step.
inline double mean_effort(const World& w, int32_t tie, int32_t row) {
    const int64_t i = 6LL * tie + row;
    return (w.cut ? w.carried[i] : w.lambda[i] + w.lambda_last[i]) / w.step;
}

// Mean effort of couplings along variable k of a joint over the last step.
inline double coupled_effort(const World& w, int32_t j, int32_t k) {
    double sum = 0;
    for (int32_t c = 0; c < w.coupling_count; ++c)
        for (int32_t n = w.model->term_start[c]; n < w.model->term_start[c + 1]; ++n)
            if (w.model->term_v[n] == bond_v(w, j) + k)
                sum += mean_effort(w, w.bond_count + c, 0) * coupling_slope(*w.model, w.q, c, n);
    return sum;
}

// Mean force and moment about M's origin that body a gave b through a joint over the last step:
// what holds it, rotors and dampers, efforts, springs and couplings.
inline void reaction(const World& w, int32_t j, double* out) {
    const int32_t type = bond_type(w, j), held = HELD_ROWS[type];
    const double *X_F = w.X_F + 12LL * j, *X_M = w.X_M + 12LL * j;
    clear_all(out, 6);
    for (int32_t i = 0; i < w.row_count[j]; ++i) {
        const BondRow kind =
            i < held ? HELD[type][i] : FREED[type][w.soft[6LL * j + i] - bond_v(w, j)];
        const double force = mean_effort(w, j, i);
        double axis[3];
        row_axis(w, j, kind.axis, X_F, X_M, axis);
        if (kind.action != ABOUT) add_scaled(force, axis, out, 3);
        if (kind.action == ABOUT) add_scaled(force, axis, out + 3, 3);
        if (kind.action == THREAD)
            add_scaled(-force * w.bond_numbers[(int64_t)BOND_SIZE * j + 24] / (2 * PI), axis,
                       out + 3, 3);
    }
    const double* late = (w.cut ? w.carried_late : w.late) + 6LL * j;
    if (type == SPRING) return add_scaled(1 / w.step, late, out, 3);
    for (int32_t k = 0; k < BOND_NV[type]; ++k) {
        double effort = w.efforts[bond_v(w, j) + k] + late[k] / w.step, axis[3];
        effort += coupled_effort(w, j, k);
        if (effort == 0) continue;
        row_axis(w, j, FREED[type][k].axis, X_F, X_M, axis);
        add_scaled(effort, axis, out + (FREED[type][k].action == ABOUT ? 3 : 0), 3);
    }
}

}  // namespace kinegen::impulse
