// Inverse kinematics in closed form: every branch of an arm whose waist is perpendicular to two
// parallel axes, for a pose, or for a position with the wrist's angle to the ground.
//
// Sources: 3D-RAS, eq. 3-9 (the planar part; here the two bars need not be equal, and the arm may
// stand beside its waist); D. Pieper, Stanford AI memo 72, 1968 (axes that meet or are parallel).
#pragma once

#include "kernel/analytic/branch.hpp"

namespace kinegen::analytic {

// Where the answers go; as many rows are filled as the solver returns.
struct Solutions {
    double* q;          // MAX_SOLUTIONS rows of one number per joint
    double* residuals;  // MAX_SOLUTIONS rows: distance [m], angle [rad]
    int32_t* flags;     // MAX_SOLUTIONS
};

// An orientation that the arm cannot give turns the tool about C: leads C after it until the tool's
// position is right, if that converges. `q` and `residual` are those found so far.
inline void follow_position(const Branch& b, const double* centre, const double* target, double* q,
                            double* residual, Posture& posture) {
    const Arm& arm = b.arm;
    double moved[3] = {centre[0], centre[1], centre[2]};
    double trial[MAX_JOINTS], error[2], X_WT[TRANSFORM_SIZE];
    forward_arm(arm, q, X_WT);
    for (int i = 0; i < 60 && residual[0] > POLISH * arm.size; ++i) {
        double missing[3];
        for (int k = 0; k < 3; ++k) missing[k] = target[9 + k] - X_WT[9 + k];
        rotate(arm.X_AW, missing, missing);
        for (int k = 0; k < 3; ++k) moved[k] += missing[k];
        Half half;
        Posture again;
        begin_branch(b, moved, false, half);
        if (!finish_branch(b, half, again)) return;
        to_joints(arm, again, trial);
        forward_arm(arm, trial, X_WT);
        pose_error(X_WT, target, error);
        if (!(error[0] < residual[0])) return;
        memcpy(q, trial, sizeof(double) * (size_t)arm.joints);
        residual[0] = error[0];
        residual[1] = error[1];
        posture = again;
    }
}

// Whether a solution is among the first `count` already, whole turns left aside.
inline bool is_known(const Arm& arm, int32_t count, const double* q, const Solutions& out) {
    for (int32_t i = 0; i < count; ++i) {
        double apart = 0;
        for (int32_t j = 0; j < arm.joints; ++j)
            apart = fmax(apart, fabs(sin(0.5 * (q[j] - out.q[i * arm.joints + j]))));
        if (apart < 0.5 * SAME) return true;
    }
    return false;
}

// Keeps the exact solutions, or where there is none those that come nearest, with the position
// before the orientation; returns how many.
inline int32_t keep_best(const Arm& arm, int32_t count, const Solutions& out) {
    const double close = EXACT_LENGTH * arm.size;
    double best = INFINITY;
    bool exact = false, there = false;
    for (int32_t i = 0; i < count; ++i) {
        exact = exact || (out.flags[i] & EXACT);
        there = there || out.residuals[2 * i] <= close;
    }
    for (int32_t i = 0; i < count; ++i) {
        const double score = miss(arm, out.residuals + 2 * i);
        if (score < best && !(there && out.residuals[2 * i] > close)) best = score;
    }
    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i) {
        const double score = miss(arm, out.residuals + 2 * i);
        if (there && out.residuals[2 * i] > close) continue;
        if (exact ? !(out.flags[i] & EXACT) : score > best * (1 + 1e-6) + 1e-9) continue;
        memmove(out.q + kept * arm.joints, out.q + i * arm.joints,
                sizeof(double) * (size_t)arm.joints);
        out.residuals[2 * kept] = out.residuals[2 * i];
        out.residuals[2 * kept + 1] = out.residuals[2 * i + 1];
        out.flags[kept++] = out.flags[i];
    }
    return kept;
}

// Brings the angles of all solutions within their limits and marks those that have no place there.
inline void settle_all(const Arm& arm, int32_t count, const double* around, const Solutions& out) {
    for (int32_t i = 0; i < count; ++i)
        for (int32_t j = 0; j < arm.joints; ++j)
            if (!settle(arm.lower[j], arm.upper[j], around[j], out.q[i * arm.joints + j]))
                out.flags[i] |= OUTSIDE;
}

enum Pass : int32_t { PLAIN, FOLLOW, NEAREST };

