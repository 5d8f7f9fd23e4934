// Small square systems by Gauss's elimination with the largest pivots.
#pragma once

#include "kernel/linalg/linalg.hpp"

namespace kinegen {

// Factors M (n × n) in place; order: which rows were exchanged. False: it is singular.
inline bool factor_square(double* M, int32_t* order, int32_t n) {
    for (int32_t k = 0; k < n; ++k) {
        int32_t best = k;
        for (int32_t i = k + 1; i < n; ++i)
            if (fabs(M[(int64_t)i * n + k]) > fabs(M[(int64_t)best * n + k])) best = i;
        order[k] = best;
        if (!(fabs(M[(int64_t)best * n + k]) > 0)) return false;
        if (best != k)
            for (int32_t j = 0; j < n; ++j)
                swap_numbers(M[(int64_t)k * n + j], M[(int64_t)best * n + j]);
        const double inverse = 1 / M[(int64_t)k * n + k];
        for (int32_t i = k + 1; i < n; ++i) {
            double* row = M + (int64_t)i * n;
            if (row[k] == 0) continue;
            row[k] *= inverse;
            add_scaled(-row[k], M + (int64_t)k * n + k + 1, row + k + 1, n - k - 1);
        }
    }
    return true;
}
// b := M⁻¹ b
inline void solve_square(const double* M, const int32_t* order, int32_t n, double* b) {
    for (int32_t k = 0; k < n; ++k) {
        swap_numbers(b[k], b[order[k]]);
        for (int32_t i = k + 1; i < n; ++i) b[i] -= M[(int64_t)i * n + k] * b[k];
    }
    for (int32_t k = n - 1; k >= 0; --k) {
        const double sum = dot(M + (int64_t)k * n + k + 1, b + k + 1, n - k - 1);
        b[k] = (b[k] - sum) / M[(int64_t)k * n + k];
    }
}

}  // namespace kinegen
