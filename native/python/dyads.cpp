// Planar linkages in closed form for Python, on all cores; signature as in
// kernels/reference/dyads/dyads.py.
#include <nanobind/nanobind.h>

#include "batch/dispatch.hpp"
#include "python/border/arrays.hpp"
#include "python/border/threads.hpp"

using namespace kinegen;
using namespace kinegen::python;

namespace {

void py_batch_dyads(nb::handle ints, nb::handle reals, int32_t link_count, nb::handle site_links,
                    nb::handle site_points, nb::handle inputs, nb::handle out, int threads) {
    const Borrowed ints_(ints, "ints"), reals_(reals, "reals"), links(site_links, "site_links");
    const Borrowed points(site_points, "site_points"), inputs_(inputs, "inputs");
    const Borrowed out_(out, "out", true);
    if (ints_.dimensions() != 2 || inputs_.dimensions() != 2)
        raise_usage("ints must have shape (constructions, 8) and inputs (variables, N)");
    const int64_t count = ints_.shape(0), sites = links.size(), columns = inputs_.shape(1);
    DyadProgram program = {ints_.data<int32_t>({count, DYAD_INTS}),
                           reals_.data<double>({count, DYAD_REALS}),
                           (int32_t)count,
                           link_count,
                           (int32_t)inputs_.shape(0),
                           links.data<int32_t>({sites}),
                           points.data<double>({sites, 2}),
                           (int32_t)sites};
    if (!is_dyad_program(program))
        raise_usage("the constructions name a link or an input that does not exist");
    const double* from = inputs_.data<double>({-1, columns});
    double* to = out_.data<double>({sites, 2, columns});
    const auto run = batch_kernels().dyads;
    nb::gil_scoped_release release;
    in_parallel(columns, threads, [&](int64_t begin, int64_t end) {
        run(program, from + begin, columns, to + begin, columns, end - begin);
    });
}

}  // namespace

void bind_dyads(nb::module_& module) {
    using nb::arg;
    module.def("batch_dyads", py_batch_dyads, arg("ints"), arg("reals"), arg("link_count"),
               arg("site_links"), arg("site_points"), arg("inputs"), arg("out"),
               arg("threads") = 0);
}
