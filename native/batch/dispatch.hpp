// The batch kernels, built once per instruction set; the best one that the processor has is used.
#pragma once

#include "kernel/batch/path.hpp"
#include "kernel/dyads/program.hpp"
#include "kernel/dynamics/tasks.hpp"

namespace kinegen {

// One build of the kernels for one number type; the functions are those of kernel/batch*.hpp.
template <class T>
struct BatchFunctions {
    void (*positions)(const BatchPath<T>& path, const T* q, int64_t q_stride, T* out,
                      int64_t out_stride, int64_t count);
    void (*poses)(const BatchPath<T>& path, const T* q, int64_t q_stride, T* out,
                  int64_t out_stride, int64_t count);
    void (*draw_points)(const BatchPath<T>& path, const BatchDraw* draws, int32_t draw_count,
                        uint64_t first, int64_t count, int32_t nq, T* q, T* out, int64_t out_stride,
                        T* q_out, int64_t q_out_stride);
    void (*fill_grid_row)(const double* coefficients, const T* table, int64_t table_stride,
                          int64_t count, T* out, int64_t out_stride);
};

struct BatchKernels {
    const char* isa;
    BatchFunctions<double> of_double;
    BatchFunctions<float> of_float;
    void (*follow)(const BatchFollow& step, double* q, int64_t stride, int64_t count);
    void (*dyads)(const DyadProgram& program, const double* inputs, int64_t stride, double* out,
                  int64_t out_stride, int64_t count);
    int64_t (*dynamics_bytes)(const Model& m, int32_t task, bool pushed);
    int32_t (*dynamics)(const Model& m, int32_t task, const DynamicsColumns& in, int64_t count,
                        void* memory, double* out);
};

template <class T>
const BatchFunctions<T>& functions(const BatchKernels& kernels);
template <>
inline const BatchFunctions<double>& functions(const BatchKernels& kernels) {
    return kernels.of_double;
}
template <>
inline const BatchFunctions<float>& functions(const BatchKernels& kernels) {
    return kernels.of_float;
}

// The builds; batch/avx2.cpp and batch/avx512.cpp are compiled where the build says
// KINEGEN_HAVE_AVX2, KINEGEN_HAVE_AVX512.
const BatchKernels* batch_plain();
const BatchKernels* batch_avx2();
const BatchKernels* batch_avx512();

// The best build for this processor, chosen once; KINEGEN_ISA = plain, avx2 or avx512 asks for a
// certain one and is ignored where that cannot run.
const BatchKernels& batch_kernels();

}  // namespace kinegen
