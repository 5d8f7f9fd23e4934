// Distance of two convex shapes and the direction between them: by the algorithm of Gilbert,
// Johnson and Keerthi (1988) while they are apart, by an expanding polytope (van den Bergen 2001)
// where they overlap. Balls and capsules count as a point and a segment with a radius: they stay
// exact when they overlap.
#pragma once

#include "kernel/contact/shapes.hpp"

namespace kinegen {

// A convex shape, its place, and the radius around it that is left out.
struct Convex {
    int32_t kind;
    const double *X, *size;
    const double* corners;
    int32_t corner_count;
    double radius;
};

inline Convex convex_of(const Shapes& s, int32_t i) {
    Convex c{s.kind(i), s.X_WS(i), s.size(i), nullptr, 0, 0};
    if (c.kind == SHAPE_HULL) {
        c.corners = s.corners + 3LL * s.list(i)[0];
        c.corner_count = s.list(i)[1];
    } else if (c.kind == SHAPE_BALL || c.kind == SHAPE_CAPSULE) {
        c.radius = c.size[0];
    }
    return c;
}

// The outermost point along a direction, without the radius; world axes.
inline void support(const Convex& c, const double* along, double* out) {
    double d[3], p[3] = {0, 0, 0};
    rotate_back(c.X, along, d);
    switch (c.kind) {
        case SHAPE_CAPSULE:
            p[2] = d[2] < 0 ? -c.size[1] : c.size[1];
            break;
        case SHAPE_CYLINDER: {
            const double flat = sqrt(d[0] * d[0] + d[1] * d[1]);
            if (flat > 1e-300) {
                p[0] = c.size[0] * d[0] / flat;
                p[1] = c.size[0] * d[1] / flat;
            }
            p[2] = d[2] < 0 ? -c.size[1] : c.size[1];
            break;
        }
        case SHAPE_BOX:
            for (int k = 0; k < 3; ++k) p[k] = d[k] < 0 ? -c.size[k] : c.size[k];
            break;
        case SHAPE_HULL: {
            double most = -INFINITY;
            const double* best = c.corners;
            for (int32_t i = 0; i < c.corner_count; ++i) {
                const double at = dot3(c.corners + 3LL * i, d);
                if (at > most) {
                    most = at;
                    best = c.corners + 3LL * i;
                }
            }
            for (int k = 0; k < 3; ++k) p[k] = best[k];
            break;
        }
        default:
            break;
    }
    rotate(c.X, p, out);
    for (int k = 0; k < 3; ++k) out[k] += c.X[9 + k];
}

// How far b is from a along a direction, without their radii; negative: how deep.
inline double separation(const Convex& a, const Convex& b, const double* n) {
    double p[3], q[3];
    const double back[3] = {-n[0], -n[1], -n[2]};
    support(a, n, p);
    support(b, back, q);
    return n[0] * (q[0] - p[0]) + n[1] * (q[1] - p[1]) + n[2] * (q[2] - p[2]);
}

// A point of b - a with the two that it comes from.
struct Vertex {
    double w[3], p[3], q[3];
};

struct Separation {
    double distance;    // without the radii; negative: depth
    double normal[3];   // from a to b
    double p[3], q[3];  // nearest points of a and b
};

inline void vertex_along(const Convex& a, const Convex& b, const double* d, Vertex& v) {
    const double back[3] = {-d[0], -d[1], -d[2]};
    support(b, d, v.q);
    support(a, back, v.p);
    for (int k = 0; k < 3; ++k) v.w[k] = v.q[k] - v.p[k];
}

// The point of a simplex nearest to the origin by its shares; vertices without any are dropped.
inline void nearest_on_edge(const Vertex* s, double* share) {
    double ab[3];
    for (int k = 0; k < 3; ++k) ab[k] = s[1].w[k] - s[0].w[k];
    const double length = dot3(ab, ab);
    const double t = length > 0 ? -dot3(s[0].w, ab) / length : 0;
    share[1] = t < 0 ? 0 : (t > 1 ? 1 : t);
    share[0] = 1 - share[1];
}

// After Ericson, Real-Time Collision Detection (2005), 5.1.5.
inline void nearest_on_triangle(const double* a, const double* b, const double* c, double* share) {
    double ab[3], ac[3];
    for (int k = 0; k < 3; ++k) {
        ab[k] = b[k] - a[k];
        ac[k] = c[k] - a[k];
    }
    const double d1 = -dot3(ab, a), d2 = -dot3(ac, a), d3 = -dot3(ab, b), d4 = -dot3(ac, b);
    const double d5 = -dot3(ab, c), d6 = -dot3(ac, c);
    share[0] = share[1] = share[2] = 0;
    if (d1 <= 0 && d2 <= 0) {
        share[0] = 1;
        return;
    }
    if (d3 >= 0 && d4 <= d3) {
        share[1] = 1;
        return;
    }
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        share[1] = d1 / (d1 - d3);
        share[0] = 1 - share[1];
        return;
    }
    if (d6 >= 0 && d5 <= d6) {
        share[2] = 1;
        return;
    }
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        share[2] = d2 / (d2 - d6);
        share[0] = 1 - share[2];
        return;
    }
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        share[2] = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        share[1] = 1 - share[2];
        return;
    }
    const double whole = va + vb + vc;
    share[1] = vb / whole;
    share[2] = vc / whole;
    share[0] = 1 - share[1] - share[2];
}

