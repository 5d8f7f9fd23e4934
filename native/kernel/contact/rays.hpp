// Rays against shapes: where a ray first crosses the surface of any.
//
// From inside a body a ray finds the way out; planes are seen from above only.
#pragma once

#include "kernel/contact/shapes.hpp"

namespace kinegen {

struct RayHit {
    double distance;  // along the unit direction, INFINITY: none
    double normal[3];
};

// Takes a crossing if it is ahead and nearer.
inline void take_hit(RayHit& hit, double t, double x, double y, double z) {
    if (!(t >= 0 && t < hit.distance)) return;
    hit.distance = t;
    hit.normal[0] = x;
    hit.normal[1] = y;
    hit.normal[2] = z;
}

// Both crossings of a ball around (0, 0, z), of which those with (at - z) side >= 0 count.
inline void ray_ball(const double* o, const double* d, double z, double r, double side,
                     RayHit& hit) {
    const double c[3] = {o[0], o[1], o[2] - z};
    const double b = dot3(c, d);
    // the distance from the line to the centre loses no digits far away
    const double off[3] = {c[0] - b * d[0], c[1] - b * d[1], c[2] - b * d[2]};
    const double left = r * r - dot3(off, off);
    if (left < 0) return;
    for (const double sign : SIDES) {
        const double t = -b + sign * sqrt(left);
        const double at[3] = {c[0] + t * d[0], c[1] + t * d[1], c[2] + t * d[2]};
        if (at[2] * side >= 0) take_hit(hit, t, at[0] / r, at[1] / r, at[2] / r);
    }
}

// The round side of a cylinder along z, between -h and h.
inline void ray_tube(const double* o, const double* d, double r, double h, RayHit& hit) {
    const double a = d[0] * d[0] + d[1] * d[1];
    if (a < 1e-30) return;
    const double b = (o[0] * d[0] + o[1] * d[1]) / a;
    const double x = o[0] - b * d[0], y = o[1] - b * d[1];
    const double left = (r * r - x * x - y * y) / a;
    if (left < 0) return;
    for (const double sign : SIDES) {
        const double t = -b + sign * sqrt(left);
        if (fabs(o[2] + t * d[2]) <= h)
            take_hit(hit, t, (o[0] + t * d[0]) / r, (o[1] + t * d[1]) / r, 0);
    }
}

// Between parallel planes: narrows the part of the ray that is within; false: none is left.
struct RayPart {
    double enter = -INFINITY, leave = INFINITY;
    double in[3] = {0, 0, 0}, out[3] = {0, 0, 0};

