// The world of the impulse engine: rigid bodies in maximal coordinates and what joins them. After
// D. Finkenzeller, M. Baas, S. Thüring, S. Yigit, A. Schmitt, "VISUM: A VR system for the
// interactive and dynamics simulation of mechatronic systems", section 5: bodies fly freely over a
// step, impulses at its start bring every joint together at its end.
#pragma once

#include "kernel/base/arena.hpp"
#include "kernel/contact/impulses.hpp"
#include "kernel/contact/islands.hpp"
#include "kernel/impulse/flight.hpp"
#include "kernel/impulse/protocol.hpp"
#include "kernel/linalg/linalg.hpp"
#include "kernel/base/model.hpp"
#include "kernel/base/profile.hpp"
#include "kernel/base/vec6.hpp"
#include "kernel/base/transform.hpp"

namespace kinegen::impulse {

constexpr int32_t SIDE_SIZE = 42;  // J and Y of a coupling on one of its bodies
constexpr int32_t TERM_SIZE = 4;   // of a coupling: joint, variable of it, sides of its bodies

// What acts between two bodies a and b at one place: its rows now, as speeds of b against a.
struct Rows {
    double Ja[36], Jb[36];  // [component][row]: speeds of the rows by those of the bodies
    double Ya[36], Yb[36];  // [row][component]: change of the bodies' velocities by unit impulses
};

// How the corrections hang together; made once, in Python (dynamics/engines/impulse/order.py).
struct Order {
    int32_t count;         // columns: ties with rows, in the order in which they are eliminated
    const int32_t* tie;    // per column: a joint or, behind all joints, a coupling
    const int32_t* first;  // per column + 1: its blocks below the diagonal
    const int32_t* row;    // per block: its row, as a column number
    int32_t block_count;   // blocks below the diagonal
    const int32_t* update_first;  // per column + 1
    const int32_t* update;  // per pair of blocks: block that changes; -1 - column for a diagonal
    int32_t piece_count;
    const int32_t* piece;  // four each: block, side of its row, side of its column, column
    int32_t sweep_count;
    const int32_t* sweep;  // three each, from the held bodies outward: joint, side that is farther
                           // out, whether it is in a loop
};

struct World {
    int32_t body_count, bond_count, coupling_count, tie_count, nq, nv, load_count, touch_count;
    const double* body;   // BODY_SIZE each
    const int32_t* bond;  // type, a, b, first q, first v each
    const double* bond_numbers;
    const double* axis;  // AXIS_SIZE per v
    const double* gravity;
    const int32_t* curve_first;  // per bond + 1: segments of its curve, as cubics: 12 numbers each
    const double* curve;
    const int32_t* curve_closed;  // per bond
    const Model* model;           // the mechanism whose couplings join variables; null: it has none
    const int32_t* side_first;    // per coupling + 1: its bodies
    const int32_t* side_body;
    const int32_t* touch;  // kind (0 plane, 1 ball), a, b each
    const double* touch_numbers;
    const int32_t* load;  // body each
    const double* load_numbers;
    const double* efforts;  // per v
    Order order;

    // ways to run
    double step, gap_limit, speed_limit, stop_restitution;
    int32_t iteration_limit, sweeps;  // sweeps 0: direct
    bool with_stops, with_friction;
    bool sprung;         // whether any axis has a spring or damper
    bool loaded;         // whether efforts or loads act
    bool looped;         // whether joints form loops, which have singular poses
    bool uneven;         // whether the compliance of any body counts in part (ease)
    bool cut;            // whether the last step was cut into parts
    int32_t unread;      // steps since all variables were read
    int32_t soft_count;  // rows of rotors, dampers and springs

