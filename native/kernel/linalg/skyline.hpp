// Square systems whose entries lie near the diagonal, row by row from the first that is not 0:
// A = L U without exchanges, for matrices whose diagonal is large enough for that.
#pragma once

#include "kernel/linalg/linalg.hpp"

namespace kinegen {

// Rows of L and columns of U begin at the same place.
struct Skyline {
    int32_t n;
    int32_t* start;  // per row: its first column
    int32_t* at;     // per row: where column 0 would be
    double *L, *U;   // below the diagonal by rows; above it by columns
    double* d;       // the diagonal, then 1 / that of U
};

// How many numbers L and U have each, from the rows' starts; lays them out.
inline int64_t measure_skyline(Skyline& s) {
    int64_t size = 0;
    for (int32_t k = 0; k < s.n; ++k) {
        s.at[k] = (int32_t)(size - s.start[k]);
        size += k - s.start[k];
    }
    return size;
}

// About how many multiplications it takes to factor.
inline double skyline_work(const Skyline& s) {
    double work = 0;
    for (int32_t k = 0; k < s.n; ++k) work += (double)(k - s.start[k]) * (k - s.start[k]);
    return work;
}

// Factors in place; is_symmetric: U is the transposed L, and need not be filled in. False:
// singular.
inline bool factor_skyline(Skyline& s, bool is_symmetric) {
    for (int32_t k = 0; k < s.n; ++k) {
        const int32_t from = s.start[k];
        double *l = s.L + s.at[k], *u = s.U + s.at[k];
        for (int32_t j = from; j < k; ++j) {
            const int32_t first = s.start[j] > from ? s.start[j] : from;
            l[j] -= dot(l + first, s.U + s.at[j] + first, j - first);
            if (is_symmetric)
                u[j] = l[j];
            else
                u[j] -= dot(s.L + s.at[j] + first, u + first, j - first);
            l[j] *= s.d[j];
        }
        const double pivot = s.d[k] - dot(l + from, u + from, k - from);
        if (!(fabs(pivot) > 0)) return false;
        s.d[k] = 1 / pivot;
    }
    return true;
}

// b := A⁻¹ b
inline void solve_skyline(const Skyline& s, double* b) {
    for (int32_t k = 0; k < s.n; ++k)
        b[k] -= dot(s.L + s.at[k] + s.start[k], b + s.start[k], k - s.start[k]);
    for (int32_t k = s.n - 1; k >= 0; --k) {
        b[k] *= s.d[k];
        add_scaled(-b[k], s.U + s.at[k] + s.start[k], b + s.start[k], k - s.start[k]);
    }
}

}  // namespace kinegen
