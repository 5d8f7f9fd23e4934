// A hand coupled to one point of a body, or to the whole pose there: what runs at the hand's rate
// in place of the whole mechanism. The point has the body's mobility W = J H⁻¹ Jᵀ there, linear
// rows first; what the mechanism reports comes late, twice, in disorder or not at all.
//
// Passivity: H is the energy that the hand gave, M what the mechanism was given at its end. The
// hand may take back what it gave and the mechanism has not got, and a small reserve: H >= M -
// reserve.
// M is the mechanism's word, so it counts only as far as it can be true: see
// kernel/haptic/ledger.hpp.
#pragma once

#include "kernel/haptic/bounds.hpp"
#include "kernel/haptic/ledger.hpp"
#include "kernel/base/rotation.hpp"

namespace kinegen {

struct HapticPoint {
    HapticSettings set;
    double reported[STATE_COUNT] = {};
    double reported_at = 0;  // time for which it was reported [s]
    double heard_at = -1e9;  // time at which it was heard
    double delay = 0;        // one way, as estimated
    HapticSequence order;
    bool has_word = false, has_hand = false;
    bool is_torn = false;  // the next hand does not continue the last one's way
    double p[3] = {}, turn[4] = {1, 0, 0, 0}, u[6] = {};  // the point and its velocity
    HapticHand hand;                                      // as measured last
    double force[6] = {};              // on it since the last tick: force, torque
    double low[6] = {}, high[6] = {};  // least and most of them since it was measured
    double pace[6] = {};               // its velocity by where it was measured
    int32_t unmeasured = 0;            // ticks since then
    double room = HAND_BURST;          // time [s] at full speed that the hand's motion has left
    double strength = 0;               // 0 ... 1
    HapticLedger ledger;
    double removed = 0;  // energy that the hand would have got for nothing [J]
    int64_t ticks = 0, fresh = 0, reused = 0, old = 0, bad = 0, limited = 0;
    int64_t wrong = 0, gated = 0, jumps = 0;
    int32_t wrong_field = FIELD_FINE, gate_reason = GATE_OPEN;        // of the last time
    double refused_at = -1e9, jumped_at = -1e9, overdrawn_at = -1e9;  // when that was
    double locked_for = 0;  // there is no force for so long after an overdraft [s]
};

// Solves A y = b, 6 × 6, with the largest pivots; A is I plus something positive, never singular.
inline void haptic_solve(double* A, double* y) {
    for (int c = 0; c < 6; ++c) {
        int best = c;
        for (int r = c + 1; r < 6; ++r)
            if (fabs(A[6 * r + c]) > fabs(A[6 * best + c])) best = r;
        for (int k = 0; k < 6 && best != c; ++k) {
            const double held = A[6 * c + k];
            A[6 * c + k] = A[6 * best + k];
            A[6 * best + k] = held;
        }
        const double held = y[c];
        y[c] = y[best];
        y[best] = held;
        for (int r = c + 1; r < 6; ++r) {
            const double factor = A[6 * r + c] / A[6 * c + c];
            for (int k = c; k < 6; ++k) A[6 * r + k] -= factor * A[6 * c + k];
            y[r] -= factor * y[c];
        }
    }
    for (int r = 5; r >= 0; --r) {
        for (int k = r + 1; k < 6; ++k) y[r] -= A[6 * r + k] * y[k];
        y[r] /= A[6 * r + r];
    }
}

// The rotation vector, world axes, that turns one orientation into another.
inline void haptic_between(const double* from, const double* to, double* w) {
    const double back[4] = {from[0], -from[1], -from[2], -from[3]};
    double relative[4];
    quat_multiply(to, back, relative);
    quat_log(relative, w);
}

// Turns an orientation by a rotation vector, world axes.
inline void haptic_turn(double* quat, const double* w, double share) {
    const double by[3] = {share * w[0], share * w[1], share * w[2]};
    double step[4], turned[4];
    quat_exp(by, step);
    quat_multiply(step, quat, turned);
    quat_normalize(turned);
    memcpy(quat, turned, sizeof turned);
}

// The point as it was reported.
inline void haptic_begin(HapticPoint& h) {
    if (!h.has_word) return;
    memcpy(h.p, h.reported + STATE_POINT, sizeof h.p);
    memcpy(h.turn, h.reported + STATE_TURN, sizeof h.turn);
    quat_normalize(h.turn);
    memcpy(h.u, h.reported + STATE_SPEED, sizeof h.u);
}

// A word of the mechanism; echo is our own time stamp that it answers, 0: none.
inline Heard haptic_hear(HapticPoint& h, uint32_t sequence, double now, double echo,
                         const double* reported) {
    double sum = echo * 0;
    for (int i = 0; i < STATE_COUNT; ++i) sum += reported[i] * 0;
    if (sum != 0 || !(fabs(now) <= TIME_MOST)) {
        ++h.bad;
        return HEARD_BAD;
    }
    const WrongField wrong = haptic_wrong_state(reported);
    if (wrong != FIELD_FINE) {
        ++h.wrong;
        h.wrong_field = wrong;
        return HEARD_WRONG;
    }
    // after a silence it may be another mechanism, that counts from the start
    const bool is_silent = now - h.heard_at > h.set.silence;
    bool is_restart = false;
    if (!h.order.next(sequence, is_silent, is_restart)) {
        ++h.old;
        return HEARD_OLD;
    }
    if (echo > 0) {
        double late = (now - echo - reported[STATE_HELD]) / 2;
        late = late < 0 ? 0 : late > 1 ? 1 : late;
        h.delay = h.has_word ? h.delay + (late - h.delay) / 16 : late;
    }
    const bool is_other = is_restart || h.reported[STATE_MODE] != reported[STATE_MODE];
    memcpy(h.reported, reported, sizeof h.reported);
    h.heard_at = now;
    h.reported_at = now - h.delay;
    h.has_word = true;
    ++h.fresh;
    h.ledger.report(reported[STATE_ENERGY], is_restart);
    if (is_other) {
        haptic_begin(h);
        // a new touch: credit from before belongs to the past, a debt does not
        h.ledger.keep(0);
    }
    // a sender that restarts is felt gradually
    if (is_restart) h.strength = 0;
    return HEARD_NEW;
}

// The point's own motion under the coupling: implicit, so stable for any stiffness and damping.
inline void haptic_move(HapticPoint& h, const HapticHand& hand, double carried, const double* k,
                        const double* b, const double* P, const double* away) {
    const double dt = h.set.step, *W = h.reported + STATE_MOBILITY, *rest = h.reported + STATE_REST;
    double pull[6] = {}, A[36];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) pull[i] += P[3 * i + j] * (k[0] * away[j] + b[0] * hand.v[j]);
        pull[3 + i] = k[1] * away[3 + i] + b[1] * hand.v[3 + i];
    }
    const double d[2] = {dt * (b[0] + dt * k[0]), dt * (b[1] + dt * k[1])};
    for (int i = 0; i < 6; ++i) {
        double pulled = 0;
        for (int j = 0; j < 6; ++j) pulled += W[6 * i + j] * pull[j];
        for (int j = 0; j < 3; ++j) {
            A[6 * i + j] =
                d[0] * (W[6 * i] * P[j] + W[6 * i + 1] * P[3 + j] + W[6 * i + 2] * P[6 + j]);
            A[6 * i + 3 + j] = d[1] * W[6 * i + 3 + j];
        }
        A[7 * i] += 1;
        h.u[i] += dt * (rest[i] + pulled);
    }
    haptic_solve(A, h.u);
    for (int i = 0; i < 3; ++i) h.p[i] += dt * h.u[i];
    haptic_turn(h.turn, h.u + 3, dt);
    // led to what was reported, carried on to now
    const double gain = 1 - exp(-dt / h.set.blend), *w = h.reported + STATE_SPEED;
    double turn[4], left[3];
    memcpy(turn, h.reported + STATE_TURN, sizeof turn);
    quat_normalize(turn);
    haptic_turn(turn, w + 3, carried);
    haptic_between(h.turn, turn, left);
    haptic_turn(h.turn, left, gain);
    for (int i = 0; i < 3; ++i)
        h.p[i] += gain * (h.reported[STATE_POINT + i] + carried * w[i] - h.p[i]);
    for (int i = 0; i < 6; ++i) h.u[i] += gain * (w[i] - h.u[i]);
}

