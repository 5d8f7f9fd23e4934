// Visual hulls for Python; signatures as in kernels/reference/hull.
#include <nanobind/nanobind.h>

#include <vector>

#include "kernel/hull/carve.hpp"
#include "kernel/hull/colours.hpp"
#include "kernel/hull/surface.hpp"
#include "python/border/arrays.hpp"

using namespace kinegen;
using namespace kinegen::python;

namespace {

// A C-contiguous array of uint8 borrowed from Python.
class Bytes {
public:
    Bytes(nb::handle object, const char* name, int dimensions) {
        if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
            PyErr_Clear();
            raise_usage(std::string(name) + " must be a C-contiguous array");
        }
        const char* format = view_.format ? view_.format : "B";
        if (view_.itemsize != 1 || format[0] != 'B' || view_.ndim != dimensions) {
            PyBuffer_Release(&view_);
            raise_usage(std::string(name) + " must be of type uint8 with " +
                        std::to_string(dimensions) + " axes");
        }
    }
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;
    ~Bytes() { PyBuffer_Release(&view_); }

    int64_t shape(int axis) const { return view_.shape[axis]; }
    const uint8_t* data() const { return static_cast<const uint8_t*>(view_.buf); }

private:
    Py_buffer view_;
};

HullGrid checked_grid(const Borrowed& box, const int32_t* shape) {
    const double* corners = box.data<double>({2, 3});
    for (int axis = 0; axis < 3; ++axis) {
        if (shape[axis] < 1 || shape[axis] > HULL_MOST_VOXELS)
            raise_usage("shape must have 1 to " + std::to_string(HULL_MOST_VOXELS) +
                        " voxels along each axis, has " + std::to_string(shape[axis]));
    }
    if (!is_hull_grid(corners, shape))
        raise_usage("box must have finite lower corners below its upper ones");
    return hull_grid(corners, shape);
}

HullViews checked_views(const Bytes& silhouettes, const Borrowed& projections) {
    const int64_t count = silhouettes.shape(0);
    if (count > HULL_MOST_VIEWS || silhouettes.shape(1) > HULL_MOST_PIXELS ||
        silhouettes.shape(2) > HULL_MOST_PIXELS)
        raise_usage("silhouettes must be at most " + std::to_string(HULL_MOST_VIEWS) +
                    " pictures of at most " + std::to_string(HULL_MOST_PIXELS) + " pixels a side");
    return {(int32_t)count, (int32_t)silhouettes.shape(1), (int32_t)silhouettes.shape(2),
            silhouettes.data(), projections.data<double>({count, 3, 4})};
}

nb::object py_hull_carve(nb::handle silhouettes, nb::handle projections, nb::handle box,
                         nb::handle shape) {
    const Bytes masks(silhouettes, "silhouettes", 3);
    const Borrowed P(projections, "projections"), box_(box, "box"), shape_(shape, "shape");
    const HullGrid grid = checked_grid(box_, shape_.data<int32_t>({3}));
    const HullViews views = checked_views(masks, P);
    std::vector<uint8_t> occupied((size_t)grid.count());
    {
        nb::gil_scoped_release release;
        hull_carve(views, grid, occupied.data());
    }
    return new_array(std::move(occupied),
                     {(size_t)grid.shape[0], (size_t)grid.shape[1], (size_t)grid.shape[2]});
}

nb::tuple py_hull_surface(nb::handle occupied, nb::handle box, int32_t smoothing) {
    const Bytes voxels(occupied, "occupied", 3);
    const Borrowed box_(box, "box");
    int32_t shape[3];
    for (int axis = 0; axis < 3; ++axis)
        shape[axis] = voxels.shape(axis) > HULL_MOST_VOXELS ? HULL_MOST_VOXELS + 1
                                                            : (int32_t)voxels.shape(axis);
    const HullGrid grid = checked_grid(box_, shape);
    if (smoothing < 0 || smoothing > HULL_MOST_SMOOTHING)
        raise_usage("smoothing must be 0 to " + std::to_string(HULL_MOST_SMOOTHING) +
                    " rounds, got " + std::to_string(smoothing));
    std::vector<double> vertices;
    std::vector<int32_t> triangles;
    int32_t vertex_count, faces;
    {
        nb::gil_scoped_release release;
        std::vector<uint8_t> padded((size_t)padded_count(grid));
        std::vector<int32_t> vertex((size_t)cell_count(grid));
        HullCells cells = {padded.data(), vertex.data()};
        hull_cells(grid, voxels.data(), cells, vertex_count, faces);
        vertices.resize(3 * (size_t)vertex_count);
        triangles.resize(6 * (size_t)faces);
        std::vector<double> scratch(4 * (size_t)vertex_count);
        hull_triangles(grid, cells, triangles.data());
        hull_vertices(grid, cells, smoothing, triangles.data(), 2 * faces, vertices.data(),
                      vertex_count, scratch.data());
    }
    return nb::make_tuple(new_array(std::move(vertices), {(size_t)vertex_count, 3}),
                          new_array(std::move(triangles), {2 * (size_t)faces, 3}));
}

nb::object py_hull_colours(nb::handle silhouettes, nb::handle pictures, nb::handle projections,
                           nb::handle centres, double voxel, nb::handle vertices,
                           nb::handle triangles) {
    const Bytes masks(silhouettes, "silhouettes", 3), colours_of(pictures, "pictures", 4);
    const Borrowed P(projections, "projections"), eyes(centres, "centres");
    const Borrowed points(vertices, "vertices"), corners(triangles, "triangles");
    const HullViews views = checked_views(masks, P);
    for (int axis = 0; axis < 3; ++axis)
        if (colours_of.shape(axis) != masks.shape(axis))
            raise_usage("pictures must have the size of the silhouettes");
    if (colours_of.shape(3) != 3) raise_usage("pictures must have three colours");
    const double* from = points.data<double>({-1, 3});
    const int32_t* three = corners.data<int32_t>({-1, 3});
    const int32_t count = (int32_t)points.shape(0), faces = (int32_t)corners.shape(0);
    const double* eye = eyes.data<double>({views.count, 3});
    for (int64_t i = 0; i < 3LL * faces; ++i)
        if (three[i] < 0 || three[i] >= count)
            raise_usage("triangles name vertex " + not_among(three[i], count));
    std::vector<uint8_t> colours(3 * (size_t)count);
    {
        nb::gil_scoped_release release;
        std::vector<double> normals(3 * (size_t)count);
        std::vector<double> scratch(4 * (size_t)count + (size_t)views.height * views.width);
        hull_normals(from, count, three, faces, normals.data());
        hull_colours(views, colours_of.data(), eye, voxel, from, count, normals.data(),
                     scratch.data(), colours.data());
    }
    return new_array(std::move(colours), {(size_t)count, 3});
}

}  // namespace

void bind_hull(nb::module_& module) {
    using nb::arg;
    module.def("hull_carve", py_hull_carve, arg("silhouettes"), arg("projections"), arg("box"),
               arg("shape"));
    module.def("hull_surface", py_hull_surface, arg("occupied"), arg("box"), arg("smoothing"));
    module.def("hull_colours", py_hull_colours, arg("silhouettes"), arg("pictures"),
               arg("projections"), arg("centres"), arg("voxel"), arg("vertices"), arg("triangles"));
}
