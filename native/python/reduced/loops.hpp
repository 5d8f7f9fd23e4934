// Loops of the reduced engine for Python.
#pragma once

#include <utility>
#include <vector>

#include "kernel/reduced/loops.hpp"
#include "kernel/reduced/run.hpp"
#include "python/border/arrays.hpp"

namespace kinegen::python {

// Rows of all loops where the engine's tree is placed: J (rows × nv, tree part), C (nv × nv: speeds
// of cut joints by those of the tree), T (rows × 6: unit wrenches about K's origin, world axes),
// the rows' loops.
inline nb::object loop_rows(ReducedEngine& engine) {
    const Model& model = *engine.system.tree.model;
    ReducedSystem& s = engine.system;
    const Couplings& c = s.ties;
    const size_t nv = (size_t)model.nv, rows = (size_t)c.row_count;
    std::vector<double> J(rows * nv), C(nv * nv), T(rows * 6);
    std::vector<int32_t> loop(rows);
    for (int32_t i = 0; i < c.loop_count; ++i) {
        coupling_rows(s, i);
        const int32_t cut = model.loop_joint[c.loop[i]];
        cut_axes(s.tree, c, i, engine.axes);
        for (int32_t k = c.reach_first[i]; k < c.reach_first[i + 1]; ++k) {
            const int32_t at = c.reach[k], v = s.tree.index[at];
            for (int32_t row = c.row_first[i]; row < c.row_first[i + 1]; ++row)
                J[(size_t)row * nv + (size_t)v] = s.Y[(int64_t)row * s.tree.n + at];
            for (int32_t f = 0; f < JOINT_NV[model.joint_type[cut]]; ++f)
                C[(size_t)(model.joint_v[cut] + f) * nv + (size_t)v] =
                    c.side[k] * dot6(engine.axes + 6 * f, s.tree.S + 6LL * at);
        }
        const double* p = c.X_K + TRANSFORM_SIZE * (int64_t)i + 9;
        const double r[3] = {s.tree.centre[0] - p[0], s.tree.centre[1] - p[1],
                             s.tree.centre[2] - p[2]};
        for (int32_t row = c.row_first[i]; row < c.row_first[i + 1]; ++row) {
            loop[(size_t)row] = c.loop[i];
            double* to = T.data() + 6 * (size_t)row;
            copy_all(to, c.T + 6LL * row, 6);
            add_cross3(r, to, to + 3);
        }
    }
    return nb::make_tuple(new_array(std::move(J), {rows, nv}), new_array(std::move(C), {nv, nv}),
                          new_array(std::move(T), {rows, 6}), new_array(std::move(loop), {rows}));
}

}  // namespace kinegen::python