// Faces of a tetrahedron, each with the corner that it leaves out.
constexpr int TETRA_FACES[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};

// Shares of a tetrahedron's corners; true: the origin is inside.
inline bool nearest_on_tetra(const Vertex* s, double* share) {
    double best = INFINITY;
    bool inside = true;
    for (int i = 0; i < 4; ++i) share[i] = 0;
    for (const auto& f : TETRA_FACES) {
        const double *a = s[f[0]].w, *b = s[f[1]].w, *c = s[f[2]].w, *o = s[f[3]].w;
        double ab[3], ac[3], ao[3], n[3];
        for (int k = 0; k < 3; ++k) {
            ab[k] = b[k] - a[k];
            ac[k] = c[k] - a[k];
            ao[k] = o[k] - a[k];
        }
        cross3(ab, ac, n);
        const double own = dot3(n, ao), ours = -dot3(n, a);
        // a flat tetrahedron has no inside
        const double flat = 1e-13 * sqrt(dot3(n, n) * dot3(ao, ao));
        if (fabs(own) > flat && own * ours > 0) continue;
        inside = false;
        double part[3], at[3];
        nearest_on_triangle(a, b, c, part);
        for (int k = 0; k < 3; ++k) at[k] = part[0] * a[k] + part[1] * b[k] + part[2] * c[k];
        const double size = dot3(at, at);
        if (size < best) {
            best = size;
            for (int i = 0; i < 4; ++i) share[i] = 0;
            for (int i = 0; i < 3; ++i) share[f[i]] = part[i];
        }
    }
    return inside;
}

constexpr int GJK_STEPS = 64;
// Distance, against the size of the shapes, at which the direction follows from rounding alone.
constexpr double GJK_NEAR = 1e-10;
constexpr double GJK_ACCURACY = 1e-12;

inline void share_out(const Vertex* s, const double* share, int count, Separation& out) {
    for (int k = 0; k < 3; ++k) {
        out.p[k] = out.q[k] = 0;
        for (int i = 0; i < count; ++i) {
            out.p[k] += share[i] * s[i].p[k];
            out.q[k] += share[i] * s[i].q[k];
        }
    }
}

// The point of a simplex with given shares of its corners.
inline void combine(const Vertex* s, const double* share, int count, double* out) {
    for (int k = 0; k < 3; ++k) {
        out[k] = 0;
        for (int i = 0; i < count; ++i) out[k] += share[i] * s[i].w[k];
    }
}

// True: they are apart, and `out` is how. False: they overlap or nearly touch, with a simplex s.
// `beyond`: no farther distance is of interest; out.distance is then a lower bound.
inline bool gjk(const Convex& a, const Convex& b, double scale, double beyond, Vertex* s,
                int& count, Separation& out) {
    double v[3], share[4] = {1, 0, 0, 0};
    for (int k = 0; k < 3; ++k) v[k] = b.X[9 + k] - a.X[9 + k];
    if (dot3(v, v) == 0) v[0] = 1;
    count = 0;
    for (int step = 0; step < GJK_STEPS; ++step) {
        const double back[3] = {-v[0], -v[1], -v[2]};
        vertex_along(a, b, back, s[count]);
        const double size = dot3(v, v), along = dot3(v, s[count].w);
        if (step > 0 && size - along <= GJK_ACCURACY * size) break;
        if (along > 0 && along * along > beyond * beyond * size) {
            out.distance = along / sqrt(size);
            for (int k = 0; k < 3; ++k) out.normal[k] = v[k] / sqrt(size);
            return true;
        }
        Vertex best[3];
        double best_share[3];
        const int best_count = count;
        for (int i = 0; i < count; ++i) {
            best[i] = s[i];
            best_share[i] = share[i];
        }
        ++count;
        bool inside = false;
        share[0] = 1;
        if (count == 2)
            nearest_on_edge(s, share);
        else if (count == 3)
            nearest_on_triangle(s[0].w, s[1].w, s[2].w, share);
        else if (count == 4)
            inside = nearest_on_tetra(s, share);
        if (inside) return false;
        int kept = 0;
        for (int i = 0; i < count; ++i)
            if (share[i] > 0) {
                s[kept] = s[i];
                share[kept++] = share[i];
            }
        count = kept;
        double nearer[3];
        combine(s, share, count, nearer);
        if (step > 0 && !(dot3(nearer, nearer) < size)) {
            // rounding alone: of a simplex that is nearly flat anything may come out
            count = best_count;
            for (int i = 0; i < count; ++i) {
                s[i] = best[i];
                share[i] = best_share[i];
            }
            break;
        }
        for (int k = 0; k < 3; ++k) v[k] = nearer[k];
        if (dot3(v, v) <= GJK_NEAR * GJK_NEAR * scale * scale) return false;
    }
    share_out(s, share, count, out);
    out.distance = sqrt(dot3(v, v));
    for (int k = 0; k < 3; ++k) out.normal[k] = v[k] / out.distance;
    return true;
}

