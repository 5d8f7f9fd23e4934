// The solver for Python: owns its scratch memory, grows it when the elimination asks for more.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "kernel/solver/search.hpp"
#include "kernel/solver/memory.hpp"
#include "python/contact/clearance.hpp"
#include "python/base/model.hpp"
#include "python/border/threads.hpp"

namespace nb = nanobind;
using namespace kinegen;
using kinegen::python::Borrowed;
using kinegen::python::BoundClearance;
using kinegen::python::in_parallel;
using kinegen::python::model_in;
using kinegen::python::new_array;
using kinegen::python::raise_usage;
using kinegen::python::SharedStop;
using kinegen::python::Stop;
using kinegen::python::Turn;

namespace {

// Degrees of freedom from which a single solution may take long enough for other threads to run
// meanwhile.
constexpr int32_t LARGE = 300;
// A call of the solver cannot be interrupted: more iterations than this are a mistake.
constexpr int32_t MOST_ITERATIONS = 1'000'000;

// Borrowed pointer of `count` elements, or null for None.
template <class T>
const T* optional_data(nb::handle object, int64_t count, const char* name,
                       std::vector<std::unique_ptr<Borrowed>>& keep) {
    if (object.is_none()) return nullptr;
    keep.push_back(std::make_unique<Borrowed>(object, name));
    if (!keep.back()->holds<T>() || keep.back()->size() != count)
        raise_usage(std::string(name) + " must have " + std::to_string(count) + " numbers");
    return keep.back()->data<T>();
}

// The options of a call that are single numbers, checked.
SolverOptions options_in(const Borrowed& given) {
    const double* row = given.data<double>({record::SolverNumbers::COUNT});
    const double iterations = row[record::SolverNumbers::ITERATIONS];
    if (!(iterations >= 0 && iterations <= MOST_ITERATIONS))
        raise_usage("the number of iterations must be from 0 to " +
                    std::to_string(MOST_ITERATIONS));
    return read_numbers(row);
}

// Handles, options and optional arrays of one call, checked and held for its duration.
struct Request {
    Borrowed ints, reals, options;
    int32_t count, rows;
    SolverOptions settings;
    std::vector<std::unique_ptr<Borrowed>> keep;

    Request(const Model& m, nb::handle handle_ints, nb::handle handle_reals, nb::handle options_,
            nb::handle bounds, nb::handle weights, nb::handle posture, nb::handle locked)
        : ints(handle_ints, "handle_ints"),
          reals(handle_reals, "handle_reals"),
          options(options_, "options") {
        count = (int32_t)(ints.size() / HANDLE_INTS);
        const int32_t* handle = ints.data<int32_t>();
        reals.data<double>();
        if (ints.size() != (int64_t)HANDLE_INTS * count ||
            reals.size() != (int64_t)HANDLE_REALS * count)
            raise_usage("handle_ints must have " + std::to_string(HANDLE_INTS) +
                        " numbers per handle and handle_reals " + std::to_string(HANDLE_REALS) +
                        "; they have " + std::to_string(ints.size()) + " and " +
                        std::to_string(reals.size()));
        rows = 0;
        for (int32_t h = 0; h < count; ++h, handle += HANDLE_INTS) {
            const int32_t site = handle[record::HandleInts::SITE];
            const int32_t kind = handle[record::HandleInts::KIND];
            if (site < 0 || site >= m.site_count() || kind < 0 || kind >= HANDLE_KIND_COUNT)
                raise_usage("handle " + std::to_string(h) + " names no link or frame (0 to " +
                            std::to_string(m.site_count() - 1) + "), or no kind (0 to " +
                            std::to_string(HANDLE_KIND_COUNT - 1) + ")");
            rows += handle_rows(kind);
        }
        settings = options_in(options);
        settings.bounds = optional_data<double>(bounds, m.nv, "bounds", keep);
        settings.weights = optional_data<double>(weights, m.nv, "weights", keep);
        settings.posture = optional_data<double>(posture, m.nq, "posture", keep);
        settings.locked = optional_data<int32_t>(locked, m.nv, "locked", keep);
    }
};

// Bodies that a solver avoids, with memory of their own.
class AvoidMemory {
public:
    AvoidMemory(nb::handle bodies, const Model& m, double keep) : owner_(nb::borrow(bodies)) {
        if (!nb::isinstance<BoundClearance>(bodies)) raise_usage("avoid must be a BoundClearance");
        const BoundClearance& from = nb::cast<BoundClearance&>(bodies);
        if (from.model.link_count != m.link_count || from.model.nv != m.nv)
            raise_usage("the bodies to avoid are those of another model");
        if (!(keep >= 0 && keep < 1e12)) raise_usage("the distance to keep must be 0 or more");
        avoidance.shapes = from.shapes();
        avoidance.pairs = from.pairs.data();
        avoidance.pair_count = (int32_t)(from.pairs.size() / 2);
        avoidance.keep = keep;
        Arena<double> count_reals{nullptr, 0};
        Arena<int32_t> count_ints{nullptr, 0};
        lay_out_avoidance(m.nv, count_reals, count_ints, avoidance);
        const int64_t places = TRANSFORM_SIZE * (int64_t)avoidance.shapes.count;
        reals_.assign((size_t)(count_reals.used + places + 1), 0);
        ints_.assign((size_t)count_ints.used + 1, 0);
        Arena<double> take_reals{reals_.data(), 0};
        Arena<int32_t> take_ints{ints_.data(), 0};
        lay_out_avoidance(m.nv, take_reals, take_ints, avoidance);
        avoidance.shapes.X = take_reals.take(places);
        avoidance.shapes.is_placed = false;
    }

