// The file that an export has written for its unit: a model's blocks, its motors, its variables.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(_WIN32)
#include <filesystem>
#endif

#include <string>
#include <vector>

#include "contact/own_shapes.hpp"
#include "fmu/unit.hpp"

namespace kinegen::fmu {

// Sizes at the beginning of the file, behind its mark; as in formats/fmi/bundle.py.
enum BundleSize : int32_t {
    MODEL_INTS = 0,
    MODEL_REALS,
    SPRINGS,
    SPRING_FORMULAS,
    SPRING_CODE,
    SPRING_CONSTANTS,
    NQ,
    NV,
    HELD,
    VARIABLES,
    SERVO_NUMBERS,
    TEXT,
    SHAPES,
    SHAPE_CORNERS,
    SHAPE_FACETS,
    SHAPE_FACET_CORNERS,
    SHAPE_HEIGHTS,
    REACHES,
    BUNDLE_SIZES
};

// Settings of the engine.
enum BundleSetting : int32_t {
    SET_STEP = 0,
    SET_TOLERANCE,
    SET_STOPS,
    SET_FRICTION,
    SET_RESTITUTION,
    SET_INTEGRATOR,   // -1: by the stiffness of the springs
    SET_REFINE,       // share of the mechanism's size; NaN: what suits the integrator
    SET_MOTORS,       // 1: servos drive the motors
    SET_STIFF,        // 1: their gains act on the end of a step
    SET_DAMPED_STEP,  // longest step at which held damping is stable
    SET_MARGIN,       // distance from which on bodies count as near each other
    SET_GEAR_SHARE,   // of a rotor, behind its backlash
    BUNDLE_SETTINGS
};

struct Bundle {
    std::vector<int32_t> ints;               // of the model
    std::vector<double> reals;               // of the model
    std::vector<int32_t> link_a, link_b;     // of the springs
    std::vector<double> points_a, points_b;  // of the springs
    std::vector<double> springs;             // stiffness, damping, rest
    std::vector<int32_t> spring_frames;      // two each: frame that an end is on, -1: its link
    std::vector<double> spring_points;       // six each: both ends in those frames
    std::vector<int32_t> formula_targets;    // of springs: in points, then numbers
    std::vector<int32_t> formula_starts, formula_code;
    std::vector<double> formula_constants;
    std::vector<double> q, v;        // the start, loops closed
    std::vector<int32_t> modes;      // of the servos
    std::vector<double> rows;        // of the servos
    std::vector<int32_t> held;       // places in v that starts are given for
    std::vector<int32_t> variables;  // kind, index, detail
    std::vector<double> starts;      // of the variables
    ShapeNumbers shapes;             // that touch
    std::vector<double> reach;       // of each link's shapes from its origin; none: nothing touches
    double settings[BUNDLE_SETTINGS];
    std::string token;
    std::vector<std::string> variable_names, joint_names, formulas;

    int64_t variable_count() const { return (int64_t)starts.size(); }
    int32_t kind(int64_t i) const { return variables[3 * (size_t)i]; }
    int32_t index(int64_t i) const { return variables[3 * (size_t)i + 1]; }
    int32_t detail(int64_t i) const { return variables[3 * (size_t)i + 2]; }
};

// A file to read by its path in UTF-8.
inline FILE* open_file(const std::string& path) {
#if defined(_WIN32)
    return _wfopen(std::filesystem::path(std::u8string(path.begin(), path.end())).c_str(), L"rb");
#else
    return fopen(path.c_str(), "rb");
#endif
}

class BundleFile {
public:
    explicit BundleFile(const std::string& path) : path_(path), file_(open_file(path)) {
        if (file_ == nullptr)
            throw UnitError{"the file '" + path +
                            "' of the unit cannot be read: unpack the whole "
                            "FMU, with its folder 'resources'"};
    }
    BundleFile(const BundleFile&) = delete;
    BundleFile& operator=(const BundleFile&) = delete;
    ~BundleFile() { fclose(file_); }

