// Dynamics of many states at once: a state per lane, states in columns.
#pragma once

#include "kernel/dynamics/forward.hpp"
#include "kernel/dynamics/mass.hpp"
#include "kernel/dynamics/measures.hpp"
#include "kernel/dynamics/tasks.hpp"

namespace kinegen {
namespace KINEGEN_ISA {

// Rows of n columns in lanes; columns beyond the last repeat it, so that no lane computes nonsense.
inline void load_rows(const double* from, int64_t rows, int64_t stride, int64_t count,
                      Lanes64* to) {
    constexpr int W = WIDTH<double>;
    for (int64_t r = 0; r < rows; ++r) {
        const double* row = from + r * stride;
        if (count >= W) {
            to[r] = load<double>(row);
        } else {
            Lanes64 x = all<double>(row[0]);
            for (int i = 1; i < count; ++i) x[i] = row[i];
            to[r] = x;
        }
    }
}

// Memory of run_dynamics, in lanes.
struct DynamicsLanes {
    Lanes64 *q, *v, *x, *wrenches, *out;
    LinkMotion<Lanes64>* motions;
    Composite<Lanes64>* composites;
    LinkFlight<Lanes64>* flights;
    ForwardMemory<Lanes64> forward;
};

inline DynamicsLanes take_lanes(Arena<Lanes64>& arena, const Model& m, int32_t task, bool pushed) {
    DynamicsLanes s = {};
    s.q = arena.take(m.nq);
    s.v = arena.take(m.nv);
    s.x = arena.take(m.nv);
    s.wrenches = arena.take(pushed ? 6LL * m.link_count : 0);
    s.out = arena.take(dynamics_rows(m, task));
    if (task <= TASK_GRAVITY) s.motions = take_motions(arena, m);
    if (task == TASK_MASS) s.composites = take_composites(arena, m);
    if (task == TASK_MEASURES) s.flights = take_flights(arena, m);
    if (task == TASK_FORWARD) s.forward = take_forward(arena, m);
    return s;
}

// Bytes that run_dynamics needs, and to what they must be aligned.
inline int64_t dynamics_bytes(const Model& m, int32_t task, bool pushed) {
    Arena<Lanes64> count{nullptr, 0};
    take_lanes(count, m, task, pushed);
    return count.used * (int64_t)sizeof(Lanes64);
}

// One task for `count` columns. Arrays that a task does not need may be null; all others have a row
// per number, rows `stride` apart. Returns 0, or 1 + a joint that has no mass to move.
inline int32_t run_dynamics(const Model& m, int32_t task, const DynamicsColumns& in, int64_t count,
                            void* memory, double* out) {
    constexpr int W = WIDTH<double>;
    Arena<Lanes64> arena{static_cast<Lanes64*>(memory), 0};
    DynamicsLanes s = take_lanes(arena, m, task, in.wrenches != nullptr);
    const int64_t rows = dynamics_rows(m, task);
    int32_t status = 0;
    for (int64_t at = 0; at < count; at += W) {
        const int64_t left = count - at;
        load_rows(in.q + at, m.nq, in.stride, left, s.q);
        if (in.v != nullptr) load_rows(in.v + at, m.nv, in.stride, left, s.v);
        if (in.x != nullptr) load_rows(in.x + at, m.nv, in.stride, left, s.x);
        const Lanes64* wrenches = nullptr;
        if (in.wrenches != nullptr) {
            load_rows(in.wrenches + at, 6LL * m.link_count, in.stride, left, s.wrenches);
            wrenches = s.wrenches;
        }
        switch (task) {
            case TASK_INVERSE:
                inverse_dynamics<Lanes64>(m, s.q, s.v, s.x, wrenches, s.motions, s.out);
                break;
            case TASK_BIAS:
                bias_efforts<Lanes64>(m, s.q, s.v, wrenches, s.motions, s.out);
                break;
            case TASK_GRAVITY:
                gravity_efforts<Lanes64>(m, s.q, wrenches, s.motions, s.out);
                break;
            case TASK_FORWARD: {
                const int32_t found =
                    forward_dynamics<Lanes64>(m, s.q, s.v, s.x, wrenches, s.forward, s.out);
                if (status == 0) status = found;
                break;
            }
            case TASK_MASS:
                mass_matrix<Lanes64>(m, s.q, s.composites, s.out);
                break;
            default:
                measure<Lanes64>(m, s.q, s.v, s.flights, s.out);
                break;
        }
        for (int64_t r = 0; r < rows; ++r)
            store_some<double>(s.out[r], out + r * in.stride + at, left);
    }
    return status;
}

}  // namespace KINEGEN_ISA
}  // namespace kinegen
