// A quick descent for open chains: one handle, hinges and slides between the base and its site.
//
// Levenberg-Marquardt steps on the chain's own variables, limits held where a step would pass them.
// It knows no loops, pins or postures and reports nothing. It is for the many starts of a search,
// most of which lead nowhere: an iteration costs half of the solver's, and a start that creeps is
// given up early.
#pragma once

#include "kernel/solver/step.hpp"

namespace kinegen {

constexpr int32_t DESCENT_ITERATIONS = 24;
// Every so many iterations the squared error must have fallen to this share, or the start is given
// up. Starts that lead there halve it at every step; waiting for the others costs more than a new
// one.
constexpr int32_t DESCENT_LOOK = 3;
constexpr double DESCENT_FALL = 0.5;
// Damping per scaled error: enough to keep far steps in hand, none is left at the goal.
constexpr double DESCENT_DAMPING = 0.1;
// How often one step is taken again with more limits held.
constexpr int32_t DESCENT_ROUNDS = 3;
// Damping that has grown by so much has made the step too short to be worth anything.
constexpr double DESCENT_STUCK = 2e3;

// The joints from the base to a handle's site.
struct Chain {
    int32_t length, count;  // of all joints, and of those that move
    int32_t* joints;        // base first
    int32_t* moving;
};

// Whether the descent can take these handles on; if so, the chain to the site.
inline bool find_chain(const Solver& s, const int32_t* ints, int32_t handle_count,
                       const SolverOptions& o, Chain& chain) {
    const Model& m = *s.model;
    const bool plain = handle_count == 1 && !ints[record::HandleInts::PIN] && m.loop_count == 0;
    if (!plain || o.posture_gain != 0 || o.bounds || o.weights) return false;
    chain = Chain{0, 0, s.chain, s.chain + m.joint_count};
    const int32_t last = m.link_joint[m.site_link(ints[record::HandleInts::SITE])];
    for (int32_t joint = last; joint >= 0; joint = m.link_joint[m.joint_parent[joint]])
        ++chain.length;
    int32_t at = chain.length;
    for (int32_t joint = last; joint >= 0; joint = m.link_joint[m.joint_parent[joint]])
        chain.joints[--at] = joint;
    for (; at < chain.length; ++at) {
        const int32_t type = m.joint_type[chain.joints[at]];
        if (type != REVOLUTE && type != PRISMATIC && type != FIXED) return false;
        if (type != FIXED) chain.moving[chain.count++] = chain.joints[at];
    }
    return chain.count > 0;
}

// Squared error of the handle at q; leaves the transforms of the chain's links behind.
inline double chain_error(Solver& s, const Chain& chain, const double* q, const int32_t* ints,
                          const double* reals, HandleError& e) {
    identity(s.links);
    for (int32_t i = 0; i < chain.length; ++i) forward_joint(*s.model, q, chain.joints[i], s.links);
    handle_error(s, ints, reals, e);
    double sum = 0;
    for (int32_t r = 0; r < e.row_count; ++r) sum += e.rhs[r] * e.rhs[r];
    return sum;
}

// Columns of the handle's rows: HANDLE_ROWS numbers for each moving joint, zeros behind.
inline void chain_columns(const Solver& s, const Chain& chain, const int32_t* ints,
                          const double* reals, const HandleError& e, double* columns) {
    const Model& m = *s.model;
    const int32_t kind = ints[record::HandleInts::KIND];
    const double by_size = reals[record::HandleReals::WEIGHT] / s.size,
                 angular = reals[record::HandleReals::ROTATION_WEIGHT];
    for (int32_t i = 0; i < chain.count; ++i) {
        const int32_t joint = chain.moving[i];
        const double* X = s.links + TRANSFORM_SIZE * (int64_t)m.joint_child[joint];
        const double axis[3] = {X[2], X[5], X[8]};
        double linear[3], turn[3] = {0, 0, 0};
        if (m.joint_type[joint] == REVOLUTE) {
            const double r[3] = {e.p_W[0] - X[9], e.p_W[1] - X[10], e.p_W[2] - X[11]};
            cross3(axis, r, linear);
            for (int k = 0; k < 3; ++k) turn[k] = axis[k];
        } else {
            for (int k = 0; k < 3; ++k) linear[k] = s.size * axis[k];
        }
        double *at = columns + HANDLE_ROWS * (int64_t)i, *end = at + HANDLE_ROWS;
        if (kind != HANDLE_ROTATION)
            for (int k = 0; k < 3; ++k) *at++ = by_size * linear[k];
        if (kind == HANDLE_POSE || kind == HANDLE_ROTATION)
            for (int k = 0; k < 3; ++k) *at++ = angular * turn[k];
        if (kind == HANDLE_DIRECTION)
            for (int k = 0; k < 2; ++k) *at++ = angular * dot3(e.across[k], turn);
        while (at < end) *at++ = 0;
    }
}

// The damped step of the variables that are not held: x = Aᵀ (A Aᵀ + damping)⁻¹ rhs, the product
// A Aᵀ over those variables given.
inline void chain_step(const double* columns, const double* product, const double* rhs,
                       int32_t rows, int32_t count, double damping, const int32_t* held,
                       double* x) {
    constexpr int32_t n = HANDLE_ROWS;
    double L[n * n], inverse[n], z[n];
    for (int32_t j = 0; j < rows; ++j) {
        const double* row_j = L + n * j;
        double d = product[n * j + j] + damping;
        for (int32_t k = 0; k < j; ++k) d -= row_j[k] * row_j[k];
        inverse[j] = 1 / sqrt(larger(d, 1e-30));
        for (int32_t i = j + 1; i < rows; ++i) {
            double sum = product[n * i + j];
            for (int32_t k = 0; k < j; ++k) sum -= L[n * i + k] * row_j[k];
            L[n * i + j] = sum * inverse[j];
        }
    }
    for (int32_t i = 0; i < rows; ++i) {
        double sum = rhs[i];
        for (int32_t k = 0; k < i; ++k) sum -= L[n * i + k] * z[k];
        z[i] = sum * inverse[i];
    }
    for (int32_t i = rows - 1; i >= 0; --i) {
        double sum = z[i];
        for (int32_t k = i + 1; k < rows; ++k) sum -= L[n * k + i] * z[k];
        z[i] = sum * inverse[i];
    }
    for (int32_t i = 0; i < count; ++i) {
        if (held[i]) continue;
        double sum = 0;
        for (int32_t r = 0; r < rows; ++r) sum += columns[n * (int64_t)i + r] * z[r];
        x[i] = sum;
    }
}

// product += sign · a aᵀ
inline void add_outer(double sign, const double* a, double* product) {
    for (int32_t i = 0; i < HANDLE_ROWS; ++i)
        for (int32_t k = 0; k < HANDLE_ROWS; ++k)
            product[HANDLE_ROWS * i + k] += sign * a[i] * a[k];
}

// The step from q, in s.step by moving joint, and the share of it to make: limits that it would
// pass are gone to, and the other variables solve again for what is left.
inline double descent_step(Solver& s, const Chain& chain, const double* q, const HandleError& e,
                           const SolverOptions& o, double damping, const double* columns) {
    const Model& m = *s.model;
    double *x = s.step, rhs[HANDLE_ROWS], product[HANDLE_ROWS * HANDLE_ROWS] = {};
    int32_t* held = s.held;
    memcpy(rhs, e.rhs, sizeof(rhs));
    for (int32_t i = 0; i < chain.count; ++i) {
        x[i] = 0;
        held[i] = o.locked && o.locked[m.joint_v[chain.moving[i]]];
        if (!held[i]) add_outer(1, columns + HANDLE_ROWS * (int64_t)i, product);
    }
    for (int32_t round = 1;; ++round) {
        chain_step(columns, product, rhs, (int32_t)e.row_count, chain.count, damping, held, x);
        double longest = 0;
        for (int32_t i = 0; i < chain.count; ++i) longest = larger(longest, fabs(x[i]));
        const double share = longest > o.max_step ? o.max_step / longest : 1;
        bool passed = false;
        for (int32_t i = 0; o.use_limits && round < DESCENT_ROUNDS && i < chain.count; ++i) {
            if (held[i]) continue;
            const int32_t joint = chain.moving[i], v = m.joint_v[joint];
            const double here = q[m.joint_q[joint]], there = here + share * x[i] * s.scale[v];
            const bool up = x[i] > 0;
            const double bound = up ? m.upper[v] : m.lower[v];
            if (!(up ? there > bound : there < bound)) continue;
            const double* a = columns + HANDLE_ROWS * (int64_t)i;
            x[i] = (bound - here) / s.scale[v];
            held[i] = passed = true;
            add_outer(-1, a, product);
            for (int32_t r = 0; r < e.row_count; ++r) rhs[r] -= a[r] * x[i];
        }
        if (!passed) return share;
    }
}

// Moves q down the handle's error; returns whether it is met.
inline bool descend(Solver& s, const Chain& chain, double* q, const int32_t* ints,
                    const double* reals, const SolverOptions& o) {
    const Model& m = *s.model;
    const double met = o.handle_tolerance * o.handle_tolerance;
    double *columns = s.task, *q_before = s.q_anchor;
    HandleError e, tried;
    double soft = chain_error(s, chain, q, ints, reals, e);
    double looked = soft, caution = 1;
    bool moved = true;
    for (int32_t n = 0; n < DESCENT_ITERATIONS && !(soft <= met); ++n) {
        if (n % DESCENT_LOOK == DESCENT_LOOK - 1) {
            if (!(soft <= DESCENT_FALL * looked)) return false;
            looked = soft;
        }
        if (moved) chain_columns(s, chain, ints, reals, e, columns);
        const double damping = caution * DESCENT_DAMPING * smaller(sqrt(soft), 1.0) + 1e-13;
        const double share = descent_step(s, chain, q, e, o, damping, columns);
        for (int32_t i = 0; i < chain.count; ++i) {
            const int32_t joint = chain.moving[i], v = m.joint_v[joint];
            double& value = q[m.joint_q[joint]];
            q_before[i] = value;
            if (o.locked && o.locked[v]) continue;
            value += share * s.step[i] * s.scale[v];
            if (o.use_limits) value = smaller(larger(value, m.lower[v]), m.upper[v]);
        }
        const double next = chain_error(s, chain, q, ints, reals, tried);
        moved = next < soft;
        if (moved) {
            soft = next;
            e = tried;
            caution = larger(0.3 * caution, 1);
            continue;
        }
        for (int32_t i = 0; i < chain.count; ++i) q[m.joint_q[chain.moving[i]]] = q_before[i];
        caution *= 10;
        if (caution > DESCENT_STUCK) return false;
    }
    return soft <= met;
}

}  // namespace kinegen
