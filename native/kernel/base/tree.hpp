// Whether a model's blocks describe a tree: checked once, so that every walk to the base ends.
#pragma once

#include "kernel/base/model.hpp"

namespace kinegen {

// Every link but the base is carried by one joint of tree_order, after the link it sits on.
// marks: one int per link, any content.
inline bool is_tree(const Model& m, int32_t* marks) {
    memset(marks, 0, sizeof(int32_t) * (size_t)m.link_count);
    if (m.link_joint[0] != -1) return false;
    marks[0] = 1;
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t joint = m.tree_order[i], child = m.joint_child[joint];
        if (!marks[m.joint_parent[joint]] || marks[child] || m.link_joint[child] != joint)
            return false;
        marks[child] = 1;
    }
    return true;
}

}  // namespace kinegen