// The ledger: what the hand gave since it was measured last, as it really moved. Where the force
// changed in between, the one counts that gave the hand most.
inline void haptic_book(HapticPoint& h, double now, const HapticHand& hand) {
    const HapticSettings& s = h.set;
    const double full = h.room + s.step;
    h.room = full < HAND_BURST ? full : HAND_BURST;
    ++h.unmeasured;
    if (!hand.is_measured) return;
    const double elapsed = h.unmeasured * s.step;
    h.unmeasured = 0;
    memset(h.pace, 0, sizeof h.pace);
    if (h.has_hand) {
        double way[6], given = 0;
        for (int i = 0; i < 3; ++i) way[i] = hand.x[i] - h.hand.x[i];
        haptic_between(h.hand.turn, hand.turn, way + 3);
        for (int i = 0; i < 6; ++i) given -= (way[i] > 0 ? h.high[i] : h.low[i]) * way[i];
        const double went = sqrt(haptic_dot(way, way)) / HAND_SPEED;
        const double turned = sqrt(haptic_dot(way + 3, way + 3)) / HAND_SPIN;
        const double took = went > turned ? went : turned;
        if (h.is_torn || took > h.room) {
            // nobody knows the way in between: it gives no credit, and takes the one there was
            h.ledger.keep(0);
            if (given < 0) h.ledger.give(given > -s.credit_most ? given : -s.credit_most);
            h.strength = 0;
            if (!h.is_torn) {
                ++h.jumps;
                h.jumped_at = now;
            }
            h.room = HAND_BURST;
        } else {
            h.ledger.give(given);
            h.room -= took;
            for (int i = 0; i < 6; ++i) h.pace[i] = way[i] / elapsed;
        }
    }
    h.hand = hand;
    h.has_hand = true;
    h.is_torn = false;
}

