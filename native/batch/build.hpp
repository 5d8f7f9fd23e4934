// The table of one build of the batch kernels; each batch_*.cpp defines KINEGEN_ISA, then includes
// this. Those files are compiled with flags of their own and include nothing else.
#pragma once

#include "batch/dispatch.hpp"
#include "kernel/batch/batch.hpp"
#include "kernel/batch/follow.hpp"
#include "kernel/batch/random.hpp"
#include "kernel/dyads/dyads.hpp"
#include "kernel/dynamics/batch.hpp"

namespace kinegen {
namespace KINEGEN_ISA {

template <class T>
constexpr BatchFunctions<T> FUNCTIONS = {walk_path<T, false>, walk_path<T, true>, draw_points<T>,
                                         fill_grid_row<T>};

}  // namespace KINEGEN_ISA
}  // namespace kinegen
