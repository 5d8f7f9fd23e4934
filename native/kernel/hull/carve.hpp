// Carving: which voxels of a box lie inside all silhouettes that see them.
//
// A visual hull after Laurentini (1994), The visual hull concept for silhouette-based image
// understanding: the centre of each voxel is projected into every picture.
#pragma once

#include <math.h>
#include <stdint.h>

namespace kinegen {

// Voxels along an axis at the most, so that indices of cells and corners stay within int32.
constexpr int32_t HULL_MOST_VOXELS = 256;
// Pixels along a side of a picture, and pictures, at the most.
constexpr int32_t HULL_MOST_PIXELS = 4096, HULL_MOST_VIEWS = 256;
// Rounds of smoothing at the most: a call cannot be interrupted.
constexpr int32_t HULL_MOST_SMOOTHING = 100;

// Pictures of the same size and the cameras that took them.
struct HullViews {
    int32_t count, height, width;
    // (count, height, width): not 0 where the body is seen
    const uint8_t* silhouettes;
    // (count, 3, 4): world [m] to pixels times depth, depth; pixel (i, j) covers [i, i+1) × [j,
    // j+1)
    const double* projections;
};

// Voxels that fill a box [m]; the last axis varies fastest.
struct HullGrid {
    int32_t shape[3];
    double lower[3], size[3];

    int64_t count() const { return (int64_t)shape[0] * shape[1] * shape[2]; }
    double centre(int32_t axis, int32_t i) const { return lower[axis] + (i + 0.5) * size[axis]; }
};

// Whether a box has finite lower corners below its upper ones, and a sane number of voxels.
inline bool is_hull_grid(const double* box, const int32_t* shape) {
    for (int32_t axis = 0; axis < 3; ++axis)
        if (shape[axis] < 1 || shape[axis] > HULL_MOST_VOXELS || !(box[axis] < box[3 + axis]) ||
            !isfinite(box[3 + axis] - box[axis]))
            return false;
    return true;
}

// The grid of a box: three lower corners, then three upper ones.
inline HullGrid hull_grid(const double* box, const int32_t* shape) {
    HullGrid grid;
    for (int32_t axis = 0; axis < 3; ++axis) {
        grid.shape[axis] = shape[axis];
        grid.lower[axis] = box[axis];
        grid.size[axis] = (box[3 + axis] - box[axis]) / shape[axis];
    }
    return grid;
}

// The pixel of a point (column, row) and its depth [m]; false where the camera does not see it.
inline bool hull_pixel(const double* P, int32_t width, int32_t height, const double* point,
                       int32_t* pixel, double& depth) {
    const double x = point[0], y = point[1], z = point[2];
    depth = ((P[8] * x + P[9] * y) + P[10] * z) + P[11];
    if (!(depth > 0)) return false;
    const double u = (((P[0] * x + P[1] * y) + P[2] * z) + P[3]) / depth;
    const double v = (((P[4] * x + P[5] * y) + P[6] * z) + P[7]) / depth;
    if (!(u >= 0 && u < width && v >= 0 && v < height)) return false;
    pixel[0] = (int32_t)u;
    pixel[1] = (int32_t)v;
    return true;
}

// Marks voxels that at least one camera sees and all that see them have in their silhouettes.
// Returns their number.
inline int64_t hull_carve(const HullViews& views, const HullGrid& grid, uint8_t* occupied) {
    const int64_t pixels = (int64_t)views.height * views.width;
    int64_t found = 0, at = 0;
    // the camera that carved the last voxel is asked first: it probably carves the next one too
    int32_t first = 0;
    for (int32_t i = 0; i < grid.shape[0]; ++i)
        for (int32_t j = 0; j < grid.shape[1]; ++j)
            for (int32_t k = 0; k < grid.shape[2]; ++k, ++at) {
                const double point[3] = {grid.centre(0, i), grid.centre(1, j), grid.centre(2, k)};
                bool seen = false, kept = true;
                for (int32_t one = 0; one < views.count && kept; ++one) {
                    const int32_t c =
                        one + first < views.count ? one + first : one + first - views.count;
                    int32_t pixel[2];
                    double depth;
                    if (!hull_pixel(views.projections + 12 * c, views.width, views.height, point,
                                    pixel, depth))
                        continue;
                    seen = true;
                    kept = views.silhouettes[c * pixels + (int64_t)pixel[1] * views.width +
                                             pixel[0]] != 0;
                    if (!kept) first = c;
                }
                occupied[at] = seen && kept;
                found += seen && kept;
            }
    return found;
}

}  // namespace kinegen
