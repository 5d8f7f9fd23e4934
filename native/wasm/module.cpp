// The kernels for the page: a flat C interface of int32, double and pointers.
//
// The page asks for memory once (kg_alloc), writes the model's two blocks there, binds them to a
// handle and calls. All pointers are byte offsets in the module's memory; allocate first, then make
// typed-array views, since growing memory detaches them. Every array is a pointer and its count: a
// count that is not the one expected is refused with a negative Status, nothing is then written.
#include "kernel/base/formula.hpp"
#include "kernel/base/forward.hpp"
#include "kernel/base/jacobian.hpp"
#include "kernel/loops/loops.hpp"
#include "kernel/base/manifold.hpp"
#include "kernel/base/tree.hpp"
#include "wasm/page.hpp"

using namespace kinegen;

namespace {

// Bound models by handle; handle 0 is none, so that a page's forgotten variable is not a model.
Bound** bound_models = nullptr;
int32_t bound_room = 0;

int32_t free_handle() {
    for (int32_t handle = 1; handle < bound_room; ++handle)
        if (bound_models[handle] == nullptr) return handle;
    const int32_t room = bound_room == 0 ? 8 : 2 * bound_room;
    Bound** table = static_cast<Bound**>(realloc(bound_models, sizeof(Bound*) * (size_t)room));
    if (table == nullptr) return 0;
    const int32_t handle = bound_room == 0 ? 1 : bound_room;
    for (int32_t i = bound_room; i < room; ++i) table[i] = nullptr;
    bound_models = table;
    bound_room = room;
    return handle;
}

bool is_site(const Model& m, int32_t site, int32_t lowest) {
    return site >= lowest && site < m.site_count();
}

}  // namespace

Bound* kinegen::find_bound(int32_t handle) {
    return handle > 0 && handle < bound_room ? bound_models[handle] : nullptr;
}

EXPORT(kg_alloc)(int32_t bytes)->void* { return bytes > 0 ? malloc((size_t)bytes) : nullptr; }
EXPORT(kg_free)(void* memory)->void { free(memory); }
EXPORT(kg_layout_version)()->int32_t { return LAYOUT_VERSION; }
EXPORT(kg_operation_count)()->int32_t { return OP_COUNT; }

// A handle (positive) to the model in the two blocks, which stay in use until kg_unbind; negative
// when they do not fit together.
EXPORT(kg_bind)(const int32_t* ints, int32_t int_count, double* reals, int32_t real_count)
    ->int32_t {
    if (!readable(ints, int_count) || !readable(reals, real_count)) return BAD_SIZE;
    Model m;
    const int32_t status = bind_model(ints, int_count, reals, real_count, m);
    if (status != OK) return status;
    const uint64_t doubles = (TRANSFORM_SIZE + 6) * (uint64_t)m.link_count + 6 * (uint64_t)m.nv;
    const uint64_t integers = (uint64_t)m.link_count + (uint64_t)m.joint_count;
    const uint64_t bytes = sizeof(Bound) + doubles * sizeof(double) + integers * sizeof(int32_t);
    char* memory = bytes <= INT32_MAX ? static_cast<char*>(calloc(1, (size_t)bytes)) : nullptr;
    if (memory == nullptr) return NO_MEMORY;
    Bound* b = reinterpret_cast<Bound*>(memory);
    b->model = m;
    b->links = reinterpret_cast<double*>(memory + sizeof(Bound));
    b->twists = b->links + TRANSFORM_SIZE * (size_t)m.link_count;
    b->rows = b->twists + 6 * (size_t)m.link_count;
    b->path = reinterpret_cast<int32_t*>(b->rows + 6 * (size_t)m.nv);
    b->marks = b->path + m.link_count;
    if (!is_tree(m, b->path)) {
        free(memory);
        return BAD_INDEX;
    }
    const int32_t handle = free_handle();
    if (handle == 0) {
        free(memory);
        return NO_MEMORY;
    }
    bound_models[handle] = b;
    return handle;
}
EXPORT(kg_unbind)(int32_t handle)->int32_t {
    BIND(b, handle);
    forget_solver(handle);
    forget_monitor(handle);
    free(b);
    bound_models[handle] = nullptr;
    return OK;
}

EXPORT(kg_update)(int32_t handle)->int32_t {
    BIND(b, handle);
    return update_all(m);
}
EXPORT(kg_set_parameter)(int32_t handle, int32_t index, double value)->int32_t {
    BIND(b, handle);
    return set_parameter(m, index, value);
}
EXPORT(kg_set_number)(int32_t handle, int32_t index, double value)->int32_t {
    BIND(b, handle);
    return set_number(m, index, value);
}

