// One solver for drags, assembly and inverse kinematics of any topology.
//
// Each iteration linearises at q, eliminates the hard rows (loops, pins, locked and limited joints)
// and solves the handles in the motion that is left, by damped least squares with a metric. Loops
// therefore stay closed to rounding, and what is reported about the handles is about motions that
// the mechanism can really make. All variables are scaled: angles by 1 rad, lengths by the
// mechanism's own size, so that results do not depend on the unit of length.
#pragma once

#include "eliminate.hpp"
#include "jacobian.hpp"
#include "loops.hpp"
#include "manifold.hpp"
#include "plan.hpp"

namespace kinegen {

// What is asked of a site.
enum HandleKind : int32_t {
    HANDLE_POINT = 0,      // a point of the site to a place
    HANDLE_POSE = 1,       // the point and the site's rotation
    HANDLE_DIRECTION = 2,  // the point, and an axis of the site along a direction
    HANDLE_ROTATION = 3,   // the site's rotation alone
};
constexpr int32_t HANDLE_KIND_COUNT = 4;
constexpr int32_t HANDLE_INTS = 3;    // site, kind, pin (1: a hard constraint)
constexpr int32_t HANDLE_REALS = 15;  // point 3, axis 3, position 3, quat 4 (or direction), weights 2
constexpr int32_t HANDLE_ROWS = 6;

inline int32_t handle_rows(int32_t kind) {
    return kind == HANDLE_POSE ? 6 : kind == HANDLE_DIRECTION ? 5 : 3;
}

// Why the solver stopped.
enum Outcome : int32_t {
    REACHED = 0,       // handles met, loops closed
    NEAREST = 1,       // no better pose in reach: handles as near as they can be
    MOVING = 2,        // the step's bounds ended it: call again to go on
    STUCK = 3,         // loops or pins could not be closed; q is the last good one
    NEED_MEMORY = -10, // the elimination's terms did not fit
};

struct SolverOptions {
    int32_t max_iterations;
    double max_step;          // largest scaled move of any variable per iteration
    double gap_tolerance;     // scaled
    double handle_tolerance;  // scaled
    const double* bounds;     // per v: largest move in this call, or null
    const double* weights;    // per v: cost of moving it, or null for 1
    const double* posture;    // q to stay near where there is a choice, or null
    double posture_gain;      // share of the way to it per iteration
    const int32_t* locked;    // per v: 1 holds the variable, or null
    bool use_limits;
};

struct SolverReport {
    int32_t outcome;
    int32_t iterations;
    int32_t freedoms;        // motions left by loops, pins and locked joints
    int32_t redundant;       // hard rows that others imply
    double gap;              // widest loop, scaled by the mechanism's size
    double pin_error;        // scaled
    double handle_error;     // scaled, all handles together
    double gradient;         // how much the handles' error could still fall, per unit of motion
    double promise_linear;   // the step promises to lower the squared error by
    double promise_square;   // 2 share linear - share² square
    double task_pivot;       // smallest/largest pivot of the handles' system: 0 at a singularity
    double loop_pivot;       // smallest pivot of the loops' rows: 0 where freedoms are gained
};

// Dense metric up to this many freedoms; above it the weights of the free variables alone, so that
// the cost stays linear.
constexpr int32_t DENSE_LIMIT = 48;

// Both ends of a cut joint and what is missing between them.
struct LoopEnds {
    double X_WM[TRANSFORM_SIZE], X_WK[TRANSFORM_SIZE], rhs[6];
};

struct Solver {
    Model* model;
    Plan plan;
    Elimination elimination;
    int32_t row_capacity;  // rows of all handles together
    // scratch
    double* links;         // links × 12
    LoopEnds* ends;        // per loop
    double* local;         // 6 × nv
    double* loop_rows;     // 6 × widest loop
    double* task;          // row_capacity × nv
    double* task_rhs;      // row_capacity
    double* system;        // row_capacity × row_capacity
    double* undamped;      // row_capacity × row_capacity
    double* dual;          // row_capacity
    double* basis;         // nv × DENSE_LIMIT
    double* metric;        // DENSE_LIMIT × DENSE_LIMIT
    double* solved;        // row_capacity × max(DENSE_LIMIT, nv)
    double* step;          // nv
    double* moved;         // nv
    double* wish;          // nv
    double* scale;         // nv
    double* moved_anchor;  // nv
    double* q_try;         // nq
    double* q_close;       // nq
    double* q_anchor;      // nq
    double* q_start;       // nq
    int32_t* columns;      // nv
    int32_t* free_variables;  // nv
    int32_t* held;         // nv: -1 lower limit, +1 upper limit, 0 none
    double size;           // length that scales all lengths [m]
};

// The mechanism's own size: the mean reach of its placements.
inline double characteristic_length(const Model& m) {
    double sum = 0;
    int32_t count = 0;
    for (int32_t p = 0; p < m.placement_count; ++p) {
        const double* t = m.transforms + TRANSFORM_SIZE * (int64_t)p + 9;
        const double reach = fabs(t[0]) + fabs(t[1]) + fabs(t[2]);
        if (reach > 0) {
            sum += reach;
            ++count;
        }
    }
    return count > 0 ? sum / count : 1;
}

// Scale of each variable: lengths by the size, angles by one.
inline void set_scales(Solver& s) {
    const Model& m = *s.model;
    s.size = characteristic_length(m);
    for (int32_t j = 0; j < m.joint_count; ++j) {
        double* at = s.scale + m.joint_v[j];
        const int32_t type = m.joint_type[j];
        for (int32_t k = 0; k < JOINT_NV[type]; ++k) {
            const bool length = type == PRISMATIC || (type == CYLINDRICAL && k == 1) ||
                                (type == PLANAR && k < 2) || (type == FREE && k < 3);
            at[k] = length ? s.size : 1;
        }
    }
}

// Scaled columns of one joint at a point: out[row][column], rows linear (by size) then angular.
inline void scaled_columns(const Solver& s, const double* q, int32_t joint, const double* X_WM,
                           const double* p_W, double sign, double* out, int32_t stride) {
    const Model& m = *s.model;
    const int32_t type = m.joint_type[joint];
    JointAxes a;
    joint_axes(type, m.pitch[joint], q + m.joint_q[joint], X_WM, a);
    const double r[3] = {p_W[0] - X_WM[9], p_W[1] - X_WM[10], p_W[2] - X_WM[11]};
    const double by_size = sign / s.size;
    for (int k = 0; k < JOINT_NV[type]; ++k) {
        add_cross3(a.angular[k], r, a.linear[k]);
        const double scale = s.scale[m.joint_v[joint] + k];
        for (int i = 0; i < 3; ++i) {
            out[(int64_t)i * stride + k] = by_size * scale * a.linear[k][i];
            out[(int64_t)(3 + i) * stride + k] = sign * scale * a.angular[k][i];
        }
    }
}

// What is missing to close a loop, in world axes, scaled: the right side of its rows.
inline double loop_rhs(const Solver& s, const double* X_WM, const double* X_WK, double* rhs) {
    double phi[6];
    loop_error(X_WM, X_WK, phi);
    for (int i = 0; i < 3; ++i) rhs[i] = (X_WK[9 + i] - X_WM[9 + i]) / s.size;
    double turn[3];
    rotate(X_WM, phi + 3, turn);
    for (int i = 0; i < 3; ++i) rhs[3 + i] = -turn[i];
    return sqrt(dot3(rhs, rhs) + dot3(turn, turn));
}

// Ends and right sides of all loops at q, kept for the elimination; returns the widest gap, scaled.
inline double loop_gaps(Solver& s, const double* q) {
    const Model& m = *s.model;
    double widest = 0;
    for (int32_t loop = 0; loop < m.loop_count; ++loop) {
        LoopEnds& ends = s.ends[loop];
        loop_transforms(m, q, s.links, loop, ends.X_WM, ends.X_WK);
        const double gap = loop_rhs(s, ends.X_WM, ends.X_WK, ends.rhs);
        // a gap that is not a number must never pass for a closed one
        if (!(gap <= widest)) widest = gap;
    }
    return widest;
}

// Eliminates all loops. Rows smaller than the tolerance count as redundant; while a loop is open its
// rows are only known to about the gap, so the tolerance follows it.
inline void eliminate_loops(Solver& s, const double* q, double gap) {
    const Model& m = *s.model;
    const double tolerance = larger(1e-7, smaller(10 * gap, 0.05));
    for (int32_t n = 0; n < m.loop_count; ++n) {
        const int32_t loop = s.plan.loop_order[n];
        const double* X_WM = s.ends[loop].X_WM;
        double rhs[6];
        memcpy(rhs, s.ends[loop].rhs, sizeof(rhs));
        const int32_t first = s.plan.column_first[loop];
        const int32_t width = s.plan.column_first[loop + 1] - first;
        int32_t at = 0;
        for (int32_t i = s.plan.path_first[loop]; i < s.plan.path_first[loop + 1]; ++i) {
            const int32_t joint = s.plan.path_joint[i];
            const bool cut = i + 1 == s.plan.path_first[loop + 1];
            const double* X =
                cut ? X_WM : s.links + TRANSFORM_SIZE * (int64_t)m.joint_child[joint];
            scaled_columns(s, q, joint, X, X_WM + 9, s.plan.path_side[i], s.loop_rows + at, width);
            at += JOINT_NV[m.joint_type[joint]];
        }
        eliminate(s.elimination, s.plan.column + first, width, s.loop_rows, rhs, 6, tolerance,
                  s.local, s.columns);
    }
}

// What one handle lacks, and the frame its rows need.
struct HandleError {
    int32_t row_count;
    double p_W[3];         // the handle's point
    double across[2][3];   // for a direction: the two ways to tilt the axis
    double rhs[HANDLE_ROWS];
};

// Right side of one handle's rows: where to go and how to turn, scaled and weighted, world axes.
inline void handle_error(const Solver& s, const int32_t* ints, const double* reals,
                         HandleError& e) {
    const int32_t site = ints[0], kind = ints[1];
    const double *point = reals, *axis = reals + 3, *position = reals + 6, *quat = reals + 9;
    const double weight_linear = reals[13], weight_angular = reals[14];
    double X_WS[TRANSFORM_SIZE];
    site_transform(*s.model, s.links, site, X_WS);
    rotate(X_WS, point, e.p_W);
    for (int i = 0; i < 3; ++i) e.p_W[i] += X_WS[9 + i];
    e.row_count = handle_rows(kind);

    if (kind != HANDLE_ROTATION)
        for (int i = 0; i < 3; ++i)
            e.rhs[i] = weight_linear * (position[i] - e.p_W[i]) / s.size;
    if (kind == HANDLE_POSE || kind == HANDLE_ROTATION) {
        double R[9], R_ST[9], w[3];
        quat_to_matrix(quat, R);
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k)
                R_ST[3 * i + k] =
                    X_WS[i] * R[k] + X_WS[3 + i] * R[3 + k] + X_WS[6 + i] * R[6 + k];
        matrix_log(R_ST, w);
        double* turn = e.rhs + (kind == HANDLE_POSE ? 3 : 0);
        rotate(X_WS, w, turn);
        for (int i = 0; i < 3; ++i) turn[i] *= weight_angular;
    }
    if (kind == HANDLE_DIRECTION) {
        // two directions across the axis; turning about the axis itself is free
        double a[3], t[3], helper[3] = {0, 0, 0};
        rotate(X_WS, axis, a);
        cross3(a, quat, t);
        const double sine = sqrt(dot3(t, t)), cosine = dot3(a, quat);
        const double x = fabs(a[0]), y = fabs(a[1]), z = fabs(a[2]);
        helper[x <= y && x <= z ? 0 : y <= z ? 1 : 2] = 1;
        cross3(a, helper, e.across[0]);
        const double n = sqrt(dot3(e.across[0], e.across[0]));
        for (int i = 0; i < 3; ++i) e.across[0][i] /= n;
        cross3(a, e.across[0], e.across[1]);
        const double angle = atan2(sine, cosine);
        for (int i = 0; i < 2; ++i)
            e.rhs[3 + i] =
                weight_angular * (sine > 1e-12 ? angle / sine * dot3(e.across[i], t) : 0);
        // straight backwards: any way round will do
        if (sine <= 1e-12 && cosine < 0) e.rhs[3] = weight_angular * PI;
    }
}

