// Faces of shapes that meet, and the points where they touch: the face of one shape is clipped to
// the face of the other (Sutherland and Hodgman 1974), and at most four points are kept.
#pragma once

#include "kernel/contact/convex.hpp"

namespace kinegen {

constexpr int FACE_CORNERS = 16, CLIP_CORNERS = 48, POINTS = 4;
// Corners of the polygon that stands for the end of a cylinder.
constexpr int CAP_CORNERS = 8;
// Cosine from which on a face is perpendicular to a direction, and sine below which lines are
// parallel.
constexpr double FACING = 1 - 1e-6, PARALLEL = 1e-3;

struct Face {
    int count;
    double p[FACE_CORNERS][3];  // world axes, without the radius
    double normal[3];           // of three corners or more: outwards
};

struct ContactList {
    int32_t capacity, count;  // count may be larger: those beyond are lost
    int32_t* shapes;          // two per contact
    double* points;           // midway between the surfaces
    double* normals;          // from the first shape to the second
    double* distances;
};

inline void add_contact(ContactList& list, int32_t a, int32_t b, const double* point,
                        const double* normal, double distance) {
    if (list.count < list.capacity) {
        list.shapes[2 * list.count] = a;
        list.shapes[2 * list.count + 1] = b;
        for (int k = 0; k < 3; ++k) {
            list.points[3 * list.count + k] = point[k];
            list.normals[3 * list.count + k] = normal[k];
        }
        list.distances[list.count] = distance;
    }
    ++list.count;
}

// Points that were found between two shapes, before some are chosen.
struct Touching {
    int count = 0;
    double p[CLIP_CORNERS][3], distance[CLIP_CORNERS];
};

inline void to_world(const double* X, double x, double y, double z, double* out) {
    const double p[3] = {x, y, z};
    rotate(X, p, out);
    for (int k = 0; k < 3; ++k) out[k] += X[9 + k];
}

// Faces that look along a direction d of the shape's own axes, of the shapes that have any.
inline void cylinder_face(const Convex& c, const double* d, Face& f) {
    const double radius = c.size[0], half = c.size[1], flat = hypot(d[0], d[1]);
    const double x = flat > 1e-9 ? d[0] / flat : 1, y = flat > 1e-9 ? d[1] / flat : 0;
    if (fabs(d[2]) < 0.7) {
        f.count = 2;
        to_world(c.X, radius * x, radius * y, -half, f.p[0]);
        to_world(c.X, radius * x, radius * y, half, f.p[1]);
        return;
    }
    const double side = d[2] < 0 ? -1 : 1;
    f.count = CAP_CORNERS;
    for (int k = 0; k < CAP_CORNERS; ++k) {
        // counter-clockwise from outside, the outermost point first
        const double angle = side * k * 2 * PI / CAP_CORNERS, u = cos(angle), v = sin(angle);
        to_world(c.X, radius * (u * x - v * y), radius * (v * x + u * y), side * half, f.p[k]);
    }
    const double n[3] = {0, 0, side};
    rotate(c.X, n, f.normal);
}

inline void box_face(const Convex& c, const double* d, Face& f) {
    int k = fabs(d[0]) > fabs(d[1]) ? 0 : 1;
    if (fabs(d[2]) > fabs(d[k])) k = 2;
    const double side = d[k] < 0 ? -1 : 1;
    const int u = (k + 1) % 3, v = (k + 2) % 3;
    constexpr double around[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    f.count = 4;
    for (int e = 0; e < 4; ++e) {
        double p[3];
        p[k] = side * c.size[k];
        p[u] = around[e][0] * c.size[u];
        p[v] = side * around[e][1] * c.size[v];
        to_world(c.X, p[0], p[1], p[2], f.p[e]);
    }
    double n[3] = {0, 0, 0};
    n[k] = side;
    rotate(c.X, n, f.normal);
}

inline void hull_face(const Shapes& s, int32_t i, const Convex& c, const double* d, Face& f) {
    const int32_t* list = s.list(i);
    int32_t best = list[2];
    for (int32_t k = list[2]; k < list[2] + list[3]; ++k)
        if (dot3(s.planes + 4LL * k, d) > dot3(s.planes + 4LL * best, d)) best = k;
    const int32_t first = s.facet_first[best], all = s.facet_first[best + 1] - first;
    f.count = all < FACE_CORNERS ? all : FACE_CORNERS;
    for (int k = 0; k < f.count; ++k) {
        const double* p = s.corners + 3LL * s.facet_corners[first + (int64_t)k * all / f.count];
        to_world(c.X, p[0], p[1], p[2], f.p[k]);
    }
    rotate(c.X, s.planes + 4LL * best, f.normal);
}

// The face of a shape that looks along a direction: a point, an edge or a polygon.
inline void face_along(const Shapes& s, int32_t i, const Convex& c, const double* along, Face& f) {
    double d[3];
    rotate_back(c.X, along, d);
    switch (c.kind) {
        case SHAPE_CAPSULE:
            f.count = 2;
            to_world(c.X, 0, 0, -c.size[1], f.p[0]);
            to_world(c.X, 0, 0, c.size[1], f.p[1]);
            break;
        case SHAPE_CYLINDER:
            cylinder_face(c, d, f);
            break;
        case SHAPE_BOX:
            box_face(c, d, f);
            break;
        case SHAPE_HULL:
            hull_face(s, i, c, d, f);
            break;
        default:
            f.count = 1;
            to_world(c.X, 0, 0, 0, f.p[0]);
    }
}

// Keeps the part of a polygon, or of an edge, on the inner side of a plane n x <= offset.
inline int clip(const double (*from)[3], int count, const double* n, double offset,
                double (*to)[3]) {
    int kept = 0;
    const int edges = count == 2 ? 1 : count;
    auto put = [&](const double* p) {
        if (kept < CLIP_CORNERS) {
            for (int k = 0; k < 3; ++k) to[kept][k] = p[k];
            ++kept;
        }
    };
    for (int e = 0; e < edges; ++e) {
        const double *p = from[e], *q = from[(e + 1) % count];
        const double at = dot3(n, p) - offset, next = dot3(n, q) - offset;
        if (at <= 0) put(p);
        if ((at < 0 && next > 0) || (at > 0 && next < 0)) {
            const double t = at / (at - next);
            const double x[3] = {p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]),
                                 p[2] + t * (q[2] - p[2])};
            put(x);
        }
        if (count == 2 && next <= 0) put(q);
    }
    return kept;
}

