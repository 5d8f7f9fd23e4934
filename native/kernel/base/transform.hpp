// Rigid transforms of 12 numbers: rotation row by row, then translation.
#pragma once

#include "kernel/base/model.hpp"
#include "kernel/base/rotation.hpp"

namespace kinegen {

inline void identity(double* X) {
    for (int i = 0; i < 12; ++i) X[i] = 0;
    X[0] = X[4] = X[8] = 1;
}

// X_AC = X_AB X_BC; out may not alias the inputs.
inline void compose(const double* X_AB, const double* X_BC, double* X_AC) {
    for (int i = 0; i < 3; ++i) {
        const double a = X_AB[3 * i], b = X_AB[3 * i + 1], c = X_AB[3 * i + 2];
        X_AC[3 * i] = a * X_BC[0] + b * X_BC[3] + c * X_BC[6];
        X_AC[3 * i + 1] = a * X_BC[1] + b * X_BC[4] + c * X_BC[7];
        X_AC[3 * i + 2] = a * X_BC[2] + b * X_BC[5] + c * X_BC[8];
        X_AC[9 + i] = X_AB[9 + i] + a * X_BC[9] + b * X_BC[10] + c * X_BC[11];
    }
}

// X := X Rz(angle)
inline void turn_z(double* X, double angle) {
    const double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; ++i) {
        const double x = X[3 * i], y = X[3 * i + 1];
        X[3 * i] = c * x + s * y;
        X[3 * i + 1] = c * y - s * x;
    }
}

// X := X Rx(angle)
inline void turn_x(double* X, double angle) {
    const double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; ++i) {
        const double y = X[3 * i + 1], z = X[3 * i + 2];
        X[3 * i + 1] = c * y + s * z;
        X[3 * i + 2] = c * z - s * y;
    }
}

// X := X T(x, y, z)
inline void shift(double* X, double x, double y, double z) {
    for (int i = 0; i < 3; ++i) X[9 + i] += X[3 * i] * x + X[3 * i + 1] * y + X[3 * i + 2] * z;
}

// X := X R(quat)
inline void turn_quat(double* X, const double* quat) {
    double R[9], row[3];
    quat_to_matrix(quat, R);
    for (int i = 0; i < 3; ++i) {
        rotate_back(R, X + 3 * i, row);
        for (int k = 0; k < 3; ++k) X[3 * i + k] = row[k];
    }
}

// Transform of a placement's six numbers.
inline void place(int32_t kind, const double* n, double* X) {
    identity(X);
    if (kind == KLEINFINGER) {
        turn_z(X, n[0]);
        shift(X, 0, 0, n[1]);
        turn_x(X, n[2]);
        shift(X, n[3], 0, 0);
        turn_z(X, n[4]);
        shift(X, 0, 0, n[5]);
    } else {
        shift(X, n[0], n[1], n[2]);
        turn_z(X, n[5]);
        const double c = cos(n[4]), s = sin(n[4]);
        for (int i = 0; i < 3; ++i) {
            const double x = X[3 * i], z = X[3 * i + 2];
            X[3 * i] = c * x - s * z;
            X[3 * i + 2] = s * x + c * z;
        }
        turn_x(X, n[3]);
    }
}

// X_WM = X_WF X_FM(q) of one joint, in place; q points at the joint's own variables.
inline void move_joint(int32_t type, double pitch, const double* q, double* X) {
    switch (type) {
        case REVOLUTE:
            turn_z(X, q[0]);
            break;
        case PRISMATIC:
            shift(X, 0, 0, q[0]);
            break;
        case SCREW:
            turn_z(X, q[0]);
            shift(X, 0, 0, pitch / (2 * PI) * q[0]);
            break;
        case CYLINDRICAL:
            turn_z(X, q[0]);
            shift(X, 0, 0, q[1]);
            break;
        case UNIVERSAL:
            turn_z(X, q[0]);
            turn_x(X, q[1]);
            break;
        case SPHERICAL:
            turn_quat(X, q);
            break;
        case PLANAR:
            shift(X, q[0], q[1], 0);
            turn_z(X, q[2]);
            break;
        case FREE:
            shift(X, q[4], q[5], q[6]);
            turn_quat(X, q);
            break;
        default:
            break;
    }
}

// Pose of seven numbers (quaternion w x y z, then translation) of a transform.
inline void to_pose(const double* X, double* pose) {
    matrix_to_quat(X, pose);
    pose[4] = X[9];
    pose[5] = X[10];
    pose[6] = X[11];
}

}  // namespace kinegen