constexpr int EPA_VERTICES = 96, EPA_FACES = 192;
// Depth, in sizes, that another vertex must add.
constexpr double EPA_ACCURACY = 1e-9;
// Height over a face, in sizes, from which on it is seen: those in one plane stay.
constexpr double EPA_SEEN = 1e-12;

struct Polytope {
    Vertex vertex[EPA_VERTICES];
    int32_t face[EPA_FACES][3];
    double normal[EPA_FACES][3], distance[EPA_FACES];
    bool alive[EPA_FACES];
    int vertex_count, face_count;
    double thin;  // twice the area of the least face

    // Adds a face, counter-clockwise from outside; false: it is too thin, or there is no room.
    bool add(int32_t a, int32_t b, int32_t c) {
        if (face_count == EPA_FACES) return false;
        const double *A = vertex[a].w, *B = vertex[b].w, *C = vertex[c].w;
        double ab[3], ac[3], n[3];
        for (int k = 0; k < 3; ++k) {
            ab[k] = B[k] - A[k];
            ac[k] = C[k] - A[k];
        }
        cross3(ab, ac, n);
        const double size = sqrt(dot3(n, n));
        if (!(size > thin)) return false;
        const int f = face_count++;
        face[f][0] = a;
        face[f][1] = b;
        face[f][2] = c;
        for (int k = 0; k < 3; ++k) normal[f][k] = n[k] / size;
        distance[f] = dot3(normal[f], A);
        alive[f] = true;
        return true;
    }
};

// A tetrahedron with volume around or beside the origin, from a simplex; false: b - a is flat.
inline bool widen(const Convex& a, const Convex& b, Vertex* s, int count) {
    for (int axis = 0; axis < 3 && count < 2; ++axis)
        for (const double side : SIDES) {
            double d[3] = {0, 0, 0}, ab[3];
            d[axis] = side;
            vertex_along(a, b, d, s[count]);
            if (count == 0) {
                count = 1;
                continue;
            }
            for (int k = 0; k < 3; ++k) ab[k] = s[1].w[k] - s[0].w[k];
            if (dot3(ab, ab) > 1e-24) {
                count = 2;
                break;
            }
        }
    if (count < 2) return false;
    if (count == 2) {
        double ab[3], d[3], e[3];
        for (int k = 0; k < 3; ++k) ab[k] = s[1].w[k] - s[0].w[k];
        const double axis[3] = {fabs(ab[0]) <= fabs(ab[1]) && fabs(ab[0]) <= fabs(ab[2]) ? 1.0 : 0,
                                fabs(ab[1]) < fabs(ab[0]) && fabs(ab[1]) <= fabs(ab[2]) ? 1.0 : 0,
                                fabs(ab[2]) < fabs(ab[0]) && fabs(ab[2]) < fabs(ab[1]) ? 1.0 : 0};
        cross3(ab, axis, d);
        cross3(ab, d, e);
        for (int i = 0; i < 6 && count == 2; ++i) {
            double way[3], ac[3], n[3];
            const double angle = i * PI / 3, c = cos(angle) / sqrt(dot3(d, d)),
                         t = sin(angle) / sqrt(dot3(e, e));
            for (int k = 0; k < 3; ++k) way[k] = c * d[k] + t * e[k];
            vertex_along(a, b, way, s[2]);
            for (int k = 0; k < 3; ++k) ac[k] = s[2].w[k] - s[0].w[k];
            cross3(ab, ac, n);
            if (dot3(n, n) > 1e-24 * dot3(ab, ab)) count = 3;
        }
    }
    if (count < 3) return false;
    if (count == 3) {
        double ab[3], ac[3], n[3], ad[3];
        for (int k = 0; k < 3; ++k) {
            ab[k] = s[1].w[k] - s[0].w[k];
            ac[k] = s[2].w[k] - s[0].w[k];
        }
        cross3(ab, ac, n);
        for (const double side : SIDES) {
            const double way[3] = {side * n[0], side * n[1], side * n[2]};
            vertex_along(a, b, way, s[3]);
            for (int k = 0; k < 3; ++k) ad[k] = s[3].w[k] - s[0].w[k];
            if (fabs(dot3(ad, n)) > 1e-12 * sqrt(dot3(n, n))) {
                count = 4;
                break;
            }
        }
    }
    return count == 4;
}