// Rows of one handle, dense over nv.
inline void handle_jacobian(const Solver& s, const double* q, const int32_t* ints,
                            const double* reals, const HandleError& e, double* rows) {
    const Model& m = *s.model;
    const int32_t kind = ints[1], nv = m.nv;
    const double weight_linear = reals[13], weight_angular = reals[14];
    memset(rows, 0, sizeof(double) * (size_t)e.row_count * (size_t)nv);
    for (int32_t joint = m.link_joint[m.site_link(ints[0])]; joint >= 0;
         joint = m.link_joint[m.joint_parent[joint]]) {
        double c[6 * 6];
        scaled_columns(s, q, joint, s.links + TRANSFORM_SIZE * (int64_t)m.joint_child[joint],
                       e.p_W, 1, c, 6);
        for (int k = 0; k < JOINT_NV[m.joint_type[joint]]; ++k) {
            double* at = rows + m.joint_v[joint] + k;
            const double w[3] = {c[18 + k], c[24 + k], c[30 + k]};
            if (kind != HANDLE_ROTATION)
                for (int i = 0; i < 3; ++i, at += nv) *at = weight_linear * c[6 * i + k];
            if (kind == HANDLE_POSE || kind == HANDLE_ROTATION)
                for (int i = 0; i < 3; ++i, at += nv) *at = weight_angular * w[i];
            if (kind == HANDLE_DIRECTION)
                for (int i = 0; i < 2; ++i, at += nv)
                    *at = weight_angular * dot3(e.across[i], w);
        }
    }
}

