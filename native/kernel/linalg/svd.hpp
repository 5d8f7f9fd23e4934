// Singular values and vectors by one-sided Jacobi rotations, which can start from a known answer.
//
// Plane rotations of the short side make the long vectors orthogonal; their lengths are the
// singular values (Hestenes 1958), small ones as accurate as large ones (Demmel and Veselić 1992),
// down to what is only rounding of the rows that A has: that comes out as zero. Starting from the
// factor of a similar matrix leaves little to rotate: one or two sweeps.
#pragma once

#include "kernel/linalg/linalg.hpp"

namespace kinegen {

// Enough for any matrix: convergence is quadratic and cold starts take 5 to 10.
constexpr int32_t SVD_SWEEP_LIMIT = 40;

inline void swap_rows(double* A, int32_t n, int32_t i, int32_t j) {
    for (int32_t k = 0; k < n; ++k) swap_numbers(A[(int64_t)i * n + k], A[(int64_t)j * n + k]);
}

// Rows p, q := c p − s q, s p + c q
inline void rotate_rows(double* p, double* q, double c, double s, int32_t n) {
    for (int32_t i = 0; i < n; ++i) {
        const double x = p[i], y = q[i];
        p[i] = c * x - s * y;
        q[i] = s * x + c * y;
    }
}

// Makes the rows of G (k × k) orthonormal again; false when they were far from it.
inline bool orthonormalize_rows(double* G, int32_t k) {
    if (largest(G, (int64_t)k * k) < 0) return false;
    for (int32_t i = 0; i < k; ++i) {
        double* row = G + (int64_t)i * k;
        for (int32_t j = 0; j < i; ++j)
            add_scaled(-dot(G + (int64_t)j * k, row, k), G + (int64_t)j * k, row, k);
        const double length = sqrt(dot(row, row, k));
        if (!(length > 0.5 && length < 2)) return false;
        scale_all(row, k, 1 / length);
    }
    return true;
}

// Fills row r of W (k × l) with a unit vector orthogonal to the r rows before it: made from the
// axis that they leave the most of.
inline void complete_row(double* W, int32_t r, int32_t l) {
    int32_t axis = 0;
    double least = DBL_MAX;
    for (int32_t i = 0; i < l; ++i) {
        double covered = 0;
        for (int32_t j = 0; j < r; ++j) covered += W[(int64_t)j * l + i] * W[(int64_t)j * l + i];
        if (covered < least) {
            least = covered;
            axis = i;
        }
    }
    double* row = W + (int64_t)r * l;
    clear_all(row, l);
    row[axis] = 1;
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t j = 0; j < r; ++j)
            add_scaled(-dot(W + (int64_t)j * l, row, l), W + (int64_t)j * l, row, l);
        scale_all(row, l, 1 / sqrt(dot(row, row, l)));
    }
}

// The rows of W while they are rotated, with those of G and two numbers for each.
struct SvdRows {
    double *W, *G;
    int32_t k, l;
    double* norms;  // squared lengths
    double* sizes;  // squared lengths of what each row was summed up from, which it rounds with

    double* row(int32_t i) const { return W + (int64_t)i * l; }

    void swap(int32_t i, int32_t j) const {
        swap_numbers(norms[i], norms[j]);
        swap_numbers(sizes[i], sizes[j]);
        swap_rows(W, l, i, j);
        swap_rows(G, k, i, j);
    }

    // A row that is nothing but rounding becomes zero: it would shrink for ever. So does
    // one whose square loses its digits by its smallness.
    void clear_rounding(int32_t i) const {
        const double rounding = DBL_EPSILON * k;
        if (norms[i] > rounding * rounding * sizes[i] && norms[i] > 1e-280) return;
        clear_all(row(i), l);
        norms[i] = 0;
    }

    // Makes rows p and q orthogonal, given their inner product; returns the tangent of the angle.
    double rotate(int32_t p, int32_t q, double product) const {
        const double a = norms[p], b = norms[q], zeta = (b - a) / (2 * product);
        const double root = fabs(zeta) < 1e100 ? sqrt(1 + zeta * zeta) : fabs(zeta);
        const double t = (zeta > 0 ? 1 : -1) / (fabs(zeta) + root);
        const double c = 1 / sqrt(1 + t * t), s = c * t;
        rotate_rows(row(p), row(q), c, s, l);
        rotate_rows(G + (int64_t)p * k, G + (int64_t)q * k, c, s, k);
        const double size_p = sizes[p], size_q = sizes[q];
        sizes[p] = c * c * size_p + s * s * size_q;
        sizes[q] = s * s * size_p + c * c * size_q;
        // a difference that has lost its digits is summed up again
        norms[p] = a - t * product;
        norms[q] = b + t * product;
        if (norms[p] < 0.1 * a) norms[p] = dot(row(p), row(p), l);
        if (norms[q] < 0.1 * b) norms[q] = dot(row(q), row(q), l);
        clear_rounding(p);
        clear_rounding(q);
        return t;
    }
};