EXPORT(kg_forward_poses)(int32_t handle, const double* q, int32_t q_count, double* poses,
                         int32_t pose_count)
    ->int32_t {
    BIND(b, handle);
    if (!fits(q, q_count, m.nq) || !fits(poses, pose_count, 7LL * m.site_count())) return BAD_SIZE;
    forward_poses(m, q, b->links, poses);
    return OK;
}
EXPORT(kg_forward_links)(int32_t handle, const double* q, int32_t q_count, double* transforms,
                         int32_t transform_count)
    ->int32_t {
    BIND(b, handle);
    if (!fits(q, q_count, m.nq) ||
        !fits(transforms, transform_count, (int64_t)TRANSFORM_SIZE * m.link_count))
        return BAD_SIZE;
    forward_links(m, q, transforms);
    return OK;
}
EXPORT(kg_link_twists)(int32_t handle, const double* q, int32_t q_count, const double* v,
                       int32_t v_count, double* twists, int32_t twist_count)
    ->int32_t {
    BIND(b, handle);
    if (!fits(q, q_count, m.nq) || !fits(v, v_count, m.nv) ||
        !fits(twists, twist_count, 6LL * m.link_count))
        return BAD_SIZE;
    forward_links(m, q, b->links);
    link_twists(m, q, v, b->links, twists);
    return OK;
}
EXPORT(kg_loop_poses)(int32_t handle, const double* q, int32_t q_count, double* poses,
                      int32_t pose_count)
    ->int32_t {
    BIND(b, handle);
    if (!fits(q, q_count, m.nq) || !fits(poses, pose_count, 14LL * m.loop_count)) return BAD_SIZE;
    forward_links(m, q, b->links);
    double X_WM[TRANSFORM_SIZE], X_WK[TRANSFORM_SIZE];
    for (int32_t loop = 0; loop < m.loop_count; ++loop) {
        loop_transforms(m, q, b->links, loop, X_WM, X_WK);
        to_pose(X_WM, poses + 14 * loop);
        to_pose(X_WK, poses + 14 * loop + 7);
    }
    return OK;
}
EXPORT(kg_site_jacobian)(int32_t handle, const double* q, int32_t q_count, int32_t site,
                         const double* point, int32_t point_count, int32_t axes, double* pose,
                         int32_t pose_count, double* J, int32_t J_count)
    ->int32_t {
    BIND(b, handle);
    if (!is_site(m, site, 0) || !is_site(m, axes, -1)) return BAD_INDEX;
    if (!fits(q, q_count, m.nq) || !fits(point, point_count, 3) || !fits(pose, pose_count, 7) ||
        !fits(J, J_count, 6LL * m.nv))
        return BAD_SIZE;
    double X_WS[TRANSFORM_SIZE];
    site_jacobian(m, q, site, point, axes, b->links, b->path, X_WS, J);
    to_pose(X_WS, pose);
    return OK;
}
EXPORT(kg_site_jacobian_dot)(int32_t handle, const double* q, int32_t q_count, const double* v,
                             int32_t v_count, int32_t site, const double* point,
                             int32_t point_count, int32_t axes, double* J_dot, int32_t J_dot_count)
    ->int32_t {
    BIND(b, handle);
    if (!is_site(m, site, 0) || !is_site(m, axes, -1)) return BAD_INDEX;
    if (!fits(q, q_count, m.nq) || !fits(v, v_count, m.nv) || !fits(point, point_count, 3) ||
        !fits(J_dot, J_dot_count, 6LL * m.nv))
        return BAD_SIZE;
    site_jacobian_dot(m, q, v, site, point, axes, b->links, b->twists, b->rows, J_dot);
    return OK;
}
EXPORT(kg_loop_residual)(int32_t handle, const double* q, int32_t q_count, double* phi,
                         int32_t phi_count)
    ->int32_t {
    BIND(b, handle);
    if (!fits(q, q_count, m.nq) || !fits(phi, phi_count, 6LL * m.loop_count)) return BAD_SIZE;
    loop_residual(m, q, b->links, phi);
    return OK;
}
EXPORT(kg_loop_jacobian)(int32_t handle, const double* q, int32_t q_count, double* J,
                         int32_t J_count)
    ->int32_t {
    BIND(b, handle);
    if (!fits(q, q_count, m.nq) || !fits(J, J_count, 6LL * m.loop_count * m.nv)) return BAD_SIZE;
    loop_jacobian(m, q, b->links, b->marks, J);
    return OK;
}
EXPORT(kg_augmented_jacobian)(int32_t handle, const double* q, int32_t q_count,
                              const int32_t* tasks, int32_t task_numbers, double* J,
                              int32_t J_count)
    ->int32_t {
    BIND(b, handle);
    if (!readable(tasks, task_numbers) || task_numbers % 2 != 0) return BAD_SIZE;
    int64_t rows = 6LL * m.loop_count;
    for (int32_t t = 0; t < task_numbers; t += 2) {
        if (!is_site(m, tasks[t], 0) || tasks[t + 1] < TASK_POSE || tasks[t + 1] > TASK_ROTATION)
            return BAD_INDEX;
        rows += task_row_count(tasks[t + 1]);
    }
    if (!fits(q, q_count, m.nq) || !fits(J, J_count, rows * m.nv)) return BAD_SIZE;
    augmented_jacobian(m, q, tasks, task_numbers / 2, b->links, b->marks, b->rows, J);
    return OK;
}
EXPORT(kg_integrate)(int32_t handle, const double* q, int32_t q_count, const double* v,
                     int32_t v_count, double* out, int32_t out_count)
    ->int32_t {
    BIND(b, handle);
    if (!fits(q, q_count, m.nq) || !fits(v, v_count, m.nv) || !fits(out, out_count, m.nq))
        return BAD_SIZE;
    integrate(m, q, v, out);
    return OK;
}
EXPORT(kg_difference)(int32_t handle, const double* q0, int32_t q0_count, const double* q1,
                      int32_t q1_count, double* out, int32_t out_count)
    ->int32_t {
    BIND(b, handle);
    if (!fits(q0, q0_count, m.nq) || !fits(q1, q1_count, m.nq) || !fits(out, out_count, m.nv))
        return BAD_SIZE;
    difference(m, q0, q1, out);
    return OK;
}
