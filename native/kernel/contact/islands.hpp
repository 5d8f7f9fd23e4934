// Islands: parts of mechanisms that act on each other by contacts, and on no others. Each is solved
// for itself.
#pragma once

#include <stdint.h>

#include "kernel/base/arena.hpp"

namespace kinegen {

struct Islands {
    int32_t count;
    int32_t* part_first;  // per island + 1: its parts, neighbours near each other
    int32_t* parts;
    int32_t* contact_first;  // per island + 1: its contacts, in the order of their list
    int32_t* contacts;
    int32_t* of_part;  // per part: its island, -1: nothing acts on it
    // memory: contacts of each part
    int32_t *near_first, *near;
};

inline void lay_out_islands(int32_t parts, int32_t contacts, Arena<int32_t>& ints, Islands& s) {
    s.part_first = ints.take(parts + 1);
    s.parts = ints.take(parts);
    s.contact_first = ints.take(parts + 1);
    s.contacts = ints.take(contacts);
    s.of_part = ints.take(parts);
    s.near_first = ints.take(parts + 2);
    s.near = ints.take(2LL * contacts);
}

// Finds the islands of contacts; part(i, end) is the part at either end of one, -1 for what cannot
// move. Parts that are marked in of_part (with 0, the others with -1) are islands even without
// contacts.
template <class Part>
inline void find_islands(int32_t parts, int32_t contact_count, Part&& part_at, Islands& out) {
    // contacts of each part
    for (int32_t p = 0; p < parts + 2; ++p) out.near_first[p] = 0;
    auto each = [&](auto&& visit) {
        for (int32_t i = 0; i < contact_count; ++i) {
            const int32_t a = part_at(i, 0), b = part_at(i, 1);
            if (a >= 0) visit(i, a);
            if (b >= 0 && b != a) visit(i, b);
        }
    };
    each([&](int32_t, int32_t part) { ++out.near_first[part + 2]; });
    for (int32_t p = 0; p < parts; ++p) out.near_first[p + 2] += out.near_first[p + 1];
    each([&](int32_t i, int32_t part) { out.near[out.near_first[part + 1]++] = i; });
    // from neighbour to neighbour; found: those of the island at hand, from `begin` on
    int32_t begin = 0, end = 0;
    auto spread = [&](int32_t from, int32_t mark) {
        end = begin;
        out.of_part[from] = mark;
        out.parts[end++] = from;
        for (int32_t at = begin; at < end; ++at) {
            const int32_t part = out.parts[at];
            for (int32_t k = out.near_first[part]; k < out.near_first[part + 1]; ++k) {
                const int32_t i = out.near[k];
                for (int side = 0; side < 2; ++side) {
                    const int32_t other = part_at(i, side);
                    if (other < 0 || out.of_part[other] == mark) continue;
                    out.of_part[other] = mark;
                    out.parts[end++] = other;
                }
            }
        }
    };
    out.count = 0;
    for (int32_t p = 0; p < parts; ++p) {
        const bool touches = out.near_first[p] < out.near_first[p + 1];
        if (out.of_part[p] > 0 || !(touches || out.of_part[p] == 0)) continue;
        // marks above 0; the second time from an end, which keeps neighbours closer together
        const int32_t mark = 1 + 2 * out.count;
        spread(p, mark);
        if (end > begin + 2) spread(out.parts[end - 1], mark + 1);
        out.part_first[out.count++] = begin;
        begin = end;
    }
    out.part_first[out.count] = begin;
    for (int32_t island = 0; island < out.count; ++island)
        for (int32_t k = out.part_first[island]; k < out.part_first[island + 1]; ++k)
            out.of_part[out.parts[k]] = island;
    // contacts of each island
    auto island_of = [&](int32_t i) {
        const int32_t a = part_at(i, 0), part = a >= 0 ? a : part_at(i, 1);
        return part < 0 ? -1 : out.of_part[part];
    };
    for (int32_t k = 0; k <= out.count; ++k) out.contact_first[k] = 0;
    for (int32_t i = 0; i < contact_count; ++i)
        if (island_of(i) >= 0) ++out.contact_first[island_of(i) + 1];
    for (int32_t k = 0; k < out.count; ++k) out.contact_first[k + 1] += out.contact_first[k];
    for (int32_t i = contact_count - 1; i >= 0; --i)
        if (island_of(i) >= 0) out.contacts[--out.contact_first[island_of(i) + 1]] = i;
    for (int32_t k = 0; k < out.count; ++k) out.contact_first[k] = out.contact_first[k + 1];
    int32_t all = 0;
    for (int32_t i = 0; i < contact_count; ++i) all += island_of(i) >= 0;
    out.contact_first[out.count] = all;
}

}  // namespace kinegen
