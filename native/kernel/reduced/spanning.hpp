// Another tree through the links of a mechanism, with short loops: the file's tree may lead from
// one end of a cut joint to the other by way of the ground, where the next rung of a ladder is
// near.
//
// It grows from the base by ears: the shortest way through links that are still outside, from one
// link of the tree to another, hangs on its end that is nearer to the base; the joint at the other
// end is cut.
#pragma once

#include "kernel/base/arena.hpp"
#include "kernel/base/model.hpp"

namespace kinegen {

struct SpanningTree {
    int32_t count;   // links without the base
    int32_t* order;  // links, each after the one that carries it
    int32_t* up;     // per link: the one that carries it
    int32_t* joint;  // per link: the joint between them
    int32_t* depth;  // per link: joints to the base
    bool* is_cut;    // per joint: not in the tree
};

inline void lay_out_spanning(const Model& m, Arena<int32_t>& ints, Arena<bool>& bools,
                             SpanningTree& s) {
    s.order = ints.take(m.link_count);
    s.up = ints.take(m.link_count);
    s.joint = ints.take(m.link_count);
    s.depth = ints.take(m.link_count);
    s.is_cut = bools.take(m.joint_count);
}

inline void begin_spanning(const Model& m, SpanningTree& s) {
    s.count = 0;
    s.up[0] = s.joint[0] = -1;
    for (int32_t link = 0; link < m.link_count; ++link) s.depth[link] = link == 0 ? 0 : -1;
    for (int32_t j = 0; j < m.joint_count; ++j) s.is_cut[j] = true;
}

inline void hang_link(SpanningTree& s, int32_t link, int32_t up, int32_t joint) {
    s.order[s.count++] = link;
    s.up[link] = up;
    s.joint[link] = joint;
    s.depth[link] = s.depth[up] + 1;
    s.is_cut[joint] = false;
}

// The file's own tree.
inline void span_as_written(const Model& m, SpanningTree& s) {
    begin_spanning(m, s);
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t j = m.tree_order[i];
        hang_link(s, m.joint_child[j], m.joint_parent[j], j);
    }
}

// The link where the ways of two links to the base meet.
inline int32_t meeting_link(const SpanningTree& s, int32_t a, int32_t b) {
    while (a != b) {
        if (s.depth[a] >= s.depth[b])
            a = s.up[a];
        else
            b = s.up[b];
    }
    return a;
}

// Joints between two links of the tree, or `most` when there are not fewer.
inline int32_t tree_distance(const SpanningTree& s, int32_t a, int32_t b, int32_t most) {
    int32_t count = 0;
    for (; a != b && count < most; ++count) {
        if (s.depth[a] >= s.depth[b])
            a = s.up[a];
        else
            b = s.up[b];
    }
    return count;
}

// Memory of a search for ears.
struct EarSearch {
    int32_t *first, *joints;              // per link + 1: its joints
    int32_t *queue, *root, *gate, *from;  // per link: where the search came from, by which joints
    int32_t* distance;                    // per link: joints to the tree, -1: not found
};

inline void lay_out_ears(const Model& m, Arena<int32_t>& ints, EarSearch& e) {
    e.first = ints.take(m.link_count + 1);
    e.joints = ints.take(2LL * m.joint_count);
    int32_t** const per_link[] = {&e.queue, &e.root, &e.gate, &e.from, &e.distance};
    for (int32_t** part : per_link) *part = ints.take(m.link_count);
}

inline void list_joints(const Model& m, EarSearch& e) {
    for (int32_t link = 0; link <= m.link_count; ++link) e.first[link] = 0;
    for (int32_t j = 0; j < m.joint_count; ++j) {
        ++e.first[m.joint_parent[j] + 1];
        ++e.first[m.joint_child[j] + 1];
    }
    for (int32_t link = 0; link < m.link_count; ++link) e.first[link + 1] += e.first[link];
    int32_t* at = e.queue;  // for a moment
    for (int32_t link = 0; link < m.link_count; ++link) at[link] = e.first[link];
    for (int32_t j = 0; j < m.joint_count; ++j) {
        e.joints[at[m.joint_parent[j]]++] = j;
        e.joints[at[m.joint_child[j]]++] = j;
    }
}

