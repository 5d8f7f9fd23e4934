// All contacts of the shapes where they are: which pairs may touch, and where they do.
#pragma once

#include "kernel/contact/boxes.hpp"
#include "kernel/contact/faces.hpp"
#include "kernel/contact/rays.hpp"

namespace kinegen {

// What a direction of a shape's own may lack against the best that was found, in sizes.
constexpr double SNAP = 1e-9;
// Cosine of the angle beyond which a direction of a shape's own is another one.
constexpr double SNAP_FACING = 0.95;

// Prefers a direction that one of the shapes has by itself, where it separates them as well: the
// one that was found is rounded, and where they just touch it is rounding alone.
inline void snap(const Shapes& s, int32_t i, int32_t j, const Convex& a, const Convex& b,
                 double scale, Separation& sep) {
    const double found[3] = {sep.normal[0], sep.normal[1], sep.normal[2]};
    const bool anywhere = fabs(sep.distance) < 1e-7 * scale;
    double best = sep.distance - SNAP * scale;
    auto offer = [&](const double* n, double side) {
        const double way[3] = {side * n[0], side * n[1], side * n[2]};
        if (!anywhere && dot3(way, found) < SNAP_FACING) return;
        const double distance = separation(a, b, way);
        if (distance < best) return;
        best = larger(distance, best);
        sep.distance = distance;
        for (int k = 0; k < 3; ++k) sep.normal[k] = way[k];
    };
    auto offer_both = [&](const double* n) {
        if (anywhere) {
            offer(n, 1);
            offer(n, -1);
        } else {
            offer(n, dot3(n, found) < 0 ? -1 : 1);
        }
    };
    const Convex* const both[2] = {&a, &b};
    for (int c = 0; c < 2; ++c) {
        const Convex& own = *both[c];
        if (own.kind == SHAPE_BOX || own.kind == SHAPE_CYLINDER) {
            for (int k = own.kind == SHAPE_BOX ? 0 : 2; k < 3; ++k) {
                double axis[3];
                column(own.X, k, axis);
                offer_both(axis);
            }
        } else if (own.kind == SHAPE_HULL && (c == 0 ? i : j) >= 0) {
            const int32_t* list = s.list(c == 0 ? i : j);
            double d[3], n[3];
            rotate_back(own.X, found, d);
            const double side = c == 0 ? 1 : -1;
            int32_t facet = list[2];
            for (int32_t k = list[2]; k < list[2] + list[3]; ++k)
                if (side * dot3(s.planes + 4LL * k, d) > side * dot3(s.planes + 4LL * facet, d))
                    facet = k;
            rotate(own.X, s.planes + 4LL * facet, n);
            offer(n, side);
        }
        if (own.kind == SHAPE_CYLINDER) {
            // out of its round side
            double axis[3], n[3];
            column(own.X, 2, axis);
            const double along = dot3(axis, found);
            for (int k = 0; k < 3; ++k) n[k] = found[k] - along * axis[k];
            const double size = sqrt(dot3(n, n));
            if (size > 0.1) {
                for (int k = 0; k < 3; ++k) n[k] /= size;
                offer(n, 1);
            }
        }
    }
    if (a.kind == SHAPE_CYLINDER && b.kind == SHAPE_CYLINDER) {
        double u[3], v[3], n[3];
        column(a.X, 2, u);
        column(b.X, 2, v);
        cross3(u, v, n);
        const double size = sqrt(dot3(n, n));
        if (size > 1e-3) {
            for (int k = 0; k < 3; ++k) n[k] /= size;
            offer_both(n);
        }
    }
}

// Distance and direction of two convex shapes; false: they are farther apart than the margin.
inline bool separate(const Shapes& s, int32_t i, int32_t j, const Convex& a, const Convex& b,
                     double scale, double margin, Separation& sep) {
    if (a.kind == SHAPE_BOX && b.kind == SHAPE_BOX) return separate_boxes(a, b, margin, sep);
    Vertex simplex[4];
    int count;
    const double radii = a.radius + b.radius;
    if (!gjk(a, b, scale, margin + radii, simplex, count, sep)) {
        if (!epa(a, b, scale, simplex, count, sep)) {
            // no volume between them: two points or crossing segments
            for (int k = 0; k < 3; ++k) sep.normal[k] = k == 2;
            sep.distance = separation(a, b, sep.normal);
            support(a, sep.normal, sep.p);
            for (int k = 0; k < 3; ++k) sep.q[k] = sep.p[k];
        }
    } else if (sep.distance - radii > margin) {
        return false;
    }
    snap(s, i, j, a, b, scale, sep);
    return true;
}

inline void touch_convex(const Shapes& s, int32_t i, int32_t j, double margin, ContactList& list) {
    const Convex a = convex_of(s, i), b = convex_of(s, j);
    const double scale = s.radius[i] + s.radius[j];
    Separation sep;
    if (!separate(s, i, j, a, b, scale, margin, sep)) return;
    if (sep.distance - a.radius - b.radius >= margin) return;
    Face f, g;
    const double back[3] = {-sep.normal[0], -sep.normal[1], -sep.normal[2]};
    face_along(s, i, a, sep.normal, f);
    face_along(s, j, b, back, g);
    Touching t;
    touch_faces(f, g, sep, a.radius, b.radius, margin, t);
    add_touching(list, i, j, t, sep.normal);
}

// A plane and the face of a shape that looks at it.
inline void touch_plane(const Shapes& s, int32_t i, int32_t j, double margin, ContactList& list) {
    const Convex b = convex_of(s, j);
    const double* X = s.X_WS(i);
    double n[3];
    column(X, 2, n);
    const double back[3] = {-n[0], -n[1], -n[2]};
    Touching t;
    auto touch = [&](const double* p) {
        const double d[3] = {p[0] - X[9], p[1] - X[10], p[2] - X[11]};
        touch_at(t, p, n, dot3(d, n), b.radius, 0, margin);
    };
    Face f;
    face_along(s, j, b, back, f);
    for (int k = 0; k < f.count; ++k) touch(f.p[k]);
    if (b.kind == SHAPE_HULL) {
        // the lowest corner may be one of another facet
        double lowest[3];
        bool known = false;
        support(b, back, lowest);
        for (int k = 0; k < f.count; ++k)
            known = known ||
                    (f.p[k][0] == lowest[0] && f.p[k][1] == lowest[1] && f.p[k][2] == lowest[2]);
        if (!known) touch(lowest);
    }
    add_touching(list, i, j, t, n);
}

// A triangle of a height field, as a prism down to the field's bottom.
struct HeightPrism {
    double corners[6][3];  // in the field; the triangle first
    Face top;              // the triangle, world axes
    double size;           // length of the product of two sides
};

inline void make_prism(const double* X, const double* half, HeightPrism& made) {
    auto& at = made.corners;
    double ab[3], ac[3], up[3];
    for (int k = 0; k < 3; ++k) {
        for (int c = 0; c < 2; ++c) at[3 + k][c] = at[k][c];
        at[3 + k][2] = smaller(-half[2], at[k][2] - half[2]);
        ab[k] = at[1][k] - at[0][k];
        ac[k] = at[2][k] - at[0][k];
    }
    cross3(ab, ac, up);
    made.size = sqrt(dot3(up, up));
    for (int k = 0; k < 3; ++k) up[k] /= made.size;
    rotate(X, up, made.top.normal);
    made.top.count = 3;
    for (int k = 0; k < 3; ++k) to_world(X, at[k][0], at[k][1], at[k][2], made.top.p[k]);
}

// Whether a place, in world axes, is on a triangle.
inline bool is_on_triangle(const double* X, const HeightPrism& prism, const double* place) {
    double at[3], share[3], corner[3][3], off[3];
    to_shape(X, place, at);
    for (int k = 0; k < 3; ++k)
        for (int c = 0; c < 3; ++c) corner[k][c] = prism.corners[k][c] - at[c];
    nearest_on_triangle(corner[0], corner[1], corner[2], share);
    for (int c = 0; c < 3; ++c)
        off[c] = share[0] * corner[0][c] + share[1] * corner[1][c] + share[2] * corner[2][c];
    return dot3(off, off) <= 1e-18 * prism.size;
}

// Adds what is not in the list yet, from its contact `first` on: neighbours share edges.
inline void add_fresh(ContactList& list, int32_t first, int32_t i, int32_t j, const Touching& t,
                      const double* normal, double size) {
    Touching fresh;
    for (int p = 0; p < t.count; ++p) {
        bool known = false;
        const int32_t kept = list.count < list.capacity ? list.count : list.capacity;
        for (int32_t c = first; c < kept && !known; ++c) {
            const double* q = list.points + 3LL * c;
            const double d[3] = {t.p[p][0] - q[0], t.p[p][1] - q[1], t.p[p][2] - q[2]};
            known = dot3(d, d) < 1e-12 * size;
        }
        if (known) continue;
        for (int k = 0; k < 3; ++k) fresh.p[fresh.count][k] = t.p[p][k];
        fresh.distance[fresh.count++] = t.distance[p];
    }
    if (fresh.count > 0) add_touching(list, i, j, fresh, normal);
}

// A shape and one triangle of a height field; first: the field's first contact in the list.
inline void touch_prism(const Shapes& s, int32_t i, int32_t j, const HeightPrism& prism,
                        double margin, int32_t first, ContactList& list) {
    const double *half = s.size(i), *X = s.X_WS(i);
    const Convex a{SHAPE_HULL, X, half, prism.corners[0], 6, 0}, b = convex_of(s, j);
    const Face& f = prism.top;
    Separation sep;
    if (!separate(s, -1, j, a, b, s.radius[j] + sqrt(prism.size), margin, sep)) return;
    // the triangle itself first; the prism's sides are inside the ground
    const double out = separation(a, b, f.normal);
    const bool by_face =
        out >= sep.distance - 1e-9 * s.radius[j] || dot3(sep.normal, f.normal) < 0.5;
    if (by_face) {
        const double back[3] = {-f.normal[0], -f.normal[1], -f.normal[2]};
        if (out < -(half[2] + s.radius[j])) return;
        sep.distance = out;
        for (int k = 0; k < 3; ++k) sep.normal[k] = f.normal[k];
        support(b, back, sep.q);
        for (int k = 0; k < 3; ++k) sep.p[k] = sep.q[k] - out * f.normal[k];
    }
    if (sep.distance - b.radius >= margin) return;
    Face g;
    const double back[3] = {-sep.normal[0], -sep.normal[1], -sep.normal[2]};
    face_along(s, j, b, back, g);
    // the foot of a single point must be on this triangle
    if (by_face && g.count < 2 && !is_on_triangle(X, prism, sep.p)) return;
    Touching t;
    touch_faces(f, g, sep, 0, b.radius, margin, t);
    add_fresh(list, first, i, j, t, sep.normal, prism.size);
}

// A height field: the shape meets each triangle below it.
inline void touch_heights(const Shapes& s, int32_t i, int32_t j, double margin, ContactList& list) {
    const int32_t* grid = s.list(i);
    const double *half = s.size(i), *X = s.X_WS(i);
    double centre[3];
    to_shape(X, s.X_WS(j) + 9, centre);
    const double reach = s.radius[j] + margin;
    int32_t from[2], to[2];
    for (int k = 0; k < 2; ++k) {
        const int32_t cells = (k == 0 ? grid[1] : grid[3]) - 1;
        const double width = 2 * half[k] / cells;
        const double low = floor((centre[k] - reach + half[k]) / width);
        const double high = floor((centre[k] + reach + half[k]) / width);
        if (high < 0 || low > cells - 1) return;
        from[k] = low < 0 ? 0 : (int32_t)low;
        to[k] = high > cells - 1 ? cells - 1 : (int32_t)high;
    }
    const int32_t first = list.count;
    for (int32_t row = from[1]; row <= to[1]; ++row)
        for (int32_t column_ = from[0]; column_ <= to[0]; ++column_) {
            double cell[4][3];
            height_cell(s, i, column_, row, cell);
            const int halves[2][3] = {{0, 1, 2}, {1, 3, 2}};
            for (const auto& corners : halves) {
                HeightPrism prism;
                double top = -INFINITY;
                for (int k = 0; k < 3; ++k) {
                    for (int c = 0; c < 3; ++c) prism.corners[k][c] = cell[corners[k]][c];
                    top = larger(top, prism.corners[k][2]);
                }
                if (centre[2] - reach > top) continue;
                make_prism(X, half, prism);
                touch_prism(s, i, j, prism, margin, first, list);
            }
        }
}

// Contacts of two shapes that are nearer than a margin.
inline void touch_pair(const Shapes& s, int32_t i, int32_t j, double margin, ContactList& list) {
    if (s.kind(i) > s.kind(j) || (s.kind(i) == s.kind(j) && i > j)) {
        const int32_t k = i;
        i = j;
        j = k;
    }
    if (s.kind(j) <= SHAPE_HEIGHTS) return;
    if (s.kind(i) == SHAPE_PLANE)
        touch_plane(s, i, j, margin, list);
    else if (s.kind(i) == SHAPE_HEIGHTS)
        touch_heights(s, i, j, margin, list);
    else
        touch_convex(s, i, j, margin, list);
}

// Whether the balls around two shapes come within a margin.
inline bool may_touch(const Shapes& s, int32_t i, int32_t j, double margin) {
    const double *X = s.X_WS(i), *Y = s.X_WS(j);
    const double d[3] = {Y[9] - X[9], Y[10] - X[10], Y[11] - X[11]};
    if (s.kind(i) == SHAPE_PLANE || s.kind(j) == SHAPE_PLANE) {
        const bool first = s.kind(i) == SHAPE_PLANE;
        double n[3];
        column(first ? X : Y, 2, n);
        return (first ? 1 : -1) * dot3(d, n) < margin + s.radius[first ? j : i];
    }
    const double reach = s.radius[i] + s.radius[j] + margin;
    return dot3(d, d) < reach * reach;
}

// All contacts nearer than a margin, pair by pair: sweep and prune along x, then balls.
inline void find_contacts(Shapes& s, double margin, ContactList& list) {
    list.count = 0;
    auto low = [&](int32_t i) {
        return s.kind(i) == SHAPE_PLANE ? -INFINITY
                                        : s.X[TRANSFORM_SIZE * (int64_t)i + 9] - s.radius[i];
    };
    for (int32_t k = 1; k < s.count; ++k) {
        const int32_t i = s.order[k];
        int32_t to = k;
        for (; to > 0 && (low(s.order[to - 1]) > low(i) ||
                          (low(s.order[to - 1]) == low(i) && s.order[to - 1] > i));
             --to)
            s.order[to] = s.order[to - 1];
        s.order[to] = i;
    }
    for (int32_t k = 0; k < s.count; ++k) {
        const int32_t i = s.order[k];
        const double high = s.kind(i) == SHAPE_PLANE
                                ? INFINITY
                                : s.X[TRANSFORM_SIZE * (int64_t)i + 9] + s.radius[i] + margin;
        for (int32_t l = k + 1; l < s.count && low(s.order[l]) <= high; ++l) {
            const int32_t j = s.order[l];
            if (s.meets[(int64_t)i * s.count + j] && may_touch(s, i, j, margin))
                touch_pair(s, i, j, margin, list);
        }
    }
}

}  // namespace kinegen
