// What the solver is asked, what it answers, and the memory it works in.
#pragma once

#include "kernel/linalg/eliminate.hpp"
#include "kernel/base/model.hpp"
#include "kernel/solver/plan.hpp"

namespace kinegen {

constexpr int32_t HANDLE_INTS = record::HandleInts::COUNT;
constexpr int32_t HANDLE_REALS = record::HandleReals::COUNT;
constexpr int32_t HANDLE_ROWS = 6;

inline int32_t handle_rows(int32_t kind) {
    return kind == HANDLE_POSE ? 6 : kind == HANDLE_DIRECTION ? 5 : 3;
}

struct Avoidance;  // of collisions: kernel/solver/avoid.hpp

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
    Avoidance* avoid;  // bodies that must not meet, or null
    bool roam;         // closing takes every step, even where the gap widens
};

// The options that are single numbers, from their row.
inline SolverOptions read_numbers(const double* row) {
    using at = record::SolverNumbers;
    SolverOptions o{};
    o.max_iterations = (int32_t)row[at::ITERATIONS];
    o.max_step = row[at::MAX_STEP];
    o.gap_tolerance = row[at::GAP_TOLERANCE];
    o.handle_tolerance = row[at::HANDLE_TOLERANCE];
    o.posture_gain = row[at::POSTURE_GAIN];
    o.use_limits = row[at::USE_LIMITS] != 0;
    return o;
}

struct SolverReport {
    int32_t outcome;
    int32_t iterations;
    int32_t dof;            // motions left by loops, pins and locked joints
    int32_t redundant;      // hard rows that others imply
    double gap;             // widest loop, scaled by the mechanism's size
    double pin_error;       // scaled
    double handle_error;    // scaled, all handles together
    double gradient;        // how much the handles' error could still fall, per unit of motion
    double promise_linear;  // the step promises to lower the squared error by
    double promise_square;  // 2 share linear - share² square
    double task_pivot;      // smallest/largest pivot of the handles' system: 0 at a singularity
    double loop_pivot;   // smallest pivot of the loops' rows: 0 where degrees of freedom are gained
    double clearance;    // distance of the nearest bodies [m], infinite where none are avoided
    int32_t obstacle;    // pair of shapes that stands in the way, -1: none
    int32_t pivot_rows;  // rows whose pivots are still to be found
};

// Dense metric up to this many degrees of freedom; above it the weights of the free variables
// alone, so that the cost stays linear.
constexpr int32_t DENSE_LIMIT = 48;

// Both ends of a cut joint and what is missing between them.
struct LoopEnds {
    double X_WM[TRANSFORM_SIZE], X_WK[TRANSFORM_SIZE], rhs[6];
};

// What one handle lacks, and the frame its rows need.
struct HandleError {
    double p_W[3];        // the handle's point
    double across[2][3];  // for a direction: the two ways to tilt the axis
    double rhs[HANDLE_ROWS];
    int64_t row_count;
};

struct Solver {
    Model* model;
    Plan plan;
    Elimination elimination;
    int32_t row_capacity;  // rows of all handles together
    // scratch
    double* links;               // links × 12
    LoopEnds* ends;              // per loop
    double* local;               // 6 × nv
    double* loop_rows;           // 6 × widest loop
    double* task;                // row_capacity × nv
    double* task_rhs;            // row_capacity
    double* system;              // row_capacity × row_capacity
    double* undamped;            // row_capacity × row_capacity
    double* dual;                // 2 × row_capacity
    HandleError* handle_errors;  // per handle
    double* task_columns;        // row_capacity × nv, by variable
    double* line;                // nv
    double* basis;               // nv × DENSE_LIMIT
    double* metric;              // DENSE_LIMIT × DENSE_LIMIT
    double* solved;              // row_capacity × max(DENSE_LIMIT, nv)
    double* step;                // nv
    double* moved;               // nv
    double* preferred;           // nv
    double* scale;               // nv
    double* moved_anchor;        // nv
    double* q_try;               // nq
    double* q_close;             // nq
    double* q_anchor;            // nq
    double* q_start;             // nq
    int32_t* columns;            // nv
    int32_t* free_variables;     // nv
    int32_t* chain;              // 2 × joints: those from the base to a site
    int32_t* held;               // nv: -1 lower limit, +1 upper limit, 0 none
    int32_t* held_best;          // nv: of the best attempt of a search
    double size;                 // length that scales all lengths [m]
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
        for (int32_t k = 0; k < JOINT_NV[type]; ++k) at[k] = JOINT_LENGTH[type][k] ? s.size : 1;
    }
}

}  // namespace kinegen
