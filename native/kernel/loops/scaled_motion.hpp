// Small motions of a mechanism with lengths measured by its own size: loop rows, free motion,
// closing. A step x moves the joints by v = scale · x, so that angles and lengths compare.
#pragma once

#include "kernel/base/tolerances.hpp"
#include "kernel/singular/rows.hpp"
#include "kernel/linalg/svd.hpp"

namespace kinegen {

constexpr double EXACT_ERROR = 1e-13;  // closing ends here, scaled: what is left is rounding
constexpr double CLOSING_STEP = 0.3;   // largest scaled closing step: linear pictures hold this far
// Pivots below this share are rounding of rows that depend on others.
constexpr double DEPENDENT_SHARE = 1e-10;

// Scaled loop rows, 6 · loop_count × nv. The links' transforms stay behind in s.links.
inline void scaled_loops(const Scaled& s, const double* q, double* J) {
    const Model& m = *s.m;
    loop_jacobian(m, q, s.links, s.marks, J);
    for (int32_t row = 0; row < 6 * m.loop_count; ++row) {
        const double weight = row % 6 < 3 ? 1 / s.size : 1;
        double* at = J + (int64_t)row * m.nv;
        for (int32_t k = 0; k < m.nv; ++k) at[k] *= weight * s.scale[k];
    }
}

// out = q moved by a scaled step
inline void scaled_move(const Scaled& s, const double* q, const double* x, double factor,
                        double* out) {
    Level level(*s.stack);
    double* v = s.stack->reals(s.m->nv);
    for (int32_t k = 0; k < s.m->nv; ++k) v[k] = factor * s.scale[k] * x[k];
    integrate(*s.m, q, v, out);
}

// x = the scaled step from q0 to q1
inline void scaled_between(const Scaled& s, const double* q0, const double* q1, double* x) {
    difference(*s.m, q0, q1, x);
    for (int32_t k = 0; k < s.m->nv; ++k) x[k] /= s.scale[k];
}

inline double largest_part(const double* x, int32_t n) {
    double top = 0;
    for (int32_t i = 0; i < n; ++i) top = fmax(top, fabs(x[i]));
    return top;
}

// Orthonormal columns N (n × count) that J (m × n) maps to zero; returns their count. `rank`
// bounds from above how many pivots count; negative: no bound. N has room for n × n.
inline int32_t null_basis(ScratchStack& stack, const double* J, int32_t m, int32_t n, int32_t rank,
                          double* N) {
    Level level(stack);
    const int32_t k = m < n ? m : n;
    double *A = stack.reals((int64_t)m * n), *tau = stack.reals(k), *tau_z = stack.reals(k);
    double* scratch = stack.reals(((int64_t)n + 1) * n + 3 * (int64_t)n);
    int32_t* perm = stack.ints(n);
    copy_all(A, J, (int64_t)m * n);
    int32_t counted = qr_factor(A, m, n, tolerance::RANK, tau, perm, scratch);
    if (counted < 0) counted = 0;
    if (rank >= 0 && rank < counted) counted = rank;
    qr_complete(A, n, counted, tau_z);
    qr_null_space(A, n, counted, tau_z, perm, N, scratch);
    return n - counted;
}

// The free motion at q, nv × count; returns the count.
inline int32_t free_basis(const Scaled& s, const double* q, int32_t rank, double* N) {
    Level level(*s.stack);
    const int32_t rows = 6 * s.m->loop_count;
    double* J = s.stack->reals((int64_t)rows * s.m->nv);
    scaled_loops(s, q, J);
    return null_basis(*s.stack, J, rows, s.m->nv, rank, N);
}

// Scaled error of the loops, then of the line; returns its length.
inline double closing_error(const Scaled& s, const double* q, const Line* line, double* error) {
    const int32_t loops = s.m->loop_count;
    loop_residual(*s.m, q, s.links, error);
    for (int32_t i = 0; i < 6 * loops; ++i)
        if (i % 6 < 3) error[i] /= s.size;
    if (line != nullptr) line_error(s, *line, q, error + 6 * (int64_t)loops);
    const int32_t rows = 6 * loops + (line ? line->across_count : 0);
    return sqrt(dot(error, error, rows));
}

// The damped Newton step x for J (m × n) and an error: −Jᵀ (J Jᵀ + damping)⁻¹ error. Where damping
// would change nothing it is the smallest solution, by QR; else by singular values.
inline void closing_step(ScratchStack& stack, const double* J, int32_t m, int32_t n,
                         const double* error, double damping, double* x) {
    Level level(stack);
    const int32_t k = m < n ? m : n, l = m < n ? n : m;
    double *A = stack.reals((int64_t)m * n), *tau = stack.reals(k), *tau_z = stack.reals(k);
    double *scratch = stack.reals(3 * (int64_t)n + 1), *right = stack.reals(m);
    int32_t* perm = stack.ints(n);
    copy_all(A, J, (int64_t)m * n);
    const int32_t rank = qr_factor(A, m, n, DEPENDENT_SHARE, tau, perm, scratch);
    clear_all(x, n);
    if (rank <= 0) return;
    const double pivot = A[(int64_t)(rank - 1) * n + rank - 1];
    if (damping < 1e-3 * pivot * pivot) {
        for (int32_t i = 0; i < m; ++i) right[i] = -error[i];
        qr_complete(A, n, rank, tau_z);
        qr_solve(A, m, n, rank, tau, tau_z, perm, right, 1, x, scratch);
        return;
    }
    double *G = stack.reals((int64_t)k * k), *W = stack.reals((int64_t)k * l);
    double *values = stack.reals(k), *more = stack.reals(k);
    svd_factor(J, m, n, false, G, W, values, more);
    for (int32_t i = 0; i < k; ++i) {
        const double *u = (m <= n ? G : W) + (int64_t)i * m, *v = (m <= n ? W : G) + (int64_t)i * n;
        const double s = values[i];
        add_scaled(-s / (s * s + damping + 1e-300) * dot(u, error, m), v, x, n);
    }
}

// Widest gap of any loop, in metres or radians.
inline double widest_gap(const Scaled& s, const double* q) {
    Level level(*s.stack);
    double *phi = s.stack->reals(6 * (int64_t)s.m->loop_count), gap = 0;
    loop_residual(*s.m, q, s.links, phi);
    for (int32_t i = 0; i < 2 * s.m->loop_count; ++i)
        gap = fmax(gap, sqrt(dot(phi + 3 * i, phi + 3 * i, 3)));
    return gap;
}

// Moves q to the nearest pose where the loops, and the line if there is one, hold; by damped Newton
// steps. False when there is none nearby.
inline bool close_pose(const Scaled& s, const Line* line, double* q) {
    const Model& m = *s.m;
    Level level(*s.stack);
    const int32_t loops = 6 * m.loop_count, rows = loops + (line ? line->across_count : 0);
    double *error = s.stack->reals(rows), *error_tried = s.stack->reals(rows);
    double *J = s.stack->reals((int64_t)rows * m.nv), *x = s.stack->reals(m.nv);
    double* tried = s.stack->reals(m.nq);
    double size = closing_error(s, q, line, error), caution = 1;
    bool fresh = true;
    for (int32_t i = 0; i < 60 && size >= EXACT_ERROR && caution <= 1e9; ++i) {
        if (fresh) {
            scaled_loops(s, q, J);
            if (line != nullptr) line_jacobian(s, *line, q, J + (int64_t)loops * m.nv);
        }
        // damping of the order of the squared error vanishes as it does, and keeps steps short
        // where rank is lost (Yamashita and Fukushima 2001)
        const double bounded = fmin(size, 1);
        closing_step(*s.stack, J, rows, m.nv, error, 0.1 * caution * bounded * bounded, x);
        const double shorter = fmin(1, CLOSING_STEP / (largest_part(x, m.nv) + 1e-300));
        scaled_move(s, q, x, shorter, tried);
        const double size_tried = closing_error(s, tried, line, error_tried);
        fresh = size_tried < size;
        if (!fresh) {
            caution *= 8;
            continue;
        }
        const bool standing = size_tried > size * (1 - 1e-3) && size_tried < 1e-11;
        copy_all(q, tried, m.nq);
        copy_all(error, error_tried, rows);
        size = size_tried;
        caution = fmax(caution / 4, 1e-3);
        if (standing) break;
    }
    return widest_gap(s, q) <= tolerance::SHUT && size <= 100 * tolerance::SHUT;
}

// Random numbers in [0, 1) (SplitMix64; Steele, Lea, Flood 2014).
inline double draw_unit(uint64_t& state) {
    state += 0x9E3779B97F4A7C15ull;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

// Closed poses at random about `reach` away, for comparison with what is usual; q itself where
// there are none. found: count × nq. Returns how many.
inline int32_t neighbours(const Scaled& s, const double* q, double reach, int32_t count,
                          double* found) {
    const Model& m = *s.m;
    Level level(*s.stack);
    double *N = s.stack->reals((int64_t)m.nv * m.nv), *x = s.stack->reals(m.nv);
    double *raw = s.stack->reals(m.nv), *parts = s.stack->reals(m.nv);
    const int32_t dof = free_basis(s, q, -1, N);
    uint64_t state = 0;
    int32_t made = 0;
    for (int32_t attempt = 0; attempt < 4 * count && made < count && dof > 0; ++attempt) {
        // a random motion, and what the loops leave of it
        for (int32_t k = 0; k < m.nv; ++k) raw[k] = 2 * draw_unit(state) - 1;
        const double far = reach * (0.5 + 0.5 * draw_unit(state));
        project(N, m.nv, dof, raw, parts, x);
        const double top = largest_part(x, m.nv);
        if (!(top > 0)) continue;
        double* there = found + (int64_t)made * m.nq;
        scaled_move(s, q, x, far / top, there);
        if (close_pose(s, nullptr, there)) ++made;
    }
    if (made == 0) {
        copy_all(found, q, m.nq);
        made = 1;
    }
    return made;
}

}  // namespace kinegen
