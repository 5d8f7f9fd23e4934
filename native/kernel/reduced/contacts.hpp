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
#include "kernel/contact/impulses.hpp"
#include "kernel/reduced/implicit.hpp"
#include "kernel/reduced/islands.hpp"

namespace kinegen {

// Depth [m, rad] that is left alone, and the share of the rest that a step takes away.
constexpr double TOUCH_SLOP = 1e-6;
constexpr double TOUCH_SHARE = 0.2;
// Rows of a contact: push, slide (2), spin, roll (2).
constexpr int32_t CONTACT_ROWS = 6;

// What a stop or dry friction did in the last step, in its own direction.
struct HeldGuess {
    int32_t place;  // three times its variable, and its kind: upwards in a list
    double p;
};

struct Touches {
    int32_t count;  // contacts
    const int32_t *link_a, *link_b;
    const double *points, *normals;  // world axes; normals from a to b
    const double* distance;          // negative: depth
    const double* surface;           // friction, restitution, torsional and rolling friction
    const double* v_start;           // speeds when the step began
    double* impulses;  // world axes, on link b, CONTACT_ROWS numbers per contact in the contact's
                       // own axes: a guess, then found
    int32_t sweeps;    // out: most of any island
    HeldGuess* held;   // stops and dry friction of the last step, then of this one; of held_known
    int32_t held_known;
    // memory; rows are those of one island after the other
    PartIslands islands;
    ImpulseRows rows;
    int32_t *reach, *side;     // variables that a contact reaches
    int32_t* variable;         // per place of the island: its variable
    double* y;                 // per variable: a row over all of them, 0 in between
    double* lever;             // per variable: for how long its change of speed moved the place
    double* apart;             // per variable: what takes bodies apart that are too deep
    int32_t* held_part;        // per row of stops and dry friction: its part
    int32_t *first, *of_held;  // per contact of an island its first row; per row what it holds
    int32_t held_rows;         // rows of stops and dry friction come first
    double* starting;          // per row: its speed when the step began
    double* gap;               // per row that pushes
};

inline void lay_out_touches(const ReducedEngine& e, int32_t count, Arena<double>& reals,
                            Arena<int32_t>& ints, Touches& c) {
    const int32_t rows = e.held_capacity + CONTACT_ROWS * count, n = e.system.tree.n;
    c.count = count;
    lay_out_rows(rows, n, 2 * e.system.widest_reach, reals, ints, c.rows);
    lay_out_islands(n, count, ints, c.islands);
    c.islands.place = ints.take(n);
    c.reach = ints.take(n);
    c.side = ints.take(n);
    c.variable = ints.take(n);
    c.held_part = ints.take(e.held_capacity);
    c.first = ints.take(count);
    c.of_held = ints.take(rows);
    c.y = reals.take(n);
    c.lever = reals.take(n);
    c.apart = reals.take(n);
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

// Variables of one push, in the order of the island, that its rows reach: those on the ways of both
// links to the base and, where loops tie a part together, all of it.
inline void list_reached(const ReducedEngine& e, Touches& c, int32_t link_a, int32_t link_b,
                         int32_t reached, int32_t row) {
    const ReducedSystem& s = e.system;
    ImpulseRows& r = c.rows;
    r.push[row] = row;
    r.width[row] = r.n;
    if (!r.is_sparse) return;
    int32_t *cols = r.cols_of(row), width = 0;
    for (int32_t k = reached - 1; k >= 0; --k)
        if (!s.is_tied[s.part[c.reach[k]]]) cols[width++] = c.islands.place[c.reach[k]];
    const int32_t a = part_of_link(s, link_a), b = part_of_link(s, link_b);
    for (int end = 0; end < 2; ++end) {
        const int32_t part = end ? b : a;
        if (part < 0 || !s.is_tied[part] || (end && a == b)) continue;
        for (int32_t v = s.part_first[part]; v < s.part_first[part + 1]; ++v)
            cols[width++] = c.islands.place[s.part_list[v]];
    }
    // parts follow each other: nearly sorted
    for (int32_t k = 1; k < width; ++k) {
        const int32_t own = cols[k];
        int32_t to = k;
        for (; to > 0 && cols[to - 1] > own; --to) cols[to] = cols[to - 1];
        cols[to] = own;
    }
    r.width[row] = width;
}

// Takes a row over all variables from c.y, which is 0 again then.
inline void take_row(Touches& c, int32_t row) {
    ImpulseRows& r = c.rows;
    const int32_t *cols = r.is_sparse ? r.cols_of(row) : nullptr, width = r.width[row];
    double* to = r.row(row);
    for (int32_t k = 0; k < width; ++k) {
        double& from = c.y[c.variable[cols ? cols[k] : k]];
        to[k] = from;
        from = 0;
    }
}

// Row of a contact for a force on link b; returns its speed, that of link b against link a.
inline double touch_row(ReducedEngine& e, Touches& c, int32_t i, int32_t reached,
                        const double* force, int32_t row) {
    ReducedSystem& s = e.system;
    const ReducedTree& t = s.tree;
    double *y = c.y, starting = 0;
    bool tied = false;
    for (int32_t k = 0; k < reached; ++k) {
        const int32_t at = c.reach[k];
        y[at] = c.side[k] == 0 ? 0 : c.side[k] * dot6(force, t.S + 6LL * at);
        starting += y[at] * c.v_start[t.index[at]];
        tied = tied || s.is_tied[s.part[at]];
    }
    c.starting[row] = starting;
    for (int32_t k = 0; k < reached; ++k) {
        const int32_t at = c.reach[k];
        if (y[at] == 0) continue;
        const double *L = t.row(at), value = y[at] *= t.inverse[at];
        for (int32_t l = t.before[at]; l >= 0; l = t.before[l]) y[l] -= L[l] * value;
    }
    if (tied) {
        multiply_rows(s, y, s.lambda);
        for (int32_t r = 0; r < s.ties.row_count; ++r) s.lambda[r] = -s.lambda[r];
        solve_rows(s, s.lambda);
        add_rows(s, s.lambda, y);
    }
    take_row(c, row);
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

// Begins the impulses of stops and dry friction with those of the last step.
inline void guess_held(ReducedEngine& e, Touches& c) {
    for (int32_t i = 0, at = 0; i < e.held_count; ++i) {
        const int32_t place = 3 * e.held[i] + e.held_kind[i];
        while (at < c.held_known && c.held[at].place < place) ++at;
        if (at < c.held_known && c.held[at].place == place) e.held_p[i] = c.held[at].p;
    }
    for (int32_t i = 0; i < e.held_count; ++i) c.held[i] = {3 * e.held[i] + e.held_kind[i], 0};
    c.held_known = e.held_count;
}

// The part of each impulse of stops and dry friction; marks it for find_islands.
inline void note_held_parts(ReducedEngine& e, Touches& c) {
    const ReducedSystem& s = e.system;
    for (int32_t p = 0; p < s.part_count; ++p) c.islands.of_part[p] = -1;
    for (int32_t i = 0; i < e.held_count; ++i) {
        const double* y = e.held_Y + (int64_t)i * s.tree.n;
        int32_t k = 0;
        while (k < s.tree.n && y[k] == 0) ++k;
        c.held_part[i] = k < s.tree.n ? s.part[k] : -1;
        if (k < s.tree.n) c.islands.of_part[s.part[k]] = 0;
    }
}

// Row of a stop or of dry friction.
inline void take_held(const ReducedEngine& e, Touches& c, int32_t i, double sign, int32_t row) {
    const ReducedSystem& s = e.system;
    ImpulseRows& r = c.rows;
    const double* y = e.held_Y + (int64_t)i * s.tree.n;
    const int32_t part = c.held_part[i];
    double* to = r.row(row);
    r.push[row] = row;
    if (!r.is_sparse) {
        r.width[row] = r.n;
        clear_all(to, r.n);
    }
    int32_t width = 0;
    for (int32_t v = s.part_first[part]; v < s.part_first[part + 1]; ++v) {
        const int32_t k = s.part_list[v];
        if (y[k] == 0) continue;
        if (r.is_sparse) r.cols_of(row)[width] = c.islands.place[k];
        to[r.is_sparse ? width++ : c.islands.place[k]] = sign * y[k];
    }
    if (r.is_sparse) r.width[row] = width;
}

// How long ago bodies of an island bounced, on the mean over their speeds.
struct Bounced {
    double weight = 0, times = 0;
    double since() const { return weight > 0 ? times / weight : NAN; }
};

// A row that acts one way, at a distance; it throws back in the step nearest to the meeting.
inline void add_push(const ReducedEngine& e, Touches& c, double h, double gap, double speed,
                     double starting, double restitution, Bounced& bounced) {
    const double* g = e.system.tree.model->gravity;
    const double quiet = larger(tolerance::QUIET, 2 * sqrt(dot(g, g, 3)) * h);
    ImpulseRows& r = c.rows;
    const int32_t row = r.count++;
    r.kind[row] = IMPULSE_PUSH;
    r.before[row] = speed;
    r.limit[row] = 0;
    r.aim[row] = NAN;  // not thrown back
    c.gap[row] = gap;
    if (!(restitution > 0 && speed < -quiet && gap + h * speed < 0)) return;
    r.aim[row] = -INFINITY;
    if (!(gap + h / 2 * speed < 0)) return;
    const Bounce bounce = bounce_of(gap, speed, starting, h, restitution);
    r.aim[row] = bounce.speed;
    bounced.weight += -speed;
    bounced.times += -speed * bounce.since;
}

// Rows of stops and dry friction of an island.
inline void list_held_rows(ReducedEngine& e, Touches& c, int32_t island, double h,
                           Bounced& bounced) {
    ImpulseRows& r = c.rows;
    for (int32_t i = 0; i < e.held_count; ++i) {
        if (c.held_part[i] < 0 || c.islands.of_part[c.held_part[i]] != island) continue;
        const int32_t row = r.count;
        const double sign = e.held_kind[i] == HELD_UPPER ? -1 : 1;
        c.of_held[row] = i;
        take_held(e, c, i, sign, row);
        const double speed = held_speed(e, i, e.v);
        r.p[row] = e.held_p[i];
        if (e.held_kind[i] != HELD_FRICTION) {
            add_push(e, c, h, e.held_aim[i], sign * speed, sign * speed, e.restitution, bounced);
            continue;
        }
        r.kind[row] = IMPULSE_HOLD;
        r.before[row] = speed;
        r.aim[row] = c.gap[row] = 0;
        r.limit[row] = e.held_high[i];
        ++r.count;
    }
    c.held_rows = r.count;
}

// Rows of a contact that rub: up to a share of its push.
inline void add_rubbing(ReducedEngine& e, Touches& c, int32_t i, int32_t reached,
                        const double (*forces)[6], int32_t width, double share,
                        const double* guess) {
    ImpulseRows& r = c.rows;
    const int32_t own = c.first[i];
    for (int32_t k = 0; k < width; ++k) {
        const int32_t row = r.count++;
        r.kind[row] = k > 0 ? IMPULSE_SECOND : (width > 1 ? IMPULSE_PAIR : IMPULSE_SHARE);
        r.push[row] = own;
        r.width[row] = r.width[own];
        r.p[row] = guess[k];
        r.before[row] = touch_row(e, c, i, reached, forces[k], row);
        r.aim[row] = c.gap[row] = 0;
        r.limit[row] = share;
    }
}

// Rows of a contact: its push, along the surface, turning on the spot, and rolling.
inline void add_contact_rows(ReducedEngine& e, Touches& c, int32_t i, double h, Bounced& bounced) {
    const ReducedTree& t = e.system.tree;
    ImpulseRows& r = c.rows;
    const double *n = c.normals + 3LL * i, *guess = c.impulses + (int64_t)CONTACT_ROWS * i;
    const double *p = c.points + 3LL * i, *surface = c.surface + 4LL * i;
    double force[2][6], side[2][3];
    c.first[i] = r.count;
    const int32_t reached = reach_of(t, c.link_a[i], c.link_b[i], c.reach, c.side);
    list_reached(e, c, c.link_a[i], c.link_b[i], reached, r.count);
    r.p[r.count] = guess[0];
    force_at(t, p, n, force[0]);
    const double speed = touch_row(e, c, i, reached, force[0], r.count);
    add_push(e, c, h, c.distance[i], speed, c.starting[r.count], surface[1], bounced);
    tangents(n, side[0], side[1]);
    for (int d = 0; d < 2; ++d) force_at(t, p, side[d], force[d]);
    add_rubbing(e, c, i, reached, force, 2, surface[0], guess + 1);
    if (surface[2] > 0) {
        const double spin[1][6] = {{0, 0, 0, n[0], n[1], n[2]}};
        add_rubbing(e, c, i, reached, spin, 1, surface[2], guess + 3);
    }
    if (surface[3] > 0) {
        const double roll[2][6] = {{0, 0, 0, side[0][0], side[0][1], side[0][2]},
                                   {0, 0, 0, side[1][0], side[1][1], side[1][2]}};
        add_rubbing(e, c, i, reached, roll, 2, surface[3], guess + 4);
    }
}

// The rows of an island at the present state. Returns how long ago bodies bounced, on the mean;
// NAN: none did.
inline double list_touches(ReducedEngine& e, Touches& c, int32_t island, double h) {
    const ReducedSystem& s = e.system;
    const PartIslands& islands = c.islands;
    ImpulseRows& r = c.rows;
    int32_t n = 0;
    for (int32_t k = islands.part_first[island]; k < islands.part_first[island + 1]; ++k) {
        const int32_t part = islands.parts[k];
        for (int32_t v = s.part_first[part]; v < s.part_first[part + 1]; ++v)
            c.variable[n++] = s.part_list[v];
    }
    begin_rows(r, n);
    Bounced bounced;
    list_held_rows(e, c, island, h, bounced);
    for (int32_t k = islands.contact_first[island]; k < islands.contact_first[island + 1]; ++k)
        add_contact_rows(e, c, islands.contacts[k], h, bounced);
    // the speed with which a gap has just closed after the next step
    for (int32_t i = 0; i < r.count; ++i)
        if (r.kind[i] == IMPULSE_PUSH && isnan(r.aim[i])) {
            const double closing = -c.gap[i] / h;
            const double aim = bounced.weight > 0 ? closing : (r.before[i] / 2 + closing) / 1.5;
            r.aim[i] = smaller(aim, 0);
        }
    return bounced.since();
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

// What was found of an island's contacts, stops and dry friction: reported, and the next guess.
inline void note_impulses(ReducedEngine& e, Touches& c, int32_t island) {
    const ImpulseRows& r = c.rows;
    const int32_t *list = c.islands.contacts, *first = c.islands.contact_first + island;
    for (int32_t k = first[0]; k < first[1]; ++k) {
        const int32_t i = list[k];
        double* out = c.impulses + (int64_t)CONTACT_ROWS * i;
        const double *surface = c.surface + 4LL * i, *p = r.p + c.first[i];
        for (int d = 0; d < 3; ++d) out[d] = p[d];
        out[3] = surface[2] > 0 ? p[3] : 0;
        const double* roll = p + (surface[2] > 0 ? 4 : 3);
        for (int d = 0; d < 2; ++d) out[4 + d] = surface[3] > 0 ? roll[d] : 0;
    }
    // pushes of stops point inwards
    for (int32_t row = 0; row < c.held_rows; ++row) {
        const int32_t i = c.of_held[row];
        c.held[i].p = r.p[row];
        note_impulse(e, i, e.held_kind[i] == HELD_UPPER ? -r.p[row] : r.p[row]);
    }
}

// What impulses of all islands did.
struct Met {
    bool any, deep;
    double work;
};

// Solves an island: impulses, then places apart. What it does to speeds and places, before
// solve_inner, is in s.x, c.lever and c.apart.
inline void meet_island(ReducedEngine& e, Touches& c, int32_t island, double h, Met& met) {
    ReducedSystem& s = e.system;
    ImpulseRows& r = c.rows;
    const double since = list_touches(e, c, island, h);
    if (r.count == 0) return;
    const bool bounces = !isnan(since);
    const int32_t sweeps = solve_impulses(r);
    c.sweeps = sweeps > c.sweeps ? sweeps : c.sweeps;
    const double lever = bounces ? since : h / 2;
    // what each did: its impulse times its mean speed
    bool deep = false;
    for (int32_t i = 0; i < r.count; ++i) {
        const double by = row_dot(r, i, r.x);
        met.work += r.p[i] * (r.before[i] + by / 2);
        met.any = met.any || r.p[i] != 0;
        if (r.kind[i] != IMPULSE_PUSH) continue;
        e.report.stops += r.p[i] != 0;
        c.gap[i] += lever * by;
        // what was thrown back leaves by itself
        if (bounces && r.aim[i] > 0 && r.p[i] > 0) c.gap[i] = larger(c.gap[i], 0);
        deep = deep || c.gap[i] < -TOUCH_SLOP;
    }
    note_impulses(e, c, island);
    for (int32_t k = 0; k < r.n; ++k) {
        s.x[c.variable[k]] = r.x[k];
        c.lever[c.variable[k]] = lever;
    }
    if (!deep) return;
    // apart in place, as far as the others have room
    met.deep = true;
    for (int32_t i = 0; i < r.count; ++i) {
        r.p[i] = r.before[i] = 0;
        const double depth = -c.gap[i] - TOUCH_SLOP;
        if (r.kind[i] == IMPULSE_PUSH)
            r.aim[i] = depth > 0 ? TOUCH_SHARE * depth : -c.gap[i];
        else
            r.kind[i] = IMPULSE_NONE;
    }
    solve_impulses(r);
    for (int32_t k = 0; k < r.n; ++k) c.apart[c.variable[k]] = r.x[k];
}

// Moves the state by impulses of all that touches, over a step h that has just been made. The
// matrices are those of the place, and links move as they do there.
inline void meet_contacts(ReducedEngine& e, Touches& c, double h) {
    ReducedSystem& s = e.system;
    const int32_t n = s.tree.n;
    read_cuts(e, e.q);
    read_cut_speeds(e, e.v);
    list_held(e, e.q, e.v, h);
    guess_held(e, c);
    note_held_parts(e, c);
    find_islands_of(s, c.link_a, c.link_b, c.count, c.islands);
    c.sweeps = 0;
    if (c.islands.count == 0) return;
    const double energy = kinetic_energy(e, e.v) + potential_energy(e, e.q);
    for (double* part : {s.x, c.lever, c.apart, c.y}) clear_all(part, n);
    Met met{};
    for (int32_t island = 0; island < c.islands.count; ++island) meet_island(e, c, island, h, met);
    e.work += met.work;
    solve_inner(s.tree, s.x);
    if (met.deep) solve_inner(s.tree, c.apart);
    for (int32_t k = 0; k < n; ++k) {
        e.v[s.tree.index[k]] += s.x[k];
        e.xi[s.tree.index[k]] = c.lever[k] * s.x[k] + c.apart[k];
    }
    // impulses change the kinetic energy by their work
    if (met.any || met.deep) shift_place(e, energy, energy + met.work);
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
