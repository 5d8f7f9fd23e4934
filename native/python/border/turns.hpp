// Long calls: one at a time per object, without Python's lock, and ended by Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "python/border/arrays.hpp"

namespace kinegen::python {

using Clock = std::chrono::steady_clock;
// A call that takes longer than this lets other threads run: shorter ones are not worth the wait
// for the lock afterwards.
constexpr auto LONG = std::chrono::milliseconds(1);
// How often a long call looks whether Ctrl-C was pressed.
constexpr auto LOOK = std::chrono::milliseconds(50);

// One caller at a time for memory that a kernel works in. Others wait, with Python unlocked.
class Turn {
public:
    class Taken {
    public:
        explicit Taken(Turn& turn) : turn_(turn) {
            const std::thread::id self = std::this_thread::get_id();
            if (turn_.owner_ == self)  // from a signal handler, in the middle of a call
                raise_usage("this object cannot be called while another of its calls is running");
            if (!turn_.mutex_.try_lock()) {
                nb::gil_scoped_release release;
                turn_.mutex_.lock();
            }
            turn_.owner_ = self;
        }
        Taken(const Taken&) = delete;
        Taken& operator=(const Taken&) = delete;
        ~Taken() {
            turn_.owner_ = std::thread::id();
            turn_.mutex_.unlock();
        }

    private:
        Turn& turn_;
    };

private:
    std::mutex mutex_;
    std::atomic<std::thread::id> owner_;
};

// What a kernel asks between attempts whether to stop. Unlocks Python once the call is a long one.
class Stop {
public:
    bool operator()() {
        const auto now = Clock::now();
        if (!unlocked_) {
            if (now - last_ > LONG) unlocked_.emplace();
        } else if (now - last_ > LOOK) {
            unlocked_.reset();
            last_ = now;
            stopped_ = stopped_ || PyErr_CheckSignals() != 0;
            if (!stopped_) unlocked_.emplace();
        }
        return stopped_;
    }
    // Locks Python again; raises what a signal's handler raised.
    void end() {
        unlocked_.reset();
        if (stopped_) throw nb::python_error();
    }

private:
    Clock::time_point last_ = Clock::now();
    std::optional<nb::gil_scoped_release> unlocked_;
    bool stopped_ = false;
};

// The same for work that several threads share, made by the caller after it unlocked Python: the
// first error, a signal's or a worker's, ends the work of all and is raised by end().
class SharedStop {
public:
    bool operator()() {
        if (stopped_.load(std::memory_order_relaxed)) return true;
        if (std::this_thread::get_id() == caller_ && Clock::now() - last_ > LOOK) {
            last_ = Clock::now();
            nb::gil_scoped_acquire lock;
            if (PyErr_CheckSignals() != 0) fail(std::make_exception_ptr(nb::python_error()));
        }
        return stopped_.load(std::memory_order_relaxed);
    }
    void fail(std::exception_ptr error) {
        const std::lock_guard<std::mutex> one(mutex_);
        if (!error_) error_ = std::move(error);
        stopped_ = true;
    }
    void end() {
        if (error_) std::rethrow_exception(error_);
    }

private:
    const std::thread::id caller_ = std::this_thread::get_id();
    Clock::time_point last_ = Clock::now();
    std::atomic<bool> stopped_{false};
    std::mutex mutex_;
    std::exception_ptr error_;
};

}  // namespace kinegen::python