inline int32_t other_end(const Model& m, int32_t joint, int32_t link) {
    return m.joint_parent[joint] == link ? m.joint_child[joint] : m.joint_parent[joint];
}

// The joint in the middle of the shortest ear, -1: there is none. a, b: its links, of which a is
// outside of the tree; queue: links outside in the order of their distance; found: how many.
inline int32_t shortest_ear(const Model& m, const SpanningTree& s, EarSearch& e, int32_t& a,
                            int32_t& b, int32_t& found) {
    int32_t best = 1 << 30, middle = -1;
    found = 0;
    for (int32_t link = 0; link < m.link_count; ++link) e.distance[link] = -1;
    auto meet = [&](int32_t joint, int32_t from, int32_t to) {
        // `to` is of the tree, or was reached through another gate
        const bool inside = s.depth[to] >= 0;
        if (!inside && e.gate[to] == e.gate[from]) return;
        const int32_t outside = e.distance[from] + 1 + (inside ? 0 : e.distance[to]);
        if (outside >= best) return;
        const int32_t root = inside ? to : e.root[to];
        const int32_t length = outside + tree_distance(s, e.root[from], root, best - outside);
        if (length >= best) return;
        best = length;
        middle = joint;
        a = from;
        b = to;
    };
    auto visit = [&](int32_t link, int32_t joint, int32_t root, int32_t gate, int32_t distance) {
        e.queue[found++] = link;
        e.from[link] = joint;
        e.root[link] = root;
        e.gate[link] = gate;
        e.distance[link] = distance;
    };
    for (int32_t i = -1; i < s.count; ++i) {
        const int32_t link = i < 0 ? 0 : s.order[i];
        for (int32_t k = e.first[link]; k < e.first[link + 1]; ++k) {
            const int32_t j = e.joints[k], to = other_end(m, j, link);
            if (s.depth[to] >= 0) continue;
            if (e.distance[to] < 0) visit(to, j, link, j, 1);
        }
    }
    for (int32_t n = 0; n < found; ++n) {
        const int32_t link = e.queue[n];
        for (int32_t k = e.first[link]; k < e.first[link + 1]; ++k) {
            const int32_t j = e.joints[k], to = other_end(m, j, link);
            if (j == e.from[link]) continue;
            if (s.depth[to] >= 0 || e.distance[to] >= 0)
                meet(j, link, to);
            else
                visit(to, j, e.root[link], e.gate[link], e.distance[link] + 1);
        }
    }
    return middle;
}

// Hangs the way of a link to the tree, as the search found it, on its root: nearest first.
inline void hang_way(const Model& m, SpanningTree& s, const EarSearch& e, int32_t link) {
    const int32_t up = other_end(m, e.from[link], link);
    if (s.depth[up] < 0) hang_way(m, s, e, up);
    hang_link(s, link, up, e.from[link]);
}

// A tree of ears.
inline void span_by_ears(const Model& m, SpanningTree& s, EarSearch& e) {
    begin_spanning(m, s);
    list_joints(m, e);
    while (s.count < m.link_count - 1) {
        int32_t a = 0, b = 0, found = 0;
        const int32_t middle = shortest_ear(m, s, e, a, b, found);
        if (middle < 0) {
            // no ear is left: nothing but branches, or loops beyond a branch
            if (found == 0) break;
            const int32_t link = e.queue[0];
            hang_link(s, link, e.root[link], e.from[link]);
            continue;
        }
        const bool both = s.depth[b] < 0;
        const int32_t end = both ? e.root[b] : b;
        if (both && s.depth[end] < s.depth[e.root[a]]) {
            const int32_t swap = a;
            a = b;
            b = swap;
        }
        hang_way(m, s, e, a);
        // then on from its far end, against the way that the search took
        for (int32_t link = b, at = a, joint = middle; both;) {
            const int32_t next = e.from[link], beyond = other_end(m, next, link);
            hang_link(s, link, at, joint);
            if (s.depth[beyond] >= 0) break;
            at = link;
            joint = next;
            link = beyond;
        }
    }
}

}  // namespace kinegen
