// One solver for drags, assembly and inverse kinematics of any topology.
//
// Each iteration linearises at q, eliminates the hard rows (loops, pins, locked and limited joints)
// and solves the handles in the motion that is left, by damped least squares with a metric. Loops
// therefore stay closed to rounding, and what is reported about the handles is about motions that
// the mechanism can really make. All variables are scaled: angles by 1 rad, lengths by the
// mechanism's own size, so that results do not depend on the unit of length.
#pragma once

#include "kernel/solver/step.hpp"

namespace kinegen {

// A small free motion in no particular direction, as the step: repeatable, one way then the other.
constexpr double NUDGE = 0.02;
inline void nudge(Solver& s, const double* q, const SolverOptions& o, int32_t number) {
    const Model& m = *s.model;
    for (int32_t i = 0; i < m.nv; ++i) s.step[i] = 0;
    int32_t n = 0;
    for (int32_t i = 0; i < m.nv; ++i)
        if (s.elimination.formula_of[i] < 0) {
            ++n;
            s.step[i] = (n % 2 ? 1 : -1) * (0.6 + 0.4 / (1 + n));
        }
    back_substitute(s.elimination, s.step, false);
    double longest = 1e-300;
    for (int32_t i = 0; i < m.nv; ++i) longest = larger(longest, fabs(s.step[i]));
    double size = (number ? -1 : 1) * smaller(NUDGE, o.max_step) / longest;
    // no further than the limits let it
    double share = 1;
    for (int32_t j = 0; o.use_limits && j < m.joint_count; ++j) {
        const int32_t type = m.joint_type[j];
        if (JOINT_QUATERNION[type]) continue;
        for (int32_t k = 0; k < JOINT_NV[type]; ++k) {
            const int32_t i = m.joint_v[j] + k;
            const double move = size * s.step[i] * s.scale[i], here = q[m.joint_q[j] + k];
            const double room = move > 0 ? m.upper[i] - here : here - m.lower[i];
            if (fabs(move) > 1e-15 && room < fabs(move))
                share = smaller(share, larger(room, 0) / fabs(move));
        }
    }
    for (int32_t i = 0; i < m.nv; ++i) s.step[i] *= share * size;
}

// Closes loops and pins from q by the shortest move; returns whether it succeeded.
inline bool close_loops(Solver& s, double* q, const int32_t* ints, const double* reals,
                        int32_t handle_count, const SolverOptions& o, int32_t max_iterations,
                        Errors& now, SolverReport& report) {
    const double met = o.handle_tolerance * o.handle_tolerance;
    SolverOptions closing = o;
    closing.bounds = nullptr;
    closing.avoid = nullptr;  // who calls sees to it
    closing.posture_gain = 0;
    for (int32_t i = 0; i < s.model->nv; ++i) s.preferred[i] = 0;
    for (int32_t n = 0; n < max_iterations; ++n) {
        if (now.gap <= o.gap_tolerance && now.hard <= met) return true;
        if (find_step(s, q, ints, reals, handle_count, false, closing, now.gap, 0, report) != OK)
            return false;
        // shorter steps until gap and pins together shrink; a roaming search goes over the hills
        // that other modes lie behind
        double share = allowed_share(s, closing);
        const double before = now.gap * now.gap + now.hard;
        double* q_before = s.q_close;
        memcpy(q_before, q, sizeof(double) * (size_t)s.model->nq);
        bool better = false;
        for (int32_t cut = 0; cut < 10 && !better; ++cut, share *= 0.4) {
            memcpy(q, q_before, sizeof(double) * (size_t)s.model->nq);
            make_step(s, q, share, o.use_limits);
            const Errors next = errors_at(s, q, ints, reals, handle_count);
            better = next.gap * next.gap + next.hard < (o.roam ? 1e300 : before);
            if (better) now = next;
        }
        ++report.iterations;
        if (!better) {
            memcpy(q, q_before, sizeof(double) * (size_t)s.model->nq);
            now = errors_at(s, q, ints, reals, handle_count);
            return false;
        }
    }
    return now.gap <= o.gap_tolerance && now.hard <= met;
}

// Moves q towards the handles with the loops closed. q must be finite; it is changed in place.
//
// Steps meet the linearised loops while curvature opens them a little; the next step closes them
// again. Progress is judged at closed poses only: the last good one is the anchor to fall back to.
inline void solve(Solver& s, double* q, const int32_t* ints, const double* reals,
                  int32_t handle_count, const SolverOptions& o, SolverReport& report) {
    const Model& m = *s.model;
    const size_t q_bytes = sizeof(double) * (size_t)m.nq;
    const double met = o.handle_tolerance * o.handle_tolerance;
    set_scales(s);
    for (int32_t i = 0; i < m.nv; ++i) s.moved[i] = s.held[i] = 0;
    report = SolverReport{};
    report.clearance = INFINITY;
    report.obstacle = -1;
    s.elimination.overflow = false;  // of a call before; this one may need no elimination
    memcpy(s.q_start, q, q_bytes);
    Errors now = errors_at(s, q, ints, reals, handle_count);
    auto is_closed = [&] { return now.gap <= o.gap_tolerance && now.hard <= met; };

    // an open start is closed first
    if (!is_closed() &&
        !close_loops(s, q, ints, reals, handle_count, o, o.max_iterations, now, report)) {
        report.outcome = s.elimination.overflow ? NEED_MEMORY : STUCK;
        if (s.elimination.overflow) memcpy(q, s.q_start, q_bytes);
        report.gap = now.gap;
        report.pin_error = sqrt(now.hard);
        report.handle_error = sqrt(now.soft);
        return;
    }
    if (handle_count == 0 && o.posture_gain == 0) {
        report.outcome = REACHED;
        report.gap = now.gap;
        return;
    }
    memcpy(s.q_anchor, q, q_bytes);
    memcpy(s.moved_anchor, s.moved, sizeof(double) * (size_t)m.nv);
    Errors anchor = now;
    if (o.avoid) set_avoid_anchor(s, *o.avoid);
    const double soft_at_start = now.soft;
    double anchor_excess = o.use_limits ? limit_excess(s, q) : 0;
    SolverReport ignored{};
    double radius = o.max_step, extra_damping = 0, promised = 0;
    int32_t open_for = 0, settling = 0, nudges = 0;
    report.outcome = MOVING;
    while (report.iterations < o.max_iterations) {
        const bool closed = is_closed();
        if (closed && now.soft <= met && o.posture_gain == 0) {
            report.outcome = REACHED;
            break;
        }
        set_preferred(s, q, o);
        if (settling > 0)
            for (int32_t i = 0; i < m.nv; ++i) s.preferred[i] = 0;
        // damping in proportion to the error: Newton's speed near the goal, and about the
        // curvature that a goal out of reach leaves at the edge
        const double damping = 0.1 * smaller(sqrt(now.soft), 1.0) + 1e-13 + extra_damping;
        SolverOptions step_options = o;
        step_options.max_step = radius;
        const int32_t status = find_step(s, q, ints, reals, handle_count, true, step_options,
                                         now.gap, damping, report);
        if (status != OK) {
            memcpy(q, s.q_start, q_bytes);
            report.outcome = status;
            return;
        }
        const double share = allowed_share(s, step_options);
        double longest = 0;
        for (int32_t i = 0; i < m.nv; ++i) longest = larger(longest, share * fabs(s.step[i]));
        const bool flat =
            o.posture_gain == 0 && longest < 1e-3 && report.gradient <= 1e-6 * sqrt(now.soft);
        if (closed && (longest < 1e-12 || flat) && now.soft > met && report.dof > 0 &&
            o.posture_gain == 0 && o.bounds == nullptr && nudges < 2) {
            // level ground may be a saddle (a dead centre, a stretched leg): step off it a little
            // and see; what does not lead downhill from there leads back to the anchor
            nudge(s, q, o, nudges++);
            make_step(s, q, 1, o.use_limits);
            now = errors_at(s, q, ints, reals, handle_count);
            ++report.iterations;
            close_loops(s, q, ints, reals, handle_count, o, 4, now, ignored);
            promised = 0;
            continue;
        }
        if (closed && (longest < 1e-12 || flat)) {
            // held by the call's bounds, or as near as it gets
            report.outcome = share < 1e-6 && !flat ? MOVING : now.soft <= met ? REACHED : NEAREST;
            break;
        }
        if (closed) promised = share * (2 * report.promise_linear - share * report.promise_square);
        const double before = now.soft;
        make_step(s, q, share, o.use_limits);
        now = errors_at(s, q, ints, reals, handle_count);
        ++report.iterations;
        // while the error falls fast, the next step may close the loops on the way
        if (!is_closed() && now.gap < 0.02 && now.soft < 0.1 * before && ++open_for < 4 &&
            report.iterations < o.max_iterations)
            continue;
        if (!is_closed() && now.gap < 0.3)
            close_loops(s, q, ints, reals, handle_count, o, 6, now, ignored);
        open_for = 0;
        // leaning to the posture may lift the handles a little: put them back before judging
        if (o.posture_gain != 0 && is_closed() && now.soft > larger(anchor.soft, met) &&
            now.soft < 1e-2 && ++settling < 5 && report.iterations < o.max_iterations)
            continue;
        settling = 0;
        const bool posture_moves = o.posture_gain != 0 && now.soft <= larger(anchor.soft, met);
        // limits that the loops leave no way to hold stop the motion instead
        const double excess = o.use_limits ? limit_excess(s, q) : 0;
        const bool nearer = now.soft < anchor.soft * (nudges ? 1 - 1e-9 : 1) || now.soft <= met;
        const bool better = is_closed() && excess <= larger(anchor_excess, 1e-10) &&
                            (nearer || posture_moves) && (!o.avoid || stays_clear(s, *o.avoid));
        // how well the linear picture predicted the gain sets how much it is trusted next
        const double kept = promised > 0 ? (anchor.soft - now.soft) / promised : 1;
        if (better) {
            if (kept < 0.25) {
                extra_damping = larger(4 * extra_damping, 1e-3 * smaller(now.soft, 1.0));
                radius = larger(0.5 * smaller(radius, longest), 1e-6);
            } else if (kept > 0.7) {
                extra_damping *= 0.1;
                radius = smaller(2 * radius, o.max_step);
            }
            anchor = now;
            if (o.avoid) set_avoid_anchor(s, *o.avoid);
            anchor_excess = excess;
            memcpy(s.q_anchor, q, q_bytes);
            memcpy(s.moved_anchor, s.moved, sizeof(double) * (size_t)m.nv);
        } else {
            // back to the anchor, with shorter and more careful steps
            memcpy(q, s.q_anchor, q_bytes);
            memcpy(s.moved, s.moved_anchor, sizeof(double) * (size_t)m.nv);
            now = errors_at(s, q, ints, reals, handle_count);
            radius = 0.3 * smaller(radius, longest);
            extra_damping = larger(8 * extra_damping, 1e-2 * smaller(now.soft, 1.0));
            if (nudges > 0) radius = o.max_step;  // it was the nudge that did not lead anywhere
            if (radius < 1e-9) {
                report.outcome = now.soft <= met ? REACHED : NEAREST;
                break;
            }
        }
    }
    if (!is_closed() || (o.avoid && !stays_clear(s, *o.avoid))) {
        memcpy(q, s.q_anchor, q_bytes);
        now = errors_at(s, q, ints, reals, handle_count);
    }
    // the last step may have been the one that was missing
    if (report.outcome == MOVING && is_closed() && now.soft <= met && o.posture_gain == 0)
        report.outcome = REACHED;
    // a whole call that gains next to nothing: this is the edge of what can be reached
    if (report.outcome == MOVING && o.bounds == nullptr && o.posture_gain == 0 &&
        soft_at_start - now.soft <= 1e-6 * soft_at_start)
        report.outcome = NEAREST;
    report.gap = now.gap;
    report.pin_error = sqrt(now.hard);
    report.handle_error = sqrt(now.soft);
    if (o.avoid) {
        report.clearance = o.avoid->least;
        report.obstacle = report.outcome == REACHED ? -1 : o.avoid->blocked;
    }
    finish_report(s, report);
}

}  // namespace kinegen
