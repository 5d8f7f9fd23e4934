// Dynamics of the tree for the page: one call for all tasks. Cut joints are absent.
#define KINEGEN_SMALL
#include "kernel/dynamics/forward.hpp"
#include "kernel/dynamics/mass.hpp"
#include "kernel/dynamics/measures.hpp"
#include "kernel/dynamics/tasks.hpp"
#include "wasm/page.hpp"

using namespace kinegen;

namespace {

// The scratch of all tasks; each uses its own.
struct Room {
    LinkMotion<double>* motions;
    Composite<double>* composites;
    LinkFlight<double>* flights;
    ForwardMemory<double> forward;
};

Room take_room(Arena<double>& arena, const Model& m) {
    return {take_motions(arena, m), take_composites(arena, m), take_flights(arena, m),
            take_forward(arena, m)};
}

}  // namespace

// A task of DynamicsTask: 0 efforts for accelerations x, 1 bias, 2 gravity, 3 accelerations for
// efforts x, 4 mass matrix, 5 sixteen measures. v and x have nv numbers, or none where a task does
// not need them; wrenches six per link (force, moment about its origin; world axes), or none.
// Returns 0, 1 + a joint that has no mass to move, or a negative status and nothing written.
EXPORT(kg_dynamics)(int32_t handle, int32_t task, const double* q, int32_t q_count, const double* v,
                    int32_t v_count, const double* x, int32_t x_count, const double* wrenches,
                    int32_t wrench_count, double* out, int32_t out_count)
    ->int32_t {
    BIND(b, handle);
    if (task < 0 || task >= TASK_COUNT) return BAD_NUMBER;
    const bool moves = task != TASK_GRAVITY && task != TASK_MASS;
    const bool driven = task == TASK_INVERSE || task == TASK_FORWARD;
    if (!fits(q, q_count, m.nq) || !fits(v, v_count, moves ? m.nv : 0) ||
        !fits(x, x_count, driven ? m.nv : 0) ||
        (wrench_count != 0 && !fits(wrenches, wrench_count, 6LL * m.link_count)) ||
        !fits(out, out_count, dynamics_rows(m, task)))
        return BAD_SIZE;
    Arena<double> count{nullptr, 0};
    take_room(count, m);
    Scratch<double> memory(count.used);
    if (!memory) return NO_MEMORY;
    Arena<double> arena{memory.data, 0};
    Room room = take_room(arena, m);
    const double* pushes = wrench_count == 0 ? nullptr : wrenches;
    switch (task) {
        case TASK_INVERSE:
            inverse_dynamics(m, q, v, x, pushes, room.motions, out);
            return OK;
        case TASK_BIAS:
            bias_efforts(m, q, v, pushes, room.motions, out);
            return OK;
        case TASK_GRAVITY:
            gravity_efforts(m, q, pushes, room.motions, out);
            return OK;
        case TASK_FORWARD:
            return forward_dynamics(m, q, v, x, pushes, room.forward, out);
        case TASK_MASS:
            mass_matrix(m, q, room.composites, out);
            return OK;
        default:
            measure(m, q, v, room.flights, out);
            return OK;
    }
}

// Efforts of springs, dampers and friction.
EXPORT(kg_passive)(int32_t handle, const double* q, int32_t q_count, const double* v,
                   int32_t v_count, double* out, int32_t out_count)
    ->int32_t {
    BIND(b, handle);
    if (!fits(q, q_count, m.nq) || !fits(v, v_count, m.nv) || !fits(out, out_count, m.nv))
        return BAD_SIZE;
    passive_efforts(m, q, v, out);
    return OK;
}
