// What long kernels ask between two pieces of work whether to stop, where nothing stops them.
#pragma once

namespace kinegen {

struct Never {
    bool operator()() const { return false; }
};

}  // namespace kinegen
