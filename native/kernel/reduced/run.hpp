// Many steps of the reduced engine in one call.
#pragma once

#include "kernel/base/never.hpp"
#include "kernel/reduced/implicit.hpp"
#include "kernel/reduced/servos.hpp"

namespace kinegen {

// Steps shorter than this part of the whole are given up.
constexpr double SHORTEST_STEP = 1e-9;

// Trials within one step after which it is given up: a report instead of a wait without end.
constexpr int32_t STEP_TRIALS = 20000;
// Errors [rad, m, and of speeds against 1 + their size] that may be rounding: where shorter steps
// do not make them smaller, they are.
constexpr double ROUNDING_ERROR = 1e-6;

// From one step's begin to its end by RK4 steps whose halves agree to the tolerance.
inline void step_adaptive(ReducedEngine& e, double h, double* q, double* v, double& trial) {
    const Model& m = *e.system.tree.model;
    // the error of the halves is a fifteenth of what they differ by; rounding is always there
    const double tolerance = larger(15 * e.tolerance, 1e-14);
    double done = 0;
    // of the last trial that failed: its error and length; and how often the next was no better
    double failed_error = INFINITY, failed = INFINITY;
    double rounding = 0;  // errors that shorter steps do not make smaller, in this step
    int32_t trials = 0, stalls = 0;
    if (!(trial > 0 && trial < h)) trial = h;
    while (done < h && e.report.status == RUN_OK) {
        if (++trials > STEP_TRIALS) {
            e.report.status = RUN_SMALL;
            break;
        }
        const bool last = !(trial < 0.999 * (h - done));
        const double own = last ? h - done : trial;
        nystrom(e, q, v, own, e.q_try, e.v_try);
        assemble_at(e, q, nullptr);
        const double before = e.work, first = nystrom(e, q, v, own / 2, e.q_half, e.v_half);
        settle(e, e.q_half, e.v_half, nullptr);
        copy_all(e.cut_q, e.q_half, m.nq);
        const double second = nystrom(e, e.cut_q, e.v_half, own / 2, e.q_half, e.v_half);
        // what the halves differ by, places in lengths of a step of unit speed
        difference(m, e.q_try, e.q_half, e.xi);
        double error = 0;
        for (int32_t k = 0; k < e.system.tree.n; ++k) {
            const int32_t i = e.system.tree.index[k];
            const double size = 1 + fabs(e.v_half[i]);
            error = larger(error, larger(fabs(e.xi[i]), fabs(e.v_half[i] - e.v_try[i]) / size));
        }
        // a trial that leads nowhere is too long, whatever was found there
        if (e.report.status != RUN_OK || !all_finite(e.v_half, m.nv)) error = INFINITY;
        e.report.status = RUN_OK;
        // the method's own error falls with the fifth power of the step
        const double shorter = own / failed;
        stalls += shorter < 1 && error > shorter * shorter * failed_error;
        if (stalls >= 2 && error < ROUNDING_ERROR) rounding = larger(rounding, 2 * error);
        const double share = error / larger(tolerance, rounding);
        double factor = share > 0 ? 0.9 * pow(share, -0.2) : 4;
        if (!(share <= 1)) {
            failed_error = error;
            failed = own;
            trial = own * (factor > 0.1 ? smaller(factor, 0.5) : 0.1);
            if (!(trial > SHORTEST_STEP * h)) e.report.status = RUN_SMALL;
            assemble_at(e, q, nullptr);
            continue;
        }
        // errors that are rounding say nothing against a longer step
        if (error > tolerance) factor = 4;
        failed_error = failed = INFINITY;
        stalls = 0;
        move_tree_joints(m, e.q_half, e.xi, 1.0 / 15, e.q_half);
        for (int32_t i = 0; i < m.nv; ++i) e.v_half[i] += (e.v_half[i] - e.v_try[i]) / 15;
        e.work = before + first + second;
        copy_tree(e, e.q_half, e.v_half, q, v);
        settle(e, q, v, nullptr);
        done = last ? h : done + own;
        if (!last || factor < 1) trial = own * smaller(4, factor);
    }
}

inline void note_gaps(ReducedEngine& e) {
    e.report.gap = larger(e.report.gap, e.left.linear);
    e.report.angle_gap = larger(e.report.angle_gap, e.left.angular);
}

// One step from q, v, where the system is assembled. One that opens the loops by more than they
// should, near a singular place or in a whip of the links, is repeated in halves.
inline void step_refined(ReducedEngine& e, double h, int32_t level, double& trial) {
    const Model& m = *e.system.tree.model;
    double *q = e.saved_q + (int64_t)level * m.nq, *v = e.saved_v + (int64_t)level * m.nv;
    copy_all(q, e.q, m.nq);
    copy_all(v, e.v, m.nv);
    const double work = e.work;
    if (e.integrator == RK4)
        step_rk4(e, h, e.q, e.v);
    else if (e.integrator == SEMI_IMPLICIT)
        step_semi_implicit(e, h, e.q, e.v);
    else if (e.integrator == IMPLICIT)
        step_implicit(e, h, e.q, e.v);
    else
        step_adaptive(e, h, e.q, e.v, trial);
    const bool bad = e.report.status == RUN_OPEN || !(e.opening <= e.refine);
    if (e.integrator == ADAPTIVE || !bad || level == REFINEMENTS ||
        (e.report.status != RUN_OK && e.report.status != RUN_OPEN)) {
        note_gaps(e);
        return;
    }
    copy_all(e.q, q, m.nq);
    copy_all(e.v, v, m.nv);
    e.work = work;
    e.report.status = RUN_OK;
    ++e.report.refined;
    if (e.integrator != IMPLICIT) assemble_at(e, e.q, nullptr);
    step_refined(e, h / 2, level + 1, trial);
    if (e.report.status == RUN_OK) step_refined(e, h / 2, level + 1, trial);
}

// Impacts within one step after which the rest of it is made at once: its impacts are dead.
constexpr int32_t IMPACTS = 16;
// Trials for the moment of an impact; two or three are enough where the motion is smooth.
constexpr int32_t IMPACT_TRIALS = 30;

// Where the step that has just been made would first have met an end of travel, as a share of it:
// by parabolas through the rooms before and after and the speeds after it.
inline double guess_impact(ReducedEngine& e, double h) {
    double first = 1;
    need_places(e, e.q);
    move_tree(e.system.tree, e.v);
    read_cut_speeds(e, e.v);
    each_stop(*e.system.tree.model, e.q, [&](const Stop& stop) {
        const double room = stop.room, sign = stop.kind == HELD_LOWER ? 1 : -1;
        if (was_touching(e, stop.place) || !(room < 0)) return;
        const double slope = sign * speed_along(stop.along, e.v + stop.place / 2) * h;
        const double bend = e.stop_from[stop.place] - room + slope;
        // room + slope x + bend x², x from -1 to 0: its one change of sign
        double low = -1, high = 0;
        for (int n = 0; n < 40; ++n) {
            const double x = 0.5 * (low + high);
            (room + slope * x + bend * x * x > 0 ? low : high) = x;
        }
        first = smaller(first, 1 + low);
    });
    return first;
}

// Makes a step of h, after which joints are beyond their ends, again and shorter, so that it ends
// where the first of them meets its end (Illinois' method). Returns its length.
inline double cut_step(ReducedEngine& e, double h, double work, double before, double& trial) {
    const Model& m = *e.system.tree.model;
    double early = 0, late = h, room_early = INFINITY, room_late = least_room(e);
    each_stop(m, e.stop_q, [&](const Stop& stop) {
        if (!was_touching(e, stop.place)) room_early = smaller(room_early, stop.room);
    });
    double next = h * guess_impact(e, h), part = h;
    int32_t side = 0;
    for (int32_t n = 0; n < IMPACT_TRIALS; ++n) {
        part = early < next && next < late ? next : 0.5 * (early + late);
        copy_all(e.q, e.stop_q, m.nq);
        copy_all(e.v, e.stop_v, m.nv);
        e.work = work;
        trial = before;
        if (e.integrator != IMPLICIT) assemble_at(e, e.q, nullptr);
        step_refined(e, part, 0, trial);
        if (e.report.status != RUN_OK) break;
        read_cuts(e, e.q);
        const double room = least_room(e);
        if (fabs(room) <= TOUCHING) break;
        if (room < 0) {
            late = part;
            room_late = room;
            if (side < 0) room_early *= 0.5;
            side = -1;
        } else {
            early = part;
            room_early = room;
            if (side > 0) room_late *= 0.5;
            side = 1;
        }
        next = early + (late - early) * room_early / (room_early - room_late);
    }
    trial = before;
    return part;
}

// One step with its impacts: it is cut wherever a joint meets an end of its travel.
inline void step_to_stops(ReducedEngine& e, double h, double& trial) {
    const Model& m = *e.system.tree.model;
    const double* stiffening = e.integrator == IMPLICIT ? e.stiffening : nullptr;
    double left = h;
    for (int32_t i = 0; i < m.nv; ++i) e.held_impulse[i] = 0;
    for (int32_t n = 0; left > 0 && e.report.status == RUN_OK; ++n) {
        const double work = e.work, before = trial;
        const bool stops = e.with_stops && e.held_capacity > 0;
        e.rest_count = e.pressed = 0;
        if (stops) {
            note_stops(e);
            copy_all(e.stop_q, e.q, m.nq);
            copy_all(e.stop_v, e.v, m.nv);
        }
        step_refined(e, left, 0, trial);
        double part = left;
        if (stops && e.report.status == RUN_OK) {
            read_cuts(e, e.q);
            if (n < IMPACTS && least_room(e) < -TOUCHING)
                part = cut_step(e, left, work, before, trial);
        }
        e.report.stops += e.pressed;
        for (int32_t i = 0; i < e.rest_count; ++i) {
            const int32_t j = e.rest_joint[i];
            double along[2] = {1, 0};
            if (m.joint_type[j] == SPHERICAL) swing_axis(e.q + m.joint_q[j], along);
            note_impulse(e, e.rest[i] / 2, along,
                         (e.rest[i] % 2 == 0 ? part : -part) * e.rest_force[i]);
        }
        if (e.report.status == RUN_OK) meet_stops(e, part, e.q, e.v, stiffening);
        left = part < left ? left - part : 0;
    }
    e.rest_count = 0;
}

// What is done before and after every step where nothing touches.
struct NoContacts {
    void begin(ReducedEngine&) {}
    void end(ReducedEngine&) {}
};

// Runs steps from the state in e; stops at the first that fails, with the state before it.
// Returns how many were run.
template <class Stop = Never, class Contacts = NoContacts>
inline int64_t run_reduced(ReducedEngine& e, int64_t steps, double& trial, Stop&& stop = Stop(),
                           Contacts&& contacts = Contacts()) {
    const Model& m = *e.system.tree.model;
    const double h = e.step;
    e.report = RunReport{};
    refresh_engine(e);
    use_springs_as_rows(e.system, e.integrator == IMPLICIT);
    copy_all(e.q_try, e.q, m.nq);
    copy_all(e.q_half, e.q, m.nq);
    copy_all(e.cut_q, e.q, m.nq);
    for (int32_t i = 0; i < m.nv; ++i) e.v_try[i] = e.v_half[i] = e.xi[i] = e.p[i] = e.p0[i] = 0;
    for (int32_t i = 0; i < m.nv; ++i) e.a1[i] = e.a2[i] = e.a3[i] = e.a4[i] = 0;
    const double* stiffening = nullptr;
    if (e.integrator == IMPLICIT) {
        stiffen(e, h / 2);
        stiffening = e.stiffening;
    }
    // numbers of the model may have changed: loops are closed again
    if (!close_loops(e, e.q, stiffening)) e.report.status = RUN_OPEN;
    note_gaps(e);
    int64_t done = 0;
    const double start = e.time;
    for (; done < steps && e.report.status == RUN_OK && !stop(); ++done) {
        if (e.servos != nullptr) push_servos(e, *e.servos);
        contacts.begin(e);
        step_to_stops(e, h, trial);
        read_cuts(e, e.q);
        e.time = start + (double)(done + 1) * h;
        if (e.report.status == RUN_OK) contacts.end(e);
    }
    // cut joints' speeds, and what still opens the loops
    need_places(e, e.q);
    move_tree(e.system.tree, e.v);
    read_cut_speeds(e, e.v);
    use_springs_as_rows(e.system, false);
    e.report.velocity_gap = row_speeds(e.system.tree, e.system.springs, e.system.ties, e.system.y);
    return done;
}

}  // namespace kinegen
