// A hand coupled to one point of a body: what runs at the hand's rate in place of the whole
// mechanism. The point has the body's mobility W = J H⁻¹ Jᵀ there; what the mechanism tells comes
// late, twice, in disorder or not at all.
//
// Passivity: H is the energy that the hand gave, M what the mechanism was given at its end. The hand
// may take back what it gave and the mechanism has not got, and a small reserve: H >= M - reserve.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

namespace kinegen {

enum TouchMode : int32_t { TOUCH_NONE = 0, TOUCH_PUSH = 1, TOUCH_PULL = 2 };

// Order of the numbers that the mechanism tells.
enum HapticState : int32_t {
    STATE_MODE = 0,
    STATE_POINT = 1,
    STATE_SPEED = 4,
    STATE_REST = 7,       // acceleration of the point without the hand's force
    STATE_MOBILITY = 10,  // 3 × 3
    STATE_NORMAL = 19,
    STATE_STIFFNESS = 22,
    STATE_DAMPING = 23,
    STATE_ENERGY = 24,  // M
    STATE_HELD = 25,    // how long the echoed packet waited at the mechanism's end
    STATE_COUNT = 26
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
};
constexpr int32_t HAPTIC_SETTINGS = 11;

struct HapticPoint {
    HapticSettings set;
    double told[STATE_COUNT] = {};
    double told_at = 0;     // time for which it was told [s]
    double heard_at = -1e9;  // time at which it was heard
    double delay = 0;       // one way, as estimated
    uint32_t sequence = 0;
    bool has_word = false, has_hand = false;
    double p[3] = {}, u[3] = {};      // the point and its velocity
    double x[3] = {}, force[3] = {};  // hand at the last tick, and the force on it since
    double strength = 0;              // 0 ... 1
    double given = 0;                 // H [J]
    double forgotten = 0;             // credit beyond what is remembered [J]
    double removed = 0;               // energy that the hand would have got for nothing [J]
    int64_t ticks = 0, fresh = 0, reused = 0, old = 0, bad = 0, limited = 0;
};

inline double haptic_dot(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Solves A y = b, 3 × 3, by cofactors; A is I plus something positive, never singular.
inline void haptic_solve(const double* A, const double* b, double* y) {
    const double c0 = A[4] * A[8] - A[5] * A[7], c1 = A[5] * A[6] - A[3] * A[8],
                 c2 = A[3] * A[7] - A[4] * A[6];
    const double det = A[0] * c0 + A[1] * c1 + A[2] * c2;
    y[0] = (b[0] * c0 + b[1] * (A[2] * A[7] - A[1] * A[8]) + b[2] * (A[1] * A[5] - A[2] * A[4])) / det;
    y[1] = (b[0] * c1 + b[1] * (A[0] * A[8] - A[2] * A[6]) + b[2] * (A[2] * A[3] - A[0] * A[5])) / det;
    y[2] = (b[0] * c2 + b[1] * (A[1] * A[6] - A[0] * A[7]) + b[2] * (A[0] * A[4] - A[1] * A[3])) / det;
}

// A word of the mechanism; echo is our own time stamp that it answers, 0: none.
inline Heard haptic_hear(HapticPoint& h, uint32_t sequence, double now, double echo,
                         const double* told) {
    double sum = 0;
    for (int i = 0; i < STATE_COUNT; ++i) sum += told[i] * 0;
    const double mode = told[STATE_MODE];
    if (!(sum == 0) || !(mode == TOUCH_NONE || mode == TOUCH_PUSH || mode == TOUCH_PULL) ||
        !(told[STATE_STIFFNESS] >= 0) || !(told[STATE_DAMPING] >= 0)) {
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

// One tick with the hand at x with speed v; the force on the hand is in h.force. With is_faulty the
// force fades away.
inline void haptic_tick(HapticPoint& h, double now, const double* x, const double* v,
                        bool is_faulty) {
    const HapticSettings& s = h.set;
    const double dt = s.step;
    ++h.ticks;
    // the ledger: what the hand gave since the last tick, as it really moved
    if (h.has_hand)
        for (int i = 0; i < 3; ++i) h.given -= h.force[i] * (x[i] - h.x[i]);
    memcpy(h.x, x, sizeof h.x);
    h.has_hand = true;
    const double age = now - h.heard_at;
    const int32_t mode = h.has_word ? (int32_t)h.told[STATE_MODE] : (int32_t)TOUCH_NONE;
    if (age > s.deadline + dt / 2) ++h.reused;
    const bool is_held = mode != TOUCH_NONE && age < s.silence && !is_faulty;
    h.strength += (is_held ? 1 : -1) * dt / s.fade;
    h.strength = h.strength < 0 ? 0 : h.strength > 1 ? 1 : h.strength;
    double f[3] = {0, 0, 0};
    if (mode != TOUCH_NONE && h.strength > 0) {
        const double *W = h.told + STATE_MOBILITY, *n = h.told + STATE_NORMAL;
        const double *rest = h.told + STATE_REST;
        const double k = h.told[STATE_STIFFNESS], b = h.told[STATE_DAMPING];
        // directions in which the coupling acts: all of them, or the normal while it is pressed
        double P[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        if (mode == TOUCH_PUSH) {
            const double gap[3] = {h.p[0] - x[0], h.p[1] - x[1], h.p[2] - x[2]};
            const bool is_pressed = haptic_dot(gap, n) > 0;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) P[3 * i + j] = is_pressed ? n[i] * n[j] : 0;
        }
        // the point's own motion under the coupling, implicit: stable for any k and b
        double WP[9], A[9], pull[3], rhs[3];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                WP[3 * i + j] =
                    W[3 * i] * P[j] + W[3 * i + 1] * P[3 + j] + W[3 * i + 2] * P[6 + j];
                A[3 * i + j] = (i == j ? 1 : 0) + dt * (b + dt * k) * WP[3 * i + j];
            }
        for (int i = 0; i < 3; ++i) pull[i] = k * (x[i] - h.p[i]) + b * v[i];
        // what is told goes stale: beyond the horizon the point only follows the hand
        const double carried = now - h.told_at < s.horizon ? now - h.told_at : s.horizon;
        for (int i = 0; i < 3; ++i)
            rhs[i] = h.u[i] + dt * (rest[i] + haptic_dot(WP + 3 * i, pull));
        haptic_solve(A, rhs, h.u);
        for (int i = 0; i < 3; ++i) h.p[i] += dt * h.u[i];
        // led to what was told, carried on to now
        const double gain = 1 - exp(-dt / s.blend);
        for (int i = 0; i < 3; ++i) {
            const double *q = h.told + STATE_POINT, *w = h.told + STATE_SPEED;
            h.p[i] += gain * (q[i] + carried * w[i] - h.p[i]);
            h.u[i] += gain * (w[i] - h.u[i]);
        }
        double size = 0;
        if (mode == TOUCH_PULL) {
            for (int i = 0; i < 3; ++i) f[i] = k * (h.p[i] - x[i]) + b * (h.u[i] - v[i]);
        } else {
            double depth = 0, rate = 0;
            for (int i = 0; i < 3; ++i) {
                depth += n[i] * (h.p[i] - x[i]);
                rate += n[i] * (h.u[i] - v[i]);
            }
            // unilateral: a surface never holds the hand back
            const double press = depth > 0 ? k * depth + b * rate : 0;
            for (int i = 0; i < 3; ++i) f[i] = press > 0 ? press * n[i] : 0;
        }
        size = sqrt(haptic_dot(f, f));
        const double scale = h.strength * (size > s.force_most ? s.force_most / size : 1);
        for (int i = 0; i < 3; ++i) f[i] *= scale;
    }
    // the hand gets no more than there is
    double credit = h.given - h.told[STATE_ENERGY] + s.reserve;
    if (credit > s.credit_most) {
        h.forgotten += credit - s.credit_most;
        h.given -= credit - s.credit_most;
        credit = s.credit_most;
    }
    // until the next tick the hand moves by v dt, and by what the force makes of it
    const double most = credit > 0 ? credit : 0, a = haptic_dot(f, v) * dt;
    const double c = haptic_dot(f, f) * dt * dt / s.hand_mass;
    if (a + c > most) {
        const double share = (sqrt(a * a + 4 * c * most) - a) / (2 * c);
        h.removed += a + c - most;
        ++h.limited;
        if (s.is_passive != 0)
            for (int i = 0; i < 3; ++i) f[i] *= share;
    }
    memcpy(h.force, f, sizeof h.force);
}

}  // namespace kinegen
