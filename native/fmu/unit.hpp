// A mechanism as a co-simulation unit: variables by number, steps, states. No FMI in here.
#pragma once

#include <stdint.h>

#include <memory>
#include <string>
#include <vector>

namespace kinegen::fmu {

// What a variable stands for; as VariableKind in formats/fmi/variables.py.
enum VariableKind : int32_t {
    PARAMETER = 0,         // of the file; index: in the model's values
    NUMBER = 1,            // of the file; index: in the model's values
    MASS = 2,              // index: link; detail 1: its inertia is proportional to it
    INERTIA = 3,           // centres and inertias; index: in the links' rows of ten
    GAIN = 4,              // index: in the servos' rows
    SPRING = 5,            // between points; index: in stiffness, damping, rest of all
    START = 6,             // index: in q; detail: in v
    TARGET_POSITION = 7,   // index: in q
    TARGET_VELOCITY = 8,   // index: in v
    TARGET_EFFORT = 9,     // index: in v
    EXTERNAL_EFFORT = 10,  // index: in v
    FORCE = 11,            // index: site; detail: force x y z, torque x y z
    POSITION = 12,         // index: in q
    VELOCITY = 13,         // index: in v
    EFFORT = 14,           // of a motor; index: in v
    POSE = 15,             // index: site; detail: x y z qw qx qy qz
    TEMPERATURE = 16,      // of a winding; index: in v
    CONTACT = 17,          // force of all contacts on a link; index: link; detail: x y z
    KINETIC = 18,
    POTENTIAL = 19,
    GAP = 20,
    TIME = 21,
    KIND_COUNT = 22,
};

// Wrong use, or a motion that cannot continue; the text is for people.
struct UnitError {
    std::string text;
};

class Unit {
public:
    virtual ~Unit() = default;

    // As when it was made.
    virtual void reset() = 0;
    // Parameters and starts can be set until the motion begins.
    virtual void begin(double time) = 0;
    virtual bool has_begun() const = 0;
    virtual void step(double time, double length) = 0;

    virtual int64_t variable_count() const = 0;
    virtual double get(uint32_t variable) = 0;
    virtual void set(uint32_t variable, double value) = 0;

    // Everything that the next steps depend on.
    virtual std::vector<double> state() const = 0;
    virtual bool is_state(const double* state, int64_t size) const = 0;
    virtual void go_to(const double* state, int64_t size) = 0;
};

// A unit from the file that an export has written; the token is that of the model description.
std::unique_ptr<Unit> make_unit(const std::string& path, const std::string& token);

}  // namespace kinegen::fmu