// All solutions for the pose X_WT (12 numbers) of the arm's frame. Where joints are free to choose
// (singular poses), `seed` decides; whole turns are added to come near `around` within the limits.
inline int32_t solve_pose(const Arm& arm, const double* X_WT, const double* seed,
                          const double* around, const Solutions& out) {
    // the target in A: C, and the rotation led through to the last axis
    double X_AT[TRANSFORM_SIZE], centre[3], R_AO[9], angles[4], reached[TRANSFORM_SIZE];
    compose(arm.X_AW, X_WT, X_AT);
    rotate(X_AT, arm.centre, centre);
    for (int k = 0; k < 3; ++k) centre[k] += X_AT[9 + k];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            R_AO[3 * i + k] = X_AT[3 * i] * arm.outlet[k] + X_AT[3 * i + 1] * arm.outlet[3 + k] +
                              X_AT[3 * i + 2] * arm.outlet[6 + k];
    seed_angles(arm, seed, angles);
    const Hand hand{arm.shape[SIDE], arm.shape[HAND], arm.shape[HAND_ANGLE]};

    // the pose itself; else, for fewer than six joints, the position and the best orientation; else
    // the nearest place, and the orientation
    const bool short_of_joints = arm.axes == 1 || arm.axes == 2;
    int32_t count = 0;
    bool exact = false;
    for (int pass = PLAIN; pass <= NEAREST && !exact; ++pass) {
        if (pass == FOLLOW && !short_of_joints) continue;
        if (pass == NEAREST && count > 0) break;
        count = 0;
        // of the three signs the innermost one only takes the second half again
        const int inner = arm.family == WRIST ? FLIPPED : DOWN, outer = FLIPPED + DOWN - inner;
        Half half;
        for (int turn = 0; turn < 8; ++turn) {
            const int32_t which =
                (turn & 1 ? inner : 0) | (turn & 2 ? outer : 0) | (turn & 4 ? BACK : 0);
            if ((which & FLIPPED) && arm.axes < 3) continue;
            const Branch b{arm,
                           hand,
                           R_AO,
                           angles,
                           (which & BACK) != 0,
                           (which & DOWN) != 0,
                           (which & FLIPPED) != 0,
                           true,
                           0,
                           short_of_joints && pass != PLAIN};
            Posture posture;
            if (!(turn & 1)) begin_branch(b, centre, pass == NEAREST, half);
            if (!finish_branch(b, half, posture)) continue;
            double* q = out.q + count * arm.joints;
            double* residual = out.residuals + 2 * count;
            to_joints(arm, posture, q);
            forward_arm(arm, q, reached);
            pose_error(reached, X_WT, residual);
            const double left = miss(arm, residual);
            if (pass == PLAIN && left > POLISH && left < arm.polish_from) {
                polish(arm, X_WT, q, residual);
                if (is_known(arm, count, q, out)) continue;
            }
            if (pass == FOLLOW) follow_position(b, centre, X_WT, q, residual, posture);
            const bool met = is_exact(arm, residual);
            exact = exact || met;
            out.flags[count++] = which | (posture.flags & SINGULAR_FLAGS) | (met ? EXACT : 0);
        }
    }
    count = keep_best(arm, count, out);
    settle_all(arm, count, around, out);
    return count;
}

// Of the first `count` solutions the exact one that moves the joints least from `seed` by its
// largest move, within the limits if those are kept; -1 when there is none.
inline int32_t nearest_exact(const Arm& arm, int32_t count, const double* seed, bool limits,
                             const Solutions& out) {
    int32_t best = -1;
    double least = INFINITY;
    for (int32_t i = 0; i < count; ++i) {
        if (!(out.flags[i] & EXACT) || (limits && (out.flags[i] & OUTSIDE))) continue;
        double away = 0;
        for (int32_t j = 0; j < arm.joints; ++j)
            away = fmax(away, fabs(out.q[i * arm.joints + j] - seed[j]));
        if (away < least) {
            least = away;
            best = i;
        }
    }
    return best;
}

// All solutions for the tool's position p_WT and the hand's angle above the ground [rad], measured
// in the arm's plane from the direction that points away from the waist; the roll joint, where
// there is one, stays at `roll`. Only for PARALLEL arms of four or five joints; else none.
inline int32_t solve_wrist_angle(const Arm& arm, const double* p_WT, double angle, double roll,
                                 const double* seed, const double* around, const Solutions& out) {
    if (arm.family != PARALLEL || arm.axes > 2) return 0;
    double point[3], angles[4], reached[TRANSFORM_SIZE];
    rotate(arm.X_AW, p_WT, point);
    for (int k = 0; k < 3; ++k) point[k] += arm.X_AW[9 + k];
    seed_angles(arm, seed, angles);

    // the tool as a point of link 4: the roll turns it about its axis
    const double *bar = arm.lever, *axis = arm.lever + 3, *tool = arm.lever + 6;
    const double rolled = arm.axes == 2 ? roll : 0, c = cos(rolled), s = sin(rolled);
    const double along = (1 - c) * dot3(axis, tool);
    double across[3], at[3];
    cross3(axis, tool, across);
    for (int k = 0; k < 3; ++k) at[k] = bar[k] + c * tool[k] + s * across[k] + along * axis[k];
    const Hand hand{at[1], sqrt(at[0] * at[0] + at[2] * at[2]), atan2(at[2], at[0])};

    int32_t count = 0;
    for (int nearest = 0; nearest < 2 && count == 0; ++nearest)
        for (int turn = 0; turn < 4; ++turn) {
            const int which = (turn & 1 ? DOWN : 0) | (turn & 2 ? BACK : 0);
            const bool back = (which & BACK) != 0;
            const double psi = (back ? PI - angle : angle) - arm.tilt[0];
            const Branch b{arm,   hand,  nullptr, angles, back, (which & DOWN) != 0,
                           false, false, psi,     false};
            Half half;
            Posture posture;
            begin_branch(b, point, nearest != 0, half);
            if (!finish_branch(b, half, posture)) continue;
            double* q = out.q + count * arm.joints;
            double* residual = out.residuals + 2 * count;
            posture.euler[1] = arm.axes == 2 ? arm.sign[4] * roll : 0;
            to_joints(arm, posture, q);
            forward_arm(arm, q, reached);
            const double dx = reached[9] - p_WT[0], dy = reached[10] - p_WT[1],
                         dz = reached[11] - p_WT[2];
            residual[0] = sqrt(dx * dx + dy * dy + dz * dz);
            residual[1] = 0;
            out.flags[count++] = which | (posture.flags & SINGULAR_FLAGS) |
                                 (residual[0] <= EXACT_LENGTH * arm.size ? EXACT : 0);
        }
    count = keep_best(arm, count, out);
    settle_all(arm, count, around, out);
    return count;
}

}  // namespace kinegen::analytic
