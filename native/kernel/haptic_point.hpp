// A hand coupled to one point of a body, or to the whole pose there: what runs at the hand's rate in
// place of the whole mechanism. The point has the body's mobility W = J H⁻¹ Jᵀ there, linear rows
// first; what the mechanism tells comes late, twice, in disorder or not at all.
//
// Passivity: H is the energy that the hand gave, M what the mechanism was given at its end. The hand
// may take back what it gave and the mechanism has not got, and a small reserve: H >= M - reserve.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "rotation.hpp"

namespace kinegen {

enum TouchMode : int32_t { TOUCH_NONE = 0, TOUCH_PUSH = 1, TOUCH_PULL = 2 };

// Order of the numbers that the mechanism tells.
enum HapticState : int32_t {
    STATE_MODE = 0,
    STATE_POINT = 1,
    STATE_TURN = 4,        // orientation, wxyz
    STATE_SPEED = 8,       // linear, angular
    STATE_REST = 14,       // acceleration of the point without the hand's force, alike
    STATE_MOBILITY = 20,   // 6 × 6
    STATE_NORMAL = 56,
    STATE_STIFFNESS = 59,  // linear, angular
    STATE_DAMPING = 61,
    STATE_ENERGY = 63,  // M
    STATE_HELD = 64,    // how long the echoed packet waited at the mechanism's end
    STATE_COUNT = 65
};

enum Heard : int32_t { HEARD_NEW = 0, HEARD_OLD = 1, HEARD_BAD = 2 };

struct HapticSettings {
    double step = 1e-3;        // [s]
    double deadline = 1e-3;    // age of the last word beyond which a tick counts as one without [s]
    double horizon = 0.05;     // how far the last word is carried on [s]
    double silence = 0.25;     // age at which the mechanism counts as gone [s]
    double fade = 0.05;        // time in which the force comes and goes [s]
    double blend = 5e-3;       // time in which the point is led to what was told [s]
    double force_most = 20;    // [N]
    double reserve = 0.01;     // energy that the hand may get for nothing [J]
    double credit_most = 1.0;  // energy given by the hand that is remembered [J]
    double hand_mass = 0.1;    // of the lightest hand with its device [kg]
    double is_passive = 1;     // 0: the ledger is kept and nobody minds it
    double torque_most = 1;    // [N m]
    double hand_inertia = 1e-4;  // of the lightest hand with its device [kg m²]
};
constexpr int32_t HAPTIC_SETTINGS = 13;

// Where a hand is; has_turn: the device knows its orientation and can give a torque.
struct HapticHand {
    double x[3] = {}, turn[4] = {1, 0, 0, 0};  // [m], wxyz
    double v[6] = {};                          // linear, angular [m/s, rad/s]
    bool has_turn = false;
};

struct HapticPoint {
    HapticSettings set;
    double told[STATE_COUNT] = {};
    double told_at = 0;     // time for which it was told [s]
    double heard_at = -1e9;  // time at which it was heard
    double delay = 0;       // one way, as estimated
    uint32_t sequence = 0;
    bool has_word = false, has_hand = false;
    double p[3] = {}, turn[4] = {1, 0, 0, 0}, u[6] = {};  // the point and its velocity
    HapticHand hand;                  // at the last tick
    double force[6] = {};             // on it since: force, torque
    double strength = 0;              // 0 ... 1
    double given = 0;                 // H [J]
    double forgotten = 0;             // credit beyond what is remembered [J]
    double removed = 0;               // energy that the hand would have got for nothing [J]
    int64_t ticks = 0, fresh = 0, reused = 0, old = 0, bad = 0, limited = 0;
};

inline double haptic_dot(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

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

// A word of the mechanism; echo is our own time stamp that it answers, 0: none.
inline Heard haptic_hear(HapticPoint& h, uint32_t sequence, double now, double echo,
                         const double* told) {
    double sum = 0;
    for (int i = 0; i < STATE_COUNT; ++i) sum += told[i] * 0;
    const double mode = told[STATE_MODE], *quat = told + STATE_TURN;
    const double length = haptic_dot(quat + 1, quat + 1) + quat[0] * quat[0];
    bool is_sane = sum == 0 && (mode == TOUCH_NONE || mode == TOUCH_PUSH || mode == TOUCH_PULL) &&
                   length > 0.25 && length < 4;
    for (int i = 0; i < 2; ++i)
        is_sane = is_sane && told[STATE_STIFFNESS + i] >= 0 && told[STATE_DAMPING + i] >= 0;
    if (!is_sane) {
        ++h.bad;
        return HEARD_BAD;
    }
    // after a silence it may be another mechanism, that counts from the start
    const bool is_silent = now - h.heard_at > h.set.silence;
    if (h.has_word && !is_silent && (int32_t)(sequence - h.sequence) <= 0) {
        ++h.old;
        return HEARD_OLD;
    }
    if (echo > 0) {
        double late = (now - echo - told[STATE_HELD]) / 2;
        late = late < 0 ? 0 : late > 1 ? 1 : late;
        h.delay = h.has_word ? h.delay + (late - h.delay) / 16 : late;
    }
    const bool is_other = !h.has_word || is_silent || h.told[STATE_MODE] != mode;
    memcpy(h.told, told, sizeof h.told);
    h.sequence = sequence;
    h.heard_at = now;
    h.told_at = now - h.delay;
    h.has_word = true;
    ++h.fresh;
    if (is_other) {
        memcpy(h.p, told + STATE_POINT, sizeof h.p);
        memcpy(h.turn, told + STATE_TURN, sizeof h.turn);
        quat_normalize(h.turn);
        memcpy(h.u, told + STATE_SPEED, sizeof h.u);
        // a new touch: credit from before belongs to the past, a debt does not
        const double credit = h.given - told[STATE_ENERGY];
        if (credit > 0 || is_silent) {
            h.forgotten += credit;
            h.given = told[STATE_ENERGY];
        }
    }
    return HEARD_NEW;
}

// The point's own motion under the coupling: implicit, so stable for any stiffness and damping.
inline void haptic_move(HapticPoint& h, const HapticHand& hand, double carried, const double* k,
                        const double* b, const double* P, const double* away) {
    const double dt = h.set.step, *W = h.told + STATE_MOBILITY, *rest = h.told + STATE_REST;
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
    // led to what was told, carried on to now
    const double gain = 1 - exp(-dt / h.set.blend), *w = h.told + STATE_SPEED;
    double turn[4], left[3];
    memcpy(turn, h.told + STATE_TURN, sizeof turn);
    quat_normalize(turn);
    haptic_turn(turn, w + 3, carried);
    haptic_between(h.turn, turn, left);
    haptic_turn(h.turn, left, gain);
    for (int i = 0; i < 3; ++i)
        h.p[i] += gain * (h.told[STATE_POINT + i] + carried * w[i] - h.p[i]);
    for (int i = 0; i < 6; ++i) h.u[i] += gain * (w[i] - h.u[i]);
}

// One tick with the hand where it is now; force and torque on it are in h.force. With is_faulty
// they fade away.
inline void haptic_tick(HapticPoint& h, double now, const HapticHand& hand, bool is_faulty) {
    const HapticSettings& s = h.set;
    const double dt = s.step, *x = hand.x, *v = hand.v;
    ++h.ticks;
    // the ledger: what the hand gave since the last tick, as it really moved
    if (h.has_hand) {
        double turned[3];
        haptic_between(h.hand.turn, hand.turn, turned);
        for (int i = 0; i < 3; ++i) h.given -= h.force[i] * (x[i] - h.hand.x[i]);
        for (int i = 0; i < 3; ++i) h.given -= h.force[3 + i] * turned[i];
    }
    h.hand = hand;
    h.has_hand = true;
    const double age = now - h.heard_at;
    const int32_t mode = h.has_word ? (int32_t)h.told[STATE_MODE] : (int32_t)TOUCH_NONE;
    if (age > s.deadline + dt / 2) ++h.reused;
    const bool is_held = mode != TOUCH_NONE && age < s.silence && !is_faulty;
    h.strength += (is_held ? 1 : -1) * dt / s.fade;
    h.strength = h.strength < 0 ? 0 : h.strength > 1 ? 1 : h.strength;
    double f[6] = {};
    if (mode != TOUCH_NONE && h.strength > 0) {
        const double* n = h.told + STATE_NORMAL;
        // a device that does not know how it is turned feels the place alone
        const bool turns = hand.has_turn && mode == TOUCH_PULL;
        const double k[2] = {h.told[STATE_STIFFNESS], turns ? h.told[STATE_STIFFNESS + 1] : 0};
        const double b[2] = {h.told[STATE_DAMPING], turns ? h.told[STATE_DAMPING + 1] : 0};
        double away[6];
        for (int i = 0; i < 3; ++i) away[i] = x[i] - h.p[i];
        haptic_between(h.turn, hand.turn, away + 3);
        // directions in which the coupling acts: all of them, or the normal while it is pressed
        double P[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        if (mode == TOUCH_PUSH) {
            const bool is_pressed = haptic_dot(away, n) < 0;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) P[3 * i + j] = is_pressed ? n[i] * n[j] : 0;
        }
        // what is told goes stale: beyond the horizon the point only follows the hand
        const double carried = now - h.told_at < s.horizon ? now - h.told_at : s.horizon;
        haptic_move(h, hand, carried, k, b, P, away);
        if (mode == TOUCH_PULL) {
            haptic_between(hand.turn, h.turn, f + 3);
            for (int i = 0; i < 3; ++i) {
                f[i] = k[0] * (h.p[i] - x[i]) + b[0] * (h.u[i] - v[i]);
                f[3 + i] = k[1] * f[3 + i] + b[1] * (h.u[3 + i] - v[3 + i]);
            }
        } else {
            double depth = 0, rate = 0;
            for (int i = 0; i < 3; ++i) {
                depth += n[i] * (h.p[i] - x[i]);
                rate += n[i] * (h.u[i] - v[i]);
            }
            // unilateral: a surface never holds the hand back
            const double press = depth > 0 ? k[0] * depth + b[0] * rate : 0;
            for (int i = 0; i < 3; ++i) f[i] = press > 0 ? press * n[i] : 0;
        }
        const double most[2] = {s.force_most, s.torque_most};
        for (int part = 0; part < 2; ++part) {
            double* g = f + 3 * part;
            const double size = sqrt(haptic_dot(g, g));
            const double scale = h.strength * (size > most[part] ? most[part] / size : 1);
            for (int i = 0; i < 3; ++i) g[i] *= scale;
        }
    }
    // the hand gets no more than there is
    double credit = h.given - h.told[STATE_ENERGY] + s.reserve;
    if (credit > s.credit_most) {
        h.forgotten += credit - s.credit_most;
        h.given -= credit - s.credit_most;
        credit = s.credit_most;
    }
    // until the next tick the hand moves by v dt, and by what force and torque make of it
    const double most = credit > 0 ? credit : 0;
    const double a = (haptic_dot(f, v) + haptic_dot(f + 3, v + 3)) * dt;
    const double c = dt * dt * (haptic_dot(f, f) / s.hand_mass +
                                haptic_dot(f + 3, f + 3) / s.hand_inertia);
    if (a + c > most) {
        const double share = (sqrt(a * a + 4 * c * most) - a) / (2 * c);
        h.removed += a + c - most;
        ++h.limited;
        if (s.is_passive != 0)
            for (int i = 0; i < 6; ++i) f[i] *= share;
    }
    memcpy(h.force, f, sizeof h.force);
}

}  // namespace kinegen