// How deep two shapes are in each other, from a simplex of their difference.
inline bool epa(const Convex& a, const Convex& b, double scale, Vertex* s, int count,
                Separation& out) {
    if (!widen(a, b, s, count)) return false;
    Polytope poly;
    poly.vertex_count = 4;
    poly.face_count = 0;
    poly.thin = 1e-14 * scale * scale;
    for (int i = 0; i < 4; ++i) poly.vertex[i] = s[i];
    for (const auto& f : TETRA_FACES) {
        // counter-clockwise from outside
        const double *A = s[f[0]].w, *B = s[f[1]].w, *C = s[f[2]].w, *O = s[f[3]].w;
        double ab[3], ac[3], ao[3], n[3];
        for (int k = 0; k < 3; ++k) {
            ab[k] = B[k] - A[k];
            ac[k] = C[k] - A[k];
            ao[k] = O[k] - A[k];
        }
        cross3(ab, ac, n);
        const bool outwards = dot3(n, ao) < 0;
        if (!poly.add(f[0], outwards ? f[1] : f[2], outwards ? f[2] : f[1])) return false;
    }
    Vertex at[3];
    double normal[3] = {0, 0, 0}, depth = 0;
    for (;;) {
        int best = -1;
        for (int f = 0; f < poly.face_count; ++f)
            if (poly.alive[f] && (best < 0 || poly.distance[f] < poly.distance[best])) best = f;
        if (best < 0) break;
        depth = poly.distance[best];
        for (int k = 0; k < 3; ++k) {
            normal[k] = poly.normal[best][k];
            at[k] = poly.vertex[poly.face[best][k]];
        }
        if (poly.vertex_count == EPA_VERTICES) break;
        Vertex& w = poly.vertex[poly.vertex_count];
        vertex_along(a, b, normal, w);
        if (dot3(w.w, normal) - depth <= EPA_ACCURACY * scale) break;
        // faces that see the new vertex go; their rim is joined to it
        int32_t rim[EPA_FACES][2];
        int rim_count = 0, gone = 0;
        for (int f = 0; f < poly.face_count; ++f) {
            if (!poly.alive[f]) continue;
            const double* A = poly.vertex[poly.face[f][0]].w;
            const double d[3] = {w.w[0] - A[0], w.w[1] - A[1], w.w[2] - A[2]};
            if (!(dot3(poly.normal[f], d) > EPA_SEEN * scale)) continue;
            poly.alive[f] = false;
            ++gone;
            for (int e = 0; e < 3; ++e) {
                const int32_t from = poly.face[f][e], to = poly.face[f][(e + 1) % 3];
                int twin = 0;
                while (twin < rim_count && !(rim[twin][0] == to && rim[twin][1] == from)) ++twin;
                if (twin < rim_count) {
                    --rim_count;
                    rim[twin][0] = rim[rim_count][0];
                    rim[twin][1] = rim[rim_count][1];
                } else if (rim_count < EPA_FACES) {
                    rim[rim_count][0] = from;
                    rim[rim_count++][1] = to;
                }
            }
        }
        // the places of faces that are gone are used again
        if (gone == 0) break;
        int kept = 0;
        for (int f = 0; f < poly.face_count; ++f) {
            if (!poly.alive[f]) continue;
            if (kept != f) {
                for (int k = 0; k < 3; ++k) {
                    poly.face[kept][k] = poly.face[f][k];
                    poly.normal[kept][k] = poly.normal[f][k];
                }
                poly.distance[kept] = poly.distance[f];
                poly.alive[kept] = true;
            }
            ++kept;
        }
        poly.face_count = kept;
        const int32_t fresh = poly.vertex_count++;
        bool complete = true;
        for (int r = 0; r < rim_count && complete; ++r)
            complete = poly.add(rim[r][0], rim[r][1], fresh);
        if (!complete) break;
    }
    double share[3], shifted[3][3];
    // shares of the origin's foot on the face
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) shifted[i][k] = at[i].w[k] - depth * normal[k];
    nearest_on_triangle(shifted[0], shifted[1], shifted[2], share);
    share_out(at, share, 3, out);
    // the face is where b - a is nearest to the origin from inside: b leaves a against its normal
    out.distance = -depth;
    for (int k = 0; k < 3; ++k) out.normal[k] = -normal[k];
    return true;
}

}  // namespace kinegen