// Four points that hold as much as all: the deepest, the one farthest from it, and the two that
// span most with them on either side.
inline void choose_points(const Touching& t, const double* n, int* chosen, int& count) {
    if (t.count <= POINTS) {
        count = t.count;
        for (int i = 0; i < count; ++i) chosen[i] = i;
        return;
    }
    int first = 0, second = 0;
    // a little more depth does not decide: the choice should last
    double deepest = INFINITY, far = -1;
    for (int i = 0; i < t.count; ++i)
        if (t.distance[i] < deepest - 1e-9) {
            deepest = t.distance[i];
            first = i;
        }
    auto to = [&](int i, int j, double* out) {
        for (int k = 0; k < 3; ++k) out[k] = t.p[j][k] - t.p[i][k];
    };
    for (int i = 0; i < t.count; ++i) {
        double d[3];
        to(first, i, d);
        if (dot3(d, d) > far + 1e-12) {
            far = dot3(d, d);
            second = i;
        }
    }
    double line[3], side[3], most = 1e-12, least = -1e-12;
    to(first, second, line);
    cross3(n, line, side);
    int third = -1, fourth = -1;
    for (int i = 0; i < t.count; ++i) {
        double d[3];
        to(first, i, d);
        const double off = dot3(d, side);
        if (off > most) {
            most = off;
            third = i;
        }
        if (off < least) {
            least = off;
            fourth = i;
        }
    }
    count = 0;
    chosen[count++] = first;
    if (second != first) chosen[count++] = second;
    if (third >= 0) chosen[count++] = third;
    if (fourth >= 0) chosen[count++] = fourth;
}

inline void add_touching(ContactList& list, int32_t a, int32_t b, const Touching& t,
                         const double* n) {
    int chosen[POINTS], count;
    choose_points(t, n, chosen, count);
    for (int i = 0; i < count; ++i)
        add_contact(list, a, b, t.p[chosen[i]], n, t.distance[chosen[i]]);
}

