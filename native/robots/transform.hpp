// Rigid transforms of robot files: rotation by rows (9), then translation (3).
// The same operations in the same order as src/kinegen/formats/robots/transform.py.
#pragma once

#include <math.h>

#include <array>

namespace kinegen {

using RobotTransform = std::array<double, 12>;

inline RobotTransform robot_from_rpy(const double* xyz, const double* rpy) {
    if (rpy[0] == 0 && rpy[1] == 0 && rpy[2] == 0)
        return {1, 0, 0, 0, 1, 0, 0, 0, 1, xyz[0], xyz[1], xyz[2]};
    const double cr = cos(rpy[0]), sr = sin(rpy[0]), cp = cos(rpy[1]), sp = sin(rpy[1]);
    const double cy = cos(rpy[2]), sy = sin(rpy[2]);
    return {cy * cp,
            cy * sp * sr - sy * cr,
            cy * sp * cr + sy * sr,
            sy * cp,
            sy * sp * sr + cy * cr,
            sy * sp * cr - cy * sr,
            -sp,
            cp * sr,
            cp * cr,
            xyz[0],
            xyz[1],
            xyz[2]};
}

inline RobotTransform robot_compose(const RobotTransform& A, const RobotTransform& B) {
    RobotTransform out;
    for (int row = 0; row < 3; ++row) {
        const double a0 = A[3 * row], a1 = A[3 * row + 1], a2 = A[3 * row + 2];
        for (int column = 0; column < 3; ++column)
            out[3 * row + column] = a0 * B[column] + a1 * B[3 + column] + a2 * B[6 + column];
        out[9 + row] = a0 * B[9] + a1 * B[10] + a2 * B[11] + A[9 + row];
    }
    return out;
}

// x, y, z, roll, pitch, yaw.
inline std::array<double, 6> robot_to_rpy(const RobotTransform& X) {
    const double pitch = atan2(-X[6], sqrt(X[0] * X[0] + X[3] * X[3]));
    const double roll = fabs(X[7]) + fabs(X[8]) > 1e-9 ? atan2(X[7], X[8]) : 0.0;
    // what is left after this roll and no other: near pitch ±90° only their sum is well defined
    const double cr = cos(roll), sr = sin(roll);
    const double yaw = atan2(sr * X[2] - cr * X[1], cr * X[4] - sr * X[5]);
    return {X[9], X[10], X[11], roll, pitch, yaw};
}

// R I Rᵀ, where I is given as xx yy zz xy xz yz.
inline std::array<double, 6> robot_rotate_inertia(const RobotTransform& X, const double* inertia) {
    const double xx = inertia[0], yy = inertia[1], zz = inertia[2];
    const double xy = inertia[3], xz = inertia[4], yz = inertia[5];
    double rows[3][3];
    for (int i = 0; i < 3; ++i) {
        const double r0 = X[3 * i], r1 = X[3 * i + 1], r2 = X[3 * i + 2];
        rows[i][0] = r0 * xx + r1 * xy + r2 * xz;
        rows[i][1] = r0 * xy + r1 * yy + r2 * yz;
        rows[i][2] = r0 * xz + r1 * yz + r2 * zz;
    }
    const auto product = [&](int i, int j) {
        return rows[i][0] * X[3 * j] + rows[i][1] * X[3 * j + 1] + rows[i][2] * X[3 * j + 2];
    };
    return {product(0, 0), product(1, 1), product(2, 2),
            product(0, 1), product(0, 2), product(1, 2)};
}

// Whether xx yy zz xy xz yz is surely the inertia of a body: half its trace minus the inertia
// itself is positive definite, which the triangle inequality of principal moments means.
inline bool robot_is_body(const double* inertia) {
    const double half = (inertia[0] + inertia[1] + inertia[2]) / 2;
    const double a = half - inertia[0], b = half - inertia[1], c = half - inertia[2];
    const double xy = inertia[3], xz = inertia[4], yz = inertia[5];
    const double minor = a * b - xy * xy;
    const double all = a * (b * c - yz * yz) - xy * (xy * c + yz * xz) - xz * (xy * yz + b * xz);
    return a > 0 && minor > 0 && all > 0;
}

inline bool robot_is_identity(const RobotTransform& X) {
    constexpr RobotTransform IDENTITY = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    for (int i = 0; i < 12; ++i)
        if (!(fabs(X[i] - IDENTITY[i]) < 1e-12)) return false;
    return true;
}

}  // namespace kinegen
