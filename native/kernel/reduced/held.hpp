// What needs impulses in joints: ends of travel and dry friction, their rows over the degrees of
// freedom, and the impulses by sweeps.
#pragma once

#include "kernel/base/tolerances.hpp"
#include "kernel/reduced/extrapolation.hpp"

namespace kinegen {

constexpr int32_t STOP_SWEEPS = 400;
// Change of impulses, against the largest, at which the sweeps end.
constexpr double STOP_ACCURACY = 1e-13;

// Room [m, rad] below which an end of travel is touched, and what may be left beyond it.
constexpr double TOUCHING = 1e-10;
constexpr double BEYOND = 1e-13;
// Speed [m/s, rad/s] below which a joint that touches an end rests on it.
constexpr double AT_REST = 1e-9;
// The same of a swing, which the way around its limit and back onto it changes.
constexpr double SWING_AT_REST = tolerance::QUIET;
// Way around a swing limit within a step [rad] beyond which steps do not follow it: such a joint
// does not rest there. Every step leads it beyond, from where it is brought back.
constexpr double WAY_AROUND = 0.2;
// A joint that begins further beyond an end than this is not thrown back: it is only kept from
// moving further, as if the end were where it is.
constexpr double BEGINS_BEYOND = 1e-6;

enum HeldKind : int32_t { HELD_FRICTION = 0, HELD_LOWER = 1, HELD_UPPER = 2 };

// How many variables of a model may need an impulse, each end of travel counted.
inline int32_t count_held(const Model& m) {
    int32_t count = 0;
    for (int32_t v = 0; v < m.nv; ++v)
        count += (m.coulomb[v] != 0 || m.breakaway[v] != 0) + (m.lower[v] > -INFINITY) +
                 (m.upper[v] < INFINITY);
    // the way back onto a swing limit takes two
    for (int32_t j = 0; j < m.joint_count; ++j) count += has_swing_limit(m, j);
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
        } else if (fabs(speed) < tolerance::STANDSTILL) {
            dry = m.breakaway[v];
        }
    }
    return dry;
}

inline bool has_friction(const Model& m) {
    for (int32_t v = 0; v < m.nv; ++v)
        if (m.coulomb[v] != 0 || m.breakaway[v] != 0) return true;
    return false;
}

// Loop coupling of a cut joint.
inline int32_t coupling_of(const ReducedEngine& e, int32_t joint) {
    const Couplings& c = e.system.ties;
    for (int32_t i = 0; i < c.loop_count; ++i)
        if (e.system.tree.model->loop_joint[c.loop[i]] == joint) return i;
    return -1;
}

// An end of travel: of a variable, or of the swing of a spherical joint.
struct Stop {
    int32_t joint, k, kind;
    int32_t place;    // in stop_from
    double room;      // [m, rad]
    double along[2];  // what the variable and the one after it do to what ends there
};
constexpr double ONE_VARIABLE[2] = {1, 0};

// Speed of what variables move, from their speeds.
inline double speed_along(const double* along, const double* v) {
    return along[1] == 0 ? along[0] * v[0] : along[0] * v[0] + along[1] * v[1];
}

inline double held_speed(const ReducedEngine& e, int32_t n, const double* v) {
    return speed_along(e.held_along + 2LL * n, v + e.held[n]);
}

