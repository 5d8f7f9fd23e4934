// Numbers that are formulas of parameters, run again when a parameter changes.
#pragma once

#include "kernel/base/profile.hpp"
#include "kernel/base/transform.hpp"

namespace kinegen {

constexpr int32_t STACK_SIZE = 64;

inline bool is_binary(int32_t op) {
    return (op >= OP_ADD && op <= OP_POW) || op == OP_ATAN2 || op == OP_MIN || op == OP_MAX ||
           op == OP_HYPOT;
}

inline double apply_unary(int32_t op, double x) {
    switch (op) {
        case OP_NEG:
            return -x;
        case OP_SIN:
            return sin(x);
        case OP_COS:
            return cos(x);
        case OP_TAN:
            return tan(x);
        case OP_ASIN:
            return asin(x);
        case OP_ACOS:
            return acos(x);
        case OP_ATAN:
            return atan(x);
        case OP_SQRT:
            return sqrt(x);
        case OP_ABS:
            return fabs(x);
        case OP_EXP:
            return exp(x);
        case OP_LOG:
            return log(x);
        case OP_FLOOR:
            return floor(x);
        case OP_CEIL:
            return ceil(x);
        case OP_ROUND:
            return rint(x);
        case OP_SIGN:
            return (double)((x > 0) - (x < 0));
        default:
            return NAN;
    }
}

inline double apply_binary(int32_t op, double x, double y) {
    switch (op) {
        case OP_ADD:
            return x + y;
        case OP_SUB:
            return x - y;
        case OP_MUL:
            return x * y;
        case OP_DIV:
            return x / y;
        case OP_POW:
            return pow(x, y);
        case OP_ATAN2:
            return atan2(x, y);
        case OP_MIN:
            return x < y ? x : y;
        case OP_MAX:
            return x > y ? x : y;
        case OP_HYPOT:
            return hypot(x, y);
        default:
            return NAN;
    }
}

// Value of one formula; NAN if its code is invalid.
inline double run_formula(const Model& m, int32_t formula) {
    double stack[STACK_SIZE];
    int32_t top = 0;
    for (int32_t at = m.formula_start[formula]; at < m.formula_start[formula + 1]; ++at) {
        const int32_t op = m.code[2 * at], argument = m.code[2 * at + 1];
        if (op == OP_CONST || op == OP_NAME) {
            const int32_t count = op == OP_CONST ? m.constant_count : m.parameter_count;
            if (top == STACK_SIZE || argument < 0 || argument >= count) return NAN;
            stack[top++] = op == OP_CONST ? m.constants[argument] : m.values[argument];
        } else if (is_binary(op)) {
            if (top < 2) return NAN;
            top -= 1;
            stack[top - 1] = apply_binary(op, stack[top - 1], stack[top]);
        } else {
            if (top < 1) return NAN;
            stack[top - 1] = apply_unary(op, stack[top - 1]);
        }
        // an overflow on the way is a refusal, as when the file is read: atan(1/0) is no 90 degrees
        if (!isfinite(stack[top - 1])) return NAN;
    }
    return top == 1 ? stack[0] : NAN;
}

// Places one frame by its own six numbers.
inline void place_frame(const Model& m, int32_t p) {
    place(m.placement_kind[p], m.placements + 6 * (int64_t)p,
          m.transforms + TRANSFORM_SIZE * (int64_t)p);
}

// Recomputes the transform that a value belongs to, if it belongs to one.
inline void refresh_value(const Model& m, int32_t value) {
    const int32_t number = value - m.parameter_count;
    if (number >= 0 && number < 6 * m.placement_count) place_frame(m, number / 6);
}

// Carries what sits on frames along with them: its transform then starts at the link.
inline void place_based(const Model& m) {
    for (int32_t i = 0; i < m.based_count; ++i) {
        const int32_t p = m.based[2 * i], frame = m.based[2 * i + 1];
        double own[TRANSFORM_SIZE];
        place(m.placement_kind[p], m.placements + 6 * (int64_t)p, own);
        compose(m.transforms + TRANSFORM_SIZE * (int64_t)frame, own,
                m.transforms + TRANSFORM_SIZE * (int64_t)p);
    }
}

// Bends the curves of all cams' tables.
inline void bend_tables(const Model& m) {
    for (int32_t c = 0; c < m.coupling_count; ++c) bend_table(cam_table(m, c));
}

// Runs every formula and places every frame. Returns 0, or 1 + the first formula that is not
// finite.
inline int32_t update_all(const Model& m) {
    for (int32_t f = 0; f < m.formula_count; ++f) {
        const double x = run_formula(m, f);
        if (!isfinite(x)) return 1 + f;
        m.values[m.formula_target[f]] = x;
    }
    for (int32_t p = 0; p < m.placement_count; ++p) place_frame(m, p);
    place_based(m);
    bend_tables(m);
    return OK;
}

// Visits the formulas that depend on a parameter, in order. An entry ~f ends its list and stands
// for all formulas from f on: listed one by one they take too much where all depends on all.
template <class Visit>
inline void for_dependents(const Model& m, int32_t parameter, Visit visit) {
    for (int32_t i = m.dependent_start[parameter]; i < m.dependent_start[parameter + 1]; ++i) {
        const int32_t entry = m.dependents[i];
        const int32_t end = entry < 0 ? m.formula_count : entry + 1;
        for (int32_t f = entry < 0 ? ~entry : entry; f < end; ++f) visit(f);
        if (entry < 0) return;
    }
}

// Runs the formulas that depend on a parameter, in order.
inline int32_t run_dependents(const Model& m, int32_t parameter) {
    int32_t status = OK;
    for_dependents(m, parameter, [&](int32_t f) {
        const double x = run_formula(m, f);
        if (!isfinite(x) && status == OK) status = 1 + f;
        m.values[m.formula_target[f]] = x;
    });
    return status;
}

// Sets a parameter and everything that follows from it. When a formula is then not finite, nothing
// is changed and 1 + its index is returned.
inline int32_t set_parameter(const Model& m, int32_t parameter, double value) {
    if (parameter < 0 || parameter >= m.parameter_count) return BAD_INDEX;
    const double before = m.values[parameter];
    m.values[parameter] = value;
    const int32_t status = run_dependents(m, parameter);
    if (status != OK) {
        m.values[parameter] = before;
        run_dependents(m, parameter);
        return status;
    }
    // consecutive formulas often belong to one placement: place it once
    int32_t held = 0;  // a value whose frame is still to be placed; a parameter has none
    for_dependents(m, parameter, [&](int32_t f) {
        const int32_t target = m.formula_target[f], first = m.parameter_count;
        if (held >= first && (target < first || (target - first) / 6 != (held - first) / 6))
            refresh_value(m, held);
        held = target;
    });
    refresh_value(m, held);
    place_based(m);
    bend_tables(m);
    return OK;
}

// Sets one number (an index into values behind the parameters) and places its frame.
inline int32_t set_number(const Model& m, int32_t value, double x) {
    if (value < m.parameter_count || value >= m.value_count()) return BAD_INDEX;
    m.values[value] = x;
    refresh_value(m, value);
    place_based(m);
    bend_tables(m);
    return OK;
}

}  // namespace kinegen