// One pass over all pairs of rows, the longest first. Returns a bound on the cosines that it leaves
// between rows: a rotation spoils those of other pairs by no more than its own cosine or tangent
// times theirs.
inline double svd_sweep(const SvdRows& rows, double tolerance) {
    double largest_cosine = 0, largest_tangent = 0;
    for (int32_t i = 0; i < rows.k; ++i) {
        rows.norms[i] = dot(rows.row(i), rows.row(i), rows.l);
        rows.clear_rounding(i);
    }
    for (int32_t p = 0; p + 1 < rows.k; ++p) {
        int32_t longest = p;
        for (int32_t i = p + 1; i < rows.k; ++i)
            if (rows.norms[i] > rows.norms[longest]) longest = i;
        if (longest != p) rows.swap(p, longest);
        for (int32_t q = p + 1; q < rows.k; ++q) {
            const double product = dot(rows.row(p), rows.row(q), rows.l);
            const double lengths = sqrt(rows.norms[p]) * sqrt(rows.norms[q]);
            if (!(fabs(product) > tolerance * lengths)) continue;
            largest_cosine = fmax(largest_cosine, fabs(product) / lengths);
            largest_tangent = fmax(largest_tangent, fabs(rows.rotate(p, q, product)));
        }
    }
    return rows.k * largest_cosine * fmax(largest_cosine, largest_tangent);
}

// W = G A (or G Aᵀ when A is tall), scaled, from the start in G or from the identity; and sizes.
inline void svd_start(const double* A, int32_t m, int32_t n, double scale, bool warm,
                      const SvdRows& rows) {
    const int32_t k = rows.k, l = rows.l;
    const int64_t down = m <= n ? n : 1, along = m <= n ? 1 : n;
    clear_all(rows.W, (int64_t)k * l);
    for (int32_t i = 0; i < k; ++i) rows.sizes[i] = 0;
    for (int32_t h = 0; h < k; ++h) {
        double size = 0;
        for (int32_t j = 0; j < l; ++j) {
            const double x = scale * A[h * down + j * along];
            size += x * x;
        }
        for (int32_t i = 0; i < k; ++i) {
            double& g = rows.G[(int64_t)i * k + h];
            if (!warm) g = i == h ? 1 : 0;
            if (g == 0) continue;
            rows.sizes[i] += g * g * size;
            for (int32_t j = 0; j < l; ++j) rows.row(i)[j] += g * (scale * A[h * down + j * along]);
        }
    }
}

// A (m × n) = U S Vᵀ in thin form, with k = min(m, n) and l = max(m, n): singular values s (k
// numbers, falling), the vectors of the short side as the rows of G (k × k), those of the long side
// as the rows of W (k × l). The short side is U when m <= n, else V. With `warm`, G holds a start.
// scratch: k numbers. Returns the number of sweeps (SVD_SWEEP_LIMIT: not converged) or NOT_FINITE.
inline int32_t svd_factor(const double* A, int32_t m, int32_t n, bool warm, double* G, double* W,
                          double* s, double* scratch) {
    const int32_t k = m <= n ? m : n, l = m <= n ? n : m;
    const double top = largest(A, (int64_t)m * n);
    if (top < 0) return NOT_FINITE;
    const double scale = safe_scale(top);
    const SvdRows rows = {W, G, k, l, scratch, s};  // s is not needed before the end
    warm = warm && orthonormalize_rows(G, k);
    svd_start(A, m, n, scale, warm, rows);

    const double tolerance = DBL_EPSILON * sqrt((double)l);
    int32_t sweeps = 0;
    double left = 1;
    while (left > tolerance && sweeps < SVD_SWEEP_LIMIT) {
        left = svd_sweep(rows, tolerance);
        ++sweeps;
    }

    // lengths, in order; the last sweep left them almost so
    for (int32_t i = 0; i < k; ++i) rows.norms[i] = dot(rows.row(i), rows.row(i), l);
    for (int32_t i = 0; i < k; ++i) {
        int32_t longest = i;
        for (int32_t j = i + 1; j < k; ++j)
            if (rows.norms[j] > rows.norms[longest]) longest = j;
        if (longest != i) rows.swap(i, longest);
        s[i] = sqrt(rows.norms[i]);
        if (s[i] > 0) {
            scale_all(rows.row(i), l, 1 / s[i]);
            s[i] /= scale;
        } else {
            complete_row(W, i, l);
        }
    }
    return sweeps;
}

}  // namespace kinegen
