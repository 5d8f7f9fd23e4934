// Ends of travel and dry friction, by impulses at the end of a step: an end of travel only pushes
// back, friction holds its joint still if it can and brakes with its full force if it cannot. Both
// are exact where they hold, so nothing chatters and no step is too long for them.
#pragma once

#include "reduced_engine.hpp"

namespace kinegen {

constexpr int32_t STOP_SWEEPS = 400;
// Change of impulses, against the largest, at which the sweeps end.
constexpr double STOP_ACCURACY = 1e-13;
// Speed [m/s, rad/s] of an impact below which a stop does not throw back.
constexpr double QUIET_IMPACT = 1e-3;

enum HeldKind : int32_t { HELD_FRICTION = 0, HELD_LOWER = 1, HELD_UPPER = 2 };

// How many variables of a model may need an impulse, each end of travel counted.
inline int32_t count_held(const Model& m) {
    int32_t count = 0;
    for (int32_t v = 0; v < m.nv; ++v)
        count += (m.coulomb[v] != 0 || m.breakaway[v] != 0) + (m.lower[v] > -INFINITY) +
                 (m.upper[v] < INFINITY);
    return count;
}

// The tree's part of a state.
inline void copy_tree(const ReducedEngine& e, const double* q, const double* v, double* q_to,
                      double* v_to) {
    const Model& m = *e.system.tree.model;
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t j = m.tree_order[i], type = m.joint_type[j];
        for (int32_t k = 0; k < JOINT_NQ[type]; ++k) q_to[m.joint_q[j] + k] = q[m.joint_q[j] + k];
        for (int32_t k = 0; k < JOINT_NV[type]; ++k) v_to[m.joint_v[j] + k] = v[m.joint_v[j] + k];
    }
}

// Dry friction at a speed: Coulomb's, more below Stribeck's speed.
inline double dry_friction(const Model& m, int32_t v, double speed) {
    double dry = m.coulomb[v];
    if (m.breakaway[v] > dry) {
        if (m.stribeck[v] > 0) {
            const double ratio = speed / m.stribeck[v];
            dry += (m.breakaway[v] - dry) * exp(-ratio * ratio);
        } else if (fabs(speed) < 1e-9) {
            dry = m.breakaway[v];
        }
    }
    return dry;
}

// Loop coupling of a cut joint.
inline int32_t coupling_of(const ReducedEngine& e, int32_t joint) {
    const Couplings& c = e.system.ties;
    for (int32_t i = 0; i < c.loop_count; ++i)
        if (e.system.tree.model->loop_joint[c.loop[i]] == joint) return i;
    return -1;
}

// Adds an impulse along variable k of a joint to the list.
inline void hold(ReducedEngine& e, int32_t joint, int32_t k, int32_t kind, double low, double high,
                 double aim) {
    if (e.held_count == e.held_capacity) return;
    ReducedSystem& s = e.system;
    const Model& m = *s.tree.model;
    const int32_t n = e.held_count++;
    e.held[n] = m.joint_v[joint] + k;
    e.held_kind[n] = kind;
    e.held_low[n] = low;
    e.held_high[n] = high;
    e.held_aim[n] = aim;
    e.held_p[n] = 0;
    // its row over the freedoms, then y = L⁻ᵀ row less what the loops take
    double* y = e.held_Y + (int64_t)n * s.tree.n;
    for (int32_t i = 0; i < s.tree.n; ++i) y[i] = 0;
    if (s.tree.first[joint] >= 0) {
        y[s.tree.first[joint] + k] = 1;
    } else {
        const int32_t i = coupling_of(e, joint);
        cut_axes(s.tree, s.ties, i, e.axes);
        for (int32_t r = s.ties.reach_first[i]; r < s.ties.reach_first[i + 1]; ++r)
            if (s.ties.side[r] != 0)
                y[s.ties.reach[r]] =
                    s.ties.side[r] * dot6(e.axes + 6 * k, s.tree.S + 6LL * s.ties.reach[r]);
    }
    solve_outer(s.tree, y);
    multiply_rows(s, y, s.lambda);
    for (int32_t row = 0; row < s.ties.row_count; ++row) s.lambda[row] = -s.lambda[row];
    solve_rows(s, s.lambda);
    add_rows(s, s.lambda, y);
}

