// Batch kernels for x86-64 processors with AVX2 and FMA.
#define KINEGEN_ISA avx2
#include "batch/build.hpp"

namespace kinegen {

static constexpr BatchKernels KERNELS = {
    "avx2",          avx2::FUNCTIONS<double>, avx2::FUNCTIONS<float>, avx2::follow_columns,
    avx2::run_dyads, avx2::dynamics_bytes,    avx2::run_dynamics};
const BatchKernels* batch_avx2() { return &KERNELS; }

}  // namespace kinegen