    // Within n x <= offset.
    bool cut(const double* n, double offset, const double* o, const double* d) {
        const double speed = dot3(n, d), room = offset - dot3(n, o);
        if (speed == 0) return room >= 0;
        const double t = room / speed;
        if (speed < 0 && t > enter) {
            enter = t;
            for (int k = 0; k < 3; ++k) in[k] = n[k];
        } else if (speed > 0 && t < leave) {
            leave = t;
            for (int k = 0; k < 3; ++k) out[k] = n[k];
        }
        return enter <= leave;
    }
    void take(RayHit& hit) const {
        if (enter >= 0)
            take_hit(hit, enter, in[0], in[1], in[2]);
        else
            take_hit(hit, leave, out[0], out[1], out[2]);
    }
};

inline void ray_box(const double* o, const double* d, const double* half, RayHit& hit) {
    RayPart part;
    for (int k = 0; k < 3; ++k)
        for (const double sign : SIDES) {
            double n[3] = {0, 0, 0};
            n[k] = sign;
            if (!part.cut(n, half[k], o, d)) return;
        }
    part.take(hit);
}

inline void ray_hull(const Shapes& s, int32_t i, const double* o, const double* d, RayHit& hit) {
    const int32_t* list = s.list(i);
    RayPart part;
    for (int32_t f = list[2]; f < list[2] + list[3]; ++f)
        if (!part.cut(s.planes + 4LL * f, s.planes[4LL * f + 3], o, d)) return;
    part.take(hit);
}

// One triangle, from either side, with the normal upwards.
inline void ray_triangle(const double* o, const double* d, const double* a, const double* b,
                         const double* c, RayHit& hit) {
    double ab[3], ac[3], ao[3], n[3], across[3];
    for (int k = 0; k < 3; ++k) {
        ab[k] = b[k] - a[k];
        ac[k] = c[k] - a[k];
        ao[k] = o[k] - a[k];
    }
    cross3(ab, ac, n);
    const double speed = dot3(n, d);
    if (speed == 0) return;
    const double t = -dot3(n, ao) / speed;
    const double at[3] = {ao[0] + t * d[0], ao[1] + t * d[1], ao[2] + t * d[2]};
    const double size = dot3(n, n);
    cross3(at, ac, across);
    const double u = dot3(n, across) / size;
    cross3(ab, at, across);
    const double v = dot3(n, across) / size;
    const double edge = 1e-12;  // rays through an edge must not slip between two triangles
    if (u < -edge || v < -edge || u + v > 1 + edge) return;
    const double length = (n[2] < 0 ? -1 : 1) * sqrt(size);
    take_hit(hit, t, n[0] / length, n[1] / length, n[2] / length);
}

// Corners of a cell's two triangles: (0, 1, 2) and (1, 3, 2) of its four grid points.
inline void height_cell(const Shapes& s, int32_t i, int32_t column, int32_t row, double p[4][3]) {
    const int32_t* list = s.list(i);
    const double* half = s.size(i);
    for (int k = 0; k < 4; ++k) {
        const int32_t x = column + k % 2, y = row + k / 2;
        p[k][0] = half[0] * (2.0 * x / (list[1] - 1) - 1);
        p[k][1] = half[1] * (2.0 * y / (list[3] - 1) - 1);
        p[k][2] = height_at(s, i, x, y);
    }
}

// Walks through the cells under a ray, in order.
inline void ray_heights(const Shapes& s, int32_t i, const double* o, const double* d, RayHit& hit) {
    const int32_t* list = s.list(i);
    const double* half = s.size(i);
    const int32_t counts[2] = {list[1] - 1, list[3] - 1};
    double enter = 0, leave = hit.distance;
    for (int k = 0; k < 2; ++k) {
        if (d[k] == 0) {
            if (fabs(o[k]) > half[k]) return;
            continue;
        }
        double t0 = (-half[k] - o[k]) / d[k], t1 = (half[k] - o[k]) / d[k];
        if (t0 > t1) {
            const double t = t0;
            t0 = t1;
            t1 = t;
        }
        enter = larger(enter, t0);
        leave = smaller(leave, t1);
    }
    if (!(enter <= leave)) return;
    int32_t cell[2], step[2];
    double next[2], per[2];
    for (int k = 0; k < 2; ++k) {
        const double width = 2 * half[k] / counts[k], at = o[k] + enter * d[k] + half[k];
        double place = floor(at / width);
        place = place < 0 ? 0 : (place > counts[k] - 1 ? counts[k] - 1 : place);
        cell[k] = (int32_t)place;
        step[k] = d[k] > 0 ? 1 : -1;
        per[k] = d[k] == 0 ? INFINITY : width / fabs(d[k]);
        const double edge = (cell[k] + (d[k] > 0 ? 1 : 0)) * width - half[k];
        next[k] = d[k] == 0 ? INFINITY : (edge - o[k]) / d[k];
    }
    for (;;) {
        double p[4][3];
        height_cell(s, i, cell[0], cell[1], p);
        ray_triangle(o, d, p[0], p[1], p[2], hit);
        ray_triangle(o, d, p[1], p[3], p[2], hit);
        const int k = next[0] < next[1] ? 0 : 1;
        if (hit.distance <= next[k] || next[k] > leave) return;
        cell[k] += step[k];
        next[k] += per[k];
        if (cell[k] < 0 || cell[k] >= counts[k]) return;
    }
}

// A ray in a shape's axes.
inline void ray_shape(const Shapes& s, int32_t i, const double* o, const double* d, RayHit& hit) {
    const double* size = s.size(i);
    switch (s.kind(i)) {
        case SHAPE_PLANE:
            if (d[2] < 0) take_hit(hit, -o[2] / d[2], 0, 0, 1);
            break;
        case SHAPE_BALL:
            ray_ball(o, d, 0, size[0], 0, hit);
            break;
        case SHAPE_CAPSULE:
            ray_tube(o, d, size[0], size[1], hit);
            ray_ball(o, d, size[1], size[0], 1, hit);
            ray_ball(o, d, -size[1], size[0], -1, hit);
            break;
        case SHAPE_CYLINDER:
            ray_tube(o, d, size[0], size[1], hit);
            if (d[2] != 0)
                for (const double side : SIDES) {
                    const double t = (side * size[1] - o[2]) / d[2];
                    if (hypot(o[0] + t * d[0], o[1] + t * d[1]) <= size[0])
                        take_hit(hit, t, 0, 0, side);
                }
            break;
        case SHAPE_BOX:
            ray_box(o, d, size, hit);
            break;
        case SHAPE_HULL:
            ray_hull(s, i, o, d, hit);
            break;
        default:
            ray_heights(s, i, o, d, hit);
    }
}

// The first shape that a ray meets within `most`, -1: none. seen: which shapes count, null: all.
inline int32_t cast_ray(const Shapes& s, const double* origin, const double* direction, double most,
                        const int32_t* seen, RayHit& hit) {
    const double length = sqrt(dot3(direction, direction));
    hit = RayHit{most, {0, 0, 0}};
    int32_t found = -1;
    if (!(length > 0)) return found;
    const double d[3] = {direction[0] / length, direction[1] / length, direction[2] / length};
    for (int32_t i = 0; i < s.count; ++i) {
        if (seen != nullptr && !seen[i]) continue;
        const double* X = s.X_WS(i);
        double o[3], way[3];
        if (s.kind(i) != SHAPE_PLANE) {
            // a ball around it is missed, or too far
            const double c[3] = {X[9] - origin[0], X[10] - origin[1], X[11] - origin[2]};
            const double along = dot3(c, d), room = s.radius[i] * s.radius[i];
            if (along + s.radius[i] < 0 || along - s.radius[i] > hit.distance) continue;
            if (dot3(c, c) - along * along > room * (1 + 1e-9)) continue;
        }
        to_shape(X, origin, o);
        rotate_back(X, d, way);
        const double before = hit.distance;
        ray_shape(s, i, o, way, hit);
        if (hit.distance < before) {
            double n[3];
            rotate(X, hit.normal, n);
            for (int k = 0; k < 3; ++k) hit.normal[k] = n[k];
            found = i;
        }
    }
    if (found < 0) hit.distance = INFINITY;
    return found;
}

}  // namespace kinegen
