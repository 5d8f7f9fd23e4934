// The table of one build of the batch kernels. Each file of this folder that is named after an
// instruction set, and plain.cpp, defines KINEGEN_ISA, then includes this and nothing else; it is
// compiled with flags of its own.
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