// Where a configuration stands: scaled gap of the loops, squared errors of handles and pins.
struct Errors {
    double gap, soft, hard;
};

// Errors at q; leaves the links' transforms behind.
inline Errors errors_at(Solver& s, const double* q, const int32_t* ints, const double* reals,
                        int32_t handle_count) {
    forward_links(*s.model, q, s.links);
    Errors errors{loop_gaps(s, q), 0, 0};
    for (int32_t h = 0; h < handle_count; ++h) {
        HandleError e;
        handle_error(s, ints + HANDLE_INTS * h, reals + HANDLE_REALS * h, e);
        double sum = 0;
        for (int32_t r = 0; r < e.row_count; ++r) sum += e.rhs[r] * e.rhs[r];
        (ints[HANDLE_INTS * h + 2] ? errors.hard : errors.soft) += sum;
    }
    return errors;
}

// What the pivots of a factorisation tell.
struct Pivots {
    double ratio;   // smallest to largest of the rows that have any entry, 1 when none has
    int32_t rank;   // how many are not lost in rounding
};

// In-place Cholesky factor of a symmetric matrix plus damping on its diagonal. A pivot that is not
// positive is replaced, so that its direction is left out.
inline Pivots cholesky(double* A, int32_t n, int32_t stride, double damping) {
    double smallest = 1e300, largest = 0;
    int32_t rank = 0;
    for (int32_t j = 0; j < n; ++j) {
        double* row_j = A + (int64_t)j * stride;
        const double whole = row_j[j];
        double d = whole + damping;
        for (int32_t k = 0; k < j; ++k) d -= row_j[k] * row_j[k];
        if (whole > 1e-18) smallest = smaller(smallest, larger(d, 0));
        largest = larger(largest, d);
        if (d > 1e-10) ++rank;
        if (!(d > 1e-300)) d = 1e300;  // a direction that nothing can move: leave it out
        const double root = sqrt(d);
        row_j[j] = root;
        for (int32_t i = j + 1; i < n; ++i) {
            double* row_i = A + (int64_t)i * stride;
            double sum = row_i[j];
            for (int32_t k = 0; k < j; ++k) sum -= row_i[k] * row_j[k];
            row_i[j] = sum / root;
        }
    }
    // beside what is usual, so that all pivots vanishing together is told from none
    return {smallest < 1e300 ? smallest / larger(largest, 1e-3) : 1, rank};
}

