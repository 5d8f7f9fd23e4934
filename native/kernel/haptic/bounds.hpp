// What is believed and what may leave: the numbers of a mechanism and of a hand within plausible
// bounds, sequence numbers that nobody can run away with, and the gate before every force.
// kernels/reference/haptic/bounds.py is the same; docs/reference/haptic-protocol.md lists the
// bounds.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernel/haptic/protocol.hpp"

namespace kinegen {

// Index of the first setting that is not allowed; -1 if all are.
inline int haptic_wrong_setting(const HapticSettings& settings) {
    double numbers[HAPTIC_SETTINGS];
    static_assert(sizeof numbers == sizeof settings);
    memcpy(numbers, &settings, sizeof numbers);
    for (int i = 0; i < HAPTIC_SETTINGS; ++i)
        if (!(numbers[i] >= HAPTIC_RANGES[i][0] && numbers[i] <= HAPTIC_RANGES[i][1])) return i;
    return -1;
}

// Where a hand is; has_turn: the device knows its orientation and can give a torque;
// is_measured: the device said so, and it is not the last word carried on.
struct HapticHand {
    double x[3] = {}, turn[4] = {1, 0, 0, 0};  // [m], wxyz
    double v[6] = {};                          // linear, angular [m/s, rad/s]
    bool has_turn = false, is_measured = true;
};

inline double haptic_dot(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

inline bool haptic_within(const double* numbers, int count, double most) {
    for (int i = 0; i < count; ++i)
        if (!(fabs(numbers[i]) <= most)) return false;
    return true;
}

// Whether four numbers are about a quaternion of length 1.
inline bool haptic_is_turn(const double* quat) {
    const double square = haptic_dot(quat + 1, quat + 1) + quat[0] * quat[0];
    return square > 0.25 && square < 4;
}

// Whether a 6 × 6 matrix is a mobility: symmetric, and negative in no direction (by Cholesky).
inline bool haptic_is_mobility(const double* W) {
    if (!haptic_within(W, 36, MOBILITY_MOST)) return false;
    double most = 0, L[36];
    for (int i = 0; i < 36; ++i) most = fabs(W[i]) > most ? fabs(W[i]) : most;
    const double slack = MOBILITY_ROUNDING * most;
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c <= r; ++c) {
            if (fabs(W[6 * r + c] - W[6 * c + r]) > slack) return false;
            double sum = W[6 * r + c] + (r == c ? slack : 0);
            for (int k = 0; k < c; ++k) sum -= L[6 * r + k] * L[6 * c + k];
            if (r == c && sum < 0) return false;
            const double root = r == c ? sqrt(sum) : L[7 * c];
            L[6 * r + c] = r == c ? root : root > 0 ? sum / root : 0;
        }
    return true;
}

inline WrongField haptic_wrong_state(const double* reported) {
    const double mode = reported[STATE_MODE], *n = reported + STATE_NORMAL;
    if (!(mode == 0 || mode == 1 || mode == 2)) return FIELD_MODE;
    if (!haptic_within(reported + STATE_POINT, 3, POINT_FAR)) return FIELD_POSITION;
    if (!haptic_is_turn(reported + STATE_TURN)) return FIELD_ORIENTATION;
    if (!haptic_within(reported + STATE_SPEED, 6, POINT_SPEED)) return FIELD_VELOCITY;
    if (!haptic_within(reported + STATE_REST, 6, POINT_REST)) return FIELD_ACCELERATION;
    if (!haptic_is_mobility(reported + STATE_MOBILITY)) return FIELD_MOBILITY;
    if (!(haptic_dot(n, n) <= 1.02)) return FIELD_NORMAL;
    for (int i = 0; i < 2; ++i) {
        const double k = reported[STATE_STIFFNESS + i], b = reported[STATE_DAMPING + i];
        if (!(k >= 0 && k <= STIFFNESS_MOST)) return FIELD_STIFFNESS;
        if (!(b >= 0 && b <= DAMPING_MOST)) return FIELD_DAMPING;
    }
    if (!haptic_within(reported + STATE_ENERGY, 1, ENERGY_MOST)) return FIELD_ENERGY;
    if (!(reported[STATE_HELD] >= 0 && reported[STATE_HELD] <= HELD_MOST)) return FIELD_TIME;
    return FIELD_FINE;
}

inline WrongField haptic_wrong_hand(const HapticHand& hand) {
    if (!haptic_within(hand.x, 3, HAND_FAR)) return FIELD_POSITION;
    if (!haptic_is_turn(hand.turn)) return FIELD_ORIENTATION;
    if (!haptic_within(hand.v, 3, HAND_SPEED) || !haptic_within(hand.v + 3, 3, HAND_SPIN))
        return FIELD_VELOCITY;
    return FIELD_FINE;
}

// Sequence numbers, which wrap around at 2³². A sender that is out of order is accepted when many
// of its packets follow each other and few others come in between: a forged number makes the
// others old for one run of packets at most, and only within the window.

inline bool haptic_follows(uint32_t sequence, uint32_t before) {
    const uint32_t ahead = sequence - before;
    return ahead > 0 && ahead <= (uint32_t)SEQUENCE_WINDOW;
}

struct HapticSequence {
    // Another count: its last number, how many came in order, how many others came meanwhile.
    struct Run {
        uint32_t last = 0;
        int32_t count = 0, others = 0;
    };
    Run runs[SEQUENCE_RUNS];
    uint32_t last = 0;
    bool has_any = false;