// Adds an impulse to the list: along variable k of a joint, or along it and the one after it.
inline void hold(ReducedEngine& e, int32_t joint, int32_t k, const double* along, int32_t kind,
                 double low, double high, double aim) {
    if (e.held_count == e.held_capacity) return;
    ReducedSystem& s = e.system;
    const Model& m = *s.tree.model;
    const int32_t n = e.held_count++;
    e.held[n] = m.joint_v[joint] + k;
    copy_all(e.held_along + 2LL * n, along, 2);
    e.held_kind[n] = kind;
    e.held_low[n] = low;
    e.held_high[n] = high;
    e.held_aim[n] = aim;
    e.held_p[n] = 0;
    // its row over the degrees of freedom, then y = L⁻ᵀ row less what the loops take
    double* y = e.held_Y + (int64_t)n * s.tree.n;
    for (int32_t i = 0; i < s.tree.n; ++i) y[i] = 0;
    if (s.tree.first[joint] >= 0) {
        y[s.tree.first[joint] + k] = along[0];
        if (along[1] != 0) y[s.tree.first[joint] + k + 1] = along[1];
    } else {
        const int32_t i = coupling_of(e, joint);
        cut_axes(s.tree, s.ties, i, e.axes);
        double* axis = e.axes + 6 * k;
        if (along[1] != 0)
            for (int c = 0; c < 6; ++c) axis[c] = along[0] * axis[c] + along[1] * axis[6 + c];
        for (int32_t r = s.ties.reach_first[i]; r < s.ties.reach_first[i + 1]; ++r)
            if (s.ties.side[r] != 0)
                y[s.ties.reach[r]] = s.ties.side[r] * dot6(axis, s.tree.S + 6LL * s.ties.reach[r]);
    }
    solve_outer(s.tree, y);
    copy_all(e.held_R + (int64_t)n * s.tree.n, y, s.tree.n);
    multiply_rows(s, y, s.lambda);
    for (int32_t row = 0; row < s.ties.row_count; ++row) s.lambda[row] = -s.lambda[row];
    solve_rows(s, s.lambda);
    add_rows(s, s.lambda, y);
}

// Calls back for the ends of travel of variable k of a joint.
template <class Visit>
inline void each_stop_of(const Model& m, const double* q, int32_t j, int32_t k, Visit&& visit) {
    const int32_t type = m.joint_type[j], i = m.joint_v[j] + k;
    if (type == SPHERICAL && k == 0 && has_swing_limit(m, j)) {
        const double* quat = q + m.joint_q[j];
        Stop stop{j, k, HELD_UPPER, 2 * i + 1, m.upper[i] - swing_angle(quat), {0, 0}};
        swing_axis(quat, stop.along);
        visit(stop);
    }
    if (JOINT_QUATERNION[type]) return;
    const double at = q[m.joint_q[j] + k];
    if (m.lower[i] > -INFINITY) visit(Stop{j, k, HELD_LOWER, 2 * i, at - m.lower[i], {1, 0}});
    if (m.upper[i] < INFINITY) visit(Stop{j, k, HELD_UPPER, 2 * i + 1, m.upper[i] - at, {1, 0}});
}

// Calls back for every end of travel.
template <class Visit>
inline void each_stop(const Model& m, const double* q, Visit&& visit) {
    for (int32_t j = 0; j < m.joint_count; ++j)
        for (int32_t k = 0; k < JOINT_NV[m.joint_type[j]]; ++k) each_stop_of(m, q, j, k, visit);
}

// Lists what needs an impulse at q, v (cut joints filled in) over a step h, ends of travel that may
// be reached within the next step among it: for contacts, which are met together with them. The aim
// of an end is the room to it.
inline void list_held(ReducedEngine& e, const double* q, const double* v, double h) {
    const Model& m = *e.system.tree.model;
    e.held_count = 0;
    for (int32_t j = 0; j < m.joint_count; ++j)
        for (int32_t k = 0; k < JOINT_NV[m.joint_type[j]]; ++k) {
            const int32_t i = m.joint_v[j] + k;
            if (e.with_friction && (m.coulomb[i] != 0 || m.breakaway[i] != 0)) {
                const double most = h * dry_friction(m, i, v[i]);
                hold(e, j, k, ONE_VARIABLE, HELD_FRICTION, -most, most, 0);
            }
            if (!e.with_stops) continue;
            each_stop_of(m, q, j, k, [&](const Stop& stop) {
                // an end must not be passed within the next step
                if (stop.room < 2 * h * fabs(speed_along(stop.along, v + i)) + 1e-6)
                    hold(e, j, k, stop.along, stop.kind, 0, 0, stop.room);
            });
        }
}

// The room to an end, from where it counts: from the end itself unless the joint began beyond it.
inline double room_to(const ReducedEngine& e, int32_t stop, double room) {
    return e.stop_from[stop] < -BEGINS_BEYOND ? room - e.stop_from[stop] : room;
}