inline void cholesky_solve(const double* L, int32_t n, int32_t stride, double* b) {
    for (int32_t i = 0; i < n; ++i) {
        const double* row = L + (int64_t)i * stride;
        double sum = b[i];
        for (int32_t k = 0; k < i; ++k) sum -= row[k] * b[k];
        b[i] = sum / row[i];
    }
    for (int32_t i = n - 1; i >= 0; --i) {
        double sum = b[i];
        for (int32_t k = i + 1; k < n; ++k) sum -= L[(int64_t)k * stride + i] * b[k];
        b[i] = sum / L[(int64_t)i * stride + i];
    }
}

// The free variables, and the metric of their motion: what moving them costs all variables.
struct Metric {
    int32_t count;  // free variables
    bool dense;
};

inline Metric build_metric(Solver& s, const SolverOptions& o, bool determined) {
    const int32_t nv = s.model->nv;
    Metric metric{0, false};
    for (int32_t i = 0; i < nv; ++i)
        if (s.elimination.formula_of[i] < 0) s.free_variables[metric.count++] = i;
    const int32_t f = metric.count;
    metric.dense = !determined && f <= DENSE_LIMIT && s.elimination.count > 0;
    if (!metric.dense) return metric;
    // rows of the basis B: how each variable follows the free ones
    double* B = s.basis;
    memset(B, 0, sizeof(double) * (size_t)nv * (size_t)f);
    for (int32_t k = 0; k < f; ++k) B[(int64_t)s.free_variables[k] * f + k] = 1;
    const Elimination& e = s.elimination;
    for (int32_t n = e.count - 1; n >= 0; --n) {
        double* row = B + (int64_t)e.owner[n] * f;
        for (int32_t t = e.first[n]; t < e.first[n + 1]; ++t) {
            const double c = e.term_coefficient[t];
            const double* other = B + (int64_t)e.term_variable[t] * f;
            for (int32_t k = 0; k < f; ++k) row[k] += c * other[k];
        }
    }
    double* M = s.metric;
    memset(M, 0, sizeof(double) * (size_t)f * (size_t)f);
    for (int32_t i = 0; i < nv; ++i) {
        const double w = o.weights ? o.weights[i] : 1;
        const double* row = B + (int64_t)i * f;
        for (int32_t a = 0; a < f; ++a) {
            if (row[a] == 0) continue;
            for (int32_t b = 0; b <= a; ++b) M[(int64_t)a * f + b] += w * row[a] * row[b];
        }
    }
    cholesky(M, f, f, 0);
    return metric;
}

// y := metric⁻¹ y, for a vector over the free variables.
inline void apply_inverse_metric(const Solver& s, const SolverOptions& o, const Metric& metric,
                                 double* y) {
    if (metric.dense) {
        cholesky_solve(s.metric, metric.count, metric.count, y);
    } else if (o.weights) {
        for (int32_t k = 0; k < metric.count; ++k) y[k] /= o.weights[s.free_variables[k]];
    }
}