    // Whether a packet is new; is_restart: it does not continue what came before.
    bool next(uint32_t sequence, bool is_silent, bool& is_restart) {
        is_restart = !has_any || is_silent;
        if (!is_restart && !haptic_follows(sequence, last)) {
            Run* run = runs;  // the one that it continues, or else the shortest
            for (int i = 0; i < SEQUENCE_RUNS; ++i) {
                if (runs[i].count > 0 && haptic_follows(sequence, runs[i].last)) {
                    run = runs + i;
                    break;
                }
                if (runs[i].count < run->count) run = runs + i;
            }
            if (run->count == 0 || !haptic_follows(sequence, run->last)) *run = Run();
            run->last = sequence;
            if (++run->count < SEQUENCE_RUN) return false;
            is_restart = true;
        }
        for (int i = 0; i < SEQUENCE_RUNS; ++i)
            if (is_restart || ++runs[i].others >= SEQUENCE_RUN / 2) runs[i] = Run();
        last = sequence;
        has_any = true;
        return true;
    }
};

// Takes a force or torque to what can be had from the one before at a rate: from any share of that
// one, for less force is always allowed.
inline void haptic_slow(const double* before, double most, double* f) {
    const double square = haptic_dot(before, before);
    double share = square > 0 ? haptic_dot(f, before) / square : 0;
    share = share > 0 ? share < 1 ? share : 1 : 0;
    double off[3];
    for (int i = 0; i < 3; ++i) off[i] = f[i] - share * before[i];
    const double size = sqrt(haptic_dot(off, off));
    if (size > most)
        for (int i = 0; i < 3; ++i) f[i] = share * before[i] + off[i] * (most / size);
}

// The last thing before a force leaves for a device, and the only way out: finite, within the
// device's limits, no faster than it can; or else nothing at all.
inline GateReason haptic_gate(const HapticSettings& s, const double* before, double* f) {
    GateReason reason = GATE_OPEN;
    if (!haptic_within(f, 6, 1e300)) reason = GATE_NOT_FINITE;
    for (int part = 0; part < 2 && reason == GATE_OPEN; ++part) {
        const double* g = f + 3 * part;
        const double most = part ? s.torque_most : s.force_most;
        const double rate = (part ? s.torque_rate : s.force_rate) * s.step;
        double slow[3] = {g[0], g[1], g[2]};
        haptic_slow(before + 3 * part, rate, slow);
        for (int i = 0; i < 3; ++i) slow[i] -= g[i];
        if (!(sqrt(haptic_dot(g, g)) <= most * (1 + GATE_ROUNDING)))
            reason = GATE_TOO_LARGE;
        else if (!(sqrt(haptic_dot(slow, slow)) <= GATE_ROUNDING * most))
            reason = GATE_TOO_FAST;
    }
    if (reason != GATE_OPEN)
        for (int i = 0; i < 6; ++i) f[i] = 0;
    return reason;
}

}  // namespace kinegen
