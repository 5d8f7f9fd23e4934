// Planar linkages in closed form for the page, as in python/dyads.cpp, on one thread.
#include "kernel/dyads/dyads.hpp"
#include "wasm/page.hpp"

using namespace kinegen;

// Points of a linkage (site_count × 2 × count) for the columns of inputs (input_count × count).
EXPORT(kg_batch_dyads)(const int32_t* ints, int32_t int_count, const double* reals,
                       int32_t real_count, int32_t link_count, const int32_t* site_links,
                       int32_t site_count, const double* site_points, int32_t point_count,
                       const double* inputs, int32_t input_number, int32_t count, double* out,
                       int32_t out_count)
    ->int32_t {
    const int32_t ops = int_count / DYAD_INTS;
    if (count < 1 || int_count < 0 || !fits(ints, int_count, (int64_t)ops * DYAD_INTS) ||
        !fits(reals, real_count, (int64_t)ops * DYAD_REALS) || !readable(site_links, site_count) ||
        !fits(site_points, point_count, 2LL * site_count) ||
        !fits(inputs, input_number, (int64_t)(input_number / count) * count) ||
        !fits(out, out_count, 2LL * site_count * count))
        return BAD_SIZE;
    const DyadProgram program = {
        ints, reals, ops, link_count, input_number / count, site_links, site_points, site_count};
    if (!is_dyad_program(program)) return BAD_INDEX;
    plain::run_dyads(program, inputs, count, out, count, count);
    return OK;
}
