// Contacts of the reduced engine for Python: arrays in, and what they did.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "python/contact/shapes.hpp"
#include "reduced/contacts.hpp"

namespace kinegen::python {

class ReducedContacts : public ReducedTouching {
public:
    using ReducedTouching::ReducedTouching;

    // As ReducedTouching has it, from arrays.
    void touch(const nb::tuple& arrays, nb::handle reach, double margin) {
        std::unique_ptr<OwnShapes> made = shapes_from(arrays);
        if (made->shapes.link_count != model().link_count)
            raise_usage("the shapes are on other links than the model's");
        ReducedTouching::touch(std::move(made), copied<double>(reach, "reach", model().link_count),
                               margin);
    }

    // Contacts of the last step: pairs of shapes, points, normals, distances, and what they did to
    // links b over it (n × 6), world axes: impulse, and its moment beside that of its arm.
    nb::object found() const {
        const size_t n = (size_t)count();
        const ContactList& found = list();
        std::vector<double> impulses(6 * n);
        for (size_t i = 0; i < n; ++i) impulse((int32_t)i, impulses.data() + 6 * i);
        return nb::make_tuple(
            new_array(std::vector<int32_t>(found.shapes, found.shapes + 2 * n), {n, 2}),
            new_array(std::vector<double>(found.points, found.points + 3 * n), {n, 3}),
            new_array(std::vector<double>(found.normals, found.normals + 3 * n), {n, 3}),
            new_array(std::vector<double>(found.distances, found.distances + n), {n}),
            new_array(std::move(impulses), {n, 6}));
    }

    // Contacts after a step, given from outside: links a and b, points, normals from a to b (n × 3,
    // world axes), distances, surfaces (n × 4: friction, restitution, torsional and rolling
    // friction), speeds when the step began. Returns what they do to links b (n × 6) and the
    // sweeps.
    std::pair<nb::object, int32_t> meet(nb::handle link_a, nb::handle link_b, nb::handle points,
                                        nb::handle normals, nb::handle distances,
                                        nb::handle surfaces, nb::handle v_start) {
        const Borrowed a(link_a, "link_a"), b(link_b, "link_b"), p(points, "points");
        const Borrowed n(normals, "normals"), d(distances, "distances");
        const Borrowed f(surfaces, "surfaces"), start(v_start, "v_start");
        const int64_t count = a.size();
        Touches c{};
        c.link_a = a.numbers<int32_t>(count);
        c.link_b = b.numbers<int32_t>(count);
        if (!indices_within(c.link_a, (int32_t)count, 0, model().link_count) ||
            !indices_within(c.link_b, (int32_t)count, 0, model().link_count))
            raise_usage("a contact is on a link that the model does not have");
        c.points = p.numbers<double>(3 * count);
        c.normals = n.numbers<double>(3 * count);
        c.distance = d.numbers<double>(count);
        c.surface = f.numbers<double>(4 * count);
        c.v_start = start.numbers<double>(model().nv);
        make_touches((int32_t)count, c);
        for (int64_t i = 0; i < CONTACT_ROWS * count; ++i) c.impulses[i] = 0;
        {
            nb::gil_scoped_release release;
            meet_given(c);
        }
        std::vector<double> impulses(6 * (size_t)count);
        for (int64_t i = 0; i < count; ++i)
            world_impulse(c.normals + 3 * i, c.impulses + CONTACT_ROWS * i,
                          impulses.data() + 6 * i);
        return {new_array(std::move(impulses), {(size_t)count, 6}), c.sweeps};
    }

    // What the next step begins with, as ReducedTouching keeps it.
    nb::object for_later() const {
        const size_t n = (size_t)count();
        const int32_t* pairs = kept_pairs();
        return nb::make_tuple(new_array(std::vector<int32_t>(pairs, pairs + 2 * n), {n, 2}),
                              new_array(kept_rows(), {n, (size_t)KEPT_CONTACT}),
                              new_array(kept_held(), {(size_t)held_count(), 2}));
    }
    void resume(nb::handle contacts) {
        if (!nb::isinstance<nb::tuple>(contacts) || nb::len(contacts) != 3)
            raise_usage("contacts to resume from are pairs, rows and what joints held");
        const nb::tuple parts = nb::borrow<nb::tuple>(contacts);
        const Borrowed pairs(parts[0], "pairs"), rows(parts[1], "rows"), held(parts[2], "held");
        const int64_t count = pairs.size() / 2;
        const int32_t* which = pairs.numbers<int32_t>(2 * count);
        const double* numbers = rows.numbers<double>(KEPT_CONTACT * count);
        resume_held((int32_t)(held.size() / 2), held.numbers<double>(held.size()));
        ReducedTouching::resume((int32_t)count, which, numbers);
    }
};

}  // namespace kinegen::python
