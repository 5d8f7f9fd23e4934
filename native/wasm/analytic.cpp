// The closed-form inverse for the page: an arm's two small blocks and a target in, branches out.
#include "kernel/analytic/analytic.hpp"
#include "wasm/page.hpp"

using namespace kinegen;
using namespace kinegen::analytic;

namespace {

// The arm in its blocks and the arrays for its answers, or a refusal.
int32_t bind_call(const int32_t* ints, int32_t int_count, const double* reals, int32_t real_count,
                  const double* seed, int32_t seed_count, const double* around,
                  int32_t around_count, double* q, int32_t q_count, double* residuals,
                  int32_t residual_count, int32_t* flags, int32_t flag_count, Arm& arm,
                  Solutions& out) {
    if (!readable(ints, int_count) || !readable(reals, real_count)) return BAD_SIZE;
    const int32_t status = bind_arm(ints, int_count, reals, real_count, arm);
    if (status != OK) return status;
    if (!fits(seed, seed_count, arm.joints) || !fits(around, around_count, arm.joints) ||
        !fits(q, q_count, MAX_SOLUTIONS * arm.joints) ||
        !fits(residuals, residual_count, 2 * MAX_SOLUTIONS) ||
        !fits(flags, flag_count, MAX_SOLUTIONS))
        return BAD_SIZE;
    out.q = q;
    out.residuals = residuals;
    out.flags = flags;
    return OK;
}

}  // namespace

// All branches for a pose (quaternion w x y z, then xyz): returns their count, negative a refusal.
EXPORT(kg_analytic_solve_pose)(const int32_t* ints, int32_t int_count, const double* reals,
                               int32_t real_count, const double* pose, int32_t pose_count,
                               const double* seed, int32_t seed_count, const double* around,
                               int32_t around_count, double* q, int32_t q_count, double* residuals,
                               int32_t residual_count, int32_t* flags, int32_t flag_count)
    ->int32_t {
    Arm arm;
    Solutions out;
    const int32_t status =
        bind_call(ints, int_count, reals, real_count, seed, seed_count, around, around_count, q,
                  q_count, residuals, residual_count, flags, flag_count, arm, out);
    if (status != OK) return status;
    if (!fits(pose, pose_count, 7)) return BAD_SIZE;
    for (int i = 0; i < 7; ++i)
        if (!isfinite(pose[i])) return BAD_NUMBER;
    double X_WT[TRANSFORM_SIZE];
    quat_to_matrix(pose, X_WT);
    for (int i = 0; i < 3; ++i) X_WT[9 + i] = pose[4 + i];
    return solve_pose(arm, X_WT, seed, around, out);
}

// The same for a place and an angle of the wrist to the ground.
EXPORT(kg_analytic_solve_wrist_angle)(const int32_t* ints, int32_t int_count, const double* reals,
                                      int32_t real_count, const double* xyz, int32_t xyz_count,
                                      double angle, double roll, const double* seed,
                                      int32_t seed_count, const double* around,
                                      int32_t around_count, double* q, int32_t q_count,
                                      double* residuals, int32_t residual_count, int32_t* flags,
                                      int32_t flag_count)
    ->int32_t {
    Arm arm;
    Solutions out;
    const int32_t status =
        bind_call(ints, int_count, reals, real_count, seed, seed_count, around, around_count, q,
                  q_count, residuals, residual_count, flags, flag_count, arm, out);
    if (status != OK) return status;
    if (!fits(xyz, xyz_count, 3)) return BAD_SIZE;
    if (!isfinite(xyz[0] + xyz[1] + xyz[2] + angle + roll)) return BAD_NUMBER;
    return solve_wrist_angle(arm, xyz, angle, roll, seed, around, out);
}
