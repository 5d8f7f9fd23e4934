// Contacts of the reduced engine for Python: their shapes, their memory, and what they did.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "kernel/reduced/contacts.hpp"
#include "kernel/reduced/run.hpp"
#include "python/contact.hpp"

namespace kinegen::python {

class ReducedContacts {
public:
    explicit ReducedContacts(ReducedEngine& engine) : engine_(engine) {}
    ReducedContacts(const ReducedContacts&) = delete;
    ReducedContacts& operator=(const ReducedContacts&) = delete;

    bool are_found() const { return shapes_ != nullptr; }

    // Lets bodies touch in all steps from now on: shapes, how far those of each link reach from its
    // origin, and the least distance from which on they count.
    void touch(const nb::tuple& arrays, nb::handle reach, double margin) {
        std::unique_ptr<OwnShapes> made = shapes_from(arrays);
        if (made->shapes.link_count != model().link_count)
            raise_usage("the shapes are on other links than the model's");
        reach_ = copied<double>(reach, "reach", model().link_count);
        shapes_ = std::move(made);
        source_ = TouchSource{};
        source_.reach = reach_.data();
        source_.margin = margin;
        v_start_.assign((size_t)model().nv, 0);
        engine_.meets_later = true;
        found_ = 0;
    }
    // Whether steps that begin with bodies that press on each other are semi-implicit ones, with
    // another opening at which they are repeated.
    void ease(bool eases, double refine) {
        eases_ = eases;
        easy_refine_ = refine;
    }
    // The integrator and the opening of steps in which no bodies press on each other.
    void set(int32_t integrator, double refine) {
        integrator_ = integrator;
        refine_ = refine;
    }
    // A motion begins: there was no step before.
    void forget() { source_.known = found_ = 0; }

    // Runs steps; before and after each, contacts do what they do.
    template <class Stop>
    int64_t run(int64_t steps, double& trial, Stop& stop) {
        const int64_t done = run_reduced(engine_, steps, trial, stop, Meeting{*this});
        engine_.integrator = integrator_;
        engine_.refine = refine_;
        return done;
    }

