// Work over many columns, shared by several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <type_traits>
#include <vector>

#include "kernel/batch/path.hpp"
#include "python/border/turns.hpp"

namespace kinegen::python {

// Columns that a thread takes at a time: a whole number of blocks, so that the number of threads
// changes no result, and enough work to pay for asking.
constexpr int64_t CHUNK = 64 * BATCH_BLOCK;

// Runs work(begin, end, stop) over all chunks of 0 ... count on several threads; 0 means all cores.
// Python is unlocked. Between chunks, and where the work asks stop(), Ctrl-C ends it; what a thread
// throws, such as std::bad_alloc, is thrown here.
template <class Work>
void in_parallel(int64_t count, int threads, int64_t chunk, const Work& work) {
    const int64_t chunks = (count + chunk - 1) / chunk;
    const int64_t cores = threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
    std::atomic<int64_t> next{0};
    SharedStop stop;
    const auto take = [&]() noexcept {
        try {
            for (int64_t c = next++; c < chunks && !stop(); c = next++) {
                if constexpr (std::is_invocable_v<const Work&, int64_t, int64_t, SharedStop&>)
                    work(c * chunk, std::min(count, (c + 1) * chunk), stop);
                else
                    work(c * chunk, std::min(count, (c + 1) * chunk));
            }
        } catch (...) {
            stop.fail(std::current_exception());
        }
    };
    std::vector<std::thread> others;
    try {
        for (int64_t i = 1; i < std::min(cores, chunks); ++i) others.emplace_back(take);
    } catch (const std::exception&) {
        // no more threads or memory to be had: those that started share the work
    }
    take();
    for (std::thread& thread : others) thread.join();
    stop.end();
}

template <class Work>
void in_parallel(int64_t count, int threads, const Work& work) {
    in_parallel(count, threads, CHUNK, work);
}

}  // namespace kinegen::python
