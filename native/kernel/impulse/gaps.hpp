// How far joints are open, and their variables, from the frames of their bodies.
#pragma once

#include "kernel/impulse/rows.hpp"

namespace kinegen::impulse {

// Turns are counted: the angle nearest to the one before.
inline double near_angle(double angle, double before) {
    return angle + 2 * PI * floor((before - angle) / (2 * PI) + 0.5);
}

// A joint's variables from the frames of its two bodies; `before`: the same a little earlier.
inline void bond_variables(int32_t type, const double* X_F, const double* X_M, const double* before,
                           double* q) {
    double p[3], x[3], x_M[3];
    column(X_M, 0, x_M);
    rotate_back(X_F, x_M, x);
    if (type == REVOLUTE) {
        q[0] = near_angle(atan2(x[1], x[0]), before[0]);
        return;
    }
    const double d[3] = {X_M[9] - X_F[9], X_M[10] - X_F[10], X_M[11] - X_F[11]};
    rotate_back(X_F, d, p);
    switch (type) {
        case SPRING:
            q[0] = sqrt(dot3(p, p));
            break;
        case SCREW:
        case CYLINDRICAL:
            q[0] = near_angle(atan2(x[1], x[0]), before[0]);
            if (type == CYLINDRICAL) q[1] = p[2];
            break;
        case PRISMATIC:
            q[0] = p[2];
            break;
        case UNIVERSAL: {
            double y[3], z[3], z_F[3];
            column(X_F, 2, z_F);
            column(X_M, 1, y);
            column(X_M, 2, z);
            q[0] = near_angle(atan2(x[1], x[0]), before[0]);
            q[1] = near_angle(atan2(dot3(z_F, y), dot3(z_F, z)), before[1]);
            break;
        }
        case PLANAR:
            q[0] = p[0];
            q[1] = p[1];
            q[2] = near_angle(atan2(x[1], x[0]), before[2]);
            break;
        case SPHERICAL:
        case FREE: {
            double R[9], quat[4];
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k)
                    R[3 * i + k] =
                        X_F[i] * X_M[k] + X_F[3 + i] * X_M[3 + k] + X_F[6 + i] * X_M[6 + k];
            matrix_to_quat(R, quat);
            const double same = quat[0] * before[0] + quat[1] * before[1] + quat[2] * before[2] +
                                quat[3] * before[3];
            for (int i = 0; i < 4; ++i) q[i] = same < 0 ? -quat[i] : quat[i];
            if (type == FREE)
                for (int i = 0; i < 3; ++i) q[4 + i] = p[i];
            break;
        }
        default:
            break;
    }
}

// The larger of a length and one whose square is given.
inline double larger_root(double length, double square) {
    // not a number: reported as such
    return square <= length * length ? length : sqrt(square);
}

// What a joint's gap is counted from: a screw's turns, the place on a curve.
inline double bond_before(const World& w, int32_t j) {
    const int32_t type = bond_type(w, j);
    return type == POINT_ON_CURVE ? w.curve_at[j] : type == SCREW ? w.q[bond_q(w, j)] : 0;
}

// How far the held rows are open, in their order; gap [m²], angle [rad²]: of the widest.
inline void bond_gap(const World& w, int32_t j, const double* X_F, const double* X_M, double before,
                     double* g, double& gap, double& angle) {
    const int32_t type = bond_type(w, j);
    const double d[3] = {X_M[9] - X_F[9], X_M[10] - X_F[10], X_M[11] - X_F[11]};
    double p[3], z_F[3], z_M[3], tilt[3];
    gap = angle = 0;
    switch (type) {
        case REVOLUTE:
        case UNIVERSAL:
        case SPHERICAL:
        case FIXED:
            for (int i = 0; i < 3; ++i) g[i] = d[i];
            gap = dot3(d, d);
            break;
        case FREE:
        case SPRING:
            return;
        case POINT_ON_CURVE: {
            double offset[3], n1[3], n2[3];
            rotate_back(X_F, d, p);
            follow_curve(w, j, p, before, offset, n1, n2);
            g[0] = dot3(n1, offset);
            g[1] = dot3(n2, offset);
            gap = g[0] * g[0] + g[1] * g[1];
            return;
        }
        default:
            rotate_back(X_F, d, p);
            if (type == PLANAR || type == POINT_ON_PLANE) {
                g[0] = p[2];
                gap = p[2] * p[2];
            } else {
                g[0] = p[0];
                g[1] = p[1];
                gap = p[0] * p[0] + p[1] * p[1];
            }
    }
    switch (type) {
        case REVOLUTE:
        case CYLINDRICAL:
        case PLANAR:
        case SCREW: {
            column(X_F, 2, z_F);
            column(X_M, 2, z_M);
            cross3(z_F, z_M, tilt);
            const int at = type == REVOLUTE ? 3 : type == CYLINDRICAL ? 2 : type == PLANAR ? 1 : 3;
            g[at] = X_F[0] * tilt[0] + X_F[3] * tilt[1] + X_F[6] * tilt[2];
            g[at + 1] = X_F[1] * tilt[0] + X_F[4] * tilt[1] + X_F[7] * tilt[2];
            angle = g[at] * g[at] + g[at + 1] * g[at + 1];
            if (type == SCREW) {
                double q;
                bond_variables(SCREW, X_F, X_M, &before, &q);
                g[2] = p[2] - w.bond_numbers[(int64_t)BOND_SIZE * j + 24] / (2 * PI) * q;
                gap += g[2] * g[2];
            }
            break;
        }
        case UNIVERSAL:
            column(X_F, 2, z_F);
            column(X_M, 0, tilt);
            g[3] = dot3(z_F, tilt);
            angle = g[3] * g[3];
            break;
        case PRISMATIC:
        case FIXED: {
            double sum[3] = {0, 0, 0};
            for (int k = 0; k < 3; ++k) {
                double f[3], m[3];
                column(X_F, k, f);
                column(X_M, k, m);
                add_cross3(f, m, sum);
            }
            const int at = type == FIXED ? 3 : 2;
            for (int i = 0; i < 3; ++i) g[at + i] = 0.5 * sum[i];
            angle = 0.25 * dot3(sum, sum);
            break;
        }
        default:
            break;
    }
}

}  // namespace kinegen::impulse
