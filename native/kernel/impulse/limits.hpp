// Impulses with bounds: dry friction in joints, ends of travel, contacts with Coulomb's friction.
// They are listed at the start of a step (its end is looked at) and at its end (speeds are).
#pragma once

#include "kernel/base/tolerances.hpp"
#include "kernel/impulse/loads.hpp"
#include "kernel/impulse/solve.hpp"
#include "kernel/impulse/swing.hpp"

namespace kinegen::impulse {

constexpr int32_t LIMIT_SWEEPS = 300;
constexpr double LIMIT_ACCURACY = 1e-12;
// The same for speeds, against what the impulses are there for; of so many limits at most.
constexpr double VALUE_ACCURACY = 1e-10;
constexpr int32_t FEW_LIMITS = 256;
// Part of a depth or overrun that a step takes back, where one was there from the start.
constexpr double RECOVERY = 0.1;

enum Moment : int32_t { AHEAD = 0, NOW = 1, IMPACT = 2 };

inline double dry_friction(const double* axis, double speed) {
    double dry = axis[COULOMB];
    if (axis[BREAKAWAY] > dry) {
        if (axis[STRIBECK] > 0) {
            const double ratio = speed / axis[STRIBECK];
            dry += (axis[BREAKAWAY] - dry) * exp(-ratio * ratio);
        } else if (fabs(speed) < tolerance::STANDSTILL) {
            dry = axis[BREAKAWAY];
        }
    }
    return dry;
}

// How many bounded impulses the joints of a world may need.
inline int32_t count_axis_limits(const World& w) {
    int32_t count = 0;
    for (int32_t v = 0; v < w.nv; ++v) {
        const double* axis = w.axis + (int64_t)AXIS_SIZE * v;
        count += (axis[COULOMB] != 0 || axis[BREAKAWAY] != 0) + (axis[LOWER] > -INFINITY) +
                 (axis[UPPER] < INFINITY);
    }
    return count;
}
// How many all of it may need.
inline int32_t count_limits(const World& w) {
    return count_axis_limits(w) + TOUCH_LIMITS * w.touch_count;
}

// Fills a limit's rows: unit impulse on b along (or about) axis at a place, opposite on a.
inline void set_limit_rows(const World& w, Limit& l, const double* axis, bool angular,
                           const double* place) {
    for (int side = 0; side < 2; ++side) {
        const int32_t body = side ? l.b : l.a;
        double *J = side ? l.Jb : l.Ja, *Y = side ? l.Yb : l.Ya;
        const double sign = side ? 1 : -1;
        double moment[3] = {0, 0, 0}, turned[3];
        if (angular) {
            for (int i = 0; i < 3; ++i) moment[i] = axis[i];
        } else {
            const double* c = w.X + 12LL * body + 9;
            const double arm[3] = {place[0] - c[0], place[1] - c[1], place[2] - c[2]};
            cross3(arm, axis, moment);
        }
        rotate(w.turn + 9LL * body, moment, turned);
        for (int i = 0; i < 3; ++i) {
            J[i] = angular ? 0 : sign * axis[i];
            J[3 + i] = sign * moment[i];
            Y[i] = angular ? 0 : sign * w.inverse[4LL * body] * axis[i];
            Y[3 + i] = sign * turned[i];
        }
    }
    l.own = dot(l.Ja, l.Ya, 6) + dot(l.Jb, l.Yb, 6);
}

inline double limit_speed(const Limit& l, const double* V) {
    return dot(l.Ja, V + 6LL * l.a, 6) + dot(l.Jb, V + 6LL * l.b, 6);
}

inline Limit* next_limit(World& w, int32_t kind, int32_t a, int32_t b) {
    if (w.limit_count == w.limit_capacity) return nullptr;
    Limit& l = w.limits[w.limit_count++];
    l = Limit{};
    l.kind = kind;
    l.a = a;
    l.b = b;
    return &l;
}

// Two bodies at a pair's place: gap, normal from b's surface to a, point on a's and b's surface.
inline double touch_gap(const World& w, int32_t i, const double* X, double* n, double* on_a,
                        double* on_b) {
    const int32_t* t = w.touch + 3LL * i;
    const double* numbers = w.touch_numbers + (int64_t)TOUCH_SIZE * i;
    const double *X_a = X + 12LL * t[1], *X_b = X + 12LL * t[2];
    double p[3], c[3], d[3];
    rotate(X_a, numbers, p);
    rotate(X_b, numbers + 4, c);
    for (int k = 0; k < 3; ++k) {
        p[k] += X_a[9 + k];
        c[k] += X_b[9 + k];
        d[k] = p[k] - c[k];
    }
    double gap;
    if (t[0] == 0) {
        rotate(X_b, numbers + 7, n);
        gap = dot3(n, d) - numbers[3];
    } else {
        const double distance = sqrt(dot3(d, d));
        for (int k = 0; k < 3; ++k) n[k] = distance > 0 ? d[k] / distance : k == 2;
        gap = distance - numbers[3] - numbers[10];
    }
    for (int k = 0; k < 3; ++k) {
        on_a[k] = p[k] - numbers[3] * n[k];
        on_b[k] = on_a[k] - gap * n[k];
    }
    return gap;
}

// Ends of travel that are already overrun are taken back bit by bit.
inline double reachable(double gap) { return gap < -1e-4 ? (1 - RECOVERY) * gap : 0; }

inline void list_axes(World& w, int32_t when) {
    const double h = w.step;
    for (int32_t j = 0; j < w.bond_count; ++j) {
        const int32_t type = bond_type(w, j);
        for (int32_t k = 0; k < BOND_NV[type]; ++k) {
            const int32_t v = bond_v(w, j) + k;
            const double* axis = w.axis + (int64_t)AXIS_SIZE * v;
            const bool dry = w.with_friction && (axis[COULOMB] != 0 || axis[BREAKAWAY] != 0);
            const bool swings = type == SPHERICAL && k == 0 && axis[UPPER] < PI;
            const bool ends =
                w.with_stops &&
                (swings || (!is_ball(type) && (axis[LOWER] > -INFINITY || axis[UPPER] < INFINITY)));
            if (!dry && !ends) continue;
            double u = axis_speed(w, j, k, w.V);
            const BondRow kind = FREED[type][k];
            double d[3];
            row_axis(w, j, kind.axis, w.X_F + 12LL * j, w.X_M + 12LL * j, d);
            auto add = [&](int32_t what, double low, double high, double aim) {
                Limit* l = next_limit(w, what, bond_a(w, j), bond_b(w, j));
                if (!l) return;
                l->of = v;
                l->bond = j;
                l->low = low;
                l->high = high;
                l->aim = aim;
                set_limit_rows(w, *l, d, kind.action == ABOUT, w.X_M + 12LL * j + 9);
            };
            if (dry && when != IMPACT) {
                const double most = 0.5 * h * dry_friction(axis, u);
                add(DRY, -most, most, 0);
            }
            if (!ends) continue;
            double q = w.q[bond_q(w, j) + k], more = 0;
            if (swings) {
                const double *Va = w.V + 6LL * bond_a(w, j), *Vb = w.V + 6LL * bond_b(w, j);
                const double turn[3] = {Vb[3] - Va[3], Vb[4] - Va[4], Vb[5] - Va[5]};
                widening_axis(w, j, turn, d);
                u = dot3(d, turn);
                q = swing_angle(w.q + bond_q(w, j));
                double z[3];
                column(w.X_M + 12LL * j, 2, z);
                more = widened(q, u, turn, z, h);
            }
            auto reached = [&](double gap) {
                return swings ? smaller(0, gap + SWING_RETURN * h) : reachable(gap);
            };
            const double reach = when == AHEAD ? 2 * h * fabs(u) + 1e-3 : 1e-6;
            for (int side = swings ? 1 : 0; side < 2; ++side) {
                const double gap = side ? axis[UPPER] - q : q - axis[LOWER];
                const double closing = side ? u : -u;
                if (!(gap < reach)) continue;
                const bool throws = w.stop_restitution > 0 && closing > tolerance::QUIET;
                if (when == IMPACT) {
                    if (!throws || gap > 0.5 * closing * h) continue;
                    add(side ? STOP_UPPER : STOP_LOWER, side ? -INFINITY : 0, side ? 0 : INFINITY,
                        -w.stop_restitution * u);
                } else if (!throws) {
                    const double aim = when == AHEAD ? (reached(gap) + more) / h : 0;
                    add(side ? STOP_UPPER : STOP_LOWER, side ? -INFINITY : 0, side ? 0 : INFINITY,
                        side ? -aim : aim);
                }
            }
        }
    }
}

// Friction of a contact: along the slip and perpendicular to it, turning on the spot, rolling.
inline void list_friction(World& w, int32_t i, int32_t normal, const double* n, const double* on_a,
                          double u) {
    const int32_t* t = w.touch + 3LL * i;
    const double* numbers = w.touch_numbers + (int64_t)TOUCH_SIZE * i;
    if (!(numbers[11] > 0 || numbers[13] > 0 || numbers[14] > 0)) return;
    const int32_t a = t[2], b = t[1];
    const double *Va = w.V + 6LL * a, *Vb = w.V + 6LL * b;
    double slip[3], side[3], ra[3], rb[3], turned[3];
    for (int k = 0; k < 3; ++k) {
        ra[k] = on_a[k] - w.X[12LL * a + 9 + k];
        rb[k] = on_a[k] - w.X[12LL * b + 9 + k];
        slip[k] = Vb[k] - Va[k];
    }
    add_cross3(Vb + 3, rb, slip);
    cross3(Va + 3, ra, turned);
    for (int k = 0; k < 3; ++k) slip[k] -= turned[k] + u * n[k];
    double speed = sqrt(dot3(slip, slip));
    if (speed < 1e-9) {
        double axis[3] = {0, 0, 0};
        const double x = fabs(n[0]), y = fabs(n[1]), z = fabs(n[2]);
        axis[x <= y && x <= z ? 0 : y <= z ? 1 : 2] = 1;
        cross3(n, axis, slip);
        speed = sqrt(dot3(slip, slip));
    }
    for (int k = 0; k < 3; ++k) slip[k] /= speed;
    cross3(n, slip, side);
    auto add = [&](int32_t kind, const double* d, double share) {
        Limit& f = *next_limit(w, kind, a, b);
        set_limit_rows(w, f, d, kind != SLIDING, on_a);
        f.of = i;
        f.normal = normal;
        f.friction = share;
        for (int k = 0; k < 3; ++k) f.direction[k] = d[k];
        // material places of the contact in both bodies
        rotate_back(w.X + 12LL * b, rb, f.point_b);
        rotate_back(w.X + 12LL * a, ra, f.point_a);
    };
    for (int way = 0; way < 2 && numbers[11] > 0; ++way)
        add(SLIDING, way ? side : slip, numbers[11]);
    if (numbers[13] > 0) add(SPINNING, n, numbers[13]);
    for (int way = 0; way < 2 && numbers[14] > 0; ++way)
        add(ROLLING, way ? side : slip, numbers[14]);
}

// Speed along n after a bounce with speed u at a step's start, where the gap is not quite closed or
// is overrun: the one with which bodies rise as high as from where they meet.
inline double bounce_speed(const World& w, int32_t i, const double* n, double gap, double u) {
    const int32_t* t = w.touch + 3LL * i;
    const double bounce = w.touch_numbers[(int64_t)TOUCH_SIZE * i + 12];
    // what falls on something that falls as well is not pulled towards it
    const int32_t falls = (w.inverse[4LL * t[1]] != 0) - (w.inverse[4LL * t[2]] != 0);
    const double pull = falls * dot3(w.gravity, n);
    return sqrt(larger(0, bounce * bounce * u * u + 2 * pull * gap * (1 - bounce * bounce)));
}

inline void list_touches(World& w, int32_t when, double quiet) {
    const double h = w.step;
    for (int32_t i = 0; i < w.touch_count; ++i) {
        const int32_t* t = w.touch + 3LL * i;
        const double* numbers = w.touch_numbers + (int64_t)TOUCH_SIZE * i;
        double n[3], on_a[3], on_b[3];
        const double gap = touch_gap(w, i, w.X, n, on_a, on_b);
        if (w.limit_count + TOUCH_LIMITS > w.limit_capacity) return;
        // b and a change places: the impulse pushes the first body along n
        Limit& l = *next_limit(w, TOUCHING, t[2], t[1]);
        set_limit_rows(w, l, n, false, on_a);
        const double u = limit_speed(l, w.V);
        const bool throws = numbers[12] > 0 && u < -quiet;
        const bool hits = throws && gap <= -0.5 * u * h;
        const double reach = when == AHEAD ? 2 * h * fabs(u) + 1e-3 : 1e-6 + 10 * w.gap_limit;
        if (when == IMPACT ? !hits : throws || gap > reach) {
            --w.limit_count;
            continue;
        }
        l.of = i;
        l.low = 0;
        l.high = INFINITY;
        l.aim = when == IMPACT  ? bounce_speed(w, i, n, gap, u)
                : when == AHEAD ? reachable(gap) / h
                                : 0;
        const int32_t normal = w.limit_count - 1;
        for (int k = 0; k < 3; ++k) l.direction[k] = n[k];
        list_friction(w, i, normal, n, on_a, u);
    }
}

// What a limit looks like at the end of the step (X_next, q_next) [per step's time].
inline double look_at_limit(const World& w, const Limit& l) {
    const double h = w.step;
    if (l.kind <= STOP_UPPER) {
        const int32_t type = bond_type(w, l.bond), k = l.of - bond_v(w, l.bond);
        if (is_ball(type) && l.kind == DRY) return limit_speed(l, w.V);
        const double* axis = w.axis + (int64_t)AXIS_SIZE * l.of;
        const int32_t q = bond_q(w, l.bond) + k;
        if (is_ball(type)) return (swing_ahead(w.q + q, w.q_next + q) - axis[UPPER]) / h;
        if (l.kind == DRY) return (w.q_next[q] - w.q[q]) / h;
        return (w.q_next[q] - (l.kind == STOP_LOWER ? axis[LOWER] : axis[UPPER])) / h;
    }
    if (l.kind == TOUCHING) {
        double n[3], on_a[3], on_b[3];
        return touch_gap(w, l.of, w.X_next, n, on_a, on_b) / h;
    }
    if (l.kind != SLIDING) return limit_speed(l, w.V);
    double slip = 0;
    for (int side = 0; side < 2; ++side) {
        const int32_t body = side ? l.b : l.a;
        const double *before = w.X + 12LL * body, *after = w.X_next + 12LL * body;
        double p0[3], p1[3];
        rotate(before, side ? l.point_b : l.point_a, p0);
        rotate(after, side ? l.point_b : l.point_a, p1);
        for (int k = 0; k < 3; ++k)
            slip +=
                (side ? 1 : -1) * l.direction[k] * (p1[k] + after[9 + k] - p0[k] - before[9 + k]);
    }
    return slip / h;
}

inline void push_limit(const Limit& l, double p, double* V) {
    add_scaled(p, l.Ya, V + 6LL * l.a, 6);
    add_scaled(p, l.Yb, V + 6LL * l.b, 6);
}

// The impulse that a limit wants beyond what it has, within its bounds; friction within its disc.
inline double bounded(const World& w, const Limit& l, double wanted) {
    if (l.kind <= TOUCHING) return larger(l.low, smaller(l.high, wanted));
    const double most = l.friction * w.limits[l.normal].p;
    return larger(-most, smaller(most, wanted));
}

// A limit that feels more than so many times the mass of all bodies may feel the joints' rows
// alone, which give way a little; then it moves less, by this share, when their load grows.
constexpr double DOUBTFUL_MASS = 100;
constexpr double DOUBTFUL_SHARE = 0.005;

// Whether a limit can move at all, given its response R to a unit impulse and impulses x of the
// joints.
inline bool can_move(World& w, const Limit& l, double mass, const double* R, const double* x,
                     double* again) {
    const int64_t m = 6LL * w.tie_count;
    const double first = limit_speed(l, R);
    if (first * DOUBTFUL_MASS * mass > 1) return true;
    double by_a[6], by_b[6];
    for (int i = 0; i < 6; ++i) {
        by_a[i] = R[6LL * l.a + i];
        by_b[i] = R[6LL * l.b + i];
    }
    clear_all(again, m);
    for (int32_t j = 0; j < w.tie_count; ++j)
        for (int32_t row = 0; row < w.row_count[j]; ++row) {
            const bool held = row < held_rows(w, j);
            const double yield = held ? 0 : w.yield[6LL * j + row] * x[6LL * j + row];
            again[6LL * j + row] = -tie_speed(w, j, row, R) - (yield < 1e30 ? yield : 0);
        }
    solve(w, again);
    for (int32_t j = 0; j < w.bond_count; ++j)
        for (int32_t row = 0; row < w.row_count[j]; ++row)
            for (int side = 0; side < 2; ++side) {
                const double p = again[6LL * j + row];
                if (bond_a(w, j) == (side ? l.b : l.a))
                    add_scaled(p, w.rows[j].Ya + 6 * row, side ? by_b : by_a, 6);
                if (bond_b(w, j) == (side ? l.b : l.a))
                    add_scaled(p, w.rows[j].Yb + 6 * row, side ? by_b : by_a, 6);
            }
    for (int32_t c = 0; c < w.coupling_count; ++c)
        for (int32_t s = 0; s < side_count(w, c); ++s) {
            const int32_t body = side_body(w, c, s);
            const double p = again[6LL * (w.bond_count + c)], *Y = coupling_side(w, c, s) + 36;
            if (body == l.a) add_scaled(p, Y, by_a, 6);
            if (body == l.b) add_scaled(p, Y, by_b, 6);
        }
    const double moved = dot(l.Ja, by_a, 6) + dot(l.Jb, by_b, 6);
    return moved > larger((1 - DOUBTFUL_SHARE) * first, 1e-12 * l.own);
}

// Sorts the limits: those of islands with joints come first, then those of the others, island by
// island.
inline void sort_limits(World& w) {
    const int32_t islands = w.islands.count;
    auto group = [&](const Limit& l) {
        const int32_t part = w.part[l.a] >= 0 ? w.part[l.a] : w.part[l.b];
        if (part < 0) return -1;
        const int32_t island = w.islands.of_part[part];
        return w.island_ties[island] ? 0 : 1 + island;
    };
    for (int32_t g = 0; g < islands + 2; ++g) w.limit_first[g] = 0;
    for (int32_t i = 0; i < w.limit_count; ++i)
        if (group(w.limits[i]) >= 0) ++w.limit_first[group(w.limits[i]) + 1];
    for (int32_t g = 0; g <= islands; ++g) w.limit_first[g + 1] += w.limit_first[g];
    const int32_t all = w.limit_first[islands + 1];
    for (int32_t i = w.limit_count - 1; i >= 0; --i)
        if (group(w.limits[i]) >= 0) w.limit_list[--w.limit_first[group(w.limits[i]) + 1]] = i;
    for (int32_t g = 0; g <= islands; ++g) w.limit_first[g] = w.limit_first[g + 1];
    w.limit_first[islands + 1] = all;
}

// Velocities after a unit impulse of each limit of islands with joints, these held, and how such
// limits feel each other. response: six per body for each limit; impulses of joints likewise, six
// per bond.
inline void prepare_limits(World& w, double* response, double* impulses, double* G) {
    sort_limits(w);
    const int64_t n = 6LL * w.body_count, m = 6LL * w.tie_count, count = w.limit_first[1];
    double mass = 0;
    for (int32_t b = 0; b < w.body_count; ++b)
        if (w.inverse[4LL * b] != 0) mass += w.body[(int64_t)BODY_SIZE * b];
    for (int64_t i = 0; i < count; ++i) {
        const Limit& l = w.limits[w.limit_list[i]];
        double *R = response + i * n, *x = impulses + i * m;
        clear_all(R, n);
        push_limit(l, 1, R);
        for (int32_t j = 0; j < w.tie_count; ++j)
            for (int32_t row = 0; row < w.row_count[j]; ++row)
                x[6LL * j + row] = -tie_speed(w, j, row, R);
        solve(w, x);
        push_ties(w, x, R);
        for (int64_t k = 0; k < count; ++k)
            G[k * count + i] = limit_speed(w.limits[w.limit_list[k]], R);
        if (l.kind == TOUCHING && !can_move(w, l, mass, R, x, w.residual)) G[i * count + i] = 0;
    }
}

// Bounded impulses of islands with joints, by sweeps over the limits alone; values are changed as
// the impulses act.
inline void meet_tied_limits(World& w, const double* response, const double* impulses,
                             const double* G, double* V, double* lambda) {
    const int64_t count = w.limit_first[1];
    auto limit = [&](int64_t i) -> Limit& { return w.limits[w.limit_list[i]]; };
    double* value = w.limit_value;
    double* by = w.limit_by;
    for (int64_t i = 0; i < count; ++i) {
        value[i] = limit(i).value;
        by[i] = 0;
    }
    // where limits repeat each other, their impulses may drift against each other for ever: what
    // they do together counts
    const bool few = count <= FEW_LIMITS;
    double changed = 0, scale = 0, before[FEW_LIMITS];
    for (int64_t i = 0; i < count; ++i) scale = larger(scale, fabs(limit(i).aim - value[i]));
    auto change = [&](int64_t i, double p) {
        by[i] += p;
        changed = larger(changed, fabs(p));
        for (int64_t k = 0; k < count; ++k) value[k] += p * G[k * count + i];
    };
    for (int32_t sweep = 0; sweep < LIMIT_SWEEPS; ++sweep) {
        double most = 0;
        changed = 0;
        if (few) copy_all(before, value, count);
        for (int64_t i = 0; i < count; ++i) {
            Limit& l = limit(i);
            const double own = G[i * count + i];
            most = larger(most, fabs(l.p));
            if (is_pair(l.kind)) {
                // both directions at once, into the disc: the slip's own direction prevails
                Limit& o = limit(i + 1);
                const double stiff = larger(own, G[(i + 1) * count + i + 1]);
                if (stiff > 1e-9 * l.own) {
                    double p1 = l.p + (l.aim - value[i]) / stiff;
                    double p2 = o.p + (o.aim - value[i + 1]) / stiff;
                    const double rim = l.friction * w.limits[l.normal].p;
                    const double size = sqrt(p1 * p1 + p2 * p2);
                    const double share = size > rim ? rim / size : 1;
                    const double by1 = share * p1 - l.p, by2 = share * p2 - o.p;
                    l.p += by1;
                    o.p += by2;
                    if (by1 != 0) change(i, by1);
                    if (by2 != 0) change(i + 1, by2);
                }
                ++i;
            } else if (own > 1e-9 * l.own) {
                const double p = bounded(w, l, l.p + (l.aim - value[i]) / own);
                const double more = p - l.p;
                l.p = p;
                if (more != 0) change(i, more);
            }
        }
        if (changed <= LIMIT_ACCURACY * most) break;
        double moved = few ? 0 : INFINITY;
        for (int64_t k = 0; few && k < count; ++k)
            moved = larger(moved, fabs(value[k] - before[k]));
        if (moved <= VALUE_ACCURACY * scale) break;
    }
    for (int64_t i = 0; i < count; ++i) {
        if (by[i] == 0) continue;
        add_scaled(by[i], response + i * 6LL * w.body_count, V, 6 * w.body_count);
        if (lambda) add_scaled(by[i], impulses + i * 6LL * w.tie_count, lambda, 6 * w.tie_count);
    }
}

// Row of a limit between free bodies: Y with Y Yᵀ what impulses do to its speed.
inline void free_row(const World& w, const Limit& l, ImpulseRows& r, int32_t row) {
    double* to = r.row(row);
    int32_t* cols = r.is_sparse ? r.cols_of(row) : nullptr;
    if (!cols) clear_all(to, r.n);
    const int32_t part_a = w.part[l.a], part_b = w.part[l.b];
    const bool a_first = part_a >= 0 && (part_b < 0 || w.place[part_a] < w.place[part_b]);
    int32_t width = 0;
    for (int end = 0; end < 2; ++end) {
        const bool is_a = (end == 0) == a_first;
        const int32_t body = is_a ? l.a : l.b;
        if (w.part[body] < 0) continue;
        const double *J = is_a ? l.Ja : l.Jb, *inverse = w.inverse + 4LL * body;
        const int32_t first = 6 * w.place[w.part[body]];
        double turned[3], *at = cols ? to + width : to + first;
        rotate_back(w.X + 12LL * body, J + 3, turned);
        for (int k = 0; k < 3; ++k) {
            at[k] = sqrt(inverse[0]) * J[k];
            at[3 + k] = sqrt(inverse[1 + k]) * turned[k];
        }
        for (int k = 0; cols && k < 6; ++k) cols[width + k] = first + k;
        width += 6;
    }
    r.width[row] = cols ? width : r.n;
}

// Bounded impulses of an island of free bodies, given its limits.
inline void meet_free_limits(World& w, int32_t island, const int32_t* list, int32_t count,
                             double* V) {
    ImpulseRows& r = w.rows_of_touches;
    begin_rows(r, 6 * (w.islands.part_first[island + 1] - w.islands.part_first[island]));
    r.count = count;
    int32_t push = 0;
    for (int32_t i = 0; i < count; ++i) {
        const Limit& l = w.limits[list[i]];
        if (l.kind == TOUCHING) push = i;
        const bool second = i > 0 && is_pair(l.kind) && r.kind[i - 1] == IMPULSE_PAIR &&
                            w.limits[list[i - 1]].kind == l.kind;
        r.kind[i] = l.kind == TOUCHING   ? IMPULSE_PUSH
                    : l.kind == SPINNING ? IMPULSE_SHARE
                    : second             ? IMPULSE_SECOND
                                         : IMPULSE_PAIR;
        r.push[i] = push;
        r.p[i] = l.p;
        r.aim[i] = l.aim;
        r.limit[i] = l.friction;
        free_row(w, l, r, i);
    }
    // speeds without the impulses that there are already
    add_all_impulses(r);
    for (int32_t i = 0; i < count; ++i) r.before[i] = w.limits[list[i]].value - row_dot(r, i, r.x);
    solve_impulses(r);
    for (int32_t i = 0; i < count; ++i) {
        Limit& l = w.limits[list[i]];
        push_limit(l, r.p[i] - l.p, V);
        l.p = r.p[i];
    }
}

// All bounded impulses; V and the joints' impulses are changed as they act.
inline void meet_limits(World& w, const double* response, const double* impulses, const double* G,
                        double* V, double* lambda) {
    if (w.limit_first[1] > 0) meet_tied_limits(w, response, impulses, G, V, lambda);
    for (int32_t island = 0; island < w.islands.count; ++island) {
        const int32_t first = w.limit_first[island + 1], end = w.limit_first[island + 2];
        if (first < end) meet_free_limits(w, island, w.limit_list + first, end - first, V);
    }
}

}  // namespace kinegen::impulse
