// Equations of some loops over some variables, scaled: angles by 1 rad, lengths by a given size.
#pragma once

#include "kernel/base/tolerances.hpp"
#include "kernel/loops/loops.hpp"
#include "kernel/base/manifold.hpp"
#include "kernel/linalg/spectrum.hpp"

namespace kinegen {

// Closing ends here: nothing is left but rounding.
constexpr double LOOPS_EXACT = 1e-14;
// Scaled length of a closing step: beyond it the linear approximation of the loop is poor.
constexpr double LARGEST_CLOSING_STEP = 0.5;
// Share of the squared gap that damps a closing step: where loops lose rank, steps stay about as
// short as the gap, and the damping vanishes with it (N. Yamashita, M. Fukushima, "On the rate of
// convergence of the Levenberg-Marquardt method", Computing Suppl. 15, 2001).
constexpr double CLOSING_DAMPING = 0.1;
// Share of the rows' Frobenius norm below which singular values are noise: if a mechanism moves
// only because of its special dimensions, rounding leaves a small resistance to that motion, which
// must not pull it back.
constexpr double CLOSING_NOISE = 1e-8;
constexpr int32_t CLOSING_ITERATIONS = 60;

// Random numbers (SplitMix64; Steele, Lea, Flood 2014), the same on every machine.
struct Draws {
    uint64_t state;
    double unit() {
        state += 0x9E3779B97F4A7C15ull;
        uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
    }
    // Normally distributed (Box and Muller 1958).
    double normal() {
        const double radius = sqrt(-2 * log(1 - unit()));
        return radius * cos(2 * PI * unit());
    }
};

// Whether the k-th velocity of a joint is a length.
inline bool is_length(int32_t type, int32_t k) { return JOINT_LENGTH[type][k]; }

// Change of every v [rad, m] for a scaled step of 1.
inline void variable_scales(const Model& m, double size, double* scale) {
    for (int32_t j = 0; j < m.joint_count; ++j)
        for (int32_t k = 0; k < JOINT_NV[m.joint_type[j]]; ++k)
            scale[m.joint_v[j] + k] = is_length(m.joint_type[j], k) ? size : 1;
}

struct LoopSystem {
    const Model* model;
    int32_t* loops;      // which loops
    int32_t* variables;  // which of v the steps' entries are
    int32_t loop_count, n;
    double size;        // [m]
    int32_t held_link;  // a link that must not turn, three more rows; -1 for none
    double R_held[9];   // R_WL in which it is held
    // scratch
    double* scale;  // per v
    double *links, *local, *v, *q_try, *q_start, *q_best;
    double *phi, *phi_try, *J, *inner, *stack, *rhs, *x, *step, *work, *tau;
    int32_t *marks, *perm;
    Spectrum spectrum;

    int32_t rows() const { return 6 * loop_count + (held_link >= 0 ? 3 : 0); }
};

// Room for systems of up to so many loops and variables.
inline void lay_out_system(const Model& m, int32_t loops, int32_t n_, Arena<double>& reals,
                           Arena<int32_t>& ints, LoopSystem& s) {
    const int64_t rows = 6LL * loops + 3, n = n_;
    s.model = &m;
    s.held_link = -1;
    s.loops = ints.take(loops);
    s.variables = ints.take(n);
    s.marks = ints.take(m.joint_count);
    s.perm = ints.take(n);
    s.scale = reals.take(m.nv);
    s.links = reals.take(TRANSFORM_SIZE * (int64_t)m.link_count);
    s.local = reals.take(6LL * m.nv);
    s.v = reals.take(m.nv);
    s.q_try = reals.take(m.nq);
    s.q_start = reals.take(m.nq);
    s.q_best = reals.take(m.nq);
    s.phi = reals.take(rows);
    s.phi_try = reals.take(rows);
    s.J = reals.take(rows * n);
    s.inner = reals.take(rows * n);
    s.stack = reals.take((rows + n) * n);
    s.rhs = reals.take(rows + n);
    s.x = reals.take(n);
    s.step = reals.take(n);
    s.work = reals.take(4 * n + 1);
    s.tau = reals.take(n);
    lay_out_spectrum(rows > n ? rows : n, n, reals, ints,
                     s.spectrum);  // maps of n × n pass through
}

inline double norm_of(const double* a, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += a[i] * a[i];
    return sqrt(sum);
}

// Scaled phi(q), six numbers per loop; then what the held link has turned, three. Returns its norm.
inline double system_residual(LoopSystem& s, const double* q, double* phi) {
    const Model& m = *s.model;
    forward_links(m, q, s.links);
    for (int32_t i = 0; i < s.loop_count; ++i) {
        loop_phi(m, q, s.links, s.loops[i], phi + 6 * i);
        for (int k = 0; k < 3; ++k) phi[6 * i + k] /= s.size;
    }
    if (s.held_link >= 0) {
        const double* R_WL = s.links + TRANSFORM_SIZE * s.held_link;
        double R[9];
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k)
                R[3 * i + k] = s.R_held[i] * R_WL[k] + s.R_held[3 + i] * R_WL[3 + k] +
                               s.R_held[6 + i] * R_WL[6 + k];
        matrix_log(R, phi + 6 * s.loop_count);
    }
    return norm_of(phi, s.rows());
}

