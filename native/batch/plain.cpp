// Batch kernels for any processor: 16-byte vectors (SSE2, NEON) or plain loops.
#define KINEGEN_ISA plain
#include "batch/build.hpp"

namespace kinegen {

static constexpr BatchKernels KERNELS = {
    "plain",          plain::FUNCTIONS<double>, plain::FUNCTIONS<float>, plain::follow_columns,
    plain::run_dyads, plain::dynamics_bytes,    plain::run_dynamics};
const BatchKernels* batch_plain() { return &KERNELS; }

}  // namespace kinegen