// Force and torque that leave, and the account of those since the hand was measured.
inline void haptic_release(HapticPoint& h, double now, double* f, bool is_measured,
                           int32_t reason) {
    if (reason == GATE_OPEN)
        reason = haptic_gate(h.set, h.force, f);
    else
        memset(f, 0, 6 * sizeof *f);
    if (reason != GATE_OPEN) {
        ++h.gated;
        h.gate_reason = reason;
        h.refused_at = now;
        h.strength = 0;
        haptic_begin(h);  // what made such a force is not used again
    }
    for (int i = 0; i < 6; ++i) {
        h.force[i] = f[i];
        h.low[i] = is_measured || f[i] < h.low[i] ? f[i] : h.low[i];
        h.high[i] = is_measured || f[i] > h.high[i] ? f[i] : h.high[i];
    }
}

// Whether the hand got more than it may have; there is no force for a while then.
inline bool haptic_lock_overdraft(HapticPoint& h, double now) {
    const HapticSettings& s = h.set;
    if (s.is_passive == 0 || !h.ledger.is_overdrawn(-s.reserve, OVERDRAFT)) return false;
    h.overdrawn_at = now;
    const double next = h.locked_for > 0 ? 2 * h.locked_for : OVERDRAFT_TIME;
    h.locked_for = next < OVERDRAFT_TIME_MOST ? next : OVERDRAFT_TIME_MOST;
    return true;
}

// Lets the coupling's strength grow while the mechanism is heard, else fade.
inline void haptic_fade(HapticPoint& h, double now, bool is_touched) {
    const HapticSettings& s = h.set;
    const double age = now - h.heard_at;
    if (age > s.deadline + s.step / 2) ++h.reused;
    const bool is_locked = now - h.overdrawn_at < h.locked_for;
    // (a clock that went back says nothing about the age)
    const bool is_held = is_touched && fabs(age) < s.silence && !is_locked;
    if (is_locked) h.strength = 0;
    h.strength += (is_held ? 1 : -1) * s.step / s.fade;
    h.strength = h.strength < 0 ? 0 : h.strength > 1 ? 1 : h.strength;
}

// Force of the point on the hand, and the energy in the spring [J].
inline double haptic_coupling(const HapticPoint& h, const HapticHand& hand, int32_t mode,
                              const double* k, const double* b, double* f) {
    const double *x = hand.x, *v = hand.v;
    if (mode == TOUCH_PULL) {
        double off[6];
        for (int i = 0; i < 3; ++i) off[i] = h.p[i] - x[i];
        haptic_between(hand.turn, h.turn, off + 3);
        for (int i = 0; i < 6; ++i) f[i] = k[i / 3] * off[i] + b[i / 3] * (h.u[i] - v[i]);
        return (k[0] * haptic_dot(off, off) + k[1] * haptic_dot(off + 3, off + 3)) / 2;
    }
    const double* n = h.reported + STATE_NORMAL;
    double depth = 0, rate = 0;
    for (int i = 0; i < 3; ++i) {
        depth += n[i] * (h.p[i] - x[i]);
        rate += n[i] * (h.u[i] - v[i]);
    }
    // unilateral: a surface never holds the hand back
    const double press = depth > 0 ? k[0] * depth + b[0] * rate : 0;
    for (int i = 0; i < 3; ++i) f[i] = press > 0 ? press * n[i] : 0;
    return depth > 0 ? k[0] * depth * depth / 2 : 0;
}