// Lists what needs an impulse at q, v (cut joints filled in) over a step h.
inline void list_held(ReducedEngine& e, const double* q, const double* v, double h) {
    const Model& m = *e.system.tree.model;
    e.held_count = 0;
    for (int32_t j = 0; j < m.joint_count; ++j) {
        const int32_t type = m.joint_type[j];
        for (int32_t k = 0; k < JOINT_NV[type]; ++k) {
            const int32_t i = m.joint_v[j] + k;
            if (e.with_friction && (m.coulomb[i] != 0 || m.breakaway[i] != 0)) {
                const double most = h * dry_friction(m, i, v[i]);
                hold(e, j, k, HELD_FRICTION, -most, most, 0);
            }
            if (!e.with_stops || type == SPHERICAL || type == FREE) continue;
            // an end must not be passed within the next step
            const double at = q[m.joint_q[j] + k], reach = 2 * h * fabs(v[i]) + 1e-6;
            const bool impact = e.restitution > 0 && fabs(v[i]) > QUIET_IMPACT;
            if (m.lower[i] > -INFINITY && at - reach < m.lower[i]) {
                const bool hit = impact && v[i] < 0 && at + h * v[i] < m.lower[i];
                const double back = (m.lower[i] - at) / h;
                hold(e, j, k, HELD_LOWER, 0, INFINITY,
                     hit ? larger(-e.restitution * v[i], back) : back);
            }
            if (m.upper[i] < INFINITY && at + reach > m.upper[i]) {
                const bool hit = impact && v[i] > 0 && at + h * v[i] > m.upper[i];
                const double back = (m.upper[i] - at) / h;
                hold(e, j, k, HELD_UPPER, -INFINITY, 0,
                     hit ? smaller(-e.restitution * v[i], back) : back);
            }
        }
    }
}

// Impulses by sweeps (projected Gauss-Seidel); v (tree part) is changed by them.
inline void apply_held(ReducedEngine& e, double* v) {
    const ReducedTree& t = e.system.tree;
    const int32_t count = e.held_count, n = t.n;
    double* speed = e.held_mass;  // of each, as impulses change it
    for (int32_t i = 0; i < count; ++i) {
        speed[i] = v[e.held[i]];
        for (int32_t j = 0; j <= i; ++j)
            e.held_G[i * count + j] = e.held_G[j * count + i] =
                dot(e.held_Y + (int64_t)i * n, e.held_Y + (int64_t)j * n, n);
    }
    for (int32_t sweep = 0; sweep < STOP_SWEEPS; ++sweep) {
        double change = 0, largest = 0;
        for (int32_t i = 0; i < count; ++i) {
            const double own = e.held_G[(int64_t)i * count + i];
            if (!(own > 1e-14)) continue;  // the loops hold it already
            const double wanted = e.held_p[i] + (e.held_aim[i] - speed[i]) / own;
            const double p = larger(e.held_low[i], smaller(e.held_high[i], wanted));
            const double by = p - e.held_p[i];
            e.held_p[i] = p;
            change = larger(change, fabs(by));
            largest = larger(largest, fabs(p));
            for (int32_t j = 0; j < count; ++j) speed[j] += by * e.held_G[(int64_t)j * count + i];
        }
        if (change <= STOP_ACCURACY * largest) break;
    }
    // the impulses' work is theirs times the mean speed
    for (int32_t k = 0; k < n; ++k) e.system.x[k] = 0;
    for (int32_t i = 0; i < count; ++i) {
        if (e.held_p[i] == 0) continue;
        add_scaled(e.held_p[i], e.held_Y + (int64_t)i * n, e.system.x, n);
        e.work += e.held_p[i] * 0.5 * (v[e.held[i]] + speed[i]);
        ++e.report.stops;
    }
    solve_inner(t, e.system.x);
    for (int32_t k = 0; k < n; ++k) v[t.index[k]] += e.system.x[k];
}

// After a settled step: stops and friction over h. Friction's change of speed acts for half the step
// on the place as well, which makes it second order while a joint slides.
inline void meet_stops(ReducedEngine& e, double h, double* q, double* v, const double* stiffening) {
    if (e.held_capacity == 0 || e.meets_later) return;
    ReducedSystem& s = e.system;
    read_cuts(e, q);
    move_tree(s.tree, v);
    read_cut_speeds(e, v);
    list_held(e, q, v, h);
    if (e.held_count == 0) return;
    apply_held(e, v);
    bool braked = false;
    for (int32_t i = 0; i < e.held_count; ++i)
        braked = braked || (e.held_kind[i] == HELD_FRICTION && e.held_p[i] != 0);
    if (!braked) return;
    for (int32_t k = 0; k < s.tree.n; ++k) e.xi[s.tree.index[k]] = s.x[k];
    move_tree_joints(*s.tree.model, q, e.xi, h / 2, q);
    if (!close_loops(e, q, stiffening)) e.report.status = RUN_OPEN;
    close_speeds(e, v);
}

}  // namespace kinegen
