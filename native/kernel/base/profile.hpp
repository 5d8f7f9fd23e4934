// The profile of a cam: how high its follower stands at x, with the first two derivatives.
//
// A formula is run with its derivatives beside each value (forward differentiation to the second
// order); a table is a cubic spline, whose second derivative is continuous everywhere.
#pragma once

#include "kernel/base/model.hpp"

#include <math.h>

namespace kinegen {

constexpr int32_t JET_STACK = 64;

// A value and its first two derivatives by x.
struct Jet {
    double f, d, dd;
};

// g(a) from g, g' and g'' at a.
inline Jet chain(const Jet& a, double f, double d, double dd) {
    return {f, d * a.d, dd * a.d * a.d + d * a.dd};
}

inline Jet jet_product(const Jet& a, const Jet& b) {
    return {a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2 * a.d * b.d + a.f * b.dd};
}

inline Jet jet_unary(int32_t op, const Jet& a) {
    const double x = a.f;
    switch (op) {
        case OP_NEG:
            return {-a.f, -a.d, -a.dd};
        case OP_SIN:
            return chain(a, sin(x), cos(x), -sin(x));
        case OP_COS:
            return chain(a, cos(x), -sin(x), -cos(x));
        case OP_TAN: {
            const double t = tan(x), slope = 1 + t * t;
            return chain(a, t, slope, 2 * t * slope);
        }
        case OP_ASIN: {
            const double r = 1 / sqrt(1 - x * x);
            return chain(a, asin(x), r, x * r * r * r);
        }
        case OP_ACOS: {
            const double r = 1 / sqrt(1 - x * x);
            return chain(a, acos(x), -r, -x * r * r * r);
        }
        case OP_ATAN: {
            const double r = 1 / (1 + x * x);
            return chain(a, atan(x), r, -2 * x * r * r);
        }
        case OP_SQRT: {
            const double r = sqrt(x);
            return chain(a, r, 0.5 / r, -0.25 / (r * x));
        }
        case OP_ABS: {
            const double side = x < 0 ? -1 : 1;
            return {side * a.f, side * a.d, side * a.dd};
        }
        case OP_EXP:
            return chain(a, exp(x), exp(x), exp(x));
        case OP_LOG:
            return chain(a, log(x), 1 / x, -1 / (x * x));
        // steps are flat but where they jump
        case OP_FLOOR:
            return {floor(x), 0, 0};
        case OP_CEIL:
            return {ceil(x), 0, 0};
        case OP_ROUND:
            return {rint(x), 0, 0};
        case OP_SIGN:
            return {(double)((x > 0) - (x < 0)), 0, 0};
        default:
            return {NAN, NAN, NAN};
    }
}

inline Jet jet_binary(int32_t op, const Jet& a, const Jet& b) {
    switch (op) {
        case OP_ADD:
            return {a.f + b.f, a.d + b.d, a.dd + b.dd};
        case OP_SUB:
            return {a.f - b.f, a.d - b.d, a.dd - b.dd};
        case OP_MUL:
            return jet_product(a, b);
        case OP_DIV: {
            const double r = 1 / b.f;
            return jet_product(a, chain(b, r, -r * r, 2 * r * r * r));
        }
        case OP_POW: {
            const double p = b.f;
            if (b.d == 0 && b.dd == 0) {
                // powers that vanish with their factor are left out: 0 to the -1 is infinite
                const double slope = p == 0 ? 0 : p * pow(a.f, p - 1);
                const double bend = p == 0 || p == 1 ? 0 : p * (p - 1) * pow(a.f, p - 2);
                return chain(a, pow(a.f, p), slope, bend);
            }
            const Jet log_a = chain(a, log(a.f), 1 / a.f, -1 / (a.f * a.f));
            const Jet e = jet_product(b, log_a);
            const double power = pow(a.f, p);
            return chain(e, power, power, power);
        }
        case OP_ATAN2: {
            // d atan2(a, b) = (b da - a db) / (a² + b²)
            const double r = 1 / (a.f * a.f + b.f * b.f), top = b.f * a.d - a.f * b.d;
            const double turn = 2 * (a.f * a.d + b.f * b.d);
            return {atan2(a.f, b.f), top * r, (b.f * a.dd - a.f * b.dd) * r - top * turn * r * r};
        }
        case OP_MIN:
            return a.f < b.f ? a : b;
        case OP_MAX:
            return a.f > b.f ? a : b;
        case OP_HYPOT: {
            const double h = hypot(a.f, b.f), slope = (a.f * a.d + b.f * b.d) / h;
            const double bend = a.d * a.d + b.d * b.d + a.f * a.dd + b.f * b.dd;
            return {h, slope, (bend - slope * slope) / h};
        }
        default:
            return {NAN, NAN, NAN};
    }
}

inline bool jet_is_binary(int32_t op) {
    return (op >= OP_ADD && op <= OP_POW) || op == OP_ATAN2 || op == OP_MIN || op == OP_MAX ||
           op == OP_HYPOT;
}

// A cam's formula at x; a name of -1 is x itself. NAN where its code is invalid.
inline Jet run_profile(const Model& m, int32_t coupling, double x) {
    const Jet none{NAN, NAN, NAN};
    Jet stack[JET_STACK];
    int32_t top = 0;
    for (int32_t at = m.profile_start[coupling]; at < m.profile_start[coupling + 1]; ++at) {
        const int32_t op = m.profile[2 * at], argument = m.profile[2 * at + 1];
        if (op == OP_CONST || op == OP_NAME) {
            const bool is_x = op == OP_NAME && argument == -1;
            const int32_t count = op == OP_CONST ? m.constant_count : m.parameter_count;
            if (top == JET_STACK || (!is_x && (argument < 0 || argument >= count))) return none;
            stack[top++] = is_x             ? Jet{x, 1, 0}
                           : op == OP_CONST ? Jet{m.constants[argument], 0, 0}
                                            : Jet{m.values[argument], 0, 0};
        } else if (jet_is_binary(op)) {
            if (top < 2) return none;
            top -= 1;
            stack[top - 1] = jet_binary(op, stack[top - 1], stack[top]);
        } else {
            if (top < 1) return none;
            stack[top - 1] = jet_unary(op, stack[top - 1]);
        }
    }
    return top == 1 ? stack[0] : none;
}

// A cam's table: its knots, and the numbers that belong to them.
struct CamTable {
    const double* knots;  // (x, height) each
    double* bends;        // (second derivative, two to work with) each
    int32_t count;
    bool repeats;
    double x(int32_t i) const { return knots[2 * i]; }
    double y(int32_t i) const { return knots[2 * (repeats && i == count - 1 ? 0 : i) + 1]; }
    double width(int32_t i) const { return x(i + 1) - x(i); }
    double slope(int32_t i) const { return (y(i + 1) - y(i)) / width(i); }
    double& bend(int32_t i) const { return bends[3 * i]; }
};

inline CamTable cam_table(const Model& m, int32_t coupling) {
    const int32_t first = m.knot_start[coupling];
    return {m.knots + 2LL * first, m.bends + 3LL * first, m.knot_start[coupling + 1] - first,
            m.table_repeats[coupling] != 0};
}

// Second derivatives at the knots. The curve continues straight beyond the ends of a table, whose
// second derivatives there are 0, or comes round again.
inline void bend_table(const CamTable& t) {
    const int32_t last = t.count - 1;
    for (int32_t i = 0; i < t.count; ++i) t.bend(i) = 0;
    if (last < 2) return;
    // inside: eliminate forwards, once for the heights and once for ends of 1
    double *ahead = t.bends + 1, *ends = t.bends + 2;
    ahead[0] = ends[0] = 0;
    for (int32_t i = 1; i < last; ++i) {
        const double left = t.width(i - 1), right = t.width(i);
        const double pivot = 2 * (left + right) - left * ahead[3 * (i - 1)];
        ahead[3 * i] = right / pivot;
        t.bend(i) = (6 * (t.slope(i) - t.slope(i - 1)) - left * t.bend(i - 1)) / pivot;
        const double given = (i == 1 ? left : 0) + (i == last - 1 ? right : 0);
        ends[3 * i] = (-given - (i == 1 ? 0 : left * ends[3 * (i - 1)])) / pivot;
    }
    for (int32_t i = last - 2; i > 0; --i) {
        t.bend(i) -= ahead[3 * i] * t.bend(i + 1);
        ends[3 * i] -= ahead[3 * i] * ends[3 * (i + 1)];
    }
    if (t.repeats) {
        // both ends are one knot: its equation gives its own second derivative
        const double left = t.width(last - 1), right = t.width(0);
        const double rest =
            6 * (t.slope(0) - t.slope(last - 1)) - left * t.bend(last - 1) - right * t.bend(1);
        const double at_end =
            rest / (2 * (left + right) + left * ends[3 * (last - 1)] + right * ends[3]);
        for (int32_t i = 1; i < last; ++i) t.bend(i) += at_end * ends[3 * i];
        t.bend(0) = t.bend(last) = at_end;
    }
    for (int32_t i = 0; i <= last; ++i) ahead[3 * i] = ends[3 * i] = 0;
}

// A cam's table at x.
inline Jet read_table(const CamTable& t, double x) {
    const int32_t last = t.count - 1;
    if (last < 1 || !isfinite(x)) return {NAN, NAN, NAN};
    if (t.repeats) {
        const double turn = t.x(last) - t.x(0);
        x -= turn * floor((x - t.x(0)) / turn);
    }
    // straight on beyond the ends
    const double outside = x < t.x(0) ? x - t.x(0) : x > t.x(last) ? x - t.x(last) : 0;
    x -= outside;
    int32_t low = 0, high = last;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        (t.x(middle) <= x ? low : high) = middle;
    }
    const double h = t.width(low), b = (x - t.x(low)) / h, a = 1 - b;
    if (!(h > 0)) return {NAN, NAN, NAN};
    const double A = t.bend(low), B = t.bend(low + 1);
    Jet out = {
        a * t.y(low) + b * t.y(low + 1) + ((a * a * a - a) * A + (b * b * b - b) * B) * h * h / 6,
        t.slope(low) + ((1 - 3 * a * a) * A + (3 * b * b - 1) * B) * h / 6, a * A + b * B};
    if (outside != 0) {
        out.f += outside * out.d;
        out.dd = 0;
    }
    return out;
}

// The profile of a cam at x: from its formula or its table.
inline Jet cam_profile(const Model& m, int32_t coupling, double x) {
    if (m.profile_start[coupling] < m.profile_start[coupling + 1])
        return run_profile(m, coupling, x);
    return read_table(cam_table(m, coupling), x);
}

inline bool is_cam(const Model& m, int32_t coupling) {
    return m.profile_start[coupling] < m.profile_start[coupling + 1] ||
           m.knot_start[coupling] < m.knot_start[coupling + 1];
}

}  // namespace kinegen
