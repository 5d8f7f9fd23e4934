// Batch forward kinematics for the page: clouds of positions, as in python/batch.cpp, on one
// thread.
#include "kernel/batch/grid.hpp"
#include "kernel/batch/plan.hpp"
#include "kernel/batch/random.hpp"
#include "kernel/base/forward.hpp"
#include "wasm/page.hpp"

using namespace kinegen;

namespace {

constexpr int64_t MOST_POINTS = (int64_t)1 << 28;

// The prepared path of one site, and what it takes to walk it.
struct SitePath {
    const Bound& bound;
    const int32_t site;
    Scratch<BatchStep<double>> steps;
    Scratch<double> q;
    BatchPath<double> path;
    int32_t status;

    SitePath(const Bound& b, int32_t site_, bool positions_only)
        : bound(b), site(site_), steps(b.model.tree_count), q(b.model.nq) {
        const Model& m = b.model;
        status = site < 0 || site >= m.site_count() ? (int32_t)BAD_INDEX
                 : !steps || !q ? (int32_t)NO_MEMORY
                                : plan_path(m, site, positions_only, steps.data, path);
    }

    // One column by the kernel of single configurations, which takes angles of any size.
    void walk_one(const double* qs, int64_t q_stride, double* out, int64_t out_stride, bool pose) {
        const Model& m = bound.model;
        for (int32_t k = 0; k < m.nq; ++k) q.data[k] = qs[k * q_stride];
        double X_WS[TRANSFORM_SIZE], numbers[7];
        forward_path(m, q.data, m.site_link(site), bound.path, bound.links);
        site_transform(m, bound.links, site, X_WS);
        to_pose(X_WS, numbers);
        const double* from = pose ? numbers : numbers + 4;
        for (int32_t k = 0; k < (pose ? 7 : 3); ++k) out[k * out_stride] = from[k];
    }

    // walk_path of kernel/batch/batch.hpp with one vector at a time: less to download, as exact.
    template <bool POSE>
    void walk(const double* qs, int64_t q_stride, double* out, int64_t out_stride, int64_t count) {
        constexpr int64_t W = plain::WIDTH<double>;
        for (int64_t i = 0; i < count; i += W) {
            const int64_t n = count - i < W ? count - i : W;
            bool beyond = false;
            for (int32_t k = 0; k < path.count; ++k)
                for (int32_t row = 0; row < JOINT_NQ[path.steps[k].type]; ++row)
                    beyond =
                        beyond || plain::any_beyond(qs + (path.steps[k].q + row) * q_stride + i, n);
            if (beyond)
                for (int64_t c = i; c < i + n; ++c)
                    walk_one(qs + c, q_stride, out + c, out_stride, POSE);
            else
                plain::walk_group<double, 1, POSE, false, true>(path, qs + i, q_stride, out + i,
                                                                out_stride, n);
        }
    }
};

bool is_quaternion(const Model& m, int32_t variable) {
    for (int32_t j = 0; j < m.joint_count; ++j)
        if ((m.joint_type[j] == SPHERICAL || m.joint_type[j] == FREE) && variable >= m.joint_q[j] &&
            variable < m.joint_q[j] + 4)
            return true;
    return false;
}

}  // namespace

// Positions (rows = 3) or poses (rows = 7) of a site for the columns of qs (nq × count), into out
// (rows × count).
EXPORT(kg_batch_forward)(int32_t handle, const double* qs, int32_t q_count, int32_t count,
                         int32_t site, int32_t rows, double* out, int32_t out_count)
    ->int32_t {
    BIND(b, handle);
    if (count < 0 || (rows != 3 && rows != 7) || !fits(qs, q_count, (int64_t)m.nq * count) ||
        !fits(out, out_count, (int64_t)rows * count))
        return BAD_SIZE;
    SitePath path(*b, site, rows == 3);
    if (path.status != OK) return path.status;
    if (rows == 3)
        path.walk<false>(qs, count, out, count, count);
    else
        path.walk<true>(qs, count, out, count, count);
    return OK;
}