// Force and torque at the coupling's strength, neither too large nor too sudden.
inline void haptic_limit_force(const HapticPoint& h, double* f) {
    const HapticSettings& s = h.set;
    const double most[2] = {s.force_most, s.torque_most};
    const double rate[2] = {s.force_rate, s.torque_rate};
    for (int part = 0; part < 2; ++part) {
        double* g = f + 3 * part;
        const double size = sqrt(haptic_dot(g, g));
        const double scale = h.strength * (size > most[part] ? most[part] / size : 1);
        for (int i = 0; i < 3; ++i) g[i] *= scale;
        haptic_slow(h.force + 3 * part, rate[part] * s.step, g);
    }
}

// Moves the point under the coupling, which pulls at the hand; returns the energy in the spring.
inline double haptic_touch(HapticPoint& h, double now, const HapticHand& hand, int32_t mode,
                           double* f) {
    const double* n = h.reported + STATE_NORMAL;
    // a device that does not know its orientation feels the place alone
    const bool turns = hand.has_turn && mode == TOUCH_PULL;
    const double k[2] = {h.reported[STATE_STIFFNESS], turns ? h.reported[STATE_STIFFNESS + 1] : 0};
    const double b[2] = {h.reported[STATE_DAMPING], turns ? h.reported[STATE_DAMPING + 1] : 0};
    double away[6];
    for (int i = 0; i < 3; ++i) away[i] = hand.x[i] - h.p[i];
    haptic_between(h.turn, hand.turn, away + 3);
    // directions in which the coupling acts: all of them, or the normal while it is pressed
    double P[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (mode == TOUCH_PUSH) {
        const bool is_pressed = haptic_dot(away, n) < 0;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) P[3 * i + j] = is_pressed ? n[i] * n[j] : 0;
    }
    // what is reported goes stale: beyond the horizon the point only follows the hand
    const double age = now - h.reported_at, horizon = h.set.horizon;
    const double carried = age < horizon ? age : horizon;
    haptic_move(h, hand, carried > 0 ? carried : 0, k, b, P, away);
    const double stored = haptic_coupling(h, hand, mode, k, b, f);
    haptic_limit_force(h, f);
    return stored;
}

// The hand gets no more than there is.
inline void haptic_afford(HapticPoint& h, const double* v, double* f) {
    const HapticSettings& s = h.set;
    const double dt = s.step;
    // until the next tick the hand moves by v dt, and by what force and torque make of it
    const double credit = h.ledger.balance + s.reserve, most = credit > 0 ? credit : 0;
    // (a device may be wrong about v: what it was seen to do counts as well)
    const double said = haptic_dot(f, v) + haptic_dot(f + 3, v + 3);
    const double seen = haptic_dot(f, h.pace) + haptic_dot(f + 3, h.pace + 3);
    const double a = (said > seen ? said : seen) * dt;
    const double c =
        dt * dt * (haptic_dot(f, f) / s.hand_mass + haptic_dot(f + 3, f + 3) / s.hand_inertia);
    if (!(a + c > most)) return;
    const double share = c > 0 ? (sqrt(a * a + 4 * c * most) - a) / (2 * c) : 0;
    h.removed += a + c - most;
    ++h.limited;
    if (s.is_passive == 0) return;
    for (int i = 0; i < 6; ++i) f[i] *= share;
}

// One tick with the hand where it is now; force and torque on it are in h.force. With is_faulty
// they fade away.
inline void haptic_tick(HapticPoint& h, double now, const HapticHand& hand, bool is_faulty) {
    const HapticSettings& s = h.set;
    double f[6] = {};
    ++h.ticks;
    if (haptic_wrong_hand(hand) != FIELD_FINE || !(fabs(now) <= TIME_MOST)) {
        haptic_release(h, fabs(now) <= TIME_MOST ? now : h.refused_at, f, false, GATE_NO_HAND);
        return;
    }
    // what the hand gave since, and whether it got more than it may have
    haptic_book(h, now, hand);
    const bool is_overdrawn = haptic_lock_overdraft(h, now);
    const int32_t mode = h.has_word ? (int32_t)h.reported[STATE_MODE] : (int32_t)TOUCH_NONE;
    haptic_fade(h, now, mode != TOUCH_NONE && !is_faulty);
    const bool acts = mode != TOUCH_NONE && h.strength > 0;
    const double stored = acts ? haptic_touch(h, now, hand, mode, f) : 0;
    h.ledger.settle(s.reserve, s.supply_most, s.step);
    h.ledger.keep(stored < s.credit_most ? stored : s.credit_most);
    haptic_afford(h, hand.v, f);
    haptic_release(h, now, f, hand.is_measured, is_overdrawn ? GATE_OVERDRAWN : GATE_OPEN);
}

}  // namespace kinegen