    // Contacts of the last step: pairs of shapes, points, normals, distances, and what they did to
    // links b over it (n × 6), world axes: impulse, and its moment beside that of its arm.
    nb::object found() const {
        const size_t n = (size_t)found_;
        const ContactList empty{};
        const ContactList& list = shapes_ ? shapes_->list : empty;
        std::vector<double> impulses(6 * n);
        for (size_t i = 0; i < n; ++i)
            world_impulse(list.normals + 3 * i, known_impulses_.data() + CONTACT_ROWS * i,
                          impulses.data() + 6 * i);
        return nb::make_tuple(
            new_array(std::vector<int32_t>(list.shapes, list.shapes + 2 * n), {n, 2}),
            new_array(std::vector<double>(list.points, list.points + 3 * n), {n, 3}),
            new_array(std::vector<double>(list.normals, list.normals + 3 * n), {n, 3}),
            new_array(std::vector<double>(list.distances, list.distances + n), {n}),
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
        engine_.report.stops = 0;
        {
            nb::gil_scoped_release release;
            use_springs_as_rows(engine_.system, false);
            assemble_dense(engine_, engine_.q, nullptr);
            move_tree(engine_.system.tree, engine_.v);
            meet_contacts(engine_, c, engine_.step);
            keep_stops(engine_);
        }
        std::vector<double> impulses(6 * (size_t)count);
        for (int64_t i = 0; i < count; ++i)
            world_impulse(c.normals + 3 * i, c.impulses + CONTACT_ROWS * i,
                          impulses.data() + 6 * i);
        return {new_array(std::move(impulses), {(size_t)count, 6}), c.sweeps};
    }

    // The contacts of the last step, from which the next begins.
    nb::object for_later() const {
        const size_t n = (size_t)found_;
        const ContactList empty{};
        const ContactList& list = shapes_ ? shapes_->list : empty;
        std::vector<double> rows(13 * n);
        for (size_t i = 0; i < n; ++i) {
            for (size_t k = 0; k < 3; ++k) {
                rows[13 * i + k] = list.points[3 * i + k];
                rows[13 * i + 3 + k] = list.normals[3 * i + k];
            }
            rows[13 * i + 6] = list.distances[i];
            for (size_t k = 0; k < CONTACT_ROWS; ++k)
                rows[13 * i + 7 + k] = known_impulses_[CONTACT_ROWS * i + k];
        }
        return nb::make_tuple(new_array(std::vector<int32_t>(known_shapes_.begin(),
                                                             known_shapes_.begin() + 2 * found_),
                                        {n, 2}),
                              new_array(std::move(rows), {n, 13}));
    }
    void resume(nb::handle contacts) {
        if (!nb::isinstance<nb::tuple>(contacts) || nb::len(contacts) != 2)
            raise_usage("contacts to resume from are pairs and rows");
        const nb::tuple both = nb::borrow<nb::tuple>(contacts);
        const Borrowed pairs(both[0], "pairs"), rows(both[1], "rows");
        const int64_t count = pairs.size() / 2;
        const int32_t* which = pairs.numbers<int32_t>(2 * count);
        const double* numbers = rows.numbers<double>(13 * count);
        found_ = source_.known = shapes_ ? (int32_t)count : 0;
        if (!shapes_) return;
        known_shapes_.assign(which, which + 2 * count);
        known_impulses_.resize((size_t)CONTACT_ROWS * (size_t)count);
        if (shapes_->list.capacity < count) shapes_->make_room((int32_t)count);
        ContactList& list = shapes_->list;
        list.count = (int32_t)count;
        for (int64_t i = 0; i < count; ++i) {
            for (int k = 0; k < 2; ++k) list.shapes[2 * i + k] = which[2 * i + k];
            for (int k = 0; k < 3; ++k) {
                list.points[3 * i + k] = numbers[13 * i + k];
                list.normals[3 * i + k] = numbers[13 * i + 3 + k];
            }
            list.distances[i] = numbers[13 * i + 6];
            for (int k = 0; k < CONTACT_ROWS; ++k)
                known_impulses_[(size_t)(CONTACT_ROWS * i + k)] = numbers[13 * i + 7 + k];
        }
    }

private:
    // What is done before and after every step where bodies touch.
    struct Meeting {
        ReducedContacts& own;
        // Bodies that press on each other while they move calmly need no more than second order.
        void begin(ReducedEngine& e) {
            copy_all(own.v_start_.data(), e.v, own.model().nv);
            bool pressed = false;
            for (int32_t i = 0; i < own.found_; ++i)
                pressed = pressed || own.known_impulses_[(size_t)CONTACT_ROWS * (size_t)i] > 0;
            double fast = 0;
            for (int32_t i = 0; i < own.model().nv; ++i) fast = larger(fast, fabs(e.v[i]));
            const bool easy = own.eases_ && pressed && fast * e.step < CALM;
            e.integrator = easy ? SEMI_IMPLICIT : own.integrator_;
            e.refine = easy ? larger(own.refine_, own.easy_refine_) : own.refine_;
        }
        void end(ReducedEngine&) { own.meet_found(); }
    };

    // Finds contacts where the step ended, and lets them push.
    void meet_found() {
        ReducedEngine& e = engine_;
        ReducedTree& t = e.system.tree;
        Shapes& s = shapes_->shapes;
        use_springs_as_rows(e.system, false);
        // the place may be that of a stiffened system, or not be there at all
        if (e.integrator == IMPLICIT) e.is_dense = false;
        need_dense(e, e.q, nullptr);
        move_tree(t, e.v);
        const double reach = 2 * e.step * fastest_point(t, source_.reach);
        place_shapes(s, t.X);
        ContactList& list = shapes_->find(larger(source_.margin, reach));
        const int32_t count = found_ = list.count;
        make_touches(count, touches_);
        link_a_found_.resize((size_t)count);
        link_b_found_.resize((size_t)count);
        surfaces_.resize(4 * (size_t)count);
        for (int32_t i = 0; i < count; ++i) {
            const int32_t a = list.shapes[2 * i], b = list.shapes[2 * i + 1];
            link_a_found_[(size_t)i] = s.link(a);
            link_b_found_[(size_t)i] = s.link(b);
            join_surfaces(s.surfaces + SURFACE_SIZE * (int64_t)a,
                          s.surfaces + SURFACE_SIZE * (int64_t)b, surfaces_.data() + 4LL * i);
        }
        source_.list = list;
        source_.known_shapes = known_shapes_.data();
        source_.known_impulses = known_impulses_.data();
        guess_impulses(source_, touches_.impulses);
        touches_.link_a = link_a_found_.data();
        touches_.link_b = link_b_found_.data();
        touches_.points = list.points;
        touches_.normals = list.normals;
        touches_.distance = list.distances;
        touches_.surface = surfaces_.data();
        touches_.v_start = v_start_.data();
        e.report.stops = 0;
        meet_contacts(e, touches_, e.step);
        keep_stops(e);
        known_shapes_.assign(list.shapes, list.shapes + 2LL * count);
        known_impulses_.assign(touches_.impulses,
                               touches_.impulses + (int64_t)CONTACT_ROWS * count);
        source_.known = count;
        use_springs_as_rows(e.system, e.integrator == IMPLICIT);
    }
    // Memory for so many contacts.
    void make_touches(int32_t count, Touches& c) {
        Arena<double> real_count{nullptr, 0};
        Arena<int32_t> int_count{nullptr, 0};
        lay_out_touches(engine_, count, real_count, int_count, c);
        if ((int64_t)touch_reals_.size() < real_count.used)
            touch_reals_.resize(2 * (size_t)real_count.used);
        if ((int64_t)touch_ints_.size() < int_count.used)
            touch_ints_.resize(2 * (size_t)int_count.used);
        Arena<double> reals{touch_reals_.data(), 0};
        Arena<int32_t> ints{touch_ints_.data(), 0};
        lay_out_touches(engine_, count, reals, ints, c);
    }
    const Model& model() const { return *engine_.system.tree.model; }

    // Way of any variable in a step [rad, m] below which mechanisms move calmly: what a step of
    // order two errs by, its third power, is near rounding then.
    static constexpr double CALM = 1e-3;

    ReducedEngine& engine_;
    std::unique_ptr<OwnShapes> shapes_;
    TouchSource source_{};
    Touches touches_{};
    int32_t found_ = 0, integrator_ = 0;
    bool eases_ = false;
    double refine_ = 0, easy_refine_ = 0;
    std::vector<double> reach_, v_start_, surfaces_, known_impulses_, touch_reals_;
    std::vector<int32_t> known_shapes_, link_a_found_, link_b_found_, touch_ints_;
};

}  // namespace kinegen::python
