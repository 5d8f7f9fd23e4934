// Visual hulls for the page, as in python/hull.cpp.
#include "kernel/hull/carve.hpp"
#include "kernel/hull/colours.hpp"
#include "kernel/hull/surface.hpp"
#include "wasm/page.hpp"

using namespace kinegen;

namespace {

bool is_grid(const double* box, int32_t box_count, const int32_t* shape, int32_t shape_count) {
    return fits(box, box_count, 6) && fits(shape, shape_count, 3) && is_hull_grid(box, shape);
}

// Pictures of a height and width, or none: a negative count is refused by the caller.
HullViews views_of(const uint8_t* silhouettes, int32_t silhouette_count, const double* projections,
                   int32_t projection_count, int32_t height, int32_t width) {
    const int32_t count = projection_count / 12;
    const bool is_good = count >= 0 && count <= HULL_MOST_VIEWS && height > 0 &&
                         height <= HULL_MOST_PIXELS && width > 0 && width <= HULL_MOST_PIXELS &&
                         fits(projections, projection_count, 12LL * count) &&
                         fits(silhouettes, silhouette_count, (int64_t)count * height * width);
    return {is_good ? count : -1, height, width, silhouettes, projections};
}

// Scratch of a surface and its counts.
struct Surface {
    HullGrid grid;
    Scratch<uint8_t> padded;
    Scratch<int32_t> vertex;
    HullCells cells;
    int32_t vertices = 0, faces = 0;
    Surface(const double* box, const int32_t* shape, const uint8_t* occupied)
        : grid(hull_grid(box, shape)),
          padded(padded_count(grid)),
          vertex(cell_count(grid)),
          cells{padded.data, vertex.data} {
        if (*this) hull_cells(grid, occupied, cells, vertices, faces);
    }
    explicit operator bool() const { return padded && vertex; }
};

}  // namespace

// Marks the voxels of a box (lower, upper corner) that lie in all silhouettes; returns how many.
EXPORT(kg_hull_carve)(const uint8_t* silhouettes, int32_t silhouette_count,
                      const double* projections, int32_t projection_count, int32_t height,
                      int32_t width, const double* box, int32_t box_count, const int32_t* shape,
                      int32_t shape_count, uint8_t* occupied, int32_t occupied_count)
    ->int32_t {
    const HullViews views =
        views_of(silhouettes, silhouette_count, projections, projection_count, height, width);
    if (views.count < 0 || !is_grid(box, box_count, shape, shape_count)) return BAD_SIZE;
    const HullGrid grid = hull_grid(box, shape);
    if (!fits(occupied, occupied_count, grid.count())) return BAD_SIZE;
    return (int32_t)hull_carve(views, grid, occupied);
}

// Counts vertices and triangles of the surface of voxels.
EXPORT(kg_hull_counts)(const uint8_t* occupied, int32_t occupied_count, const double* box,
                       int32_t box_count, const int32_t* shape, int32_t shape_count,
                       int32_t* counts, int32_t count_number)
    ->int32_t {
    if (!is_grid(box, box_count, shape, shape_count) || !fits(counts, count_number, 2) ||
        !fits(occupied, occupied_count, hull_grid(box, shape).count()))
        return BAD_SIZE;
    const Surface surface(box, shape, occupied);
    if (!surface) return NO_MEMORY;
    counts[0] = surface.vertices;
    counts[1] = 2 * surface.faces;
    return OK;
}

// The surface of voxels: vertices [m] and triangles, as many as kg_hull_counts gives.
EXPORT(kg_hull_surface)(const uint8_t* occupied, int32_t occupied_count, const double* box,
                        int32_t box_count, const int32_t* shape, int32_t shape_count,
                        int32_t smoothing, double* vertices, int32_t vertex_numbers,
                        int32_t* triangles, int32_t triangle_numbers)
    ->int32_t {
    if (!is_grid(box, box_count, shape, shape_count) || smoothing < 0 ||
        smoothing > HULL_MOST_SMOOTHING ||
        !fits(occupied, occupied_count, hull_grid(box, shape).count()))
        return BAD_SIZE;
    const Surface surface(box, shape, occupied);
    const Scratch<double> scratch(4 * (int64_t)surface.vertices);
    if (!surface || !scratch) return NO_MEMORY;
    if (!fits(vertices, vertex_numbers, 3LL * surface.vertices) ||
        !fits(triangles, triangle_numbers, 6LL * surface.faces))
        return BAD_SIZE;
    hull_triangles(surface.grid, surface.cells, triangles);
    hull_vertices(surface.grid, surface.cells, smoothing, triangles, 2 * surface.faces, vertices,
                  surface.vertices, scratch.data);
    return OK;
}

// Colours of vertices from pictures (views, height, width, 3); voxel: its diagonal [m].
EXPORT(kg_hull_colours)(const uint8_t* silhouettes, int32_t silhouette_count,
                        const uint8_t* pictures, int32_t picture_count, const double* projections,
                        int32_t projection_count, const double* centres, int32_t centre_count,
                        int32_t height, int32_t width, double voxel, const double* vertices,
                        int32_t vertex_numbers, const int32_t* triangles, int32_t triangle_numbers,
                        uint8_t* colours, int32_t colour_count)
    ->int32_t {
    const HullViews views =
        views_of(silhouettes, silhouette_count, projections, projection_count, height, width);
    const int32_t count = vertex_numbers / 3;
    if (views.count < 0 || !fits(pictures, picture_count, 3LL * silhouette_count) ||
        !fits(centres, centre_count, 3LL * views.count) ||
        !fits(vertices, vertex_numbers, 3LL * count) ||
        !fits(triangles, triangle_numbers, triangle_numbers / 3 * 3LL) ||
        !fits(colours, colour_count, 3LL * count))
        return BAD_SIZE;
    for (int32_t i = 0; i < triangle_numbers; ++i)
        if (triangles[i] < 0 || triangles[i] >= count) return BAD_INDEX;
    const Scratch<double> normals(3 * (int64_t)count),
        scratch(4 * (int64_t)count + (int64_t)height * width);
    if (!normals || !scratch) return NO_MEMORY;
    hull_normals(vertices, count, triangles, triangle_numbers / 3, normals.data);
    hull_colours(views, pictures, centres, voxel, vertices, count, normals.data, scratch.data,
                 colours);
    return OK;
}
