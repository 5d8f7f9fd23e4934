// The reduced engine for Python; signatures as in kernels/reference/reduced/engine.py.
#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "kernel/reduced/contacts.hpp"
#include "kernel/reduced/reactions.hpp"
#include "kernel/reduced/run.hpp"
#include "python/arrays.hpp"
#include "python/contact.hpp"
#include "python/model.hpp"
#include "python/turns.hpp"

using namespace kinegen;
using namespace kinegen::python;

namespace {

template <class T>
std::vector<T> copied(nb::handle object, const char* name, int64_t count) {
    const Borrowed given(object, name);
    const T* numbers = given.numbers<T>(count);
    return std::vector<T>(numbers, numbers + count);
}

class BoundReduced {
public:
    BoundReduced(nb::handle ints, nb::handle reals, nb::handle link_a, nb::handle point_a,
                 nb::handle link_b, nb::handle point_b, nb::handle numbers)
        : ints_(ints, "ints"), reals_(reals, "reals", true), model_(model_in(ints_, reals_)) {
        own_.resize((size_t)reals_.size());
        fetch();
        bind_model(ints_.data<int32_t>(), ints_.size(), own_.data(), (int64_t)own_.size(), model_);
        const Borrowed links(link_a, "link_a");
        const int64_t count = links.size();
        link_a_ = copied<int32_t>(link_a, "link_a", count);
        link_b_ = copied<int32_t>(link_b, "link_b", count);
        points_a_ = copied<double>(point_a, "point_a", 3 * count);
        points_b_ = copied<double>(point_b, "point_b", 3 * count);
        numbers_ = copied<double>(numbers, "numbers", 3 * count);  // stiffness, damping, rest
        if (!indices_within(link_a_.data(), (int32_t)count, 0, model_.link_count) ||
            !indices_within(link_b_.data(), (int32_t)count, 0, model_.link_count))
            raise_usage("a spring ends on a link that the model does not have");
        build();
    }

    // Ways to run: integrator, step, tolerance, stops, friction, restitution, opening at which a
    // step is repeated.
    void set(int32_t integrator, double step, double tolerance, bool stops, bool friction,
             double restitution, double refine) {
        const Turn::Taken taken(turn_);
        engine_.integrator = integrator_ = integrator;
        engine_.step = step;
        engine_.tolerance = tolerance;
        engine_.with_stops = stops;
        engine_.with_friction = friction;
        engine_.restitution = restitution;
        engine_.refine = refine_ = refine;
        trial_ = 0;
    }

    // Solves for masses and loops by one method only; -1: by what takes the least work.
    void choose(int32_t method) {
        const Turn::Taken taken(turn_);
        wanted_ = method;
        sift();
        choose_method();
    }
    int32_t method() const { return engine_.method; }

    // Stiffness, damping and rest length of every spring, again.
    void set_springs(nb::handle numbers) {
        const Turn::Taken taken(turn_);
        numbers_ = copied<double>(numbers, "numbers", (int64_t)numbers_.size());
        point();
    }

    // Starts at q, v: closes the loops there. Returns (closed, gap, angle gap).
    nb::object start(nb::handle q, nb::handle v, double time) {
        const Turn::Taken taken(turn_);
        fetch();
        const Borrowed q_(q, "q"), v_(v, "v");
        make_room();
        copy_all(engine_.q, q_.numbers<double>(model_.nq), model_.nq);
        copy_all(engine_.v, v_.numbers<double>(model_.nv), model_.nv);
        engine_.report = RunReport{};
        engine_.time = time;
        engine_.work = 0;
        source_.known = 0;
        found_ = 0;
        for (int32_t i = 0; i < model_.nv; ++i) engine_.held_impulse[i] = 0;
        trial_ = 0;
        refresh_engine(engine_);
        use_springs_as_rows(engine_.system, false);
        sift();
        forget_peaks();
        const bool closed = close_loops(engine_, engine_.q, nullptr);
        close_speeds(engine_, engine_.v);
        need_places(engine_, engine_.q);
        move_tree(engine_.system.tree, engine_.v);
        read_cuts(engine_, engine_.q);
        read_cut_speeds(engine_, engine_.v);
        return nb::make_tuple(closed, engine_.left.linear, engine_.left.angular);
    }
    double stiffness() {
        const Turn::Taken taken(turn_);
        fetch();
        refresh_engine(engine_);
        return stiffness_of_step(engine_, engine_.step, engine_.q);
    }

