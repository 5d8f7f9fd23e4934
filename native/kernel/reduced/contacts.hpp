// Contacts of the reduced engine: bodies that touch push and rub by impulses at the end of a step,
// solved together with ends of travel and dry friction of joints over L⁻ᵀ Jᵀ, from which the loops'
// share is taken: impulses keep the loops closed.
//
// An impulse acts on the place for half the step as well, as a force over the whole step would:
// what rests stays where it is and what slides is second order. Bodies that would meet within the
// next step come to touch exactly (no step is too long for thin ones). Those that bounce do so in
// the step nearest to the meeting, as if they had bounced in the moment of the meeting itself. What
// lies in each other is pushed apart in place, never in speed: that brings no kinetic energy.
#pragma once

#include "kernel/contact/find.hpp"
#include "kernel/reduced/impulses.hpp"

namespace kinegen {

// Depth [m, rad] that is left alone, and the share of the rest that a step takes away.
constexpr double TOUCH_SLOP = 1e-6;
constexpr double TOUCH_SHARE = 0.2;
// Rows of a contact: push, slide (2), spin, roll (2).
constexpr int32_t CONTACT_ROWS = 6;

struct Touches {
    int32_t count;  // contacts
    const int32_t *link_a, *link_b;
    const double *points, *normals;  // world axes; normals from a to b
    const double* distance;          // negative: depth
    const double* surface;           // friction, restitution, torsional and rolling friction
    const double* v_start;           // speeds when the step began
    // memory
    ImpulseRows rows;
    int32_t* first;    // per contact: its first row
    double* starting;  // per row: its speed when the step began
    double* gap;       // per row that pushes
    double* impulses;  // world axes, on link b, CONTACT_ROWS numbers per contact in the contact's
                       // own axes: a guess, then found
    int32_t sweeps;    // out
};

inline int32_t touch_rows(const ReducedEngine& e, int32_t count) {
    return e.held_capacity + CONTACT_ROWS * count;
}

inline void lay_out_touches(const ReducedEngine& e, int32_t count, Arena<double>& reals,
                            Arena<int32_t>& ints, Touches& c) {
    const int32_t rows = touch_rows(e, count);
    c.count = count;
    lay_out_rows(rows, e.system.tree.n, reals, ints, c.rows);
    c.first = ints.take(count);
    c.starting = reals.take(rows);
    c.gap = reals.take(rows);
    c.impulses = reals.take((int64_t)CONTACT_ROWS * count);
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

// Row of a contact for a force on link b; returns its speed, that of link b against link a.
inline double touch_row(ReducedEngine& e, Touches& c, int32_t i, const double* force, int32_t row) {
    ReducedSystem& s = e.system;
    const ReducedTree& t = s.tree;
    double* y = c.rows.Y + (int64_t)row * t.n;
    for (int32_t k = 0; k < t.n; ++k) y[k] = 0;
    for (int32_t at = t.last[c.link_b[i]]; at >= 0; at = t.before[at])
        y[at] += dot6(force, t.S + 6LL * at);
    for (int32_t at = t.last[c.link_a[i]]; at >= 0; at = t.before[at])
        y[at] -= dot6(force, t.S + 6LL * at);
    c.starting[row] = 0;
    if (c.surface[4LL * i + 1] > 0)  // only what bounces asks
        for (int32_t k = 0; k < t.n; ++k) c.starting[row] += y[k] * c.v_start[t.index[k]];
    solve_outer(t, y);
    if (s.ties.row_count > 0) {
        multiply_rows(s, y, s.lambda);
        for (int32_t r = 0; r < s.ties.row_count; ++r) s.lambda[r] = -s.lambda[r];
        solve_rows(s, s.lambda);
        add_rows(s, s.lambda, y);
    }
    return dot6(force, t.V + 6LL * c.link_b[i]) - dot6(force, t.V + 6LL * c.link_a[i]);
}

// A bounce that takes place in this step: when it was (time since then, negative: ahead), and the
// speed that it leaves now, for a constant acceleration over the step.
struct Bounce {
    double since, speed;
};
inline Bounce bounce_of(double gap, double speed, double starting, double h, double restitution) {
    const double pull = (speed - starting) / h;
    const double met = speed * speed - 2 * pull * gap;  // square of the speed at the meeting
    const double since = met > 0 ? 2 * gap / (speed - sqrt(met)) : gap / speed;
    const double own = smaller(h, larger(-h, since));
    return {own, larger(0, -restitution * (speed - pull * own) + pull * own)};
}

// All rows at the present state. since: how long ago bodies bounced, on the mean; NAN: none did.
inline void list_touches(ReducedEngine& e, Touches& c, double h, double& since) {
    const ReducedTree& t = e.system.tree;
    const Model& m = *t.model;
    ImpulseRows& r = c.rows;
    const double gravity = sqrt(dot(m.gravity, m.gravity, 3));
    const double quiet = larger(tolerance::QUIET, 2 * gravity * h);
    double weight = 0, times = 0;
    r.count = 0;
    // one way, at a distance: thrown back in the step nearest to the meeting
    auto push = [&](double gap, double speed, double starting, double restitution) {
        const int32_t row = r.count++;
        r.kind[row] = IMPULSE_PUSH;
        r.push[row] = row;
        r.before[row] = speed;
        r.limit[row] = 0;
        r.aim[row] = NAN;  // not thrown back
        c.gap[row] = gap;
        if (restitution > 0 && speed < -quiet && gap + h * speed < 0) {
            r.aim[row] = -INFINITY;
            if (gap + h / 2 * speed < 0) {
                const Bounce bounce = bounce_of(gap, speed, starting, h, restitution);
                r.aim[row] = bounce.speed;
                weight += -speed;
                times += -speed * bounce.since;
            }
        }
    };
    list_held(e, e.q, e.v, h);
    for (int32_t i = 0; i < e.held_count; ++i) {
        const int32_t row = r.count;
        double* y = r.Y + (int64_t)row * t.n;
        const double sign = e.held_kind[i] == HELD_UPPER ? -1 : 1;
        for (int32_t k = 0; k < t.n; ++k) y[k] = sign * e.held_Y[(int64_t)i * t.n + k];
        const double speed = held_speed(e, i, e.v);
        r.p[row] = 0;
        if (e.held_kind[i] != HELD_FRICTION) {
            push(e.held_aim[i], sign * speed, sign * speed, e.restitution);
            continue;
        }
        r.kind[row] = IMPULSE_HOLD;
        r.push[row] = row;
        r.before[row] = speed;
        r.aim[row] = c.gap[row] = 0;
        r.limit[row] = e.held_high[i];
        ++r.count;
    }
    // along the surface, turning on the spot, and rolling: up to a share of the push
    auto rub = [&](int32_t i, const double (*forces)[6], int32_t width, double share,
                   const double* guess) {
        const int32_t own = c.first[i];
        for (int32_t k = 0; k < width; ++k) {
            const int32_t row = r.count++;
            r.kind[row] = k > 0 ? IMPULSE_SECOND : (width > 1 ? IMPULSE_PAIR : IMPULSE_SHARE);
            r.push[row] = own;
            r.p[row] = guess[k];
            r.before[row] = touch_row(e, c, i, forces[k], row);
            r.aim[row] = c.gap[row] = 0;
            r.limit[row] = share;
        }
    };
    for (int32_t i = 0; i < c.count; ++i) {
        const double *n = c.normals + 3LL * i, *guess = c.impulses + (int64_t)CONTACT_ROWS * i;
        const double* surface = c.surface + 4LL * i;
        double force[2][6], side[2][3];
        c.first[i] = r.count;
        r.p[r.count] = guess[0];
        force_at(t, c.points + 3LL * i, n, force[0]);
        const double speed = touch_row(e, c, i, force[0], r.count);
        push(c.distance[i], speed, c.starting[r.count], surface[1]);
        tangents(n, side[0], side[1]);
        for (int k = 0; k < 2; ++k) force_at(t, c.points + 3LL * i, side[k], force[k]);
        rub(i, force, 2, surface[0], guess + 1);
        if (surface[2] > 0) {
            const double spin[1][6] = {{0, 0, 0, n[0], n[1], n[2]}};
            rub(i, spin, 1, surface[2], guess + 3);
        }
        if (surface[3] > 0) {
            const double roll[2][6] = {{0, 0, 0, side[0][0], side[0][1], side[0][2]},
                                       {0, 0, 0, side[1][0], side[1][1], side[1][2]}};
            rub(i, roll, 2, surface[3], guess + 4);
        }
    }
    since = weight > 0 ? times / weight : NAN;
    // the speed with which a gap has just closed after the next step
    for (int32_t i = 0; i < r.count; ++i)
        if (r.kind[i] == IMPULSE_PUSH && isnan(r.aim[i])) {
            const double aim = weight > 0 ? -c.gap[i] / h : (r.before[i] / 2 - c.gap[i] / h) / 1.5;
            r.aim[i] = smaller(aim, 0);
        }
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
// that brings beyond the energy before all impulses is taken from the speeds. before: the energy
// that impulses left.
inline void shift_place(ReducedEngine& e, double energy, double before) {
    ReducedSystem& s = e.system;
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

// Moves the state by impulses of all that touches, over a step h that has just been made. The
// matrices are those of the place, and links move as they do there.
inline void meet_contacts(ReducedEngine& e, Touches& c, double h) {
    ReducedSystem& s = e.system;
    ImpulseRows& r = c.rows;
    const int32_t n = s.tree.n;
    read_cuts(e, e.q);
    read_cut_speeds(e, e.v);
    double since = NAN;
    list_touches(e, c, h, since);
    if (r.count == 0) return;
    const double energy = kinetic_energy(e, e.v) + potential_energy(e, e.q);
    const bool bounces = !isnan(since);
    c.sweeps = solve_impulses(r, n);
    // what each did: its impulse times its mean speed
    bool any = false, deep = false;
    double done = 0;
    for (int32_t i = 0; i < r.count; ++i) {
        const double by = row_dot(r, i, r.x, n);
        done += r.p[i] * (r.before[i] + by / 2);
        any = any || r.p[i] != 0;
        if (r.kind[i] != IMPULSE_PUSH) continue;
        e.report.stops += r.p[i] != 0;
        c.gap[i] += (bounces ? since : h / 2) * by;
        // what was thrown back leaves by itself
        if (bounces && r.aim[i] > 0 && r.p[i] > 0) c.gap[i] = larger(c.gap[i], 0);
        deep = deep || c.gap[i] < -TOUCH_SLOP;
    }
    e.work += done;
    for (int32_t i = 0; i < c.count; ++i) {
        double* out = c.impulses + (int64_t)CONTACT_ROWS * i;
        const double* surface = c.surface + 4LL * i;
        const double* p = r.p + c.first[i];
        for (int k = 0; k < 3; ++k) out[k] = p[k];
        out[3] = surface[2] > 0 ? p[3] : 0;
        const double* roll = p + (surface[2] > 0 ? 4 : 3);
        for (int k = 0; k < 2; ++k) out[4 + k] = surface[3] > 0 ? roll[k] : 0;
    }
    // rows of stops and friction are the first; pushes point inwards
    for (int32_t i = 0; i < e.held_count; ++i)
        note_impulse(e, i, e.held_kind[i] == HELD_UPPER ? -r.p[i] : r.p[i]);
    copy_all(s.x, r.x, n);
    solve_inner(s.tree, s.x);
    for (int32_t k = 0; k < n; ++k) {
        e.v[s.tree.index[k]] += s.x[k];
        e.xi[s.tree.index[k]] = (bounces ? since : h / 2) * s.x[k];
    }
    // apart in place, as far as the others have room
    if (deep) {
        for (int32_t i = 0; i < r.count; ++i) {
            r.p[i] = r.before[i] = 0;
            const double depth = -c.gap[i] - TOUCH_SLOP;
            if (r.kind[i] == IMPULSE_PUSH)
                r.aim[i] = depth > 0 ? TOUCH_SHARE * depth : -c.gap[i];
            else
                r.kind[i] = IMPULSE_NONE;
        }
        solve_impulses(r, n);
        copy_all(s.x, r.x, n);
        solve_inner(s.tree, s.x);
        for (int32_t k = 0; k < n; ++k) e.xi[s.tree.index[k]] += s.x[k];
    }
    // impulses change the kinetic energy by their work
    if (any || deep) shift_place(e, energy, energy + done);
}

// Contacts that a run finds by itself, step by step.
struct TouchSource {
    ContactList list;
    const double* reach;  // per link: how far its bodies reach from its origin
    double margin;        // least distance from which on bodies count
    // of the last step, to begin with: pairs of shapes and impulses
    int32_t known;
    int32_t* known_shapes;
    double* known_impulses;
};

// No point of any body is faster than this, after move_tree.
inline double fastest_point(const ReducedTree& t, const double* reach) {
    double most = 0;
    for (int32_t link = 1; link < t.model->link_count; ++link) {
        const double *V = t.V + 6LL * link, *X = t.X + TRANSFORM_SIZE * (int64_t)link;
        const double r[3] = {X[9] - t.centre[0], X[10] - t.centre[1], X[11] - t.centre[2]};
        double u[3] = {V[0], V[1], V[2]};
        add_cross3(V + 3, r, u);
        most = larger(most, sqrt(dot3(u, u)) + reach[link] * sqrt(dot3(V + 3, V + 3)));
    }
    return most;
}

// What a contact does to link b, world axes: impulse and moment, from those in its own axes.
inline void world_impulse(const double* n, const double* own, double* out) {
    double side[2][3];
    tangents(n, side[0], side[1]);
    for (int k = 0; k < 3; ++k) {
        out[k] = own[0] * n[k] + own[1] * side[0][k] + own[2] * side[1][k];
        out[3 + k] = own[3] * n[k] + own[4] * side[0][k] + own[5] * side[1][k];
    }
}

// Impulses of the last step for the contacts of the same bodies, in their order.
inline void guess_impulses(const TouchSource& s, double* out) {
    int32_t at = 0;
    for (int32_t i = 0; i < s.list.count;) {
        const int32_t* pair = s.list.shapes + 2LL * i;
        int32_t end = i;
        while (end < s.list.count && s.list.shapes[2LL * end] == pair[0] &&
               s.list.shapes[2LL * end + 1] == pair[1])
            ++end;
        auto same = [&](int32_t k) {
            return s.known_shapes[2LL * k] == pair[0] && s.known_shapes[2LL * k + 1] == pair[1];
        };
        // pairs mostly come in the order of the last step
        int32_t from = s.known;
        for (int32_t k = 0; k < s.known && from == s.known; ++k) {
            const int32_t place = (at + k) % s.known;
            if (same(place) && (place == 0 || !same(place - 1))) from = place;
        }
        int32_t to = from;
        while (to < s.known && same(to)) ++to;
        const bool alike = to - from == end - i;
        for (int32_t k = i; k < end; ++k)
            for (int32_t c = 0; c < CONTACT_ROWS; ++c)
                out[(int64_t)CONTACT_ROWS * k + c] =
                    alike ? s.known_impulses[(int64_t)CONTACT_ROWS * (from + k - i) + c] : 0;
        at = to < s.known ? to : 0;
        i = end;
    }
}

}  // namespace kinegen