// The move x (scaled, all variables) that meets the hard rows and, as far as damping lets it, the
// soft ones; among equals the one nearest to the wish. task: substituted rows, task_rhs likewise.
// determined: the rows fix every freedom, so that the metric has nothing to decide. Returns whether
// that holds.
inline bool solve_step(Solver& s, const SolverOptions& o, int32_t rows, double damping,
                       bool determined, SolverReport& report) {
    const int32_t nv = s.model->nv;
    const Metric metric = build_metric(s, o, determined);
    const int32_t f = metric.count;
    double* x = s.step;

    // what the constants alone do, then the free motion nearest to the wish: y = M⁻¹ Bᵀ W (w - x0)
    memset(x, 0, sizeof(double) * (size_t)nv);
    back_substitute(s.elimination, x, true);
    double* y = s.wish + nv;  // scratch behind the wish
    if (metric.dense) {
        for (int32_t k = 0; k < f; ++k) y[k] = 0;
        for (int32_t i = 0; i < nv; ++i) {
            const double lack = (o.weights ? o.weights[i] : 1) * (s.wish[i] - x[i]);
            if (lack == 0) continue;
            const double* row = s.basis + (int64_t)i * f;
            for (int32_t k = 0; k < f; ++k) y[k] += row[k] * lack;
        }
        apply_inverse_metric(s, o, metric, y);
    } else {
        for (int32_t k = 0; k < f; ++k) y[k] = s.wish[s.free_variables[k]];
    }

    // dual system (A M⁻¹ Aᵀ + damping) z = e - A y, then y += M⁻¹ Aᵀ z
    double gradient = 0;
    Pivots pivots{1, 0};
    if (rows > 0 && f > 0) {
        for (int32_t r = 0; r < rows; ++r) {
            const double* row = s.task + (int64_t)r * nv;
            double* solved = s.solved + (int64_t)r * f;
            double sum = s.task_rhs[r];
            for (int32_t k = 0; k < f; ++k) {
                solved[k] = row[s.free_variables[k]];
                sum -= solved[k] * y[k];
            }
            s.dual[r] = sum;
            apply_inverse_metric(s, o, metric, solved);
        }
        for (int32_t a = 0; a < rows; ++a)
            for (int32_t b = 0; b <= a; ++b) {
                double sum = 0;
                const double* row = s.task + (int64_t)a * nv;
                const double* solved = s.solved + (int64_t)b * f;
                for (int32_t k = 0; k < f; ++k) sum += row[s.free_variables[k]] * solved[k];
                s.system[(int64_t)a * rows + b] = sum;
            }
        // steepest possible fall of the error per unit of motion
        for (int32_t k = 0; k < f; ++k) {
            double g = 0, h = 0;
            for (int32_t r = 0; r < rows; ++r) {
                g += s.task[(int64_t)r * nv + s.free_variables[k]] * s.dual[r];
                h += s.solved[(int64_t)r * f + k] * s.dual[r];
            }
            gradient += g * h;
        }
        // once without damping, to see which directions the handles really have
        memcpy(s.undamped, s.system, sizeof(double) * (size_t)rows * (size_t)rows);
        pivots = cholesky(s.undamped, rows, rows, 0);
        cholesky(s.system, rows, rows, damping);
        cholesky_solve(s.system, rows, rows, s.dual);
        for (int32_t r = 0; r < rows; ++r)
            for (int32_t k = 0; k < f; ++k) y[k] += s.solved[(int64_t)r * f + k] * s.dual[r];
    }
    report.promise_linear = report.promise_square = 0;
    for (int32_t r = 0; r < rows; ++r) {
        const double* row = s.task + (int64_t)r * nv;
        double gain = 0;
        for (int32_t k = 0; k < f; ++k) gain += row[s.free_variables[k]] * y[k];
        report.promise_linear += gain * s.task_rhs[r];
        report.promise_square += gain * gain;
    }
    report.task_pivot = pivots.ratio;
    report.gradient = gradient > 0 ? sqrt(gradient) : 0;
    report.freedoms = f;
    for (int32_t k = 0; k < f; ++k) x[s.free_variables[k]] = y[k];
    back_substitute(s.elimination, x, true);
    return pivots.rank >= f;
}

// The limit that the step would pass furthest becomes a hard row: holding one often spares the
// others. Returns whether one was added.
inline bool hold_limit(Solver& s, const double* q, double share) {
    const Model& m = *s.model;
    int32_t worst = -1, side = 0;
    double furthest = 1e-12, rhs = 0;
    for (int32_t j = 0; j < m.joint_count; ++j) {
        const int32_t type = m.joint_type[j];
        if (type == SPHERICAL || type == FREE) continue;
        for (int32_t k = 0; k < JOINT_NV[type]; ++k) {
            const int32_t i = m.joint_v[j] + k;
            if (s.held[i] || s.step[i] == 0) continue;
            const double here = q[m.joint_q[j] + k], there = here + share * s.step[i] * s.scale[i];
            const bool up = s.step[i] > 0;
            const double bound = up ? m.upper[i] : m.lower[i];
            const double over = (up ? there - bound : bound - there) / s.scale[i];
            if (!(over > furthest)) continue;
            furthest = over;
            worst = i;
            side = up ? 1 : -1;
            // never push further out from beyond a limit: hold where it is
            const double room = (bound - here) / s.scale[i];
            rhs = up ? larger(room, 0) : smaller(room, 0);
        }
    }
    if (worst < 0) return false;
    const double one = 1;
    s.held[worst] = side;
    eliminate(s.elimination, &worst, 1, &one, &rhs, 1, 1e-9, s.local, s.columns);
    return true;
}

