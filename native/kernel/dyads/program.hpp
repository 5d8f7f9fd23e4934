// A planar linkage as a list of constructions that place its links one after the other.
//
// Link 0 is the ground. A pose is (c, s, x, y): cosine and sine of its turn, then its origin. Only
// data here: the kernels of every instruction set share it.
#pragma once

#include <stdint.h>

#include "kernel/dyads/protocol.hpp"

namespace kinegen {

// Numbers of one construction; what they are follows the kind.
//   ints   TURN  kind, link, carrier, -, -, -, input, -
//          TILT  kind, link, -, -, -, -, input, -
//          PLACE kind, link, -, -, -, -, first input, -
//          JOIN  kind, link m, its carrier a, link n, its carrier b, platform p or -1, sign, -
//   reals  TURN  T1 (c s x y), T2 (c s x y), sense: carrier T1 turn(sense * input) T2
//          TILT  offset
//          PLACE point in the link (2)
//          JOIN  hinge in a (2), in b (2), k_m (2), hinge in m (2), k_n (2), hinge in n (2),
//                squares of both lengths (2), way in p from m's hinge to n's (2), n's in p (2);
//                k turns the bar's way in the world into the bar's turn: 1 / its way in the link

struct DyadProgram {
    const int32_t* ints;
    const double* reals;
    int32_t count;
    int32_t link_count;
    int32_t input_count;
    const int32_t* site_links;
    const double* site_points;  // two per site, in the link
    int32_t site_count;
};

// Whether every link and input that a program names is there.
inline bool is_dyad_program(const DyadProgram& program) {
    const int32_t links = program.link_count;
    const auto link = [links](int32_t i) { return i >= 0 && i < links; };
    if (links < 1 || links > DYAD_MOST_LINKS) return false;
    for (int32_t i = 0; i < program.count; ++i) {
        const int32_t* op = program.ints + (int64_t)DYAD_INTS * i;
        if (op[0] < 0 || op[0] >= DYAD_KIND_COUNT || !link(op[1]) || op[1] == 0) return false;
        if ((op[0] == DYAD_TURN || op[0] == DYAD_JOIN) && !link(op[2])) return false;
        if (op[0] == DYAD_JOIN) {
            const bool bars = link(op[3]) && op[3] != 0 && link(op[4]);
            if (!bars || (op[5] != -1 && !(link(op[5]) && op[5] != 0))) return false;
        } else {
            const int32_t needed = op[0] == DYAD_PLACE ? 2 : 1;
            if (op[6] < 0 || op[6] > program.input_count - needed) return false;
        }
    }
    for (int32_t i = 0; i < program.site_count; ++i)
        if (!link(program.site_links[i])) return false;
    return true;
}

}  // namespace kinegen
