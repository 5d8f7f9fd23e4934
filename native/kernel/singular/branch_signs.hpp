// On which side of each singularity a mechanism stands: signs of the determinants of the smallest
// blocks of its systems of equations.
//
// The frame's rows with the loop rows determine all joints, and so do the loop rows over the joints
// without inputs. Each system falls into blocks that determine one another in turn: for an arm
// shoulder, elbow and wrist, for a parallel robot its legs. How the frame's rows are written, in
// which axes and about which point, changes no determinant, but how many blocks there are.
#pragma once

#include "kernel/singular/blocks.hpp"
#include "kernel/singular/probe.hpp"

namespace kinegen {

constexpr double ZERO_ENTRY = 1e-9;     // scaled entries below this are zero
constexpr double REGULAR_VALUE = 1e-6;  // singular values below this are those of singular systems
constexpr int32_t LONG_CHAIN = 10;      // longer chains are looked at in world axes only
constexpr int32_t SIGN_SAMPLES = 5;     // poses whose entries show the structure
constexpr double SAMPLE_REACH = 0.3;

// How the rows of one frame are written; -1: its own point, the world's axes.
struct RowView {
    int32_t point, linear, angular;  // links
};

// A system whose rank is lost where one of its blocks is singular.
struct SignSystem {
    bool task;  // frame and loop rows over all variables; else loop rows over the passive ones
    RowView view;
    int32_t* rows;  // those that count
    int32_t row_count, block_count;
    int32_t* first;          // block b: from first[b] to first[b + 1] of the next two
    int32_t* block_rows;     // indices into rows
    int32_t* block_columns;  // columns of the system
};

struct BranchSigns {
    SignSystem systems[2];
    int32_t system_count, count;  // blocks in all
};

inline int32_t system_rows(const Probe& p, bool task) {
    return (task ? p.watched.rows : 0) + 6 * p.s.m->loop_count;
}
inline int32_t system_columns(const Probe& p, bool task) {
    return task ? p.s.m->nv : p.passive_count;
}

// The matrix of a system at q in a view.
inline void system_matrix(const Probe& p, const double* q, bool task, const RowView& view,
                          double* A) {
    const Model& m = *p.s.m;
    Level level(*p.s.stack);
    const int64_t nv = m.nv;
    double* loops = p.s.stack->reals(6 * m.loop_count * nv);
    scaled_loops(p.s, q, loops);
    if (!task) {
        passive_rows(p, loops, A);
        return;
    }
    const int32_t rows = p.watched.rows;
    coordinate_rows(p.s, p.watched, q, A);
    copy_all(A + rows * nv, loops, 6 * m.loop_count * nv);
    const Aim& aim = p.watched.aims[0];
    if (view.point >= 0) {
        // v + w × r, at the origin of another link
        double X[TRANSFORM_SIZE], r[3];
        site_transform(m, p.s.links, aim.site, X);
        rotate(X, aim.point, r);
        const double* other = p.s.links + TRANSFORM_SIZE * (int64_t)view.point;
        for (int i = 0; i < 3; ++i) r[i] = (other[9 + i] - X[9 + i] - r[i]) / p.s.size;
        for (int64_t k = 0; k < nv; ++k) {
            const double w[3] = {A[3 * nv + k], A[4 * nv + k], A[5 * nv + k]};
            double v[3] = {A[k], A[nv + k], A[2 * nv + k]};
            add_cross3(w, r, v);
            for (int i = 0; i < 3; ++i) A[i * nv + k] = v[i];
        }
    }
    const int32_t axes[2] = {view.linear, view.angular};
    for (int half = 0; half < 2; ++half) {
        if (axes[half] < 0) continue;
        const double* R = p.s.links + TRANSFORM_SIZE * (int64_t)axes[half];
        double* at = A + (half == 0 ? 0 : (rows - 3) * nv);
        for (int64_t k = 0; k < nv; ++k) {
            double a[3] = {at[k], at[nv + k], at[2 * nv + k]};
            rotate_back(R, a, a);
            for (int i = 0; i < 3; ++i) at[i * nv + k] = a[i];
        }
    }
}

// Determinant of A (n × n), which is overwritten; by elimination with row pivots.
inline double determinant(double* A, int32_t n) {
    double product = 1;
    for (int32_t k = 0; k < n; ++k) {
        int32_t pivot = k;
        for (int32_t i = k + 1; i < n; ++i)
            if (fabs(A[(int64_t)i * n + k]) > fabs(A[(int64_t)pivot * n + k])) pivot = i;
        const double top = A[(int64_t)pivot * n + k];
        if (top == 0) return 0;
        if (pivot != k) {
            for (int32_t j = k; j < n; ++j)
                swap_numbers(A[(int64_t)k * n + j], A[(int64_t)pivot * n + j]);
            product = -product;
        }
        product *= top;
        for (int32_t i = k + 1; i < n; ++i)
            add_scaled(-A[(int64_t)i * n + k] / top, A + (int64_t)k * n + k + 1,
                       A + (int64_t)i * n + k + 1, n - k - 1);
    }
    return product;
}

// Copies a block of a system's matrix A (all rows × columns) to B; returns its size.
inline int32_t take_block(const SignSystem& system, int32_t block, const double* A, int32_t columns,
                          double* B) {
    const int32_t begin = system.first[block], end = system.first[block + 1];
    for (int32_t i = begin; i < end; ++i)
        for (int32_t j = begin; j < end; ++j)
            *B++ =
                A[(int64_t)system.rows[system.block_rows[i]] * columns + system.block_columns[j]];
    return end - begin;
}

// Rows and blocks of a system, from its matrices at sample poses; false when the rows do not
// determine the motion. samples: SIGN_SAMPLES × rows × columns.
inline bool split_system(const Probe& p, const double* samples, SignSystem& out) {
    ScratchStack& stack = *p.s.stack;
    Level level(stack);
    const int32_t rows = system_rows(p, out.task), columns = system_columns(p, out.task);
    const int64_t size = (int64_t)rows * columns;
    int32_t *pattern = stack.ints(size), *live = stack.ints(rows), *used = stack.ints(columns);
    int32_t live_count = 0, used_count = 0;
    for (int64_t i = 0; i < size; ++i) {
        pattern[i] = 0;
        for (int32_t n = 0; n < SIGN_SAMPLES; ++n)
            pattern[i] |= fabs(samples[n * size + i]) > ZERO_ENTRY;
    }
    for (int32_t i = 0; i < rows; ++i) {
        bool any = false;
        for (int32_t j = 0; j < columns; ++j) any = any || pattern[(int64_t)i * columns + j];
        if (any) live[live_count++] = i;
    }
    for (int32_t j = 0; j < columns; ++j) {
        bool any = false;
        for (int32_t i = 0; i < rows; ++i) any = any || pattern[(int64_t)i * columns + j];
        if (any) used[used_count++] = j;
    }
    // of rows that depend on each other in the same way in every pose, the first ones that do not
    const int32_t tall = SIGN_SAMPLES * columns, k = tall < live_count ? tall : live_count;
    double *M = stack.reals((int64_t)tall * live_count), *tau = stack.reals(k);
    double* scratch = stack.reals(3 * (int64_t)live_count + 1);
    int32_t* perm = stack.ints(live_count);
    for (int32_t i = 0; i < live_count; ++i)
        for (int32_t n = 0; n < SIGN_SAMPLES; ++n)
            for (int32_t j = 0; j < columns; ++j)
                M[((int64_t)n * columns + j) * live_count + i] =
                    samples[n * size + (int64_t)live[i] * columns + j];
    const int32_t rank = qr_factor(M, tall, live_count, ZERO_ENTRY, tau, perm, scratch);
    if (rank < used_count || rank < 0) return false;
    out.row_count = 0;
    for (int32_t i = 0; i < live_count; ++i)
        for (int32_t r = 0; r < rank; ++r)
            if (perm[r] == i) out.rows[out.row_count++] = live[i];
    // the system must be regular somewhere
    double *A = stack.reals((int64_t)out.row_count * used_count), best = 0;
    for (int32_t n = 0; n < SIGN_SAMPLES; ++n) {
        for (int32_t i = 0; i < out.row_count; ++i)
            for (int32_t j = 0; j < used_count; ++j)
                A[(int64_t)i * used_count + j] =
                    samples[n * size + (int64_t)out.rows[i] * columns + used[j]];
        if (used_count > 0)
            best = fmax(best, singular_value(stack, A, out.row_count, used_count, used_count - 1));
    }
    if (best < REGULAR_VALUE) return false;
    int32_t* kept = stack.ints((int64_t)out.row_count * used_count);
    for (int32_t i = 0; i < out.row_count; ++i)
        for (int32_t j = 0; j < used_count; ++j)
            kept[(int64_t)i * used_count + j] = pattern[(int64_t)out.rows[i] * columns + used[j]];
    out.block_count = diagonal_blocks(stack, kept, out.row_count, used_count, out.first,
                                      out.block_rows, out.block_columns);
    if (out.block_count < 0) return false;
    for (int32_t j = 0; j < out.first[out.block_count]; ++j)
        out.block_columns[j] = used[out.block_columns[j]];
    return true;
}

// Leaves those blocks whose determinant is not the same in every pose.
inline void keep_changing(const Probe& p, const double* samples, SignSystem& system) {
    ScratchStack& stack = *p.s.stack;
    Level level(stack);
    const int32_t rows = system_rows(p, system.task), columns = system_columns(p, system.task);
    double* B = stack.reals((int64_t)columns * columns);
    int32_t kept = 0, used = 0;
    for (int32_t b = 0; b < system.block_count; ++b) {
        double low = 0, high = 0, top = 0;
        for (int32_t n = 0; n < SIGN_SAMPLES; ++n) {
            const int32_t size =
                take_block(system, b, samples + (int64_t)n * rows * columns, columns, B);
            const double value = determinant(B, size);
            low = n == 0 ? value : fmin(low, value);
            high = n == 0 ? value : fmax(high, value);
            top = fmax(top, fabs(value));
        }
        if (!(high - low > 1e-6 * top)) continue;
        const int32_t begin = system.first[b], end = system.first[b + 1];
        for (int32_t i = begin; i < end; ++i, ++used) {
            system.block_rows[used] = system.block_rows[i];
            system.block_columns[used] = system.block_columns[i];
        }
        system.first[++kept] = used;
    }
    system.block_count = kept;
}

// Takes memory for a system from the stack.
inline void lay_out_system(ScratchStack& stack, const Probe& p, bool task, SignSystem& system) {
    const int32_t rows = system_rows(p, task), columns = system_columns(p, task);
    system.task = task;
    system.view = {-1, -1, -1};
    system.rows = stack.ints(rows + 1);
    system.first = stack.ints(columns + 2);
    system.block_rows = stack.ints(columns + 1);
    system.block_columns = stack.ints(columns + 1);
    system.row_count = system.block_count = 0;
}

// to := from, both laid out alike.
inline void copy_system(const SignSystem& from, SignSystem& to) {
    to.view = from.view;
    to.row_count = from.row_count;
    to.block_count = from.block_count;
    const int32_t used = from.first[from.block_count];
    memcpy(to.rows, from.rows, sizeof(int32_t) * (size_t)from.row_count);
    memcpy(to.first, from.first, sizeof(int32_t) * (size_t)(from.block_count + 1));
    memcpy(to.block_rows, from.block_rows, sizeof(int32_t) * (size_t)used);
    memcpy(to.block_columns, from.block_columns, sizeof(int32_t) * (size_t)used);
}

// Finds one system in the best of its views; false when there is none. home: SIGN_SAMPLES × nq.
inline bool find_system(const Probe& p, const double* home, SignSystem& best) {
    const Model& m = *p.s.m;
    ScratchStack& stack = *p.s.stack;
    Level level(stack);
    const int64_t size = (int64_t)system_rows(p, best.task) * system_columns(p, best.task);
    double* samples = stack.reals(SIGN_SAMPLES * size);
    SignSystem tried;
    lay_out_system(stack, p, best.task, tried);
    RowView chosen = {-1, -1, -1};
    int32_t most[2] = {-1, -1};
    auto attempt = [&](const RowView& view) {
        tried.view = view;
        for (int32_t n = 0; n < SIGN_SAMPLES; ++n)
            system_matrix(p, home + (int64_t)n * m.nq, best.task, view, samples + n * size);
        if (!split_system(p, samples, tried)) return false;
        const int32_t all = tried.block_count;
        keep_changing(p, samples, tried);
        const int32_t changing = tried.block_count;
        if (changing > most[0] || (changing == most[0] && all > most[1])) {
            copy_system(tried, best);
            most[0] = changing;
            most[1] = all;
        }
        return true;
    };
    if (!attempt(chosen)) return false;
    if (!best.task || p.watched.aim_count > 1) return true;

    // links from the frame's own down to the base: their origins and axes are tried
    const Aim& aim = p.watched.aims[0];
    int32_t chain[LONG_CHAIN + 1], links = 0;
    chain[links++] = -1;
    for (int32_t joint = m.link_joint[m.site_link(aim.site)]; joint >= 0;
         joint = m.link_joint[m.joint_parent[joint]]) {
        if (links > LONG_CHAIN) return true;
        chain[links++] = m.joint_child[joint];
    }
    auto pick = [](int32_t wanted, int32_t else_this) { return wanted >= 0 ? wanted : else_this; };
    if (aim.kind == HANDLE_POSE) {
        for (int32_t i = 0; i < links; ++i)
            for (int32_t j = 0; j < links; ++j)
                if (!attempt({chain[i], chain[j], chain[j]})) return false;
        chosen = best.view;
    }
    if (aim.kind != HANDLE_ROTATION) {
        for (int32_t j = 0; j < links; ++j)
            if (!attempt({chosen.point, pick(chain[j], chosen.linear), chosen.angular}))
                return false;
        chosen = best.view;
    }
    if (aim.kind == HANDLE_POSE || aim.kind == HANDLE_ROTATION)
        for (int32_t j = 0; j < links; ++j)
            if (!attempt({chosen.point, chosen.linear, pick(chain[j], chosen.angular)}))
                return false;
    return true;
}

// Finds the systems and their blocks near q. The systems' memory is laid out already.
inline void find_signs(const Probe& p, const double* q, BranchSigns& signs) {
    ScratchStack& stack = *p.s.stack;
    Level level(stack);
    const int32_t nq = p.s.m->nq;
    double* home = stack.reals(SIGN_SAMPLES * (int64_t)nq);
    copy_all(home, q, nq);
    int32_t found = 1 + neighbours(p.s, q, SAMPLE_REACH, SIGN_SAMPLES - 1, home + nq);
    for (; found < SIGN_SAMPLES; ++found) copy_all(home + (int64_t)found * nq, q, nq);
    signs.system_count = signs.count = 0;
    SignSystem& task = signs.systems[0];
    if (p.task_rank > 0 && find_system(p, home, task)) signs.system_count = 1;
    SignSystem& gain = signs.systems[1];
    if (p.gain_rank > 0 && find_system(p, home, gain)) {
        if (signs.system_count == 0) {
            const SignSystem swap = signs.systems[0];
            signs.systems[0] = gain;
            signs.systems[1] = swap;
        }
        ++signs.system_count;
    }
    for (int32_t i = 0; i < signs.system_count; ++i) signs.count += signs.systems[i].block_count;
}

// Smallest singular value of each block with the sign of its determinant: it changes smoothly
// through zero where a singularity is crossed.
inline void sign_values(const Probe& p, const BranchSigns& signs, const double* q, double* values) {
    ScratchStack& stack = *p.s.stack;
    for (int32_t i = 0; i < signs.system_count; ++i) {
        Level level(stack);
        const SignSystem& system = signs.systems[i];
        const int32_t rows = system_rows(p, system.task), columns = system_columns(p, system.task);
        double *A = stack.reals((int64_t)rows * columns),
               *B = stack.reals((int64_t)columns * columns);
        system_matrix(p, q, system.task, system.view, A);
        for (int32_t b = 0; b < system.block_count; ++b) {
            const int32_t size = take_block(system, b, A, columns, B);
            const double value =
                size == 1 ? fabs(B[0]) : singular_value(stack, B, size, size, size - 1);
            *values++ = determinant(B, size) < 0 ? -value : value;
        }
    }
}

}  // namespace kinegen
