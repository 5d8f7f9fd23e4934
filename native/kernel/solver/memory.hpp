// Where the solver's scratch lies: sizes first, then pointers into memory that the caller owns.
#pragma once

#include "kernel/base/arena.hpp"
#include "kernel/solver/solver.hpp"

namespace kinegen {

// Lays out a solver for `rows` handle rows and `terms` elimination terms. Call it with null arenas
// to count, then with memory (zeroed) of those sizes. scratch: plan_scratch_size ints.
inline void lay_out_solver(Model& m, int32_t rows, int32_t terms, int32_t* scratch,
                           Arena<double>& reals, Arena<int32_t>& ints, Solver& s) {
    s.model = &m;
    s.row_capacity = rows;
    s.plan = Plan{};
    make_plan(m, scratch, s.plan);
    const int64_t nv = m.nv, nq = m.nq, loops = m.loop_count;

    s.plan.loop_order = ints.take(loops);
    s.plan.loop_of = ints.take(m.joint_count);
    s.plan.path_first = ints.take(loops + 1);
    s.plan.path_joint = ints.take(s.plan.path_size);
    s.plan.path_side = ints.take(s.plan.path_size);
    s.plan.column_first = ints.take(loops + 1);
    s.plan.column = ints.take(s.plan.column_size);
    s.plan.uses = ints.take(nv);
    if (ints.memory) make_plan(m, scratch, s.plan);

    Elimination& e = s.elimination;
    e.variable_count = m.nv;
    e.term_capacity = terms;
    e.formula_of = ints.take(nv);
    e.owner = ints.take(nv);
    e.first = ints.take(nv + 1);
    e.place = ints.take(nv);
    e.term_variable = ints.take(terms);
    e.constant = reals.take(nv);
    e.term_coefficient = reals.take(terms);
    e.uses = s.plan.uses;

    const int64_t dense = nv < DENSE_LIMIT ? nv : DENSE_LIMIT;
    s.links = reals.take(TRANSFORM_SIZE * (int64_t)m.link_count);
    static_assert(sizeof(LoopEnds) == 30 * sizeof(double), "plain numbers only");
    s.ends = reinterpret_cast<LoopEnds*>(reals.take(30 * loops));
    s.local = reals.take(HANDLE_ROWS * nv);
    s.loop_rows = reals.take(6 * (int64_t)s.plan.widest);
    s.task = reals.take((rows + HANDLE_ROWS) * nv);  // a pin's rows pass through behind the others
    s.task_rhs = reals.take(rows);
    s.system = reals.take((int64_t)rows * rows);
    s.undamped = reals.take((int64_t)rows * rows);
    s.dual = reals.take(2 * (int64_t)rows);
    static_assert(sizeof(HandleError) == 16 * sizeof(double), "plain numbers only");
    s.handle_errors = reinterpret_cast<HandleError*>(reals.take(16 * (int64_t)(rows / 3 + 1)));
    s.task_columns = reals.take(rows * nv);
    s.line = reals.take(nv);
    s.basis = reals.take(nv * dense);
    s.metric = reals.take(dense * dense);
    s.solved = reals.take(rows * nv);
    s.step = reals.take(nv);
    s.moved = reals.take(nv);
    s.preferred = reals.take(2 * nv);  // the second half is scratch
    s.scale = reals.take(nv);
    s.moved_anchor = reals.take(nv);
    s.q_try = reals.take(nq);
    s.q_close = reals.take(nq);
    s.q_anchor = reals.take(nq);
    s.q_start = reals.take(nq);
    s.columns = ints.take(2 * nv);  // the second half lists all variables
    s.free_variables = ints.take(nv);
    s.chain = ints.take(2 * (int64_t)m.joint_count);
    s.held = ints.take(nv);
    s.held_best = ints.take(nv);
}

// A first guess of the terms: loops with a dozen columns, pins and limits over all variables.
inline int32_t guess_terms(const Model& m) { return 6 * m.loop_count * 24 + 8 * m.nv + 64; }

}  // namespace kinegen
