// All corrections at once: A λ = -ρ with A = J M⁻¹ Jᵀ + compliance, block by block over the graph of
// joints, as block LDLᵀ. Trees fill nothing in; loops do where the order (made in Python) says.
#pragma once

#include "impulse_rows.hpp"

namespace kinegen::impulse {

// out (6 × 6, [row][column]) += Y (rows [row][component]) J ([component][column])
inline void add_product(const double* Y, const double* J, int32_t rows, double* out) {
    for (int32_t i = 0; i < rows; ++i) {
        double sum[6];
        for (int l = 0; l < 6; ++l) sum[l] = out[6 * i + l];
        for (int d = 0; d < 6; ++d) {
            const double y = Y[6 * i + d];
            for (int l = 0; l < 6; ++l) sum[l] += y * J[6 * d + l];
        }
        for (int l = 0; l < 6; ++l) out[6 * i + l] = sum[l];
    }
}

// Inverse of a symmetric positive matrix (n of 6 rows in use, the rest 0) in place, by sweeping
// each pivot. A pivot that has vanished is left out: its row repeats others.
inline void invert_block(double* A, int32_t n, const double* floor_of) {
    for (int32_t k = 0; k < n; ++k) {
        const double pivot = A[6 * k + k];
        if (!(pivot > floor_of[k])) {
            for (int l = 0; l < 6; ++l) A[6 * k + l] = A[6 * l + k] = 0;
            continue;
        }
        const double d = 1 / pivot;
        double row[6];
        for (int l = 0; l < 6; ++l) row[l] = A[6 * k + l] * d;
        row[k] = d;
        for (int32_t i = 0; i < n; ++i) {
            if (i == k) continue;
            const double f = A[6 * i + k];
            for (int l = 0; l < 6; ++l) A[6 * i + l] -= f * row[l];
            A[6 * i + k] = -f * d;
        }
        for (int l = 0; l < 6; ++l) A[6 * k + l] = row[l];
    }
}

// The joint's own block A_jj, compliance not included.
inline void own_block(const World& w, int32_t j, double* A) {
    const Rows& r = w.rows[j];
    clear_all(A, 36);
    if (w.inverse[4LL * bond_a(w, j)] != 0) add_product(r.Ya, r.Ja, w.row_count[j], A);
    if (w.inverse[4LL * bond_b(w, j)] != 0) add_product(r.Yb, r.Jb, w.row_count[j], A);
}

// Gives rows their compliance and adds it to their block.
inline void soften(const World& w, int32_t j, double* A) {
    const int32_t held = HELD_ROWS[bond_type(w, j)];
    double* yield = w.yield + 6LL * j;
    for (int32_t i = 0; i < held; ++i) yield[i] = SOFTNESS * A[7 * i];
    for (int32_t i = 0; i < w.row_count[j]; ++i) A[7 * i] += yield[i];
}

// Blocks and their factors; L below the diagonal, inverses on it.
inline void factor(const World& w) {
    const Order& o = w.order;
    for (int32_t c = 0; c < o.count; ++c) {
        own_block(w, o.bond[c], w.diagonal + 36LL * c);
        soften(w, o.bond[c], w.diagonal + 36LL * c);
    }
    clear_all(w.lower, 36LL * o.block_count);
    for (int32_t i = 0; i < o.piece_count; ++i) {
        const int32_t* piece = o.piece + 4LL * i;
        const int32_t row = o.bond[o.row[piece[0]]], col = o.bond[piece[3]];
        const Rows &rr = w.rows[row], &rc = w.rows[col];
        add_product(piece[1] ? rr.Yb : rr.Ya, piece[2] ? rc.Jb : rc.Ja, w.row_count[row],
                    w.lower + 36LL * piece[0]);
    }
    for (int32_t c = 0; c < o.count; ++c) {
        const int32_t j = o.bond[c], n = w.row_count[j];
        double* D = w.diagonal + 36LL * c;
        double floor_of[6];
        for (int32_t i = 0; i < 6; ++i) floor_of[i] = 0;
        // pivots below the rounding of what they were made of are nothing
        for (int32_t i = 0; i < n; ++i) floor_of[i] = 0.01 * w.yield[6LL * j + i];
        for (int32_t i = HELD_ROWS[bond_type(w, j)]; i < n; ++i) floor_of[i] = 0;
        invert_block(D, n, floor_of);
        const int32_t *update = o.update + o.update_first[c];
        for (int32_t b = o.first[c]; b < o.first[c + 1]; ++b) {
            // keep Aᵀ ([column][row]) for the updates, then L = A D⁻¹
            double *A = w.lower + 36LL * b, *T = w.transposed + 36LL * b;
            const int32_t rows = w.row_count[o.bond[o.row[b]]];
            for (int i = 0; i < 6; ++i)
                for (int l = 0; l < 6; ++l) T[6 * l + i] = A[6 * i + l];
            double L[36];
            clear_all(L, 36);
            add_product(A, D, rows, L);
            copy_all(A, L, 36);
        }
        for (int32_t b = o.first[c]; b < o.first[c + 1]; ++b) {
            const int32_t rows = w.row_count[o.bond[o.row[b]]];
            double minus[36];
            for (int i = 0; i < 36; ++i) minus[i] = -w.lower[36LL * b + i];
            for (int32_t b2 = o.first[c]; b2 <= b; ++b2) {
                const int32_t to = *update++;
                add_product(minus, w.transposed + 36LL * b2, rows,
                            to < 0 ? w.diagonal + 36LL * (-1 - to) : w.lower + 36LL * to);
            }
        }
    }
}

// x (six per bond) := A⁻¹ x
inline void solve(const World& w, double* x) {
    const Order& o = w.order;
    for (int32_t c = 0; c < o.count; ++c) {
        double* xc = x + 6LL * o.bond[c];
        for (int32_t b = o.first[c]; b < o.first[c + 1]; ++b) {
            const int32_t row = o.bond[o.row[b]];
            const double* L = w.lower + 36LL * b;
            double* xr = x + 6LL * row;
            for (int32_t i = 0; i < w.row_count[row]; ++i) {
                double sum = 0;
                for (int l = 0; l < 6; ++l) sum += L[6 * i + l] * xc[l];
                xr[i] -= sum;
            }
        }
    }
    for (int32_t c = o.count - 1; c >= 0; --c) {
        double *xc = x + 6LL * o.bond[c], z[6] = {0, 0, 0, 0, 0, 0};
        const double* D = w.diagonal + 36LL * c;
        // D⁻¹ is symmetric: by columns, so that the sums run side by side
        for (int i = 0; i < 6; ++i)
            for (int l = 0; l < 6; ++l) z[l] += D[6 * i + l] * xc[i];
        for (int32_t b = o.first[c]; b < o.first[c + 1]; ++b) {
            const int32_t row = o.bond[o.row[b]];
            const double *L = w.lower + 36LL * b, *xr = x + 6LL * row;
            for (int32_t i = 0; i < w.row_count[row]; ++i)
                for (int l = 0; l < 6; ++l) z[l] -= L[6 * i + l] * xr[i];
        }
        for (int l = 0; l < 6; ++l) xc[l] = z[l];
    }
}

}  // namespace kinegen::impulse
