// How a mechanism stands to its singular poses: two kinds, how near, and which motions are
// concerned.
//
// Of the first kind a frame cannot move in some direction: its rows over the free motion lose rank.
// Of the second the inputs do not hold the mechanism: the loop rows over the joints without inputs
// lose rank. Ranks are compared with those of closed poses nearby, so that what a mechanism never
// can does not count.
#pragma once

#include "kernel/base/tolerances.hpp"
#include "kernel/loops/scaled_motion.hpp"

namespace kinegen {

constexpr double LOST_VALUE = 1e-5;   // values below this are zero
constexpr double USUAL_REACH = 0.1;   // how far away ordinary poses are looked for, scaled
constexpr double CLOSE_REACH = 1e-3;  // how far away directions are compared

// What is looked at again and again: rows, inputs and usual ranks.
struct Probe {
    Scaled s;
    Coordinates watched;  // no rows: only the loops are looked at
    Coordinates drive;    // the inputs' variables
    int32_t* passive;     // variables without inputs
    int32_t passive_count;
    int32_t loop_rank, task_rank, gain_rank, drive_rank;
};

// A full decomposition A = U diag(values) Vᵀ: rows of Ut (m × m) and Vt (n × n) are the vectors.
struct FullSvd {
    double *Ut, *values, *Vt;
    int32_t m, n, k;
};

// Decomposes A (m × n) into the stack.
inline FullSvd full_svd(ScratchStack& stack, const double* A, int32_t m, int32_t n) {
    FullSvd f;
    f.m = m;
    f.n = n;
    f.k = m < n ? m : n;
    f.Ut = stack.reals((int64_t)m * m);
    f.Vt = stack.reals((int64_t)n * n);
    f.values = stack.reals(f.k);
    double* scratch = stack.reals(f.k);
    svd_factor(A, m, n, false, m <= n ? f.Ut : f.Vt, m <= n ? f.Vt : f.Ut, f.values, scratch);
    for (int32_t r = f.k; r < m; ++r) complete_row(f.Ut, r, m);
    for (int32_t r = f.k; r < n; ++r) complete_row(f.Vt, r, n);
    return f;
}

// Bidiagonal entries of A in the stack: all that its singular values need.
inline double* entries_of(ScratchStack& stack, const double* A, int32_t m, int32_t n) {
    const int32_t k = m < n ? m : n;
    double* entries = stack.reals(2 * (int64_t)k + 1);
    Level level(stack);
    bidiagonal_entries(A, m, n, stack.reals((int64_t)m * n + m + n), entries);
    return entries;
}

// How many singular values of A exceed a number; and the usual rank, where it is a share of the
// largest value, if that is above 1.
inline int32_t count_values(ScratchStack& stack, const double* A, int32_t m, int32_t n,
                            double above) {
    if (m == 0 || n == 0) return 0;
    Level level(stack);
    return values_above(entries_of(stack, A, m, n), m < n ? m : n, above);
}
inline int32_t usual_rank(ScratchStack& stack, const double* A, int32_t m, int32_t n) {
    if (m == 0 || n == 0) return 0;
    Level level(stack);
    const int32_t k = m < n ? m : n;
    const double* entries = entries_of(stack, A, m, n);
    return values_above(entries, k, tolerance::RANK * fmax(1, bidiagonal_value(entries, k, 0)));
}

// Number `index` of the singular values of A.
inline double singular_value(ScratchStack& stack, const double* A, int32_t m, int32_t n,
                             int32_t index) {
    Level level(stack);
    return bidiagonal_value(entries_of(stack, A, m, n), m < n ? m : n, index);
}

// Rows over the free motion, rows × count; N (nv × nv) receives the free motion. Returns the count.
inline int32_t rows_over_free(const Probe& p, const Coordinates& c, const double* q, int32_t rank,
                              double* N, double* A) {
    Level level(*p.s.stack);
    const int32_t count = free_basis(p.s, q, rank, N);
    double* J = p.s.stack->reals((int64_t)c.rows * p.s.m->nv);
    coordinate_rows(p.s, c, q, J);
    multiply(J, N, c.rows, p.s.m->nv, count, A);
    return count;
}

// Scaled loop rows over the joints without inputs, 6 · loop_count × passive_count.
inline void passive_rows(const Probe& p, const double* loops, double* A) {
    const int32_t nv = p.s.m->nv;
    for (int32_t i = 0; i < 6 * p.s.m->loop_count; ++i)
        for (int32_t k = 0; k < p.passive_count; ++k) *A++ = loops[(int64_t)i * nv + p.passive[k]];
}

// Finds the usual ranks near q.
inline void find_ranks(Probe& p, const double* q) {
    const Model& m = *p.s.m;
    ScratchStack& stack = *p.s.stack;
    Level level(stack);
    const int32_t loops = 6 * m.loop_count;
    double *near = stack.reals(3 * (int64_t)m.nq), *N = stack.reals((int64_t)m.nv * m.nv);
    const int32_t most = p.watched.rows > p.drive.rows ? p.watched.rows : p.drive.rows;
    double *A = stack.reals((int64_t)most * m.nv), *J = stack.reals((int64_t)loops * m.nv);
    double* P = stack.reals((int64_t)loops * m.nv);
    const int32_t count = neighbours(p.s, q, USUAL_REACH, 3, near);
    p.loop_rank = p.task_rank = p.gain_rank = p.drive_rank = 0;
    for (int32_t i = 0; i < count; ++i) {
        const double* at = near + (int64_t)i * m.nq;
        auto raise = [](int32_t& rank, int32_t found) { rank = found > rank ? found : rank; };
        scaled_loops(p.s, at, J);
        raise(p.loop_rank, usual_rank(stack, J, loops, m.nv));
        passive_rows(p, J, P);
        raise(p.gain_rank, usual_rank(stack, P, loops, p.passive_count));
        int32_t free = rows_over_free(p, p.watched, at, -1, N, A);
        raise(p.task_rank, usual_rank(stack, A, p.watched.rows, free));
        if (m.loop_count == 0) {
            p.drive_rank = p.drive.rows;  // nothing hinders an input
            continue;
        }
        free = rows_over_free(p, p.drive, at, -1, N, A);
        raise(p.drive_rank, usual_rank(stack, A, p.drive.rows, free));
    }
}

// Whether a frame's point moves in as many ways as its whole pose does near q: POINT, else POSE.
inline int32_t choose_kind(const Scaled& s, const double* q, int32_t site) {
    const Model& m = *s.m;
    Level level(*s.stack);
    double *near = s.stack->reals(2 * (int64_t)m.nq), *N = s.stack->reals((int64_t)m.nv * m.nv);
    double *J = s.stack->reals(6 * (int64_t)m.nv), *A = s.stack->reals(6 * (int64_t)m.nv);
    Aim aim = {site, HANDLE_POSE, {0, 0, 0}, {0, 0, 1}};
    const Coordinates c = {&aim, 1, nullptr, 6};
    int32_t point = 0, pose = 0;
    const int32_t count = neighbours(s, q, USUAL_REACH, 2, near);
    for (int32_t i = 0; i < count; ++i) {
        const int32_t free = free_basis(s, near + (int64_t)i * m.nq, -1, N);
        coordinate_rows(s, c, near + (int64_t)i * m.nq, J);
        multiply(J, N, 6, m.nv, free, A);
        const int32_t of_point = count_values(*s.stack, A, 3, free, tolerance::RANK);
        const int32_t of_pose = count_values(*s.stack, A, 6, free, tolerance::RANK);
        point = of_point > point ? of_point : point;
        pose = of_pose > pose ? of_pose : pose;
    }
    return point == pose ? HANDLE_POINT : HANDLE_POSE;
}

// Distances of both kinds at q: the smallest value that is usually there; infinite where a kind
// does not exist. With `task_values` (task_rank numbers) and `gain_values` (gain_rank), all of
// them.
inline void distances(const Probe& p, const double* q, double* task_values, double* gain_values,
                      double* distance) {
    const Model& m = *p.s.m;
    ScratchStack& stack = *p.s.stack;
    Level level(stack);
    const int32_t loops = 6 * m.loop_count;
    distance[KIND_TASK] = distance[KIND_GAIN] = INFINITY;
    double* J = stack.reals((int64_t)loops * m.nv);
    scaled_loops(p.s, q, J);
    if (p.task_rank > 0) {
        double *N = stack.reals((int64_t)m.nv * m.nv),
               *A = stack.reals((int64_t)p.watched.rows * m.nv);
        double* rows = stack.reals((int64_t)p.watched.rows * m.nv);
        const int32_t free = null_basis(stack, J, loops, m.nv, p.loop_rank, N);
        coordinate_rows(p.s, p.watched, q, rows);
        multiply(rows, N, p.watched.rows, m.nv, free, A);
        const int32_t k = p.watched.rows < free ? p.watched.rows : free;
        const double* entries = entries_of(stack, A, p.watched.rows, free);
        distance[KIND_TASK] = p.task_rank <= k ? bidiagonal_value(entries, k, p.task_rank - 1) : 0;
        for (int32_t i = 0; i < p.task_rank && task_values != nullptr; ++i)
            task_values[i] = i < k ? bidiagonal_value(entries, k, i) : 0;
    }
    if (p.gain_rank > 0) {
        double* A = stack.reals((int64_t)loops * p.passive_count);
        passive_rows(p, J, A);
        const int32_t k = loops < p.passive_count ? loops : p.passive_count;
        const double* entries = entries_of(stack, A, loops, p.passive_count);
        distance[KIND_GAIN] = bidiagonal_value(entries, k, p.gain_rank - 1);
        for (int32_t i = 0; i < p.gain_rank && gain_values != nullptr; ++i)
            gain_values[i] = bidiagonal_value(entries, k, i);
    }
}

// Which kind a pose is of, by its distances.
inline int32_t kind_of(const double* distance) {
    const bool task = distance[KIND_TASK] < tolerance::SINGULAR;
    const bool gain = distance[KIND_GAIN] < tolerance::SINGULAR;
    return task && gain ? KIND_BOTH : task ? KIND_TASK : gain ? KIND_GAIN : KIND_NONE;
}

// Turns a vector so that its first entry of the largest size is positive.
inline void fix_sign(double* x, int32_t n) {
    const double top = largest_part(x, n);
    for (int32_t i = 0; i < n; ++i)
        if (fabs(x[i]) > (1 - 1e-6) * top) {
            if (x[i] < 0)
                for (int32_t k = 0; k < n; ++k) x[k] = -x[k];
            return;
        }
}

// What vectors have here and not in a usual pose nearby: `count` rows of length n of their span. At
// a singular pose the new direction is mixed with those that are always there; what the usual ones
// lack distinguishes them. here: here_count rows, usual: usual_count rows.
inline void fresh_part(ScratchStack& stack, const double* here, int32_t here_count,
                       const double* usual, int32_t usual_count, int32_t n, int32_t count,
                       double* out) {
    if (here_count <= count) {
        copy_all(out, here, (int64_t)here_count * n);
        return;
    }
    Level level(stack);
    double* rest = stack.reals((int64_t)here_count * n);
    copy_all(rest, here, (int64_t)here_count * n);
    for (int32_t i = 0; i < here_count; ++i)
        for (int32_t j = 0; j < usual_count; ++j) {
            const double* u = usual + (int64_t)j * n;
            add_scaled(-dot(u, here + (int64_t)i * n, n), u, rest + (int64_t)i * n, n);
        }
    // the combinations of the rows of `here` that are longest in the rest
    const FullSvd f = full_svd(stack, rest, here_count, n);
    multiply(f.Ut, here, count, here_count, n, out);
}

// Where rows over the free motion lose rank at q.
struct Weakest {
    double* values;    // up to the rank
    double* lost;      // directions over the rows, unit, one per row of the matrix
    double* standing;  // scaled joint motions that make no way there, unit, one per row
    int32_t count;     // one, or as many as rank is lost
};

// Joint motions N · right vectors number first … last − 1, as rows of nv numbers.
inline void joint_motions(const double* N, int32_t nv, const FullSvd& f, int32_t first,
                          double* out) {
    for (int32_t r = first; r < f.n; ++r, out += nv)
        for (int32_t i = 0; i < nv; ++i)
            out[i] = dot(N + (int64_t)i * f.n, f.Vt + (int64_t)r * f.n, f.n);
}

// Fills a Weakest in the stack.
inline Weakest weakest(const Probe& p, const double* q, const Coordinates& c, int32_t rank) {
    const Model& m = *p.s.m;
    ScratchStack& stack = *p.s.stack;
    Weakest w;
    const int32_t room = rank > 0 ? rank : 1;
    w.values = stack.reals(room);
    w.lost = stack.reals((int64_t)room * c.rows);
    w.standing = stack.reals((int64_t)room * m.nv);
    w.count = 0;
    if (rank == 0) return w;
    Level level(stack);
    double *N = stack.reals((int64_t)m.nv * m.nv), *A = stack.reals((int64_t)c.rows * m.nv);
    const int32_t free = rows_over_free(p, c, q, p.loop_rank, N, A);
    const FullSvd f = full_svd(stack, A, c.rows, free);
    int32_t lost = 0;
    for (int32_t i = 0; i < rank; ++i) {
        w.values[i] = i < f.k ? f.values[i] : 0;
        lost += w.values[i] < LOST_VALUE;
    }
    w.count = lost > 0 ? lost : 1;
    const int32_t first = rank - w.count;
    double* motions = stack.reals((int64_t)m.nv * m.nv);
    joint_motions(N, m.nv, f, first, motions);
    if (lost == 0) {
        copy_all(w.lost, f.Ut + (int64_t)first * c.rows, c.rows);
        copy_all(w.standing, motions, m.nv);
    } else {
        double *near = stack.reals(m.nq), *N_near = stack.reals((int64_t)m.nv * m.nv);
        neighbours(p.s, q, CLOSE_REACH, 1, near);
        const int32_t free_near = rows_over_free(p, c, near, p.loop_rank, N_near, A);
        const FullSvd g = full_svd(stack, A, c.rows, free_near);
        double* usual = stack.reals((int64_t)m.nv * m.nv);
        joint_motions(N_near, m.nv, g, rank, usual);
        fresh_part(stack, f.Ut + (int64_t)first * c.rows, c.rows - first,
                   g.Ut + (int64_t)rank * c.rows, c.rows - rank, c.rows, lost, w.lost);
        fresh_part(stack, motions, free - first, usual, free_near - rank, m.nv, lost, w.standing);
    }
    for (int32_t i = 0; i < w.count; ++i) {
        fix_sign(w.lost + (int64_t)i * c.rows, c.rows);
        fix_sign(w.standing + (int64_t)i * m.nv, m.nv);
    }
    return w;
}

// Scaled joint motions that the inputs do not hold, or hold least, unit rows of nv numbers; `out`
// has room for gain_rank of them, at least one. Returns how many.
inline int32_t gained_motions(const Probe& p, const double* q, double* out) {
    const Model& m = *p.s.m;
    ScratchStack& stack = *p.s.stack;
    if (p.gain_rank == 0) return 0;
    Level level(stack);
    const int32_t loops = 6 * m.loop_count, n = p.passive_count;
    double *J = stack.reals((int64_t)loops * m.nv), *A = stack.reals((int64_t)loops * n);
    double* found = stack.reals((int64_t)n * n);
    scaled_loops(p.s, q, J);
    passive_rows(p, J, A);
    const FullSvd f = full_svd(stack, A, loops, n);
    int32_t lost = 0;
    for (int32_t i = 0; i < p.gain_rank; ++i) lost += f.values[i] < LOST_VALUE;
    const int32_t count = lost > 0 ? lost : 1, first = p.gain_rank - count;
    if (lost == 0) {
        copy_all(found, f.Vt + (int64_t)first * n, n);
    } else {
        double *near = stack.reals(m.nq), *usual = stack.reals((int64_t)n * n);
        double* rows = stack.reals((int64_t)n * n);
        neighbours(p.s, q, CLOSE_REACH, 1, near);
        scaled_loops(p.s, near, J);
        passive_rows(p, J, A);
        const int32_t null = null_basis(stack, A, loops, n, p.gain_rank, usual);
        for (int32_t i = 0; i < n; ++i)
            for (int32_t k = 0; k < null; ++k) rows[(int64_t)k * n + i] = usual[i * null + k];
        fresh_part(stack, f.Vt + (int64_t)first * n, n - first, rows, null, n, lost, found);
    }
    clear_all(out, (int64_t)count * m.nv);
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t k = 0; k < n; ++k)
            out[(int64_t)i * m.nv + p.passive[k]] = found[(int64_t)i * n + k];
        fix_sign(out + (int64_t)i * m.nv, m.nv);
    }
    return count;
}

// Whether the loop rows have less than their usual rank at q: several ways of moving meet there.
inline bool is_branch_point(const Probe& p, const double* q) {
    const Model& m = *p.s.m;
    if (p.loop_rank == 0) return false;
    Level level(*p.s.stack);
    const int32_t loops = 6 * m.loop_count;
    double* J = p.s.stack->reals((int64_t)loops * m.nv);
    scaled_loops(p.s, q, J);
    return singular_value(*p.s.stack, J, loops, m.nv, p.loop_rank - 1) < tolerance::SINGULAR;
}

}  // namespace kinegen
