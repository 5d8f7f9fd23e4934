// Surface of voxels: surface nets, a closed mesh whose triangles face outwards.
//
// After Gibson (1998), Constrained elastic surface nets: one vertex in each cell of eight voxels
// that are not all alike, moved to the middle of its neighbours within its cell.
#pragma once

#include <string.h>

#include "kernel/hull/carve.hpp"

namespace kinegen {

// Scratch of a surface, which knows the voxels with an empty border around them.
struct HullCells {
    // (shape + 2): the voxels and their border
    uint8_t* padded;
    // (shape + 1): the vertex of a cell, or -1
    int32_t* vertex;
};

inline int64_t padded_count(const HullGrid& grid) {
    return ((int64_t)grid.shape[0] + 2) * (grid.shape[1] + 2) * (grid.shape[2] + 2);
}
inline int64_t cell_count(const HullGrid& grid) {
    return ((int64_t)grid.shape[0] + 1) * (grid.shape[1] + 1) * (grid.shape[2] + 1);
}

// Fills both scratch arrays, numbers the vertices and counts the faces between voxels.
inline void hull_cells(const HullGrid& grid, const uint8_t* occupied, HullCells& cells,
                       int32_t& vertices, int32_t& faces) {
    const int64_t nx = grid.shape[0], ny = grid.shape[1], nz = grid.shape[2];
    const int64_t row = nz + 2, sheet = (ny + 2) * row;
    // copy the voxels, each 0 or 1, into an empty border
    memset(cells.padded, 0, (size_t)padded_count(grid));
    for (int64_t i = 0; i < nx; ++i)
        for (int64_t j = 0; j < ny; ++j)
            for (int64_t k = 0; k < nz; ++k)
                cells.padded[(i + 1) * sheet + (j + 1) * row + k + 1] =
                    occupied[(i * ny + j) * nz + k] != 0;
    // one vertex where the eight voxels of a cell differ
    vertices = faces = 0;
    int64_t at = 0;
    for (int64_t i = 0; i <= nx; ++i)
        for (int64_t j = 0; j <= ny; ++j) {
            const uint8_t* p = cells.padded + i * sheet + j * row;
            int32_t left = p[0] + p[row] + p[sheet] + p[sheet + row];
            for (int64_t k = 0; k <= nz; ++k, ++at) {
                const uint8_t* q = p + k;
                const int32_t right = q[1] + q[row + 1] + q[sheet + 1] + q[sheet + row + 1];
                const int32_t sum = left + right;
                cells.vertex[at] = sum > 0 && sum < 8 ? vertices++ : -1;
                faces += (q[0] != q[1]) + (q[0] != q[row]) + (q[0] != q[sheet]);
                left = right;
            }
        }
}

// Two triangles for each face between an occupied and an empty voxel: axis by axis, voxel by voxel.
inline void hull_triangles(const HullGrid& grid, const HullCells& cells, int32_t* triangles) {
    const int64_t n[3] = {grid.shape[0], grid.shape[1], grid.shape[2]};
    const int64_t step[3] = {(n[1] + 2) * (n[2] + 2), n[2] + 2, 1};
    const int64_t leap[3] = {(n[1] + 1) * (n[2] + 1), n[2] + 1, 1};
    for (int32_t axis = 0; axis < 3; ++axis) {
        const int64_t along_b = leap[(axis + 1) % 3], along_c = leap[(axis + 2) % 3];
        for (int64_t i = axis != 0; i <= n[0]; ++i)
            for (int64_t j = axis != 1; j <= n[1]; ++j)
                for (int64_t k = axis != 2; k <= n[2]; ++k) {
                    const uint8_t* p = cells.padded + i * step[0] + j * step[1] + k;
                    if (p[0] == p[step[axis]]) continue;
                    // the four cells around the edge from this voxel to the next
                    const int32_t* v = cells.vertex + i * leap[0] + j * leap[1] + k;
                    const int32_t a = v[-along_b - along_c], b = v[-along_c], c = v[0],
                                  d = v[-along_b];
                    const int32_t out[6] = {a, b, c, a, c, d}, in[6] = {a, d, c, a, c, b};
                    memcpy(triangles, p[0] ? out : in, sizeof(out));
                    triangles += 6;
                }
    }
}

// Vertices [m]: the mean of the middles of the edges that are cut, then `smoothing` rounds of the
// mean of the neighbours, within the cell. scratch: 4 numbers per vertex.
inline void hull_vertices(const HullGrid& grid, const HullCells& cells, int32_t smoothing,
                          const int32_t* triangles, int32_t triangle_count, double* vertices,
                          int32_t vertex_count, double* scratch) {
    const int64_t nx = grid.shape[0], ny = grid.shape[1], nz = grid.shape[2];
    const int64_t step[3] = {(ny + 2) * (nz + 2), nz + 2, 1};
    // in units of voxels, from the centre of the cell: kept in `vertices` until the end
    double* place = vertices;
    const int32_t* of = cells.vertex;
    for (int64_t i = 0; i <= nx; ++i)
        for (int64_t j = 0; j <= ny; ++j)
            for (int64_t k = 0; k <= nz; ++k, ++of) {
                if (*of < 0) continue;
                const uint8_t* p = cells.padded + i * step[0] + j * step[1] + k;
                double sum[3] = {0, 0, 0};
                int32_t cut = 0;
                for (int32_t axis = 0; axis < 3; ++axis) {
                    const int32_t b = (axis + 1) % 3, c = (axis + 2) % 3;
                    for (int32_t corner = 0; corner < 4; ++corner) {
                        const int32_t on_b = corner & 1, on_c = corner >> 1;
                        const uint8_t* q = p + on_b * step[b] + on_c * step[c];
                        if (q[0] == q[step[axis]]) continue;
                        sum[b] += on_b - 0.5;
                        sum[c] += on_c - 0.5;
                        ++cut;
                    }
                }
                const double index[3] = {(double)i, (double)j, (double)k};
                for (int32_t axis = 0; axis < 3; ++axis)
                    place[3 * *of + axis] = index[axis] + sum[axis] / cut;
            }
    for (int32_t round = 0; round < smoothing; ++round) {
        // sums over the sides of the quads, each seen from both ends
        memset(scratch, 0, sizeof(double) * 4 * (size_t)vertex_count);
        for (int32_t t = 0; t < triangle_count; t += 2) {
            const int32_t* corner = triangles + 3 * (int64_t)t;
            const int32_t quad[4] = {corner[0], corner[1], corner[2], corner[5]};
            for (int32_t side = 0; side < 4; ++side) {
                const int32_t a = quad[side], b = quad[(side + 1) % 4];
                for (int32_t axis = 0; axis < 3; ++axis) {
                    scratch[4 * a + axis] += place[3 * b + axis];
                    scratch[4 * b + axis] += place[3 * a + axis];
                }
                scratch[4 * a + 3] += 1;
                scratch[4 * b + 3] += 1;
            }
        }
        of = cells.vertex;
        for (int64_t i = 0; i <= nx; ++i)
            for (int64_t j = 0; j <= ny; ++j)
                for (int64_t k = 0; k <= nz; ++k, ++of) {
                    if (*of < 0) continue;
                    const double index[3] = {(double)i, (double)j, (double)k};
                    const double* sum = scratch + 4 * (int64_t)*of;
                    for (int32_t axis = 0; axis < 3; ++axis) {
                        const double away = sum[axis] / sum[3] - index[axis];
                        place[3 * *of + axis] = index[axis] + (away < -0.5  ? -0.5
                                                               : away > 0.5 ? 0.5
                                                                            : away);
                    }
                }
    }
    // cell i lies between the centres of voxels i - 1 and i
    for (int32_t v = 0; v < vertex_count; ++v)
        for (int32_t axis = 0; axis < 3; ++axis)
            vertices[3 * v + axis] = grid.lower[axis] + place[3 * v + axis] * grid.size[axis];
}

}  // namespace kinegen
