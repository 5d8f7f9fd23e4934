// What the exports to the page share: addresses that are checked, models by handle, scratch memory.
#pragma once

#include "kernel/base/model.hpp"

#include <stdlib.h>

#define EXPORT(name) extern "C" __attribute__((export_name(#name))) auto name

namespace kinegen {

// Refusals that only this interface knows, beside those of Status and NOT_FINITE.
enum PageStatus : int32_t { BAD_HANDLE = -4, NO_MEMORY = -5, BAD_NUMBER = -6 };

constexpr uint64_t PAGE_BYTES = 65536;

// Whether `count` numbers lie within the module's memory, aligned; no numbers lie anywhere.
template <class T>
inline bool readable(const T* data, int32_t count) {
    if (count <= 0) return count == 0;
    const uint64_t at = (uint64_t)(uintptr_t)data;
    const uint64_t end = at + (uint64_t)count * sizeof(T);
    return at != 0 && at % sizeof(T) == 0 &&
           end <= (uint64_t)__builtin_wasm_memory_size(0) * PAGE_BYTES;
}

// Whether an array is there and has the size that is wanted.
template <class T>
inline bool fits(const T* data, int32_t count, int64_t wanted) {
    return count == wanted && readable(data, count);
}

// Memory for one call, zero at first; `data` is null when there is none to be had.
template <class T>
struct Scratch {
    T* data;
    // one number more, so that null always means that memory ran out
    explicit Scratch(int64_t count)
        : data(count >= 0 && count < INT32_MAX / (int64_t)sizeof(T)
                   ? static_cast<T*>(calloc((size_t)count + 1, sizeof(T)))
                   : nullptr) {}
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() { free(data); }
    explicit operator bool() const { return data != nullptr; }
};

// What is made once per handle: T has `reals` and `ints`, memory of its own.
template <class T>
class ByHandle {
public:
    // That of a handle; null: none was made.
    T* find(int32_t handle) const {
        return handle >= 0 && handle < room_ ? items_[handle] : nullptr;
    }

    // Makes place for a handle; false when memory ran out.
    bool reserve(int32_t handle) {
        if (handle < room_) return true;
        const int32_t room = 2 * handle + 8;
        T** items = static_cast<T**>(realloc(items_, sizeof(T*) * (size_t)room));
        if (items == nullptr) return false;
        for (int32_t i = room_; i < room; ++i) items[i] = nullptr;
        items_ = items;
        room_ = room;
        return true;
    }

    // Puts another in the place of what is there, which is released; null: none. There is place.
    T* replace(int32_t handle, T* made) {
        if (items_[handle] != made) release(items_[handle]);
        return items_[handle] = made;
    }

    void forget(int32_t handle) {
        if (find(handle) != nullptr) replace(handle, nullptr);
    }

    static void release(T* item) {
        if (item == nullptr) return;
        free(item->reals);
        free(item->ints);
        free(item);
    }

private:
    T** items_ = nullptr;
    int32_t room_ = 0;
};

// A model with the scratch memory its kernels need, all in one piece of memory.
struct Bound {
    Model model;
    double* links;
    double* twists;
    double* rows;
    int32_t* path;
    int32_t* marks;
};

// The model of a handle, or null.
Bound* find_bound(int32_t handle);

struct Avoidance;
// The bodies of a handle of kg_bind_bodies, which keep a distance [m]; null: there are none of this
// model.
Avoidance* find_avoidance(int32_t bodies, const Model& m, double keep);

// Gives back the memory of a handle's solver, if it has one.
void forget_solver(int32_t handle);
// The same for its singularity monitor.
void forget_monitor(int32_t handle);

// Names the model of a handle, or returns: a handle that is not bound is refused.
#define BIND(b, handle)                  \
    Bound* const b = find_bound(handle); \
    if (b == nullptr) return BAD_HANDLE; \
    [[maybe_unused]] const Model& m = b->model

}  // namespace kinegen
