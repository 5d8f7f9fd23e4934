// Steps of a unit: inputs, the engine's own steps, and why it stops.
#include <math.h>

#include "fmu/mechanism_unit.hpp"
#include "kernel/base/forward.hpp"
#include "kernel/reduced/run.hpp"

namespace kinegen::fmu {

namespace {

// Share of the stable step beyond which servos look ahead; as STIFF in dynamics/motors/servos.py.
constexpr double STIFF_SERVO = 0.25;
// Share of a step by which the length of a call may differ from whole steps: rounding of times.
constexpr double WHOLE = 1e-6;
// Steps of the engine in one call: as MOST_STEPS in dynamics/engines/engine.py.
constexpr double MOST_STEPS = 1e12;

bool is_input(int32_t kind) { return kind >= TARGET_POSITION && kind <= FORCE; }

}  // namespace

void MechanismUnit::step(double time, double length) {
    if (!trouble_.empty()) throw UnitError{trouble_};
    if (!(length >= 0) || !isfinite(length))
        throw UnitError{"a step must take a time of 0 s or more, got " + number_text(length) +
                        " s"};
    if (length == 0) return;
    const double own = b_.settings[SET_STEP], share = length / own;
    const bool is_whole = fabs(share - rint(share)) < WHOLE && share > 0.5;
    if (!(share < MOST_STEPS))
        throw UnitError{"a step of " + number_text(length) + " s takes too many steps of " +
                        number_text(own) + " s"};
    const int64_t count = is_whole ? (int64_t)rint(share) : (int64_t)ceil(share);
    const double before = engine_.step;
    engine_.step = is_whole ? own : length / (double)count;
    if (engine_.step != before) trial_ = 0;
    engine_.time = time;
    const bool pushed = take_inputs();
    is_posed_ = false;
    // a force keeps its direction while the frame that it acts on moves
    for (int64_t done = 0; done < count; done += pushed ? 1 : count) {
        if (pushed) push_frames();
        run(pushed ? 1 : count);
    }
    engine_.time = time + length;
}

void MechanismUnit::use_gains() {
    bool changed = false;
    for (int64_t i = 0; i < b_.variable_count(); ++i)
        if (b_.kind(i) == GAIN) {
            motors_.rows[(size_t)b_.index(i)] = values_[(size_t)i];
            changed = changed || is_changed(i);
        }
    motors_.are_stiff = b_.settings[SET_STIFF] != 0;
    if (!changed) return;
    const double damped = b_.settings[SET_DAMPED_STEP];
    double stable = damped;
    for (int32_t i = 0; i < model_.nv; ++i) {
        const int32_t mode = b_.modes[(size_t)i];
        if (mode != SERVO_POSITION && mode != SERVO_VELOCITY) continue;
        const double kp = motors_.row(SERVO_KP, i), kd = motors_.row(SERVO_KD, i);
        const double before = b_.rows[SERVO_KD * (size_t)model_.nv + (size_t)i];
        if (kd > before) stable = smaller(stable, damped * before / kd);
        if (mode == SERVO_POSITION && kp > 0) stable = smaller(stable, 2 * kd / kp);
    }
    motors_.are_stiff = b_.settings[SET_STEP] > STIFF_SERVO * stable;
}

bool MechanismUnit::take_inputs() {
    bool pushed = false;
    double* const targets = motors_.targets.data();
    for (int64_t i = 0; i < b_.variable_count(); ++i) {
        const int32_t kind = b_.kind(i), index = b_.index(i);
        if (!is_input(kind)) continue;
        const double value = values_[(size_t)i];
        if (kind == FORCE)
            pushed = pushed || value != 0;
        else if (kind == EXTERNAL_EFFORT)
            external_[(size_t)index] = value;
        else
            targets[index + (kind == TARGET_POSITION   ? 0
                             : kind == TARGET_VELOCITY ? model_.nq
                                                       : model_.nq + model_.nv)] = value;
    }
    unit_quaternions(targets);
    engine_.has_wrenches = pushed;
    return pushed;
}

void MechanismUnit::push_frames() {
    clear_all(engine_.wrenches, 6LL * model_.link_count);
    forward_links(model_, engine_.q, links_.data());
    for (int64_t i = 0; i < b_.variable_count(); ++i) {
        if (b_.kind(i) != FORCE || values_[(size_t)i] == 0) continue;
        const int32_t site = b_.index(i), link = model_.site_link(site), axis = b_.detail(i);
        double* wrench = engine_.wrenches + 6LL * link;
        wrench[axis] += values_[(size_t)i];
        if (axis >= 3) continue;
        double X[TRANSFORM_SIZE];
        site_transform(model_, links_.data(), site, X);
        double arm[3], force[3] = {0, 0, 0};
        for (int k = 0; k < 3; ++k)
            arm[k] = X[9 + k] - links_[TRANSFORM_SIZE * (size_t)link + 9 + (size_t)k];
        force[axis] = values_[(size_t)i];
        add_cross3(arm, force, wrench + 3);
    }
}

void MechanismUnit::run(int64_t count) {
    make_room();
    sift();
    copy_all(engine_.tau, external_.data(), model_.nv);
    if (motors_.are_there) servos_.take_over(engine_, motors_, 0);
    const RunStopper never{nullptr, nullptr};
    if (contacts_.are_found())
        contacts_.run(count, trial_, never);
    else
        run_steps(count, never);
    ReducedServos::let_go(engine_);
    if (engine_.report.status == RUN_OK && all_finite(engine_.q, model_.nq) &&
        all_finite(engine_.v, model_.nv))
        return;
    trouble_ = stopped();
    throw UnitError{trouble_};
}

std::string MechanismUnit::stopped() const {
    const std::string when = " at " + number_text(engine_.time) + " s";
    switch (engine_.report.status) {
        case RUN_OPEN:
            return "the loops opened by " + number_text(1000 * engine_.report.gap) + " mm" + when +
                   " and cannot be closed: the unit's step of " +
                   number_text(b_.settings[SET_STEP]) + " s is too long for this motion";
        case RUN_MASSLESS: {
            const int32_t v = engine_.system.tree.index[engine_.report.culprit];
            return "joint '" + b_.joint_names[(size_t)v] + "' has no mass to move" + when;
        }
        case RUN_SMALL:
            return "adaptive steps became too short" + when;
        default:
            return "the motion diverged" + when + ": a number is no longer finite";
    }
}

}  // namespace kinegen::fmu
