// Steps for springs and dampers that are stiff against the step: linearly implicit Euler, twice with
// half the step against once with the whole one, extrapolated to order two (P. Deuflhard, E. Hairer,
// J. Zugck, "One-step and extrapolation methods for differential-algebraic systems", Numerische
// Mathematik 51, 1987).
//
// Dampers and springs of joints stiffen the mass matrix's diagonal; springs between points are rows
// of the system whose compliance is 1 / (h (h k + c)). Coriolis terms and loads stay explicit.
#pragma once

#include "reduced_step.hpp"

namespace kinegen {

// Rows of loops alone, or with the springs between points.
inline void use_springs_as_rows(ReducedSystem& s, bool rows) {
    Couplings& c = s.ties;
    c.count = c.loop_count + (rows ? s.springs.count : 0);
    c.row_count = c.row_first[c.count];
}

// What joints' springs and dampers add to the mass matrix over a step h, and the springs' rows.
inline void stiffen(ReducedEngine& e, double h) {
    ReducedSystem& s = e.system;
    const Model& m = *s.tree.model;
    for (int32_t k = 0; k < s.tree.n; ++k) {
        const int32_t i = s.tree.index[k];
        e.stiffening[k] = h * (e.damper[i] + h * m.stiffness[i]);
    }
    for (int32_t n = 0; n < s.springs.count; ++n) {
        const int32_t row = s.ties.row_first[s.ties.loop_count] + n;
        const double slope = h * (h * s.springs.stiffness[n] + s.springs.damping[n]);
        s.compliance[row] = slope > 0 ? 1 / slope : 1e300;
    }
}

// One linearly implicit Euler step in place; the system is assembled at q for this h.
inline void euler(ReducedEngine& e, double h, double* q, double* v) {
    ReducedSystem& s = e.system;
    const Model& m = *s.tree.model;
    move_tree(s.tree, v);
    double work = h * find_efforts(e, q, v, false);
    // momentum that the step brings; a joint's spring is where the step leads it
    for (int32_t k = 0; k < s.tree.n; ++k) {
        const int32_t i = s.tree.index[k];
        s.x[k] = h * (s.x[k] - h * m.stiffness[i] * v[i]);
    }
    // rows end without speed, springs with that of their force
    row_speeds(s.tree, s.springs, s.ties, s.lambda);
    const int32_t first = s.ties.row_first[s.ties.loop_count];
    for (int32_t row = 0; row < first; ++row) s.lambda[row] = -s.lambda[row];
    for (int32_t n = 0; n < s.springs.count; ++n) {
        const double k = s.springs.stiffness[n], slope = h * k + s.springs.damping[n];
        double point[3], along[3];
        const double stretch = spring_line(s.tree, s.springs, n, point, along) - s.springs.rest[n];
        s.lambda[first + n] = (slope > 0 ? -k * stretch / slope : 0) - s.lambda[first + n];
    }
    solve_system(s);
    ++e.report.evaluations;
    for (int32_t k = 0; k < s.tree.n; ++k) {
        const int32_t i = s.tree.index[k];
        const double speed = v[i] + s.x[k];
        // find_efforts took the old speed for loads and dampers
        work += h * (e.tau[i] * (speed - v[i]) - e.damper[i] * (speed * speed - v[i] * v[i]));
        v[i] = speed;
    }
    if (s.springs.count > 0) {
        move_tree(s.tree, v);
        row_speeds(s.tree, s.springs, s.ties, s.y);
        for (int32_t n = 0; n < s.springs.count; ++n)
            work -= h * s.springs.damping[n] * s.y[first + n] * s.y[first + n];
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
    use_springs_as_rows(s, true);
    for (int32_t row = 0; row < s.ties.row_count; ++row) s.compliance[row] = 0;
    assemble_at(e, q, nullptr);
    double most = 0;
    auto weigh = [&](double k, double c, const double* y) {
        const double mobility = dot(y, y, s.tree.n);
        most = larger(most, larger(h * c * mobility, h * h * k * mobility));
    };
    for (int32_t n = 0; n < s.springs.count; ++n)
        weigh(s.springs.stiffness[n], s.springs.damping[n],
              s.Y + (int64_t)(s.ties.row_first[s.ties.loop_count] + n) * s.tree.n);
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
