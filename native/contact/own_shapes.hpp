// Shapes that touch, with the memory that kernels need.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernel/contact/find.hpp"

namespace kinegen {

// What shapes are made of, as in kernels/protocols/contact.py.
struct ShapeNumbers {
    std::vector<int32_t> ints;
    std::vector<double> reals, surfaces, corners, planes;
    std::vector<int32_t> facet_first, facet_corners;
    std::vector<double> heights;
    std::vector<int32_t> meets;
    int32_t link_count = 0;
};

class OwnShapes {
public:
    // Sizes of the arrays fit each other; where flaw() is not empty, nothing else may be called.
    explicit OwnShapes(ShapeNumbers numbers) : n_(std::move(numbers)) {
        Shapes& s = shapes;
        s.count = (int32_t)((int64_t)n_.ints.size() / SHAPE_INTS);
        s.link_count = n_.link_count;
        s.ints = n_.ints.data();
        s.reals = n_.reals.data();
        s.surfaces = n_.surfaces.data();
        s.corners = n_.corners.data();
        s.planes = n_.planes.data();
        s.facet_first = n_.facet_first.data();
        s.facet_corners = n_.facet_corners.data();
        s.heights = n_.heights.data();
        s.meets = n_.meets.data();
        flaw_ = find_flaw();
        if (!flaw_.empty()) return;
        memory_.resize((size_t)((TRANSFORM_SIZE + 1) * (int64_t)s.count + 1));
        order_.resize((size_t)s.count + 1);
        Arena<double> reals_arena{memory_.data(), 0};
        Arena<int32_t> ints_arena{order_.data(), 0};
        lay_out_shapes(reals_arena, ints_arena, s);
        measure_shapes(s);
    }
    OwnShapes(const OwnShapes&) = delete;
    OwnShapes& operator=(const OwnShapes&) = delete;

    // What kernels, which follow all numbers blindly, would stumble over.
    const std::string& flaw() const { return flaw_; }

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
    std::string find_flaw() const {
        const Shapes& s = shapes;
        const auto corners = (int64_t)n_.corners.size() / 3, heights = (int64_t)n_.heights.size();
        const auto facets = (int64_t)n_.facet_first.size() - 1;
        const auto of = (int64_t)n_.facet_corners.size();
        for (int64_t f = 0; f < facets; ++f) {
            const int32_t *first = n_.facet_first.data() + f, *next = first + 1;
            if (*first < 0 || *next < *first + 3 || *next > of)
                return "a facet of a hull needs three corners or more";
        }
        for (int32_t corner : n_.facet_corners)
            if (corner < 0 || corner >= corners) return "a facet has a corner that is missing";
        for (int32_t i = 0; i < s.count; ++i) {
            const int32_t* list_ = s.list(i);
            if (s.link(i) < 0 || s.link(i) >= s.link_count)
                return "a shape is on link " + std::to_string(s.link(i)) + " (allowed: 0 to " +
                       std::to_string(s.link_count - 1) + ")";
            const int32_t kind = s.kind(i);
            if (kind < 0 || kind > SHAPE_HULL || kind == 4) return "no such kind of shape";
            if (kind == SHAPE_HULL &&
                (list_[0] < 0 || list_[1] < 1 || list_[0] + (int64_t)list_[1] > corners ||
                 list_[2] < 0 || list_[3] < 1 || list_[2] + (int64_t)list_[3] > facets))
                return "a hull lists corners or facets that are missing";
            if (kind == SHAPE_HEIGHTS && (list_[0] < 0 || list_[1] < 2 || list_[3] < 2 ||
                                          list_[0] + (int64_t)list_[1] * list_[3] > heights))
                return "a height field needs two rows and columns or more, and their heights";
        }
        return "";
    }

    ShapeNumbers n_;
    std::string flaw_;
    std::vector<int32_t> order_, list_shapes_;
    std::vector<double> memory_, list_reals_;
};

}  // namespace kinegen
