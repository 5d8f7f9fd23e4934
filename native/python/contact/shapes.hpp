// Shapes that touch, for Python: their arrays, copied.
#pragma once

#include <memory>
#include <vector>

#include "contact/own_shapes.hpp"
#include "python/border/arrays.hpp"

namespace kinegen::python {

// Copies of the arrays; signatures as in kernels/protocols/contact.py.
inline ShapeNumbers shape_numbers(nb::handle ints, nb::handle reals, nb::handle surfaces,
                                  nb::handle corners, nb::handle planes, nb::handle facet_first,
                                  nb::handle facet_corners, nb::handle heights, nb::handle meets,
                                  int32_t link_count) {
    const int64_t count = Borrowed(ints, "ints").size() / SHAPE_INTS;
    const int64_t facets = Borrowed(planes, "planes").size() / 4;
    ShapeNumbers n;
    n.ints = copied<int32_t>(ints, "ints", count * SHAPE_INTS);
    n.reals = copied<double>(reals, "reals", count * SHAPE_REALS);
    n.surfaces = copied<double>(surfaces, "surfaces", count * SURFACE_SIZE);
    n.corners = copied<double>(corners, "corners");
    n.planes = copied<double>(planes, "planes", 4 * facets);
    n.facet_first = copied<int32_t>(facet_first, "facet_first", facets + 1);
    n.facet_corners = copied<int32_t>(facet_corners, "facet_corners");
    n.heights = copied<double>(heights, "heights");
    n.meets = copied<int32_t>(meets, "meets", count * count);
    n.link_count = link_count;
    return n;
}

// Shapes whose numbers are sound.
class SoundShapes : public OwnShapes {
public:
    explicit SoundShapes(ShapeNumbers numbers) : OwnShapes(std::move(numbers)) {
        if (!flaw().empty()) raise_usage(flaw());
    }
};

// Shapes from the arrays that their constructor takes.
inline std::unique_ptr<OwnShapes> shapes_from(const nb::tuple& arrays) {
    if (arrays.size() != 10) raise_usage("shapes are ten arrays");
    return std::make_unique<SoundShapes>(shape_numbers(arrays[0], arrays[1], arrays[2], arrays[3],
                                                       arrays[4], arrays[5], arrays[6], arrays[7],
                                                       arrays[8], nb::cast<int32_t>(arrays[9])));
}

}  // namespace kinegen::python
