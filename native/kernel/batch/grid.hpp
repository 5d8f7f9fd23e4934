// Positions of a site over a grid of joint values, sharing all that does not change.
//
// Along the fastest axis only one joint variable u moves, and whatever the type of its joint
//   p(u) = a + b cos u + c sin u + d u:
// the chain on both sides of that joint is worked out once per row, and a point of the row costs
// three short sums. From row to row only the joints between the one that moved and the fastest one
// are worked out again.
#pragma once

#include "kernel/batch/path.hpp"
#include "kernel/base/transform.hpp"

namespace kinegen {

// One axis: `count` values of variable q from lower to upper, both included.
struct GridAxis {
    int32_t q;
    int64_t count;
    double lower, upper;
};

inline double grid_value(const GridAxis& axis, int64_t i) {
    if (axis.count < 2) return axis.lower;
    return axis.lower + (axis.upper - axis.lower) / (double)(axis.count - 1) * (double)i;
}

// The table of the fastest axis: u, cos u, sin u, `count` numbers each.
template <class T>
inline void grid_table(const GridAxis& axis, T* table) {
    for (int64_t i = 0; i < axis.count; ++i) {
        const double u = grid_value(axis, i);
        table[i] = (T)u;
        table[axis.count + i] = (T)cos(u);
        table[2 * axis.count + i] = (T)sin(u);
    }
}

// The step of a path that a variable belongs to, -1 if none.
inline int32_t step_of_variable(const BatchPath<double>& path, int32_t q) {
    for (int32_t i = 0; i < path.count; ++i)
        if (q >= path.steps[i].q && q < path.steps[i].q + JOINT_NQ[path.steps[i].type]) return i;
    return -1;
}

// out = X p
inline void apply(const double* X, const double* p, double* out) {
    rotate(X, p, out);
    for (int k = 0; k < 3; ++k) out[k] += X[9 + k];
}

// X := X M(q) of one step.
inline void move_step(const BatchStep<double>& step, const double* q, double* X) {
    if (step.type == REVOLUTE) {
        turn_z(X, q[step.q] + step.offset);  // by far the most frequent: one sine less
    } else {
        turn_z(X, step.offset);
        move_joint(step.type, 2 * PI * step.lead, q + step.q, X);
    }
}

// out = M(q) p of one step.
inline void move_point(const BatchStep<double>& step, const double* q, const double* p,
                       double* out) {
    double X[TRANSFORM_SIZE];
    identity(X);
    move_step(step, q, X);
    apply(X, p, out);
}

// Coefficients a, b, c, d (three numbers each) of a step's p(u), from four values of u.
inline void fit_variable(const BatchStep<double>& step, int32_t variable, double* q,
                         const double* p, double* fit) {
    double at[4][3];
    const double held = q[variable], values[4] = {0, PI / 2, -PI / 2, PI};
    for (int i = 0; i < 4; ++i) {
        q[variable] = values[i];
        move_point(step, q, p, at[i]);
    }
    q[variable] = held;
    for (int k = 0; k < 3; ++k) {
        const double a = 0.5 * (at[1][k] + at[2][k]), b = at[0][k] - a;
        const double d = (at[3][k] - a + b) / PI;
        fit[k] = a;
        fit[3 + k] = b;
        fit[6 + k] = at[1][k] - a - 0.5 * PI * d;
        fit[9 + k] = d;
    }
}

// A walk over the rows of a grid. Steps count from the site, so the base is behind the last one.
struct GridWalk {
    const BatchPath<double>& path;
    const GridAxis* axes;
    int32_t axis_count;
    double* q;          // nq numbers: the axes' variables are set here, the others are held
    double* prefixes;   // TRANSFORM_SIZE per step: from the frame before M_k to the world
    double* points;     // 3 per step and one more: the site seen from the frame behind M_k
    int64_t* counters;  // one per axis

    int32_t moving;     // step of the fastest variable, -1 when it does not move the site
    int32_t pivot;      // the same, but all of the path in front of it when it does not
    int32_t low, high;  // steps that moved since the last row: low ... pivot, pivot ... high
    bool refit;
    double fit[12];

    const GridAxis& inner() const { return axes[axis_count - 1]; }

    void start(int64_t row) {
        moving = step_of_variable(path, inner().q);
        pivot = moving >= 0 ? moving : path.count;
        for (int32_t a = axis_count - 2; a >= 0; --a) {
            counters[a] = row % axes[a].count;
            q[axes[a].q] = grid_value(axes[a], counters[a]);
            row /= axes[a].count;
        }
        for (int k = 0; k < 3; ++k) points[k] = path.point[k];
        low = 0;
        high = path.count;
        refit = true;
    }

    // Counts the slower axes on and notes which steps that moves.
    void next() {
        low = high = pivot;
        for (int32_t a = axis_count - 2; a >= 0; --a) {
            const bool carry = ++counters[a] == axes[a].count;
            if (carry) counters[a] = 0;
            q[axes[a].q] = grid_value(axes[a], counters[a]);
            const int32_t step = step_of_variable(path, axes[a].q);
            if (step == pivot) refit = true;  // another variable of the moving joint itself
            if (step >= 0 && step < low) low = step;
            if (step > high) high = step;
            if (!carry) break;
        }
    }

    // Coefficients of the present row: p(u) in the world.
    void row(double* out) {
        // the site's point, from the tip up to the moving joint
        for (int32_t k = low; k < pivot; ++k) {
            double p[3];
            move_point(path.steps[k], q, points + 3 * k, p);
            apply(path.steps[k].X, p, points + 3 * (k + 1));
            refit = true;
        }
        if (moving < 0) {
            for (int i = 0; i < 12; ++i) out[i] = i < 3 ? points[3 * pivot + i] : 0;
            return;
        }
        // the chain, from the base down to the moving joint
        for (int32_t k = high - 1; k >= pivot; --k) {
            double X[TRANSFORM_SIZE];
            double* prefix = prefixes + TRANSFORM_SIZE * k;
            if (k == path.count - 1) {
                memcpy(prefix, path.steps[k].X, sizeof X);
            } else {
                memcpy(X, prefix + TRANSFORM_SIZE, sizeof X);
                move_step(path.steps[k + 1], q, X);
                compose(X, path.steps[k].X, prefix);
            }
        }
        if (refit) fit_variable(path.steps[pivot], inner().q, q, points + 3 * pivot, fit);
        refit = false;
        const double* prefix = prefixes + TRANSFORM_SIZE * pivot;
        apply(prefix, fit, out);
        for (int i = 3; i < 12; i += 3) rotate(prefix, fit + i, out + i);
    }
};

// Grid points first ... last - 1, the last axis fastest, into three rows of out.
// fill(coefficients, table, table_stride, count, out, out_stride) fills a piece of a row.
template <class T, class Fill>
inline void grid_points(GridWalk& walk, const T* table, int64_t first, int64_t last, T* out,
                        int64_t out_stride, Fill fill) {
    const int64_t length = walk.inner().count;
    if (first >= last) return;
    walk.start(first / length);
    for (int64_t at = first; at < last; walk.next()) {
        double coefficients[12];
        walk.row(coefficients);
        const int64_t begin = at % length;
        const int64_t count = last - at < length - begin ? last - at : length - begin;
        fill(coefficients, table + begin, length, count, out + at, out_stride);
        at += count;
    }
}

}  // namespace kinegen
