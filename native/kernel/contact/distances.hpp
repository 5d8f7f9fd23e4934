// Signed distances from a point to shapes, and the directions out of them.
#pragma once

#include "kernel/contact/convex.hpp"

namespace kinegen {

// A box in as many dimensions as there are half sizes: its distance, and the direction out.
inline double box_distance(const double* p, const double* half, int n, double* out) {
    double over[3], most = -INFINITY, beyond = 0;
    int nearest = 0;
    for (int k = 0; k < n; ++k) {
        over[k] = fabs(p[k]) - half[k];
        if (over[k] > most) {
            most = over[k];
            nearest = k;
        }
        if (over[k] > 0) beyond += over[k] * over[k];
    }
    const double length = sqrt(beyond);
    for (int k = 0; k < n; ++k) {
        const double side = p[k] < 0 ? -1 : 1;
        out[k] = most <= 0 ? (k == nearest ? side : 0) : side * larger(over[k], 0) / length;
    }
    return most <= 0 ? most : length;
}

// Out of the middle of something round along p; a fixed direction in the very middle.
inline double round_distance(const double* p, const double* middle, double radius, double* out) {
    const double length = sqrt(dot3(p, p));
    for (int k = 0; k < 3; ++k) out[k] = length > 1e-300 ? p[k] / length : middle[k];
    return length - radius;
}

inline double hull_distance(const Shapes& s, int32_t i, const double* p, double* out) {
    // inside, or just outside: the facet that is least deep
    const int32_t* list = s.list(i);
    double most = -INFINITY;
    int32_t facet = list[2];
    for (int32_t f = list[2]; f < list[2] + list[3]; ++f) {
        const double at = dot3(s.planes + 4LL * f, p) - s.planes[4LL * f + 3];
        if (at > most) {
            most = at;
            facet = f;
        }
    }
    for (int k = 0; k < 3; ++k) out[k] = s.planes[4LL * facet + k];
    if (most <= 0) return most;
    const double X[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    const double Y[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, p[0], p[1], p[2]}, size[3] = {0, 0, 0};
    const Convex a{SHAPE_HULL, X, size, s.corners + 3LL * list[0], list[1], 0};
    const Convex b{SHAPE_BALL, Y, size, nullptr, 0, 0};
    Vertex simplex[4];
    int count;
    Separation sep;
    if (!gjk(a, b, s.radius[i], INFINITY, simplex, count, sep)) return most;
    for (int k = 0; k < 3; ++k) out[k] = sep.normal[k];
    return sep.distance;
}

// The nearest triangle above or below; deep in the ground, the way up.
inline double heights_distance(const Shapes& s, int32_t i, const double* p, double* out) {
    const int32_t* grid = s.list(i);
    double best = INFINITY, away[3] = {0, 0, 1}, up[3] = {0, 0, 1}, deep = -1;
    for (int32_t row = 0; row < grid[3] - 1; ++row)
        for (int32_t c = 0; c < grid[1] - 1; ++c) {
            const int halves[2][3] = {{0, 1, 2}, {1, 3, 2}};
            double cell[4][3];
            for (int k = 0; k < 4; ++k) {
                const int32_t x = c + k % 2, y = row + k / 2;
                cell[k][0] = s.size(i)[0] * (2.0 * x / (grid[1] - 1) - 1) - p[0];
                cell[k][1] = s.size(i)[1] * (2.0 * y / (grid[3] - 1) - 1) - p[1];
                cell[k][2] = height_at(s, i, x, y) - p[2];
            }
            for (const auto& t : halves) {
                double share[3], at[3], ab[3], ac[3], n[3];
                nearest_on_triangle(cell[t[0]], cell[t[1]], cell[t[2]], share);
                for (int k = 0; k < 3; ++k) {
                    at[k] = share[0] * cell[t[0]][k] + share[1] * cell[t[1]][k] +
                            share[2] * cell[t[2]][k];
                    ab[k] = cell[t[1]][k] - cell[t[0]][k];
                    ac[k] = cell[t[2]][k] - cell[t[0]][k];
                }
                cross3(ab, ac, n);
                const double size = dot3(at, at);
                if (!(size < best)) continue;
                best = size;
                const double length = sqrt(dot3(n, n));
                for (int k = 0; k < 3; ++k) {
                    away[k] = -at[k];
                    up[k] = n[k] / length;
                }
                deep = dot3(away, n);
            }
        }
    const double length = sqrt(best), side = deep < 0 ? -1 : 1;
    for (int k = 0; k < 3; ++k) out[k] = length > 1e-300 ? side * away[k] / length : up[k];
    return side * length;
}

// Distance of a point in a shape's axes, negative inside, and the direction out.
inline double shape_distance(const Shapes& s, int32_t i, const double* p, double* out) {
    const double *size = s.size(i), up[3] = {0, 0, 1}, aside[3] = {1, 0, 0};
    switch (s.kind(i)) {
        case SHAPE_PLANE:
            for (int k = 0; k < 3; ++k) out[k] = up[k];
            return p[2];
        case SHAPE_BALL:
            return round_distance(p, up, size[0], out);
        case SHAPE_CAPSULE: {
            const double z = p[2] - larger(-size[1], smaller(size[1], p[2]));
            const double from[3] = {p[0], p[1], z};
            return round_distance(from, aside, size[0], out);
        }
        case SHAPE_CYLINDER: {
            // a box in the plane of radius and height
            const double flat[3] = {hypot(p[0], p[1]), p[2], 0};
            double way[3];
            const double distance = box_distance(flat, size, 2, way);
            out[0] = way[0] * (flat[0] > 1e-300 ? p[0] / flat[0] : 1);
            out[1] = way[0] * (flat[0] > 1e-300 ? p[1] / flat[0] : 0);
            out[2] = way[1];
            return distance;
        }
        case SHAPE_BOX:
            return box_distance(p, size, 3, out);
        case SHAPE_HULL:
            return hull_distance(s, i, p, out);
        default:
            return heights_distance(s, i, p, out);
    }
}

// The shape nearest to a point of the world, -1: there is none.
inline int32_t nearest_shape(const Shapes& s, const double* point, double& distance,
                             double* normal) {
    int32_t found = -1;
    distance = INFINITY;
    for (int32_t i = 0; i < s.count; ++i) {
        const double* X = s.X_WS(i);
        const double d[3] = {point[0] - X[9], point[1] - X[10], point[2] - X[11]};
        if (s.kind(i) != SHAPE_PLANE && sqrt(dot3(d, d)) - s.radius[i] > distance) continue;
        double p[3], out[3];
        rotate_back(X, d, p);
        const double here = shape_distance(s, i, p, out);
        if (!(here < distance)) continue;
        distance = here;
        rotate(X, out, normal);
        found = i;
    }
    return found;
}

}  // namespace kinegen
