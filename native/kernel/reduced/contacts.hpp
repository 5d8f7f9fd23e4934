// Contacts of the reduced engine: bodies that touch push and rub by impulses at the end of a step,
// solved together with ends of travel and dry friction of joints by sweeps (projected Gauss-Seidel)
// over L⁻ᵀ Jᵀ, from which the loops' share is taken: impulses keep the loops closed.
//
// An impulse acts on the place for half the step as well, as a force over the whole step would:
// what rests stays where it is and what slides is second order. Bodies that would meet within the
// next step come to touch exactly (no step is too long for thin ones), those that bounce do so in
// the step nearest to the meeting. What lies in each other is pushed apart in place, never in
// speed: that brings no kinetic energy.
#pragma once

#include "kernel/reduced/implicit.hpp"

namespace kinegen {

constexpr int32_t TOUCH_SWEEPS = 100;
// Change of speeds [m/s, rad/s], against the largest, at which the sweeps end.
constexpr double TOUCH_ACCURACY = 1e-8;
// Depth [m, rad] that is left alone, and the share of the rest that a step takes away.
constexpr double TOUCH_SLOP = 1e-6;
constexpr double TOUCH_SHARE = 0.2;

enum TouchKind : int32_t {
    TOUCH_HOLD = 0,   // both ways, up to a limit: dry friction of a joint
    TOUCH_PUSH = 1,   // one way: ends of travel, normals
    TOUCH_SLIDE = 2,  // two directions, together up to the friction of the push before them
};

struct Touches {
    int32_t count;  // contacts
    const int32_t *link_a, *link_b;
    const double *points, *normals;  // world axes; normals from a to b
    const double* distance;          // negative: depth
    const double *friction, *restitution;
    // memory: rows = held_capacity + 3 count
    int32_t* kind;                                 // per row
    double* Y;                                     // rows × n
    double *p, *before, *aim, *own, *limit, *gap;  // per row
    double *x, *x_before;                          // n
    double* impulses;  // world axes, on link b, 3 per contact: a guess, then found
    int32_t sweeps;    // out
};

inline int32_t touch_rows(const ReducedEngine& e, int32_t count) {
    return e.held_capacity + 3 * count;
}

inline void lay_out_touches(const ReducedEngine& e, int32_t count, Arena<double>& reals,
                            Arena<int32_t>& ints, Touches& c) {
    const int64_t rows = touch_rows(e, count);
    c.count = count;
    c.kind = ints.take(rows);
    c.Y = reals.take(rows * e.system.tree.n);
    double** const per_row[] = {&c.p, &c.before, &c.aim, &c.own, &c.limit, &c.gap};
    for (double** part : per_row) *part = reals.take(rows);
    c.x = reals.take(e.system.tree.n);
    c.x_before = reals.take(e.system.tree.n);
    c.impulses = reals.take(3LL * count);
}

// Two directions perpendicular to a unit vector and to each other.
inline void tangents(const double* n, double* s, double* t) {
    const int least = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2)
                                              : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
    double axis[3] = {0, 0, 0};
    axis[least] = 1;
    cross3(n, axis, s);
    const double length = sqrt(dot(s, s, 3));
    for (int k = 0; k < 3; ++k) s[k] /= length;
    cross3(n, s, t);
}

// Row of a contact along a direction; returns its speed: that of link b against link a.
inline double touch_row(ReducedEngine& e, const Touches& c, int32_t i, const double* along,
                        double* y) {
    ReducedSystem& s = e.system;
    const ReducedTree& t = s.tree;
    double force[6];
    force_at(t, c.points + 3LL * i, along, force);
    for (int32_t k = 0; k < t.n; ++k) y[k] = 0;
    for (int32_t at = t.last[c.link_b[i]]; at >= 0; at = t.before[at])
        y[at] += dot6(force, t.S + 6LL * at);
    for (int32_t at = t.last[c.link_a[i]]; at >= 0; at = t.before[at])
        y[at] -= dot6(force, t.S + 6LL * at);
    solve_outer(t, y);
    if (s.ties.row_count > 0) {
        multiply_rows(s, y, s.lambda);
        for (int32_t row = 0; row < s.ties.row_count; ++row) s.lambda[row] = -s.lambda[row];
        solve_rows(s, s.lambda);
        add_rows(s, s.lambda, y);
    }
    return dot6(force, t.V + 6LL * c.link_b[i]) - dot6(force, t.V + 6LL * c.link_a[i]);
}

