// A mechanism as a co-simulation unit, moved by the reduced engine and its servos.
#include "fmu/unit.hpp"

#include <math.h>

#include "fmu/bundle.hpp"
#include "kernel/base/formula.hpp"
#include "kernel/base/tree.hpp"
#include "kernel/loops/system.hpp"
#include "kernel/reduced/servos.hpp"
#include "reduced/machine.hpp"
#include "reduced/servos.hpp"

namespace kinegen::fmu {

namespace {

// Opening of the loops by a step, against the mechanism's size, at which it is repeated in halves;
// as REFINE in dynamics/engines/reduced/engine.py.
constexpr double REFINE[4] = {1e-8, 1e-5, 1e-4, INFINITY};
// h c / m or h² k / m of a spring beyond which steps are implicit; as STIFF there.
constexpr double STIFF_SPRING = 1.0;
// Share of the stable step beyond which servos look ahead; as STIFF in dynamics/motors/servos.py.
constexpr double STIFF_SERVO = 0.25;
// How far beyond its limits a joint may start [rad, sizes]; as BEYOND in
// dynamics/simulation/starts.py.
constexpr double BEYOND = 0.02;
// Changed lengths and starts are approached in so many parts, so that the assembly mode stays.
constexpr int32_t PARTS[2] = {16, 512};
// Share of a step by which the length of a call may differ from whole steps: rounding of times.
constexpr double WHOLE = 1e-6;

bool is_fixed(int32_t kind) { return kind <= START && kind != GAIN; }
bool is_input(int32_t kind) { return kind >= TARGET_POSITION && kind <= FORCE; }

std::string number_text(double x) {
    char text[32];
    snprintf(text, sizeof text, "%.6g", x);
    return text;
}

// The motors' servos: numbers, targets and state.
struct Motors {
    bool are_there = false, are_stiff = false;
    std::vector<int32_t> modes;
    std::vector<double> rows, targets, state;

