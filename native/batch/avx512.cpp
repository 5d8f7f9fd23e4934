// Batch kernels for x86-64 processors with AVX-512 (F, DQ, VL).
#define KINEGEN_ISA avx512
#include "batch/build.hpp"

namespace kinegen {

static constexpr BatchKernels KERNELS = {
    "avx512",          avx512::FUNCTIONS<double>, avx512::FUNCTIONS<float>, avx512::follow_columns,
    avx512::run_dyads, avx512::dynamics_bytes,    avx512::run_dynamics};
const BatchKernels* batch_avx512() { return &KERNELS; }

}  // namespace kinegen