// Linearises at q (links already computed) and finds the move for a given damping.
inline int32_t find_step(Solver& s, const double* q, const int32_t* ints, const double* reals,
                         int32_t handle_count, bool with_soft, const SolverOptions& o, double gap,
                         double damping, SolverReport& report) {
    const Model& m = *s.model;
    start_elimination(s.elimination);
    if (o.locked)
        for (int32_t i = 0; i < m.nv; ++i)
            if (o.locked[i]) {
                const double one = 1;
                double rhs = 0;
                eliminate(s.elimination, &i, 1, &one, &rhs, 1, 1e-9, s.local, s.columns);
            }
    s.elimination.smallest_pivot = 1e300;
    eliminate_loops(s, q, gap);
    report.loop_pivot = m.loop_count > 0 && s.elimination.smallest_pivot < 1e300
                            ? s.elimination.smallest_pivot
                            : 1;
    report.redundant = s.elimination.redundant;

    // pins are hard rows, handles soft ones
    int32_t rows = 0;
    for (int32_t i = 0; i < m.nv; ++i) s.columns[m.nv + i] = i;  // all variables, in order
    for (int32_t h = 0; h < handle_count; ++h) {
        if (!with_soft && !ints[HANDLE_INTS * h + 2]) continue;
        HandleError e;
        double* at = s.task + (int64_t)rows * m.nv;
        handle_error(s, ints + HANDLE_INTS * h, reals + HANDLE_REALS * h, e);
        handle_jacobian(s, q, ints + HANDLE_INTS * h, reals + HANDLE_REALS * h, e, at);
        if (ints[HANDLE_INTS * h + 2]) {
            eliminate(s.elimination, s.columns + m.nv, m.nv, at, e.rhs, e.row_count, 1e-6, s.local,
                      s.columns);
        } else {
            memcpy(s.task_rhs + rows, e.rhs, sizeof(double) * (size_t)e.row_count);
            rows += e.row_count;
        }
    }
    substitute(s.elimination, 0, s.task, s.task_rhs, rows);
    for (int32_t i = 0; i < m.nv; ++i) s.held[i] = 0;
    for (int32_t round = 0;; ++round) {
        if (s.elimination.overflow) return NEED_MEMORY;
        // most handles of most mechanisms fix every freedom: try that cheaper way first
        const bool hope = rows >= m.nv - s.elimination.count && o.posture_gain == 0;
        if (!solve_step(s, o, rows, damping, hope, report) && hope)
            solve_step(s, o, rows, damping, false, report);
        if (!o.use_limits || round > m.nv) break;
        // the move as it will be made: no longer than the step allows
        double longest = 0;
        for (int32_t i = 0; i < m.nv; ++i) longest = larger(longest, fabs(s.step[i]));
        const double share = longest > o.max_step ? o.max_step / longest : 1;
        const int32_t from = s.elimination.count;
        if (!hold_limit(s, q, share)) break;
        substitute(s.elimination, from, s.task, s.task_rhs, rows);
    }
    return OK;
}

// Share of the step that respects the step length and the call's bounds.
inline double allowed_share(const Solver& s, const SolverOptions& o) {
    const int32_t nv = s.model->nv;
    double share = 1;
    for (int32_t i = 0; i < nv; ++i) {
        const double x = fabs(s.step[i]);
        if (x * share > o.max_step) share = o.max_step / x;
        if (o.bounds) {
            const double bound = o.bounds[i] / s.scale[i];
            const double there = s.moved[i] + share * s.step[i];
            if (fabs(there) > bound && x > 0) {
                const double room = s.step[i] > 0 ? bound - s.moved[i] : bound + s.moved[i];
                share = larger(0.0, smaller(share, room / x));
            }
        }
    }
    return share;
}

inline void set_wish(Solver& s, const double* q, const SolverOptions& o) {
    const Model& m = *s.model;
    for (int32_t i = 0; i < m.nv; ++i) s.wish[i] = 0;
    if (o.posture == nullptr || o.posture_gain == 0) return;
    difference(m, q, o.posture, s.wish);
    for (int32_t i = 0; i < m.nv; ++i) s.wish[i] *= o.posture_gain / s.scale[i];
}

// q moved by a share of the step, in place.
inline void make_step(Solver& s, double* q, double share) {
    const Model& m = *s.model;
    double* v = s.wish + m.nv;
    for (int32_t i = 0; i < m.nv; ++i) {
        v[i] = share * s.step[i] * s.scale[i];
        s.moved[i] += share * s.step[i];
    }
    integrate(m, q, v, s.q_try);
    memcpy(q, s.q_try, sizeof(double) * (size_t)m.nq);
}

