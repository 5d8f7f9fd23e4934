// A mechanism as a co-simulation unit: variables by number, steps, states. No FMI in here.
#pragma once

#include <stdint.h>

#include <memory>
#include <string>
#include <vector>

namespace kinegen::fmu {

// What a variable stands for; as VariableKind in formats/fmi/variables.py.
enum VariableKind : int32_t {
    PARAMETER = 0,        // of the file; index: in the model's values
    NUMBER = 1,           // of the file; index: in the model's values
    MASS = 2,             // index: link; detail 1: its inertia is proportional to it
    GAIN = 3,             // index: in the servos' rows
    SPRING = 4,           // between points; index: in stiffness, damping, rest of all
    START = 5,            // index: in q; detail: in v
    TARGET_POSITION = 6,  // index: in q
    TARGET_VELOCITY = 7,  // index: in v
    TARGET_EFFORT = 8,    // index: in v
    EXTERNAL_EFFORT = 9,  // index: in v
    FORCE = 10,           // index: site; detail: force x y z, torque x y z
    POSITION = 11,        // index: in q
    VELOCITY = 12,        // index: in v
    EFFORT = 13,          // of a motor; index: in v
    POSE = 14,            // index: site; detail: x y z qw qx qy qz
    TEMPERATURE = 15,     // of a winding; index: in v
    KINETIC = 16,
    POTENTIAL = 17,
    GAP = 18,
    TIME = 19,
    KIND_COUNT = 20,
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
    virtual int64_t state_size() const = 0;
    virtual void go_to(const double* state, int64_t size) = 0;
};

// A unit from the file that an export has written; the token is that of the model description.
std::unique_ptr<Unit> make_unit(const std::string& path, const std::string& token);

}  // namespace kinegen::fmu
