// Batch forward kinematics for Python, on all cores; signatures as in
// kernels/reference/batch/batch.py.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "batch/dispatch.hpp"
#include "kernel/base/profile.hpp"
#include "kernel/batch/grid.hpp"
#include "kernel/batch/plan.hpp"
#include "python/border/arrays.hpp"
#include "python/border/threads.hpp"

using namespace kinegen;
using namespace kinegen::python;

namespace {

// A model's two blocks, read only.
struct BoundBlocks {
    Borrowed ints, reals;
    Model model;

    BoundBlocks(nb::handle ints_, nb::handle reals_) : ints(ints_, "ints"), reals(reals_, "reals") {
        const int32_t status = bind_model(ints.data<int32_t>({-1}), ints.size(),
                                          reals.data<double>({-1}), reals.size(), model);
        if (status != OK) raise_usage("the blocks are not a model of this version of the kernels");
    }
};

// The prepared path of one site, in the precision that is asked for.
template <class T>
struct Path {
    std::vector<BatchStep<double>> exact_steps;
    std::vector<BatchStep<T>> steps;
    BatchPath<double> exact;
    BatchPath<T> path;

    Path(const Model& m, int32_t site, bool positions_only) : exact_steps((size_t)m.tree_count) {
        if (site < 0 || site >= m.site_count())
            raise_usage("site " + std::to_string(site) + " is not one of the model's " +
                        std::to_string(m.site_count()) + " links and frames");
        if (plan_path(m, site, positions_only, exact_steps.data(), exact) != OK)
            raise_usage("the links of the model do not form a tree");
        steps.resize((size_t)exact.count);
        path = convert_path<T>(exact, steps.data());
    }
};

template <class T>
std::vector<Path<T>> paths_of(const Model& m, nb::handle sites, bool positions_only) {
    const Borrowed array(sites, "sites");
    const int32_t* from = array.data<int32_t>({-1});
    std::vector<Path<T>> paths;
    paths.reserve((size_t)array.size());
    for (int64_t i = 0; i < array.size(); ++i) paths.emplace_back(m, from[i], positions_only);
    return paths;
}

// Columns of q are this far apart once their rows are turned: a power of two would put all of them
// in the same few places of the cache.
constexpr int64_t TURNED = BATCH_BLOCK + 8;

// qs is (nq, N), or the transpose of (N, nq): then a thread turns the rows that it takes block by
// block, which stay in its cache.
template <class T>
void forward(const Model& m, const Borrowed& qs, nb::handle sites, const Borrowed& out,
             int threads) {
    if (qs.dimensions() != 2) raise_usage("qs must have shape (nq, N)");
    const int64_t count = qs.shape(1);
    const T* q = qs.data<T>({m.nq, count});
    const bool poses = out.dimensions() == 3 && out.shape(1) == 7;
    const auto paths = paths_of<T>(m, sites, !poses);
    const int64_t rows = poses ? 7 : 3;
    T* to = out.data<T>({(int64_t)paths.size(), rows, count});

    const BatchFunctions<T>& run = functions<T>(batch_kernels());
    const auto walk = poses ? run.poses : run.positions;
    const auto walk_all = [&](const T* from, int64_t stride, int64_t begin, int64_t end) {
        for (size_t i = 0; i < paths.size(); ++i)
            walk(paths[i].path, from, stride, to + (int64_t)i * rows * count + begin, count,
                 end - begin);
    };
    const bool has_columns = qs.is_by_rows();
    nb::gil_scoped_release release;
    in_parallel(count, threads, [&](int64_t begin, int64_t end) {
        if (has_columns) return walk_all(q + begin, count, begin, end);
        const auto turned = std::make_unique_for_overwrite<T[]>((size_t)(m.nq * TURNED));
        for (int64_t first = begin; first < end; first += BATCH_BLOCK) {
            const int64_t last = std::min(first + BATCH_BLOCK, end);
            transpose(q + first * m.nq, last - first, (int64_t)m.nq, turned.get(), TURNED);
            walk_all(turned.get(), TURNED, first, last);
        }
    });
}

void py_batch_forward(nb::handle ints, nb::handle reals, nb::handle qs, nb::handle sites,
                      nb::handle out, int threads) {
    const BoundBlocks blocks(ints, reals);
    const Borrowed qs_(qs, "qs", AnyOrder{}), out_(out, "out", true);
    if (out_.holds<float>())
        forward<float>(blocks.model, qs_, sites, out_, threads);
    else
        forward<double>(blocks.model, qs_, sites, out_, threads);
}

void check_axis(const Model& m, const GridAxis& axis) {
    const std::string name = "variable " + std::to_string(axis.q);
    if (axis.q < 0 || axis.q >= m.nq)
        raise_usage(name + " is not one of the model's " + std::to_string(m.nq) + " numbers of q");
    if (axis.count < 1) raise_usage(name + " has no values: its count must be at least 1");
    if (!std::isfinite(axis.lower) || !std::isfinite(axis.upper))
        raise_usage(name + " has a range that is not finite");
    for (int32_t j = 0; j < m.joint_count; ++j) {
        const bool turns = m.joint_type[j] == SPHERICAL || m.joint_type[j] == FREE;
        if (turns && axis.q >= m.joint_q[j] && axis.q < m.joint_q[j] + 4)
            raise_usage(name + " is part of a quaternion, which cannot be swept by components");
    }
}

std::vector<GridAxis> grid_axes(const Model& m, nb::handle variables, nb::handle lower,
                                nb::handle upper, nb::handle counts) {
    const Borrowed variables_(variables, "variables"), counts_(counts, "counts");
    const Borrowed lower_(lower, "lower"), upper_(upper, "upper");
    const int32_t* variable = variables_.data<int32_t>({-1});
    const int64_t size = variables_.size();
    const int32_t* count = counts_.data<int32_t>({size});
    const double *low = lower_.data<double>({size}), *high = upper_.data<double>({size});
    if (size == 0) raise_usage("a grid needs at least one variable");
    std::vector<GridAxis> axes;
    for (int64_t i = 0; i < size; ++i) {
        axes.push_back({variable[i], count[i], low[i], high[i]});
        check_axis(m, axes.back());
        for (int64_t k = 0; k < i; ++k)
            if (variable[k] == variable[i])
                raise_usage("variable " + std::to_string(variable[i]) + " is given twice");
    }
    return axes;
}

template <class T>
void grid(const Model& m, const std::vector<GridAxis>& axes, const double* q, nb::handle sites,
          const Borrowed& out, int threads) {
    int64_t count = 1;
    for (const GridAxis& axis : axes) {
        if (count > ((int64_t)1 << 48) / axis.count) raise_usage("the grid has too many points");
        count *= axis.count;
    }
    const auto paths = paths_of<T>(m, sites, true);
    T* to = out.data<T>({(int64_t)paths.size(), 3, count});
    std::vector<T> table(3 * (size_t)axes.back().count);
    grid_table(axes.back(), table.data());

    const auto fill = functions<T>(batch_kernels()).fill_grid_row;
    nb::gil_scoped_release release;
    in_parallel(count, threads, [&](int64_t begin, int64_t end) {
        const size_t steps = (size_t)m.tree_count;
        std::vector<double> q_now(q, q + m.nq), prefixes(TRANSFORM_SIZE * steps);
        std::vector<double> points(3 * (steps + 1));
        std::vector<int64_t> counters(axes.size());
        for (size_t i = 0; i < paths.size(); ++i) {
            GridWalk walk = {paths[i].exact,
                             axes.data(),
                             (int32_t)axes.size(),
                             q_now.data(),
                             prefixes.data(),
                             points.data(),
                             counters.data(),
                             0,
                             0,
                             0,
                             0,
                             true,
                             {}};
            grid_points(walk, table.data(), begin, end, to + 3 * (int64_t)i * count, count, fill);
        }
    });
}

void py_batch_grid(nb::handle ints, nb::handle reals, nb::handle variables, nb::handle lower,
                   nb::handle upper, nb::handle counts, nb::handle q, nb::handle sites,
                   nb::handle out, int threads) {
    const BoundBlocks blocks(ints, reals);
    const auto axes = grid_axes(blocks.model, variables, lower, upper, counts);
    const Borrowed q_(q, "q"), out_(out, "out", true);
    const double* held = q_.data<double>({blocks.model.nq});
    if (out_.holds<float>())
        grid<float>(blocks.model, axes, held, sites, out_, threads);
    else
        grid<double>(blocks.model, axes, held, sites, out_, threads);
}

template <class T>
void random(const Model& m, std::vector<BatchDraw> draws, uint64_t first, int32_t site,
            const Borrowed& out, nb::object qs, int threads) {
    if (out.dimensions() != 2) raise_usage("out must have shape (3, N)");
    const int64_t count = out.shape(1);
    T* to = out.data<T>({3, count});
    const Path<T> path(m, site, true);
    std::unique_ptr<Borrowed> all;
    T* q_out = nullptr;
    if (!qs.is_none()) {
        all = std::make_unique<Borrowed>(qs, "qs", true);
        q_out = all->data<T>({m.nq, count});
    } else {
        // only what moves the site
        std::erase_if(
            draws, [&](const BatchDraw& draw) { return step_of_variable(path.exact, draw.q) < 0; });
    }

    const auto draw_points = functions<T>(batch_kernels()).draw_points;
    nb::gil_scoped_release release;
    in_parallel(count, threads, [&](int64_t begin, int64_t end) {
        std::vector<T> q((size_t)m.nq * BATCH_BLOCK);
        draw_points(path.path, draws.data(), (int32_t)draws.size(), first + (uint64_t)begin,
                    end - begin, m.nq, q.data(), to + begin, count,
                    q_out == nullptr ? nullptr : q_out + begin, count);
    });
}

void py_batch_random(nb::handle ints, nb::handle reals, nb::handle lower, nb::handle upper,
                     uint64_t seed, uint64_t first, int32_t site, nb::handle out, nb::object qs,
                     int threads) {
    const BoundBlocks blocks(ints, reals);
    const Model& m = blocks.model;
    const Borrowed lower_(lower, "lower"), upper_(upper, "upper"), out_(out, "out", true);
    const double *low = lower_.data<double>({m.nq}), *high = upper_.data<double>({m.nq});
    for (int32_t i = 0; i < m.nq; ++i)
        if (!(low[i] <= high[i]) || !std::isfinite(low[i]) || !std::isfinite(high[i]))
            raise_usage("variable " + std::to_string(i) + " needs a finite range, lower <= upper");
    std::vector<BatchDraw> draws((size_t)m.nq);
    draws.resize((size_t)plan_draws(m, low, high, seed, draws.data()));
    if (out_.holds<float>())
        random<float>(m, std::move(draws), first, site, out_, qs, threads);
    else
        random<double>(m, std::move(draws), first, site, out_, qs, threads);
}

// The steps of followers, checked; sources and weights stay where they are.
struct Follows {
    Borrowed targets, starts, sources, weights, bases, cams, factors;

