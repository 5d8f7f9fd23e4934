// The start of a unit: from the numbers that are set to an engine with closed loops.
#include <math.h>

#include "fmu/mechanism_unit.hpp"
#include "kernel/base/formula.hpp"
#include "kernel/loops/system.hpp"
#include "kernel/reduced/run.hpp"

namespace kinegen::fmu {

namespace {

// h c / m or h² k / m of a spring beyond which steps are implicit; as STIFF in
// dynamics/engines/reduced/engine.py.
constexpr double STIFF_SPRING = 1.0;
// How far beyond its limits a joint may start [rad, sizes]; as BEYOND in
// dynamics/simulation/starts.py.
constexpr double BEYOND = 0.02;
// How far from the file's start a pose still is that start [rad, m]: closing moves it by less.
constexpr double SAME_START = 1e-6;
// Changed lengths and starts are approached in so many parts, so that the assembly mode stays.
constexpr int32_t PARTS[2] = {16, 512};

}  // namespace

void MechanismUnit::prepare() {
    if (begun_ || !is_due_) return;
    own_ = b_.reals;
    numbers_ = b_.springs;
    points_a_ = b_.points_a;
    points_b_ = b_.points_b;
    std::vector<double> q = b_.q;
    if (any_changed(PARAMETER) || any_changed(NUMBER) || any_changed(START)) {
        assemble(q);
        place_springs();
    }
    for (int64_t i = 0; i < b_.variable_count(); ++i)
        if (b_.kind(i) == SPRING && is_changed(i))
            numbers_[(size_t)b_.index(i)] = values_[(size_t)i];
    set_masses();
    motors_.rows = b_.rows;
    divide_rotors();
    point();
    check_limits(q);
    engine_.step = b_.settings[SET_STEP];
    engine_.tolerance = b_.settings[SET_TOLERANCE];
    engine_.with_stops = b_.settings[SET_STOPS] != 0;
    engine_.with_friction = b_.settings[SET_FRICTION] != 0;
    engine_.restitution = b_.settings[SET_RESTITUTION];
    engine_.has_wrenches = false;
    choose_integrator(RK4);
    contacts_.forget();
    if (!ReducedMachine::begin(q.data(), b_.v.data(), start_time_))
        throw UnitError{"the loops stay open by " + number_text(1000 * engine_.left.linear) +
                        " mm at this start"};
    const int32_t asked = (int32_t)b_.settings[SET_INTEGRATOR];
    choose_integrator(asked >= 0 ? asked : stiffness_here() > STIFF_SPRING ? IMPLICIT : RK4);
    clear_all(engine_.tau, model_.nv);
    clear_all(external_.data(), model_.nv);
    for (int32_t i = 0; i < model_.nv; ++i) {
        if (b_.modes[(size_t)i] == SERVO_NONE) continue;
        motors_.row(SERVO_EFFORT, i) = model_.effort[i];
        motors_.row(SERVO_SPEED, i) = model_.speed[i];
    }
    use_gains();
    motors_.reset(model_, engine_.q);
    copy_all(motors_.targets.data(), engine_.q, model_.nq);
    // a target that nobody has set is where the motion begins
    for (int64_t i = 0; i < b_.variable_count(); ++i)
        if (b_.kind(i) == TARGET_POSITION && is_set_[(size_t)i] == 0)
            values_[(size_t)i] = engine_.q[b_.index(i)];
    is_posed_ = false;
    is_due_ = false;
}

bool MechanismUnit::any_changed(int32_t kind) const {
    for (int64_t i = 0; i < b_.variable_count(); ++i)
        if (b_.kind(i) == kind && is_changed(i)) return true;
    return false;
}

void MechanismUnit::choose_integrator(int32_t integrator) {
    const double given = b_.settings[SET_REFINE];
    engine_.integrator = integrator;
    engine_.refine = (isnan(given) ? REFINE[integrator] : given) * size();
    // where nobody chose the steps, contacts, which are of second order, take such ones
    contacts_.set(integrator, engine_.refine);
    contacts_.ease(b_.settings[SET_INTEGRATOR] < 0 && integrator == RK4,
                   REFINE[SEMI_IMPLICIT] * size());
    trial_ = 0;
}

double MechanismUnit::size() const {
    double sum = 0;
    int32_t count = 0;
    for (int32_t p = 0; p < model_.placement_count; ++p) {
        const double* at = model_.transforms + TRANSFORM_SIZE * (int64_t)p + 9;
        const double reach = fabs(at[0]) + fabs(at[1]) + fabs(at[2]);
        if (reach > 0) ++count;
        sum += reach;
    }
    return count > 0 ? sum / count : 1;
}

void MechanismUnit::assemble(std::vector<double>& q) {
    for (int32_t parts : PARTS) {
        own_ = b_.reals;
        q = b_.q;
        if (try_assemble(q, model_.loop_count > 0 ? parts : 1)) return;
    }
    throw UnitError{
        "the loops do not close with these parameters and starts: they stay open "
        "by " +
        number_text(1000 * gap_) + " mm"};
}

bool MechanismUnit::try_assemble(std::vector<double>& q, int32_t parts) {
    LoopSystem s{};
    Arena<double> real_count{nullptr, 0};
    Arena<int32_t> int_count{nullptr, 0};
    lay_out_system(model_, model_.loop_count, model_.nv, real_count, int_count, s);
    std::vector<double> reals((size_t)real_count.used + 1);
    std::vector<int32_t> ints((size_t)int_count.used + 1);
    Arena<double> real_arena{reals.data(), 0};
    Arena<int32_t> int_arena{ints.data(), 0};
    lay_out_system(model_, model_.loop_count, model_.nv, real_arena, int_arena, s);
    s.loop_count = model_.loop_count;
    for (int32_t i = 0; i < s.loop_count; ++i) s.loops[i] = i;
    std::vector<char> is_held((size_t)model_.nv + 1, 0);
    for (int32_t i : b_.held) is_held[(size_t)i] = 1;
    for (int32_t i = 0; i < model_.nv; ++i)
        if (!is_held[(size_t)i]) s.variables[s.n++] = i;
    for (int32_t part = 1; part <= parts; ++part) {
        set_numbers((double)part / parts, part == parts, q);
        if (s.loop_count == 0) continue;
        s.size = size();
        variable_scales(model_, s.size, s.scale);
        const double gap = system_close(s, q.data(), nullptr, 0, CLOSING_ITERATIONS);
        gap_ = gap * s.size;
        if (!(gap <= tolerance::SHUT)) return false;
    }
    return true;
}

void MechanismUnit::set_numbers(double share, bool is_last, std::vector<double>& q) {
    for (int64_t i = 0; i < b_.variable_count(); ++i) {
        const int32_t kind = b_.kind(i);
        if (kind != PARAMETER && kind != NUMBER && kind != START) continue;
        if (!is_changed(i)) continue;
        const double from = b_.starts[(size_t)i], to = values_[(size_t)i];
        const double now = is_last ? to : from + share * (to - from);
        (kind == START ? q[(size_t)b_.index(i)] : model_.values[b_.index(i)]) = now;
    }
    unit_quaternions(q.data());
    const int32_t status = update_all(model_);
    if (status != OK) {
        const size_t formula = (size_t)status - 1;
        throw UnitError{
            "with these parameters, " +
            (formula < b_.formulas.size() ? b_.formulas[formula] : std::string("a formula")) +
            " has no finite value"};
    }
    follow_starts(q);
}

void MechanismUnit::follow_starts(std::vector<double>& q) const {
    std::vector<char> stays((size_t)model_.nq, model_.loop_count > 0);
    for (int32_t j = 0; j < model_.joint_count; ++j) {
        const int32_t type = model_.joint_type[j], at = model_.joint_q[j];
        for (int32_t i : b_.held)
            if (!JOINT_QUATERNION[type] && i >= model_.joint_v[j] &&
                i < model_.joint_v[j] + JOINT_NV[type])
                stays[(size_t)(at + i - model_.joint_v[j])] = 0;
        for (int32_t k = 0; type == FREE && k < 7; ++k) stays[(size_t)(at + k)] = 0;
    }
    for (int64_t i = 0; i < b_.variable_count(); ++i)
        if (b_.kind(i) == START && is_changed(i)) stays[(size_t)b_.index(i)] = 1;
    for (size_t i = 0; i < stays.size(); ++i)
        // a pose that was given for the export is not that of the file
        if (!stays[i] && fabs(b_.q[i] - file_start_[i]) < SAME_START)
            q[i] = b_.q[i] + (model_.start[i] - file_start_[i]);
}

void MechanismUnit::divide_rotors() {
    const double share = b_.settings[SET_GEAR_SHARE];
    for (int32_t i = 0; i < model_.nv; ++i) {
        if (!(motors_.row(SERVO_HALF, i) > 0)) continue;
        const double whole = model_.gear[i] * model_.gear[i] * model_.rotor[i];
        if (whole > 0) motors_.row(SERVO_ROTOR, i) = (1 - share) * whole;
        model_.rotor[i] *= share;
    }
}

void MechanismUnit::place_springs() {
    const size_t count = link_a_.size();
    std::vector<double> points = b_.spring_points;
    Model formulas = model_;
    formulas.formula_start = b_.formula_starts.data();
    formulas.code = b_.formula_code.data();
    formulas.constants = b_.formula_constants.data();
    formulas.constant_count = (int32_t)b_.formula_constants.size();
    for (size_t f = 0; f < b_.formula_targets.size(); ++f) {
        const size_t target = (size_t)b_.formula_targets[f];
        const double value = run_formula(formulas, (int32_t)f);
        if (!isfinite(value))
            throw UnitError{"a spring has no finite numbers with these parameters"};
        (target < 6 * count ? points[target] : numbers_[target - 6 * count]) = value;
    }
    for (size_t i = 0; i < 2 * count; ++i) {
        double* to = (i % 2 == 0 ? points_a_ : points_b_).data() + 3 * (i / 2);
        const double* p = points.data() + 3 * i;
        const int32_t frame = b_.spring_frames[i];
        const double* X = frame < 0 ? nullptr : model_.frame_transform(frame);
        for (int k = 0; k < 3; ++k)
            to[k] = X == nullptr
                        ? p[k]
                        : X[3 * k] * p[0] + X[3 * k + 1] * p[1] + X[3 * k + 2] * p[2] + X[9 + k];
    }
}

void MechanismUnit::set_masses() {
    // what is set of centres and inertias counts over what follows from a mass
    for (int32_t kind : {MASS, INERTIA})
        for (int64_t i = 0; i < b_.variable_count(); ++i) {
            if (b_.kind(i) != kind || !is_changed(i)) continue;
            if (kind == MASS)
                set_mass(b_.index(i), values_[(size_t)i], b_.detail(i) == 1);
            else
                model_.inertia[b_.index(i)] = values_[(size_t)i];
        }
}

void MechanismUnit::set_mass(int32_t link, double mass, bool with_inertia) {
    double* row = model_.inertia + 10LL * link;
    const double share = row[0] > 0 ? mass / row[0] : 1;
    row[0] = mass;
    for (int k = 4; with_inertia && k < 10; ++k) row[k] *= share;
}

void MechanismUnit::check_limits(const std::vector<double>& q) const {
    if (b_.settings[SET_STOPS] == 0) return;
    for (int32_t j = 0; j < model_.joint_count; ++j) {
        const int32_t type = model_.joint_type[j];
        if (JOINT_QUATERNION[type]) continue;
        for (int32_t k = 0; k < JOINT_NV[type]; ++k) {
            const int32_t v = model_.joint_v[j] + k;
            const double at = q[(size_t)(model_.joint_q[j] + k)];
            const double room = BEYOND * (is_length(type, k) ? size() : 1);
            if (at >= model_.lower[v] - room && at <= model_.upper[v] + room) continue;
            throw UnitError{"joint '" + b_.joint_names[(size_t)v] + "' starts at " +
                            number_text(at) + ", beyond its limits " +
                            number_text(model_.lower[v]) + " … " + number_text(model_.upper[v]) +
                            " [rad, m]"};
        }
    }
}

void MechanismUnit::unit_quaternions(double* q) const {
    for (int32_t j = 0; j < model_.joint_count; ++j) {
        if (!JOINT_QUATERNION[model_.joint_type[j]]) continue;
        double* quat = q + model_.joint_q[j];
        const double length = norm_of(quat, 4);
        for (int k = 0; k < 4; ++k) quat[k] = length > 0 ? quat[k] / length : k == 0;
    }
}

}  // namespace kinegen::fmu
