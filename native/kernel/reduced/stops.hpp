// Ends of travel and dry friction, by impulses: an end of travel only pushes back, friction holds
// its joint still if it can and brakes with its full force if it cannot. Both are exact where they
// hold, so nothing chatters and no step is too long for them.
//
// A step in which a joint meets an end is cut there (kernel/reduced/run.hpp). A joint that rests on
// an end does not accelerate through it. What friction or errors of a step move through one is
// brought back by the smallest change that the masses allow. No state that is left behind is beyond
// an end.
//
// The swing limit of a spherical joint is an end as well: a joint that slides along it rests on it,
// while its swing does not change.
#pragma once

#include "kernel/reduced/held.hpp"

namespace kinegen {

// Place and speeds of a spherical joint where the system is assembled at q and moves with v.
struct Ball {
    double quat[4], w[3];
};
inline Ball ball_of(ReducedEngine& e, int32_t joint, const double* q, const double* v) {
    const ReducedTree& t = e.system.tree;
    const Model& m = *t.model;
    Ball ball;
    if (t.first[joint] < 0) {
        const int32_t i = coupling_of(e, joint);
        read_cut(t, e.system.ties, i, e.cut_q);
        cut_axes(t, e.system.ties, i, e.axes);
        cut_speeds(t, e.system.ties, i, e.axes, ball.w);
        copy_all(ball.quat, e.cut_q + m.joint_q[joint], 4);
    } else {
        copy_all(ball.quat, q + m.joint_q[joint], 4);
        copy_all(ball.w, v + m.joint_v[joint], 3);
    }
    return ball;
}

// Takes from the changes in system.x what would move joints through the ends they rest on:
// accelerations (h 0), or changes of the speeds v over h. After move_tree.
inline void rest_on_stops(ReducedEngine& e, const double* q, const double* v, double h) {
    ReducedSystem& s = e.system;
    const Model& m = *s.tree.model;
    double* change = e.rest_x;
    copy_all(change, s.x, s.tree.n);
    e.held_count = 0;
    for (int32_t n = 0; n < e.rest_count; ++n) {
        const int32_t i = e.rest[n] / 2, k = i - m.joint_v[e.rest_joint[n]];
        const bool lower = e.rest[n] % 2 == 0;
        const int32_t joint = e.rest_joint[n];
        const double* add = h > 0 ? v : nullptr;
        double along[2] = {1, 0};
        e.held_mass[n] = change_of(e, joint, k, change, add);
        if (m.joint_type[joint] == SPHERICAL) {
            const Ball ball = ball_of(e, joint, q, v);
            const double second = change_of(e, joint, k + 1, change, add);
            swing_axis(ball.quat, along);
            e.held_mass[n] = along[0] * e.held_mass[n] + along[1] * second +
                             (h > 0 ? 0 : swing_bend(ball.quat, ball.w));
        }
        hold(e, joint, k, along, lower ? HELD_LOWER : HELD_UPPER, lower ? 0 : -INFINITY,
             lower ? INFINITY : 0, 0);
    }
    sweep_held(e);
    e.pressed = 0;
    for (int32_t n = 0; n < e.rest_count; ++n) {
        e.rest_force[n] = fabs(e.held_p[n]) / (h > 0 ? h : 1);
        e.pressed += e.held_p[n] != 0;
    }
    for (int32_t k = 0; k < s.tree.n; ++k) s.x[k] += change[k];
}

// Takes from the speeds v what the state has beyond an energy; returns the energy that it has then.
// After move_tree, which holds for the new speeds as well.
inline double take_excess(ReducedEngine& e, const double* q, double* v, double energy) {
    const double height = potential_energy(e, q);
    double kinetic = kinetic_energy(e, v);
    const double excess = kinetic + height - energy;
    if (excess > 0 && kinetic > 0) {
        const double left = larger(0, 1 - excess / kinetic), scale = sqrt(left);
        for (int32_t i = 0; i < e.system.tree.model->nv; ++i) v[i] *= scale;
        kinetic *= left;
        move_tree(e.system.tree, v);
    }
    return kinetic + height;
}

// The energy after joints were stopped and brought back. One that slides along a swing limit is
// stopped beyond it, on a curve: that may bring energy, the less the shorter the step, which is
// taken.
inline double energy_after(ReducedEngine& e, const double* q, double* v, double energy,
                           bool swings) {
    return swings ? take_excess(e, q, v, energy) : kinetic_energy(e, v) + potential_energy(e, q);
}

// Moves the place by system.x times a scale, and closes the loops.
inline void shift_held(ReducedEngine& e, double scale, double* q, const double* stiffening) {
    const ReducedTree& t = e.system.tree;
    for (int32_t k = 0; k < t.n; ++k) e.xi[t.index[k]] = e.system.x[k];
    move_tree_joints(*t.model, q, e.xi, scale, q);
    if (!close_loops(e, q, stiffening)) e.report.status = RUN_OPEN;
    read_cuts(e, q);
}

// Brings joints back that are beyond an end of travel. Returns whether any was.
inline bool return_to_stops(ReducedEngine& e, double* q, const double* stiffening) {
    double best = INFINITY;
    bool moved = false;
    for (int32_t n = 0, idle = 0; n < CLOSING_LIMIT && e.report.status == RUN_OK; ++n) {
        const double room = least_of_all(e, q);
        // what loops and other ends hold where it is stays there
        idle = -room > 0.5 * best ? idle + 1 : 0;
        if (!(room < -BEYOND) || idle == 4) break;
        best = smaller(best, -room);
        moved = true;
        e.held_count = 0;
        need_dense(e, q, stiffening);
        list_touched(e, q, nullptr);
        for (int32_t i = 0; i < e.held_count; ++i) e.held_mass[i] = 0;
        sweep_held(e);
        shift_held(e, 1, q, stiffening);
    }
    return moved;
}

// After a settled step of length h: ends of travel that are touched or passed, and friction. What
// friction changes of the speed acts for half the step on the place as well, which makes it second
// order while a joint slides. The work is what all of this changes of the energy.
inline void meet_stops(ReducedEngine& e, double h, double* q, double* v, const double* stiffening) {
    if (e.held_capacity == 0) return;
    ReducedSystem& s = e.system;
    const Model& m = *s.tree.model;
    const bool rubs = e.with_friction && !e.meets_later && has_friction(m);
    read_cuts(e, q);
    if (!rubs && !(e.with_stops && least_of_all(e, q) <= TOUCHING)) return;
    need_dense(e, q, stiffening);
    move_tree(s.tree, v);
    read_cut_speeds(e, v);
    e.held_count = 0;
    if (e.with_stops) list_touched(e, q, v);
    const bool swings = e.with_stops && touches_swing_limit(e, q);
    const int32_t stops = e.held_count;
    for (int32_t j = 0; rubs && j < m.joint_count; ++j)
        for (int32_t k = 0; k < JOINT_NV[m.joint_type[j]]; ++k) {
            const int32_t i = m.joint_v[j] + k;
            if (m.coulomb[i] == 0 && m.breakaway[i] == 0) continue;
            const double most = h * dry_friction(m, i, v[i]);
            hold(e, j, k, ONE_VARIABLE, HELD_FRICTION, -most, most, 0);
        }
    if (e.held_count == 0) return;
    const double energy = kinetic_energy(e, v) + potential_energy(e, q);
    for (int32_t i = 0; i < e.held_count; ++i) e.held_mass[i] = held_speed(e, i, v);
    sweep_held(e);
    for (int32_t k = 0; k < s.tree.n; ++k) v[s.tree.index[k]] += s.x[k];
    // ends that joints rest on were counted already
    for (int32_t i = 0; i < e.held_count; ++i) {
        note_impulse(e, i, e.held_p[i]);
        const int32_t stop = 2 * e.held[i] + (e.held_kind[i] == HELD_UPPER);
        e.report.stops += e.held_p[i] != 0 && (i >= stops || rest_impulse(e, stop) == 0);
    }
    // friction's share of the place, then back onto the ends
    bool braked = false;
    for (int32_t k = 0; k < s.tree.n; ++k) s.x[k] = 0;
    for (int32_t i = stops; i < e.held_count; ++i) {
        braked = braked || e.held_p[i] != 0;
        add_scaled(e.held_p[i], e.held_Y + (int64_t)i * s.tree.n, s.x, s.tree.n);
    }
    if (braked) {
        solve_inner(s.tree, s.x);
        shift_held(e, h / 2, q, stiffening);
    }
    if ((e.with_stops && return_to_stops(e, q, stiffening)) || braked) close_speeds(e, v);
    need_places(e, q);
    move_tree(s.tree, v);
    e.work += energy_after(e, q, v, energy, swings) - energy;
    read_cut_speeds(e, v);
}

// After contacts, which bring ends of travel into account only to first order: joints that they
// pushed beyond one come back.
inline void keep_stops(ReducedEngine& e) {
    if (!e.with_stops || e.held_capacity == 0 || !(least_of_all(e, e.q) < -BEYOND)) return;
    need_places(e, e.q);
    move_tree(e.system.tree, e.v);
    const double energy = kinetic_energy(e, e.v) + potential_energy(e, e.q);
    const bool swings = touches_swing_limit(e, e.q);
    if (!return_to_stops(e, e.q, nullptr)) return;
    close_speeds(e, e.v);
    need_places(e, e.q);
    move_tree(e.system.tree, e.v);
    e.work += energy_after(e, e.q, e.v, energy, swings) - energy;
    read_cut_speeds(e, e.v);
}

}  // namespace kinegen
