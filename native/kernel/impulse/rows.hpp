// What joints hold: their rows at a place, and speeds and impulses along them.
#pragma once

#include "kernel/impulse/world.hpp"

namespace kinegen::impulse {

// Part of a row's own compliance that keeps rows that repeat others from dividing by zero.
constexpr double SOFTNESS = 1e-6;

inline void bond_frames(const World& w, int32_t j, const double* X, double* X_F, double* X_M) {
    const double* numbers = w.bond_numbers + (int64_t)BOND_SIZE * j;
    compose(X + 12LL * bond_a(w, j), numbers, X_F);
    compose(X + 12LL * bond_b(w, j), numbers + 12, X_M);
}

// A unit vector perpendicular to a unit vector t: from the axis that it follows least.
inline void square_to(const double* t, double* out) {
    const double x = fabs(t[0]), y = fabs(t[1]), z = fabs(t[2]);
    double axis[3] = {0, 0, 0};
    axis[x <= y && x <= z ? 0 : y <= z ? 1 : 2] = 1;
    cross3(t, axis, out);
    const double size = sqrt(dot3(out, out));
    for (int i = 0; i < 3; ++i) out[i] /= size;
}

// Point c and derivative d of a curve at parameter s: segment number, then part of it.
inline void curve_point(const double* cubics, int32_t count, double s, double* c, double* d,
                        double* dd) {
    int32_t k = (int32_t)floor(s);
    k = k < 0 ? 0 : k >= count ? count - 1 : k;
    const double t = s - k;
    const double* a = cubics + 12LL * k;  // 1, t, t², t³, three numbers each
    for (int i = 0; i < 3; ++i) {
        c[i] = a[i] + t * (a[3 + i] + t * (a[6 + i] + t * a[9 + i]));
        d[i] = a[3 + i] + t * (2 * a[6 + i] + 3 * t * a[9 + i]);
        dd[i] = 2 * a[6 + i] + 6 * t * a[9 + i];
    }
}

// The nearest point of a curve to p (in F), from parameter s on: Newton's steps on its distance.
// Gives the offset p - c in F and unit normals n1, n2 there (in F); returns the parameter.
inline double follow_curve(const World& w, int32_t j, const double* p, double s, double* offset,
                           double* n1, double* n2) {
    const int32_t count = w.curve_first[j + 1] - w.curve_first[j];
    const double* cubics = w.curve + 12LL * w.curve_first[j];
    double c[3], d[3], dd[3];
    for (int turn = 0; turn < 12; ++turn) {
        curve_point(cubics, count, s, c, d, dd);
        for (int i = 0; i < 3; ++i) offset[i] = p[i] - c[i];
        const double slope = dot3(offset, d);
        double bend = dot3(d, d) - dot3(offset, dd);
        if (bend < 0.1 * dot3(d, d)) bend = dot3(d, d);
        double by = slope / bend;
        by = by > 0.5 ? 0.5 : by < -0.5 ? -0.5 : by;
        s += by;
        if (w.curve_closed[j]) s -= count * floor(s / count);
        if (fabs(by) < 1e-14 * count) break;
    }
    curve_point(cubics, count, s, c, d, dd);
    for (int i = 0; i < 3; ++i) offset[i] = p[i] - c[i];
    // normals: perpendicular to the tangent
    const double length = sqrt(dot3(d, d));
    const double t[3] = {d[0] / length, d[1] / length, d[2] / length};
    square_to(t, n1);
    cross3(t, n1, n2);
    return s;
}

// Along the line from F's origin to M's (0), or across it (1, 2).
inline void line_axis(const double* X_F, const double* X_M, int32_t which, double* out) {
    double d[3] = {X_M[9] - X_F[9], X_M[10] - X_F[10], X_M[11] - X_F[11]}, n[3];
    const double length = sqrt(dot3(d, d));
    for (int i = 0; i < 3; ++i) d[i] = length > 0 ? d[i] / length : i == 2;
    if (which == 0) return copy_all(out, d, 3);
    square_to(d, n);
    if (which == 1) return copy_all(out, n, 3);
    cross3(d, n, out);
}

// A row's direction or axis in the world.
inline void row_axis(const World& w, int32_t j, int32_t axis, const double* X_F, const double* X_M,
                     double* out) {
    if (axis < F_X) {
        out[0] = out[1] = out[2] = 0;
        out[axis] = 1;
    } else if (axis < M_X) {
        column(X_F, axis - F_X, out);
    } else if (axis < CROSS) {
        column(X_M, axis - M_X, out);
    } else if (axis == CROSS) {
        double x[3], z[3];
        column(X_M, 0, x);
        column(X_F, 2, z);
        cross3(x, z, out);
    } else if (axis >= LINE) {
        line_axis(X_F, X_M, axis - LINE, out);
    } else {
        double p[3], offset[3], n[2][3];
        const double d[3] = {X_M[9] - X_F[9], X_M[10] - X_F[10], X_M[11] - X_F[11]};
        rotate_back(X_F, d, p);
        follow_curve(w, j, p, w.curve_at[j], offset, n[0], n[1]);
        rotate(X_F, n[axis - NORMAL], out);
    }
}

// Fills row `row` of a joint: unit impulse on b at M's origin, its opposite on a at the same place,
// or where its spring ends.
inline void set_row(const World& w, int32_t j, int32_t row, BondRow kind) {
    const int32_t a = bond_a(w, j), b = bond_b(w, j);
    Rows& r = w.rows[j];
    const double *X_F = w.X_F + 12LL * j, *X_M = w.X_M + 12LL * j;
    double linear[3] = {0, 0, 0}, angular[3] = {0, 0, 0}, axis[3];
    row_axis(w, j, kind.axis, X_F, X_M, axis);
    if (kind.action != ABOUT)
        for (int i = 0; i < 3; ++i) linear[i] = axis[i];
    if (kind.action == ABOUT)
        for (int i = 0; i < 3; ++i) angular[i] = axis[i];
    if (kind.action == THREAD) {
        const double lead = w.bond_numbers[(int64_t)BOND_SIZE * j + 24] / (2 * PI);
        for (int i = 0; i < 3; ++i) angular[i] = -lead * axis[i];
    }
    for (int side = 0; side < 2; ++side) {
        const int32_t body = side ? b : a;
        double *J = side ? r.Jb : r.Ja, *Y = (side ? r.Yb : r.Ya) + 6 * row;
        const double *c = w.X + 12LL * body + 9, *inverse = w.inverse + 4LL * body;
        double moment[3] = {angular[0], angular[1], angular[2]};
        if (kind.action != ABOUT) {
            const double* place = (kind.axis >= LINE && side == 0 ? X_F : X_M) + 9;
            const double arm[3] = {place[0] - c[0], place[1] - c[1], place[2] - c[2]};
            add_cross3(arm, linear, moment);
        }
        const double sign = side ? 1 : -1;
        double turned[3];
        rotate(w.turn + 9LL * body, moment, turned);
        for (int i = 0; i < 3; ++i) {
            J[6 * i + row] = sign * linear[i];
            J[6 * (3 + i) + row] = sign * moment[i];
            Y[i] = sign * inverse[0] * linear[i];
            Y[3 + i] = sign * turned[i];
        }
    }
}

// Inverse inertia of a body in world axes.
inline void turn_inertia(const World& w, int32_t b) {
    const double *R = w.X + 12LL * b, *inverse = w.inverse + 4LL * b + 1;
    double* out = w.turn + 9LL * b;
    for (int i = 0; i < 3; ++i)
        for (int k = i; k < 3; ++k)
            out[3 * i + k] = out[3 * k + i] = R[3 * i] * inverse[0] * R[3 * k] +
                                              R[3 * i + 1] * inverse[1] * R[3 * k + 1] +
                                              R[3 * i + 2] * inverse[2] * R[3 * k + 2];
}

// The first three rows of a joint that holds a point: the world's axes at M's origin.
// FRESH: also the numbers that stay the same wherever the bodies are.
template <bool FRESH>
KINEGEN_DISSOLVE void set_point_rows(const World& w, int32_t body, double sign, const double* p,
                                     double* J, double* Y) {
    const double *c = w.X + 12LL * body + 9, *K = w.turn + 9LL * body;
    const double x = sign * (p[0] - c[0]), y = sign * (p[1] - c[1]), z = sign * (p[2] - c[2]);
    if (FRESH) {
        J[0] = J[7] = J[14] = sign;
        J[1] = J[2] = J[6] = J[8] = J[12] = J[13] = J[18] = J[25] = J[32] = 0;
        Y[0] = Y[7] = Y[14] = sign * w.inverse[4LL * body];
        Y[1] = Y[2] = Y[6] = Y[8] = Y[12] = Y[13] = 0;
    }
    // columns: arm × axis
    J[24] = z;
    J[30] = -y;
    J[19] = -z;
    J[31] = x;
    J[20] = y;
    J[26] = -x;
    double T[9];
    for (int i = 0; i < 3; ++i) {
        T[i] = z * K[3 * i + 1] - y * K[3 * i + 2];
        T[3 + i] = x * K[3 * i + 2] - z * K[3 * i];
        T[6 + i] = y * K[3 * i] - x * K[3 * i + 1];
    }
    for (int i = 0; i < 3; ++i) {
        Y[3 + i] = T[i];
        Y[9 + i] = T[3 + i];
        Y[15 + i] = T[6 + i];
    }
}

// A row about an axis.
template <bool FRESH>
KINEGEN_DISSOLVE void set_turn_row(const World& w, int32_t body, double x, double y, double z,
                                   double* J, double* Y) {
    const double* K = w.turn + 9LL * body;
    const double a = K[0] * x + K[1] * y + K[2] * z, b = K[3] * x + K[4] * y + K[5] * z,
                 c = K[6] * x + K[7] * y + K[8] * z;
    if (FRESH) J[0] = J[6] = J[12] = Y[0] = Y[1] = Y[2] = 0;
    J[18] = x;
    J[24] = y;
    J[30] = z;
    Y[3] = a;
    Y[4] = b;
    Y[5] = c;
}

// All rows of all joints at the present place, from the present frames.
template <bool FRESH>
inline void set_rows(const World& w) {
    for (int32_t b = 0; b < w.body_count; ++b)
        if (FRESH || w.inverse[4LL * b] != 0) turn_inertia(w, b);
    for (int32_t j = 0; j < w.bond_count; ++j) {
        const int32_t type = bond_type(w, j), held = HELD_ROWS[type], n = w.row_count[j];
        const int32_t a = bond_a(w, j), b = bond_b(w, j);
        const double *X_F = w.X_F + 12LL * j, *X_M = w.X_M + 12LL * j;
        Rows& r = w.rows[j];
        int32_t i = 0;
        if (holds_point(type)) {
            set_point_rows<FRESH>(w, a, -1, X_M + 9, r.Ja, r.Ya);
            set_point_rows<FRESH>(w, b, 1, X_M + 9, r.Jb, r.Yb);
            i = 3;
        }
        for (; i < n; ++i) {
            const BondRow kind =
                i < held ? HELD[type][i] : FREED[type][w.soft[6 * j + i] - bond_v(w, j)];
            if (kind.action != ABOUT) {
                set_row(w, j, i, kind);
                continue;
            }
            double axis[3];
            row_axis(w, j, kind.axis, X_F, X_M, axis);
            const double x = axis[0], y = axis[1], z = axis[2];
            set_turn_row<FRESH>(w, a, -x, -y, -z, r.Ja + i, r.Ya + 6 * i);
            set_turn_row<FRESH>(w, b, x, y, z, r.Jb + i, r.Yb + 6 * i);
        }
    }
}

// Speed of row `row` of a joint.
inline double row_speed(const World& w, int32_t j, int32_t row, const double* V) {
    const Rows& r = w.rows[j];
    const double *Va = V + 6LL * bond_a(w, j), *Vb = V + 6LL * bond_b(w, j);
    double sum = 0;
    for (int i = 0; i < 6; ++i) sum += r.Ja[6 * i + row] * Va[i] + r.Jb[6 * i + row] * Vb[i];
    return sum;
}

// Speed of variable k of a joint between its bodies, from the present frames.
inline double axis_speed(const World& w, int32_t j, int32_t k, const double* V) {
    const BondRow kind = FREED[bond_type(w, j)][k];
    const double *Va = V + 6LL * bond_a(w, j), *Vb = V + 6LL * bond_b(w, j);
    const double* X_M = w.X_M + 12LL * j;
    double axis[3], relative[3];
    row_axis(w, j, kind.axis, w.X_F + 12LL * j, X_M, axis);
    if (kind.action == ABOUT) {
        for (int i = 0; i < 3; ++i) relative[i] = Vb[3 + i] - Va[3 + i];
    } else {
        const double *ca = w.X + 12LL * bond_a(w, j) + 9, *cb = w.X + 12LL * bond_b(w, j) + 9;
        const double ra[3] = {X_M[9] - ca[0], X_M[10] - ca[1], X_M[11] - ca[2]};
        const double rb[3] = {X_M[9] - cb[0], X_M[10] - cb[1], X_M[11] - cb[2]};
        double ua[3] = {Va[0], Va[1], Va[2]}, ub[3] = {Vb[0], Vb[1], Vb[2]};
        add_cross3(Va + 3, ra, ua);
        add_cross3(Vb + 3, rb, ub);
        for (int i = 0; i < 3; ++i) relative[i] = ub[i] - ua[i];
    }
    return dot3(axis, relative);
}

// Adds impulses p along a joint's rows to the velocities.
inline void push_rows(const World& w, int32_t j, const double* p, double* V) {
    const Rows& r = w.rows[j];
    const int32_t n = w.row_count[j];
    double *Va = V + 6LL * bond_a(w, j), *Vb = V + 6LL * bond_b(w, j);
    // summed apart: joints that share a body do not wait for each other
    Vec6 a = zero_vec6(), b = zero_vec6();
    for (int32_t row = 0; row < n; ++row) {
        add_vec6(a, p[row], r.Ya + 6 * row);
        add_vec6(b, p[row], r.Yb + 6 * row);
    }
    store_vec6(sum_vec6(load_vec6(Va), a), Va);
    store_vec6(sum_vec6(load_vec6(Vb), b), Vb);
}

}  // namespace kinegen::impulse