// A small free motion in no particular direction, as the step: repeatable, one way then the other.
constexpr double NUDGE = 0.02;
inline void nudge(Solver& s, const double* q, const SolverOptions& o, int32_t number) {
    const Model& m = *s.model;
    for (int32_t i = 0; i < m.nv; ++i) s.step[i] = 0;
    int32_t n = 0;
    for (int32_t i = 0; i < m.nv; ++i)
        if (s.elimination.formula_of[i] < 0) s.step[i] = (n++ % 2 ? -1 : 1) * (0.6 + 0.4 / (1 + n));
    back_substitute(s.elimination, s.step, false);
    double longest = 1e-300;
    for (int32_t i = 0; i < m.nv; ++i) longest = larger(longest, fabs(s.step[i]));
    double size = (number ? -1 : 1) * smaller(NUDGE, o.max_step) / longest;
    // no further than the limits let it
    double share = 1;
    for (int32_t j = 0; o.use_limits && j < m.joint_count; ++j) {
        const int32_t type = m.joint_type[j];
        if (type == SPHERICAL || type == FREE) continue;
        for (int32_t k = 0; k < JOINT_NV[type]; ++k) {
            const int32_t i = m.joint_v[j] + k;
            const double move = size * s.step[i] * s.scale[i], here = q[m.joint_q[j] + k];
            const double room = move > 0 ? m.upper[i] - here : here - m.lower[i];
            if (fabs(move) > 1e-15 && room < fabs(move))
                share = smaller(share, larger(room, 0) / fabs(move));
        }
    }
    for (int32_t i = 0; i < m.nv; ++i) s.step[i] *= share * size;
}

// Closes loops and pins from q by the shortest move; returns whether it succeeded.
inline bool close_loops(Solver& s, double* q, const int32_t* ints, const double* reals,
                        int32_t handle_count, const SolverOptions& o, int32_t max_iterations,
                        Errors& now, SolverReport& report) {
    const double met = o.handle_tolerance * o.handle_tolerance;
    SolverOptions closing = o;
    closing.bounds = nullptr;
    closing.posture_gain = 0;
    for (int32_t i = 0; i < s.model->nv; ++i) s.wish[i] = 0;
    for (int32_t n = 0; n < max_iterations; ++n) {
        if (now.gap <= o.gap_tolerance && now.hard <= met) return true;
        if (find_step(s, q, ints, reals, handle_count, false, closing, now.gap, 0, report) != OK)
            return false;
        // shorter steps until gap and pins together shrink
        double share = allowed_share(s, closing);
        const double before = now.gap * now.gap + now.hard;
        double* q_before = s.q_close;
        memcpy(q_before, q, sizeof(double) * (size_t)s.model->nq);
        bool better = false;
        for (int32_t cut = 0; cut < 10 && !better; ++cut, share *= 0.4) {
            memcpy(q, q_before, sizeof(double) * (size_t)s.model->nq);
            make_step(s, q, share);
            const Errors next = errors_at(s, q, ints, reals, handle_count);
            better = next.gap * next.gap + next.hard < before;
            if (better) now = next;
        }
        ++report.iterations;
        if (!better) {
            memcpy(q, q_before, sizeof(double) * (size_t)s.model->nq);
            now = errors_at(s, q, ints, reals, handle_count);
            return false;
        }
    }
    return now.gap <= o.gap_tolerance && now.hard <= met;
}

