// Solving that avoids collisions: rows that keep bodies apart, and steps that pass through nothing.
//
// Near bodies add rows to a step, as joint limits do: where the step would bring them nearer than
// the distance to keep, the row holds them there and the motion slides along. Curvature is what
// the rows do not see, and bodies that were far away: therefore a step counts only if the bodies
// have not met between its two ends. A pair cannot have met if its distances at both ends are
// together longer than the way that the one moved against the other (d ≥ d0 - way and
// d ≥ d1 - way), or if one plane, fixed to either body, separates it at both ends.
#pragma once

#include "kernel/contact/clearance.hpp"
#include "kernel/solver/state.hpp"

namespace kinegen {

// Contacts that one step regards.
constexpr int32_t AVOID_CONTACTS = 64;
// Distance, in sizes of the mechanism, from which on bodies add rows to a step.
constexpr double AVOID_LOOK = 0.1;
// Depth, in sizes, that is rounding.
constexpr double AVOID_ROUNDING = 1e-9;

struct Avoidance {
    Shapes shapes;
    int32_t pair_count;
    const int32_t* pairs;  // of shapes, two numbers each
    double keep;           // distance to keep [m]
    int32_t blocked;       // pair of shapes that stopped or led the last step, -1: none
    double least;          // distance of the nearest bodies at the anchor [m]
    // memory
    double* X_anchor;   // per shape: X_WS at the anchor
    double* distance;   // per pair, at the anchor: a lower bound
    double* normal;     // per pair: 3, if its distance is below the horizon
    int32_t* near;      // per pair: whether it is
    int32_t* held;      // per contact
    int32_t* contacts;  // per contact: its pair
    double* rows;       // per contact: nv, scaled variables to metres
    ContactList list;   // near contacts where the step begins
};

// Call it with null arenas to count, then with memory of those sizes.
inline void lay_out_avoidance(int32_t nv, Arena<double>& reals, Arena<int32_t>& ints,
                              Avoidance& a) {
    a.X_anchor = reals.take(TRANSFORM_SIZE * (int64_t)a.shapes.count);
    a.distance = reals.take(a.pair_count);
    a.normal = reals.take(3LL * a.pair_count);
    a.near = ints.take(a.pair_count);
    a.held = ints.take(AVOID_CONTACTS);
    a.contacts = ints.take(AVOID_CONTACTS);
    a.rows = reals.take((int64_t)AVOID_CONTACTS * nv);
    a.list.capacity = AVOID_CONTACTS;
    a.list.count = 0;
    a.list.shapes = ints.take(2 * AVOID_CONTACTS);
    a.list.points = reals.take(3 * AVOID_CONTACTS);
    a.list.normals = reals.take(3 * AVOID_CONTACTS);
    a.list.distances = reals.take(AVOID_CONTACTS);
    a.blocked = -1;
    a.least = INFINITY;
}

inline double avoid_horizon(const Solver& s, const Avoidance& a) {
    return larger(4 * a.keep, AVOID_LOOK * s.size);
}

// The pose of the last errors_at becomes the anchor that the next step is judged from.
inline void set_avoid_anchor(const Solver& s, Avoidance& a) {
    place_shapes(a.shapes, s.links);
    memcpy(a.X_anchor, a.shapes.X, sizeof(double) * TRANSFORM_SIZE * (size_t)a.shapes.count);
    const double horizon = avoid_horizon(s, a);
    a.least = INFINITY;
    for (int32_t k = 0; k < a.pair_count; ++k) {
        const int32_t i = a.pairs[2 * (int64_t)k], j = a.pairs[2 * (int64_t)k + 1];
        double& distance = a.distance[k];
        distance = ball_distance(a.shapes, i, j);
        a.near[k] = 0;
        if (!(distance < horizon)) continue;
        PairDistance d;
        a.near[k] = measure_pair(a.shapes, i, j, horizon, d);
        distance = a.near[k] ? d.distance : horizon;
        if (!a.near[k]) continue;
        a.least = smaller(a.least, distance);
        for (int c = 0; c < 3; ++c) a.normal[3 * (int64_t)k + c] = d.normal[c];
    }
}

// Contacts of near bodies and their rows at q, the pose of the last errors_at: the anchor, or one
// whose loops are still open.
inline void find_avoid_rows(const Solver& s, const double* q, Avoidance& a) {
    const Model& m = *s.model;
    const double horizon = avoid_horizon(s, a);
    place_shapes(a.shapes, s.links);
    a.list.count = 0;
    a.blocked = -1;
    int32_t done = 0;
    for (int32_t k = 0; k < a.pair_count; ++k) {
        if (!a.near[k]) continue;
        touch_pair(a.shapes, a.pairs[2 * (int64_t)k], a.pairs[2 * (int64_t)k + 1], horizon, a.list);
        for (; done < a.list.count && done < AVOID_CONTACTS; ++done) a.contacts[done] = k;
    }
    for (int32_t c = 0; c < done; ++c) {
        double* row = a.rows + (int64_t)c * m.nv;
        const double *p = a.list.points + 3LL * c, *n = a.list.normals + 3LL * c;
        for (int32_t i = 0; i < m.nv; ++i) row[i] = 0;
        add_point_row(m, q, s.links, a.shapes.link(a.list.shapes[2 * c]), p, n, -1, row);
        add_point_row(m, q, s.links, a.shapes.link(a.list.shapes[2 * c + 1]), p, n, 1, row);
        for (int32_t i = 0; i < m.nv; ++i) row[i] *= s.scale[i];
        a.held[c] = 0;
    }
    a.list.count = done;
}

// How far a contact may be after a step at least, from a distance now: where bodies are too near
// already they come no nearer, and out of the inner half of the distance to keep.
inline double avoid_bound(const Avoidance& a, double distance) {
    if (distance >= a.keep) return a.keep;
    if (distance >= 0.5 * a.keep) return distance;
    return distance > -a.keep ? 0.5 * a.keep : distance;
}

// The contact that the step would pass furthest becomes a hard row. Returns whether one was added.
inline bool hold_contact(Solver& s, Avoidance& a, double share, double tolerance) {
    const int32_t nv = s.model->nv;
    int32_t worst = -1;
    double furthest = AVOID_ROUNDING * s.size;
    for (int32_t c = 0; c < a.list.count; ++c) {
        if (a.held[c]) continue;
        const double *row = a.rows + (int64_t)c * nv, now = a.list.distances[c];
        double move = 0;
        for (int32_t i = 0; i < nv; ++i) move += row[i] * s.step[i];
        const double over = avoid_bound(a, now) - (now + share * move);
        if (!(over > furthest)) continue;
        furthest = over;
        worst = c;
    }
    if (worst < 0) return false;
    a.held[worst] = 1;
    if (a.blocked < 0) a.blocked = a.contacts[worst];
    const double now = a.list.distances[worst];
    double rhs = (avoid_bound(a, now) - now) / s.size;
    double* row = s.task + (int64_t)s.row_capacity * nv;  // behind the handles'
    const double* from = a.rows + (int64_t)worst * nv;
    for (int32_t i = 0; i < nv; ++i) row[i] = from[i] / s.size;
    eliminate(s.elimination, s.columns + nv, nv, row, &rhs, 1, tolerance, s.local, s.columns);
    return true;
}

// X_AB from X_WA and X_WB.
inline void relative(const double* X_WA, const double* X_WB, double* X_AB) {
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            X_AB[3 * i + k] =
                X_WA[i] * X_WB[k] + X_WA[3 + i] * X_WB[3 + k] + X_WA[6 + i] * X_WB[6 + k];
    const double d[3] = {X_WB[9] - X_WA[9], X_WB[10] - X_WA[10], X_WB[11] - X_WA[11]};
    rotate_back(X_WA, d, X_AB + 9);
}

// How far shape j moves against shape i between two places of both, at most.
inline double relative_way(const Shapes& s, const double* X0, const double* Y0, const double* X1,
                           const double* Y1, int32_t j) {
    double before[TRANSFORM_SIZE], after[TRANSFORM_SIZE];
    relative(X0, Y0, before);
    relative(X1, Y1, after);
    double turn = 0, go = 0;
    for (int k = 0; k < 9; ++k) turn += (after[k] - before[k]) * (after[k] - before[k]);
    for (int k = 9; k < 12; ++k) go += (after[k] - before[k]) * (after[k] - before[k]);
    // a chord of the turn: |R1 - R0| = 2 √2 sin(angle / 2)
    return turn > 0 ? sqrt(go) + sqrt(turn / 2) * s.radius[j] : sqrt(go);
}

// Whether a plane across n0, which is fixed to the frame that went from X0 to X1, still separates.
inline bool plane_separates(const Convex& a, const Convex& b, const double* n0, const double* X0,
                            const double* X1, double slack) {
    double local[3], n[3];
    rotate_back(X0, n0, local);
    rotate(X1, local, n);
    return separation(a, b, n) - a.radius - b.radius >= -slack;
}

// Whether bodies stayed clear of each other from the anchor to the pose of the last errors_at.
inline bool stays_clear(const Solver& s, Avoidance& a) {
    const Shapes& shapes = a.shapes;
    const double rounding = AVOID_ROUNDING * s.size;
    place_shapes(a.shapes, s.links);
    for (int32_t k = 0; k < a.pair_count; ++k) {
        const int32_t i = a.pairs[2 * (int64_t)k], j = a.pairs[2 * (int64_t)k + 1];
        const double *X0 = a.X_anchor + TRANSFORM_SIZE * (int64_t)i,
                     *Y0 = a.X_anchor + TRANSFORM_SIZE * (int64_t)j;
        const double *X1 = shapes.X_WS(i), *Y1 = shapes.X_WS(j), d0 = a.distance[k];
        const bool solid = shapes.kind(i) <= SHAPE_HEIGHTS || shapes.kind(j) <= SHAPE_HEIGHTS;
        // the radius of a plane is infinite: the other's way counts
        const double way = smaller(relative_way(shapes, X0, Y0, X1, Y1, j),
                                   relative_way(shapes, Y0, X0, Y1, X1, i));
        if (d0 >= way) continue;
        PairDistance d;
        const double beyond = larger(way - d0, rounding);
        if (!measure_pair(shapes, i, j, beyond, d)) continue;
        if (d.distance < smaller(d0, 0) - rounding) {
            a.blocked = k;
            return false;
        }
        // ground is solid below, and what overlaps already must not come deeper
        if (d0 < 0 || solid || d0 + d.distance >= way) continue;
        const Convex one = convex_of(shapes, i), other = convex_of(shapes, j);
        const double* n0 = a.normal + 3 * (int64_t)k;
        const double slack = larger(a.keep, rounding);
        if (a.near[k] && (plane_separates(one, other, n0, X0, X1, slack) ||
                          plane_separates(one, other, n0, Y0, Y1, slack)))
            continue;
        Convex first = one, second = other;
        first.X = X0;
        second.X = Y0;
        if (plane_separates(first, second, d.normal, X1, X0, slack) ||
            plane_separates(first, second, d.normal, Y1, Y0, slack))
            continue;
        a.blocked = k;
        return false;
    }
    return true;
}

}  // namespace kinegen