    // bodies
    double* inverse;   // four per body: 1 / mass, 1 / moments
    double* bend;      // three per body: (I2 - I3) / I1 ...
    double* ease;      // two per body: share of its compliance that counts, along and about
    double *quat, *X;  // R_WB and centre
    double* V;         // velocity of the centre, angular velocity; world axes
    double* turn;      // inverse inertia in world axes, nine per body
    double *quat_next, *X_next, *V_next;
    double* V_before;                     // before the impulses of one moment
    double *quat_held, *X_held, *V_held;  // the state before the step: kept if it fails
    // joints
    Rows* rows;          // per bond
    double* side;        // per body of each coupling: SIDE_SIZE numbers
    int32_t* term;       // per term of the couplings: TERM_SIZE numbers
    int32_t* row_count;  // per tie: rows held, then those of rotors, dampers and springs
    int32_t* reads;      // per bond: when its variables are needed
    int32_t* soft;       // six per bond: v of its soft rows; of a spring, counted on
    double* yield;       // six per tie: change of speed per impulse that a row allows
    double* keep;        // six per bond: share of the rotor's speed that stays
    double* own;         // six per bond: change of speed per impulse, of soft rows
    double* late;        // six per bond: impulses of springs and dampers at a step's end
    double *carried, *carried_late;  // six per tie: sums over the parts of a step that was cut
    double *lambda, *lambda_last;    // six per tie: impulses of the step; of velocity correction
    double* residual;                // six per tie
    double *diagonal, *lower, *transposed;  // 36 per column, per block, scratch
    double* local;                          // 36 per tie: inverse of its own block (sweeps)
    double* curve_at;                       // per bond: parameter
    double *X_F, *X_M;                      // per bond
    double *turn_next, *X_F_next, *X_M_next;
    double *q, *v, *q_next, *q_held, *v_held;
    double *rotor, *rotor_held;  // per v: speed of the rotor, on the joint's side
    double* theta;               // per v: share of damping at a step's start
    // parts that joints hold together: bodies that move freely are parts of their own
    int32_t part_count, tied_capacity;
    int32_t* part;     // per body, -1: held still
    int32_t* is_tied;  // per part: whether joints, stops or friction act in it
    // bounded impulses
    Islands islands;       // of parts that touch each other
    int32_t* island_ties;  // per island: whether one of its parts is tied
    // limits of islands with joints, then of each of the others, in limit_list
    int32_t* limit_first;
    int32_t* limit_list;
    int32_t* place;  // per part: its place among those of its island
    ImpulseRows rows_of_touches;
    int32_t limit_count, limit_capacity;
    struct Limit* limits;
    double *limit_G, *limit_response, *limit_impulses, *limit_value, *limit_by, *limit_before;

