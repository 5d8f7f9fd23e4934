// What the batch kernels of dynamics are asked: shared by all their builds.
#pragma once

#include "kernel/base/model.hpp"
#include "kernel/dynamics/protocol.hpp"

namespace kinegen {

// Arrays of a batch: a row per number, rows `stride` apart; x is vdot or tau.
struct DynamicsColumns {
    const double *q, *v, *x, *wrenches;
    int64_t stride;
};

}  // namespace kinegen