// Its derivative by scaled steps, rows × n.
inline void system_jacobian(LoopSystem& s, const double* q, double* J) {
    const Model& m = *s.model;
    forward_links(m, q, s.links);
    auto take = [&](const double* rows, int32_t count, double* out, double factor) {
        for (int32_t row = 0; row < count; ++row)
            for (int32_t i = 0; i < s.n; ++i) {
                const int32_t k = s.variables[i];
                out[(int64_t)row * s.n + i] = factor * s.scale[k] * rows[(int64_t)row * m.nv + k];
            }
    };
    for (int32_t i = 0; i < s.loop_count; ++i) {
        loop_rows(m, q, s.links, s.loops[i], s.marks, s.local);
        take(s.local, 3, J + 6LL * i * s.n, 1 / s.size);
        take(s.local + 3LL * m.nv, 3, J + (6LL * i + 3) * s.n, 1);
    }
    if (s.held_link >= 0) {
        const double* X_WL = s.links + TRANSFORM_SIZE * s.held_link;
        clear_all(s.local, 6LL * m.nv);
        for (int32_t j = m.link_joint[s.held_link]; j >= 0; j = m.link_joint[m.joint_parent[j]])
            add_joint_columns(m, q, j, s.links + TRANSFORM_SIZE * m.joint_child[j], X_WL + 9, 1,
                              s.local);
        express(X_WL, m.nv, s.local);
        take(s.local + 3LL * m.nv, 3, J + 6LL * s.loop_count * s.n, 1);
    }
}

// out = q moved by a scaled step.
inline void system_move(LoopSystem& s, const double* q, const double* step, double* out) {
    clear_all(s.v, s.model->nv);
    for (int32_t i = 0; i < s.n; ++i) s.v[s.variables[i]] = s.scale[s.variables[i]] * step[i];
    integrate(*s.model, q, s.v, out);
}

// The scaled step from q0 to q1.
inline void system_moved(LoopSystem& s, const double* q0, const double* q1, double* step) {
    difference(*s.model, q0, q1, s.v);
    for (int32_t i = 0; i < s.n; ++i) step[i] = s.v[s.variables[i]] / s.scale[s.variables[i]];
}

// Moves q in place to the nearest pose where the loops are closed, or as closed as they get;
// returns the gap there. within: null, or n × columns orthonormal columns of steps that closing
// keeps to.
inline double system_close(LoopSystem& s, double* q, const double* within, int32_t columns,
                           int32_t iterations) {
    const int32_t rows = s.rows(), n = s.n, c = within ? columns : n;
    double gap = system_residual(s, q, s.phi), caution = 1;
    bool fresh = false;
    for (int32_t iteration = 0; iteration < iterations && c > 0; ++iteration) {
        if (!(gap >= LOOPS_EXACT) || caution > 1e9) break;
        double* A = s.J;
        if (within) A = s.inner;
        if (!fresh) {
            system_jacobian(s, q, s.J);
            if (within) {
                clear_all(A, (int64_t)rows * c);
                for (int32_t row = 0; row < rows; ++row)
                    for (int32_t i = 0; i < n; ++i)
                        add_scaled(s.J[(int64_t)row * n + i], within + (int64_t)i * c,
                                   A + (int64_t)row * c, c);
            }
            fresh = true;
        }
        // least squares of the rows and of damped steps, one below the other
        const double noise = CLOSING_NOISE * norm_of(A, (int64_t)rows * c);
        const double reach = gap < 1 ? gap : 1;
        const double damping =
            sqrt(caution * CLOSING_DAMPING * reach * reach + noise * noise + 1e-300);
        copy_all(s.stack, A, (int64_t)rows * c);
        clear_all(s.stack + (int64_t)rows * c, (int64_t)c * c);
        for (int32_t i = 0; i < c; ++i) s.stack[(int64_t)(rows + i) * c + i] = damping;
        for (int32_t i = 0; i < rows; ++i) s.rhs[i] = -s.phi[i];
        clear_all(s.rhs + rows, c);
        const int32_t rank = qr_factor(s.stack, rows + c, c, -1, s.tau, s.perm, s.work);
        if (rank < 0) break;
        qr_solve(s.stack, rows + c, c, rank, s.tau, nullptr, s.perm, s.rhs, 1, s.x, s.work);
        const double length = norm_of(s.x, c);
        if (length > LARGEST_CLOSING_STEP) scale_all(s.x, c, LARGEST_CLOSING_STEP / length);
        const double* step = s.x;
        if (within) {
            for (int32_t i = 0; i < n; ++i) s.step[i] = dot(within + (int64_t)i * c, s.x, c);
            step = s.step;
        }
        system_move(s, q, step, s.q_try);
        const double gap_try = system_residual(s, s.q_try, s.phi_try);
        if (!(gap_try < gap)) {
            caution *= 8;
            continue;
        }
        const bool standing = gap_try > gap * (1 - 1e-6);
        copy_all(q, s.q_try, s.model->nq);
        copy_all(s.phi, s.phi_try, rows);
        gap = gap_try;
        caution = caution / 4 > 1e-3 ? caution / 4 : 1e-3;
        fresh = false;
        if (standing) break;
    }
    return gap;
}

// The same from further away: other starts are tried where q leads into a dead end.
inline double system_assemble(LoopSystem& s, double* q) {
    const int32_t nq = s.model->nq;
    copy_all(s.q_start, q, nq);
    double gap = system_close(s, q, nullptr, 0, CLOSING_ITERATIONS);
    if (gap <= tolerance::SHUT) return gap;
    Draws draws{0};
    const double reaches[4] = {0.1, 0.3, 0.6, 1.0};
    for (double reach : reaches) {
        for (int32_t i = 0; i < s.n; ++i) s.step[i] = reach * draws.normal();
        system_move(s, s.q_start, s.step, s.q_best);
        const double gap_there = system_close(s, s.q_best, nullptr, 0, CLOSING_ITERATIONS);
        if (gap_there <= tolerance::SHUT || gap_there < 0.5 * gap) {
            copy_all(q, s.q_best, nq);
            gap = gap_there;
        }
        if (gap_there <= tolerance::SHUT) break;
    }
    return gap;
}

}  // namespace kinegen
