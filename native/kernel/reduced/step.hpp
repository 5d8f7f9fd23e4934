// Steps of the reduced engine: each leaves the loops closed, at the level of place and of speed,
// and the system assembled where it ends.
#pragma once

#include "kernel/reduced/stops.hpp"

namespace kinegen {

// Nyström's method of order four for y'' = f(y, y') (E. Hairer, S. Nørsett, G. Wanner, Solving
// Ordinary Differential Equations I, section II.14): from q, v, where the system is assembled, to
// q_end, v_end (which may be v), with the loops open by as much as the method errs. Returns the
// work.
inline double nystrom(ReducedEngine& e, const double* q, const double* v, double h, double* q_end,
                      double* v_end) {
    const Model& m = *e.system.tree.model;
    const int32_t n = m.nv;
    note_strong_state(e, q, v, h);
    // at the beginning
    double work = accelerate(e, q, v, e.a1);
    enter_chart(m, q, v, e.p0);
    for (int32_t i = 0; i < n; ++i) e.xi[i] = 0;
    chart_accelerations(m, q, v, e.xi, e.p0, e.a1);
    // twice in the middle, at one place
    for (int32_t i = 0; i < n; ++i) {
        e.xi[i] = h / 2 * e.p0[i] + h * h / 8 * e.a1[i];
        e.p[i] = e.p0[i] + h / 2 * e.a1[i];
    }
    leave_chart(m, q, e.xi, e.p, q_end, v_end);
    e.stage_offset = h / 2;
    assemble_at(e, q_end, nullptr);
    work += 2 * accelerate(e, q_end, v_end, e.a2);
    chart_accelerations(m, q_end, v_end, e.xi, e.p, e.a2);
    for (int32_t i = 0; i < n; ++i) e.p[i] = e.p0[i] + h / 2 * e.a2[i];
    leave_chart(m, q, e.xi, e.p, q_end, v_end);
    work += 2 * accelerate(e, q_end, v_end, e.a3);
    chart_accelerations(m, q_end, v_end, e.xi, e.p, e.a3);
    // at the end
    for (int32_t i = 0; i < n; ++i) {
        e.xi[i] = h * e.p0[i] + h * h / 2 * e.a3[i];
        e.p[i] = e.p0[i] + h * e.a3[i];
    }
    leave_chart(m, q, e.xi, e.p, q_end, v_end);
    e.stage_offset = h;
    assemble_at(e, q_end, nullptr);
    work += accelerate(e, q_end, v_end, e.a4);
    chart_accelerations(m, q_end, v_end, e.xi, e.p, e.a4);
    for (int32_t i = 0; i < n; ++i) {
        e.xi[i] = h * e.p0[i] + h * h / 6 * (e.a1[i] + e.a2[i] + e.a3[i]);
        e.p[i] = e.p0[i] + h / 6 * (e.a1[i] + 2 * (e.a2[i] + e.a3[i]) + e.a4[i]);
    }
    leave_chart(m, q, e.xi, e.p, q_end, v_end);
    return h / 6 * work;
}

// Closes loops and speeds after a step.
inline void settle(ReducedEngine& e, double* q, double* v, const double* stiffening) {
    if (!all_finite(v, e.system.tree.model->nv) || !all_finite(q, e.system.tree.model->nq)) {
        e.report.status = RUN_NOT_FINITE;
        return;
    }
    bool closed = close_loops(e, q, stiffening);
    close_speeds(e, v);
    if (is_extrapolation_wrong(e, v)) {
        stop_extrapolating(e);
        closed = close_loops(e, q, stiffening);
        close_speeds(e, v);
    }
    if (!closed) e.report.status = RUN_OPEN;
}

inline void step_rk4(ReducedEngine& e, double h, double* q, double* v) {
    e.work += nystrom(e, q, v, h, e.q_try, e.v_try);
    copy_tree(e, e.q_try, e.v_try, q, v);
    settle(e, q, v, nullptr);
}

// Places by the old accelerations, then velocities by the mean of old and new ones (L. Verlet 1967,
// W. Swope et al. 1982): semi-implicit, of order two, and energy does not drift as with the method
// of order one. Velocity-dependent forces take the velocity foreseen; both evaluations of a step
// share the factors of one place with the next.
inline void step_semi_implicit(ReducedEngine& e, double h, double* q, double* v) {
    const Model& m = *e.system.tree.model;
    const int32_t n = m.nv;
    note_strong_state(e, q, v, h);
    double work = accelerate(e, q, v, e.a1);
    enter_chart(m, q, v, e.p0);
    for (int32_t i = 0; i < n; ++i) e.xi[i] = 0;
    chart_accelerations(m, q, v, e.xi, e.p0, e.a1);
    for (int32_t i = 0; i < n; ++i) {
        e.xi[i] = h * e.p0[i] + h * h / 2 * e.a1[i];
        e.p[i] = e.p0[i] + h * e.a1[i];
    }
    leave_chart(m, q, e.xi, e.p, e.q_try, e.v_try);
    copy_all(e.q_half, q, m.nq);
    copy_tree(e, e.q_try, e.v_try, q, v);
    copy_all(e.a3, e.xi, n);
    e.stage_offset = h;
    settle(e, q, v, nullptr);
    if (e.report.status != RUN_OK) return;
    copy_all(e.xi, e.a3, n);
    work += accelerate(e, q, v, e.a2);
    chart_accelerations(m, q, v, e.xi, e.p, e.a2);
    for (int32_t i = 0; i < n; ++i) e.p[i] = e.p0[i] + h / 2 * (e.a1[i] + e.a2[i]);
    leave_chart(m, e.q_half, e.xi, e.p, e.q_try, v);
    e.work += h / 2 * work;
    close_speeds(e, v);
}

}  // namespace kinegen