// All rows at the present state; returns how many. bounces: whether any body is thrown back.
inline int32_t list_touches(ReducedEngine& e, Touches& c, double h, bool& bounces) {
    const ReducedTree& t = e.system.tree;
    const Model& m = *t.model;
    const double gravity = sqrt(dot(m.gravity, m.gravity, 3));
    const double quiet = larger(tolerance::QUIET, 2 * gravity * h);
    int32_t row = 0;
    bounces = false;
    // one way, at a distance: thrown back in the step nearest to the meeting
    auto push = [&](double gap, double speed, double restitution) {
        c.kind[row] = TOUCH_PUSH;
        c.before[row] = speed;
        c.gap[row] = gap;
        c.limit[row] = 0;
        c.aim[row] = NAN;  // not thrown back
        if (restitution > 0 && speed < -quiet && gap + h * speed < 0) {
            const bool now = gap + h / 2 * speed < 0;
            c.aim[row] = now ? -restitution * speed : -INFINITY;
            bounces = bounces || now;
        }
        ++row;
    };
    list_held(e, e.q, e.v, h);
    for (int32_t i = 0; i < e.held_count; ++i) {
        double* y = c.Y + (int64_t)row * t.n;
        const double sign = e.held_kind[i] == HELD_UPPER ? -1 : 1;
        for (int32_t k = 0; k < t.n; ++k) y[k] = sign * e.held_Y[(int64_t)i * t.n + k];
        const double speed = held_speed(e, i, e.v);
        if (e.held_kind[i] == HELD_FRICTION) {
            c.kind[row] = TOUCH_HOLD;
            c.before[row] = speed;
            c.aim[row] = c.gap[row] = 0;
            c.p[row] = 0;
            c.limit[row++] = e.held_high[i];
            continue;
        }
        c.p[row] = 0;
        push(e.held_aim[i], sign * speed, e.restitution);
    }
    for (int32_t i = 0; i < c.count; ++i) {
        const double *n = c.normals + 3LL * i, *guess = c.impulses + 3LL * i;
        c.p[row] = larger(0, dot(guess, n, 3));
        push(c.distance[i], touch_row(e, c, i, n, c.Y + (int64_t)row * t.n), c.restitution[i]);
        double side[2][3];
        tangents(n, side[0], side[1]);
        for (const double* along : side) {
            c.kind[row] = TOUCH_SLIDE;
            c.p[row] = dot(guess, along, 3);
            c.before[row] = touch_row(e, c, i, along, c.Y + (int64_t)row * t.n);
            c.aim[row] = c.gap[row] = 0;
            c.limit[row++] = c.friction[i];
        }
    }
    for (int32_t i = 0; i < row; ++i) {
        const double* y = c.Y + (int64_t)i * t.n;
        c.own[i] = dot(y, y, t.n);
    }
    // the speed with which a gap has just closed after the next step
    for (int32_t i = 0; i < row; ++i)
        if (c.kind[i] == TOUCH_PUSH && isnan(c.aim[i])) {
            const double aim = bounces ? -c.gap[i] / h : (c.before[i] / 2 - c.gap[i] / h) / 1.5;
            c.aim[i] = smaller(aim, 0);
        }
    return row;
}

// Sweeps over all rows, or over those that push, from the p that there are; x holds L⁻ᵀ Jᵀ p.
inline int32_t sweep_touches(Touches& c, int32_t rows, int32_t n, bool pushes_only) {
    for (int32_t k = 0; k < n; ++k) c.x[k] = 0;
    for (int32_t i = 0; i < rows; ++i)
        if (c.p[i] != 0) add_scaled(c.p[i], c.Y + (int64_t)i * n, c.x, n);
    auto change = [&](int32_t i, double p) {
        const double by = p - c.p[i];
        if (by == 0) return;
        c.p[i] = p;
        add_scaled(by, c.Y + (int64_t)i * n, c.x, n);
    };
    auto wanted = [&](int32_t i, double own) {
        return c.p[i] + (c.aim[i] - c.before[i] - dot(c.Y + (int64_t)i * n, c.x, n)) / own;
    };
    int32_t sweep = 0;
    for (; sweep < TOUCH_SWEEPS; ++sweep) {
        copy_all(c.x_before, c.x, n);
        for (int32_t k = 0; k < rows; ++k) {
            // up and down in turn: no row is always the first
            const int32_t i = sweep % 2 == 0 ? k : rows - 1 - k;
            if (c.kind[i] == TOUCH_PUSH) {
                if (c.own[i] > 1e-14 && c.aim[i] > -INFINITY)
                    change(i, larger(0, wanted(i, c.own[i])));
            } else if (pushes_only) {
                continue;
            } else if (c.kind[i] == TOUCH_HOLD) {
                if (c.own[i] > 1e-14)
                    change(i, larger(-c.limit[i], smaller(c.limit[i], wanted(i, c.own[i]))));
            } else if (c.kind[i - 1] == TOUCH_PUSH) {
                // both directions with one weight, then back onto the cone
                const double own = larger(c.own[i], c.own[i + 1]);
                const double limit = c.limit[i] * c.p[i - 1];
                if (own > 1e-14) {
                    double s = wanted(i, own), t = wanted(i + 1, own);
                    const double size = sqrt(s * s + t * t);
                    if (size > limit) {
                        s *= limit / size;
                        t *= limit / size;
                    }
                    change(i, s);
                    change(i + 1, t);
                }
            }
        }
        // what the impulses do counts, not how many share it
        for (int32_t k = 0; k < n; ++k) c.x_before[k] -= c.x[k];
        const double accuracy = TOUCH_ACCURACY * TOUCH_ACCURACY;
        if (dot(c.x_before, c.x_before, n) <= accuracy * dot(c.x, c.x, n)) break;
    }
    return sweep;
}