    Avoidance avoidance{};

private:
    nb::object owner_;
    std::vector<double> reals_;
    std::vector<int32_t> ints_;
};

// A solver with memory of its own for a model that somebody else keeps.
class SolverMemory {
public:
    explicit SolverMemory(const Model& m) : model(m) { lay_out(6, guess_terms(model)); }
    SolverMemory(const SolverMemory&) = delete;
    SolverMemory& operator=(const SolverMemory&) = delete;

    void reserve_rows(int32_t rows) {
        if (rows > solver.row_capacity) lay_out(rows, solver.elimination.term_capacity);
    }
    void grow_terms() {
        const int32_t terms = solver.elimination.term_capacity;
        if (terms > INT32_MAX / 2) throw std::bad_alloc();
        lay_out(solver.row_capacity, 2 * terms);
    }
    // Moves q, with as much memory as that takes.
    SolverReport solve(double* q, const int32_t* ints, const double* reals, int32_t count,
                       const SolverOptions& options) {
        SolverReport report{};
        for (;;) {
            kinegen::solve(solver, q, ints, reals, count, options, report);
            if (report.outcome != NEED_MEMORY) return report;
            grow_terms();
        }
    }

    Model model;
    Solver solver;

private:
    void lay_out(int32_t rows, int32_t terms) {
        std::vector<int32_t> scratch((size_t)plan_scratch_size(model));
        Arena<double> count_reals{nullptr, 0};
        Arena<int32_t> count_ints{nullptr, 0};
        lay_out_solver(model, rows, terms, scratch.data(), count_reals, count_ints, solver);
        real_memory_.assign((size_t)count_reals.used + 1, 0);
        int_memory_.assign((size_t)count_ints.used + 1, 0);
        Arena<double> take_reals{real_memory_.data(), 0};
        Arena<int32_t> take_ints{int_memory_.data(), 0};
        lay_out_solver(model, rows, terms, scratch.data(), take_reals, take_ints, solver);
    }

    std::vector<double> real_memory_;
    std::vector<int32_t> int_memory_;
};

class BoundSolver {
public:
    BoundSolver(nb::handle ints, nb::handle reals)
        : ints_(ints, "ints"), reals_(reals, "reals", true), memory_(model_in(ints_, reals_)) {}

    // Moves q in place.
    nb::tuple run(nb::handle q, nb::handle handle_ints, nb::handle handle_reals, nb::handle options,
                  nb::handle bounds, nb::handle weights, nb::handle posture, nb::handle locked,
                  nb::handle held) {
        const Model& m = memory_.model;
        const Request request(m, handle_ints, handle_reals, options, bounds, weights, posture,
                              locked);
        const Borrowed q_(q, "q", true), held_(held, "held", true);
        return tick(request, request.ints.data<int32_t>(), q_.data<double>({m.nq}),
                    held_.data<int32_t>({m.nv}));
    }

