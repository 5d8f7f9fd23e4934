// One step of the solver: hard rows eliminated, handles met in the motion that is left.
#pragma once

#include "kernel/base/manifold.hpp"
#include "kernel/solver/avoid.hpp"
#include "kernel/solver/equations.hpp"

namespace kinegen {

// Scaled rows smaller than this are redundant: of pins, and of single variables (locked, at
// limits).
constexpr double PIN_TOLERANCE = 1e-6;
constexpr double HELD_TOLERANCE = 1e-9;

// What the pivots of a factorisation show.
struct Pivots {
    double ratio;  // smallest to largest of the rows that have any entry, 1 when none has
    int32_t rank;  // how many are not lost in rounding
};

// In-place Cholesky factor of a symmetric matrix plus damping on its diagonal, which holds the
// inverses of the factor's own. A pivot that is not positive is replaced, so that its direction is
// left out. ROWS: the size where the compiler may know it, else 0.
template <int32_t ROWS>
inline Pivots cholesky(double* A, int32_t size, double damping) {
    const int32_t n = ROWS > 0 ? ROWS : size;
    double smallest = 1e300, largest = 0;
    int32_t rank = 0;
    for (int32_t j = 0; j < n; ++j) {
        double* row_j = A + (int64_t)j * n;
        const double whole = row_j[j];
        double d = whole + damping;
        for (int32_t k = 0; k < j; ++k) d -= row_j[k] * row_j[k];
        if (whole > 1e-18) smallest = smaller(smallest, larger(d, 0));
        largest = larger(largest, d);
        if (d > 1e-10) ++rank;
        // a direction that nothing can move but rounding: leave it out, or it takes its noise for
        // a part of the others
        if (!(d > 1e-24)) d = 1e300;
        const double inverse = 1 / sqrt(d);
        row_j[j] = inverse;
        for (int32_t i = j + 1; i < n; ++i) {
            double* row_i = A + (int64_t)i * n;
            double sum = row_i[j];
            for (int32_t k = 0; k < j; ++k) sum -= row_i[k] * row_j[k];
            row_i[j] = sum * inverse;
        }
    }
    // beside what is usual, so that all pivots vanishing together is distinguished from none
    return {smallest < 1e300 ? smallest / larger(largest, 1e-3) : 1, rank};
}

template <int32_t ROWS>
inline void cholesky_solve(const double* L, int32_t size, double* b) {
    const int32_t n = ROWS > 0 ? ROWS : size;
    for (int32_t i = 0; i < n; ++i) {
        const double* row = L + (int64_t)i * n;
        double sum = b[i];
        for (int32_t k = 0; k < i; ++k) sum -= row[k] * b[k];
        b[i] = sum * row[i];
    }
    for (int32_t i = n - 1; i >= 0; --i) {
        double sum = b[i];
        for (int32_t k = i + 1; k < n; ++k) sum -= L[(int64_t)k * n + i] * b[k];
        b[i] = sum * L[(int64_t)i * n + i];
    }
}

// The free variables, and the metric of their motion: what moving them costs all variables.
struct Metric {
    int32_t count;  // free variables
    bool dense;
};

inline Metric build_metric(Solver& s, const SolverOptions& o, bool determined) {
    const int32_t nv = s.model->nv;
    Metric metric{0, false};
    for (int32_t i = 0; i < nv; ++i)
        if (s.elimination.formula_of[i] < 0) s.free_variables[metric.count++] = i;
    const int32_t f = metric.count;
    metric.dense = !determined && f <= DENSE_LIMIT && s.elimination.count > 0;
    if (!metric.dense) return metric;
    // rows of the basis B: how each variable follows the free ones
    double* B = s.basis;
    memset(B, 0, sizeof(double) * (size_t)nv * (size_t)f);
    for (int32_t k = 0; k < f; ++k) B[(int64_t)s.free_variables[k] * f + k] = 1;
    const Elimination& e = s.elimination;
    for (int32_t n = e.count - 1; n >= 0; --n) {
        double* row = B + (int64_t)e.owner[n] * f;
        for (int32_t t = e.first[n]; t < e.first[n + 1]; ++t) {
            const double c = e.term_coefficient[t];
            const double* other = B + (int64_t)e.term_variable[t] * f;
            for (int32_t k = 0; k < f; ++k) row[k] += c * other[k];
        }
    }
    double* M = s.metric;
    memset(M, 0, sizeof(double) * (size_t)f * (size_t)f);
    for (int32_t i = 0; i < nv; ++i) {
        const double w = o.weights ? o.weights[i] : 1;
        const double* row = B + (int64_t)i * f;
        for (int32_t a = 0; a < f; ++a) {
            if (row[a] == 0) continue;
            for (int32_t b = 0; b <= a; ++b) M[(int64_t)a * f + b] += w * row[a] * row[b];
        }
    }
    cholesky<0>(M, f, 0);
    return metric;
}

// y := metric⁻¹ y, for a vector over the free variables.
inline void apply_inverse_metric(const Solver& s, const SolverOptions& o, const Metric& metric,
                                 double* y) {
    if (metric.dense) {
        cholesky_solve<0>(s.metric, metric.count, y);
    } else if (o.weights) {
        for (int32_t k = 0; k < metric.count; ++k) y[k] /= o.weights[s.free_variables[k]];
    }
}

// system = Σ column · solvedᵀ over the variables, at least its lower half; columns of `rows`
// numbers. Vec6 rows, the usual case, are a constant for the compiler to unroll.
template <int32_t ROWS>
inline void set_products(const double* columns, const double* solved, int32_t rows, int32_t count,
                         double* system) {
    if constexpr (ROWS > 0) {
        double sum[ROWS * ROWS] =
            {};  // not through a pointer: nothing else may change it meanwhile
        for (int32_t k = 0; k < count; ++k, columns += ROWS, solved += ROWS)
            for (int32_t a = 0; a < ROWS; ++a)
                for (int32_t b = 0; b < ROWS; ++b) sum[ROWS * a + b] += columns[a] * solved[b];
        memcpy(system, sum, sizeof(sum));
    } else {
        memset(system, 0, sizeof(double) * (size_t)rows * (size_t)rows);
        for (int32_t k = 0; k < count; ++k, columns += rows, solved += rows)
            for (int32_t a = 0; a < rows; ++a)
                for (int32_t b = 0; b <= a; ++b)
                    system[(int64_t)a * rows + b] += columns[a] * solved[b];
    }
}

// The step of the free variables towards the handles: the dual system
// (A M⁻¹ Aᵀ + damping) z = e - A y, then y += M⁻¹ Aᵀ z. Returns the rank if `determined`.
template <int32_t ROWS>
inline int32_t solve_dual(Solver& s, const SolverOptions& o, const Metric& metric, int32_t rows,
                          double damping, bool determined, double* y, SolverReport& report) {
    const int32_t n = ROWS > 0 ? ROWS : rows, f = metric.count, nv = s.model->nv;
    // rows of the task as columns by free variable, and the same behind the inverse metric
    double* columns = s.task_columns;
    const double* solved = columns;
    for (int32_t k = 0; k < f; ++k) {
        const double* at = s.task + s.free_variables[k];
        for (int32_t r = 0; r < n; ++r) columns[(int64_t)k * n + r] = at[(int64_t)r * nv];
    }
    if (metric.dense || o.weights) {
        double* line = s.line;
        for (int32_t r = 0; r < n; ++r) {
            for (int32_t k = 0; k < f; ++k) line[k] = columns[(int64_t)k * n + r];
            apply_inverse_metric(s, o, metric, line);
            for (int32_t k = 0; k < f; ++k) s.solved[(int64_t)k * n + r] = line[k];
        }
        solved = s.solved;
    }
    double *lack = s.dual, *z = s.dual + n;
    for (int32_t r = 0; r < n; ++r) lack[r] = s.task_rhs[r];
    for (int32_t k = 0; k < f; ++k)
        for (int32_t r = 0; r < n; ++r) lack[r] -= columns[(int64_t)k * n + r] * y[k];
    set_products<ROWS>(columns, solved, n, f, s.system);

    // steepest possible fall of the error per unit of motion
    double gradient = 0;
    for (int32_t a = 0; a < n; ++a) {
        double sum = 0;
        for (int32_t b = 0; b < a; ++b) sum += s.system[(int64_t)a * n + b] * lack[b];
        gradient += (2 * sum + s.system[(int64_t)a * n + a] * lack[a]) * lack[a];
    }
    report.gradient = gradient > 0 ? sqrt(gradient) : 0;
    // the system without damping shows which directions the handles really have: now if the answer
    // depends on it, else when the report is due
    memcpy(s.undamped, s.system, sizeof(double) * (size_t)n * (size_t)n);
    report.pivot_rows = determined ? 0 : n;
    Pivots pivots{1, 0};
    if (determined) {
        pivots = cholesky<ROWS>(s.undamped, n, 0);
        report.task_pivot = pivots.ratio;
    }
    cholesky<ROWS>(s.system, n, damping);
    memcpy(z, lack, sizeof(double) * (size_t)n);
    cholesky_solve<ROWS>(s.system, n, z);
    // the move, and what the linear picture promises of it
    double* gain = lack;
    for (int32_t r = 0; r < n; ++r) gain[r] = 0;
    for (int32_t k = 0; k < f; ++k) {
        const double* column = columns + (int64_t)k * n;
        double sum = 0;
        for (int32_t r = 0; r < n; ++r) sum += solved[(int64_t)k * n + r] * z[r];
        y[k] += sum;
        for (int32_t r = 0; r < n; ++r) gain[r] += column[r] * y[k];
    }
    for (int32_t r = 0; r < n; ++r) {
        report.promise_linear += gain[r] * s.task_rhs[r];
        report.promise_square += gain[r] * gain[r];
    }
    return pivots.rank;
}

// The pivots that solve_dual left for later.
inline void finish_report(Solver& s, SolverReport& report) {
    if (report.pivot_rows == 0) return;
    report.task_pivot = cholesky<0>(s.undamped, report.pivot_rows, 0).ratio;
    report.pivot_rows = 0;
}

// The move x (scaled, all variables) that meets the hard rows and, as far as damping lets it, the
// soft ones; among equals the one nearest to the preferred one. task: substituted rows, task_rhs
// likewise. determined: the rows fix every degree of freedom, so that the metric has nothing to
// decide. Returns whether that holds.
inline bool solve_step(Solver& s, const SolverOptions& o, int32_t rows, double damping,
                       bool determined, SolverReport& report) {
    const int32_t nv = s.model->nv;
    const Metric metric = build_metric(s, o, determined);
    const int32_t f = metric.count;
    double* x = s.step;

    // what the constants alone do, then the free motion nearest to the preferred one: y = M⁻¹ Bᵀ W
    // (w - x0)
    memset(x, 0, sizeof(double) * (size_t)nv);
    back_substitute(s.elimination, x, true);
    double* y = s.preferred + nv;  // scratch behind the preferred motion
    if (metric.dense) {
        for (int32_t k = 0; k < f; ++k) y[k] = 0;
        for (int32_t i = 0; i < nv; ++i) {
            const double lack = (o.weights ? o.weights[i] : 1) * (s.preferred[i] - x[i]);
            if (lack == 0) continue;
            const double* row = s.basis + (int64_t)i * f;
            for (int32_t k = 0; k < f; ++k) y[k] += row[k] * lack;
        }
        apply_inverse_metric(s, o, metric, y);
    } else {
        for (int32_t k = 0; k < f; ++k) y[k] = s.preferred[s.free_variables[k]];
    }
    report.task_pivot = 1;
    report.gradient = report.promise_linear = report.promise_square = 0;
    report.pivot_rows = 0;
    report.dof = f;
    int32_t rank = 0;
    if (rows == HANDLE_ROWS && f > 0)
        rank = solve_dual<HANDLE_ROWS>(s, o, metric, rows, damping, determined, y, report);
    else if (rows > 0 && f > 0)
        rank = solve_dual<0>(s, o, metric, rows, damping, determined, y, report);
    for (int32_t k = 0; k < f; ++k) x[s.free_variables[k]] = y[k];
    back_substitute(s.elimination, x, true);
    return rank >= f;
}

// The limit that the step would pass furthest becomes a hard row: holding one often spares the
// others. Returns whether one was added.
inline bool hold_limit(Solver& s, const double* q, double share) {
    const Model& m = *s.model;
    int32_t worst = -1, side = 0, width = 1;
    double furthest = 1e-12, rhs = 0, row[2] = {1, 0};
    for (int32_t j = 0; j < m.joint_count; ++j) {
        const int32_t type = m.joint_type[j];
        if (has_swing_limit(m, j)) {
            // to first order; make_step sees to the rest
            const int32_t i = m.joint_v[j];
            double axis[2];
            if (s.held[i] || !swing_axis(q + m.joint_q[j], axis)) continue;
            const double room = m.upper[i] - swing_angle(q + m.joint_q[j]);
            const double wider = share * (axis[0] * s.step[i] + axis[1] * s.step[i + 1]);
            if (!(wider > 0 && wider - room > furthest)) continue;
            furthest = wider - room;
            worst = i;
            side = 1;
            width = 2;
            rhs = larger(room, 0);
            row[0] = axis[0];
            row[1] = axis[1];
        }
        if (JOINT_QUATERNION[type]) continue;
        for (int32_t k = 0; k < JOINT_NV[type]; ++k) {
            const int32_t i = m.joint_v[j] + k;
            if (s.held[i] || s.step[i] == 0) continue;
            const double here = q[m.joint_q[j] + k], there = here + share * s.step[i] * s.scale[i];
            const bool up = s.step[i] > 0;
            const double bound = up ? m.upper[i] : m.lower[i];
            const double over = (up ? there - bound : bound - there) / s.scale[i];
            if (!(over > furthest)) continue;
            furthest = over;
            worst = i;
            side = up ? 1 : -1;
            width = 1;
            row[0] = 1;
            // never push further out from beyond a limit: hold where it is
            const double room = (bound - here) / s.scale[i];
            rhs = up ? larger(room, 0) : smaller(room, 0);
        }
    }
    if (worst < 0) return false;
    s.held[worst] = side;
    const int32_t variables[2] = {worst, worst + 1};
    eliminate(s.elimination, variables, width, row, &rhs, 1, HELD_TOLERANCE, s.local, s.columns);
    return true;
}

// Linearises at q (links and what handles lack already computed) and finds the move for a given
// damping.
inline int32_t find_step(Solver& s, const double* q, const int32_t* ints, const double* reals,
                         int32_t handle_count, bool with_soft, const SolverOptions& o, double gap,
                         double damping, SolverReport& report) {
    const Model& m = *s.model;
    start_elimination(s.elimination);
    if (o.locked)
        for (int32_t i = 0; i < m.nv; ++i)
            if (o.locked[i]) {
                const double one = 1;
                double rhs = 0;
                eliminate(s.elimination, &i, 1, &one, &rhs, 1, HELD_TOLERANCE, s.local, s.columns);
            }
    s.elimination.smallest_pivot = 1e300;
    eliminate_loops(s, q, gap);
    report.loop_pivot =
        m.loop_count > 0 && s.elimination.smallest_pivot < 1e300 ? s.elimination.smallest_pivot : 1;
    report.redundant = s.elimination.redundant;

    // pins are hard rows, handles soft ones
    int32_t rows = 0;
    for (int32_t i = 0; i < m.nv; ++i) s.columns[m.nv + i] = i;  // all variables, in order
    for (int32_t h = 0; h < handle_count; ++h) {
        if (!with_soft && !ints[HANDLE_INTS * h + record::HandleInts::PIN]) continue;
        const HandleError& e = s.handle_errors[h];
        double *at = s.task + (int64_t)rows * m.nv, rhs[HANDLE_ROWS];
        memcpy(rhs, e.rhs, sizeof(rhs));
        handle_jacobian(s, q, ints + HANDLE_INTS * h, reals + HANDLE_REALS * h, e, at);
        if (ints[HANDLE_INTS * h + record::HandleInts::PIN]) {
            eliminate(s.elimination, s.columns + m.nv, m.nv, at, rhs, (int32_t)e.row_count,
                      PIN_TOLERANCE, s.local, s.columns);
        } else {
            memcpy(s.task_rhs + rows, rhs, sizeof(double) * (size_t)e.row_count);
            rows += (int32_t)e.row_count;
        }
    }
    substitute(s.elimination, 0, s.task, s.task_rhs, rows);
    for (int32_t i = 0; i < m.nv; ++i) s.held[i] = 0;
    if (o.avoid) find_avoid_rows(s, q, *o.avoid);
    for (int32_t round = 0;; ++round) {
        if (s.elimination.overflow) return NEED_MEMORY;
        // most handles of most mechanisms fix every degree of freedom: try that cheaper way first
        const bool hope =
            s.elimination.count > 0 && rows >= m.nv - s.elimination.count && o.posture_gain == 0;
        if (!solve_step(s, o, rows, damping, hope, report) && hope)
            solve_step(s, o, rows, damping, false, report);
        if (!(o.use_limits || o.avoid) || round > m.nv) break;
        // the move as it will be made: no longer than the step allows
        double longest = 0;
        for (int32_t i = 0; i < m.nv; ++i) longest = larger(longest, fabs(s.step[i]));
        const double share = longest > o.max_step ? o.max_step / longest : 1;
        const int32_t from = s.elimination.count;
        if (!(o.use_limits && hold_limit(s, q, share)) &&
            !(o.avoid && hold_contact(s, *o.avoid, share, HELD_TOLERANCE)))
            break;
        substitute(s.elimination, from, s.task, s.task_rhs, rows);
    }
    return OK;
}

// Share of the step that respects the step length and the call's bounds.
inline double allowed_share(const Solver& s, const SolverOptions& o) {
    const int32_t nv = s.model->nv;
    double share = 1;
    for (int32_t i = 0; i < nv; ++i) {
        const double x = fabs(s.step[i]);
        if (x * share > o.max_step) share = o.max_step / x;
        if (o.bounds) {
            const double bound = o.bounds[i] / s.scale[i];
            const double there = s.moved[i] + share * s.step[i];
            if (fabs(there) > bound && x > 0) {
                const double room = s.step[i] > 0 ? bound - s.moved[i] : bound + s.moved[i];
                share = larger(0.0, smaller(share, room / x));
            }
        }
    }
    return share;
}

inline void set_preferred(Solver& s, const double* q, const SolverOptions& o) {
    const Model& m = *s.model;
    for (int32_t i = 0; i < m.nv; ++i) s.preferred[i] = 0;
    if (o.posture == nullptr || o.posture_gain == 0) return;
    difference(m, q, o.posture, s.preferred);
    for (int32_t i = 0; i < m.nv; ++i) s.preferred[i] *= o.posture_gain / s.scale[i];
}

// q moved by a share of the step, in place. Swings end at their limits, or no wider than they were
// where they began beyond: the held rows see to that to first order only.
inline void make_step(Solver& s, double* q, double share, bool use_limits) {
    const Model& m = *s.model;
    double* v = s.preferred + m.nv;
    for (int32_t i = 0; i < m.nv; ++i) {
        v[i] = share * s.step[i] * s.scale[i];
        s.moved[i] += share * s.step[i];
    }
    integrate(m, q, v, s.q_try);
    for (int32_t j = 0; use_limits && j < m.joint_count; ++j)
        if (has_swing_limit(m, j)) {
            const double most = larger(m.upper[m.joint_v[j]], swing_angle(q + m.joint_q[j]));
            const double over = swing_angle(s.q_try + m.joint_q[j]) - most;
            if (over > 0) add_swing(s.q_try + m.joint_q[j], -over);
        }
    memcpy(q, s.q_try, sizeof(double) * (size_t)m.nq);
}

}  // namespace kinegen