    void hand_over(const Model& m, int64_t, Servos& s) const {
        s.is_stiff = are_stiff;
        s.mode = modes.data();
        s.rows = rows.data();
        s.target_q = targets.data();
        s.target_v = s.target_q + m.nq;
        s.target_effort = s.target_v + m.nv;
        s.state = const_cast<double*>(state.data());
    }
    double& row(int32_t which, int32_t i) { return rows[(size_t)which * modes.size() + (size_t)i]; }
    // A motion begins at q: rotors in the middle of their backlash, windings cold.
    void reset(const Model& m, const double* q) {
        state.assign((size_t)SERVO_STATE_ROWS * (size_t)m.nv, 0);
        const auto at = [&](int32_t which, int32_t i) -> double& {
            return state[(size_t)which * (size_t)m.nv + (size_t)i];
        };
        for (int32_t i = 0; i < m.nv; ++i) {
            at(SERVO_STATE_TEMPERATURE, i) = row(SERVO_AMBIENT, i);
            at(SERVO_STATE_BEFORE, i) = INFINITY;
        }
        for (int32_t j = 0; j < m.joint_count; ++j)
            for (int32_t k = 0; k < JOINT_NV[m.joint_type[j]]; ++k)
                if (row(SERVO_HALF, m.joint_v[j] + k) > 0)
                    at(SERVO_STATE_ANGLE, m.joint_v[j] + k) = q[m.joint_q[j] + k];
    }
};

class MechanismUnit final : public Unit, private ReducedMachine {
public:
    MechanismUnit(Bundle bundle) : b_(std::move(bundle)) {
        own_ = b_.reals;
        if (bind_model(b_.ints.data(), (int64_t)b_.ints.size(), own_.data(), (int64_t)own_.size(),
                       model_) != OK)
            throw UnitError{"the unit's file does not hold a model of this version"};
        std::vector<int32_t> marks((size_t)model_.link_count);
        if (!is_tree(model_, marks.data()) || !fits())
            throw UnitError{"the unit's file holds numbers that do not fit together"};
        link_a_ = b_.link_a;
        link_b_ = b_.link_b;
        points_a_ = b_.points_a;
        points_b_ = b_.points_b;
        numbers_ = b_.springs;
        build();
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

    void reset() override {
        values_ = b_.starts;
        is_set_.assign(values_.size(), 0);
        begun_ = false;
        is_due_ = true;
        trouble_.clear();
    }
    bool has_begun() const override { return begun_; }
    int64_t variable_count() const override { return b_.variable_count(); }

    void begin(double time) override {
        start_time_ = time;
        is_due_ = true;
        prepare();
        begun_ = true;
    }

    double get(uint32_t variable) override {
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

    void set(uint32_t variable, double value) override {
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

    void step(double time, double length) override {
        if (!trouble_.empty()) throw UnitError{trouble_};
        if (!(length >= 0) || !isfinite(length))
            throw UnitError{"a step must take a time of 0 s or more, got " + number_text(length) +
                            " s"};
        if (length == 0) return;
        const double own = b_.settings[SET_STEP], share = length / own;
        const bool is_whole = fabs(share - rint(share)) < WHOLE && share > 0.5;
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

    // All numbers that change, one behind the other.
    template <class Take>
    void for_state(Take take) const {
        const ReducedEngine& e = engine_;
        take(e.q, model_.nq);
        take(e.v, model_.nv);
        take(e.tau, model_.nv);
        take(e.held_impulse, model_.nv);
        take(external_.data(), model_.nv);
        take(own_.data(), (int64_t)own_.size());
        for (const std::vector<double>* part : {&numbers_, &points_a_, &points_b_})
            take(part->data(), (int64_t)part->size());
        take(values_.data(), (int64_t)values_.size());
        take(is_set_.data(), (int64_t)is_set_.size());
        for (const std::vector<double>* part : {&motors_.rows, &motors_.targets, &motors_.state})
            take(part->data(), (int64_t)part->size());
    }
    std::vector<double> state() const override {
        const ReducedEngine& e = engine_;
        std::vector<double> out{(double)begun_,
                                (double)is_due_,
                                start_time_,
                                e.time,
                                e.work,
                                trial_,
                                e.step,
                                (double)e.integrator,
                                e.refine,
                                e.left.linear,
                                (double)motors_.are_stiff};
        for_state(
            [&](const double* from, int64_t count) { out.insert(out.end(), from, from + count); });
        return out;
    }
    int64_t state_size() const override {
        int64_t size = STATE_HEAD;
        for_state([&](const double*, int64_t count) { size += count; });
        return size;
    }
    void go_to(const double* state, int64_t size) override {
        if (size != state_size()) throw UnitError{"the state is that of another unit"};
        const double* from = state + STATE_HEAD;
        // the numbers first: the engine makes room for them
        const int64_t moving = model_.nq + 4LL * model_.nv;
        copy_all(own_.data(), from + moving, (int64_t)own_.size());
        go_back(from, from + model_.nq, from + model_.nq + 2LL * model_.nv, state[3], state[4],
                state[5]);
        for_state([&](const double* to, int64_t count) {
            copy_all(const_cast<double*>(to), from, count);
            from += count;
        });
        begun_ = state[0] != 0;
        is_due_ = state[1] != 0;
        start_time_ = state[2];
        engine_.step = state[6];
        engine_.integrator = (int32_t)state[7];
        engine_.refine = state[8];
        engine_.left.linear = state[9];
        motors_.are_stiff = state[10] != 0;
        trouble_.clear();
        is_posed_ = false;
    }

private:
    static constexpr int64_t STATE_HEAD = 11;

    int64_t checked(uint32_t variable) const {
        if ((int64_t)variable >= b_.variable_count())
            throw UnitError{"there is no variable with the value reference " +
                            std::to_string(variable)};
        return variable;
    }

    // Whether every index in the file is within what it points into.
    bool fits() const {
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
    int64_t most(int32_t kind) const {
        switch (kind) {
            case PARAMETER:
            case NUMBER:
                return model_.value_count();
            case MASS:
                return model_.link_count;
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
    int64_t most_detail(int32_t kind) const {
        return kind == MASS ? 2 : kind == START ? model_.nv : kind == FORCE ? 6 : 7;
    }

    // Refuses what no mechanism has.
    void check_value(int32_t kind, int32_t index, const std::string& name, double value) const {
        if (kind == MASS && !(value > 0))
            throw UnitError{"'" + name + "' must be greater than 0 kg, got " + number_text(value)};
        const bool is_spring = kind == SPRING && index < 2 * (int32_t)link_a_.size();
        if ((kind == GAIN || is_spring) && value < 0)
            throw UnitError{"'" + name + "' must be 0 or more, got " + number_text(value)};
    }

    // The engine at its start with the numbers as they are set.
    void prepare() {
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
        for (int64_t i = 0; i < b_.variable_count(); ++i) {
            if (b_.kind(i) == SPRING && is_changed(i))
                numbers_[(size_t)b_.index(i)] = values_[(size_t)i];
            if (b_.kind(i) == MASS && is_changed(i))
                set_mass(b_.index(i), values_[(size_t)i], b_.detail(i) == 1);
        }
        point();
        check_limits(q);
        engine_.step = b_.settings[SET_STEP];
        engine_.tolerance = b_.settings[SET_TOLERANCE];
        engine_.with_stops = b_.settings[SET_STOPS] != 0;
        engine_.with_friction = b_.settings[SET_FRICTION] != 0;
        engine_.restitution = b_.settings[SET_RESTITUTION];
        engine_.has_wrenches = false;
        choose_integrator(RK4);
        if (!ReducedMachine::begin(q.data(), b_.v.data(), start_time_))
            throw UnitError{"the loops stay open by " + number_text(1000 * engine_.left.linear) +
                            " mm at this start"};
        const int32_t asked = (int32_t)b_.settings[SET_INTEGRATOR];
        choose_integrator(asked >= 0 ? asked : stiffness_here() > STIFF_SPRING ? IMPLICIT : RK4);
        clear_all(engine_.tau, model_.nv);
        clear_all(external_.data(), model_.nv);
        motors_.rows = b_.rows;
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
    bool is_changed(int64_t i) const { return values_[(size_t)i] != b_.starts[(size_t)i]; }
    bool any_changed(int32_t kind) const {
        for (int64_t i = 0; i < b_.variable_count(); ++i)
            if (b_.kind(i) == kind && is_changed(i)) return true;
        return false;
    }

    void choose_integrator(int32_t integrator) {
        const double given = b_.settings[SET_REFINE];
        engine_.integrator = integrator;
        engine_.refine = (isnan(given) ? REFINE[integrator] : given) * size();
        trial_ = 0;
    }
    // The mechanism's own size: the mean reach of its placed frames, as Model.size.
    double size() const {
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

    // Goes from the numbers and the start of the file to those that are set, loops closed all
    // along.
    void assemble(std::vector<double>& q) {
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
    bool try_assemble(std::vector<double>& q, int32_t parts) {
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
    // Some share of the way from the file's numbers to those that are set.
    void set_numbers(double share, bool is_last, std::vector<double>& q) {
        for (int64_t i = 0; i < b_.variable_count(); ++i) {
            const int32_t kind = b_.kind(i);
            if (kind != PARAMETER && kind != NUMBER && kind != START) continue;
            if (!is_changed(i)) continue;
            const double from = b_.starts[(size_t)i], to = values_[(size_t)i];
            const double now = is_last ? to : from + share * (to - from);
            (kind == START ? q[(size_t)b_.index(i)] : model_.values[b_.index(i)]) = now;
        }
        const int32_t status = update_all(model_);
        if (status != OK) {
            const size_t formula = (size_t)status - 1;
            throw UnitError{
                "with these parameters, " +
                (formula < b_.formulas.size() ? b_.formulas[formula] : std::string("a formula")) +
                " has no finite value"};
        }
        // rotors within backlash move by themselves
        for (int32_t i = 0; i < model_.nv; ++i)
            if (motors_.row(SERVO_HALF, i) > 0) model_.rotor[i] = 0;
    }
    // Springs between points as the parameters and frames have them now.
    void place_springs() {
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
                to[k] = X == nullptr ? p[k]
                                     : X[3 * k] * p[0] + X[3 * k + 1] * p[1] + X[3 * k + 2] * p[2] +
                                           X[9 + k];
        }
    }
    void set_mass(int32_t link, double mass, bool with_inertia) {
        double* row = model_.inertia + 10LL * link;
        const double share = row[0] > 0 ? mass / row[0] : 1;
        row[0] = mass;
        for (int k = 4; with_inertia && k < 10; ++k) row[k] *= share;
    }
    void check_limits(const std::vector<double>& q) const {
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
                                number_text(model_.lower[v]) + " … " +
                                number_text(model_.upper[v]) + " [rad, m]"};
            }
        }
    }

    // Gains as they are set; where they are stiff for the step, servos look ahead.
    void use_gains() {
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

    // Targets and loads as they are set; whether a force acts on a frame.
    bool take_inputs() {
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
    void unit_quaternions(double* q) const {
        for (int32_t j = 0; j < model_.joint_count; ++j) {
            if (!JOINT_QUATERNION[model_.joint_type[j]]) continue;
            double* quat = q + model_.joint_q[j];
            const double length = norm_of(quat, 4);
            for (int k = 0; k < 4; ++k) quat[k] = length > 0 ? quat[k] / length : k == 0;
        }
    }
    // Forces and torques on frames as wrenches about the origins of their links.
    void push_frames() {
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

    void run(int64_t count) {
        make_room();
        sift();
        copy_all(engine_.tau, external_.data(), model_.nv);
        if (motors_.are_there) servos_.take_over(engine_, motors_, 0);
        run_steps(count, {nullptr, nullptr});
        ReducedServos::let_go(engine_);
        if (engine_.report.status == RUN_OK && all_finite(engine_.q, model_.nq) &&
            all_finite(engine_.v, model_.nv))
            return;
        trouble_ = stopped();
        throw UnitError{trouble_};
    }
    std::string stopped() const {
        const std::string when = " at " + number_text(engine_.time) + " s";
        switch (engine_.report.status) {
            case RUN_OPEN:
                return "the loops opened by " + number_text(1000 * engine_.report.gap) + " mm" +
                       when + " and cannot be closed: the unit's step of " +
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

    void place_now() {
        place_tree(engine_.system.tree, engine_.q);
        place_couplings(engine_.system.tree, engine_.system.springs, engine_.system.ties);
        move_tree(engine_.system.tree, engine_.v);
    }
    double motor_state(int32_t which, int32_t i) const {
        return motors_.state[(size_t)which * (size_t)model_.nv + (size_t)i];
    }
    double pose(int32_t site, int32_t component) {
        if (!is_posed_) forward_poses(model_, engine_.q, links_.data(), poses_.data());
        is_posed_ = true;
        // kernels write the quaternion first
        return poses_[7 * (size_t)site + (size_t)(component < 3 ? component + 4 : component - 3)];
    }

    Bundle b_;
    Motors motors_;
    ReducedServos servos_;
    std::vector<double> values_;  // of the variables, as they are set
    std::vector<double> is_set_;  // 1: somebody has set it
    std::vector<double> external_, links_, poses_;
    bool begun_ = false, is_due_ = true, is_posed_ = false;
    double start_time_ = 0, gap_ = 0;
    std::string trouble_;  // why no further step can be made
};

}  // namespace

std::unique_ptr<Unit> make_unit(const std::string& path, const std::string& token) {
    Bundle bundle = BundleFile(path).read();
    if (bundle.token != token)
        throw UnitError{"the model description (" + token + ") and the file '" + path + "' (" +
                        bundle.token + ") are of different exports"};
    return std::make_unique<MechanismUnit>(std::move(bundle));
}

}  // namespace kinegen::fmu