    // The same for arrays that were checked before.
    nb::tuple tick(const Request& request, const int32_t* handle_ints, double* q, int32_t* held) {
        const Turn::Taken taken(turn_);
        memory_.reserve_rows(request.rows);
        std::optional<nb::gil_scoped_release> unlocked;
        if (memory_.model.nv >= LARGE) unlocked.emplace();
        const SolverReport r = memory_.solve(q, handle_ints, request.reals.data<double>(),
                                             request.count, request.settings);
        unlocked.reset();
        memcpy(held, memory_.solver.held, sizeof(int32_t) * (size_t)memory_.model.nv);
        return report(r);
    }

    const Model& model() const { return memory_.model; }

    // Solves from q and from random starts; returns the attempts and the best answer's report.
    nb::tuple search(nb::handle q, nb::handle handle_ints, nb::handle handle_reals,
                     nb::handle options, nb::handle weights, nb::handle posture, nb::handle locked,
                     int32_t attempts, uint64_t seed, nb::handle held) {
        const Model& m = memory_.model;
        const Request request(m, handle_ints, handle_reals, options, nb::none(), weights, posture,
                              locked);
        const Borrowed q_(q, "q", true), held_(held, "held", true);
        double* at = q_.data<double>({m.nq});
        int32_t* held_at = held_.data<int32_t>({m.nv});
        const Turn::Taken taken(turn_);
        memory_.reserve_rows(request.rows);
        std::vector<double> start(at, at + m.nq), best((size_t)m.nq), trial((size_t)m.nq);
        SolverReport r{};
        int32_t made = 0;
        Stop stop;
        for (;;) {
            set_scales(memory_.solver);
            made = kinegen::search(memory_.solver, at, request.ints.data<int32_t>(),
                                   request.reals.data<double>(), request.count, request.settings,
                                   attempts, seed, best.data(), trial.data(), r, stop);
            if (r.outcome != NEED_MEMORY) break;
            memory_.grow_terms();
            memcpy(at, start.data(), sizeof(double) * (size_t)m.nq);
        }
        stop.end();
        memcpy(held_at, memory_.solver.held, sizeof(int32_t) * (size_t)m.nv);
        return nb::make_tuple(made, report(r));
    }

    // Different poses that random starts lead to, (count, nq).
    nb::object enumerate(nb::handle q, nb::handle handle_ints, nb::handle handle_reals,
                         nb::handle options, nb::handle locked, int32_t attempts, uint64_t seed,
                         double distinct, bool by_variables, int32_t capacity) {
        const Model& m = memory_.model;
        const Request request(m, handle_ints, handle_reals, options, nb::none(), nb::none(),
                              nb::none(), locked);
        const Borrowed q_(q, "q");
        const double* at = q_.data<double>({m.nq});
        if (capacity < 1) raise_usage("capacity must be at least 1");
        const Turn::Taken taken(turn_);
        memory_.reserve_rows(request.rows);
        std::vector<double> found((size_t)capacity * (size_t)m.nq), trial((size_t)m.nq);
        std::vector<double> marks((size_t)capacity * (size_t)MARKS * (size_t)m.placement_count);
        int32_t count = 0;
        Stop stop;
        for (;;) {
            set_scales(memory_.solver);
            count = enumerate_poses(memory_.solver, at, request.ints.data<int32_t>(),
                                    request.reals.data<double>(), request.count, request.settings,
                                    attempts, seed, distinct, by_variables, found.data(),
                                    marks.data(), capacity, trial.data(), stop);
            if (count != NEED_MEMORY) break;
            memory_.grow_terms();
        }
        stop.end();
        found.resize((size_t)count * (size_t)m.nq);
        return new_array(std::move(found), {(size_t)count, (size_t)m.nq});
    }

