// The reduced engine for Python; signatures as in kernels/reference/reduced/engine.py.
#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <vector>

#include "kernel/reduced/reactions.hpp"
#include "kernel/reduced/run.hpp"
#include "python/border/arrays.hpp"
#include "python/base/model.hpp"
#include "python/reduced/contacts.hpp"
#include "python/reduced/loops.hpp"
#include "python/reduced/servos.hpp"
#include "python/border/threads.hpp"
#include "python/border/turns.hpp"
#include "reduced/machine.hpp"

using namespace kinegen;
using namespace kinegen::python;

namespace {

class BoundReduced : private ReducedMachine {
public:
    BoundReduced(nb::handle ints, nb::handle reals, nb::handle link_a, nb::handle point_a,
                 nb::handle link_b, nb::handle point_b, nb::handle numbers)
        : ints_(ints, "ints"), reals_(reals, "reals", true) {
        model_ = model_in(ints_, reals_);
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
        engine_.integrator = integrator;
        engine_.step = step;
        engine_.tolerance = tolerance;
        engine_.with_stops = stops;
        engine_.with_friction = friction;
        engine_.restitution = restitution;
        engine_.refine = refine;
        contacts_.set(integrator, refine);
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
        contacts_.forget();
        const bool closed =
            begin(q_.numbers<double>(model_.nq), v_.numbers<double>(model_.nv), time);
        return nb::make_tuple(closed, engine_.left.linear, engine_.left.angular);
    }
    double stiffness() {
        const Turn::Taken taken(turn_);
        fetch();
        return stiffness_here();
    }

    // Runs steps under loads (wrenches: six per link, or None) and servos (as GivenServos, or
    // None); returns a tuple of the report.
    nb::object run(int64_t steps, nb::handle tau, nb::handle wrenches, nb::handle servos) {
        const Turn::Taken taken(turn_);
        std::optional<GivenServos> given;
        if (!servos.is_none()) given.emplace(servos, model_, 1);
        get_ready(given ? &*given : nullptr);
        load(tau, wrenches);
        int64_t done = 0;
        {
            nb::gil_scoped_release release;
            SharedStop stop;
            if (given) servos_.take_over(engine_, *given, 0);
            done = make_steps(steps, stop);
            ReducedServos::let_go(engine_);
            stop.end();
        }
        return report(done);
    }

    // Steps of several engines under servos (as GivenServos, each with targets and state of its
    // own), on several threads (0: all cores). The q, v and status of engine i are written to row i
    // of the others.
    static void drive(const nb::list& engines, int64_t steps, nb::handle servos, nb::handle q,
                      nb::handle v, nb::handle status, int threads) {
        const int64_t count = (int64_t)nb::len(engines);
        std::vector<BoundReduced*> all;
        std::vector<std::unique_ptr<Turn::Taken>> taken;
        std::optional<GivenServos> given;
        for (nb::handle one : engines) {
            BoundReduced* own = nullptr;
            if (!nb::try_cast(one, own) || own == nullptr)
                raise_usage("what is driven together must be engines of type BoundReduced");
            all.push_back(own);
            const Model &m = own->model_, &first = all[0]->model_;
            if (m.nq != first.nq || m.nv != first.nv)
                raise_usage("engines that are driven together must be of one mechanism");
            if (!given) given.emplace(servos, m, count);
            taken.push_back(std::make_unique<Turn::Taken>(own->turn_));
            own->get_ready(&*given);
        }
        if (all.empty()) return;
        const int64_t nq = all[0]->model_.nq, nv = all[0]->model_.nv;
        const Borrowed q_(q, "q", true), v_(v, "v", true), status_(status, "status", true);
        double *to_q = q_.numbers<double>(count * nq), *to_v = v_.numbers<double>(count * nv);
        int32_t* to_status = status_.numbers<int32_t>(count);
        nb::gil_scoped_release release;
        in_parallel(count, threads, 1, [&](int64_t begin, int64_t end, SharedStop& stop) {
            for (int64_t i = begin; i < end; ++i) {
                BoundReduced& own = *all[(size_t)i];
                ReducedEngine& e = own.engine_;
                e.has_wrenches = false;
                clear_all(e.tau, nv);
                own.servos_.take_over(e, *given, i);
                own.make_steps(steps, stop);
                ReducedServos::let_go(e);
                copy_all(to_q + i * nq, e.q, nq);
                copy_all(to_v + i * nv, e.v, nv);
                to_status[i] = e.report.status;
            }
        });
    }
    // Whether stops and friction wait for meet().
    void meet_later(bool later) {
        const Turn::Taken taken(turn_);
        engine_.meets_later = later;
    }

    // Contacts; signatures and meaning as in reduced/contacts.hpp.
    void touch(const nb::tuple& arrays, nb::handle reach, double margin) {
        const Turn::Taken taken(turn_);
        contacts_.touch(arrays, reach, margin);
        meets_ = true;
        choose_method();
    }
    void ease(bool eases, double refine) {
        const Turn::Taken taken(turn_);
        contacts_.ease(eases, refine);
    }
    nb::object contacts() const {
        const Turn::Taken taken(turn_);
        return contacts_.found();
    }
    // Returns the report beside what the contacts do and the sweeps.
    nb::object meet(nb::handle link_a, nb::handle link_b, nb::handle points, nb::handle normals,
                    nb::handle distances, nb::handle surfaces, nb::handle v_start) {
        const Turn::Taken taken(turn_);
        const auto [impulses, sweeps] =
            contacts_.meet(link_a, link_b, points, normals, distances, surfaces, v_start);
        return nb::make_tuple(report(1), impulses, sweeps);
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
                              trial_, contacts_.for_later());
    }
    // Continues from a state, bit for bit: unlike start(), nothing is closed.
    void resume(nb::handle q, nb::handle v, nb::handle held_impulse, double time, double work,
                double trial, nb::handle contacts) {
        const Turn::Taken taken(turn_);
        fetch();
        const Borrowed q_(q, "q"), v_(v, "v"), held(held_impulse, "held_impulse");
        go_back(q_.numbers<double>(model_.nq), v_.numbers<double>(model_.nv),
                held.numbers<double>(model_.nv), time, work, trial);
        contacts_.resume(contacts);
    }

    // Rows of all loops at q, as in reduced/loops.hpp.
    nb::object rows(nb::handle q) {
        const Turn::Taken taken(turn_);
        fetch();
        const Borrowed q_(q, "q");
        place(q_.numbers<double>(model_.nq));
        return loop_rows(engine_);
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
    // The model's numbers as they are now: steps run without Python's lock, and a thread that
    // writes into the model meanwhile must not change how much memory they need.
    void fetch() { copy_all(own_.data(), reals_.data<double>(), reals_.size()); }

    // Before steps, with servos or without.
    void get_ready(const GivenServos* servos) {
        if (servos != nullptr) {
            servos->check(model_, engine_.system.tree);
            servos_.make_room(model_);
        }
        fetch();
        make_room();
        sift();
    }
    int64_t make_steps(int64_t steps, SharedStop& stop) {
        const RunStopper stopper{[](void* of) { return (*static_cast<SharedStop*>(of))(); }, &stop};
        return contacts_.are_found() ? contacts_.run(steps, trial_, stopper)
                                     : run_steps(steps, stopper);
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

    mutable Turn turn_;
    Borrowed ints_, reals_;
    ReducedContacts contacts_{engine_};
    ReducedServos servos_;
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
             nb::arg("wrenches").none(), nb::arg("servos") = nb::none())
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
    module.def("drive_reduced", &BoundReduced::drive);
}
