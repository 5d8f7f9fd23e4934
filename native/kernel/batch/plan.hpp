// Preparing a site's way to the base for the batch kernels: constants merged and simplified.
#pragma once

#include "kernel/batch/path.hpp"
#include "kernel/base/transform.hpp"

namespace kinegen {

// Entries of a rotation below this are rounding of a zero: cos(pi/2) is 6e-17.
constexpr double ROTATION_ZERO = 4e-16;

// X := Rz(angle) X
inline void turn_z_before(double* X, double angle) {
    const double c = cos(angle), s = sin(angle);
    for (int k = 0; k < 3; ++k) {
        const double x = X[k], y = X[3 + k];
        X[k] = c * x - s * y;
        X[3 + k] = s * x + c * y;
    }
    const double x = X[9], y = X[10];
    X[9] = c * x - s * y;
    X[10] = s * x + c * y;
}

// Whether a motion begins, ends with a turn about its z axis that can take up a constant one.
inline bool begins_with_turn(int32_t type) {
    return type == REVOLUTE || type == SCREW || type == CYLINDRICAL || type == UNIVERSAL;
}
inline bool ends_with_turn(int32_t type) {
    return type == REVOLUTE || type == SCREW || type == CYLINDRICAL;
}

// Moves constant turns about z into the joints on both sides: every C is T Rz(g) Rx(a) Rz(t), and
// only Rx(a) stays of its rotation when the joint before it (nearer to the base) takes g and the
// one behind it takes t. A sliding joint passes t on to the next constant, X_next.
inline void simplify_constant(double* X, BatchStep<double>* before, BatchStep<double>& behind,
                              double* X_next) {
    const bool keeps_z = fabs(X[2]) < ROTATION_ZERO && fabs(X[5]) < ROTATION_ZERO;
    if (before != nullptr && ends_with_turn(before->type) && !keeps_z) {
        const double g = atan2(X[2], -X[5]);
        turn_z_before(X, -g);
        before->offset += g;
    }
    if (fabs(X[2]) < ROTATION_ZERO) {
        const double t = atan2(-X[1], X[0]);
        if (begins_with_turn(behind.type)) {
            turn_z(X, -t);
            behind.offset += t;
        } else if (behind.type == PRISMATIC) {
            turn_z(X, -t);
            turn_z_before(X_next, t);
        }
    }
    const bool turns_about_x = fabs(X[0] - 1) < ROTATION_ZERO && fabs(X[1]) < ROTATION_ZERO &&
                               fabs(X[2]) < ROTATION_ZERO && fabs(X[3]) < ROTATION_ZERO &&
                               fabs(X[6]) < ROTATION_ZERO;
    behind.constant = turns_about_x ? CONSTANT_TURN_X : CONSTANT_GENERAL;
}

// Prepares the path of a site. steps: room for tree_count. With positions_only, joints at the end
// that turn about the point itself are left out, and the path's orientation has no meaning.
inline int32_t plan_path(const Model& m, int32_t site, bool positions_only,
                         BatchStep<double>* steps, BatchPath<double>& path) {
    // from the site to the base: constants gather until the next moving joint
    double X_site[TRANSFORM_SIZE], X[TRANSFORM_SIZE];
    int32_t count = 0;
    if (site < m.link_count)
        identity(X_site);
    else
        memcpy(X_site, m.frame_transform(site - m.link_count), sizeof X_site);
    double* gathered = X_site;
    int32_t joint = m.link_joint[m.site_link(site)];
    for (int32_t visited = 0; joint >= 0; ++visited) {
        if (visited == m.tree_count) return BAD_INDEX;  // a link that carries itself
        const int32_t type = m.joint_type[joint];
        if (type != FIXED) {
            BatchStep<double>& step = steps[count++];
            step.type = type;
            step.q = m.joint_q[joint];
            step.offset = 0;
            step.lead = m.pitch[joint] / (2 * PI);
            gathered = step.X;
            identity(gathered);
        }
        compose(m.joint_transform(joint), gathered, X);
        memcpy(gathered, X, sizeof X);
        joint = m.link_joint[m.joint_parent[joint]];
    }

    // from the base to the site: turns move into the joints
    for (int32_t i = count - 1; i >= 0; --i)
        simplify_constant(steps[i].X, i + 1 < count ? &steps[i + 1] : nullptr, steps[i],
                          i > 0 ? steps[i - 1].X : X_site);

    // a point on the axis of the last joint does not feel its turn
    int32_t skipped = 0;
    while (positions_only && skipped < count && steps[skipped].type == REVOLUTE && X_site[9] == 0 &&
           X_site[10] == 0) {
        compose(steps[skipped].X, X_site, X);
        memcpy(X_site, X, sizeof X);
        ++skipped;
    }

    for (int32_t i = 0; i < count; ++i) matrix_to_quat(steps[i].X, steps[i].quat);
    path.steps = steps + skipped;
    path.count = count - skipped;
    memcpy(path.point, X_site + 9, sizeof path.point);
    matrix_to_quat(X_site, path.quat);
    return OK;
}

// Root of x^(d + 1) = x + 1 above 1, by halving. Only products and one comparison: every compiler
// and the NumPy twin round alike, which matters because the sequence multiplies the result by i.
inline double roberts_root(int32_t d) {
    double low = 1, high = 2;
    for (int i = 0; i < 64; ++i) {
        const double x = 0.5 * (low + high), sum = x + 1;
        double power = x;
        for (int32_t k = 0; k < d; ++k) power = power * x;
        if (power > sum)
            high = x;
        else
            low = x;
    }
    return low;
}

// A well mixed number for each counter (SplitMix64: Steele, Lea, Flood 2014).
inline uint64_t mix_bits(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// How all variables are drawn between lower and upper (nq numbers each). A variable whose bounds
// agree is held; a quaternion is held when all four do, else drawn from all rotations.
// draws: room for nq. Returns their number.
inline int32_t plan_draws(const Model& m, const double* lower, const double* upper, uint64_t seed,
                          BatchDraw* draws) {
    int32_t count = 0, dimensions = 0;
    for (int32_t j = 0; j < m.joint_count; ++j) {
        const int32_t type = m.joint_type[j];
        int32_t k = 0;
        if (JOINT_QUATERNION[type]) {
            const int32_t q = m.joint_q[j];
            bool held = true;
            for (int i = 0; i < 4; ++i) held = held && lower[q + i] == upper[q + i];
            if (!held) {
                draws[count++] = {DRAW_QUAT, q, 0, 1, {0, 0, 0}, {0, 0, 0}};
                dimensions += 3;
                k = 4;
            }
        }
        for (; k < JOINT_NQ[type]; ++k) {
            const int32_t q = m.joint_q[j] + k;
            const bool held = lower[q] == upper[q];
            draws[count++] = {held ? DRAW_HELD : DRAW_RANGE, q,         lower[q],
                              upper[q] - lower[q],           {0, 0, 0}, {0, 0, 0}};
            dimensions += held ? 0 : 1;
        }
    }
    // the d steps of R_d, and a phase for each from the seed
    const double root = roberts_root(dimensions);
    double step = 1;
    uint64_t dimension = 0;
    for (int32_t i = 0; i < count; ++i)
        for (int32_t k = 0; k < DRAW_DIMENSIONS[draws[i].kind]; ++k) {
            step = step / root;
            draws[i].step[k] = (uint64_t)(step * 9007199254740992.0) << 11;  // 53 bits, then zeros
            draws[i].phase[k] = mix_bits(mix_bits(seed) + dimension++);
        }
    return count;
}

// The same path in another precision. steps: as many as the path has.
template <class T>
inline BatchPath<T> convert_path(const BatchPath<double>& path, BatchStep<T>* steps) {
    BatchPath<T> out;
    out.steps = steps;
    out.count = path.count;
    for (int32_t i = 0; i < path.count; ++i) {
        const BatchStep<double>& from = path.steps[i];
        BatchStep<T>& to = steps[i];
        to.type = from.type;
        to.q = from.q;
        to.constant = from.constant;
        to.offset = (T)from.offset;
        to.lead = (T)from.lead;
        for (int k = 0; k < TRANSFORM_SIZE; ++k) to.X[k] = (T)from.X[k];
        for (int k = 0; k < 4; ++k) to.quat[k] = (T)from.quat[k];
    }
    for (int k = 0; k < 3; ++k) out.point[k] = (T)path.point[k];
    for (int k = 0; k < 4; ++k) out.quat[k] = (T)path.quat[k];
    return out;
}

}  // namespace kinegen