    // Closes many configurations (n, nq) in place, each with the given variables locked; gaps (n)
    // in metres and rad together, scaled by the mechanism's size. One solver per thread.
    void close_many(nb::handle qs, nb::handle options, nb::handle locked, nb::handle gaps,
                    int32_t threads) {
        const Model& m = memory_.model;
        const Borrowed qs_(qs, "qs", true), gaps_(gaps, "gaps", true), o(options, "options");
        double* all = qs_.data<double>({-1, m.nq});
        const int64_t count = qs_.shape(0);
        double* gap = gaps_.data<double>({count});
        std::vector<std::unique_ptr<Borrowed>> keep;
        SolverOptions closing = options_in(o);
        closing.posture_gain = 0;
        closing.locked = optional_data<int32_t>(locked, m.nv, "locked", keep);
        const auto work = [&](int64_t first, int64_t last, SharedStop& stop) {
            SolverMemory mine(m);
            for (int64_t i = first; i < last && !stop(); ++i) {
                gap[i] = mine.solve(all + i * m.nq, nullptr, nullptr, 0, closing).gap;
            }
        };
        share(count, threads, work);
    }

    // Meets the handles for many targets (n, HANDLE_REALS per handle), each from its row of qs (n,
    // nq), in place; with `follow` from the answer before it where that was met. One solver per
    // thread. Outcomes (n), and gaps (n) scaled by the mechanism's size.
    void meet_many(nb::handle qs, nb::handle handle_ints, nb::handle handle_reals,
                   nb::handle options, nb::handle locked, bool follow, nb::handle outcomes,
                   nb::handle gaps, int32_t threads) {
        const Model& m = memory_.model;
        const Borrowed qs_(qs, "qs", true), all_reals(handle_reals, "handle_reals");
        const Borrowed outcomes_(outcomes, "outcomes", true), gaps_(gaps, "gaps", true);
        double* all = qs_.data<double>({-1, m.nq});
        const int64_t count = qs_.shape(0);
        int32_t* outcome = outcomes_.data<int32_t>({count});
        double* gap = gaps_.data<double>({count});
        const Borrowed ints(handle_ints, "handle_ints");
        const int64_t width = ints.size() / HANDLE_INTS * HANDLE_REALS;
        const double* targets = all_reals.data<double>({count, width});
        if (count == 0) return;
        const nb::object first =
            new_array(std::vector<double>(targets, targets + width), {(size_t)width});
        const Request request(m, handle_ints, first, options, nb::none(), nb::none(), nb::none(),
                              locked);
        const int32_t* handles = request.ints.data<int32_t>();
        const auto work = [&](int64_t begin, int64_t end, SharedStop& stop) {
            SolverMemory mine(m);
            mine.reserve_rows(request.rows);
            std::vector<double> start((size_t)m.nq);
            bool met = false;
            for (int64_t i = begin; i < end && !stop(); ++i) {
                double* q = all + i * m.nq;
                start.assign(q, q + m.nq);
                const size_t bytes = sizeof(double) * (size_t)m.nq;
                const bool from_last = follow && met;
                if (from_last) memcpy(q, q - m.nq, bytes);
                const auto meet = [&] {
                    return mine.solve(q, handles, targets + i * width, request.count,
                                      request.settings);
                };
                SolverReport r = meet();
                if (from_last && r.outcome != REACHED) {
                    // the way from the neighbour was a dead end: once more from its own start
                    memcpy(q, start.data(), bytes);
                    r = meet();
                }
                met = r.outcome == REACHED;
                outcome[i] = r.outcome;
                gap[i] = r.gap;
            }
        };
        share(count, threads, work);
    }

private:
    // One part for each thread: what is followed within a part does not depend on its speed.
    template <class Work>
    static void share(int64_t count, int32_t threads, const Work& work) {
        if (count == 0) return;
        const int64_t workers = std::min<int64_t>(std::max(threads, 1), count);
        nb::gil_scoped_release unlocked;
        in_parallel(count, (int)workers, (count + workers - 1) / workers, work);
    }
    // As record::SolverReport has them.
    nb::tuple report(const SolverReport& r) const {
        return nb::make_tuple(r.outcome, r.iterations, r.dof, r.redundant, r.gap, r.pin_error,
                              r.handle_error, r.gradient, r.task_pivot, r.loop_pivot,
                              memory_.solver.size, r.clearance, r.obstacle);
    }