// Whether an end was touched already when the step began.
inline bool was_touching(const ReducedEngine& e, int32_t stop) {
    return e.stop_from[stop] <= TOUCHING;
}

// Notes where the ends are at the beginning of a step, and which joints rest on them.
inline void note_stops(ReducedEngine& e) {
    e.rest_count = 0;
    const Model& m = *e.system.tree.model;
    each_stop(m, e.q, [&](const Stop& stop) {
        e.stop_from[stop.place] = stop.room;
        if (stop.room > TOUCHING || e.rest_count == e.held_capacity) return;
        const bool swings = m.joint_type[stop.joint] == SPHERICAL;
        const double speed = speed_along(stop.along, e.v + stop.place / 2);
        if (fabs(speed) > (swings ? SWING_AT_REST : AT_REST)) return;
        if (swings) {
            const double *w = e.v + stop.place / 2, swing = m.upper[stop.place / 2] - stop.room;
            const double way = e.step * sqrt(w[0] * w[0] + w[1] * w[1]);
            if (!(way < WAY_AROUND * fabs(tan(swing)))) return;
        }
        e.rest[e.rest_count] = stop.place;
        e.rest_force[e.rest_count] = 0;
        e.rest_joint[e.rest_count++] = stop.joint;
    });
}

// Least room to an end that was not touched when the step began.
inline double least_room(const ReducedEngine& e) {
    double least = INFINITY;
    each_stop(*e.system.tree.model, e.q, [&](const Stop& stop) {
        if (!was_touching(e, stop.place)) least = smaller(least, stop.room);
    });
    return least;
}

// Least room to any end.
inline double least_of_all(const ReducedEngine& e, const double* q) {
    double least = INFINITY;
    each_stop(*e.system.tree.model, q,
              [&](const Stop& stop) { least = smaller(least, room_to(e, stop.place, stop.room)); });
    return least;
}

// Whether a joint touches its swing limit, or is beyond it.
inline bool touches_swing_limit(const ReducedEngine& e, const double* q) {
    const Model& m = *e.system.tree.model;
    bool touches = false;
    each_stop(m, q, [&](const Stop& stop) {
        touches = touches || (m.joint_type[stop.joint] == SPHERICAL &&
                              room_to(e, stop.place, stop.room) <= TOUCHING);
    });
    return touches;
}

// Adds an impulse along variables, or along what the n-th of the list holds, to theirs.
inline void note_impulse(ReducedEngine& e, int32_t variable, const double* along, double p) {
    e.held_impulse[variable] += along[0] * p;
    if (along[1] != 0) e.held_impulse[variable + 1] += along[1] * p;
}
inline void note_impulse(ReducedEngine& e, int32_t n, double p) {
    note_impulse(e, e.held[n], e.held_along + 2LL * n, p);
}

// What an end has pushed a joint that rests on it with, over the whole step [N s, N m s].
inline double rest_impulse(const ReducedEngine& e, int32_t stop) {
    for (int32_t n = 0; n < e.rest_count; ++n)
        if (e.rest[n] == stop) return e.rest_force[n] * e.step;
    return 0;
}

// Share of a swing limit's sine beyond which an overrun of it is far.
constexpr double FAR_BEYOND = 0.1;

// Lists the ends that are touched or passed; for places: the way to go, for speeds: the speed to
// have. Small impulses elsewhere make an end push less before they lift a joint off it: without
// that, joints on several ends would lift each other in turn.
inline void list_touched(ReducedEngine& e, const double* q, const double* v) {
    const Model& m = *e.system.tree.model;
    each_stop(m, q, [&](const Stop& stop) {
        const bool lower = stop.kind == HELD_LOWER;
        const double room = room_to(e, stop.place, stop.room), sign = lower ? 1 : -1;
        if (!(room <= TOUCHING)) return;
        double aim = -room, pull = 0;
        if (v != nullptr) {
            pull = rest_impulse(e, stop.place);
            // a joint that was pressed against its end does not bounce
            const double speed = sign * speed_along(stop.along, v + stop.place / 2);
            const bool bounces = speed < -tolerance::QUIET && !was_touching(e, stop.place);
            aim = bounces ? -e.restitution * speed : 0;
        }
        hold(e, stop.joint, stop.k, stop.along, stop.kind, lower ? -pull : -INFINITY,
             lower ? INFINITY : pull, sign * aim);
        // from far beyond a swing limit straight back: its direction changes on the way
        const double radius = sin(m.upper[stop.place / 2]);
        if (v != nullptr || m.joint_type[stop.joint] != SPHERICAL || !(-room > FAR_BEYOND * radius))
            return;
        const double across[2] = {-stop.along[1], stop.along[0]};
        hold(e, stop.joint, stop.k, across, HELD_FRICTION, -INFINITY, INFINITY, 0);
    });
}

