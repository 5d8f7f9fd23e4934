// An arm that has a closed-form inverse: its numbers as recognised in Python, its own forward
// kinematics, the residual of an answer, Newton's polish, and the joints' limits.
#pragma once

#include "kernel/analytic/protocol.hpp"
#include "kernel/base/tolerances.hpp"
#include "kernel/base/transform.hpp"

namespace kinegen::analytic {

constexpr int32_t SINGULAR_FLAGS = SINGULAR_WRIST | SINGULAR_SHOULDER | SINGULAR_ELBOW;

// Lengths below count in units of the arm's size.
constexpr double SINGULAR_SINE = 1e-6;  // sine below which a pose is called singular
constexpr double MERGE = 1e-7;          // sine below which two square roots ± are one: error 1e-14
constexpr double WRIST_FREE = 1e-10;    // sine below which the wrist's split is taken from the seed
constexpr double TINY = 1e-10;          // length below which a direction means nothing
constexpr double REACH = 1e-10;         // too far by less than this still counts as reached
constexpr double EXACT_LENGTH = 1e-9;   // residual of a solution that is called exact
constexpr double EXACT_ANGLE = 1e-9;
constexpr double POLISH = 1e-12;  // residual above which Newton's method improves a solution
constexpr int POLISH_STEPS = 8;
constexpr double SAME = 1e-6;  // rad: polished solutions nearer than this are one
constexpr double ROUNDING = 1e-16;

// Numbers of the arm's plane, by index into `shape`.
enum Shape : int32_t {
    WAIST,        // from the waist axis to the shoulder, along x
    SIDE,         // of C from the plane through the waist, along y
    UPPER,        // from shoulder to elbow in the plane
    FORE,         // from elbow to C (WRIST) or to the fourth axis (PARALLEL)
    HAND,         // from the fourth axis to C (PARALLEL)
    UPPER_ANGLE,  // of the three bars above x when all joints are at zero
    FORE_ANGLE,
    HAND_ANGLE,
    SHAPE_SIZE,
};

struct Arm {
    int32_t family, axes, joints;  // axes: of the Euler wrist, psi among them for PARALLEL
    const double* X_AW;            // canonical frame A from the world
    const double* shape;           // SHAPE_SIZE
    const double* sign;            // per joint: of its axis against the canonical one
    const double* inlet;           // 3 × 3 before and behind the Euler angles
    const double* outlet;
    const double* twist;   // cosine and sine of the two twists between the Euler axes
    const double* offset;  // of the middle Euler angle when its joint is at zero
    const double* centre;  // C in the tool's frame
    const double* lever;   // C from the fourth axis at zero, roll axis, tool from C; all in A
    const double* tilt;    // the hand's angle above the ground when psi is zero
    double size;
    double polish_from;   // residual below which Newton's method may improve a solution
    const double* fixed;  // joints + 1 transforms between the joints, from the world to the tool
    const double* lower;
    const double* upper;
};

constexpr int32_t ARM_INTS = 3;
constexpr int64_t arm_real_count(int64_t joints) {
    return TRANSFORM_SIZE + SHAPE_SIZE + MAX_JOINTS + 9 + 9 + 4 + 1 + 3 + 9 + 1 + 2 +
           TRANSFORM_SIZE * (joints + 1) + 2 * joints;
}

// Points an Arm into its blocks; refuses blocks that do not fit together.
inline int32_t bind_arm(const int32_t* ints, int64_t int_count, const double* reals,
                        int64_t real_count, Arm& arm) {
    if (int_count != ARM_INTS) return BAD_SIZE;
    arm.family = ints[0];
    arm.axes = ints[1];
    arm.joints = ints[2];
    if (arm.family != WRIST && arm.family != PARALLEL) return BAD_INDEX;
    if (arm.axes < arm.family || arm.axes > 3 || arm.joints != 3 + arm.axes) return BAD_INDEX;
    if (real_count != arm_real_count(arm.joints)) return BAD_SIZE;
    const double* at = reals;
    auto take = [&at](int32_t count) {
        const double* here = at;
        at += count;
        return here;
    };
    arm.X_AW = take(TRANSFORM_SIZE);
    arm.shape = take(SHAPE_SIZE);
    arm.sign = take(MAX_JOINTS);
    arm.inlet = take(9);
    arm.outlet = take(9);
    arm.twist = take(4);
    arm.offset = take(1);
    arm.centre = take(3);
    arm.lever = take(9);
    arm.tilt = take(1);
    arm.size = *take(1);
    arm.polish_from = *take(1);
    arm.fixed = take(TRANSFORM_SIZE * (arm.joints + 1));
    arm.lower = take(arm.joints);
    arm.upper = take(arm.joints);
    return OK;
}

// X_WT, and the joints' axes and points in the world where `axes` has room for six numbers each.
inline void forward_arm(const Arm& arm, const double* q, double* X_WT, double* axes = nullptr) {
    double X[2][TRANSFORM_SIZE];
    memcpy(X[0], arm.fixed, sizeof(X[0]));
    for (int32_t j = 0; j < arm.joints; ++j) {
        double* here = X[j % 2];
        if (axes)
            for (int k = 0; k < 3; ++k) {
                axes[6 * j + k] = here[3 * k + 2];
                axes[6 * j + 3 + k] = here[9 + k];
            }
        turn_z(here, q[j]);
        compose(here, arm.fixed + TRANSFORM_SIZE * (j + 1),
                j + 1 < arm.joints ? X[(j + 1) % 2] : X_WT);
    }
}

// Distance [m] and angle [rad] between a pose and the target's.
inline void pose_error(const double* X_WT, const double* target, double* residual) {
    const double dx = target[9] - X_WT[9], dy = target[10] - X_WT[10], dz = target[11] - X_WT[11];
    residual[0] = sqrt(dx * dx + dy * dy + dz * dz);
    // R = target · X_WTᵀ: twice its sine from the skew part, twice its cosine from the trace
    double R[9];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) R[3 * i + k] = dot3(target + 3 * i, X_WT + 3 * k);
    const double x = R[7] - R[5], y = R[2] - R[6], z = R[3] - R[1];
    const double sine = sqrt(x * x + y * y + z * z), cosine = R[0] + R[4] + R[8] - 1;
    // for nearly all answers the angle is its own sine
    residual[1] = sine < 1e-8 && cosine > 0 ? 0.5 * sine : atan2(sine, cosine);
}

