// Degrees of freedom that last: how many of the free motions of some loops survive a small finite
// motion.
#pragma once

#include "kernel/loops/bifurcation.hpp"
#include "kernel/loops/system.hpp"

namespace kinegen {

// Largest scaled step of a trial motion: small against the bars, large against every tolerance.
constexpr double TRIAL_STEP = 0.02;

// A loop system with the memory of its trial motions.
struct Trials {
    LoopSystem system;
    Bends bends;
    double* basis;  // free directions to begin with, one per row
    double* ahead;  // those of a pose that a trial led to
    double *mix, *made, *trial, *asked, *moved, *map;
    double *q_there, *q_next;
};

inline void lay_out_trials(const Model& m, int32_t loops, int32_t n, Arena<double>& reals,
                           Arena<int32_t>& ints, Trials& t) {
    lay_out_system(m, loops, n, reals, ints, t.system);
    lay_out_bends(m, loops, n, reals, t.bends);
    t.basis = reals.take((int64_t)n * n);
    t.ahead = reals.take((int64_t)n * n);
    t.map = reals.take((int64_t)n * n);
    t.mix = reals.take(n);
    t.made = reals.take(n);
    t.trial = reals.take(n);
    t.asked = reals.take(n);
    t.moved = reals.take(n);
    t.q_there = reals.take(m.nq);
    t.q_next = reals.take(m.nq);
}

// Whether a small step along a mix of free directions leads to a closed pose (there). made: the
// step made along the free directions by the length of the one asked for.
inline bool try_motion(Trials& t, const double* q, const double* basis, int32_t count,
                       const double* mix, double* there, double* made) {
    LoopSystem& s = t.system;
    clear_all(t.asked, s.n);
    for (int32_t i = 0; i < count; ++i) add_scaled(mix[i], basis + (int64_t)i * s.n, t.asked, s.n);
    scale_all(t.asked, s.n, TRIAL_STEP / largest(t.asked, s.n));
    system_move(s, q, t.asked, there);
    const double gap = system_close(s, there, nullptr, 0, CLOSING_ITERATIONS);
    system_moved(s, q, there, t.moved);
    const double length = norm_of(t.asked, s.n);
    for (int32_t i = 0; i < count; ++i)
        made[i] = dot(basis + (int64_t)i * s.n, t.moved, s.n) / length;
    return gap <= tolerance::SHUT;
}

// Whether mixed motions in all free directions survive, and lead to poses with as many.
inline bool goes_on(Trials& t, const double* q, const double* basis, int32_t count,
                    double tolerance) {
    LoopSystem& s = t.system;
    // a single lost direction must show in a mix of many
    const double allowed = 0.5 / sqrt((double)count);
    Draws draws{1};
    for (int trial = 0; trial < 2; ++trial) {
        for (int32_t i = 0; i < count; ++i) t.mix[i] = draws.normal();
        if (!try_motion(t, q, basis, count, t.mix, t.q_next, t.made)) return false;
        const double length = norm_of(t.mix, count);
        double lack = 0;
        for (int32_t i = 0; i < count; ++i) {
            const double d = t.made[i] - t.mix[i] / length;
            lack += d * d;
        }
        if (!(sqrt(lack) <= allowed)) return false;
        system_jacobian(s, t.q_next, s.J);
        if (s.n - find_rank(s.spectrum, s.J, s.rows(), s.n, tolerance) != count) return false;
    }
    return true;
}

// Rank of the map from steps asked for to steps made.
inline int32_t surviving(Trials& t, const double* q, const double* basis, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        clear_all(t.mix, count);
        t.mix[i] = 1;
        try_motion(t, q, basis, count, t.mix, t.q_next, t.map + (int64_t)i * count);
    }
    const int32_t rank = find_spectrum(t.system.spectrum, t.map, count, count, 0.5, true);
    return rank > 0 ? rank : 0;
}

// Degrees of freedom that last on a way out of q along a mix of its free directions; 0 when it
// leads nowhere, or to no more than `most`.
inline int32_t finite_mobility_along(Trials& t, const double* q, int32_t count, const double* mix,
                                     double tolerance, int32_t most) {
    LoopSystem& s = t.system;
    if (!try_motion(t, q, t.basis, count, mix, t.q_there, t.made)) return 0;
    if (norm_of(t.made, count) < 0.3) return 0;
    system_jacobian(s, t.q_there, s.J);
    const int32_t rank = find_spectrum(s.spectrum, s.J, s.rows(), s.n, tolerance);
    const int32_t dof = s.n - rank;
    if (rank < 0 || dof <= most) return 0;
    copy_all(t.ahead, s.spectrum.directions + (int64_t)rank * s.n, (int64_t)dof * s.n);
    return goes_on(t, t.q_there, t.ahead, dof, tolerance) ? dof
                                                          : surviving(t, t.q_there, t.ahead, dof);
}

// How many of the free directions in t.basis survive a finite motion from q: the largest number on
// any way out of the pose. Mixed motions in all directions are tried first; if they continue as
// they began, all survive. Else every direction is tried, and those in which branches of motion
// cross, and degrees of freedom are counted in the poses reached.
inline int32_t finite_mobility(Trials& t, const double* q, int32_t count, double tolerance) {
    if (count == 0 || goes_on(t, q, t.basis, count, tolerance)) return count;
    Draws draws{2};
    int32_t most = 0;
    auto follow = [&](const double* mix) {
        const int32_t finite = finite_mobility_along(t, q, count, mix, tolerance, most);
        most = finite > most ? finite : most;
    };
    for (int32_t trial = 0; trial < 4 * count; ++trial) {
        clear_all(t.trial, count);
        if (trial < 2 * count)
            t.trial[trial / 2] = trial % 2 == 0 ? 1 : -1;
        else
            for (int32_t i = 0; i < count; ++i) t.trial[i] = draws.normal();
        follow(t.trial);
    }
    if (!find_bends(t.system, q, t.basis, count, tolerance, t.bends)) return most;
    Draws starts{3};
    for (int32_t start = 0; start < CROSSING_STARTS * count; ++start) {
        for (int32_t i = 0; i < count; ++i) t.trial[i] = starts.normal();
        if (!way_out(t.system, t.bends, t.trial)) continue;
        follow(t.trial);
        scale_all(t.trial, count, -1);
        follow(t.trial);
    }
    return most;
}

}  // namespace kinegen
