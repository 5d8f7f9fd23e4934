// The model's structure as the solver needs it, found once: which variables move each loop.
//
// A loop's equation may be written along any way from one end of its cut joint to the other. The
// way through the tree is always there. Where loops lean on each other (a ladder whose rails stand
// on the ground) it is long, and one through the cut joints of loops treated before is short.
// Adding the rows of earlier loops to those of a loop does not change what all of them say
// together.
#pragma once

#include "kernel/base/model.hpp"

namespace kinegen {

struct Plan {
    int32_t* loop_order;    // loops, shortest first: inner loops are eliminated before outer ones
    int32_t* loop_of;       // per joint: the loop that it is the cut of, or -1
    int32_t* path_first;    // per loop in that order, + 1: its joints in `path_joint`
    int32_t* path_joint;    // joints between the two ends of the loop, the cut joint last
    int32_t* path_side;     // +1 moves the end M, -1 moves the end K
    int32_t* column_first;  // per loop in that order, + 1: its variables in `column`
    int32_t* column;
    int32_t* uses;  // per variable: number of loops it moves
    int32_t path_size, column_size;
    int32_t widest;  // most variables of a loop
};

// What finding the ways needs.
struct PlanScratch {
    int32_t* order;     // per loop
    int32_t* width;     // per loop: variables on its way through the tree
    int32_t* ready;     // per joint: whether a way may lead through it
    int32_t* marks;     // per joint, zero between calls
    int32_t* via;       // per link: the joint it was reached by, NOT_MET between calls
    int32_t* queue;     // per link
    int32_t* at_first;  // per link + 1: its joints in `at`
    int32_t* at;        // two per joint
    int32_t* joints;    // one per link, + 1: a way
    int32_t* sides;
};
constexpr int32_t NOT_MET = -2;

inline int64_t plan_scratch_size(const Model& m) {
    return 2LL * m.loop_count + 4LL * m.joint_count + 5LL * m.link_count + 3;
}

inline int32_t joint_width(const Model& m, int32_t joint) { return JOINT_NV[m.joint_type[joint]]; }

// The number of variables of a coupling, by its loop.
inline int32_t term_count(const Model& m, int32_t loop) {
    const int32_t coupling = loop - m.cut_count();
    return m.term_start[coupling + 1] - m.term_start[coupling];
}

// The way of a loop through the tree, the cut joint last; returns its length.
inline int32_t tree_path(const Model& m, int32_t loop, PlanScratch& p) {
    const int32_t cut = m.loop_joint[loop];
    const int32_t ends[2] = {m.joint_parent[cut], m.joint_child[cut]};
    // joints that carry both ends are marked twice and left out
    for (int end = 0; end < 2; ++end)
        for (int32_t j = m.link_joint[ends[end]]; j >= 0; j = m.link_joint[m.joint_parent[j]])
            p.marks[j] += 1;
    int32_t count = 0;
    for (int end = 0; end < 2; ++end)
        for (int32_t j = m.link_joint[ends[end]]; j >= 0; j = m.link_joint[m.joint_parent[j]]) {
            if (p.marks[j] == 1) {
                p.joints[count] = j;
                p.sides[count++] = end == 0 ? 1 : -1;
            }
            p.marks[j] = 0;
        }
    p.joints[count] = cut;
    p.sides[count] = 1;
    return count + 1;
}

// The way of the fewest joints, through ready cut joints too; the loop's own cut last.
inline int32_t short_path(const Model& m, int32_t loop, PlanScratch& p) {
    const int32_t cut = m.loop_joint[loop];
    const int32_t from = m.joint_child[cut], to = m.joint_parent[cut];
    auto beyond = [&m](int32_t j, int32_t link) {
        return m.joint_parent[j] == link ? m.joint_child[j] : m.joint_parent[j];
    };
    // breadth first from the end K until the end M is met
    int32_t seen = 0;
    p.via[from] = -1;
    p.queue[seen++] = from;
    for (int32_t i = 0; i < seen && p.via[to] == NOT_MET; ++i) {
        const int32_t link = p.queue[i];
        for (int32_t n = p.at_first[link]; n < p.at_first[link + 1]; ++n) {
            const int32_t j = p.at[n], other = beyond(j, link);
            if (!p.ready[j] || p.via[other] != NOT_MET) continue;
            p.via[other] = j;
            p.queue[seen++] = other;
        }
    }
    // back from M: joints passed from child to parent move M's end, the others K's
    int32_t count = 0;
    const bool met = p.via[to] != NOT_MET;
    for (int32_t link = to; met && link != from; ++count) {
        const int32_t j = p.joints[count] = p.via[link];
        p.sides[count] = m.joint_child[j] == link ? 1 : -1;
        link = beyond(j, link);
    }
    for (int32_t i = 0; i < seen; ++i) p.via[p.queue[i]] = NOT_MET;
    if (!met) return tree_path(m, loop, p);
    p.joints[count] = cut;
    p.sides[count] = 1;
    return count + 1;
}

// Lists the joints at each link and orders the loops by their ways through the tree.
inline PlanScratch prepare_plan(const Model& m, int32_t* memory) {
    auto take = [&memory](int32_t count, int32_t value) {
        int32_t* here = memory;
        memory += count;
        for (int32_t i = 0; i < count; ++i) here[i] = value;
        return here;
    };
    PlanScratch p;
    p.order = take(m.loop_count, 0);
    p.width = take(m.loop_count, 0);
    p.ready = take(m.joint_count, 1);
    p.marks = take(m.joint_count, 0);
    p.via = take(m.link_count, NOT_MET);
    p.queue = take(m.link_count, 0);
    p.at_first = take(m.link_count + 1, 0);
    p.at = take(2 * m.joint_count, 0);
    p.joints = take(m.link_count + 1, 0);
    p.sides = take(m.link_count + 1, 0);

    // count the joints of each link, then fill from the back of its share
    for (int32_t j = 0; j < m.joint_count; ++j) {
        ++p.at_first[m.joint_parent[j]];
        ++p.at_first[m.joint_child[j]];
    }
    for (int32_t link = 0; link < m.link_count; ++link) p.at_first[link + 1] += p.at_first[link];
    for (int32_t j = m.joint_count - 1; j >= 0; --j) {
        p.at[--p.at_first[m.joint_parent[j]]] = j;
        p.at[--p.at_first[m.joint_child[j]]] = j;
    }
    // insertion sort by width keeps the file's order among equals
    for (int32_t i = 0; i < m.loop_count; ++i) {
        p.ready[m.loop_joint[i]] = 0;
        if (m.is_coupling(i)) {
            p.width[i] = term_count(m, i);
        } else {
            const int32_t count = tree_path(m, i, p);
            for (int32_t n = 0; n < count; ++n) p.width[i] += joint_width(m, p.joints[n]);
        }
        int32_t at = i;
        for (; at > 0 && p.width[p.order[at - 1]] > p.width[i]; --at) p.order[at] = p.order[at - 1];
        p.order[at] = i;
    }
    return p;
}

// The plan; with null lists only their sizes. scratch: plan_scratch_size ints.
inline void make_plan(const Model& m, int32_t* scratch, Plan& plan) {
    PlanScratch p = prepare_plan(m, scratch);
    const bool fill = plan.path_first != nullptr;
    if (fill) {
        plan.path_first[0] = plan.column_first[0] = 0;
        for (int32_t i = 0; i < m.nv; ++i) plan.uses[i] = 0;
        for (int32_t j = 0; j < m.joint_count; ++j) plan.loop_of[j] = -1;
    }
    plan.path_size = plan.column_size = plan.widest = 0;
    for (int32_t n = 0; n < m.loop_count; ++n) {
        const int32_t loop = p.order[n];
        if (m.is_coupling(loop)) {
            // its terms are its columns; no way leads through it
            const int32_t width = p.width[loop], from = m.term_start[loop - m.cut_count()];
            for (int32_t i = 0; fill && i < width; ++i) {
                plan.column[plan.column_size + i] = m.term_v[from + i];
                plan.uses[m.term_v[from + i]] += 1;
            }
            if (fill) {
                plan.loop_order[n] = loop;
                plan.loop_of[m.loop_joint[loop]] = loop;
                plan.path_first[n + 1] = plan.path_size;
                plan.column_first[n + 1] = plan.column_size + width;
            }
            plan.column_size += width;
            if (width > plan.widest) plan.widest = width;
            continue;
        }
        // the way through the tree unless another has fewer variables
        int32_t count = short_path(m, loop, p), width = 0;
        for (int32_t i = 0; i < count; ++i) width += joint_width(m, p.joints[i]);
        if (width >= p.width[loop]) {
            count = tree_path(m, loop, p);
            width = p.width[loop];
        }
        p.ready[m.loop_joint[loop]] = 1;
        if (fill) {
            plan.loop_order[n] = loop;
            plan.loop_of[m.loop_joint[loop]] = loop;
            int32_t* column = plan.column + plan.column_size;
            for (int32_t i = 0; i < count; ++i) {
                const int32_t joint = p.joints[i];
                plan.path_joint[plan.path_size + i] = joint;
                plan.path_side[plan.path_size + i] = p.sides[i];
                for (int32_t k = 0; k < joint_width(m, joint); ++k) {
                    *column++ = m.joint_v[joint] + k;
                    plan.uses[m.joint_v[joint] + k] += 1;
                }
            }
            plan.path_first[n + 1] = plan.path_size + count;
            plan.column_first[n + 1] = plan.column_size + width;
        }
        plan.path_size += count;
        plan.column_size += width;
        if (width > plan.widest) plan.widest = width;
    }
}

}  // namespace kinegen