// What a residual amounts to, in one number; three joints answer for the position only.
inline double miss(const Arm& arm, const double* residual) {
    return residual[0] / arm.size + (arm.joints > 3 ? residual[1] : 0);
}

inline bool is_exact(const Arm& arm, const double* residual) {
    return residual[0] <= EXACT_LENGTH * arm.size &&
           (arm.joints == 3 || residual[1] <= EXACT_ANGLE);
}

// Solves A x = b for a symmetric positive definite A of n rows, in place; false when it is not.
inline bool solve_positive(double* A, double* b, int32_t n) {
    for (int32_t j = 0; j < n; ++j) {
        for (int32_t k = 0; k < j; ++k) A[n * j + j] -= A[n * j + k] * A[n * j + k];
        if (!(A[n * j + j] > 0)) return false;
        A[n * j + j] = sqrt(A[n * j + j]);
        for (int32_t i = j + 1; i < n; ++i) {
            for (int32_t k = 0; k < j; ++k) A[n * i + j] -= A[n * i + k] * A[n * j + k];
            A[n * i + j] /= A[n * j + j];
        }
    }
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t k = 0; k < i; ++k) b[i] -= A[n * i + k] * b[k];
        b[i] /= A[n * i + i];
    }
    for (int32_t i = n - 1; i >= 0; --i) {
        for (int32_t k = i + 1; k < n; ++k) b[i] -= A[n * k + i] * b[k];
        b[i] /= A[n * i + i];
    }
    return true;
}

// Newton's method for what rounding or an arm that is not quite of its family leaves open; keeps
// what it was given unless the result is better, and exact if the arm has fewer than six joints.
inline void polish(const Arm& arm, const double* target, double* q, double* residual) {
    const int32_t n = arm.joints, rows = n == 3 ? 3 : 6;
    double trial[MAX_JOINTS], axes[6 * MAX_JOINTS], X_WT[TRANSFORM_SIZE];
    memcpy(trial, q, sizeof(double) * (size_t)n);
    int worse = 0;
    for (int step = 0; step < POLISH_STEPS && worse < 3; ++step) {
        forward_arm(arm, trial, X_WT, axes);
        // the error as a twist in the world, and its derivative by each joint
        double e[6], J[6 * MAX_JOINTS], R[9], A[MAX_JOINTS * MAX_JOINTS], b[MAX_JOINTS];
        for (int i = 0; i < 3; ++i) {
            e[i] = (target[9 + i] - X_WT[9 + i]) / arm.size;
            for (int k = 0; k < 3; ++k) R[3 * i + k] = dot3(target + 3 * i, X_WT + 3 * k);
        }
        matrix_log(R, e + 3);
        for (int32_t j = 0; j < n; ++j) {
            double arm_to[3], column[3];
            for (int k = 0; k < 3; ++k) arm_to[k] = X_WT[9 + k] - axes[6 * j + 3 + k];
            cross3(axes + 6 * j, arm_to, column);
            for (int k = 0; k < 3; ++k) {
                J[6 * j + k] = column[k] / arm.size;
                J[6 * j + 3 + k] = axes[6 * j + k];
            }
        }
        for (int32_t i = 0; i < n; ++i) {
            b[i] = 0;
            for (int k = 0; k < rows; ++k) b[i] += J[6 * i + k] * e[k];
            for (int32_t j = 0; j < n; ++j) {
                A[n * i + j] = i == j ? 1e-14 : 0;
                for (int k = 0; k < rows; ++k) A[n * i + j] += J[6 * i + k] * J[6 * j + k];
            }
        }
        if (!solve_positive(A, b, n)) return;
        for (int32_t j = 0; j < n; ++j) trial[j] += b[j];
        double error[2];
        forward_arm(arm, trial, X_WT);
        pose_error(X_WT, target, error);
        if (!(miss(arm, error) < miss(arm, residual))) {
            ++worse;
        } else if (n == 6 || n == 3 || is_exact(arm, error)) {
            memcpy(q, trial, sizeof(double) * (size_t)n);
            residual[0] = error[0];
            residual[1] = error[1];
        }
        if (miss(arm, error) < POLISH) return;
    }
}

// The whole turn added to an angle that brings it within its limits, as near as it may be to
// `around`; without any such turn the nearest one, and false.
inline bool settle(double lower, double upper, double around, double& angle) {
    if (fabs(angle) > PI) angle -= 2 * PI * rint(angle / (2 * PI));
    if (angle <= -PI) angle += 2 * PI;
    // most angles need no turn, and rounding is slow where it is a call
    if (angle >= lower && angle <= upper && fabs(around - angle) < PI) return true;
    double turns = rint((around - angle) / (2 * PI));
    const double least = ceil((lower - tolerance::LIMIT_SLACK - angle) / (2 * PI));
    const double most = floor((upper + tolerance::LIMIT_SLACK - angle) / (2 * PI));
    const bool within = least <= most;
    if (within) turns = turns < least ? least : (turns > most ? most : turns);
    angle += 2 * PI * turns;
    return within;
}

}  // namespace kinegen::analytic
