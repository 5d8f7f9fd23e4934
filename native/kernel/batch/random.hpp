// Configurations without end, spread evenly: an additive recurrence in lanes.
//
// Number i of a variable is the fraction of phase + i * step, kept in 64 bits: any column can be
// computed by itself, so blocks, threads and machines all give the same points. The steps are those
// of Roberts' R_d sequence (2018): powers of the inverse of the root of x^(d+1) = x + 1.
#pragma once

#include "kernel/batch/batch.hpp"

namespace kinegen {

namespace KINEGEN_ISA {

// Evenly spread numbers lower + range * [0, 1) for columns first, first + 1, ...; writes whole
// vectors: out has room for BATCH_BLOCK numbers.
template <class T>
inline void draw_range(uint64_t phase, uint64_t step, uint64_t first, T lower, T range,
                       int64_t count, T* out) {
    typedef typename Lane<T>::V V;
    typedef typename Lane<T>::B B;
    typedef typename Lane<T>::Word Word;
    constexpr int W = WIDTH<T>;
    constexpr int MANTISSA = sizeof(T) == 8 ? 52 : 23;
    constexpr int DROPPED = 64 - WORD_BITS<T>;  // float: the upper 32 bits, rebased at every block
    B at;
    for (int i = 0; i < W; ++i) at[i] = (Word)((phase + (first + (uint64_t)i) * step) >> DROPPED);
    const uint64_t half = DROPPED > 0 ? 1ull << 31 : 0;
    const Word stride = (Word)((W * step + half) >> DROPPED);
    // upper bits as the mantissa of a number in [1, 2)
    const B one = to_bits(all<T>(1));
    for (int64_t i = 0; i < count; i += W) {
        const V fraction = from_bits((at >> (WORD_BITS<T> - MANTISSA)) | one) - (T)1;
        store<T>(fraction * range + lower, out + i);
        at = at + stride;
    }
}

// Three rows of fractions in [0, 1) become the four rows of an evenly drawn unit quaternion
// (Shoemake 1992).
template <class T>
inline void fractions_to_quat(T* rows, int64_t stride, int64_t count) {
    typedef typename Lane<T>::V V;
    const T turn = (T)6.283185307179586;
    for (int64_t i = 0; i < count; i += WIDTH<T>) {
        const V u = load<T>(rows + i);
        const V a = square_root<T>(all<T>(1) - u), b = square_root<T>(u);
        V s1, c1, s2, c2;
        sincos<T>(load<T>(rows + stride + i) * turn, s1, c1);
        sincos<T>(load<T>(rows + 2 * stride + i) * turn, s2, c2);
        store<T>(b * c2, rows + i);
        store<T>(a * s1, rows + stride + i);
        store<T>(a * c1, rows + 2 * stride + i);
        store<T>(b * s2, rows + 3 * stride + i);
    }
}

// Fills the rows of q (BATCH_BLOCK columns apart) for `count` columns from `first` on.
template <class T>
inline void draw_block(const BatchDraw* draws, int32_t draw_count, uint64_t first, int64_t count,
                       T* q) {
    for (int32_t d = 0; d < draw_count; ++d) {
        const BatchDraw& draw = draws[d];
        T* rows = q + draw.q * BATCH_BLOCK;
        if (draw.kind == DRAW_HELD) {
            for (int64_t i = 0; i < count; ++i) rows[i] = (T)draw.lower;
        } else if (draw.kind == DRAW_RANGE) {
            draw_range<T>(draw.phase[0], draw.step[0], first, (T)draw.lower, (T)draw.range, count,
                          rows);
        } else {
            for (int k = 0; k < 3; ++k)
                draw_range<T>(draw.phase[k], draw.step[k], first, 0, 1, count,
                              rows + k * BATCH_BLOCK);
            fractions_to_quat<T>(rows, BATCH_BLOCK, count);
        }
    }
}

// Positions of a site for `count` drawn configurations from number `first` on, into three rows.
// q: scratch, BATCH_BLOCK numbers per row of q; q_out: receives the configurations, or null.
template <class T>
inline void draw_points(const BatchPath<T>& path, const BatchDraw* draws, int32_t draw_count,
                        uint64_t first, int64_t count, int32_t nq, T* q, T* out, int64_t out_stride,
                        T* q_out, int64_t q_out_stride) {
    bool wide = false;
    for (int32_t d = 0; d < draw_count; ++d) {
        const double low = draws[d].lower, high = low + draws[d].range;
        wide = wide || low < -(double)SinCos<T>::LIMIT || high > (double)SinCos<T>::LIMIT;
    }
    const auto walk = wide ? walk_columns<T, false, true> : walk_columns<T, false, false>;
    for (int64_t i = 0; i < count; i += BATCH_BLOCK) {
        const int64_t n = count - i < BATCH_BLOCK ? count - i : BATCH_BLOCK;
        draw_block<T>(draws, draw_count, first + (uint64_t)i, n, q);
        walk(path, q, BATCH_BLOCK, out + i, out_stride, n);
        if (q_out != nullptr)
            for (int32_t k = 0; k < nq; ++k)
                memcpy(q_out + k * q_out_stride + i, q + k * BATCH_BLOCK, (size_t)n * sizeof(T));
    }
}

}  // namespace KINEGEN_ISA
}  // namespace kinegen
