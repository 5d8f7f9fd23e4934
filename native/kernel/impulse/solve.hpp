// All corrections at once: A λ = -ρ with A = J M⁻¹ Jᵀ + compliance, block by block over the graph
// of joints, as block LDLᵀ. Trees fill nothing in; loops do where the order (made in Python) says.
#pragma once

#include "kernel/impulse/couplings.hpp"

namespace kinegen::impulse {

// out (rows of six) += Y (rows [row][component]) J ([component][column]), components first to 5
template <int FIRST>
inline void add_product(const double* Y, const double* J, int32_t rows, double* out) {
    for (int32_t i = 0; i < rows; ++i) {
        Vec6 sum = load_vec6(out + 6 * i);
        for (int d = FIRST; d < 6; ++d) add_vec6(sum, Y[6 * i + d], J + 6 * d);
        store_vec6(sum, out + 6 * i);
    }
}

// out (rows of six) -= L ([row][k]) T ([k][column]), k below `inner`
template <int INNER>
inline void take_product(const double* L, const double* T, int32_t rows, double* out) {
    for (int32_t i = 0; i < rows; ++i) {
        Vec6 sum = load_vec6(out + 6 * i);
        for (int k = 0; k < INNER; ++k) take_vec6(sum, L[6 * i + k], T + 6 * k);
        store_vec6(sum, out + 6 * i);
    }
}
inline void take_product(const double* L, const double* T, int32_t rows, int32_t inner,
                         double* out) {
    switch (inner) {
        case 3:
            return take_product<3>(L, T, rows, out);
        case 5:
            return take_product<5>(L, T, rows, out);
        default:
            return take_product<6>(L, T, rows, out);
    }
}

// Two rows of three or fewer twos of a product, F [row][k] G [k][column], added to sums.
template <int K>
KINEGEN_DISSOLVE void add_tile(const double* F, const double* G, Vec2& top, Vec2& low) {
    KINEGEN_UNROLL
    for (int k = 0; k < K; ++k) {
        const Vec2 g = load_vec2(G + 6 * k);
        top = top + Vec2{F[k], F[k]} * g;
        low = low + Vec2{F[6 + k], F[6 + k]} * g;
    }
}

// D -= L ([row][k]) T ([k][column]), k below INNER: D is symmetric, and of it only what is above
// the diagonal is made and read, by tiles of two.
template <int INNER>
inline void take_upper(const double* L, const double* T, int32_t rows, double* D) {
    KINEGEN_UNROLL
    for (int i = 0; i < 6; i += 2) {
        if (i >= rows) return;
        KINEGEN_UNROLL
        for (int l = i; l < 6; l += 2) {
            Vec2 top{0, 0}, low{0, 0};
            add_tile<INNER>(L + 6 * i, T + l, top, low);
            store_vec2(load_vec2(D + 6 * i + l) - top, D + 6 * i + l);
            store_vec2(load_vec2(D + 6 * i + 6 + l) - low, D + 6 * i + 6 + l);
        }
    }
}
inline void take_upper(const double* L, const double* T, int32_t rows, int32_t inner, double* D) {
    switch (inner) {
        case 3:
            return take_upper<3>(L, T, rows, D);
        case 5:
            return take_upper<5>(L, T, rows, D);
        default:
            return take_upper<6>(L, T, rows, D);
    }
}

// L = Tᵀ D with T [k][row], D [k][column]
template <int INNER>
inline void divide_block(const double* T, const double* D, int32_t rows, double* L) {
    for (int32_t i = 0; i < rows; ++i) {
        Vec6 sum = zero_vec6();
        for (int k = 0; k < INNER; ++k) add_vec6(sum, T[6 * k + i], D + 6 * k);
        store_vec6(sum, L + 6 * i);
    }
}
inline void divide_block(const double* T, const double* D, int32_t rows, int32_t inner, double* L) {
    switch (inner) {
        case 3:
            return divide_block<3>(T, D, rows, L);
        case 5:
            return divide_block<5>(T, D, rows, L);
        default:
            return divide_block<6>(T, D, rows, L);
    }
}

// Inverse of a symmetric positive matrix of N rows of six (the rest 0) in place, by sweeping each
// pivot; of A only what is above the diagonal is read. A pivot that has vanished is left out: its
// row repeats others.
template <int N>
inline void invert_block(double* A, const double* floor_of) {
    // above the diagonal alone; swept rows hold the inverse's negative
    double u[N][N];
    KINEGEN_UNROLL
    for (int i = 0; i < N; ++i) {
        KINEGEN_UNROLL
        for (int l = i; l < N; ++l) u[i][l] = A[6 * i + l];
    }
    KINEGEN_UNROLL
    for (int k = 0; k < N; ++k) {
        double f[N];
        const double pivot = u[k][k];
        const double d = pivot > floor_of[k] ? 1 / pivot : 0;
        KINEGEN_UNROLL
        for (int i = 0; i < N; ++i) f[i] = i < k ? u[i][k] : u[k][i];
        KINEGEN_UNROLL
        for (int i = 0; i < N; ++i) {
            const double g = f[i] * d;
            KINEGEN_UNROLL
            for (int l = i; l < N; ++l)
                if (i != k && l != k) u[i][l] -= g * f[l];
            if (i < k) u[i][k] = g;
            if (i > k) u[k][i] = g;
        }
        u[k][k] = -d;
    }
    KINEGEN_UNROLL
    for (int i = 0; i < N; ++i) {
        KINEGEN_UNROLL
        for (int l = i; l < N; ++l) A[6 * i + l] = A[6 * l + i] = -u[i][l];
    }
}
inline void invert_block(double* A, int32_t n, const double* floor_of) {
    switch (n) {
        case 1:
            return invert_block<1>(A, floor_of);
        case 2:
            return invert_block<2>(A, floor_of);
        case 3:
            return invert_block<3>(A, floor_of);
        case 4:
            return invert_block<4>(A, floor_of);
        case 5:
            return invert_block<5>(A, floor_of);
        case 6:
            return invert_block<6>(A, floor_of);
        default:
            return;
    }
}

// Adds the joint's own block A_jj, compliance not included, above the diagonal. Its rows'
// directions are perpendicular to each other.
inline void add_own_block(const World& w, int32_t j, double* A) {
    const Rows& r = w.rows[j];
    const int32_t type = bond_type(w, j), n = w.row_count[j];
    KINEGEN_UNROLL
    for (int i = 0; i < 6; i += 2) {
        if (i >= n) break;
        KINEGEN_UNROLL
        for (int l = i; l < 6; l += 2) {
            Vec2 top = load_vec2(A + 6 * i + l), low = load_vec2(A + 6 * i + 6 + l);
            Vec2 other_top{0, 0}, other_low{0, 0};
            add_tile<3>(r.Ya + 6 * i + 3, r.Ja + 18 + l, top, low);
            add_tile<3>(r.Yb + 6 * i + 3, r.Jb + 18 + l, other_top, other_low);
            store_vec2(top + other_top, A + 6 * i + l);
            store_vec2(low + other_low, A + 6 * i + 6 + l);
        }
    }
    const double share = w.inverse[4LL * bond_a(w, j)] + w.inverse[4LL * bond_b(w, j)];
    for (int32_t i = 0; i < ALONG_ROWS[type]; ++i) A[7 * i] += share;
    for (int32_t i = HELD_ROWS[type]; i < n; ++i)
        if (FREED[type][w.soft[6LL * j + i] - bond_v(w, j)].action != ABOUT) A[7 * i] += share;
}

// Change of speed of a row about an axis by its own unit impulse, light bodies eased.
inline double turn_response(const World& w, int32_t j, int32_t row) {
    const Rows& r = w.rows[j];
    double a = 0, b = 0;
    for (int d = 3; d < 6; ++d) {
        a += r.Ja[6 * d + row] * r.Ya[6 * row + d];
        b += r.Jb[6 * d + row] * r.Yb[6 * row + d];
    }
    return w.ease[2LL * bond_a(w, j) + 1] * a + w.ease[2LL * bond_b(w, j) + 1] * b;
}

// Adds the joint's own block and the compliance of its rows, which is found here where they are
// held.
inline void add_soft_block(const World& w, int32_t j, double* A) {
    if (j >= w.bond_count) {
        const int32_t c = j - w.bond_count;
        w.yield[6LL * j] = SOFTNESS * coupling_response(w, c, true);
        A[0] += coupling_response(w, c, false) + w.yield[6LL * j];
        return;
    }
    const int32_t held = HELD_ROWS[bond_type(w, j)], n = w.row_count[j];
    double *yield = w.yield + 6LL * j, before[6];
    for (int32_t i = 0; i < held; ++i) before[i] = A[7 * i];
    add_own_block(w, j, A);
    // along: that of the masses alone, which thin bodies do not stiffen
    const int32_t a = bond_a(w, j), b = bond_b(w, j);
    const double share =
        w.ease[2LL * a] * w.inverse[4LL * a] + w.ease[2LL * b] * w.inverse[4LL * b];
    for (int32_t i = 0; i < held; ++i)
        yield[i] = SOFTNESS * (i < ALONG_ROWS[bond_type(w, j)] ? share
                               : w.uneven                      ? turn_response(w, j, i)
                                                               : A[7 * i] - before[i]);
    for (int32_t i = 0; i < n; ++i) A[7 * i] += yield[i];
}

// What two ties do to each other at a body that they share; T [row of c][row of r].
inline void add_piece(const World& w, int32_t r, int32_t side_r, int32_t c, int32_t side_c,
                      double* T) {
    const int32_t n = w.bond_count;
    const double* J = r >= n   ? coupling_side(w, r - n, side_r)
                      : side_r ? w.rows[r].Jb
                               : w.rows[r].Ja;
    const double* Y = c >= n   ? coupling_side(w, c - n, side_c) + 36
                      : side_c ? w.rows[c].Yb
                               : w.rows[c].Ya;
    if (r >= n || c >= n || !holds_point(bond_type(w, r)) || !holds_point(bond_type(w, c)))
        return add_product<0>(Y, J, w.row_count[c], T);
    // the first three rows of both are the world's axes
    add_product<3>(Y, J, w.row_count[c], T);
    const double share = w.inverse[4LL * (side_c ? bond_b(w, c) : bond_a(w, c))];
    for (int i = 0; i < 3; ++i) T[7 * i] += side_r == side_c ? share : -share;
}

// Blocks and their factors; L below the diagonal, inverses on it. A column's own blocks are added
// when its turn comes: the processor makes them while it waits for the pivots before.
inline void factor(const World& w) {
    const Order& o = w.order;
    clear_all(w.diagonal, 36LL * o.count);
    clear_all(w.transposed, 36LL * o.block_count);
    const int32_t *piece = o.piece, *pieces_end = o.piece + 4LL * o.piece_count;
    for (int32_t c = 0; c < o.count; ++c) {
        const int32_t j = o.tie[c], n = w.row_count[j], held = held_rows(w, j);
        for (; piece < pieces_end && piece[3] == c; piece += 4)
            add_piece(w, o.tie[o.row[piece[0]]], piece[1], j, piece[2],
                      w.transposed + 36LL * piece[0]);
        double* D = w.diagonal + 36LL * c;
        add_soft_block(w, j, D);
        double floor_of[6];
        // pivots below the rounding of what they were made of are nothing
        for (int32_t i = 0; i < 6; ++i) floor_of[i] = i < held ? 0.01 * w.yield[6LL * j + i] : 0;
        invert_block(D, n, floor_of);
        const int32_t* update = o.update + o.update_first[c];
        // with T = Aᵀ: L = A D⁻¹, then every pair of blocks changes another by L Aᵀ
        for (int32_t b = o.first[c]; b < o.first[c + 1]; ++b) {
            const double* T = w.transposed + 36LL * b;
            divide_block(T, D, w.row_count[o.tie[o.row[b]]], n, w.lower + 36LL * b);
            for (int32_t b2 = o.first[c]; b2 <= b; ++b2) {
                const int32_t to = *update++, rows = w.row_count[o.tie[o.row[b2]]];
                const double* L = w.lower + 36LL * b2;
                if (to < 0)
                    take_upper(L, T, rows, n, w.diagonal + 36LL * (-1 - to));
                else
                    take_product(L, T, rows, n, w.transposed + 36LL * to);
            }
        }
    }
}

// Σ f[i] x[i] over six rows of six, as two sums that run side by side.
KINEGEN_DISSOLVE Vec6 combine_rows(const double* f, const double* x) {
    Vec6 even = zero_vec6(), odd = zero_vec6();
    for (int i = 0; i < 6; i += 2) {
        add_vec6(even, f[i], x + 6 * i);
        add_vec6(odd, f[i + 1], x + 6 * i + 6);
    }
    return sum_vec6(even, odd);
}

// x (six per tie) := A⁻¹ x
inline void solve(const World& w, double* x) {
    const Order& o = w.order;
    for (int32_t c = 0; c < o.count; ++c) {
        double *xc = x + 6LL * o.tie[c], z[6];
        store_vec6(combine_rows(xc, w.diagonal + 36LL * c), z);  // D⁻¹ is symmetric
        for (int32_t b = o.first[c]; b < o.first[c + 1]; ++b) {
            double* xr = x + 6LL * o.tie[o.row[b]];
            store_vec6(less_vec6(load_vec6(xr), combine_rows(z, w.transposed + 36LL * b)), xr);
        }
        copy_all(xc, z, 6);
    }
    for (int32_t c = o.count - 1; c >= 0; --c) {
        double* xc = x + 6LL * o.tie[c];
        Vec6 z = load_vec6(xc);
        for (int32_t b = o.first[c]; b < o.first[c + 1]; ++b)
            z = less_vec6(z, combine_rows(x + 6LL * o.tie[o.row[b]], w.lower + 36LL * b));
        store_vec6(z, xc);
    }
}

}  // namespace kinegen::impulse
