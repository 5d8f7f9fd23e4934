// Shapes that touch, for Python: their arrays, copied, and the memory that kernels need.
#pragma once

#include <memory>
#include <vector>

#include "kernel/contact/find.hpp"
#include "python/arrays.hpp"

namespace kinegen::python {

// Shapes with their own memory; signatures as in kernels/contact_protocol.py.
class OwnShapes {
public:
    OwnShapes(nb::handle ints, nb::handle reals, nb::handle surfaces, nb::handle corners,
              nb::handle planes, nb::handle facet_first, nb::handle facet_corners,
              nb::handle heights, nb::handle meets, int32_t link_count) {
        const Borrowed ints_(ints, "ints"), reals_(reals, "reals"), surfaces_(surfaces, "surfaces");
        const Borrowed corners_(corners, "corners"), planes_(planes, "planes");
        const Borrowed first_(facet_first, "facet_first"), of_(facet_corners, "facet_corners");
        const Borrowed heights_(heights, "heights"), meets_(meets, "meets");
        const int64_t count = ints_.size() / SHAPE_INTS, facets = planes_.size() / 4;
        keep(ints_i, ints_.numbers<int32_t>(count * SHAPE_INTS), count * SHAPE_INTS);
        keep(reals_d, reals_.numbers<double>(count * SHAPE_REALS), count * SHAPE_REALS);
        keep(surfaces_d, surfaces_.numbers<double>(count * SURFACE_SIZE), count * SURFACE_SIZE);
        keep(corners_d, corners_.data<double>(), corners_.size());
        keep(planes_d, planes_.numbers<double>(4 * facets), 4 * facets);
        keep(first_i, first_.numbers<int32_t>(facets + 1), facets + 1);
        keep(of_i, of_.data<int32_t>(), of_.size());
        keep(heights_d, heights_.data<double>(), heights_.size());
        keep(meets_i, meets_.numbers<int32_t>(count * count), count * count);
        Shapes& s = shapes;
        s = Shapes{};
        s.count = (int32_t)count;
        s.link_count = link_count;
        s.ints = ints_i.data();
        s.reals = reals_d.data();
        s.surfaces = surfaces_d.data();
        s.corners = corners_d.data();
        s.planes = planes_d.data();
        s.facet_first = first_i.data();
        s.facet_corners = of_i.data();
        s.heights = heights_d.data();
        s.meets = meets_i.data();
        check();
        memory_.resize((size_t)((TRANSFORM_SIZE + 1) * count + 1));
        order_.resize((size_t)count + 1);
        Arena<double> reals_arena{memory_.data(), 0};
        Arena<int32_t> ints_arena{order_.data(), 0};
        lay_out_shapes(reals_arena, ints_arena, s);
        measure_shapes(s);
    }
    OwnShapes(const OwnShapes&) = delete;
    OwnShapes& operator=(const OwnShapes&) = delete;

    // Contacts within a margin; the lists grow until all fit.
    ContactList& find(double margin) {
        for (;;) {
            find_contacts(shapes, margin, list);
            if (list.count <= list.capacity) return list;
            make_room(2 * list.count);
        }
    }
    void make_room(int32_t capacity) {
        list_shapes_.resize(2 * (size_t)capacity);
        list_reals_.resize(7 * (size_t)capacity);
        list.capacity = capacity;
        list.shapes = list_shapes_.data();
        list.points = list_reals_.data();
        list.normals = list.points + 3LL * capacity;
        list.distances = list.normals + 3LL * capacity;
    }

    Shapes shapes{};
    ContactList list{};

private:
    template <class T>
    static void keep(std::vector<T>& to, const T* from, int64_t count) {
        to.assign(from, from + count);
    }
    // Everything that kernels follow blindly.
    void check() const {
        const Shapes& s = shapes;
        const auto corners = (int64_t)corners_d.size() / 3, heights = (int64_t)heights_d.size();
        const auto facets = (int64_t)first_i.size() - 1, of = (int64_t)of_i.size();
        for (int64_t f = 0; f < facets; ++f)
            if (first_i[(size_t)f] < 0 || first_i[(size_t)f + 1] < first_i[(size_t)f] + 3 ||
                first_i[(size_t)f + 1] > of)
                raise_usage("a facet of a hull needs three corners or more");
        for (int32_t corner : of_i)
            if (corner < 0 || corner >= corners)
                raise_usage("a facet has a corner that is missing");
        for (int32_t i = 0; i < s.count; ++i) {
            const int32_t* list_ = s.list(i);
            if (s.link(i) < 0 || s.link(i) >= s.link_count)
                raise_usage("a shape is on link " + not_among(s.link(i), s.link_count));
            const int32_t kind = s.kind(i);
            if (kind < 0 || kind > SHAPE_HULL || kind == 4) raise_usage("no such kind of shape");
            if (kind == SHAPE_HULL &&
                (list_[0] < 0 || list_[1] < 1 || list_[0] + (int64_t)list_[1] > corners ||
                 list_[2] < 0 || list_[3] < 1 || list_[2] + (int64_t)list_[3] > facets))
                raise_usage("a hull lists corners or facets that are missing");
            if (kind == SHAPE_HEIGHTS && (list_[0] < 0 || list_[1] < 2 || list_[3] < 2 ||
                                          list_[0] + (int64_t)list_[1] * list_[3] > heights))
                raise_usage("a height field needs two rows and columns or more, and their heights");
        }
    }

    std::vector<int32_t> ints_i, first_i, of_i, meets_i, order_, list_shapes_;
    std::vector<double> reals_d, surfaces_d, corners_d, planes_d, heights_d, memory_, list_reals_;
};

// Shapes from the arrays that their constructor takes.
inline std::unique_ptr<OwnShapes> shapes_from(const nb::tuple& arrays) {
    if (arrays.size() != 10) raise_usage("shapes are ten arrays");
    return std::make_unique<OwnShapes>(arrays[0], arrays[1], arrays[2], arrays[3], arrays[4],
                                       arrays[5], arrays[6], arrays[7], arrays[8],
                                       nb::cast<int32_t>(arrays[9]));
}

}  // namespace kinegen::python
