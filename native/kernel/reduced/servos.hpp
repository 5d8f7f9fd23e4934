// Motors with servos inside the steps: targets in, efforts out before every step.
//
// The law is that of dynamics/motors/servos.py: a position loop over a speed loop, within what the
// motor gives at its speed and temperature. Efforts are held for a step and fit the state in its
// middle, foreseen by the speed and its last change. Stiff gains act on the state at the end of the
// step (J. Tan, K. Liu, G. Turk, "Stable proportional-derivative controllers", IEEE Computer
// Graphics and Applications 31(4), 2011).
#pragma once

#include "kernel/base/manifold.hpp"
#include "kernel/reduced/engine.hpp"
#include "kernel/reduced/protocol.hpp"

namespace kinegen {

// Growth of the resistance of copper per kelvin.
constexpr double COPPER = 0.00393;
// Shares of a speed limit's approach, as in dynamics/motors/speed_limits.py.
constexpr double APPROACH = 0.3, LOAD_SHARE = 0.3, STANDING = 1. / 16, PASSED = 1.02;
constexpr double LIGHTEST = 1. / 16;

struct Servos {
    bool is_stiff;  // whether gains look ahead
    int32_t nv;
    const int32_t* mode;                                // per v
    const double* rows;                                 // SERVO_ROWS × nv
    const double *target_q, *target_v, *target_effort;  // what is asked for
    double* state;                                      // SERVO_STATE_ROWS × nv
    int32_t* place;  // per v: its variable in q, -1: a quaternion's
    double* given;   // per v: efforts of others than the servos
    double *error, *seen, *kp, *push, *slope, *vdot, *full, *column, *response;  // scratch per v
    double *mass, *factor;  // of a tree: its mass matrix; its factor and diagonal

