// A mechanism as a unit: the reduced engine with its servos and contacts, and where its numbers
// are.
//
// What it does is in variables.cpp (get and set), start.cpp (from numbers to a start), stepping.cpp
// and states.cpp.
#pragma once

#include <stdio.h>

#include <string>
#include <vector>

#include "fmu/bundle.hpp"
#include "fmu/motors.hpp"
#include "fmu/unit.hpp"
#include "reduced/contacts.hpp"
#include "reduced/machine.hpp"
#include "reduced/servos.hpp"

namespace kinegen::fmu {

// Opening of the loops by a step, against the mechanism's size, at which it is repeated in halves,
// by integrator; as REFINE in dynamics/engines/reduced/engine.py.
constexpr double REFINE[4] = {1e-8, 1e-5, 1e-4, INFINITY};

inline std::string number_text(double x) {
    char text[32];
    snprintf(text, sizeof text, "%.6g", x);
    return text;
}

class MechanismUnit final : public Unit, private ReducedMachine {
public:
    explicit MechanismUnit(Bundle bundle);

    void reset() override;
    void begin(double time) override;
    bool has_begun() const override { return begun_; }
    void step(double time, double length) override;

    int64_t variable_count() const override { return b_.variable_count(); }
    double get(uint32_t variable) override;
    void set(uint32_t variable, double value) override;

    std::vector<double> state() const override;
    bool is_state(const double* state, int64_t size) const override;
    void go_to(const double* state, int64_t size) override;

private:
    // Variables.
    int64_t checked(uint32_t variable) const;
    // Whether every index in the file is within what it points into.
    bool fits() const;
    int64_t most(int32_t kind) const;
    int64_t most_detail(int32_t kind) const;
    // Refuses what no mechanism has.
    void check_value(int32_t kind, int32_t index, const std::string& name, double value) const;
    bool is_changed(int64_t i) const { return values_[(size_t)i] != b_.starts[(size_t)i]; }
    bool any_changed(int32_t kind) const;
    void place_now();
    double motor_state(int32_t which, int32_t i) const;
    double pose(int32_t site, int32_t component);
    // Mean force of all contacts on a link over the last step, along a world axis.
    double contact_force(int32_t link, int32_t axis) const;

    // The start: the engine with the numbers as they are set.
    void prepare();
    void choose_integrator(int32_t integrator);
    // The mechanism's own size: the mean reach of its placed frames, as Model.size.
    double size() const;
    // Goes from the numbers and the start of the file to those that are set, loops closed all
    // along.
    void assemble(std::vector<double>& q);
    bool try_assemble(std::vector<double>& q, int32_t parts);
    // Some share of the way from the file's numbers to those that are set.
    void set_numbers(double share, bool is_last, std::vector<double>& q);
    // Independent joints start where the file's formulas have them now.
    void follow_starts(std::vector<double>& q) const;
    // Of a rotor in backlash, a part of its gears turns with the joint.
    void divide_rotors();
    // Springs between points as the parameters and frames have them now.
    void place_springs();
    void set_masses();
    void set_mass(int32_t link, double mass, bool with_inertia);
    void check_limits(const std::vector<double>& q) const;
    void unit_quaternions(double* q) const;

    // Steps.
    // Gains as they are set; where they are stiff for the step, servos look ahead.
    void use_gains();
    // Targets and loads as they are set; whether a force acts on a frame.
    bool take_inputs();
    // Forces and torques on frames as wrenches about the origins of their links.
    void push_frames();
    void run(int64_t count);
    std::string stopped() const;

    // All numbers that change, one behind the other; how many contacts there are does, too.
    template <class Take>
    void for_state(Take take) const;
    int64_t fixed_size() const;

    Bundle b_;
    Motors motors_;
    ReducedServos servos_;
    ReducedTouching contacts_{engine_};
    std::vector<double> values_;  // of the variables, as they are set
    std::vector<double> is_set_;  // 1: somebody has set it
    std::vector<double> external_, links_, poses_, file_start_;
    bool begun_ = false, is_due_ = true, is_posed_ = false;
    double start_time_ = 0, gap_ = 0;
    std::string trouble_;  // why no further step can be made
};

}  // namespace kinegen::fmu
