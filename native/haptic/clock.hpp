// Time of a thread that must be punctual: the clock, waiting, and the request for real-time
// priority.
#pragma once

#include <chrono>
#include <thread>

#ifdef __linux__
#include <time.h>
#endif
#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <winsock2.h>

#include <windows.h>
#else
#include <pthread.h>
#include <sched.h>
#endif

namespace kinegen::python {

inline double clock_now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// Sleeps until a moment, the last stretch awake; returns the time it really is.
inline double wait_until(double moment, double awake) {
    const double sleep_to = moment - awake;
    if (clock_now() < sleep_to) {
#ifdef __linux__
        timespec at;
        at.tv_sec = (time_t)sleep_to;
        at.tv_nsec = (long)((sleep_to - (double)at.tv_sec) * 1e9);
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) != 0) {
        }
#else
        using namespace std::chrono;
        std::this_thread::sleep_until(steady_clock::time_point(
            duration_cast<steady_clock::duration>(duration<double>(sleep_to))));
#endif
    }
    double now = clock_now();
    while (now < moment) now = clock_now();
    return now;
}

// Whether this thread runs before all usual ones from now on.
inline bool ask_for_real_time() {
#ifdef _WIN32
    return SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_TIME_CRITICAL) != 0;
#else
    sched_param wanted{};
    wanted.sched_priority = 20;
    return pthread_setschedparam(pthread_self(), SCHED_FIFO, &wanted) == 0;
#endif
}

}  // namespace kinegen::python