    double time, work;
    double balance;  // energy less work: after the step before; of sweeps what it may be at most
    double swing, change;  // recent maxima: kinetic energy, change of energy in a step
};

enum Reading : int32_t { READ_SELDOM = 0, READ_EVERY_STEP = 1, READ_AHEAD = 2 };
enum LimitKind : int32_t {
    DRY = 0,
    STOP_LOWER = 1,
    STOP_UPPER = 2,
    TOUCHING = 3,
    SLIDING = 4,   // this one and the next, along the surface
    SPINNING = 5,  // about the normal
    ROLLING = 6,   // this one and the next, about directions along the surface
};
constexpr int32_t TOUCH_LIMITS = 6;  // of one contact at most
inline bool is_pair(int32_t kind) { return kind == SLIDING || kind == ROLLING; }

// An impulse with bounds: dry friction, an end of travel, a contact, its friction.
struct Limit {
    int32_t kind, a, b;
    int32_t of;  // v, or pair
    int32_t bond;
    int32_t normal;  // of a contact's friction: its contact in the list
    double Ja[6], Jb[6], Ya[6], Yb[6];
    double low, high, p, value, aim, own;
    double friction;
    double direction[3], point_a[3], point_b[3];  // of contacts: n or t; the place in a and b
};

struct ImpulseReport {
    double gap, angle_gap, velocity_gap;
    double soft_gap;  // what rotors, dampers and springs still miss over a step [m, rad]
    int64_t iterations, corrections;
    int32_t contacts, status;
};
enum ImpulseStatus : int32_t { IMPULSE_OK = 0, IMPULSE_OPEN = 1 };

inline bool all_zero(const double* x, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
        if (x[i] != 0) return false;
    return true;
}

// Whether a joint's first three rows are the world's axes: two points that stay together.
inline bool holds_point(int32_t type) {
    return type == REVOLUTE || type == UNIVERSAL || type == SPHERICAL || type == FIXED;
}

inline int32_t bond_type(const World& w, int32_t j) { return w.bond[5 * j]; }
inline int32_t bond_a(const World& w, int32_t j) { return w.bond[5 * j + 1]; }
inline int32_t bond_b(const World& w, int32_t j) { return w.bond[5 * j + 2]; }
inline int32_t bond_q(const World& w, int32_t j) { return w.bond[5 * j + 3]; }
inline int32_t bond_v(const World& w, int32_t j) { return w.bond[5 * j + 4]; }

// Hands out the memory of all that has a size known from the start.
inline void lay_out_world(World& w, Arena<double>& reals, Arena<int32_t>& ints) {
    const int64_t n = w.body_count, m = w.bond_count, ties = w.tie_count;
    w.inverse = reals.take(4 * n);
    w.bend = reals.take(3 * n);
    w.ease = reals.take(2 * n);
    w.quat = reals.take(4 * n);
    w.X = reals.take(12 * n);
    w.V = reals.take(6 * n);
    w.turn = reals.take(9 * n);
    w.quat_next = reals.take(4 * n);
    w.X_next = reals.take(12 * n);
    w.V_next = reals.take(6 * n);
    w.V_before = reals.take(6 * n);
    w.quat_held = reals.take(4 * n);
    w.X_held = reals.take(12 * n);
    w.V_held = reals.take(6 * n);
    w.side = reals.take((int64_t)SIDE_SIZE * w.side_first[w.coupling_count]);
    w.term = ints.take(w.model ? (int64_t)TERM_SIZE * w.model->term_count : 0);
    w.part = ints.take(n);
    w.is_tied = ints.take(n);
    w.row_count = ints.take(ties);
    w.reads = ints.take(m);
    w.soft = ints.take(6 * m);
    w.yield = reals.take(6 * ties);
    w.keep = reals.take(6 * m);
    w.own = reals.take(6 * m);
    w.late = reals.take(6 * ties);
    w.carried = reals.take(6 * ties);
    w.carried_late = reals.take(6 * ties);
    w.lambda = reals.take(6 * ties);
    w.lambda_last = reals.take(6 * ties);
    w.residual = reals.take(6 * ties);
    w.diagonal = reals.take(36LL * w.order.count);
    w.lower = reals.take(36LL * w.order.block_count);
    w.transposed = reals.take(36LL * w.order.block_count);
    w.local = reals.take(36 * ties);
    w.curve_at = reals.take(m);
    w.X_F = reals.take(12 * m);
    w.X_M = reals.take(12 * m);
    w.turn_next = reals.take(9 * n);
    w.X_F_next = reals.take(12 * m);
    w.X_M_next = reals.take(12 * m);
    w.q = reals.take(w.nq);
    w.q_next = reals.take(w.nq);
    w.q_held = reals.take(w.nq);
    w.v = reals.take(w.nv);
    w.v_held = reals.take(w.nv);
    w.rotor = reals.take(w.nv);
    w.rotor_held = reals.take(w.nv);
    w.theta = reals.take(w.nv);
}

// A body is light if one that it is joined to has more than so many times its mass or moments.
constexpr double LIGHT = 1e3;
// Most that a light body can be stiffened: beyond that rounding would show.
constexpr double STIFFEST = 1e7;

// Joints of a light body pass on what heavy ones bear: they must give way as little as those do.
inline void ease_light_bodies(World& w) {
    double* size[2] = {w.X_next, w.X_next + w.body_count};  // for a moment: mass and largest moment
    for (int32_t b = 0; b < w.body_count; ++b) {
        const double *numbers = w.body + (int64_t)BODY_SIZE * b, *I = numbers + 1;
        size[0][b] = numbers[0];
        size[1][b] = larger(I[0], larger(I[1], I[2]));
    }
    for (int kind = 0; kind < 2; ++kind)
        for (bool grew = true; grew;) {
            grew = false;
            for (int32_t j = 0; j < w.bond_count; ++j) {
                double &a = size[kind][bond_a(w, j)], &b = size[kind][bond_b(w, j)];
                double &less = a < b ? a : b, more = a < b ? b : a;
                if (HELD_ROWS[bond_type(w, j)] == 0 || !(less > 0 && LIGHT * less < more)) continue;
                less = more;
                grew = true;
            }
        }
    w.uneven = false;
    for (int32_t b = 0; b < w.body_count; ++b) {
        const double *numbers = w.body + (int64_t)BODY_SIZE * b, *I = numbers + 1;
        const double own[2] = {numbers[0], larger(I[0], larger(I[1], I[2]))};
        for (int kind = 0; kind < 2; ++kind) {
            const bool light = own[kind] > 0 && own[kind] < size[kind][b];
            w.ease[2LL * b + kind] = light ? larger(own[kind] / size[kind][b], 1 / STIFFEST) : 1;
            w.uneven = w.uneven || light;
        }
    }
}

// Which joints and bodies the terms of couplings belong to. Cams may jump, as loops do.
inline void number_couplings(World& w) {
    for (int32_t c = 0; c < w.coupling_count; ++c) {
        w.row_count[w.bond_count + c] = 1;
        w.looped = w.looped || is_cam(*w.model, c);
        for (int32_t n = w.model->term_start[c]; n < w.model->term_start[c + 1]; ++n) {
            int32_t *at = w.term + (int64_t)TERM_SIZE * n, j = 0;
            const int32_t v = w.model->term_v[n];
            while (v < bond_v(w, j) || v >= bond_v(w, j) + BOND_NV[bond_type(w, j)]) ++j;
            w.reads[j] = READ_AHEAD;
            at[0] = j;
            at[1] = v - bond_v(w, j);
            for (int32_t s = w.side_first[c]; s < w.side_first[c + 1]; ++s)
                for (int end = 0; end < 2; ++end)
                    if (w.side_body[s] == (end ? bond_b(w, j) : bond_a(w, j)))
                        at[2 + end] = s - w.side_first[c];
        }
    }
}

// Finds the parts that joints hold together.
inline void number_parts(World& w) {
    auto leader = [&](int32_t b) {
        while (w.part[b] != b) b = w.part[b];
        return b;
    };
    auto moves = [&](int32_t b) { return w.inverse[4LL * b] != 0; };
    auto join = [&](int32_t a, int32_t b) {
        if (!moves(a) || !moves(b)) return;
        a = leader(a);
        b = leader(b);
        w.part[a > b ? a : b] = a > b ? b : a;
    };
    for (int32_t b = 0; b < w.body_count; ++b) w.part[b] = b;
    for (int32_t j = 0; j < w.bond_count; ++j)
        if (w.row_count[j] > 0) join(bond_a(w, j), bond_b(w, j));
    for (int32_t c = 0; c < w.coupling_count; ++c)
        for (int32_t s = w.side_first[c] + 1; s < w.side_first[c + 1]; ++s)
            join(w.side_body[s - 1], w.side_body[s]);
    // leaders come before the rest
    w.part_count = 0;
    for (int32_t b = 0; b < w.body_count; ++b) w.is_tied[b] = leader(b);
    for (int32_t b = 0; b < w.body_count; ++b)
        w.part[b] = !moves(b) ? -1 : w.is_tied[b] == b ? w.part_count++ : w.part[w.is_tied[b]];
    for (int32_t p = 0; p < w.part_count; ++p) w.is_tied[p] = 0;
    auto tie = [&](int32_t b) {
        if (w.part[b] >= 0) w.is_tied[w.part[b]] = 1;
    };
    for (int32_t j = 0; j < w.bond_count; ++j) {
        bool acts = w.row_count[j] > 0;
        for (int32_t v = bond_v(w, j); v < bond_v(w, j) + BOND_NV[bond_type(w, j)]; ++v) {
            const double* axis = w.axis + (int64_t)AXIS_SIZE * v;
            acts = acts || axis[COULOMB] != 0 || axis[BREAKAWAY] != 0 || axis[LOWER] > -INFINITY ||
                   axis[UPPER] < INFINITY;
        }
        if (!acts) continue;
        tie(bond_a(w, j));
        tie(bond_b(w, j));
    }
    for (int32_t s = 0; s < w.side_first[w.coupling_count]; ++s) tie(w.side_body[s]);
}

// What follows from the numbers: inverses, soft rows. Called after every change of them.
inline void number_world(World& w) {
    for (int32_t b = 0; b < w.body_count; ++b) {
        const double *numbers = w.body + (int64_t)BODY_SIZE * b, *I = numbers + 1;
        const bool moves = numbers[0] > 0;
        w.inverse[4LL * b] = moves ? 1 / numbers[0] : 0;
        for (int i = 0; i < 3; ++i) {
            w.inverse[4LL * b + 1 + i] = moves ? 1 / I[i] : 0;
            w.bend[3LL * b + i] = moves ? (I[(i + 1) % 3] - I[(i + 2) % 3]) / I[i] : 0;
        }
    }
    w.sprung = w.looped = false;
    for (int32_t c = 0; c < w.order.sweep_count; ++c)
        w.looped = w.looped || w.order.sweep[3LL * c + 2] != 0;
    w.unread = 0;
    w.soft_count = 0;
    for (int32_t j = 0; j < w.bond_count; ++j) {
        const int32_t type = bond_type(w, j);
        w.row_count[j] = HELD_ROWS[type];
        w.reads[j] = type == SCREW || type == POINT_ON_CURVE ? READ_EVERY_STEP : READ_SELDOM;
        for (int32_t k = 0; k < BOND_NV[type]; ++k) {
            const int32_t v = bond_v(w, j) + k;
            const double* axis = w.axis + (int64_t)AXIS_SIZE * v;
            w.theta[v] = 0.5;
            const bool is_sprung = axis[DAMPING] > 0 || axis[STIFFNESS] != 0;
            const bool is_soft = axis[ROTOR] > 0 || is_sprung;
            for (int32_t i = 0; is_soft && i < (type == SPRING ? SPRING_ROWS : 1); ++i) {
                w.soft[6LL * j + w.row_count[j]++] = v + i;
                ++w.soft_count;
            }
            w.sprung = w.sprung || is_sprung;
            const bool is_bounded = axis[COULOMB] != 0 || axis[BREAKAWAY] != 0 ||
                                    axis[LOWER] > -INFINITY || axis[UPPER] < INFINITY;
            if (is_soft || is_bounded) w.reads[j] = READ_AHEAD;
        }
    }
    number_couplings(w);
    number_parts(w);
    ease_light_bodies(w);
}

// Memory of the bounded impulses: as many as axes and pairs of bodies may need; those of parts with
// joints feel each other through all of these.
inline void lay_out_limits(World& w, Arena<double>& reals) {
    const int64_t n = w.limit_capacity, tied = w.tied_capacity;
    w.limit_G = reals.take(tied * tied);
    w.limit_response = reals.take(tied * 6 * w.body_count);
    w.limit_impulses = reals.take(tied * 6 * w.tie_count);
    w.limit_value = reals.take(n);
    w.limit_by = reals.take(n);
    w.limit_before = reals.take(n);
}

// Memory of islands, which nothing outlives a call in; touch_count is known.
inline void lay_out_islands(World& w, Arena<double>& reals, Arena<int32_t>& ints) {
    const int32_t n = w.body_count;
    kinegen::lay_out_islands(n, w.touch_count, ints, w.islands);
    w.island_ties = ints.take(n);
    w.limit_first = ints.take(n + 2);
    w.limit_list = ints.take(w.limit_capacity);
    w.place = ints.take(n);
    lay_out_rows(TOUCH_LIMITS * w.touch_count, 6 * n, 12, reals, ints, w.rows_of_touches);
}

// Islands of bodies that touch. Returns how many limits those with joints may have.
inline int32_t find_islands(World& w) {
    for (int32_t p = 0; p < w.part_count; ++p) w.islands.of_part[p] = w.is_tied[p] ? 0 : -1;
    kinegen::find_islands(
        w.part_count, w.touch_count,
        [&](int32_t i, int side) { return w.part[w.touch[3LL * i + 1 + side]]; }, w.islands);
    int32_t touches = 0;
    for (int32_t island = 0; island < w.islands.count; ++island) {
        w.island_ties[island] = 0;
        const int32_t first = w.islands.part_first[island];
        for (int32_t k = first; k < w.islands.part_first[island + 1]; ++k) {
            w.island_ties[island] |= w.is_tied[w.islands.parts[k]];
            w.place[w.islands.parts[k]] = k - first;
        }
        if (w.island_ties[island])
            touches += w.islands.contact_first[island + 1] - w.islands.contact_first[island];
    }
    return touches * TOUCH_LIMITS;
}

}  // namespace kinegen::impulse
