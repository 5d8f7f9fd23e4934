// Searching with the solver: many starts until the handles are met, or until every way to close the
// loops have been seen.
#pragma once

#include "kernel/base/tolerances.hpp"
#include "kernel/solver/descent.hpp"
#include "kernel/base/never.hpp"
#include "kernel/solver/solver.hpp"

namespace kinegen {

// SplitMix64 (Steele, Lea, Flood 2014): one multiplication chain per number, repeatable everywhere.
inline uint64_t random_bits(uint64_t& state) {
    state += 0x9e3779b97f4a7c15ULL;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

inline double random_unit(uint64_t& state) {
    return (double)(random_bits(state) >> 11) * (1.0 / 9007199254740992.0);
}

// A random value of a variable within its limits: angles without limits over a turn, lengths
// without limits within a few sizes of the mechanism.
inline double random_value(const Solver& s, int32_t i, uint64_t& state) {
    const Model& m = *s.model;
    const double reach = s.scale[i] == 1 ? PI : 3 * s.size;
    const double low = m.lower[i] > -1e300  ? m.lower[i]
                       : m.upper[i] < 1e300 ? m.upper[i] - 2 * reach
                                            : -reach;
    const double high = m.upper[i] < 1e300 ? m.upper[i] : low + 2 * reach;
    return low + random_unit(state) * (high - low);
}

// A random configuration within the limits. Locked variables keep their value from `q`.
inline void random_configuration(const Solver& s, const int32_t* locked, uint64_t& state,
                                 double* q) {
    const Model& m = *s.model;
    for (int32_t j = 0; j < m.joint_count; ++j) {
        const int32_t type = m.joint_type[j];
        double* qj = q + m.joint_q[j];
        const int32_t v = m.joint_v[j];
        if (JOINT_QUATERNION[type]) {
            if (locked && locked[v]) continue;
            // uniform over all rotations (Shoemake 1992)
            const double a = random_unit(state), b = 2 * PI * random_unit(state),
                         c = 2 * PI * random_unit(state);
            qj[0] = sqrt(1 - a) * sin(b);
            qj[1] = sqrt(1 - a) * cos(b);
            qj[2] = sqrt(a) * sin(c);
            qj[3] = sqrt(a) * cos(c);
            if (has_swing_limit(m, j)) {
                const double swing = swing_angle(qj);
                add_swing(qj, swing * (m.upper[v] / PI - 1));
            }
            if (type == FREE)
                for (int i = 0; i < 3; ++i) qj[4 + i] += s.size * 2 * (2 * random_unit(state) - 1);
            continue;
        }
        for (int32_t k = 0; k < JOINT_NV[type]; ++k) {
            const double value = random_value(s, v + k, state);
            if (!locked || !locked[v + k]) qj[k] = value;
        }
    }
}

// Whether a coupling has a variable: then a whole turn of it alone is another pose.
inline bool is_coupled(const Model& m, int32_t v) {
    for (int32_t i = 0; i < m.term_count; ++i)
        if (m.term_v[i] == v) return true;
    return false;
}

// Brings angles back within their limits by whole turns where that is possible, those without
// limits within half a turn, but for coupled ones; returns whether all variables are within their
// limits.
inline bool within_limits(const Solver& s, double* q) {
    const Model& m = *s.model;
    bool inside = true;
    for (int32_t j = 0; j < m.joint_count; ++j) {
        const int32_t type = m.joint_type[j];
        if (has_swing_limit(m, j) &&
            swing_angle(q + m.joint_q[j]) > m.upper[m.joint_v[j]] + tolerance::LIMIT_SLACK)
            inside = false;
        if (JOINT_QUATERNION[type]) continue;
        for (int32_t k = 0; k < JOINT_NV[type]; ++k) {
            const int32_t i = m.joint_v[j] + k;
            const double slack = tolerance::LIMIT_SLACK * s.scale[i];
            double& x = q[m.joint_q[j] + k];
            const bool turns = (type == REVOLUTE || type == UNIVERSAL ||
                                (type == CYLINDRICAL && k == 0) || (type == PLANAR && k == 2)) &&
                               !is_coupled(m, i);
            if (turns && m.lower[i] < -1e300 && m.upper[i] > 1e300) x = remainder(x, 2 * PI);
            if (turns && x > m.upper[i] + slack && x - 2 * PI >= m.lower[i]) x -= 2 * PI;
            if (turns && x < m.lower[i] - slack && x + 2 * PI <= m.upper[i]) x += 2 * PI;
            if (x > m.upper[i] + slack || x < m.lower[i] - slack) inside = false;
        }
    }
    return inside;
}

// Random values for the chain's joints that leave the handle nearest to its target, of a few draws:
// looking is cheaper than descending. start: the configuration that gives all other variables.
constexpr int32_t DRAWS = 4;
inline void draw_near(Solver& s, const Chain& chain, const double* start, const int32_t* ints,
                      const double* reals, const int32_t* locked, uint64_t& state, double* trial) {
    const Model& m = *s.model;
    memcpy(trial, start, sizeof(double) * (size_t)m.nq);
    double* nearest = s.q_anchor;
    double least = 1e300;
    for (int32_t draw = 0; draw < DRAWS; ++draw) {
        for (int32_t i = 0; i < chain.count; ++i) {
            const int32_t v = m.joint_v[chain.moving[i]];
            const double value = random_value(s, v, state);
            if (!locked || !locked[v]) trial[m.joint_q[chain.moving[i]]] = value;
        }
        HandleError e;
        const double error = chain_error(s, chain, trial, ints, reals, e);
        if (!(error < least) && draw > 0) continue;
        least = error;
        for (int32_t i = 0; i < chain.count; ++i) nearest[i] = trial[m.joint_q[chain.moving[i]]];
    }
    for (int32_t i = 0; i < chain.count; ++i) trial[m.joint_q[chain.moving[i]]] = nearest[i];
}

// Descends from q, then from random starts, until the handle is met within the limits; the answer
// is left in trial. Returns the attempts made, or 0 when none led there.
template <class Stop>
inline int32_t quick_search(Solver& s, const Chain& chain, const double* q, const int32_t* ints,
                            const double* reals, const SolverOptions& o, int32_t attempts,
                            uint64_t seed, double* trial, Stop& stop) {
    uint64_t state = seed;
    memcpy(trial, q, sizeof(double) * (size_t)s.model->nq);
    for (int32_t attempt = 0; attempt < attempts && !stop(); ++attempt) {
        if (attempt > 0) draw_near(s, chain, q, ints, reals, o.locked, state, trial);
        if (descend(s, chain, trial, ints, reals, o) && (!o.use_limits || within_limits(s, trial)))
            return attempt + 1;
    }
    return 0;
}

// An attempt that ends with less than this scaled error may take so many times as many steps, which
// a search allows a few times.
constexpr double NEARLY = 1e-3;
constexpr int32_t LONGER = 10, PATIENCE = 5;
// Quick descents cost a fifth of an attempt: so many for each are made first.
constexpr int32_t QUICK = 3;

// Solves from q, then from random starts, until the handles are met within the limits; where the
// quick descent applies, all starts with that first. The best answer so far is left in q (best,
// trial: nq numbers of scratch) and its held limits in s.held. Returns the attempts made.
template <class Stop = Never>
inline int32_t search(Solver& s, double* q, const int32_t* ints, const double* reals,
                      int32_t handle_count, const SolverOptions& o, int32_t attempts, uint64_t seed,
                      double* best, double* trial, SolverReport& report, Stop&& stop = Stop()) {
    const size_t q_bytes = sizeof(double) * (size_t)s.model->nq;
    const size_t v_bytes = sizeof(int32_t) * (size_t)s.model->nv;
    Chain chain;
    if (find_chain(s, ints, handle_count, o, chain)) {
        const int32_t most = attempts > 1 ? QUICK * attempts : attempts;
        const int32_t made = quick_search(s, chain, q, ints, reals, o, most, seed, trial, stop);
        if (made > 0) {
            solve(s, trial, ints, reals, handle_count, o, report);
            memcpy(q, trial, q_bytes);
            return made;
        }
    }
    uint64_t state = seed;
    SolverReport best_report{};
    double best_score = 1e300;
    SolverOptions longer = o;
    longer.max_iterations = LONGER * o.max_iterations;
    int32_t attempt = 0, patience = PATIENCE;
    for (; attempt < attempts && !stop(); ++attempt) {
        memcpy(trial, q, q_bytes);
        if (attempt > 0) random_configuration(s, o.locked, state, trial);
        SolverReport r{};
        solve(s, trial, ints, reals, handle_count, o, r);
        // nearly there, but slow as beside a singular pose: worth more steps than a new start
        if (r.outcome == MOVING && r.handle_error < NEARLY && patience-- > 0)
            solve(s, trial, ints, reals, handle_count, longer, r);
        if (r.outcome == NEED_MEMORY) {
            report = r;
            return attempt;
        }
        const bool inside = !o.use_limits || within_limits(s, trial);
        const bool closed = r.outcome != STUCK;
        const double score = r.handle_error + (closed ? 0 : 1e3 * (1 + r.gap)) + (inside ? 0 : 1e2);
        if (score < best_score) {
            best_score = score;
            best_report = r;
            memcpy(best, trial, q_bytes);
            memcpy(s.held_best, s.held, v_bytes);
        }
        if (r.outcome == REACHED && inside) {
            ++attempt;
            break;
        }
    }
    memcpy(q, best, q_bytes);
    memcpy(s.held, s.held_best, v_bytes);
    report = best_report;
    return attempt;
}

// Numbers per placed frame that distinguish two poses: its position, and the direction of
// its joint's axis as n nᵀ, so that an axis and its opposite are the same line.
constexpr int64_t MARKS = 9;

// What can be seen of a pose: where all placed frames are [m], and along which lines their joints'
// axes lie (times the mechanism's size). Spins that move neither (a rod between two balls, the two
// ways to hold a universal joint) do not count.
inline void pose_marks(const Solver& s, const double* q, double* marks) {
    const Model& m = *s.model;
    const int32_t landings = m.joint_count + m.loop_count;
    forward_links(m, q, s.links);
    for (int32_t p = 0; p < m.placement_count; ++p) {
        const bool lands = p >= m.joint_count && p < landings;
        const int32_t joint = p < m.joint_count ? p : lands ? m.loop_joint[p - m.joint_count] : -1;
        const int32_t link = p < m.joint_count ? m.joint_parent[p]
                             : lands           ? m.joint_child[joint]
                                               : m.frame_link[p - landings];
        const double* X_WL = s.links + TRANSFORM_SIZE * (int64_t)link;
        const double* X_LF = m.transforms + TRANSFORM_SIZE * (int64_t)p;
        double* mark = marks + MARKS * (int64_t)p;
        rotate(X_WL, X_LF + 9, mark);
        for (int i = 0; i < 3; ++i) mark[i] += X_WL[9 + i];
        const int32_t type = joint < 0 ? FIXED : m.joint_type[joint];
        const bool has_axis = type != FIXED && !JOINT_QUATERNION[type];
        // a universal joint lands on its second axis, x
        const int column = type == UNIVERSAL && lands ? 0 : 2;
        const double axis[3] = {X_LF[column], X_LF[3 + column], X_LF[6 + column]};
        double n[3];
        rotate(X_WL, axis, n);
        const double scale = has_axis ? s.size : 0;
        const double lines[6] = {n[0] * n[0], n[1] * n[1], n[2] * n[2],
                                 n[0] * n[1], n[0] * n[2], n[1] * n[2]};
        for (int i = 0; i < 6; ++i) mark[3 + i] = scale * lines[i];
    }
}

// How far two poses' marks are apart: the largest difference by the mechanism's size.
inline double apart(const Solver& s, const double* a, const double* b) {
    double most = 0;
    for (int64_t i = 0; i < MARKS * (int64_t)s.model->placement_count; ++i)
        most = larger(most, fabs(a[i] - b[i]));
    return most / s.size;
}

// How far two configurations are apart: angles the short way round, quaternions as rotations.
inline double variables_apart(const Solver& s, const double* a, const double* b, double* v) {
    const Model& m = *s.model;
    difference(m, a, b, v);
    double most = 0;
    for (int32_t j = 0; j < m.joint_count; ++j) {
        const int32_t type = m.joint_type[j];
        for (int32_t k = 0; k < JOINT_NV[type]; ++k) {
            const int32_t i = m.joint_v[j] + k;
            const bool turns = s.scale[i] == 1 && type != SCREW;
            most = larger(most, fabs(turns ? remainder(v[i], 2 * PI) : v[i]) / s.scale[i]);
        }
    }
    return most;
}

// Copies the locked variables of one configuration to another.
inline void copy_locked(const Model& m, const int32_t* locked, const double* from, double* to) {
    for (int32_t j = 0; j < m.joint_count; ++j) {
        const int32_t type = m.joint_type[j], v = m.joint_v[j], q = m.joint_q[j];
        const bool whole = JOINT_QUATERNION[type];
        for (int32_t k = 0; k < JOINT_NQ[type]; ++k)
            if (locked[whole ? v : v + k]) to[q + k] = from[q + k];
    }
}

// Largest move per step of a roaming search: long ones spread the starts over more modes.
constexpr double ROAM_STEP = 1.5;

// Closes the loops from a random configuration: with the inputs free, so that every leg points
// where it must; then with the inputs put back. Newton's plain steps wander between the modes
// before they settle, so that modes to which few ways lead downhill get their share of the starts
// as well.
inline void roam(Solver& s, const double* q, const SolverOptions& o, double* trial,
                 SolverReport& report) {
    SolverOptions roaming = o;
    roaming.roam = true;
    roaming.max_step = ROAM_STEP;
    if (o.locked) {
        roaming.locked = nullptr;
        solve(s, trial, nullptr, nullptr, 0, roaming, report);
        if (report.outcome == NEED_MEMORY) return;
        copy_locked(*s.model, o.locked, q, trial);
        roaming.locked = o.locked;
    }
    solve(s, trial, nullptr, nullptr, 0, roaming, report);
}

// All different poses that a number of random starts lead to. found: room for `capacity`
// configurations, marks: MARKS numbers per placement of each. Returns their count, or NEED_MEMORY.
// by_variables: whether poses differ by their joint values (branches of an arm, where a flipped
// wrist moves no point) or by what can be seen of them (assembly modes).
template <class Stop = Never>
inline int32_t enumerate_poses(Solver& s, const double* q, const int32_t* ints, const double* reals,
                               int32_t handle_count, const SolverOptions& o, int32_t attempts,
                               uint64_t seed, double distinct, bool by_variables, double* found,
                               double* marks, int32_t capacity, double* trial,
                               Stop&& stop = Stop()) {
    const int32_t nq = s.model->nq;
    const int64_t mark_count = MARKS * (int64_t)s.model->placement_count;
    uint64_t state = seed;
    int32_t count = 0;
    for (int32_t attempt = 0; attempt < attempts && count < capacity && !stop(); ++attempt) {
        memcpy(trial, q, sizeof(double) * (size_t)nq);
        if (attempt > 0) random_configuration(s, o.locked, state, trial);
        SolverReport r{};
        if (attempt > 0 && handle_count == 0)
            roam(s, q, o, trial, r);
        else
            solve(s, trial, ints, reals, handle_count, o, r);
        if (r.outcome == NEED_MEMORY) return NEED_MEMORY;
        if (r.outcome != REACHED) continue;
        if (o.use_limits && !within_limits(s, trial)) continue;
        double* here = marks + mark_count * count;
        pose_marks(s, trial, here);
        bool known = false;
        for (int32_t n = 0; n < count && !known; ++n)
            known = (by_variables ? variables_apart(s, found + (int64_t)nq * n, trial, s.step)
                                  : apart(s, marks + mark_count * n, here)) < distinct;
        if (known) continue;
        memcpy(found + (int64_t)nq * count, trial, sizeof(double) * (size_t)nq);
        ++count;
    }
    return count;
}

}  // namespace kinegen
