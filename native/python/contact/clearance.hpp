// Distances between the bodies of a model, for Python: its blocks, its shapes, and their pairs.
#pragma once

#include "kernel/contact/clearance.hpp"
#include "python/contact/shapes.hpp"
#include "python/base/model.hpp"
#include "python/border/threads.hpp"
#include "python/border/turns.hpp"

namespace kinegen::python {

// Shapes that are placed apart from those they were copied from, and rows to write to.
class ClearanceMemory {
public:
    ClearanceMemory(const Shapes& from, const Model& m, int32_t body_count)
        : shapes(from), links((size_t)(TRANSFORM_SIZE * (int64_t)m.link_count)) {
        const auto count = (size_t)from.count;
        X_.assign(from.X, from.X + TRANSFORM_SIZE * count);
        shapes.X = X_.data();
        shapes.is_placed = false;
        slots_.assign((size_t)body_count * (size_t)body_count, -1);
        make_room(32);
    }
    ClearanceMemory(const ClearanceMemory&) = delete;
    ClearanceMemory& operator=(const ClearanceMemory&) = delete;

    void make_room(int32_t capacity) {
        shape_rows_.resize(2 * (size_t)capacity);
        real_rows_.resize((size_t)(CLEARANCE_REALS * (int64_t)capacity));
        list = ClearanceList{capacity, 0, shape_rows_.data(), real_rows_.data(), slots_.data()};
    }

    Shapes shapes;
    ClearanceList list{};
    std::vector<double> links;

private:
    std::vector<double> X_, real_rows_;
    std::vector<int32_t> shape_rows_, slots_;
};

// Signatures as in kernels/protocols/contact.py.
class BoundClearance {
public:
    BoundClearance(nb::handle ints, nb::handle reals, nb::handle body, nb::handle shape_ints,
                   nb::handle shape_reals, nb::handle surfaces, nb::handle corners,
                   nb::handle planes, nb::handle facet_first, nb::handle facet_corners,
                   nb::handle heights, nb::handle meets, int32_t link_count)
        : ints_(ints, "ints"),
          reals_(reals, "reals"),
          model(model_in(ints_, reals_)),
          own_(shape_numbers(shape_ints, shape_reals, surfaces, corners, planes, facet_first,
                             facet_corners, heights, meets, link_count)) {
        if (link_count != model.link_count)
            raise_usage("the shapes are on " + std::to_string(link_count) +
                        " links, but the model has " + std::to_string(model.link_count));
        const Borrowed body_(body, "body");
        const int32_t* given = body_.numbers<int32_t>(own_.shapes.count);
        bodies.assign(given, given + own_.shapes.count);
        for (int32_t b : bodies) {
            if (b < 0 || b >= own_.shapes.count)
                raise_usage("no such body: " + not_among(b, own_.shapes.count));
            body_count = std::max(body_count, b + 1);
        }
        pairs.resize(2 * (size_t)list_pairs(own_.shapes, nullptr));
        list_pairs(own_.shapes, pairs.data());
    }

    // Row of qs, shapes (2), distance, normal and nearest points (10) of all bodies that are nearer
    // than a margin; gradients (nv) if they are asked for.
    nb::object measure(nb::handle qs, double margin, bool gradients, int32_t threads) {
        const Borrowed qs_(qs, "qs");
        const double* all = qs_.data<double>({-1, model.nq});
        const int64_t count = qs_.shape(0), nv = gradients ? model.nv : 0;
        const int64_t chunk = 64, chunks = (count + chunk - 1) / chunk;
        std::vector<Rows> parts((size_t)chunks);
        const auto work = [&](int64_t first, int64_t last) {
            ClearanceMemory mine(own_.shapes, model, body_count);
            Rows& rows = parts[(size_t)(first / chunk)];
            for (int64_t i = first; i < last; ++i) {
                const double* q = all + i * model.nq;
                find(mine, q, margin);
                append(mine, q, i, gradients, rows);
            }
        };
        if (count == 1) {
            work(0, 1);
        } else {
            nb::gil_scoped_release unlocked;
            in_parallel(count, threads, chunk, work);
        }
        Rows whole;
        for (Rows& part : parts) {
            if (parts.size() == 1) {
                whole = std::move(part);
                break;
            }
            whole.at.insert(whole.at.end(), part.at.begin(), part.at.end());
            whole.shapes.insert(whole.shapes.end(), part.shapes.begin(), part.shapes.end());
            whole.reals.insert(whole.reals.end(), part.reals.begin(), part.reals.end());
            whole.slopes.insert(whole.slopes.end(), part.slopes.begin(), part.slopes.end());
        }
        const size_t n = whole.at.size();
        return nb::make_tuple(new_array(std::move(whole.at), {n}),
                              new_array(std::move(whole.shapes), {n, 2}),
                              new_array(std::move(whole.reals), {n, (size_t)CLEARANCE_REALS}),
                              new_array(std::move(whole.slopes), {nv ? n : 0, (size_t)model.nv}));
    }

    // Bodies nearer than a margin at q, in the rows of `mine`.
    void find(ClearanceMemory& mine, const double* q, double margin) const {
        forward_links(model, q, mine.links.data());
        place_shapes(mine.shapes, mine.links.data());
        for (;;) {
            find_clearances(mine.shapes, pairs.data(), (int32_t)(pairs.size() / 2), bodies.data(),
                            body_count, margin, mine.list);
            if (mine.list.count <= mine.list.capacity) return;
            mine.make_room(2 * mine.list.count);
        }
    }

    const Shapes& shapes() const { return own_.shapes; }

private:
    struct Rows {
        std::vector<int32_t> at, shapes;
        std::vector<double> reals, slopes;
    };

    void append(const ClearanceMemory& mine, const double* q, int64_t number, bool gradients,
                Rows& rows) const {
        const ClearanceList& list = mine.list;
        for (int32_t n = 0; n < list.count; ++n) {
            const int32_t* shape = list.shapes + 2LL * n;
            const double* row = list.reals + CLEARANCE_REALS * (int64_t)n;
            rows.at.push_back((int32_t)number);
            rows.shapes.insert(rows.shapes.end(), shape, shape + 2);
            rows.reals.insert(rows.reals.end(), row, row + CLEARANCE_REALS);
            if (!gradients) continue;
            PairDistance d;
            for (int k = 0; k < 3; ++k) {
                d.normal[k] = row[1 + k];
                d.p[k] = row[4 + k];
                d.q[k] = row[7 + k];
            }
            rows.slopes.resize(rows.slopes.size() + (size_t)model.nv);
            distance_gradient(model, q, mine.links.data(), mine.shapes.link(shape[0]),
                              mine.shapes.link(shape[1]), d,
                              rows.slopes.data() + rows.slopes.size() - model.nv);
        }
    }

    Borrowed ints_, reals_;

public:
    Model model;
    std::vector<int32_t> bodies, pairs;
    int32_t body_count = 0;

private:
    SoundShapes own_;
};

}  // namespace kinegen::python