    Borrowed ints_, reals_;
    SolverMemory memory_;
    Turn turn_;
};

// The same call again and again: arrays are checked once and borrowed for good; numbers in q and in
// the handles may change between calls, which handles there are may not.
class Ticker {
public:
    Ticker(nb::object solver, nb::handle q, nb::handle handle_ints, nb::handle handle_reals,
           nb::handle options, nb::handle bounds, nb::handle weights, nb::handle posture,
           nb::handle locked, nb::handle held, nb::handle avoid, double keep)
        : owner_(std::move(solver)),
          solver_(checked(owner_)),
          request_(solver_.model(), handle_ints, handle_reals, options, bounds, weights, posture,
                   locked),
          q_(q, "q", true),
          held_(held, "held", true),
          at_(q_.data<double>({solver_.model().nq})),
          held_at_(held_.data<int32_t>({solver_.model().nv})),
          handle_ints_(request_.ints.data<int32_t>(),
                       request_.ints.data<int32_t>() + request_.ints.size()) {
        if (avoid.is_none()) return;
        avoid_ = std::make_unique<AvoidMemory>(avoid, solver_.model(), keep);
        request_.settings.avoid = &avoid_->avoidance;
    }

    nb::tuple operator()() { return solver_.tick(request_, handle_ints_.data(), at_, held_at_); }

private:
    static BoundSolver& checked(nb::handle solver) {
        if (!nb::isinstance<BoundSolver>(solver)) raise_usage("solver must be a BoundSolver");
        return nb::cast<BoundSolver&>(solver);
    }

    nb::object owner_;
    BoundSolver& solver_;
    Request request_;
    Borrowed q_, held_;
    double* at_;
    int32_t* held_at_;
    std::vector<int32_t> handle_ints_;
    std::unique_ptr<AvoidMemory> avoid_;
};

}  // namespace

void bind_solver(nb::module_& module) {
    nb::class_<BoundSolver>(module, "BoundSolver")
        .def(nb::init<nb::handle, nb::handle>(), nb::arg("ints"), nb::arg("reals"))
        .def("run", &BoundSolver::run, nb::arg("q"), nb::arg("handle_ints"),
             nb::arg("handle_reals"), nb::arg("options"), nb::arg("bounds").none(),
             nb::arg("weights").none(), nb::arg("posture").none(), nb::arg("locked").none(),
             nb::arg("held"))
        .def("search", &BoundSolver::search, nb::arg("q"), nb::arg("handle_ints"),
             nb::arg("handle_reals"), nb::arg("options"), nb::arg("weights").none(),
             nb::arg("posture").none(), nb::arg("locked").none(), nb::arg("attempts"),
             nb::arg("seed"), nb::arg("held"))
        .def("enumerate", &BoundSolver::enumerate, nb::arg("q"), nb::arg("handle_ints"),
             nb::arg("handle_reals"), nb::arg("options"), nb::arg("locked").none(),
             nb::arg("attempts"), nb::arg("seed"), nb::arg("distinct"), nb::arg("by_variables"),
             nb::arg("capacity"))
        .def("close_many", &BoundSolver::close_many, nb::arg("qs"), nb::arg("options"),
             nb::arg("locked").none(), nb::arg("gaps"), nb::arg("threads"))
        .def("meet_many", &BoundSolver::meet_many, nb::arg("qs"), nb::arg("handle_ints"),
             nb::arg("handle_reals"), nb::arg("options"), nb::arg("locked").none(),
             nb::arg("follow"), nb::arg("outcomes"), nb::arg("gaps"), nb::arg("threads"));
    nb::class_<Ticker>(module, "Ticker")
        .def(nb::init<nb::object, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle,
                      nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, double>(),
             nb::arg("solver"), nb::arg("q"), nb::arg("handle_ints"), nb::arg("handle_reals"),
             nb::arg("options"), nb::arg("bounds").none(), nb::arg("weights").none(),
             nb::arg("posture").none(), nb::arg("locked").none(), nb::arg("held"),
             nb::arg("avoid").none() = nb::none(), nb::arg("keep") = 0.0)
        .def("__call__", &Ticker::operator());
}
