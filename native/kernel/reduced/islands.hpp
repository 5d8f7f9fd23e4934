// Islands of a mechanism's parts: which variables are where among those of their island.
#pragma once

#include "kernel/contact/islands.hpp"
#include "kernel/reduced/engine.hpp"

namespace kinegen {

struct PartIslands : Islands {
    int32_t* place;  // per variable: its place among those of its island
};

// The part that a link belongs to, -1 for one that cannot move.
inline int32_t part_of_link(const ReducedSystem& s, int32_t link) {
    const int32_t last = s.tree.last[link];
    return last < 0 ? -1 : s.part[last];
}

// Finds the islands of contacts between links, as find_islands does.
inline void find_islands_of(const ReducedSystem& s, const int32_t* link_a, const int32_t* link_b,
                            int32_t contact_count, PartIslands& out) {
    auto part_at = [&](int32_t i, int side) {
        return part_of_link(s, side ? link_b[i] : link_a[i]);
    };
    find_islands(s.part_count, contact_count, part_at, out);
    for (int32_t island = 0; island < out.count; ++island) {
        int32_t place = 0;
        for (int32_t k = out.part_first[island]; k < out.part_first[island + 1]; ++k) {
            const int32_t part = out.parts[k];
            for (int32_t v = s.part_first[part]; v < s.part_first[part + 1]; ++v)
                out.place[s.part_list[v]] = place++;
        }
    }
}

}  // namespace kinegen
