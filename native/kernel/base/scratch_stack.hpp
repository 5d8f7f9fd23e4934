// Scratch as a stack: pieces are taken from the top and given back in reverse, by levels.
#pragma once

#include <stdint.h>

namespace kinegen {

// Two blocks that the caller owns. Numbers that do not fit are noted: what was computed is then
// worth nothing, and the caller tries again with more memory. Whole numbers always fit: they are
// indices, and the caller counts them (lay_out_monitor).
struct ScratchStack {
    double* real_memory;
    int64_t real_size, real_used;
    int64_t real_floor;  // what lies below is kept
    int32_t* int_memory;
    int64_t int_size, int_used;
    bool overflow;

    double* reals(int64_t count) {
        if (real_used + count > real_size) {
            overflow = true;
            return real_memory + real_floor;  // any single piece fits: the caller sees to it
        }
        double* here = real_memory + real_used;
        real_used += count;
        return here;
    }
    int32_t* ints(int64_t count) {
        if (int_used + count > int_size) {
            overflow = true;
            return int_memory;
        }
        int32_t* here = int_memory + int_used;
        int_used += count;
        return here;
    }
};

// Gives back what was taken since it was made.
struct Level {
    ScratchStack& stack;
    int64_t reals, ints;
    explicit Level(ScratchStack& p) : stack(p), reals(p.real_used), ints(p.int_used) {}
    ~Level() {
        stack.real_used = reals;
        stack.int_used = ints;
    }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
};

}  // namespace kinegen
