// Two boxes: the direction that separates them most, or in which they overlap least, among the
// normals of their faces and the products of their edges (Gottschalk, Lin and Manocha 1996).
#pragma once

#include "kernel/contact/convex.hpp"

namespace kinegen {

// What an edge must be better by than a face, against the size: faces hold better.
constexpr double EDGE_BIAS = 1e-6;

// Nearest points of two edges of boxes, one along axis i of the first and one along axis j of the
// second, on the sides that look at each other.
inline void nearest_on_edges(const Convex& a, const Convex& b, const double (*A)[3],
                             const double (*B)[3], int i, int j, Separation& out) {
    double x[3], y[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = a.X[9 + k];
        y[k] = b.X[9 + k];
    }
    for (int k = 0; k < 3; ++k) {
        const double own = dot3(A[k], out.normal) < 0 ? -a.size[k] : a.size[k];
        const double other = dot3(B[k], out.normal) < 0 ? b.size[k] : -b.size[k];
        for (int c = 0; c < 3; ++c) {
            if (k != i) x[c] += own * A[k][c];
            if (k != j) y[c] += other * B[k][c];
        }
    }
    const double *u = A[i], *v = B[j];
    const double w[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
    const double uv = dot3(u, v), uw = dot3(u, w), vw = dot3(v, w), whole = 1 - uv * uv;
    const double s = (uw - uv * vw) / whole, t = (uv * uw - vw) / whole;
    for (int k = 0; k < 3; ++k) {
        out.p[k] = x[k] + s * u[k];
        out.q[k] = y[k] + t * v[k];
    }
}

// False: they are apart by more than the margin along one of the directions.
inline bool separate_boxes(const Convex& a, const Convex& b, double margin, Separation& out) {
    double A[3][3], B[3][3], R[3][3], d[3], da[3], db[3];
    for (int k = 0; k < 3; ++k) {
        column(a.X, k, A[k]);
        column(b.X, k, B[k]);
        d[k] = b.X[9 + k] - a.X[9 + k];
    }
    for (int i = 0; i < 3; ++i) {
        da[i] = dot3(d, A[i]);
        db[i] = dot3(d, B[i]);
        for (int j = 0; j < 3; ++j) R[i][j] = dot3(A[i], B[j]);
    }
    const double *p = a.size, *q = b.size;
    double best = -INFINITY;
    int edge_a = -1, edge_b = -1;
    auto take = [&](double distance, const double* n, double side) {
        best = distance;
        for (int k = 0; k < 3; ++k) out.normal[k] = side * n[k];
    };
    for (int i = 0; i < 3; ++i) {
        const double reach =
            p[i] + q[0] * fabs(R[i][0]) + q[1] * fabs(R[i][1]) + q[2] * fabs(R[i][2]);
        const double distance = fabs(da[i]) - reach;
        if (distance > margin) return false;
        if (distance > best + 1e-12) take(distance, A[i], da[i] < 0 ? -1 : 1);
    }
    for (int i = 0; i < 3; ++i) {
        const double reach =
            q[i] + p[0] * fabs(R[0][i]) + p[1] * fabs(R[1][i]) + p[2] * fabs(R[2][i]);
        const double distance = fabs(db[i]) - reach;
        if (distance > margin) return false;
        if (distance > best + 1e-12) take(distance, B[i], db[i] < 0 ? -1 : 1);
    }
    const double bias = EDGE_BIAS * (p[0] + p[1] + p[2] + q[0] + q[1] + q[2]);
    double edge = best + bias;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double n[3];
            cross3(A[i], B[j], n);
            const double size = sqrt(dot3(n, n));
            if (size < 1e-6) continue;  // parallel edges: a face says the same
            for (int k = 0; k < 3; ++k) n[k] /= size;
            double reach = 0;
            for (int k = 0; k < 3; ++k) {
                if (k != i) reach += p[k] * fabs(dot3(A[k], n));
                if (k != j) reach += q[k] * fabs(dot3(B[k], n));
            }
            const double along = dot3(d, n), distance = fabs(along) - reach;
            if (distance > margin) return false;
            if (distance <= edge) continue;
            edge = distance;
            take(distance, n, along < 0 ? -1 : 1);
            edge_a = i;
            edge_b = j;
        }
    out.distance = best;
    if (edge_a < 0) {
        // the outermost point of each stands for it, where no faces meet
        const double back[3] = {-out.normal[0], -out.normal[1], -out.normal[2]};
        support(a, out.normal, out.p);
        support(b, back, out.q);
        return true;
    }
    nearest_on_edges(a, b, A, B, edge_a, edge_b, out);
    return true;
}

}  // namespace kinegen
