// The singularity monitor for Python: owns its memory, and asks for more when it is short of it.
#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "kernel/singular/monitor.hpp"
#include "python/base/model.hpp"
#include "python/border/turns.hpp"

namespace nb = nanobind;
using namespace kinegen;
using kinegen::python::Borrowed;
using kinegen::python::model_in;
using kinegen::python::new_array;
using kinegen::python::raise_usage;
using kinegen::python::Turn;

namespace {

// A monitor with its two blocks of memory.
struct MonitorMemory {
    int64_t real_count;
    // not zeroed: memory that is never used costs nothing
    std::unique_ptr<double[]> reals;
    std::unique_ptr<int32_t[]> ints;
    SingularityMonitor monitor;

    MonitorMemory(const Model& m, int64_t count)
        : real_count(count),
          reals(new double[(size_t)count]),
          ints(new int32_t[(size_t)monitor_ints(m)]) {
        lay_out_monitor(m, reals.get(), count, ints.get(), monitor_ints(m), monitor);
    }
};

class BoundMonitor {
public:
    BoundMonitor(nb::handle ints, nb::handle reals)
        : ints_(ints, "ints"), reals_(reals, "reals", true), model_(model_in(ints_, reals_)) {
        memory_ = std::make_unique<MonitorMemory>(model_, monitor_reals(model_));
    }

    // Kinds in aim_ints that are -1 are decided in place. Returns the four usual ranks.
    nb::tuple watch(nb::handle q, nb::handle aim_ints, nb::handle aim_reals, nb::handle inputs) {
        const Turn::Taken taken(turn_);
        const Borrowed q_(q, "q"), ints(aim_ints, "aim_ints", true), reals(aim_reals, "aim_reals");
        const Borrowed inputs_(inputs, "inputs");
        const int32_t count = (int32_t)(ints.size() / AIM_INTS);
        int32_t* aims = ints.numbers<int32_t>((int64_t)AIM_INTS * count);
        const double* numbers = reals.numbers<double>((int64_t)AIM_REALS * count);
        const int32_t* driven = inputs_.data<int32_t>({model_.joint_count});
        const double* at = finite(q_);
        if (!aims_exist(model_, aims, count))
            raise_usage("an aim names no link or frame (0 to " +
                        std::to_string(model_.site_count() - 1) +
                        ") or no kind (-1 to 3), or there are more than 64 aims");
        {
            nb::gil_scoped_release unlocked;
            while (monitor_watch(monitor(), at, aims, numbers, count, driven) == MORE_MEMORY)
                grow();
        }
        const Probe& p = monitor().probe;
        return nb::make_tuple(p.loop_rank, p.task_rank, p.gain_rank, p.drive_rank);
    }

    nb::tuple measure(nb::handle q) {
        const Turn::Taken taken(turn_);
        const Borrowed q_(q, "q");
        const double* at = finite(q_);
        const size_t count = (size_t)watching().task_rank;
        std::vector<double> values(count);
        double distance[2];
        const int32_t kind = run(
            [&](SingularityMonitor& c) { return monitor_measure(c, at, distance, values.data()); });
        return nb::make_tuple(kind, distance[0], distance[1],
                              new_array(std::move(values), {count}));
    }

    nb::tuple examine(nb::handle q) {
        const Turn::Taken taken(turn_);
        const Borrowed q_(q, "q");
        const double* at = finite(q_);
        watching();
        const size_t rows = (size_t)monitor().probe.watched.rows, nv = (size_t)model_.nv;
        std::vector<double> values, passive, lost, standing, gained;
        double distance[2];
        int32_t count = 0, gains = 0;
        bool branch_point = false;
        run_long([&](SingularityMonitor& c) {
            begin_call(c);
            Level level(c.stack);
            const Probe& p = c.probe;
            passive.assign((size_t)p.gain_rank, 0);
            distances(p, at, nullptr, passive.data(), distance);
            const Weakest w = weakest(p, at, p.watched, p.task_rank);
            count = w.count;
            values.assign(w.values, w.values + p.task_rank);
            lost.assign(w.lost, w.lost + count * rows);
            standing.assign(w.standing, w.standing + count * nv);
            gained.assign((size_t)(p.gain_rank + 1) * nv, 0);
            gains = gained_motions(p, at, gained.data());
            gained.resize((size_t)gains * nv);
            branch_point = is_branch_point(p, at);
            return 0;
        });
        const size_t n = values.size(), k = passive.size();
        return nb::make_tuple(kind_of(distance), branch_point, distance[0], distance[1],
                              new_array(std::move(values), {n}), new_array(std::move(passive), {k}),
                              new_array(std::move(lost), {(size_t)count, rows}),
                              new_array(std::move(standing), {(size_t)count, nv}),
                              new_array(std::move(gained), {(size_t)gains, nv}));
    }

