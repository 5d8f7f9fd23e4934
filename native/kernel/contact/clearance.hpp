// How far shapes are from each other: signed distances, nearest points, and their gradients.
//
// Where shapes are apart, the distance is that of their nearest points. Where they overlap, it is
// the least way that separates them, negative. In both cases q = p + distance · normal, with p on
// the first shape and q on the second.
#pragma once

#include "kernel/base/jacobian.hpp"
#include "kernel/contact/find.hpp"

namespace kinegen {

struct PairDistance {
    double distance;
    double normal[3];   // from the first shape to the second
    double p[3], q[3];  // on the first and on the second
};

// Per pair that is written out: distance, normal, p, q.
constexpr int32_t CLEARANCE_REALS = 10;
// Contacts with a height field that are compared.
constexpr int32_t FIELD_CONTACTS = 256;

// Nearest points from a point between them, such that q = p + distance · normal.
inline void spread_points(const double* middle, PairDistance& out) {
    for (int k = 0; k < 3; ++k) {
        out.p[k] = middle[k] - 0.5 * out.distance * out.normal[k];
        out.q[k] = middle[k] + 0.5 * out.distance * out.normal[k];
    }
}

inline bool measure_convex(const Shapes& s, int32_t i, int32_t j, double margin,
                           PairDistance& out) {
    const Convex a = convex_of(s, i), b = convex_of(s, j);
    const double scale = s.radius[i] + s.radius[j], radii = a.radius + b.radius;
    Separation sep;
    Vertex simplex[4];
    int count;
    const bool apart = gjk(a, b, scale, margin + radii, simplex, count, sep);
    if (apart && sep.distance - radii >= margin) return false;
    if (!apart && !separate(s, i, j, a, b, scale, margin, sep)) return false;
    out.distance = sep.distance - radii;
    if (out.distance >= margin) return false;
    double middle[3];
    for (int k = 0; k < 3; ++k) {
        out.normal[k] = sep.normal[k];
        middle[k] = 0.5 * (sep.p[k] + sep.q[k] + (a.radius - b.radius) * sep.normal[k]);
    }
    spread_points(middle, out);
    return true;
}

inline bool measure_plane(const Shapes& s, int32_t i, int32_t j, double margin, PairDistance& out) {
    const Convex b = convex_of(s, j);
    const double* X = s.X_WS(i);
    column(X, 2, out.normal);
    const double back[3] = {-out.normal[0], -out.normal[1], -out.normal[2]};
    support(b, back, out.q);
    for (int k = 0; k < 3; ++k) out.q[k] -= b.radius * out.normal[k];
    const double d[3] = {out.q[0] - X[9], out.q[1] - X[10], out.q[2] - X[11]};
    out.distance = dot3(d, out.normal);
    for (int k = 0; k < 3; ++k) out.p[k] = out.q[k] - out.distance * out.normal[k];
    return out.distance < margin;
}

inline bool measure_heights(const Shapes& s, int32_t i, int32_t j, double margin,
                            PairDistance& out) {
    int32_t shapes[2 * FIELD_CONTACTS];
    double points[3 * FIELD_CONTACTS], normals[3 * FIELD_CONTACTS], distances[FIELD_CONTACTS];
    ContactList list{FIELD_CONTACTS, 0, shapes, points, normals, distances};
    touch_heights(s, i, j, margin, list);
    out.distance = margin;
    for (int32_t c = 0; c < list.count && c < FIELD_CONTACTS; ++c) {
        if (!(distances[c] < out.distance)) continue;
        out.distance = distances[c];
        for (int k = 0; k < 3; ++k) out.normal[k] = normals[3 * c + k];
        spread_points(points + 3LL * c, out);
    }
    return out.distance < margin;
}

// Distance of two shapes; false: they are not nearer than the margin.
inline bool measure_pair(const Shapes& s, int32_t i, int32_t j, double margin, PairDistance& out) {
    const bool swap = s.kind(i) > s.kind(j);
    const int32_t a = swap ? j : i, b = swap ? i : j;
    if (s.kind(b) <= SHAPE_HEIGHTS) return false;
    const bool near = s.kind(a) == SHAPE_PLANE     ? measure_plane(s, a, b, margin, out)
                      : s.kind(a) == SHAPE_HEIGHTS ? measure_heights(s, a, b, margin, out)
                                                   : measure_convex(s, a, b, margin, out);
    if (!near || !swap) return near;
    for (int k = 0; k < 3; ++k) {
        const double p = out.p[k];
        out.p[k] = out.q[k];
        out.q[k] = p;
        out.normal[k] = -out.normal[k];
    }
    return true;
}

// A lower bound of the distance of two shapes: that of the balls around them.
inline double ball_distance(const Shapes& s, int32_t i, int32_t j) {
    const double *X = s.X_WS(i), *Y = s.X_WS(j);
    const double d[3] = {Y[9] - X[9], Y[10] - X[10], Y[11] - X[11]};
    if (s.kind(i) == SHAPE_PLANE || s.kind(j) == SHAPE_PLANE) {
        const bool first = s.kind(i) == SHAPE_PLANE;
        double n[3];
        column(first ? X : Y, 2, n);
        return (first ? 1 : -1) * dot3(d, n) - s.radius[first ? j : i];
    }
    return sqrt(dot3(d, d)) - s.radius[i] - s.radius[j];
}

// Pairs of shapes that may touch, in order: two numbers each. Returns how many; null counts.
inline int32_t list_pairs(const Shapes& s, int32_t* pairs) {
    int32_t count = 0;
    for (int32_t i = 0; i < s.count; ++i)
        for (int32_t j = i + 1; j < s.count; ++j) {
            if (!s.meets[(int64_t)i * s.count + j]) continue;
            if (pairs) {
                pairs[2 * (int64_t)count] = i;
                pairs[2 * (int64_t)count + 1] = j;
            }
            ++count;
        }
    return count;
}

// The nearest shapes of each two bodies.
struct ClearanceList {
    int32_t capacity, count;  // count may be larger: those beyond are lost
    int32_t* shapes;          // two per row
    double* reals;            // CLEARANCE_REALS per row
    int32_t* slots;           // bodies × bodies: the row of each two, -1 between calls
};

inline void write_clearance(const PairDistance& d, double* row) {
    row[0] = d.distance;
    for (int k = 0; k < 3; ++k) {
        row[1 + k] = d.normal[k];
        row[4 + k] = d.p[k];
        row[7 + k] = d.q[k];
    }
}

// All bodies that are nearer to each other than a margin; `body`: that of each shape.
inline void find_clearances(const Shapes& s, const int32_t* pairs, int32_t pair_count,
                            const int32_t* body, int32_t body_count, double margin,
                            ClearanceList& list) {
    list.count = 0;
    for (int32_t k = 0; k < pair_count; ++k) {
        const int32_t i = pairs[2 * (int64_t)k], j = pairs[2 * (int64_t)k + 1];
        int32_t& slot = list.slots[(int64_t)body[i] * body_count + body[j]];
        double* row = slot >= 0 ? list.reals + CLEARANCE_REALS * (int64_t)slot : nullptr;
        // another part of the same two bodies counts only if it is nearer
        const double within = row ? row[0] : margin;
        PairDistance d;
        if (!(ball_distance(s, i, j) < within) || !measure_pair(s, i, j, within, d)) continue;
        if (!row) {
            if (list.count++ >= list.capacity) continue;
            slot = list.count - 1;
            row = list.reals + CLEARANCE_REALS * (int64_t)slot;
        }
        write_clearance(d, row);
        list.shapes[2 * (int64_t)slot] = i;
        list.shapes[2 * (int64_t)slot + 1] = j;
    }
    const int32_t kept = list.count < list.capacity ? list.count : list.capacity;
    for (int32_t n = 0; n < kept; ++n)
        list.slots[(int64_t)body[list.shapes[2 * n]] * body_count + body[list.shapes[2 * n + 1]]] =
            -1;
}

// Adds side × how fast the point p of a link moves along n per unit of each variable.
inline void add_point_row(const Model& m, const double* q, const double* links, int32_t link,
                          const double* p, const double* n, double side, double* row) {
    for (int32_t joint = m.link_joint[link]; joint >= 0;
         joint = m.link_joint[m.joint_parent[joint]]) {
        const double* X_WM = links + TRANSFORM_SIZE * (int64_t)m.joint_child[joint];
        const int32_t type = m.joint_type[joint];
        JointAxes a;
        joint_axes(type, m.pitch[joint], q + m.joint_q[joint], X_WM, a);
        const double r[3] = {p[0] - X_WM[9], p[1] - X_WM[10], p[2] - X_WM[11]};
        for (int k = 0; k < JOINT_NV[type]; ++k) {
            add_cross3(a.angular[k], r, a.linear[k]);
            row[m.joint_v[joint] + k] += side * dot3(n, a.linear[k]);
        }
    }
}

// Gradient of a pair's distance, nv numbers: how fast the nearest points part along the normal.
inline void distance_gradient(const Model& m, const double* q, const double* links, int32_t link_a,
                              int32_t link_b, const PairDistance& d, double* row) {
    for (int32_t i = 0; i < m.nv; ++i) row[i] = 0;
    add_point_row(m, q, links, link_a, d.p, d.normal, -1, row);
    add_point_row(m, q, links, link_b, d.q, d.normal, 1, row);
}

}  // namespace kinegen
