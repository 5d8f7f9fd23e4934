// Colours of a hull's vertices: from the cameras that see them best.
#pragma once

#include "kernel/hull/carve.hpp"

namespace kinegen {

// Colour of vertices that no camera sees.
constexpr uint8_t HULL_UNSEEN = 160;
// A vertex is hidden when something lies this many voxels nearer in the same block of pixels.
constexpr double HULL_HIDDEN = 3;

// Normals of vertices, of any length: sums of those of their triangles. (vertex_count, 3)
inline void hull_normals(const double* vertices, int32_t vertex_count, const int32_t* triangles,
                         int32_t triangle_count, double* normals) {
    for (int64_t i = 0; i < 3LL * vertex_count; ++i) normals[i] = 0;
    for (int32_t t = 0; t < triangle_count; ++t) {
        const int32_t* corner = triangles + 3 * (int64_t)t;
        const double *a = vertices + 3LL * corner[0], *b = vertices + 3LL * corner[1],
                     *c = vertices + 3LL * corner[2];
        double u[3], v[3];
        for (int32_t i = 0; i < 3; ++i) {
            u[i] = b[i] - a[i];
            v[i] = c[i] - a[i];
        }
        const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                             u[0] * v[1] - u[1] * v[0]};
        for (int32_t i = 0; i < 3; ++i)
            for (int32_t axis = 0; axis < 3; ++axis) normals[3LL * corner[i] + axis] += n[axis];
    }
}

// Side of the blocks of pixels in which a camera's nearest depths are kept: what a voxel's diagonal
// covers at the nearest vertex, so that a surface leaves no block open.
inline int32_t hull_block(const double* P, double voxel, double nearest) {
    const double along = P[0] * P[8] + P[1] * P[9] + P[2] * P[10];
    double focal = 0;
    for (int32_t i = 0; i < 3; ++i) {
        const double side = P[i] - along * P[8 + i];
        focal += side * side;
    }
    const double covered = ceil(sqrt(focal) * voxel / nearest);
    return covered >= 1 ? (covered < 64 ? (int32_t)covered : 64) : 1;
}

// Colours (vertex_count, 3): means over the cameras that face a vertex, see it and have it in their
// silhouettes, weighted by the square of the cosine between normal and ray.
//
// pictures: (views, height, width, 3); centres: (views, 3) [m]; voxel: diagonal [m]; scratch:
// 4 numbers per vertex, then height × width.
inline void hull_colours(const HullViews& views, const uint8_t* pictures, const double* centres,
                         double voxel, const double* vertices, int32_t vertex_count,
                         const double* normals, double* scratch, uint8_t* colours) {
    double *sums = scratch, *depths = scratch + 4LL * vertex_count;
    const int64_t pixels = (int64_t)views.height * views.width;
    for (int64_t i = 0; i < 4LL * vertex_count; ++i) sums[i] = 0;
    for (int32_t c = 0; c < views.count; ++c) {
        const double *P = views.projections + 12 * c, *eye = centres + 3 * c;
        int32_t pixel[2];
        double depth, nearest = INFINITY;
        for (int32_t v = 0; v < vertex_count; ++v)
            if (hull_pixel(P, views.width, views.height, vertices + 3LL * v, pixel, depth) &&
                depth < nearest)
                nearest = depth;
        if (!isfinite(nearest)) continue;
        // the nearest depth in each block of pixels
        const int32_t block = hull_block(P, voxel, nearest);
        const int32_t columns = (views.width + block - 1) / block;
        for (int64_t i = 0; i < pixels; ++i) depths[i] = INFINITY;
        for (int32_t v = 0; v < vertex_count; ++v) {
            if (!hull_pixel(P, views.width, views.height, vertices + 3LL * v, pixel, depth))
                continue;
            double& least = depths[(int64_t)(pixel[1] / block) * columns + pixel[0] / block];
            if (depth < least) least = depth;
        }
        // what this camera adds to the vertices that it sees
        for (int32_t v = 0; v < vertex_count; ++v) {
            const double *p = vertices + 3LL * v, *n = normals + 3LL * v;
            if (!hull_pixel(P, views.width, views.height, p, pixel, depth)) continue;
            const double least = depths[(int64_t)(pixel[1] / block) * columns + pixel[0] / block];
            const int64_t at = c * pixels + (int64_t)pixel[1] * views.width + pixel[0];
            if (depth > least + HULL_HIDDEN * voxel || views.silhouettes[at] == 0) continue;
            const double ray[3] = {eye[0] - p[0], eye[1] - p[1], eye[2] - p[2]};
            const double facing = ray[0] * n[0] + ray[1] * n[1] + ray[2] * n[2];
            if (!(facing > 0)) continue;
            const double lengths = (ray[0] * ray[0] + ray[1] * ray[1] + ray[2] * ray[2]) *
                                   (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            const double weight = facing * facing / lengths;
            for (int32_t i = 0; i < 3; ++i) sums[4LL * v + i] += weight * pictures[3 * at + i];
            sums[4LL * v + 3] += weight;
        }
    }
    for (int32_t v = 0; v < vertex_count; ++v)
        for (int32_t i = 0; i < 3; ++i) {
            // not a number where no camera sees the vertex
            const double mean = sums[4LL * v + i] / sums[4LL * v + 3] + 0.5;
            colours[3LL * v + i] = mean >= 0 && mean < 256 ? (uint8_t)mean : HULL_UNSEEN;
        }
}

}  // namespace kinegen
