// Contacts, rays and distances for Python.
#include "python/contact/shapes.hpp"

#include "kernel/contact/distances.hpp"
#include "python/contact/clearance.hpp"

using namespace kinegen;
using namespace kinegen::python;

namespace {

class BoundShapes {
public:
    BoundShapes(nb::handle ints, nb::handle reals, nb::handle surfaces, nb::handle corners,
                nb::handle planes, nb::handle facet_first, nb::handle facet_corners,
                nb::handle heights, nb::handle meets, int32_t link_count)
        : own_(shape_numbers(ints, reals, surfaces, corners, planes, facet_first, facet_corners,
                             heights, meets, link_count)) {}

    void place(nb::handle transforms) {
        const Turn::Taken taken(turn_);
        const Borrowed given(transforms, "transforms");
        own_.shapes.is_placed = false;
        place_shapes(own_.shapes,
                     given.numbers<double>((int64_t)TRANSFORM_SIZE * own_.shapes.link_count));
    }
    // Pairs of shapes (n × 2), points and normals (n × 3), distances.
    nb::object find(double margin) {
        const Turn::Taken taken(turn_);
        const ContactList& list = own_.find(margin);
        const size_t n = (size_t)list.count;
        std::vector<int32_t> shapes(list.shapes, list.shapes + 2 * n);
        std::vector<double> points(list.points, list.points + 3 * n);
        std::vector<double> normals(list.normals, list.normals + 3 * n);
        std::vector<double> distances(list.distances, list.distances + n);
        return nb::make_tuple(
            new_array(std::move(shapes), {n, 2}), new_array(std::move(points), {n, 3}),
            new_array(std::move(normals), {n, 3}), new_array(std::move(distances), {n}));
    }
    // Distances, shapes and normals of the first thing along each ray.
    nb::object cast_rays(nb::handle origins, nb::handle directions, double most, nb::handle seen) {
        const Turn::Taken taken(turn_);
        const Borrowed from(origins, "origins"), along(directions, "directions");
        const int64_t count = from.size() / 3;
        const double *o = from.numbers<double>(3 * count), *d = along.numbers<double>(3 * count);
        const Borrowed seen_(seen, "seen");
        const int32_t* which = seen_.numbers<int32_t>(own_.shapes.count);
        std::vector<double> distances((size_t)count), normals(3 * (size_t)count);
        std::vector<int32_t> shapes((size_t)count);
        for (int64_t i = 0; i < count; ++i) {
            RayHit hit;
            shapes[(size_t)i] = cast_ray(own_.shapes, o + 3 * i, d + 3 * i, most, which, hit);
            distances[(size_t)i] = hit.distance;
            for (int k = 0; k < 3; ++k) normals[(size_t)(3 * i + k)] = hit.normal[k];
        }
        const size_t n = (size_t)count;
        return nb::make_tuple(new_array(std::move(distances), {n}),
                              new_array(std::move(shapes), {n}),
                              new_array(std::move(normals), {n, 3}));
    }
    // Distance of a point to the nearest shape, which one, and the direction out of it.
    nb::object nearest(nb::handle point) {
        const Turn::Taken taken(turn_);
        const Borrowed at(point, "point");
        double normal[3] = {0, 0, 1}, distance = INFINITY;
        const int32_t shape = nearest_shape(own_.shapes, at.numbers<double>(3), distance, normal);
        return nb::make_tuple(distance, shape,
                              new_array(std::vector<double>(normal, normal + 3), {3}));
    }

private:
    Turn turn_;
    SoundShapes own_;
};

}  // namespace

void bind_contact(nb::module_& module) {
    nb::class_<BoundShapes>(module, "BoundShapes")
        .def(nb::init<nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle,
                      nb::handle, nb::handle, nb::handle, int32_t>())
        .def("place", &BoundShapes::place)
        .def("find", &BoundShapes::find)
        .def("cast_rays", &BoundShapes::cast_rays)
        .def("nearest", &BoundShapes::nearest);
    nb::class_<BoundClearance>(module, "BoundClearance")
        .def(nb::init<nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle,
                      nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle,
                      int32_t>())
        .def("measure", &BoundClearance::measure, nb::arg("qs"), nb::arg("margin"),
             nb::arg("gradients"), nb::arg("threads"));
}
