// What the solver needs to know of a model's structure, worked out once: who moves each loop.
#pragma once

#include "model.hpp"

namespace kinegen {

struct Plan {
    int32_t* loop_order;   // loops, shortest first: inner loops are eliminated before outer ones
    int32_t* path_first;   // per loop + 1: its joints in `path_joint`
    int32_t* path_joint;   // joints between the two ends of the loop, the cut joint last
    int32_t* path_side;    // +1 moves the end M, -1 moves the end K
    int32_t* column_first; // per loop + 1: its variables in `column`
    int32_t* column;
    int32_t* uses;         // per variable: number of loops it moves
    int32_t path_size, column_size;
};

// Joints of one loop; out may be null to count only. marks: per joint, zero on entry and exit.
inline int32_t loop_path(const Model& m, int32_t loop, int32_t* marks, int32_t* joints,
                         int32_t* sides) {
    const int32_t cut = m.loop_joint[loop];
    const int32_t ends[2] = {m.joint_parent[cut], m.joint_child[cut]};
    for (int end = 0; end < 2; ++end)
        for (int32_t j = m.link_joint[ends[end]]; j >= 0; j = m.link_joint[m.joint_parent[j]])
            marks[j] += 1;
    int32_t count = 0;
    for (int end = 0; end < 2; ++end)
        for (int32_t j = m.link_joint[ends[end]]; j >= 0; j = m.link_joint[m.joint_parent[j]]) {
            if (marks[j] == 1) {
                if (joints != nullptr) {
                    joints[count] = j;
                    sides[count] = end == 0 ? 1 : -1;
                }
                ++count;
            }
            marks[j] = 0;
        }
    if (joints != nullptr) {
        joints[count] = cut;
        sides[count] = 1;
    }
    return count + 1;
}

// Sizes of the plan's lists, then (second call, with memory) the plan itself.
inline void measure_plan(const Model& m, int32_t* marks, Plan& plan) {
    plan.path_size = plan.column_size = 0;
    for (int32_t loop = 0; loop < m.loop_count; ++loop)
        plan.path_size += loop_path(m, loop, marks, nullptr, nullptr);
    // every joint on a path has at most six variables
    plan.column_size = 6 * plan.path_size;
}

inline void make_plan(const Model& m, int32_t* marks, Plan& plan) {
    plan.path_first[0] = plan.column_first[0] = 0;
    for (int32_t i = 0; i < m.nv; ++i) plan.uses[i] = 0;
    for (int32_t loop = 0; loop < m.loop_count; ++loop) {
        const int32_t first = plan.path_first[loop];
        const int32_t count =
            loop_path(m, loop, marks, plan.path_joint + first, plan.path_side + first);
        plan.path_first[loop + 1] = first + count;
        int32_t column = plan.column_first[loop];
        for (int32_t i = first; i < first + count; ++i) {
            const int32_t joint = plan.path_joint[i];
            for (int32_t k = 0; k < JOINT_NV[m.joint_type[joint]]; ++k) {
                plan.column[column++] = m.joint_v[joint] + k;
                plan.uses[m.joint_v[joint] + k] += 1;
            }
        }
        plan.column_first[loop + 1] = column;
    }
    // insertion sort by length keeps the file's order among equals
    for (int32_t i = 0; i < m.loop_count; ++i) {
        int32_t at = i;
        auto length = [&plan](int32_t l) { return plan.column_first[l + 1] - plan.column_first[l]; };
        while (at > 0 && length(plan.loop_order[at - 1]) > length(i)) {
            plan.loop_order[at] = plan.loop_order[at - 1];
            --at;
        }
        plan.loop_order[at] = i;
    }
}

}  // namespace kinegen
