// The kernels for the page: a flat C interface of int32, double and pointers.
//
// The page asks for memory once (kg_alloc), writes the model's two blocks there, and calls. All
// pointers are byte offsets in the module's memory; allocate first, then make typed-array views.
#include "kernel/formula.hpp"
#include "kernel/forward.hpp"
#include "kernel/jacobian.hpp"
#include "kernel/loops.hpp"
#include "kernel/manifold.hpp"

#include <stdlib.h>

using namespace kinegen;

#define EXPORT(name) extern "C" __attribute__((export_name(#name))) auto name

namespace {

// A model with the scratch memory its kernels need, all in one piece of memory.
struct Bound {
    Model model;
    double* links;
    double* twists;
    double* rows;
    int32_t* path;
    int32_t* marks;
};

bool is_site(const Model& m, int32_t site, int32_t lowest) {
    return site >= lowest && site < m.site_count();
}

}  // namespace

EXPORT(kg_alloc)(int32_t bytes) -> void* { return bytes > 0 ? malloc((size_t)bytes) : nullptr; }
EXPORT(kg_free)(void* memory) -> void { free(memory); }
EXPORT(kg_layout_version)() -> int32_t { return LAYOUT_VERSION; }

// A handle to the model in the two blocks, or null when they do not fit together.
EXPORT(kg_bind)(const int32_t* ints, int32_t int_count, double* reals, int32_t real_count)->Bound* {
    Model m;
    if (bind_model(ints, int_count, reals, real_count, m) != OK) return nullptr;
    const size_t doubles = (TRANSFORM_SIZE + 6) * (size_t)m.link_count + 6 * (size_t)m.nv;
    const size_t integers = (size_t)m.link_count + (size_t)m.joint_count;
    char* memory = static_cast<char*>(calloc(
        1, sizeof(Bound) + doubles * sizeof(double) + integers * sizeof(int32_t)));
    if (memory == nullptr) return nullptr;
    Bound* b = reinterpret_cast<Bound*>(memory);
    b->model = m;
    b->links = reinterpret_cast<double*>(memory + sizeof(Bound));
    b->twists = b->links + TRANSFORM_SIZE * (size_t)m.link_count;
    b->rows = b->twists + 6 * (size_t)m.link_count;
    b->path = reinterpret_cast<int32_t*>(b->rows + 6 * (size_t)m.nv);
    b->marks = b->path + m.link_count;
    return b;
}

EXPORT(kg_update)(Bound* b)->int32_t { return update_all(b->model); }
EXPORT(kg_set_parameter)(Bound* b, int32_t index, double value)->int32_t {
    return set_parameter(b->model, index, value);
}
EXPORT(kg_set_number)(Bound* b, int32_t index, double value)->int32_t {
    return set_number(b->model, index, value);
}

EXPORT(kg_forward_poses)(Bound* b, const double* q, double* poses)->void {
    forward_poses(b->model, q, b->links, poses);
}
EXPORT(kg_forward_links)(Bound* b, const double* q, double* transforms)->void {
    forward_links(b->model, q, transforms);
}
EXPORT(kg_link_twists)(Bound* b, const double* q, const double* v, double* twists)->void {
    forward_links(b->model, q, b->links);
    link_twists(b->model, q, v, b->links, twists);
}
EXPORT(kg_loop_poses)(Bound* b, const double* q, double* poses)->void {
    forward_links(b->model, q, b->links);
    double X_WM[TRANSFORM_SIZE], X_WK[TRANSFORM_SIZE];
    for (int32_t loop = 0; loop < b->model.loop_count; ++loop) {
        loop_transforms(b->model, q, b->links, loop, X_WM, X_WK);
        to_pose(X_WM, poses + 14 * loop);
        to_pose(X_WK, poses + 14 * loop + 7);
    }
}
EXPORT(kg_site_jacobian)(Bound* b, const double* q, int32_t site, const double* point, int32_t axes,
                         double* pose, double* J)->int32_t {
    if (!is_site(b->model, site, 0) || !is_site(b->model, axes, -1)) return BAD_INDEX;
    double X_WS[TRANSFORM_SIZE];
    site_jacobian(b->model, q, site, point, axes, b->links, b->path, X_WS, J);
    to_pose(X_WS, pose);
    return OK;
}
EXPORT(kg_site_jacobian_dot)(Bound* b, const double* q, const double* v, int32_t site,
                             const double* point, int32_t axes, double* J_dot)->int32_t {
    if (!is_site(b->model, site, 0) || !is_site(b->model, axes, -1)) return BAD_INDEX;
    site_jacobian_dot(b->model, q, v, site, point, axes, b->links, b->twists, b->rows, J_dot);
    return OK;
}
EXPORT(kg_loop_residual)(Bound* b, const double* q, double* phi)->void {
    loop_residual(b->model, q, b->links, phi);
}
EXPORT(kg_loop_jacobian)(Bound* b, const double* q, double* J)->void {
    loop_jacobian(b->model, q, b->links, b->marks, J);
}
EXPORT(kg_augmented_jacobian)(Bound* b, const double* q, const int32_t* tasks, int32_t task_count,
                              double* J)->int32_t {
    for (int32_t t = 0; t < task_count; ++t)
        if (!is_site(b->model, tasks[2 * t], 0) || tasks[2 * t + 1] < TASK_POSE ||
            tasks[2 * t + 1] > TASK_ROTATION)
            return BAD_INDEX;
    augmented_jacobian(b->model, q, tasks, task_count, b->links, b->marks, b->rows, J);
    return OK;
}
EXPORT(kg_integrate)(Bound* b, const double* q, const double* v, double* out)->void {
    integrate(b->model, q, v, out);
}
EXPORT(kg_difference)(Bound* b, const double* q0, const double* q1, double* out)->void {
    difference(b->model, q0, q1, out);
}