// Moves q towards the handles with the loops closed. q must be finite; it is changed in place.
//
// Steps meet the linearised loops while curvature opens them a little; the next step closes them
// again. Progress is judged at closed poses only: the last good one is the anchor to fall back to.
inline void solve(Solver& s, double* q, const int32_t* ints, const double* reals,
                  int32_t handle_count, const SolverOptions& o, SolverReport& report) {
    const Model& m = *s.model;
    const size_t q_bytes = sizeof(double) * (size_t)m.nq;
    const double met = o.handle_tolerance * o.handle_tolerance;
    set_scales(s);
    for (int32_t i = 0; i < m.nv; ++i) s.moved[i] = s.held[i] = 0;
    report = SolverReport{};
    memcpy(s.q_start, q, q_bytes);
    Errors now = errors_at(s, q, ints, reals, handle_count);
    auto is_closed = [&] { return now.gap <= o.gap_tolerance && now.hard <= met; };

    // an open start is closed first
    if (!is_closed() && !close_loops(s, q, ints, reals, handle_count, o, o.max_iterations, now, report)) {
        report.outcome = s.elimination.overflow ? NEED_MEMORY : STUCK;
        if (s.elimination.overflow) memcpy(q, s.q_start, q_bytes);
        report.gap = now.gap;
        report.pin_error = sqrt(now.hard);
        report.handle_error = sqrt(now.soft);
        return;
    }
    if (handle_count == 0 && o.posture_gain == 0) {
        report.outcome = REACHED;
        report.gap = now.gap;
        return;
    }
    memcpy(s.q_anchor, q, q_bytes);
    memcpy(s.moved_anchor, s.moved, sizeof(double) * (size_t)m.nv);
    Errors anchor = now;
    const double soft_at_start = now.soft;
    SolverReport ignored{};
    double radius = o.max_step, extra_damping = 0, promised = 0;
    int32_t open_for = 0, settling = 0, nudges = 0;
    report.outcome = MOVING;
    while (report.iterations < o.max_iterations) {
        const bool closed = is_closed();
        if (closed && now.soft <= met && o.posture_gain == 0) {
            report.outcome = REACHED;
            break;
        }
        set_wish(s, q, o);
        if (settling > 0)
            for (int32_t i = 0; i < m.nv; ++i) s.wish[i] = 0;
        // damping in proportion to the error: Newton's speed near the goal, and about the
        // curvature that a goal out of reach leaves at the edge
        const double damping = 0.1 * smaller(sqrt(now.soft), 1.0) + 1e-13 + extra_damping;
        SolverOptions step_options = o;
        step_options.max_step = radius;
        const int32_t status = find_step(s, q, ints, reals, handle_count, true, step_options,
                                         now.gap, damping, report);
        if (status != OK) {
            memcpy(q, s.q_start, q_bytes);
            report.outcome = status;
            return;
        }
        const double share = allowed_share(s, step_options);
        double longest = 0;
        for (int32_t i = 0; i < m.nv; ++i) longest = larger(longest, share * fabs(s.step[i]));
        const bool flat = o.posture_gain == 0 && longest < 1e-3 &&
                          report.gradient <= 1e-6 * sqrt(now.soft);
        if (closed && (longest < 1e-12 || flat) && now.soft > met && report.freedoms > 0 &&
            o.posture_gain == 0 && o.bounds == nullptr && nudges < 2) {
            // level ground may be a saddle (a dead centre, a stretched leg): step off it a little
            // and see; what does not lead downhill from there leads back to the anchor
            nudge(s, q, o, nudges++);
            make_step(s, q, 1);
            now = errors_at(s, q, ints, reals, handle_count);
            ++report.iterations;
            close_loops(s, q, ints, reals, handle_count, o, 4, now, ignored);
            promised = 0;
            continue;
        }
        if (closed && (longest < 1e-12 || flat)) {
            // held by the call's bounds, or as near as it gets
            report.outcome = share < 1e-6 && !flat ? MOVING : now.soft <= met ? REACHED : NEAREST;
            break;
        }
        if (closed) promised = share * (2 * report.promise_linear - share * report.promise_square);
        const double before = now.soft;
        make_step(s, q, share);
        now = errors_at(s, q, ints, reals, handle_count);
        ++report.iterations;
        // while the error falls fast, the next step may close the loops on the way
        if (!is_closed() && now.gap < 0.02 && now.soft < 0.1 * before && ++open_for < 4 &&
            report.iterations < o.max_iterations)
            continue;
        if (!is_closed() && now.gap < 0.3)
            close_loops(s, q, ints, reals, handle_count, o, 6, now, ignored);
        open_for = 0;
        // leaning to the posture may lift the handles a little: put them back before judging
        if (o.posture_gain != 0 && is_closed() && now.soft > larger(anchor.soft, met) &&
            now.soft < 1e-2 && ++settling < 5 && report.iterations < o.max_iterations)
            continue;
        settling = 0;
        const bool posture_moves = o.posture_gain != 0 && now.soft <= larger(anchor.soft, met);
        const bool better = is_closed() && (now.soft < anchor.soft * (nudges ? 1 - 1e-9 : 1) ||
                                            now.soft <= met || posture_moves);
        // how well the linear picture foretold the gain sets how much it is trusted next
        const double kept = promised > 0 ? (anchor.soft - now.soft) / promised : 1;
        if (better) {
            if (kept < 0.25) {
                extra_damping = larger(4 * extra_damping, 1e-3 * smaller(now.soft, 1.0));
                radius = larger(0.5 * smaller(radius, longest), 1e-6);
            } else if (kept > 0.7) {
                extra_damping *= 0.1;
                radius = smaller(2 * radius, o.max_step);
            }
            anchor = now;
            memcpy(s.q_anchor, q, q_bytes);
            memcpy(s.moved_anchor, s.moved, sizeof(double) * (size_t)m.nv);
        } else {
            // back to the anchor, with shorter and more careful steps
            memcpy(q, s.q_anchor, q_bytes);
            memcpy(s.moved, s.moved_anchor, sizeof(double) * (size_t)m.nv);
            now = errors_at(s, q, ints, reals, handle_count);
            radius = 0.3 * smaller(radius, longest);
            extra_damping = larger(8 * extra_damping, 1e-2 * smaller(now.soft, 1.0));
            if (nudges > 0) radius = o.max_step;  // it was the nudge that did not lead anywhere
            if (radius < 1e-9) {
                report.outcome = now.soft <= met ? REACHED : NEAREST;
                break;
            }
        }
    }
    if (!is_closed()) {
        memcpy(q, s.q_anchor, q_bytes);
        now = errors_at(s, q, ints, reals, handle_count);
    }
    // a whole call that gains next to nothing: this is the edge of what can be reached
    if (report.outcome == MOVING && o.bounds == nullptr && o.posture_gain == 0 &&
        soft_at_start - now.soft <= 1e-6 * soft_at_start)
        report.outcome = NEAREST;
    report.gap = now.gap;
    report.pin_error = sqrt(now.hard);
    report.handle_error = sqrt(now.soft);
}

}  // namespace kinegen
