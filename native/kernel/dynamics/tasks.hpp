// What the batch kernels of dynamics are asked: shared by all their builds.
#pragma once

#include "kernel/base/model.hpp"

namespace kinegen {

enum DynamicsTask : int32_t {
    TASK_INVERSE = 0,
    TASK_BIAS = 1,
    TASK_GRAVITY = 2,
    TASK_FORWARD = 3,
    TASK_MASS = 4,
    TASK_MEASURES = 5,
    TASK_COUNT = 6
};

// Arrays of a batch: a row per number, rows `stride` apart; x is vdot or tau.
struct DynamicsColumns {
    const double *q, *v, *x, *wrenches;
    int64_t stride;
};

}  // namespace kinegen
