// Loop groups: loops that share joints move together, and independently of all other groups.
#pragma once

#include "kernel/base/forward.hpp"
#include "kernel/linalg/linalg.hpp"

namespace kinegen {

struct LoopGroups {
    int32_t* loop_group;   // per loop, numbered by their first loops
    int32_t* joint_group;  // per joint, -1 outside of all loops
    int32_t count;
    int32_t largest_loops, largest_variables;  // of any group
};

// Whether the joints have no more velocities than the model, so that no list of them overflows.
inline bool velocities_fit(const Model& m) {
    int64_t count = 0;
    for (int32_t j = 0; j < m.joint_count; ++j) count += JOINT_NV[m.joint_type[j]];
    return count <= m.nv;
}

// The joint that a variable belongs to.
inline int32_t joint_of_variable(const Model& m, int32_t v) {
    for (int32_t j = 0; j < m.joint_count; ++j)
        if (m.joint_v[j] <= v && v < m.joint_v[j] + JOINT_NV[m.joint_type[j]]) return j;
    return 0;
}

// Fills loop_group and joint_group. marks: one int per joint, zero on entry and exit.
inline void find_loop_groups(const Model& m, int32_t* marks, LoopGroups& g) {
    for (int32_t j = 0; j < m.joint_count; ++j) g.joint_group[j] = -1;
    auto root = [&g](int32_t loop) {
        while (g.loop_group[loop] != loop) loop = g.loop_group[loop];
        return loop;
    };
    auto join = [&](int32_t joint, int32_t loop) {
        if (g.joint_group[joint] < 0) {
            g.joint_group[joint] = loop;
            return;
        }
        // the lower number leads
        const int32_t a = root(g.joint_group[joint]), b = root(loop);
        g.loop_group[a > b ? a : b] = a < b ? a : b;
    };
    for (int32_t loop = 0; loop < m.loop_count; ++loop) {
        g.loop_group[loop] = loop;
        const int32_t cut = m.loop_joint[loop];
        const int32_t ends[2] = {m.joint_parent[cut], m.joint_child[cut]};
        // joints that carry both ends do not belong to it: they are marked twice and left out
        for (int end = 0; end < 2; ++end)
            for (int32_t j = m.link_joint[ends[end]]; j >= 0; j = m.link_joint[m.joint_parent[j]])
                marks[j] += 1;
        for (int end = 0; end < 2; ++end)
            for (int32_t j = m.link_joint[ends[end]]; j >= 0; j = m.link_joint[m.joint_parent[j]]) {
                if (marks[j] == 1) join(j, loop);
                marks[j] = 0;
            }
        join(cut, loop);
        if (!m.is_coupling(loop)) continue;
        const int32_t coupling = loop - m.cut_count();
        for (int32_t i = m.term_start[coupling]; i < m.term_start[coupling + 1]; ++i)
            join(joint_of_variable(m, m.term_v[i]), loop);
    }
    // from leaders to numbers; leaders come before those they lead
    for (int32_t j = 0; j < m.joint_count; ++j)
        if (g.joint_group[j] >= 0) g.joint_group[j] = root(g.joint_group[j]);
    for (int32_t loop = 0; loop < m.loop_count; ++loop) g.loop_group[loop] = root(loop);
    g.count = 0;
    for (int32_t loop = 0; loop < m.loop_count; ++loop) {
        if (g.loop_group[loop] != loop) continue;
        // numbers of groups are below all leaders that are still to come: write them negative first
        const int32_t number = -2 - g.count++;
        for (int32_t other = m.loop_count - 1; other >= loop; --other)
            if (g.loop_group[other] == loop) g.loop_group[other] = number;
        for (int32_t j = 0; j < m.joint_count; ++j)
            if (g.joint_group[j] == loop) g.joint_group[j] = number;
    }
    for (int32_t loop = 0; loop < m.loop_count; ++loop)
        g.loop_group[loop] = -2 - g.loop_group[loop];
    for (int32_t j = 0; j < m.joint_count; ++j)
        if (g.joint_group[j] < -1) g.joint_group[j] = -2 - g.joint_group[j];
    // the largest of each kind
    g.largest_loops = g.largest_variables = 0;
    for (int32_t group = 0; group < g.count; ++group) {
        int32_t loops = 0, variables = 0;
        for (int32_t loop = 0; loop < m.loop_count; ++loop) loops += g.loop_group[loop] == group;
        for (int32_t j = 0; j < m.joint_count; ++j)
            if (g.joint_group[j] == group) variables += JOINT_NV[m.joint_type[j]];
        g.largest_loops = loops > g.largest_loops ? loops : g.largest_loops;
        g.largest_variables = variables > g.largest_variables ? variables : g.largest_variables;
    }
}

// The link that a placement is on: those of joints, of landings, of frames.
inline int32_t placed_link(const Model& m, int32_t placement) {
    if (placement < m.joint_count) return m.joint_parent[placement];
    placement -= m.joint_count;
    if (placement < m.loop_count) return m.joint_child[m.loop_joint[placement]];
    return m.frame_link[placement - m.loop_count];
}

// How far joints and landings lie from their middle, root mean square [m]; 1 when all are in one
// point. Of a group, its own joints count; group -1 is the whole mechanism. Xs_WL: links'
// transforms.
inline double mechanism_size(const Model& m, const double* Xs_WL, const LoopGroups& g,
                             int32_t group) {
    double sum[3] = {0, 0, 0}, square = 0, reach = 0;
    // two passes: the middle first, then the distances from it
    double middle[3] = {0, 0, 0};
    int32_t count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t p = 0; p < m.joint_count + m.loop_count; ++p) {
            // couplings have no place of their own
            if (p >= m.real_joint_count() &&
                (p < m.joint_count || m.is_coupling(p - m.joint_count)))
                continue;
            const int32_t of =
                p < m.joint_count ? g.joint_group[p] : g.loop_group[p - m.joint_count];
            if (group >= 0 && of != group) continue;
            const double* X_WL = Xs_WL + TRANSFORM_SIZE * placed_link(m, p);
            double at[3];
            rotate(X_WL, m.transforms + TRANSFORM_SIZE * (int64_t)p + 9, at);
            count += pass == 0;
            for (int i = 0; i < 3; ++i) {
                at[i] += X_WL[9 + i];
                reach = fmax(reach, fabs(at[i]));
                sum[i] += at[i];
                square += pass == 0 ? 0 : (at[i] - middle[i]) * (at[i] - middle[i]);
            }
        }
        if (count == 0) return 1;
        if (pass == 0)
            for (int i = 0; i < 3; ++i) middle[i] = sum[i] / count;
    }
    const double size = sqrt(square / count);
    return size > 1e-9 * reach ? size : 1;
}

}  // namespace kinegen