    // Runs steps under loads (wrenches: six per link, or None); returns a tuple of the report.
    nb::object run(int64_t steps, nb::handle tau, nb::handle wrenches) {
        const Turn::Taken taken(turn_);
        fetch();
        make_room();
        load(tau, wrenches);
        sift();
        int64_t done = 0;
        {
            nb::gil_scoped_release release;
            SharedStop stop;
            if (shapes_) {
                done = run_reduced(engine_, steps, trial_, stop, Meeting{*this});
                engine_.integrator = integrator_;
                engine_.refine = refine_;
            } else
                done = run_reduced(engine_, steps, trial_, stop);
            stop.end();
        }
        return report(done);
    }
    // Whether stops and friction wait for meet().
    void meet_later(bool later) {
        const Turn::Taken taken(turn_);
        engine_.meets_later = later;
    }

    // Lets bodies touch in all steps from now on: shapes, how far those of each link reach from its
    // origin, and the least distance from which on they count.
    void touch(nb::tuple arrays, nb::handle reach, double margin) {
        const Turn::Taken taken(turn_);
        if (arrays.size() != 10) raise_usage("shapes are ten arrays");
        const Borrowed far(reach, "reach");
        const double* numbers = far.numbers<double>(model_.link_count);
        reach_.assign(numbers, numbers + model_.link_count);
        shapes_ = std::make_unique<OwnShapes>(arrays[0], arrays[1], arrays[2], arrays[3], arrays[4],
                                              arrays[5], arrays[6], arrays[7], arrays[8],
                                              nb::cast<int32_t>(arrays[9]));
        if (shapes_->shapes.link_count != model_.link_count)
            raise_usage("the shapes are on other links than the model's");
        source_ = TouchSource{};
        source_.reach = reach_.data();
        source_.margin = margin;
        v_start_.assign((size_t)model_.nv, 0);
        engine_.meets_later = true;
        found_ = 0;
        choose_method();
    }
    // Whether steps that begin with bodies that press on each other are semi-implicit ones, with
    // another opening at which they are repeated.
    void ease(bool eases, double refine) {
        const Turn::Taken taken(turn_);
        eases_ = eases;
        easy_refine_ = refine;
    }
    // Contacts of the last step: pairs of shapes, points, normals, distances, and what they did to
    // links b over it (n × 6), world axes: impulse, and its moment beside that of its arm.
    nb::object contacts() const {
        const Turn::Taken taken(turn_);
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
    // friction), speeds when the step began. Returns the report, what they do to links b (n × 6)
    // and the sweeps.
    nb::object meet(nb::handle link_a, nb::handle link_b, nb::handle points, nb::handle normals,
                    nb::handle distances, nb::handle surfaces, nb::handle v_start) {
        const Turn::Taken taken(turn_);
        const Borrowed a(link_a, "link_a"), b(link_b, "link_b"), p(points, "points");
        const Borrowed n(normals, "normals"), d(distances, "distances");
        const Borrowed f(surfaces, "surfaces"), start(v_start, "v_start");
        const int64_t count = a.size();
        Touches c{};
        c.link_a = a.numbers<int32_t>(count);
        c.link_b = b.numbers<int32_t>(count);
        if (!indices_within(c.link_a, (int32_t)count, 0, model_.link_count) ||
            !indices_within(c.link_b, (int32_t)count, 0, model_.link_count))
            raise_usage("a contact is on a link that the model does not have");
        c.points = p.numbers<double>(3 * count);
        c.normals = n.numbers<double>(3 * count);
        c.distance = d.numbers<double>(count);
        c.surface = f.numbers<double>(4 * count);
        c.v_start = start.numbers<double>(model_.nv);
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
        return nb::make_tuple(report(1), new_array(std::move(impulses), {(size_t)count, 6}),
                              c.sweeps);
    }
    // Mean efforts of stops and dry friction over the last step, (nv,).
    nb::object held() const {
        const Turn::Taken taken(turn_);
        std::vector<double> out((size_t)model_.nv);
        for (size_t i = 0; i < out.size(); ++i) out[i] = engine_.held_impulse[i] / engine_.step;
        const size_t nv = out.size();
        return new_array(std::move(out), {nv});
    }
    nb::object q() const {
        const Turn::Taken taken(turn_);
        return vector(engine_.q, model_.nq);
    }
    nb::object v() const {
        const Turn::Taken taken(turn_);
        return vector(engine_.v, model_.nv);
    }

    // All that the next steps depend on, beside the model and the ways to run.
    nb::object snapshot() const {
        const Turn::Taken taken(turn_);
        return nb::make_tuple(vector(engine_.q, model_.nq), vector(engine_.v, model_.nv),
                              vector(engine_.held_impulse, model_.nv), engine_.time, engine_.work,
                              trial_, contacts_for_later());
    }
    // Continues from a state, bit for bit: unlike start(), nothing is closed.
    void resume(nb::handle q, nb::handle v, nb::handle held_impulse, double time, double work,
                double trial, nb::handle contacts) {
        const Turn::Taken taken(turn_);
        fetch();
        const Borrowed q_(q, "q"), v_(v, "v"), held(held_impulse, "held_impulse");
        make_room();
        sift();
        copy_all(engine_.q, q_.numbers<double>(model_.nq), model_.nq);
        copy_all(engine_.v, v_.numbers<double>(model_.nv), model_.nv);
        copy_all(engine_.held_impulse, held.numbers<double>(model_.nv), model_.nv);
        engine_.time = time;
        engine_.work = work;
        trial_ = trial;
        resume_contacts(contacts);
    }

    // Rows of all loops at q: J (rows × nv, tree part), C (nv × nv: speeds of cut joints by those
    // of the tree), T (rows × 6: unit wrenches about K's origin, world axes), the rows' loops.
    nb::object rows(nb::handle q) {
        const Turn::Taken taken(turn_);
        fetch();
        const Borrowed q_(q, "q");
        place(q_.numbers<double>(model_.nq));
        ReducedSystem& s = engine_.system;
        const Couplings& c = s.ties;
        const size_t nv = (size_t)model_.nv, rows = (size_t)c.row_count;
        std::vector<double> J(rows * nv), C(nv * nv), T(rows * 6);
        std::vector<int32_t> loop(rows);
        for (int32_t i = 0; i < c.loop_count; ++i) {
            coupling_rows(s, i);
            const int32_t cut = model_.loop_joint[c.loop[i]];
            cut_axes(s.tree, c, i, engine_.axes);
            for (int32_t k = c.reach_first[i]; k < c.reach_first[i + 1]; ++k) {
                const int32_t at = c.reach[k], v = s.tree.index[at];
                for (int32_t row = c.row_first[i]; row < c.row_first[i + 1]; ++row)
                    J[(size_t)row * nv + (size_t)v] = s.Y[(int64_t)row * s.tree.n + at];
                for (int32_t f = 0; f < JOINT_NV[model_.joint_type[cut]]; ++f)
                    C[(size_t)(model_.joint_v[cut] + f) * nv + (size_t)v] =
                        c.side[k] * dot6(engine_.axes + 6 * f, s.tree.S + 6LL * at);
            }
            const double* p = c.X_K + TRANSFORM_SIZE * (int64_t)i + 9;
            const double r[3] = {s.tree.centre[0] - p[0], s.tree.centre[1] - p[1],
                                 s.tree.centre[2] - p[2]};
            for (int32_t row = c.row_first[i]; row < c.row_first[i + 1]; ++row) {
                loop[(size_t)row] = c.loop[i];
                double* to = T.data() + 6 * (size_t)row;
                copy_all(to, c.T + 6LL * row, 6);
                add_cross3(r, to, to + 3);
            }
        }
        return nb::make_tuple(new_array(std::move(J), {rows, nv}),
                              new_array(std::move(C), {nv, nv}), new_array(std::move(T), {rows, 6}),
                              new_array(std::move(loop), {rows}));
    }
    // What the rows' accelerations must be: -J̇ v, (rows,).
    nb::object targets(nb::handle q, nb::handle v) {
        const Turn::Taken taken(turn_);
        fetch();
        const Borrowed q_(q, "q"), v_(v, "v");
        const double* speeds = v_.numbers<double>(model_.nv);
        place(q_.numbers<double>(model_.nq));
        ReducedSystem& s = engine_.system;
        move_tree(s.tree, speeds);
        std::vector<double> out((size_t)s.ties.row_count);
        row_targets(s.tree, s.ties, out.data());
        const size_t rows = out.size();
        return new_array(std::move(out), {rows});
    }
    // Accelerations (nv, tree part) at the present state under loads, and forces in the rows.
    nb::object accelerations(nb::handle tau, nb::handle wrenches) {
        const Turn::Taken taken(turn_);
        fetch();
        load(tau, wrenches);
        sift();
        refresh_engine(engine_);
        use_springs_as_rows(engine_.system, false);
        // the graph does not know the forces in all rows
        if (model_.loop_count > 0)
            assemble_dense(engine_, engine_.q, nullptr);
        else
            assemble_at(engine_, engine_.q, nullptr);
        std::vector<double> out((size_t)model_.nv);
        accelerate(engine_, engine_.q, engine_.v, out.data());
        const ReducedSystem& s = engine_.system;
        std::vector<double> forces(s.lambda, s.lambda + s.ties.row_count);
        const size_t nv = out.size(), rows = forces.size();
        return nb::make_tuple(new_array(std::move(out), {nv}),
                              new_array(std::move(forces), {rows}));
    }
    // Wrenches in the joints (joints × 6) for accelerations vdot and forces in the rows.
    nb::object reactions(nb::handle q, nb::handle v, nb::handle vdot, nb::handle lambda,
                         nb::handle tau, nb::handle wrenches) {
        const Turn::Taken taken(turn_);
        fetch();
        const Borrowed q_(q, "q"), v_(v, "v"), vdot_(vdot, "vdot"), lambda_(lambda, "lambda");
        use_springs_as_rows(engine_.system, false);
        load(tau, wrenches);
        refresh_engine(engine_);
        copy_all(engine_.cut_q, q_.numbers<double>(model_.nq), model_.nq);
        std::vector<double> out(6 * (size_t)model_.joint_count);
        find_reactions(engine_, q_.numbers<double>(model_.nq), v_.numbers<double>(model_.nv),
                       vdot_.numbers<double>(model_.nv),
                       lambda_.numbers<double>(engine_.system.ties.row_count), out.data());
        return new_array(std::move(out), {(size_t)model_.joint_count, 6});
    }

private:
    // What is done before and after every step where bodies touch.
    struct Meeting {
        BoundReduced& own;
        // Bodies that press on each other while they move calmly need no more than second order.
        void begin(ReducedEngine& e) {
            copy_all(own.v_start_.data(), e.v, own.model_.nv);
            bool pressed = false;
            for (int32_t i = 0; i < own.found_; ++i)
                pressed = pressed || own.known_impulses_[(size_t)(CONTACT_ROWS * i)] > 0;
            double fast = 0;
            for (int32_t i = 0; i < own.model_.nv; ++i) fast = larger(fast, fabs(e.v[i]));
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
    // The contacts of the last step, from which the next begins.
    nb::object contacts_for_later() const {
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
    void resume_contacts(nb::handle contacts) {
        const nb::tuple both = nb::cast<nb::tuple>(contacts);
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

    // The model's numbers as they are now: steps run without Python's lock, and a thread that
    // writes into the model meanwhile must not change how much memory they need.
    void fetch() { copy_all(own_.data(), reals_.data<double>(), reals_.size()); }

    // Two memories: the tree is needed to count the rest.
    void build() {
        ReducedSystem& s = engine_.system;
        auto lay_out = [](std::vector<double>& reals, std::vector<int32_t>& ints, auto&& work) {
            Arena<double> real_count{nullptr, 0};
            Arena<int32_t> int_count{nullptr, 0};
            work(real_count, int_count);
            reals.assign((size_t)real_count.used + 1, 0);
            ints.assign((size_t)int_count.used + 1, 0);
            Arena<double> real_arena{reals.data(), 0};
            Arena<int32_t> int_arena{ints.data(), 0};
            work(real_arena, int_arena);
        };
        lay_out(tree_reals_, tree_ints_,
                [&](auto& r, auto& i) { lay_out_tree(model_, r, i, s.tree); });
        number_tree(s.tree);
        point();
        sprung_ = sprung_cuts();
        std::vector<int32_t> order;
        order.reserve((size_t)model_.loop_count + (size_t)s.springs.count + sprung_.size());
        for (int32_t i = 0; i < model_.loop_count; ++i) order.push_back(i);
        for (int32_t i = 0; i < s.springs.count; ++i) order.push_back(i);
        order.insert(order.end(), sprung_.begin(), sprung_.end());
        s.ties.loop = order.data();
        s.ties.loop_count = model_.loop_count;
        s.ties.spring_count = s.springs.count;
        s.ties.cut_count = (int32_t)sprung_.size();
        s.ties.count = (int32_t)order.size();
        const SystemSizes sizes = count_system(s.tree, s.springs, s.ties);
        held_ = count_held(model_);
        lay_out(reals_memory_, ints_memory_, [&](auto& r, auto& i) {
            lay_out_reduced(model_, sizes, r, i, s);
            lay_out_engine(model_, held_, r, i, engine_);
        });
        for (size_t i = 0; i < order.size(); ++i) s.ties.loop[i] = order[i];
        for (int32_t j = 0; j < model_.joint_count; ++j) {
            const int32_t type = model_.joint_type[j];
            double* q = engine_.q + model_.joint_q[j];
            if (type == SPHERICAL || type == FREE) q[0] = 1;
        }
        seen_.assign(TRANSFORM_SIZE * (size_t)model_.placement_count + 1, NAN);
        sift();
    }
    // Cut joints with springs or dampers, by their couplings.
    std::vector<int32_t> sprung_cuts() const {
        std::vector<int32_t> out;
        for (int32_t i = 0; i < model_.loop_count; ++i)
            if (is_sprung(model_, model_.loop_joint[i])) out.push_back(i);
        return out;
    }
    // Room for friction, ends of travel and springs of cut joints that the model got since.
    void make_room() {
        if (count_held(model_) <= held_ && sprung_cuts() == sprung_) return;
        const std::vector<double> q(engine_.q, engine_.q + model_.nq);
        const std::vector<double> v(engine_.v, engine_.v + model_.nv);
        build();
        copy_all(engine_.q, q.data(), model_.nq);
        copy_all(engine_.v, v.data(), model_.nv);
    }
    // Rows again if lengths changed since: others may be empty now.
    void sift() {
        ReducedSystem& s = engine_.system;
        const int64_t count = TRANSFORM_SIZE * (int64_t)model_.placement_count;
        if (memcmp(seen_.data(), model_.transforms, sizeof(double) * (size_t)count) == 0) return;
        copy_all(seen_.data(), model_.transforms, count);
        s.ties.count = s.ties.loop_count + s.ties.spring_count + s.ties.cut_count;
        number_system(s);
        copy_all(engine_.q_try, engine_.q, model_.nq);
        sift_rows(s, engine_.q_try);
        use_springs_as_rows(s, false);
        choose_method();
    }
    // A motion begins: rows are weak against what they will be from here on.
    void forget_peaks() {
        ReducedSystem& s = engine_.system;
        engine_.has_strong = engine_.has_older = false;
        engine_.noted_step = engine_.since_strong = 0;
        engine_.stage_offset = engine_.strong_age = 0;
        s.watches = true;
        s.weak_count = 0;
        s.nearest = 1;
        for (int32_t row = 0; row < s.ties.row_count; ++row) s.peak[row] = 0;
        if (engine_.has_graph)
            for (int32_t row = 0; row < engine_.graph.row_count; ++row) engine_.graph.peak[row] = 0;
        // matrices see every place of the graph only where it fails: they need one to begin with
        if (engine_.method == BY_GRAPH) assemble_dense(engine_, engine_.q, nullptr);
    }
    // How masses and loops are solved for: what takes the least work, unless it was chosen.
    void choose_method() {
        const bool free = wanted_ < 0, has_loops = model_.loop_count > 0;
        const double dense = dense_cost(engine_.system);
        engine_.has_graph = wanted_ != BY_MATRICES && plan_graph(free ? dense : INFINITY);
        engine_.method = BY_MATRICES;
        // contacts need the matrices once a step anyway
        const double bodies = BODY_COST * engine_.system.tree.n * (shapes_ ? 4 : 1);
        const bool is_deep = bodies < dense;
        if (!has_loops && (wanted_ == BY_BODIES || (free && is_deep))) engine_.method = BY_BODIES;
        if (engine_.has_graph && (wanted_ >= BY_GRAPH || (free && has_loops)))
            engine_.method = BY_GRAPH;
        refresh_engine(engine_);
    }
    // Numbers the graph along the better of two trees; false if it takes more work than `least`.
    bool plan_graph(double least) {
        // it knows forces between links, no relations between joints
        if (model_.coupling_count > 0) return false;
        ReducedSystem& s = engine_.system;
        ReducedGraph& g = engine_.graph;
        Arena<int32_t> int_count{nullptr, 0};
        Arena<int64_t> long_count{nullptr, 0};
        Arena<bool> bool_count{nullptr, 0};
        EarSearch ears;
        auto lay_out = [&](auto& ints, auto& longs, auto& bools) {
            lay_out_spanning(model_, ints, bools, g.spanning);
            lay_out_ears(model_, ints, ears);
            lay_out_graph_plan(model_, ints, longs, g);
        };
        lay_out(int_count, long_count, bool_count);
        plan_ints_.assign((size_t)int_count.used + 1, 0);
        plan_longs_.assign((size_t)long_count.used + 1, 0);
        plan_bools_ = std::make_unique<bool[]>((size_t)bool_count.used + 1);
        Arena<int32_t> ints{plan_ints_.data(), 0};
        Arena<int64_t> longs{plan_longs_.data(), 0};
        Arena<bool> bools{plan_bools_.get(), 0};
        lay_out(ints, longs, bools);
        auto weigh = [&](bool by_ears) {
            if (by_ears)
                span_by_ears(model_, g.spanning, ears);
            else
                span_as_written(model_, g.spanning);
            order_ties(s.tree, s.ties, g);
            return count_arrivals(model_, g);
        };
        const double written = weigh(false);
        const double found = model_.loop_count > 0 ? weigh(true) : written;
        const bool by_ears = (wanted_ == BY_EARS || found < 0.8 * written) && !has_rotors();
        if (!by_ears) weigh(false);
        // rows that nothing moves are not known yet: half of them are such in a plane
        if (0.5 * (by_ears ? found : written) > least) return false;
        auto number = [&] {
            list_arrivals(model_, g);
            find_skyline(model_, g);
        };
        Arena<int32_t> list_count{nullptr, 0};
        lay_out_arrivals(model_, list_count, g);
        list_ints_.assign((size_t)list_count.used + 1, 0);
        Arena<int32_t> lists{list_ints_.data(), 0};
        lay_out_arrivals(model_, lists, g);
        number();
        Arena<double> real_count{nullptr, 0};
        lay_out_graph(s.tree, s.ties, real_count, g);
        graph_reals_.assign((size_t)real_count.used + 1, 0);
        Arena<double> reals{graph_reals_.data(), 0};
        lay_out_graph(s.tree, s.ties, reals, g);
        sift_graph(s, g, g.own, engine_.q_try);
        if (count_arrivals(model_, g) > least) return false;
        number();
        return true;
    }
    bool has_rotors() const {
        for (int32_t v = 0; v < model_.nv; ++v)
            if (model_.rotor[v] != 0) return true;
        return false;
    }
    void point() {
        PointSprings& p = engine_.system.springs;
        const size_t count = link_a_.size();
        p.count = (int32_t)count;
        p.link_a = link_a_.data();
        p.link_b = link_b_.data();
        p.point_a = points_a_.data();
        p.point_b = points_b_.data();
        p.stiffness = numbers_.data();
        p.damping = numbers_.data() + count;
        p.rest = numbers_.data() + 2 * count;
    }
    void place(const double* q) {
        sift();
        use_springs_as_rows(engine_.system, false);
        place_tree(engine_.system.tree, q);
        place_couplings(engine_.system.tree, engine_.system.springs, engine_.system.ties);
    }
    void load(nb::handle tau, nb::handle wrenches) {
        const Borrowed tau_(tau, "tau");
        copy_all(engine_.tau, tau_.numbers<double>(model_.nv), model_.nv);
        engine_.has_wrenches = !wrenches.is_none();
        if (engine_.has_wrenches) {
            const Borrowed given(wrenches, "wrenches");
            const int64_t count = 6LL * model_.link_count;
            copy_all(engine_.wrenches, given.numbers<double>(count), count);
        }
    }
    nb::object report(int64_t done) {
        const RunReport& r = engine_.report;
        return nb::make_tuple(done, r.status, engine_.time, r.gap, r.angle_gap, r.velocity_gap,
                              kinetic_energy(engine_, engine_.v),
                              potential_energy(engine_, engine_.q), engine_.work, r.stops,
                              r.closings, r.evaluations, r.refined, engine_.system.left_out,
                              engine_.system.weakest, culprit());
    }
    int32_t culprit() const {
        return engine_.report.status == RUN_MASSLESS
                   ? engine_.system.tree.index[engine_.report.culprit]
                   : -1;
    }
    nb::object vector(const double* from, int32_t count) const {
        return new_array(std::vector<double>(from, from + count), {(size_t)count});
    }

    // Way of any variable in a step [rad, m] below which mechanisms move calmly: what a step of
    // order two errs by, its third power, is near rounding then.
    static constexpr double CALM = 1e-3;
    // About how many multiplications a joint costs by articulated bodies.
    static constexpr double BODY_COST = 95;

    mutable Turn turn_;
    Borrowed ints_, reals_;
    std::vector<double> own_;
    Model model_;
    ReducedEngine engine_{};
    int32_t held_ = 0;
    std::vector<int32_t> sprung_;  // cut joints that have rows for their springs
    double trial_ = 0;
    std::vector<int32_t> link_a_, link_b_;
    std::vector<double> points_a_, points_b_, numbers_;
    std::vector<double> touch_reals_;
    std::vector<int32_t> touch_ints_;
    std::unique_ptr<OwnShapes> shapes_;
    TouchSource source_{};
    Touches touches_{};
    int32_t found_ = 0, integrator_ = 0;
    bool eases_ = false;
    double refine_ = 0, easy_refine_ = 0;
    std::vector<double> reach_, v_start_, surfaces_, known_impulses_;
    std::vector<int32_t> known_shapes_, link_a_found_, link_b_found_;
    std::vector<double> seen_;  // placements for which the rows are right
    std::vector<double> tree_reals_, reals_memory_;
    std::vector<int32_t> tree_ints_, ints_memory_;
    int32_t wanted_ = -1;  // method that was chosen, -1: none
    std::vector<int32_t> plan_ints_, list_ints_;
    std::vector<int64_t> plan_longs_;
    std::unique_ptr<bool[]> plan_bools_;
    std::vector<double> graph_reals_;
};

}  // namespace

void bind_reduced(nb::module_& module) {
    nb::class_<BoundReduced>(module, "BoundReduced")
        .def(nb::init<nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle,
                      nb::handle>())
        .def("set", &BoundReduced::set)
        .def("choose", &BoundReduced::choose)
        .def_prop_ro("method", &BoundReduced::method)
        .def("set_springs", &BoundReduced::set_springs)
        .def("start", &BoundReduced::start)
        .def("stiffness", &BoundReduced::stiffness)
        .def("run", &BoundReduced::run, nb::arg("steps"), nb::arg("tau"),
             nb::arg("wrenches").none())
        .def("meet_later", &BoundReduced::meet_later)
        .def("meet", &BoundReduced::meet)
        .def("touch", &BoundReduced::touch, nb::arg("arrays"), nb::arg("reach"), nb::arg("margin"))
        .def("ease", &BoundReduced::ease)
        .def_prop_ro("contacts", &BoundReduced::contacts)
        .def("accelerations", &BoundReduced::accelerations, nb::arg("tau"),
             nb::arg("wrenches").none())
        .def("reactions", &BoundReduced::reactions, nb::arg("q"), nb::arg("v"), nb::arg("vdot"),
             nb::arg("forces"), nb::arg("tau"), nb::arg("wrenches").none())
        .def("snapshot", &BoundReduced::snapshot)
        .def("resume", &BoundReduced::resume)
        .def("rows", &BoundReduced::rows)
        .def("targets", &BoundReduced::targets)
        .def_prop_ro("held", &BoundReduced::held)
        .def_prop_ro("q", &BoundReduced::q)
        .def_prop_ro("v", &BoundReduced::v);
}