    double row(int32_t which, int32_t i) const { return rows[which * (int64_t)nv + i]; }
    double& at(int32_t which, int32_t i) const { return state[which * (int64_t)nv + i]; }
    bool has_backlash(int32_t i) const { return place[i] >= 0 && row(SERVO_HALF, i) > 0; }
};

// Memory of their own.
inline void lay_out_servos(const Model& m, Arena<double>& reals, Arena<int32_t>& ints, Servos& s) {
    s.nv = m.nv;
    s.place = ints.take(m.nv);
    double** const per_v[] = {&s.given, &s.error, &s.seen, &s.kp,     &s.push,
                              &s.slope, &s.vdot,  &s.full, &s.column, &s.response};
    for (double** part : per_v) *part = reals.take(m.nv);
    s.mass = reals.take((int64_t)m.nv * m.nv);
    s.factor = reals.take((int64_t)m.nv * (m.nv + 1));
    if (s.place == nullptr) return;
    for (int32_t j = 0; j < m.joint_count; ++j)
        for (int32_t k = 0; k < JOINT_NV[m.joint_type[j]]; ++k)
            s.place[m.joint_v[j] + k] = JOINT_QUATERNION[m.joint_type[j]] ? -1 : m.joint_q[j] + k;
}

// Share of a motor's effort that its temperature leaves.
inline double effort_left(double temperature, double derate, double limit) {
    if (temperature >= limit) return 0;
    if (temperature <= derate) return 1;
    return smaller(1, larger(0, (limit - temperature) / (limit - derate)));
}

// Accelerations under e.tau less the servos' slopes times the accelerations, in s.vdot.
inline void accelerate_stiffened(ReducedEngine& e, Servos& s) {
    ReducedTree& t = e.system.tree;
    if (e.is_dense && e.integrator != IMPLICIT && e.system.ties.row_count == 0) {
        // a tree: the mass matrix is known, and its factor is needed again afterwards
        copy_all(s.factor, t.H, t.H_size);
        copy_all(s.factor + t.H_size, t.inverse, t.n);
        copy_all(t.H, t.kept, t.H_size);
        for (int32_t k = 0; k < t.n; ++k) t.row(k)[k] += s.slope[t.index[k]];
        factor_tree(t);
        accelerate(e, e.q, e.v, s.vdot);
        copy_all(t.H, s.factor, t.H_size);
        copy_all(t.inverse, s.factor + t.H_size, t.n);
        return;
    }
    for (int32_t k = 0; k < t.n; ++k) e.stiffening[k] = s.slope[t.index[k]];
    assemble_dense(e, e.q, e.stiffening);
    accelerate(e, e.q, e.v, s.vdot);
    // steps begin where the system is assembled as it is
    if (e.integrator != IMPLICIT) assemble_at(e, e.q, nullptr);
}

// Efforts of springs kp and dampers as they will be after a step h, in s.push; servos know the
// mechanism, not what else pushes it.
inline void look_ahead(ReducedEngine& e, Servos& s, double h) {
    const bool has_wrenches = e.has_wrenches;
    e.has_wrenches = false;
    for (int32_t i = 0; i < s.nv; ++i) {
        s.push[i] -= h * s.kp[i] * e.v[i];
        e.tau[i] = s.push[i];
        s.vdot[i] = 0;
    }
    accelerate_stiffened(e, s);
    for (int32_t i = 0; i < s.nv; ++i) s.push[i] -= s.slope[i] * s.vdot[i];
    e.has_wrenches = has_wrenches;
}

// Inertia of variable k of the tree within a step, loops closed: what a unit of effort moves.
inline double inertia_of(ReducedEngine& e, Servos& s, int32_t k) {
    ReducedSystem& system = e.system;
    const int32_t n = system.tree.n;
    for (int32_t i = 0; i < n; ++i) s.column[i] = i == k ? 1 : 0;
    solve_outer(system.tree, s.column);
    copy_all(s.response, s.column, n);
    if (system.ties.row_count > 0) {
        multiply_rows(system, s.response, system.lambda);
        for (int32_t r = 0; r < system.ties.row_count; ++r) system.lambda[r] = -system.lambda[r];
        solve_rows(system, system.lambda);
        add_rows(system, system.lambda, s.response);
    }
    const double eased = dot(s.column, s.response, n);
    return eased > 0 ? 1 / eased : 0;
}

// Efforts that bring motors to their speed limits and not beyond, as low and high in s.kp and
// s.slope: what each pushes against, which is what of its last effort did not accelerate it, and
// as much more as brings it nearer to its limit. s.push: what is asked for.
inline void limit_speeds(ReducedEngine& e, Servos& s, double h) {
    const ReducedTree& t = e.system.tree;
    for (int32_t i = 0; i < s.nv; ++i) {
        s.kp[i] = -INFINITY;
        s.slope[i] = INFINITY;
    }
    const double rate = APPROACH / h;
    bool assembled = false;
    for (int32_t k = 0; k < t.n; ++k) {
        const int32_t i = t.index[k];
        const double limit = s.row(SERVO_SPEED, i), speed = s.seen[i],
                     start = s.row(SERVO_INERTIA, i);
        if (!(limit < INFINITY && start > 0)) continue;
        double& load = s.at(SERVO_STATE_LOAD, i);
        if (!(fabs(s.push[i]) > LIGHTEST * rate * start * (limit - fabs(speed)))) {
            load = 0;
            continue;
        }
        const bool slack = s.has_backlash(i);
        if (!slack && !assembled) {
            if (e.integrator == IMPLICIT)
                assemble_dense(e, e.q, nullptr);
            else
                need_dense(e, e.q, nullptr);
            assembled = true;
        }
        const double inertia = slack ? s.row(SERVO_ROTOR, i) : inertia_of(e, s, k);
        const double before = s.at(SERVO_STATE_BEFORE, i);
        if (before < INFINITY) {
            const double gained = e.v[i] - before, most = s.row(SERVO_EFFORT, i);
            // through backlash, the effort that reached the joint is the load of the rotor
            const double moved = slack ? 0 : inertia * gained / h;
            const double found = smaller(most, larger(-most, s.at(SERVO_STATE_EFFORT, i) - moved));
            // a load that is gone is gone at once: what held a finger does not throw it
            const double left = smaller(larger(0, found), larger(smaller(0, found), load));
            const bool stands = larger(fabs(speed), fabs(gained)) <= STANDING * limit;
            load = left + (stands ? 1 : LOAD_SHARE) * (found - left);
            if ((load > 0 ? speed : -speed) > PASSED * limit) load *= 0.5;
        }
        s.slope[i] = load + rate * inertia * (limit - speed);
        s.kp[i] = load - rate * inertia * (limit + speed);
    }
}

// Least and greatest effort of motor i at a speed, within those that keep its speed limit.
inline void effort_span(const Servos& s, int32_t i, double speed, double& low, double& high) {
    const auto row = [&](int32_t which) { return s.row(which, i); };
    const double effort = row(SERVO_EFFORT), stall = row(SERVO_STALL);
    const double curve = stall < INFINITY ? speed / row(SERVO_NO_LOAD) : 0;
    high = smaller(effort, larger(-effort, smaller(high, stall * (1 - curve))));
    low = larger(-effort, smaller(effort, larger(low, -stall * (1 + curve))));
    if (row(SERVO_PER_AMPERE) < INFINITY) {
        const double temperature = s.at(SERVO_STATE_TEMPERATURE, i);
        const double share = effort_left(temperature, row(SERVO_DERATE), row(SERVO_LIMIT));
        const double left = share >= 1 ? INFINITY : share <= 0 ? 0 : share * smaller(effort, stall);
        low = larger(low, -left);
        high = smaller(high, left);
    }
}

// A rotor, and its joint at the end of a step.
struct Rotor {
    double angle, speed, inertia;
    double at, v;
    double half, stiffness, damping;  // of the backlash and its flanks
};

// Speed of a rotor after a step h under an effort push - slope times that speed; flank: what its
// teeth give the joint. Servo and teeth act as they will at the end of the step, so that neither
// stiff gains nor a light rotor can ring.
inline double turn_rotor(const Rotor& r, double push, double slope, double h, double& flank) {
    const double mass = r.inertia / h + slope, drive = r.inertia / h * r.speed + push;
    const double free = drive / mass, apart = r.angle + h * free - r.at;
    flank = 0;
    if (fabs(apart) <= r.half) return free;
    const double side = apart > 0 ? 1 : -1, deep = r.angle - r.at - side * r.half;
    double turned =
        (drive - r.stiffness * deep + r.damping * r.v) / (mass + r.damping + h * r.stiffness);
    if (side * (deep + h * turned) <= 0) turned = -deep / h;  // it comes to rest at the flank
    const double given = drive - mass * turned;
    if (!(side * given > 0)) return free;  // teeth push, they never pull
    flank = given;
    return turned;
}

// What reaches the joint of motor i, at `at`, through its backlash over a step h: of an effort
// `push` at its start, between low and high at its end.
inline double push_through(const Servos& s, int32_t i, double push, double low, double high,
                           double at, double v, double h) {
    double &angle = s.at(SERVO_STATE_ANGLE, i), &speed = s.at(SERVO_STATE_SPEED, i);
    const Rotor rotor{angle,
                      speed,
                      s.row(SERVO_ROTOR, i),
                      at + h * v,
                      v,
                      s.row(SERVO_HALF, i),
                      s.row(SERVO_FLANK_STIFFNESS, i),
                      s.row(SERVO_FLANK_DAMPING, i)};
    const bool is_placed = s.mode[i] == SERVO_POSITION;
    const double kp = is_placed ? s.row(SERVO_KP, i) : 0;
    const double kd = is_placed || s.mode[i] == SERVO_VELOCITY ? s.row(SERVO_KD, i) : 0;
    const double start = push + kd * speed, slope = h * kp + kd;
    double flank, turned = turn_rotor(rotor, start, slope, h, flank);
    const double given = start - slope * turned;
    if (!(low <= given && given <= high))
        turned = turn_rotor(rotor, smaller(high, larger(low, given)), 0, h, flank);
    speed = turned;
    angle += h * turned;
    return flank;
}

// Lets the winding of motor i warm up under an effort for a time h.
inline void warm_winding(const Servos& s, int32_t i, double effort, double h) {
    double& temperature = s.at(SERVO_STATE_TEMPERATURE, i);
    const double current = effort / s.row(SERVO_PER_AMPERE, i);
    const double warm = s.row(SERVO_RESISTANCE, i) * (1 + COPPER * (temperature - 25));
    const double final =
        s.row(SERVO_AMBIENT, i) + current * current * warm * s.row(SERVO_TO_AIR, i);
    const double decay = exp(-h / (s.row(SERVO_TO_AIR, i) * s.row(SERVO_CAPACITY, i)));
    s.at(SERVO_STATE_CURRENT, i) = current;
    temperature = final + (temperature - final) * decay;
}

// What all servos ask of their motors over the next step h, in s.push; s.seen: speeds they see.
inline void find_wanted(ReducedEngine& e, Servos& s, double h) {
    difference(*e.system.tree.model, e.q, s.target_q, s.error);
    bool looks = false;
    for (int32_t i = 0; i < s.nv; ++i) {
        s.seen[i] = e.v[i];
        s.push[i] = s.kp[i] = s.slope[i] = 0;
        s.full[i] = INFINITY;
        if (s.has_backlash(i)) {
            // the motor's own angle is what its servo sees
            s.error[i] += e.q[s.place[i]] - s.at(SERVO_STATE_ANGLE, i);
            s.seen[i] = s.at(SERVO_STATE_SPEED, i);
        }
        if (s.mode[i] != SERVO_POSITION && s.mode[i] != SERVO_VELOCITY) continue;
        // what is held for a step fits its middle, foreseen by the speed and its last change
        double speed = s.seen[i];
        if (!s.is_stiff && !s.has_backlash(i)) {
            const double before = s.at(SERVO_STATE_BEFORE, i);
            s.error[i] -= h / 2 * speed;
            if (before < INFINITY) speed += (speed - before) / 2;
        }
        const double kd = s.row(SERVO_KD, i), most = s.row(SERVO_SPEED, i);
        double kp = s.mode[i] == SERVO_POSITION ? s.row(SERVO_KP, i) : 0;
        // a loop of speed inside one of place: no faster than the motor can
        const double asked = (kd > 0 ? kp / kd * s.error[i] : 0) + s.target_v[i];
        const bool is_limited = fabs(asked) > most && kd > 0;
        const double goal = is_limited ? (asked > 0 ? most : -most) : s.target_v[i];
        const double more = s.target_effort[i] - kd * speed;
        // rotors in backlash look ahead by themselves; joints feel what reaches them
        const bool slack = s.has_backlash(i);
        if (is_limited || slack) s.full[i] = kp * s.error[i] + kd * s.target_v[i] + more;
        if (slack) {
            s.push[i] = s.at(SERVO_STATE_EFFORT, i);
            continue;
        }
        if (is_limited) kp = 0;
        s.kp[i] = kp;
        s.slope[i] = h * kd + h * h * kp;
        s.push[i] = kp * s.error[i] + kd * goal + more;
        looks = true;
    }
    if (s.is_stiff && looks) look_ahead(e, s, h);
    for (int32_t i = 0; i < s.nv; ++i) {
        if (s.mode[i] == SERVO_TORQUE) s.push[i] = s.target_effort[i];
        // at its limit a motor gives what holds that speed, which the limit alone bounds
        if (s.full[i] < INFINITY) s.push[i] = s.full[i];
    }
}

// Efforts of all motors over the next step, with those of others into e.tau; the system is
// assembled at e.q, and is so afterwards.
inline void push_servos(ReducedEngine& e, Servos& s) {
    const double h = e.step;
    find_wanted(e, s, h);
    limit_speeds(e, s, h);
    for (int32_t i = 0; i < s.nv; ++i) {
        const double wanted = s.push[i];
        double effort = 0, low = s.kp[i], high = s.slope[i];
        bool saturated = false;
        if (s.mode[i] != SERVO_NONE) {
            effort_span(s, i, s.seen[i], low, high);
            effort = smaller(high, larger(low, wanted));
            // a motor whose target is a torque does not brake when it runs too fast
            if (s.mode[i] == SERVO_TORQUE && effort * wanted < 0) effort = 0;
            saturated = fabs(effort - wanted) > 1e-12 * (1 + fabs(wanted));
        }
        // a motor that is off still carries its rotor, and cools
        if (s.has_backlash(i)) {
            const bool is_linear = s.mode[i] == SERVO_POSITION || s.mode[i] == SERVO_VELOCITY;
            const double at = e.q[s.place[i]], v = e.v[i];
            effort = is_linear ? push_through(s, i, wanted, low, high, at, v, h)
                               : push_through(s, i, effort, effort, effort, at, v, h);
        }
        if (s.row(SERVO_PER_AMPERE, i) < INFINITY) warm_winding(s, i, effort, h);
        s.at(SERVO_STATE_WANTED, i) = wanted;
        s.at(SERVO_STATE_EFFORT, i) = effort;
        s.at(SERVO_STATE_BEFORE, i) = s.mode[i] == SERVO_NONE ? INFINITY : e.v[i];
        s.at(SERVO_STATE_SATURATED, i) = saturated;
        s.at(SERVO_STATE_SATURATIONS, i) += saturated;
        e.tau[i] = effort + s.given[i];
    }
}

}  // namespace kinegen
