// Variables of a unit: what they stand for, and which values they may have.
#include <math.h>

#include <memory>

#include "fmu/mechanism_unit.hpp"
#include "kernel/base/forward.hpp"
#include "kernel/base/tree.hpp"
#include "kernel/reduced/run.hpp"

namespace kinegen::fmu {

namespace {

bool is_fixed(int32_t kind) { return kind <= START && kind != GAIN; }

}  // namespace

MechanismUnit::MechanismUnit(Bundle bundle) : b_(std::move(bundle)) {
    own_ = b_.reals;
    if (bind_model(b_.ints.data(), (int64_t)b_.ints.size(), own_.data(), (int64_t)own_.size(),
                   model_) != OK)
        throw UnitError{"the unit's file does not hold a model of this version"};
    std::vector<int32_t> marks((size_t)model_.link_count);
    if (!is_tree(model_, marks.data()) || !fits())
        throw UnitError{"the unit's file holds numbers that do not fit together"};
    file_start_.assign(model_.start, model_.start + model_.nq);
    link_a_ = b_.link_a;
    link_b_ = b_.link_b;
    points_a_ = b_.points_a;
    points_b_ = b_.points_b;
    numbers_ = b_.springs;
    build();
    if (!b_.reach.empty()) {
        b_.shapes.link_count = model_.link_count;
        auto shapes = std::make_unique<OwnShapes>(std::move(b_.shapes));
        if (!shapes->flaw().empty()) throw UnitError{"the unit's file: " + shapes->flaw()};
        contacts_.touch(std::move(shapes), b_.reach, b_.settings[SET_MARGIN]);
        meets_ = true;
        choose_method();
    }
    motors_.are_there = b_.settings[SET_MOTORS] != 0;
    motors_.modes = b_.modes;
    motors_.rows = b_.rows;
    motors_.targets.assign((size_t)model_.nq + 2 * (size_t)model_.nv, 0);
    motors_.state.assign((size_t)SERVO_STATE_ROWS * (size_t)model_.nv, 0);
    servos_.make_room(model_);
    external_.assign((size_t)model_.nv + 1, 0);
    links_.assign(TRANSFORM_SIZE * (size_t)model_.link_count, 0);
    poses_.assign(7 * (size_t)model_.site_count(), 0);
    reset();
}

void MechanismUnit::reset() {
    values_ = b_.starts;
    is_set_.assign(values_.size(), 0);
    begun_ = false;
    is_due_ = true;
    trouble_.clear();
}

void MechanismUnit::begin(double time) {
    start_time_ = time;
    is_due_ = true;
    prepare();
    begun_ = true;
}

double MechanismUnit::get(uint32_t variable) {
    const int64_t i = checked(variable);
    const int32_t kind = b_.kind(i), index = b_.index(i);
    if (kind < TARGET_POSITION) return values_[(size_t)i];
    if (kind == TIME) return begun_ ? engine_.time : start_time_;
    prepare();
    switch (kind) {
        case POSITION:
            return engine_.q[index];
        case VELOCITY:
            return engine_.v[index];
        case EFFORT:
            return motor_state(SERVO_STATE_EFFORT, index);
        case POSE:
            return pose(index, b_.detail(i));
        case TEMPERATURE:
            return motor_state(SERVO_STATE_TEMPERATURE, index);
        case CONTACT:
            return contact_force(index, b_.detail(i));
        case KINETIC:
            place_now();
            return kinetic_energy(engine_, engine_.v);
        case POTENTIAL:
            place_now();
            return potential_energy(engine_, engine_.q);
        case GAP:
            return engine_.left.linear;
        default:
            return values_[(size_t)i];  // an input
    }
}

void MechanismUnit::set(uint32_t variable, double value) {
    const int64_t i = checked(variable);
    const int32_t kind = b_.kind(i);
    const std::string& name = b_.variable_names[(size_t)i];
    if (!isfinite(value)) throw UnitError{"'" + name + "' must be a finite number"};
    if (kind > FORCE) throw UnitError{"'" + name + "' is computed and cannot be set"};
    if (is_fixed(kind) && begun_)
        throw UnitError{"'" + name + "' can be set until initialization ends, not later"};
    check_value(kind, b_.index(i), name, value);
    values_[(size_t)i] = value;
    is_set_[(size_t)i] = 1;
    if (begun_) {
        if (kind == GAIN) use_gains();
    } else {
        is_due_ = true;
    }
}

int64_t MechanismUnit::checked(uint32_t variable) const {
    if ((int64_t)variable >= b_.variable_count())
        throw UnitError{"there is no variable with the value reference " +
                        std::to_string(variable)};
    return variable;
}

bool MechanismUnit::fits() const {
    if (!b_.reach.empty() && (int32_t)b_.reach.size() != model_.link_count) return false;
    const int32_t springs = (int32_t)b_.link_a.size(), held = (int32_t)b_.held.size();
    const int32_t formulas = (int32_t)b_.formula_targets.size();
    if ((int32_t)b_.q.size() != model_.nq || (int32_t)b_.v.size() != model_.nv ||
        (int64_t)b_.rows.size() != (int64_t)SERVO_ROWS * model_.nv ||
        !indices_within(b_.link_a.data(), springs, 0, model_.link_count) ||
        !indices_within(b_.link_b.data(), springs, 0, model_.link_count) ||
        !indices_within(b_.held.data(), held, 0, model_.nv) ||
        !indices_within(b_.spring_frames.data(), 2 * springs, -1, model_.frame_count) ||
        !indices_within(b_.formula_targets.data(), formulas, 0, 9 * springs) ||
        !starts_within(b_.formula_starts.data(), formulas, (int32_t)b_.formula_code.size() / 2))
        return false;
    for (int64_t i = 0; i < b_.variable_count(); ++i)
        if (b_.index(i) < 0 || b_.index(i) >= most(b_.kind(i)) || b_.detail(i) < 0 ||
            b_.detail(i) >= most_detail(b_.kind(i)))
            return false;
    return true;
}

int64_t MechanismUnit::most(int32_t kind) const {
    switch (kind) {
        case PARAMETER:
        case NUMBER:
            return model_.value_count();
        case MASS:
        case CONTACT:
            return model_.link_count;
        case INERTIA:
            return 10LL * model_.link_count;
        case GAIN:
            return (int64_t)SERVO_ROWS * model_.nv;
        case SPRING:
            return (int64_t)b_.springs.size();
        case START:
        case TARGET_POSITION:
        case POSITION:
            return model_.nq;
        case FORCE:
        case POSE:
            return model_.site_count();
        default:
            return kind < 0 || kind >= KIND_COUNT ? 0 : kind >= KINETIC ? 1 : model_.nv;
    }
}

int64_t MechanismUnit::most_detail(int32_t kind) const {
    return kind == MASS      ? 2
           : kind == START   ? model_.nv
           : kind == FORCE   ? 6
           : kind == CONTACT ? 3
                             : 7;
}

void MechanismUnit::check_value(int32_t kind, int32_t index, const std::string& name,
                                double value) const {
    if (kind == MASS && !(value > 0))
        throw UnitError{"'" + name + "' must be greater than 0 kg, got " + number_text(value)};
    if (kind == INERTIA && index % 10 > 3 && index % 10 < 7 && value < 0)
        throw UnitError{"'" + name + "' must be 0 kg m² or more, got " + number_text(value)};
    const bool is_spring = kind == SPRING && index < 2 * (int32_t)link_a_.size();
    if ((kind == GAIN || is_spring) && value < 0)
        throw UnitError{"'" + name + "' must be 0 or more, got " + number_text(value)};
}

void MechanismUnit::place_now() {
    place_tree(engine_.system.tree, engine_.q);
    place_couplings(engine_.system.tree, engine_.system.springs, engine_.system.ties);
    move_tree(engine_.system.tree, engine_.v);
}

double MechanismUnit::motor_state(int32_t which, int32_t i) const {
    return motors_.state[(size_t)which * (size_t)model_.nv + (size_t)i];
}

double MechanismUnit::pose(int32_t site, int32_t component) {
    if (!is_posed_) forward_poses(model_, engine_.q, links_.data(), poses_.data());
    is_posed_ = true;
    // kernels write the quaternion first
    return poses_[7 * (size_t)site + (size_t)(component < 3 ? component + 4 : component - 3)];
}

double MechanismUnit::contact_force(int32_t link, int32_t axis) const {
    double sum = 0;
    for (int32_t i = 0; i < contacts_.count(); ++i) {
        const int32_t* pair = contacts_.list().shapes + 2LL * i;
        const int32_t a = contacts_.link_of(pair[0]), b = contacts_.link_of(pair[1]);
        if (link != a && link != b) continue;
        double push[6];
        contacts_.impulse(i, push);
        sum += link == b ? push[axis] : -push[axis];
    }
    return sum / engine_.step;
}

std::unique_ptr<Unit> make_unit(const std::string& path, const std::string& token) {
    Bundle bundle = BundleFile(path).read();
    if (bundle.token != token)
        throw UnitError{"the model description (" + token + ") and the file '" + path + "' (" +
                        bundle.token + ") are of different exports"};
    return std::make_unique<MechanismUnit>(std::move(bundle));
}

}  // namespace kinegen::fmu