    // Variables of each block with whether it is one of the inputs' system.
    nb::list blocks() {
        const Turn::Taken taken(turn_);
        find_structure();
        nb::list all;
        const SingularityMonitor& c = monitor();
        for (int32_t i = 0; i < c.signs.system_count; ++i) {
            const SignSystem& system = c.signs.systems[i];
            for (int32_t b = 0; b < system.block_count; ++b) {
                std::vector<int32_t> variables;
                for (int32_t j = system.first[b]; j < system.first[b + 1]; ++j) {
                    const int32_t column = system.block_columns[j];
                    variables.push_back(system.task ? column : c.probe.passive[column]);
                }
                const size_t n = variables.size();
                all.append(nb::make_tuple(!system.task, new_array(std::move(variables), {n})));
            }
        }
        return all;
    }

    nb::object signs(nb::handle q) {
        const Turn::Taken taken(turn_);
        const Borrowed q_(q, "q");
        const double* at = finite(q_);
        find_structure();
        std::vector<double> values((size_t)monitor().signs.count);
        run([&](SingularityMonitor& c) {
            begin_call(c);
            need_signs(c);
            sign_values(c.probe, c.signs, at, values.data());
            return 0;
        });
        const size_t n = values.size();
        return new_array(std::move(values), {n});
    }

    nb::tuple ahead(nb::handle q, nb::handle heading_ints, nb::handle heading_reals, double within,
                    bool limits, double step, double near) {
        const Turn::Taken taken(turn_);
        const Borrowed q_(q, "q"), ints(heading_ints, "heading_ints");
        const Borrowed reals(heading_reals, "heading_reals");
        const double* at = finite(q_);
        const int32_t* heading = check_heading(ints, reals, false);
        watching();
        Ahead found{};
        bool is_length = false;
        const double* numbers = reals.data<double>();
        const int32_t status = run_long([&](SingularityMonitor& c) {
            return monitor_ahead(c, at, heading, numbers, within, limits, step, near, found,
                                 is_length);
        });
        return nb::make_tuple(status, found.end, is_length, found.distance, found.distances[0],
                              found.distances[1], path(-1, nullptr));
    }

    nb::tuple branches_beyond(nb::handle q, nb::handle heading_ints, nb::handle heading_reals,
                              int32_t kind, double amplitude) {
        const Turn::Taken taken(turn_);
        const Borrowed q_(q, "q"), ints(heading_ints, "heading_ints");
        const Borrowed reals(heading_reals, "heading_reals");
        const double* at = finite(q_);
        const int32_t* heading = check_heading(ints, reals, true);
        watching();
        int32_t singular = KIND_NONE;
        bool branch_point = false;
        const double* numbers = reals.data<double>();
        const int32_t status = run_long([&](SingularityMonitor& c) {
            return monitor_branches_beyond(c, at, heading, numbers, kind, amplitude, singular,
                                           branch_point);
        });
        nb::list all;
        for (int32_t i = 0; status == DONE && i < monitor().branch_count; ++i) {
            const BranchBeyond& s = monitor().branches[i];
            all.append(nb::make_tuple(s.kind, (bool)s.crosses, s.sign, s.joint, s.other,
                                      (bool)s.same, (bool)s.goes_on, (bool)s.led,
                                      path(i, nullptr)));
        }
        return nb::make_tuple(status, singular, branch_point, path(-1, nullptr), all);
    }

