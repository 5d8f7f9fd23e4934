// Coupled variables of many configurations: each is computed from those that lead it.
//
// A step sets one row of q to base + the sum of weight times row, in lanes. The profile of a cam is
// added by the caller: it runs formulas, which are the same on every instruction set.
#pragma once

#include "kernel/base/lanes.hpp"
#include "kernel/batch/path.hpp"

namespace kinegen {
namespace KINEGEN_ISA {

// Row `target` of q (rows `stride` apart) for `count` columns.
inline void follow_columns(const BatchFollow& step, double* q, int64_t stride, int64_t count) {
    typedef typename Lane<double>::V V;
    constexpr int W = WIDTH<double>;
    double* to = q + step.target * stride;
    for (int64_t i = 0; i < count; i += W) {
        V sum = all<double>(step.base);
        for (int32_t k = 0; k < step.count; ++k)
            sum = load_some<double>(q + step.sources[k] * stride + i, count - i) * step.weights[k] +
                  sum;
        store_some<double>(sum, to + i, count - i);
    }
}

}  // namespace KINEGEN_ISA
}  // namespace kinegen
