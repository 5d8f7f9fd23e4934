// Shapes that touch: where they are, how far they reach, and their outermost points.
//
// A shape S is placed on a link by X_LS. Its sizes are half ones, in its own axes: a ball's radius;
// radius and half length along z of capsules and cylinders; half edges of a box. A hull lists its
// corners and facets; a height field has a grid of heights over its xy plane and is solid below.
#pragma once

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "kernel/base/arena.hpp"
#include "kernel/base/layout.hpp"
#include "kernel/base/rotation.hpp"
#include "kernel/base/transform.hpp"
#include "kernel/contact/protocol.hpp"

namespace kinegen {

constexpr double SIDES[2] = {-1, 1};

struct Shapes {
    int32_t count, link_count;
    const int32_t* ints;
    const double *reals, *surfaces;
    const double* corners;  // of hulls, in their shapes' axes, 3 each
    const double* planes;   // of facets: outward normal and distance from the origin
    const int32_t *facet_first, *facet_corners;  // of facets: their corners in order
    const double* heights;
    const int32_t* meets;  // count × count: whether two shapes touch each other
    bool is_placed;        // once
    // memory
    double* X;       // X_WS
    double* radius;  // of a ball around the shape's origin
    int32_t* order;  // of shapes along x

    int32_t kind(int32_t i) const { return ints[SHAPE_INTS * i]; }
    int32_t link(int32_t i) const { return ints[SHAPE_INTS * i + 1]; }
    const int32_t* list(int32_t i) const { return ints + SHAPE_INTS * (int64_t)i + 2; }
    const double* X_LS(int32_t i) const { return reals + SHAPE_REALS * (int64_t)i; }
    const double* size(int32_t i) const { return reals + SHAPE_REALS * (int64_t)i + 12; }
    const double* X_WS(int32_t i) const { return X + TRANSFORM_SIZE * (int64_t)i; }
};

inline void lay_out_shapes(Arena<double>& reals, Arena<int32_t>& ints, Shapes& s) {
    s.X = reals.take(TRANSFORM_SIZE * (int64_t)s.count);
    s.radius = reals.take(s.count);
    s.order = ints.take(s.count);
}

// Height of a field at a grid point.
inline double height_at(const Shapes& s, int32_t i, int32_t column, int32_t row) {
    const int32_t* list = s.list(i);
    return s.heights[list[0] + (int64_t)row * list[1] + column];
}

// Radii of the balls around all shapes.
inline void measure_shapes(Shapes& s) {
    for (int32_t i = 0; i < s.count; ++i) {
        const double* size = s.size(i);
        const int32_t* list = s.list(i);
        double radius = 0;
        switch (s.kind(i)) {
            case SHAPE_PLANE:
                radius = INFINITY;
                break;
            case SHAPE_BALL:
                radius = size[0];
                break;
            case SHAPE_CAPSULE:
                radius = size[0] + size[1];
                break;
            case SHAPE_CYLINDER:
                radius = hypot(size[0], size[1]);
                break;
            case SHAPE_BOX:
                radius = sqrt(dot3(size, size));
                break;
            case SHAPE_HULL:
                for (int32_t c = list[0]; c < list[0] + list[1]; ++c) {
                    const double* p = s.corners + 3LL * c;
                    radius = larger(radius, sqrt(dot3(p, p)));
                }
                break;
            default: {
                double far = size[2];
                for (int32_t k = 0; k < list[1] * list[3]; ++k)
                    far = larger(far, fabs(s.heights[list[0] + k]));
                radius = sqrt(size[0] * size[0] + size[1] * size[1] + far * far);
            }
        }
        s.radius[i] = radius;
        s.order[i] = i;
    }
}

// Places all shapes on links X_WL; those of the ground only the first time.
inline void place_shapes(Shapes& s, const double* X_WL) {
    for (int32_t i = 0; i < s.count; ++i)
        if (s.link(i) != 0 || !s.is_placed)
            compose(X_WL + TRANSFORM_SIZE * (int64_t)s.link(i), s.X_LS(i),
                    s.X + TRANSFORM_SIZE * (int64_t)i);
    s.is_placed = true;
}

// A point of the world in a shape's axes.
inline void to_shape(const double* X_WS, const double* p, double* out) {
    const double d[3] = {p[0] - X_WS[9], p[1] - X_WS[10], p[2] - X_WS[11]};
    rotate_back(X_WS, d, out);
}

// Surfaces of a pair: those that the file gives count, the larger of two.
inline void join_surfaces(const double* a, const double* b, double* out) {
    const bool one = a[4] > 0, other = b[4] > 0;
    for (int k = 0; k < 4; ++k) out[k] = one == other ? larger(a[k], b[k]) : (one ? a[k] : b[k]);
}

}  // namespace kinegen