// Positions of a site over a grid of some variables, the last fastest, the others held at q, into
// out (3 × the number of points).
EXPORT(kg_batch_grid)(int32_t handle, const int32_t* variables, int32_t axis_count,
                      const double* lower, int32_t lower_count, const double* upper,
                      int32_t upper_count, const int32_t* counts, int32_t count_count,
                      const double* q, int32_t q_count, int32_t site, double* out,
                      int32_t out_count)
    ->int32_t {
    BIND(b, handle);
    if (axis_count < 1 || !readable(variables, axis_count) ||
        !fits(lower, lower_count, axis_count) || !fits(upper, upper_count, axis_count) ||
        !fits(counts, count_count, axis_count) || !fits(q, q_count, m.nq))
        return BAD_SIZE;
    Scratch<GridAxis> axes(axis_count);
    if (!axes) return NO_MEMORY;
    int64_t points = 1;
    for (int32_t a = 0; a < axis_count; ++a) {
        if (counts[a] < 1 || points > MOST_POINTS / counts[a]) return BAD_SIZE;
        points *= counts[a];
        if (variables[a] < 0 || variables[a] >= m.nq || is_quaternion(m, variables[a]))
            return BAD_INDEX;
        for (int32_t k = 0; k < a; ++k)
            if (variables[k] == variables[a]) return BAD_INDEX;
        if (!isfinite(lower[a]) || !isfinite(upper[a])) return BAD_NUMBER;
        axes.data[a] = {variables[a], counts[a], lower[a], upper[a]};
    }
    if (!fits(out, out_count, 3 * points)) return BAD_SIZE;
    SitePath path(*b, site, true);
    if (path.status != OK) return path.status;

    const GridAxis& fastest = axes.data[axis_count - 1];
    const int64_t steps = m.tree_count;
    Scratch<double> table(3 * (int64_t)fastest.count), q_now(m.nq),
        prefixes(TRANSFORM_SIZE * steps), point_memory(3 * (steps + 1));
    Scratch<int64_t> counters(axis_count);
    if (!table || !q_now || !prefixes || !point_memory || !counters) return NO_MEMORY;
    memcpy(q_now.data, q, sizeof(double) * (size_t)m.nq);
    grid_table(fastest, table.data);
    GridWalk walk = {path.path,
                     axes.data,
                     axis_count,
                     q_now.data,
                     prefixes.data,
                     point_memory.data,
                     counters.data,
                     0,
                     0,
                     0,
                     0,
                     true,
                     {}};
    grid_points(walk, table.data, 0, points, out, points, plain::fill_grid_row<double>);
    return OK;
}

// Positions of a site for drawn configurations between lower and upper, numbers `first` and on of
// the endless sequence of a seed, into out (3 × count); qs (nq × count or nothing) receives the
// configurations. Seed and first are whole numbers up to 2^53.
EXPORT(kg_batch_random)(int32_t handle, const double* lower, int32_t lower_count,
                        const double* upper, int32_t upper_count, double seed, double first,
                        int32_t site, int32_t count, double* out, int32_t out_count, double* qs,
                        int32_t qs_count)
    ->int32_t {
    BIND(b, handle);
    if (count < 0 || !fits(lower, lower_count, m.nq) || !fits(upper, upper_count, m.nq) ||
        !fits(out, out_count, 3LL * count) ||
        (qs_count != 0 && !fits(qs, qs_count, (int64_t)m.nq * count)))
        return BAD_SIZE;
    constexpr double WHOLE = 9007199254740992.0;
    if (!(seed >= 0 && seed <= WHOLE && first >= 0 && first <= WHOLE)) return BAD_NUMBER;
    for (int32_t i = 0; i < m.nq; ++i)
        if (!(lower[i] <= upper[i]) || !isfinite(lower[i]) || !isfinite(upper[i]))
            return BAD_NUMBER;
    SitePath path(*b, site, true);
    if (path.status != OK) return path.status;
    Scratch<BatchDraw> draws(m.nq);
    Scratch<double> q((int64_t)m.nq * BATCH_BLOCK);
    if (!draws || !q) return NO_MEMORY;
    int32_t draw_count = plan_draws(m, lower, upper, (uint64_t)seed, draws.data);
    if (qs_count == 0) {
        // only what moves the site
        int32_t kept = 0;
        for (int32_t d = 0; d < draw_count; ++d)
            if (step_of_variable(path.path, draws.data[d].q) >= 0)
                draws.data[kept++] = draws.data[d];
        draw_count = kept;
    }
    for (int64_t i = 0; i < count; i += BATCH_BLOCK) {
        const int64_t n = count - i < BATCH_BLOCK ? count - i : BATCH_BLOCK;
        plain::draw_block<double>(draws.data, draw_count, (uint64_t)first + (uint64_t)i, n, q.data);
        path.walk<false>(q.data, BATCH_BLOCK, out + i, count, n);
        for (int32_t k = 0; k < m.nq && qs_count != 0; ++k)
            memcpy(qs + (int64_t)k * count + i, q.data + k * BATCH_BLOCK,
                   sizeof(double) * (size_t)n);
    }
    return OK;
}
