// The solver for the page: one per bound model, made at its first use.
#include "kernel/solver/memory.hpp"
#include "wasm/page.hpp"

using namespace kinegen;

namespace {

// A solver with its scratch memory.
struct PageSolver {
    Solver solver;
    Model model;
    double* reals;
    int32_t* ints;
};

ByHandle<PageSolver> solvers;

// Lays a solver out for so many rows and terms; null when memory ran out.
PageSolver* make_solver(const Model& m, int32_t rows, int32_t terms) {
    PageSolver* p = static_cast<PageSolver*>(calloc(1, sizeof(PageSolver)));
    Scratch<int32_t> scratch(plan_scratch_size(m));
    if (p == nullptr || !scratch) {
        free(p);
        return nullptr;
    }
    p->model = m;
    Arena<double> count_reals{nullptr, 0};
    Arena<int32_t> count_ints{nullptr, 0};
    lay_out_solver(p->model, rows, terms, scratch.data, count_reals, count_ints, p->solver);
    p->reals = static_cast<double*>(calloc((size_t)count_reals.used + 1, sizeof(double)));
    p->ints = static_cast<int32_t*>(calloc((size_t)count_ints.used + 1, sizeof(int32_t)));
    if (p->reals == nullptr || p->ints == nullptr) {
        solvers.release(p);
        return nullptr;
    }
    Arena<double> take_reals{p->reals, 0};
    Arena<int32_t> take_ints{p->ints, 0};
    lay_out_solver(p->model, rows, terms, scratch.data, take_reals, take_ints, p->solver);
    return p;
}

// The solver of a handle with room for the rows and terms asked for.
PageSolver* solver_for(int32_t handle, const Model& m, int32_t rows, int32_t terms) {
    if (!solvers.reserve(handle)) return nullptr;
    PageSolver* here = solvers.find(handle);
    if (here != nullptr && here->solver.row_capacity >= rows &&
        here->solver.elimination.term_capacity >= terms)
        return here;
    solvers.forget(handle);
    return solvers.replace(handle, make_solver(m, rows, terms));
}

// An optional array: no numbers, or as many as wanted.
template <class T>
bool absent_or_fits(const T* data, int32_t count, int32_t wanted) {
    return count == 0 || fits(data, count, wanted);
}

}  // namespace

void kinegen::forget_solver(int32_t handle) { solvers.forget(handle); }

// Moves q in place towards the handles with the loops closed, as BoundSolver.run does in Python;
// bounds, weights, posture and locked may be empty; bodies: those to avoid, 0: none. report: a
// record::SolverReport. Returns a Status.
EXPORT(kg_solve)(int32_t handle, double* q, int32_t q_count, const int32_t* handle_ints,
                 int32_t handle_int_count, const double* handle_reals, int32_t handle_real_count,
                 const double* options, int32_t option_count, const double* bounds,
                 int32_t bound_count, const double* weights, int32_t weight_count,
                 const double* posture, int32_t posture_count, const int32_t* locked,
                 int32_t locked_count, int32_t* held, int32_t held_count, double* report,
                 int32_t report_count, int32_t bodies, double keep)
    ->int32_t {
    BIND(b, handle);
    const int32_t count = handle_int_count / HANDLE_INTS;
    if (!fits(q, q_count, m.nq) || !fits(handle_ints, handle_int_count, HANDLE_INTS * count) ||
        !fits(handle_reals, handle_real_count, HANDLE_REALS * count) ||
        !fits(options, option_count, record::SolverNumbers::COUNT) ||
        !absent_or_fits(bounds, bound_count, m.nv) ||
        !absent_or_fits(weights, weight_count, m.nv) ||
        !absent_or_fits(posture, posture_count, m.nq) ||
        !absent_or_fits(locked, locked_count, m.nv) || !fits(held, held_count, m.nv) ||
        !fits(report, report_count, record::SolverReport::COUNT))
        return BAD_SIZE;
    int32_t rows = 6;
    for (int32_t h = 0; h < count; ++h) {
        const int32_t* row = handle_ints + HANDLE_INTS * h;
        const int32_t site = row[record::HandleInts::SITE], kind = row[record::HandleInts::KIND];
        if (site < 0 || site >= m.site_count() || kind < 0 || kind >= HANDLE_KIND_COUNT)
            return BAD_INDEX;
        rows += handle_rows(kind);
    }
    SolverOptions o = read_numbers(options);
    o.bounds = bound_count ? bounds : nullptr;
    o.weights = weight_count ? weights : nullptr;
    o.posture = posture_count ? posture : nullptr;
    o.locked = locked_count ? locked : nullptr;
    if (bodies != 0) {
        o.avoid = find_avoidance(bodies, m, keep);
        if (o.avoid == nullptr || !(keep >= 0)) return BAD_HANDLE;
    }

    SolverReport r{};
    for (int32_t terms = guess_terms(m);; terms *= 2) {
        PageSolver* p = solver_for(handle, m, rows, terms);
        if (p == nullptr) return NO_MEMORY;
        solve(p->solver, q, handle_ints, handle_reals, count, o, r);
        if (r.outcome == NEED_MEMORY) continue;
        memcpy(held, p->solver.held, sizeof(int32_t) * (size_t)m.nv);
        using at = record::SolverReport;
        report[at::OUTCOME] = r.outcome;
        report[at::ITERATIONS] = r.iterations;
        report[at::DOF] = r.dof;
        report[at::REDUNDANT] = r.redundant;
        report[at::GAP] = r.gap;
        report[at::PIN_ERROR] = r.pin_error;
        report[at::HANDLE_ERROR] = r.handle_error;
        report[at::GRADIENT] = r.gradient;
        report[at::TASK_PIVOT] = r.task_pivot;
        report[at::LOOP_PIVOT] = r.loop_pivot;
        report[at::SIZE] = p->solver.size;
        report[at::CLEARANCE] = r.clearance;
        report[at::OBSTACLE] = r.obstacle;
        return OK;
    }
}