// A point x of one shape at a height over the other's face, from which both radii go.
inline void touch_at(Touching& t, const double* x, const double* out, double height,
                     double own_radius, double other_radius, double margin) {
    const double distance = height - own_radius - other_radius;
    if (!(distance < margin) || t.count == CLIP_CORNERS) return;
    // midway: from x back to its own surface, then half of what is between
    const double back = own_radius + distance / 2;
    for (int k = 0; k < 3; ++k) t.p[t.count][k] = x[k] - back * out[k];
    t.distance[t.count++] = distance;
}

// Where two edges that run side by side touch; false: they cross.
inline bool touch_edges(const Face& f, const Face& g, const Separation& sep, double ra, double rb,
                        double margin, Touching& t) {
    double u[3], v[3], across[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = f.p[1][k] - f.p[0][k];
        v[k] = g.p[1][k] - g.p[0][k];
    }
    const double uu = dot3(u, u), vv = dot3(v, v);
    cross3(u, v, across);
    if (!(uu > 0 && vv > 0) || dot3(across, across) > PARALLEL * PARALLEL * uu * vv) return false;
    double low = 0, high = 1, ends[2];
    for (int e = 0; e < 2; ++e) {
        const double d[3] = {g.p[e][0] - f.p[0][0], g.p[e][1] - f.p[0][1], g.p[e][2] - f.p[0][2]};
        ends[e] = dot3(d, u) / uu;
    }
    if (ends[1] == ends[0]) return false;
    low = larger(low, smaller(ends[0], ends[1]));
    high = smaller(high, larger(ends[0], ends[1]));
    if (!(low <= high)) return false;
    const double places[2] = {low, high};
    for (const double at : places) {
        const double on_g = (at - ends[0]) / (ends[1] - ends[0]);
        double x[3], d[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = g.p[0][k] + on_g * v[k];
            d[k] = x[k] - f.p[0][k] - at * u[k];
        }
        touch_at(t, x, sep.normal, dot3(d, sep.normal), rb, ra, margin);
        if (low == high) break;
    }
    return t.count > 0;
}

// All points where two convex shapes touch, or come within a margin.
inline void touch_faces(const Face& f, const Face& g, Separation& sep, double ra, double rb,
                        double margin, Touching& t) {
    const double* n = sep.normal;
    const double facing_f = f.count > 2 ? dot3(f.normal, n) : -1;
    const double facing_g = g.count > 2 ? -dot3(g.normal, n) : -1;
    if (f.count == 2 && g.count == 2 && touch_edges(f, g, sep, ra, rb, margin, t)) return;
    const bool by_f = facing_f >= facing_g - 1e-9;
    if (larger(facing_f, facing_g) > FACING && f.count > 1 && g.count > 1) {
        // the other face, cut by the sides of this one
        const Face &own = by_f ? f : g, &other = by_f ? g : f;
        double one[CLIP_CORNERS][3], two[CLIP_CORNERS][3];
        int count = other.count;
        for (int i = 0; i < count; ++i)
            for (int k = 0; k < 3; ++k) one[i][k] = other.p[i][k];
        auto *from = one, *to = two;
        for (int e = 0; e < own.count && count > 0; ++e) {
            const double *p = own.p[e], *q = own.p[(e + 1) % own.count];
            const double edge[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
            double out[3];
            cross3(edge, own.normal, out);
            const double slack = 1e-9 * sqrt(dot3(out, out));  // corners on the edge count
            count = clip(from, count, out, dot3(out, p) + slack * sqrt(dot3(edge, edge)), to);
            auto* swap = from;
            from = to;
            to = swap;
        }
        for (int i = 0; i < count; ++i) {
            const double d[3] = {from[i][0] - own.p[0][0], from[i][1] - own.p[0][1],
                                 from[i][2] - own.p[0][2]};
            touch_at(t, from[i], own.normal, dot3(d, own.normal), by_f ? rb : ra, by_f ? ra : rb,
                     margin);
        }
        for (int k = 0; k < 3; ++k) sep.normal[k] = by_f ? f.normal[k] : -g.normal[k];
        if (t.count > 0) return;
    }
    touch_at(t, sep.q, n, sep.distance, rb, ra, margin);
}

}  // namespace kinegen