    Follows(nb::handle targets_, nb::handle starts_, nb::handle sources_, nb::handle weights_,
            nb::handle bases_, nb::handle cams_, nb::handle factors_)
        : targets(targets_, "targets"),
          starts(starts_, "starts"),
          sources(sources_, "sources"),
          weights(weights_, "weights"),
          bases(bases_, "bases"),
          cams(cams_, "cams"),
          factors(factors_, "factors") {}

    std::vector<BatchFollow> steps(const Model& m) const {
        const int64_t count = targets.size(), total = sources.size();
        const int32_t *target = targets.data<int32_t>({-1}), *source = sources.data<int32_t>({-1});
        const int32_t *start = starts.data<int32_t>({count + 1}),
                      *cam = cams.data<int32_t>({count});
        const double *weight = weights.data<double>({total}), *base = bases.data<double>({count});
        factors.data<double>({count});
        std::vector<BatchFollow> made;
        for (int64_t i = 0; i < count; ++i) {
            if (target[i] < 0 || target[i] >= m.nq)
                raise_usage("targets has " + not_among(target[i], m.nq));
            if (start[i] < 0 || start[i] > start[i + 1] || start[i + 1] > total)
                raise_usage("starts must increase from 0 to the number of sources");
            if (cam[i] < -1 || cam[i] >= m.coupling_count || (cam[i] >= 0 && !is_cam(m, cam[i])))
                raise_usage("cams names coupling " + std::to_string(cam[i]) +
                            ", which is not a cam of the model");
            made.push_back({target[i], start[i + 1] - start[i], source + start[i],
                            weight + start[i], base[i]});
        }
        for (int64_t i = 0; i < total; ++i)
            if (source[i] < 0 || source[i] >= m.nq)
                raise_usage("sources has " + not_among(source[i], m.nq));
        return made;
    }
};

void py_batch_follow(nb::handle ints, nb::handle reals, nb::handle targets, nb::handle starts,
                     nb::handle sources, nb::handle weights, nb::handle bases, nb::handle cams,
                     nb::handle factors, nb::handle qs, int threads) {
    const BoundBlocks blocks(ints, reals);
    const Model& m = blocks.model;
    const Follows follows(targets, starts, sources, weights, bases, cams, factors);
    const std::vector<BatchFollow> steps = follows.steps(m);
    const Borrowed qs_(qs, "qs", true);
    if (qs_.dimensions() != 2) raise_usage("qs must have shape (nq, N)");
    const int64_t count = qs_.shape(1);
    double* q = qs_.data<double>({m.nq, count});
    const int32_t* cam = follows.cams.data<int32_t>();
    const double* factor = follows.factors.data<double>();
    const auto follow = batch_kernels().follow;
    nb::gil_scoped_release release;
    in_parallel(count, threads, [&](int64_t begin, int64_t end) {
        for (size_t i = 0; i < steps.size(); ++i) {
            follow(steps[i], q + begin, count, end - begin);
            if (cam[i] < 0) continue;
            const double* x = q + m.term_q[m.term_start[cam[i] + 1] - 1] * count;
            double* to = q + steps[i].target * count;
            for (int64_t k = begin; k < end; ++k)
                to[k] += factor[i] * cam_profile(m, cam[i], x[k]).f;
        }
    });
}

}  // namespace

void bind_batch(nb::module_& module) {
    using nb::arg;
    module.def("batch_forward", py_batch_forward, arg("ints"), arg("reals"), arg("qs"),
               arg("sites"), arg("out"), arg("threads") = 0);
    module.def("batch_grid", py_batch_grid, arg("ints"), arg("reals"), arg("variables"),
               arg("lower"), arg("upper"), arg("counts"), arg("q"), arg("sites"), arg("out"),
               arg("threads") = 0);
    module.def("batch_random", py_batch_random, arg("ints"), arg("reals"), arg("lower"),
               arg("upper"), arg("seed"), arg("first"), arg("site"), arg("out"),
               arg("qs") = nb::none(), arg("threads") = 0);
    module.def("batch_follow", py_batch_follow, arg("ints"), arg("reals"), arg("targets"),
               arg("starts"), arg("sources"), arg("weights"), arg("bases"), arg("cams"),
               arg("factors"), arg("qs"), arg("threads") = 0);
    module.def("batch_isa", [] { return batch_kernels().isa; });
}