    Bundle read() {
        char mark[8];
        take(mark, sizeof mark);
        if (memcmp(mark, "KINEGEN2", sizeof mark) != 0) fail();
        int64_t sizes[BUNDLE_SIZES];
        take(sizes, sizeof sizes);
        for (int64_t size : sizes)
            if (size < 0 || size > (1 << 28)) fail();
        Bundle b;
        take(b.settings, sizeof b.settings);
        fill(b.reals, sizes[MODEL_REALS]);
        fill(b.points_a, 3 * sizes[SPRINGS]);
        fill(b.points_b, 3 * sizes[SPRINGS]);
        fill(b.springs, 3 * sizes[SPRINGS]);
        fill(b.spring_points, 6 * sizes[SPRINGS]);
        fill(b.formula_constants, sizes[SPRING_CONSTANTS]);
        fill(b.q, sizes[NQ]);
        fill(b.v, sizes[NV]);
        fill(b.rows, sizes[SERVO_NUMBERS]);
        fill(b.starts, sizes[VARIABLES]);
        fill(b.shapes.reals, SHAPE_REALS * sizes[SHAPES]);
        fill(b.shapes.surfaces, SURFACE_SIZE * sizes[SHAPES]);
        fill(b.shapes.corners, 3 * sizes[SHAPE_CORNERS]);
        fill(b.shapes.planes, 4 * sizes[SHAPE_FACETS]);
        fill(b.shapes.heights, sizes[SHAPE_HEIGHTS]);
        fill(b.reach, sizes[REACHES]);
        fill(b.ints, sizes[MODEL_INTS]);
        fill(b.link_a, sizes[SPRINGS]);
        fill(b.link_b, sizes[SPRINGS]);
        fill(b.spring_frames, 2 * sizes[SPRINGS]);
        fill(b.formula_targets, sizes[SPRING_FORMULAS]);
        fill(b.formula_starts, sizes[SPRING_FORMULAS] + 1);
        fill(b.formula_code, 2 * sizes[SPRING_CODE]);
        fill(b.modes, sizes[NV]);
        fill(b.held, sizes[HELD]);
        fill(b.variables, 3 * sizes[VARIABLES]);
        fill(b.shapes.ints, SHAPE_INTS * sizes[SHAPES]);
        fill(b.shapes.facet_first, sizes[SHAPE_FACETS] + 1);
        fill(b.shapes.facet_corners, sizes[SHAPE_FACET_CORNERS]);
        fill(b.shapes.meets, sizes[SHAPES] * sizes[SHAPES]);
        std::string text((size_t)sizes[TEXT], ' ');
        take(text.data(), text.size());
        split(text, sizes, b);
        return b;
    }

private:
    [[noreturn]] void fail() const {
        throw UnitError{"the file '" + path_ + "' of the unit is damaged, or from another version"};
    }
    void take(void* to, size_t size) {
        if (size > 0 && fread(to, 1, size, file_) != size) fail();
    }
    template <class T>
    void fill(std::vector<T>& to, int64_t count) {
        to.resize((size_t)count);
        take(to.data(), sizeof(T) * (size_t)count);
    }
    // A line each: the token, the variables, the joint of each v, the formulas.
    void split(const std::string& text, const int64_t* sizes, Bundle& b) const {
        std::vector<std::string> lines;
        for (size_t at = 0; at < text.size();) {
            size_t end = text.find('\n', at);
            if (end == std::string::npos) end = text.size();
            lines.push_back(text.substr(at, end - at));
            at = end + 1;
        }
        const size_t variables = (size_t)sizes[VARIABLES], nv = (size_t)sizes[NV];
        if (lines.size() < 1 + variables + nv) fail();
        b.token = lines[0];
        const auto first = lines.begin() + 1, second = first + (int64_t)variables;
        b.variable_names.assign(first, second);
        b.joint_names.assign(second, second + (int64_t)nv);
        b.formulas.assign(second + (int64_t)nv, lines.end());
    }

    std::string path_;
    FILE* file_;
};

}  // namespace kinegen::fmu
