// Which build of the batch kernels runs: asked of the processor, once.
#include "batch/dispatch.hpp"

#include <stdlib.h>
#include <string.h>

#if defined(_MSC_VER) && !defined(__clang__) && defined(_M_X64)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace kinegen {

namespace {

struct Processor {
    bool avx2 = false, avx512 = false;
};

#if defined(__GNUC__) && defined(__x86_64__)

Processor ask_processor() {
    Processor p;
    __builtin_cpu_init();
    p.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    p.avx512 = p.avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    return p;
}

#elif defined(_MSC_VER) && defined(_M_X64)

Processor ask_processor() {
    Processor p;
    int r[4];
    __cpuid(r, 0);
    if (r[0] < 7) return p;
    __cpuid(r, 1);
    const bool fma = (r[2] >> 12) & 1, osxsave = (r[2] >> 27) & 1;
    if (!fma || !osxsave) return p;
    // the system must save the registers too: bits 1, 2 for AVX, 5, 6, 7 for AVX-512
    const unsigned long long saved = _xgetbv(0);
    __cpuidex(r, 7, 0);
    p.avx2 = ((r[1] >> 5) & 1) && (saved & 0x06) == 0x06;
    p.avx512 = p.avx2 && ((r[1] >> 16) & 1) && ((r[1] >> 17) & 1) && ((r[1] >> 31) & 1) &&
               (saved & 0xe6) == 0xe6;
    return p;
}

#else

Processor ask_processor() { return {}; }

#endif

const BatchKernels& choose() {
    [[maybe_unused]] const Processor p = ask_processor();
    const BatchKernels* best_first[3] = {nullptr, nullptr, batch_plain()};
#if KINEGEN_HAVE_AVX512
    if (p.avx512) best_first[0] = batch_avx512();
#endif
#if KINEGEN_HAVE_AVX2
    if (p.avx2) best_first[1] = batch_avx2();
#endif
    const BatchKernels* best = nullptr;
    const char* wanted = getenv("KINEGEN_ISA");
    for (const BatchKernels* kernels : best_first) {
        if (kernels == nullptr) continue;
        if (best == nullptr) best = kernels;
        if (wanted != nullptr && strcmp(kernels->isa, wanted) == 0) return *kernels;
    }
    return *best;
}

}  // namespace

const BatchKernels& batch_kernels() {
    static const BatchKernels& chosen = choose();
    return chosen;
}

}  // namespace kinegen