// Impulses by sweeps (projected Gauss-Seidel) from the speeds in e.held_mass, which they change;
// system.x becomes what they do to the degrees of freedom.
inline void sweep_held(ReducedEngine& e) {
    const ReducedTree& t = e.system.tree;
    const int32_t count = e.held_count, n = t.n;
    double* speed = e.held_mass;
    for (int32_t i = 0; i < count; ++i)
        for (int32_t j = 0; j <= i; ++j)  // rows of springs give way: held_Y alone would not do
            e.held_G[i * count + j] = e.held_G[j * count + i] =
                dot(e.held_R + (int64_t)i * n, e.held_Y + (int64_t)j * n, n);
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
    for (int32_t k = 0; k < n; ++k) e.system.x[k] = 0;
    for (int32_t i = 0; i < count; ++i)
        if (e.held_p[i] != 0) add_scaled(e.held_p[i], e.held_Y + (int64_t)i * n, e.system.x, n);
    solve_inner(t, e.system.x);
}

// What changes of the degrees of freedom do to variable k of a joint, and for accelerations (v
// null) what motion does to a cut joint's: as row_targets, for the axes of cut_axes. v: speeds to
// be added. After move_tree.
inline double change_of(ReducedEngine& e, int32_t joint, int32_t k, const double* x,
                        const double* v) {
    const ReducedTree& t = e.system.tree;
    const Couplings& c = e.system.ties;
    const Model& m = *t.model;
    if (t.first[joint] >= 0)
        return x[t.first[joint] + k] + (v == nullptr ? 0 : v[m.joint_v[joint] + k]);
    const int32_t i = coupling_of(e, joint), type = m.joint_type[joint];
    cut_axes(t, c, i, e.axes);
    const double* axis = e.axes + 6 * k;
    double out = 0, speed[6];
    for (int32_t r = c.reach_first[i]; r < c.reach_first[i + 1]; ++r)
        if (c.side[r] != 0) out += c.side[r] * dot6(axis, t.S + 6LL * c.reach[r]) * x[c.reach[r]];
    if (v != nullptr) {
        cut_speeds(t, c, i, e.axes, speed);
        return out + speed[k];
    }
    const double *V_P = t.V + 6LL * m.joint_parent[joint], *V_B = t.V + 6LL * m.joint_child[joint];
    const double *A_P = t.A + 6LL * m.joint_parent[joint], *A_B = t.A + 6LL * m.joint_child[joint];
    double relative[6], wanted[6];
    for (int c6 = 0; c6 < 6; ++c6) {
        relative[c6] = V_B[c6] - V_P[c6];
        wanted[c6] = A_P[c6] - A_B[c6];
    }
    add_motion_cross(V_B, relative, wanted);  // with V_P it is the same
    out -= dot6(axis, wanted);
    if (type == PLANAR && k < 2) {
        // its axis turns with the carrying link and moves with the other
        const double* p = c.X_K + TRANSFORM_SIZE * (int64_t)i + 9;
        const double r[3] = {p[0] - t.centre[0], p[1] - t.centre[1], p[2] - t.centre[2]};
        double u[3] = {relative[0], relative[1], relative[2]}, moment[3];
        add_cross3(relative + 3, r, u);
        cross3(u, axis, moment);
        out += dot3(moment, relative + 3);
    }
    return out;
}

}  // namespace kinegen
