// Scratch memory in one piece: counted first, then handed out.
#pragma once

#include <stdint.h>

namespace kinegen {

// Hands out consecutive pieces; with null memory it only counts.
template <class T>
struct Arena {
    T* memory;
    int64_t used;
    T* take(int64_t count) {
        T* here = memory ? memory + used : nullptr;
        used += count;
        return here;
    }
};

}  // namespace kinegen
