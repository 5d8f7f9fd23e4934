// Swing limits of spherical joints: what a stop of the swing sees and moves.
#pragma once

#include "kernel/base/tolerances.hpp"
#include "kernel/impulse/world.hpp"
#include "kernel/base/manifold.hpp"

namespace kinegen::impulse {

// The axis about which a turn of b widens the swing of a spherical joint by its own angle; where
// every axis does, the one about which it turns.
inline void widening_axis(const World& w, int32_t j, const double* turn, double* out) {
    double x[3], y[3], along[2];
    column(w.X_M + 12LL * j, 0, x);
    column(w.X_M + 12LL * j, 1, y);
    if (!swing_axis(w.q + bond_q(w, j), along)) {
        const double u = dot3(x, turn), v = dot3(y, turn), size = sqrt(u * u + v * v);
        along[0] = size > 0 ? u / size : 0;
        along[1] = size > 0 ? v / size : 0;
    }
    for (int i = 0; i < 3; ++i) out[i] = along[0] * x[i] + along[1] * y[i];
}

// The swing of a rotation, in the direction alone in which the one before tilts: the way around the
// cone has no part in it, which a push against the cone may change more than the swing.
inline double swing_ahead(const double* before, const double* after) {
    double z[2][3];
    for (int n = 0; n < 2; ++n) {
        const double* q = n ? after : before;
        z[n][0] = 2 * (q[1] * q[3] + q[0] * q[2]);
        z[n][1] = 2 * (q[2] * q[3] - q[0] * q[1]);
        z[n][2] = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
    }
    const double sine = sqrt(z[0][0] * z[0][0] + z[0][1] * z[0][1]);
    if (!(sine > tolerance::UPRIGHT)) return swing_angle(after);
    return atan2((z[0][0] * z[1][0] + z[0][1] * z[1][1]) / sine, z[1][2]);
}

// Speed at which an overrun swing limit is taken back [rad/s]. A bounce may leave balls beyond it
// by half of what they move in a step: to bring them back faster would cost energy.
constexpr double SWING_RETURN = 0.1;

// Way around the cone within a step [rad] up to which it is seen how far that widens the swing.
constexpr double WAY_AROUND = 0.3;

// By how much the way around the cone widens the swing over a step, beyond what swing_ahead sees.
// u: speed of the swing; turn: relative angular velocity; z: the axis that swings.
inline double widened(double swing, double u, const double* turn, const double* z, double h) {
    double moved[3];
    cross3(turn, z, moved);
    const double around = sqrt(larger(0, dot3(moved, moved) - u * u)), slope = tan(swing);
    const double way = smaller(h * around / fabs(slope), WAY_AROUND);
    return fabs(slope) > tolerance::UPRIGHT ? 0.5 * way * way * slope : 0;
}

}  // namespace kinegen::impulse
