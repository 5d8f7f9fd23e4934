// Steps for springs and dampers that are stiff against the step: linearly implicit Euler, twice
// with half the step against once with the whole one, extrapolated to order two (P. Deuflhard, E.
// Hairer, J. Zugck, "One-step and extrapolation methods for differential-algebraic systems",
// Numerische Mathematik 51, 1987).
//
// Dampers and springs of the tree's joints stiffen the mass matrix's diagonal; those of cut joints
// and springs between points are rows of the system whose compliance is 1 / (h (h k + c)). Coriolis
// terms and loads stay explicit.
#pragma once

#include "kernel/reduced/step.hpp"

namespace kinegen {

// Rows of loops alone, or with all springs that are not the tree's.
inline void use_springs_as_rows(ReducedSystem& s, bool rows) {
    Couplings& c = s.ties;
    c.count = c.loop_count + (rows ? c.spring_count + c.cut_count : 0);
    c.row_count = c.row_first[c.count];
}

// Calls back for every row of a spring: its stiffness, its damper, and how far it is stretched, if
// asked; cut joints are read into e.cut_q then.
template <class Visit>
inline void each_spring_row(ReducedEngine& e, bool stretched, Visit&& visit) {
    ReducedSystem& s = e.system;
    const Couplings& c = s.ties;
    const Model& m = *s.tree.model;
    for (int32_t i = c.loop_count; i < c.loop_count + c.spring_count; ++i) {
        const int32_t n = c.loop[i];
        double point[3], along[3], stretch = 0;
        if (stretched)
            stretch = spring_line(s.tree, s.springs, n, point, along) - s.springs.rest[n];
        visit(c.row_first[i], s.springs.stiffness[n], s.springs.damping[n], stretch);
    }
    const int32_t first = c.loop_count + c.spring_count;
    for (int32_t i = first; i < first + c.cut_count; ++i) {
        const int32_t cut = m.loop_joint[c.loop[c.loop[i]]];
        if (stretched) read_cut(s.tree, c, c.loop[i], e.cut_q);
        for (int32_t k = 0; k < JOINT_NV[m.joint_type[cut]]; ++k) {
            const int32_t v = m.joint_v[cut] + k;
            const double stretch =
                stretched && m.stiffness[v] != 0
                    ? KINEGEN_ISA::spring_stretch<double>(m, cut, k, e.cut_q + m.joint_q[cut])
                    : 0;
            visit(c.row_first[i] + k, m.stiffness[v], e.damper[v], stretch);
        }
    }
}

// What joints' springs and dampers add to the mass matrix over a step h, and the springs' rows.
inline void stiffen(ReducedEngine& e, double h) {
    ReducedSystem& s = e.system;
    const Model& m = *s.tree.model;
    for (int32_t k = 0; k < s.tree.n; ++k) {
        const int32_t i = s.tree.index[k];
        e.stiffening[k] = h * (e.damper[i] + h * m.stiffness[i]);
    }
    each_spring_row(e, false, [&](int32_t row, double k, double c, double) {
        const double slope = h * (h * k + c);
        s.compliance[row] = slope > 0 ? 1 / slope : 1e300;
    });
}

// One linearly implicit Euler step in place; the system is assembled at q for this h.
inline void euler(ReducedEngine& e, double h, double* q, double* v) {
    ReducedSystem& s = e.system;
    const Model& m = *s.tree.model;
    if (e.rest_count > 0) need_dense(e, q, e.stiffening);
    move_tree(s.tree, v);
    double work = h * find_efforts(e, q, v, false);
    // momentum that the step brings; a joint's spring is where the step leads it
    for (int32_t k = 0; k < s.tree.n; ++k) {
        const int32_t i = s.tree.index[k];
        s.x[k] = h * (s.x[k] - h * m.stiffness[i] * v[i]);
    }
    // rows end without speed, springs with that of their force
    row_speeds(s.tree, s.springs, s.ties, s.lambda);
    for (int32_t row = 0; row < s.ties.row_count; ++row) s.lambda[row] = -s.lambda[row];
    each_spring_row(e, true, [&](int32_t row, double k, double c, double stretch) {
        if (h * k + c > 0) s.lambda[row] -= k * stretch / (h * k + c);
    });
    solve_at(e);
    if (e.rest_count > 0) rest_on_stops(e, q, v, h);
    ++e.report.evaluations;
    for (int32_t k = 0; k < s.tree.n; ++k) {
        const int32_t i = s.tree.index[k];
        const double speed = v[i] + s.x[k];
        // find_efforts took the old speed for loads and dampers
        work += h * (e.tau[i] * (speed - v[i]) - e.damper[i] * (speed * speed - v[i] * v[i]));
        v[i] = speed;
    }
    if (s.ties.count > s.ties.loop_count) {
        move_tree(s.tree, v);
        row_speeds(s.tree, s.springs, s.ties, s.y);
        each_spring_row(e, false, [&](int32_t row, double, double c, double) {
            work -= h * c * s.y[row] * s.y[row];
        });
    }
    e.work += work;
    move_tree_joints(m, q, v, h, q);
}

inline void step_implicit(ReducedEngine& e, double h, double* q, double* v) {
    const Model& m = *e.system.tree.model;
    copy_all(e.q_try, q, m.nq);
    copy_all(e.v_try, v, m.nv);
    copy_all(e.q_half, q, m.nq);
    copy_all(e.v_half, v, m.nv);
    const double before = e.work;
    // once with the whole step
    stiffen(e, h);
    assemble_at(e, q, e.stiffening);
    euler(e, h, e.q_try, e.v_try);
    const double once = e.work - before;
    e.work = before;
    // twice with half of it
    stiffen(e, h / 2);
    assemble_at(e, q, e.stiffening);
    euler(e, h / 2, e.q_half, e.v_half);
    settle(e, e.q_half, e.v_half, e.stiffening);
    euler(e, h / 2, e.q_half, e.v_half);
    e.work += e.work - before - once;
    // twice the better result less the worse
    difference(m, e.q_try, e.q_half, e.xi);
    move_tree_joints(m, e.q_half, e.xi, 1, e.q_half);
    for (int32_t i = 0; i < m.nv; ++i) e.v_half[i] += e.v_half[i] - e.v_try[i];
    copy_tree(e, e.q_half, e.v_half, q, v);
    settle(e, q, v, e.stiffening);
}

// How stiff springs and dampers are for a step: the largest h c / m and h² k / m. With springs as
// rows; the system is assembled at q without stiffening.
inline double stiffness_of_step(ReducedEngine& e, double h, const double* q) {
    ReducedSystem& s = e.system;
    const Model& m = *s.tree.model;
    bool any = s.ties.spring_count + s.ties.cut_count > 0;
    for (int32_t i = 0; i < m.nv && !any; ++i) any = e.damper[i] != 0 || m.stiffness[i] != 0;
    if (!any) return 0;
    use_springs_as_rows(s, true);
    for (int32_t row = 0; row < s.ties.row_count; ++row) s.compliance[row] = 0;
    assemble_dense(e, q, nullptr);
    double most = 0;
    auto weigh = [&](double k, double c, const double* y) {
        const double mobility = dot(y, y, s.tree.n);
        most = larger(most, larger(h * c * mobility, h * h * k * mobility));
    };
    each_spring_row(e, false, [&](int32_t row, double k, double c, double) {
        weigh(k, c, s.Y + (int64_t)row * s.tree.n);
    });
    for (int32_t k = 0; k < s.tree.n; ++k) {
        const int32_t i = s.tree.index[k];
        if (e.damper[i] == 0 && m.stiffness[i] == 0) continue;
        for (int32_t a = 0; a < s.tree.n; ++a) s.x[a] = a == k ? 1 : 0;
        solve_outer(s.tree, s.x);
        weigh(m.stiffness[i], e.damper[i], s.x);
    }
    use_springs_as_rows(s, false);
    return most;
}

}  // namespace kinegen