// Speeds of free and spherical joints are in axes that e.xi turns: bodies keep theirs in the
// world's.
inline void turn_speeds(ReducedEngine& e) {
    const Model& m = *e.system.tree.model;
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t j = m.tree_order[i], type = m.joint_type[j];
        if (type != FREE && type != SPHERICAL) continue;
        double *v = e.v + m.joint_v[j], quat[4], R[9];
        quat_exp(e.xi + m.joint_v[j] + (type == FREE ? 3 : 0), quat);
        quat_to_matrix(quat, R);
        rotate_back(R, v, v);
        if (type == FREE) rotate_back(R, v + 3, v + 3);
    }
}

// Moves the place by e.xi under the speeds that impulses left. Masses are seen elsewhere then: what
// that brings beyond the energy before all impulses is taken from the speeds.
inline void shift_place(ReducedEngine& e, double energy) {
    ReducedSystem& s = e.system;
    move_tree(s.tree, e.v);
    const double before = kinetic_energy(e, e.v) + potential_energy(e, e.q);
    move_tree_joints(*s.tree.model, e.q, e.xi, 1, e.q);
    turn_speeds(e);
    if (!close_loops(e, e.q, nullptr)) e.report.status = RUN_OPEN;
    close_speeds(e, e.v);
    read_cuts(e, e.q);
    need_places(e, e.q);
    move_tree(s.tree, e.v);
    e.work += take_excess(e, e.q, e.v, energy) - before;
    read_cut_speeds(e, e.v);
}

// Moves the state by impulses of all that touches, over a step h that has just been made.
inline void meet_contacts(ReducedEngine& e, Touches& c, double h) {
    ReducedSystem& s = e.system;
    const int32_t n = s.tree.n;
    use_springs_as_rows(s, false);
    assemble_dense(e, e.q, nullptr);
    read_cuts(e, e.q);
    move_tree(s.tree, e.v);
    read_cut_speeds(e, e.v);
    bool bounces = false;
    const double energy = kinetic_energy(e, e.v) + potential_energy(e, e.q);
    const int32_t rows = list_touches(e, c, h, bounces);
    if (rows == 0) return;
    c.sweeps = sweep_touches(c, rows, n, false);
    // what each did: its impulse times its mean speed
    bool any = false, deep = false;
    for (int32_t i = 0; i < rows; ++i) {
        const double by = dot(c.Y + (int64_t)i * n, c.x, n);
        e.work += c.p[i] * (c.before[i] + by / 2);
        any = any || c.p[i] != 0;
        if (c.kind[i] != TOUCH_PUSH) continue;
        e.report.stops += c.p[i] != 0;
        c.gap[i] += bounces ? 0 : h / 2 * by;
        deep = deep || c.gap[i] < -TOUCH_SLOP;
    }
    for (int32_t i = 0; i < c.count; ++i) {
        const double *n3 = c.normals + 3LL * i, *p = c.p + (rows - 3 * (c.count - i));
        double side[2][3];
        tangents(n3, side[0], side[1]);
        for (int k = 0; k < 3; ++k)
            c.impulses[3LL * i + k] = p[0] * n3[k] + p[1] * side[0][k] + p[2] * side[1][k];
    }
    // rows of stops and friction are the first; pushes point inwards
    for (int32_t i = 0; i < e.held_count; ++i)
        note_impulse(e, i, e.held_kind[i] == HELD_UPPER ? -c.p[i] : c.p[i]);
    copy_all(s.x, c.x, n);
    solve_inner(s.tree, s.x);
    for (int32_t k = 0; k < n; ++k) {
        e.v[s.tree.index[k]] += s.x[k];
        e.xi[s.tree.index[k]] = bounces ? 0 : h / 2 * s.x[k];
    }
    // apart in place, as far as the others have room
    if (deep) {
        for (int32_t i = 0; i < rows; ++i) {
            c.p[i] = c.before[i] = 0;
            const double depth = -c.gap[i] - TOUCH_SLOP;
            if (c.kind[i] == TOUCH_PUSH) c.aim[i] = depth > 0 ? TOUCH_SHARE * depth : -c.gap[i];
        }
        sweep_touches(c, rows, n, true);
        copy_all(s.x, c.x, n);
        solve_inner(s.tree, s.x);
        for (int32_t k = 0; k < n; ++k) e.xi[s.tree.index[k]] += s.x[k];
    }
    if (any || deep) shift_place(e, energy);
}

}  // namespace kinegen