    // Poses between those of a path, so that no joint moves by more than its bound; or None.
    nb::object refine(nb::handle path, nb::handle bounds) {
        const Turn::Taken taken(turn_);
        const Borrowed path_(path, "path"), bounds_(bounds, "bounds");
        const double* from = path_.data<double>({-1, model_.nq});
        const double* bound = bounds_.data<double>({model_.nv});
        const int64_t count = path_.shape(0);
        const size_t nq = (size_t)model_.nq;
        std::vector<double> out(from, from + (count > 0 ? nq : 0)), room;
        begin_call(monitor());
        for (int64_t i = 1; i < count; ++i) {
            int32_t made = -1;
            for (int32_t size = 64; made < 0 && size <= 1 << 20; size *= 8) {
                room.resize((size_t)size * nq);
                made = refine_step(monitor().probe, out.data() + out.size() - nq, from + i * nq,
                                   bound, room.data(), size);
            }
            if (made < 0) return nb::none();
            out.insert(out.end(), room.begin(), room.begin() + (int64_t)(made * nq));
        }
        const size_t poses = nq ? out.size() / nq : 0;
        return new_array(std::move(out), {poses, nq});
    }

private:
    SingularityMonitor& monitor() { return memory_->monitor; }

    void grow() {
        auto larger = std::make_unique<MonitorMemory>(model_, 2 * memory_->real_count);
        continue_watch(monitor(), larger->monitor);
        memory_ = std::move(larger);
    }

    // Runs a call again with more memory until it has enough; what it returns.
    template <class Call>
    int32_t run(const Call& call) {
        for (;;) {
            const int32_t status = call(monitor());
            if (!monitor().stack.overflow) return status;
            grow();
        }
    }

    // The same for a call that takes long enough for other threads to run meanwhile.
    template <class Call>
    int32_t run_long(const Call& call) {
        nb::gil_scoped_release unlocked;
        return run(call);
    }

    void find_structure() {
        watching();
        run([&](SingularityMonitor& c) {
            begin_call(c);
            need_signs(c);
            return 0;
        });
    }

    const Probe& watching() {
        if (!monitor().watching) raise_usage("nothing is watched yet: call watch first");
        return monitor().probe;
    }

    const double* finite(const Borrowed& q) const {
        const double* at = q.data<double>({model_.nq});
        if (largest(at, model_.nq) < 0) raise_usage("q contains NaN or infinity");
        return at;
    }

    const int32_t* check_heading(const Borrowed& ints, const Borrowed& reals, bool none) const {
        const int32_t* heading = ints.numbers<int32_t>((int64_t)HEADING_INTS + model_.nv);
        const double* numbers = reals.numbers<double>((int64_t)HEADING_REALS + model_.nv);
        if (!heading_exists(model_, heading, none))
            raise_usage("a heading names no link or frame (0 to " +
                        std::to_string(model_.site_count() - 1) + ") or no kind (-1 to 3)");
        if (largest(numbers, reals.size()) < 0) raise_usage("a heading contains NaN or infinity");
        return heading;
    }

    nb::object path(int32_t branch, const double* bounds) {
        const int32_t count = monitor_path(monitor(), branch, nullptr, nullptr, 0);
        std::vector<double> out((size_t)count * (size_t)model_.nq);
        monitor_path(monitor(), branch, bounds, out.data(), count);
        return new_array(std::move(out), {(size_t)count, (size_t)model_.nq});
    }

    Borrowed ints_, reals_;
    Model model_;
    std::unique_ptr<MonitorMemory> memory_;
    Turn turn_;
};

}  // namespace

void bind_singular(nb::module_& module) {
    nb::class_<BoundMonitor>(module, "BoundMonitor")
        .def(nb::init<nb::handle, nb::handle>(), nb::arg("ints"), nb::arg("reals"))
        .def("watch", &BoundMonitor::watch)
        .def("measure", &BoundMonitor::measure)
        .def("examine", &BoundMonitor::examine)
        .def("blocks", &BoundMonitor::blocks)
        .def("signs", &BoundMonitor::signs)
        .def("ahead", &BoundMonitor::ahead)
        .def("branches_beyond", &BoundMonitor::branches_beyond)
        .def("refine", &BoundMonitor::refine);
}
