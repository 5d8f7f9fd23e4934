// What units of FMI 2 and FMI 3 have in common: where their file is, errors as messages, states.
#pragma once

#include <stdio.h>
#include <string.h>

#include <memory>
#include <new>
#include <string>
#include <vector>

#include "fmu/unit.hpp"

#if defined(_WIN32)
#define KINEGEN_EXPORT extern "C" __declspec(dllexport)
#else
#define KINEGEN_EXPORT extern "C" __attribute__((visibility("default")))
#endif

namespace kinegen::fmu {

// The unit's file within the folder of the resources.
constexpr const char* BUNDLE_NAME = "kinegen.bin";

// The path of a file URI; what is no URI is a path already.
inline std::string path_of(const std::string& location) {
    if (location.rfind("file:", 0) != 0) return location;
    std::string path = location.substr(5);
    if (path.rfind("//", 0) == 0) {
        const size_t slash = path.find('/', 2);  // behind the host, which is this machine
        path = slash == std::string::npos ? "" : path.substr(slash);
    }
#if defined(_WIN32)
    if (path.size() > 2 && path[0] == '/' && path[2] == ':') path = path.substr(1);
#endif
    std::string out;
    for (size_t i = 0; i < path.size(); ++i) {
        unsigned code = 0;
        if (path[i] == '%' && i + 2 < path.size() &&
            sscanf(path.substr(i + 1, 2).c_str(), "%2x", &code) == 1) {
            out.push_back((char)code);
            i += 2;
        } else {
            out.push_back(path[i]);
        }
    }
    return out;
}

inline std::string bundle_path(const std::string& folder) {
    const bool ends = !folder.empty() && (folder.back() == '/' || folder.back() == '\\');
    return folder + (ends ? "" : "/") + BUNDLE_NAME;
}

// Where an instance is in its life.
enum Phase : int { INSTANTIATED, INITIALIZING, STEPPING, ENDED };

// A state of an instance: that of its unit, and where it is.
struct Kept {
    double phase, start, time;
    std::vector<double> numbers;
};

// An instance without what the versions of FMI differ in. Functions that can fail throw.
struct AnyInstance {
    std::unique_ptr<Unit> unit;
    std::string name;
    bool logs = false;
    Phase phase = INSTANTIATED;
    double start = 0, time = 0;

    void initialize() {
        if (phase != INSTANTIATED) throw UnitError{"the unit is initialized already"};
        phase = INITIALIZING;
    }
    void begin() {
        if (phase != INITIALIZING) throw UnitError{"the unit is not being initialized"};
        unit->begin(start);
        time = start;
        phase = STEPPING;
    }
    void step(double from, double length) {
        if (phase != STEPPING) throw UnitError{"the unit makes steps after initialization only"};
        const double room = 1e-9 * (1 + (time < 0 ? -time : time));
        if (!(from <= time + room && from >= time - room))
            throw UnitError{"the unit is at " + std::to_string(time) +
                            " s, and a step was asked for at " + std::to_string(from) + " s"};
        unit->step(from, length);
        time = from + length;
    }
    void reset() {
        unit->reset();
        phase = INSTANTIATED;
        start = time = 0;
    }
    void get(const uint32_t* refs, size_t count, double* values) {
        for (size_t i = 0; i < count; ++i) values[i] = unit->get(refs[i]);
    }
    void set(const uint32_t* refs, size_t count, const double* values) {
        for (size_t i = 0; i < count; ++i) unit->set(refs[i], values[i]);
    }

    // States, in memory and as bytes.
    void keep(void** state) const {
        if (state == nullptr) throw UnitError{NO_STATE};
        if (*state == nullptr) *state = new Kept();
        *static_cast<Kept*>(*state) = {(double)phase, start, time, unit->state()};
    }
    void go_to(const void* state) {
        const Kept& kept = given(state);
        unit->go_to(kept.numbers.data(), (int64_t)kept.numbers.size());
        phase = (Phase)(int)kept.phase;
        start = kept.start;
        time = kept.time;
    }
    static size_t byte_count(const void* state) {
        return HEAD + sizeof(double) * given(state).numbers.size();
    }
    static void pack(const void* state, void* bytes, size_t size) {
        const Kept& kept = given(state);
        if (size < byte_count(state)) throw UnitError{"there is not enough room for the state"};
        const double head[3] = {kept.phase, kept.start, kept.time};
        memcpy(bytes, head, HEAD);
        memcpy((char*)bytes + HEAD, kept.numbers.data(), byte_count(state) - HEAD);
    }
    void unpack(const void* bytes, size_t size, void** state) const {
        const UnitError wrong{"these bytes are not a state of this unit"};
        if (bytes == nullptr || state == nullptr || size < HEAD || size % sizeof(double) != 0)
            throw wrong;
        double head[3];
        memcpy(head, bytes, HEAD);
        if (!(head[0] >= (double)INSTANTIATED && head[0] <= (double)ENDED)) throw wrong;
        auto made = std::make_unique<Kept>(Kept{head[0], head[1], head[2], {}});
        made->numbers.resize((size - HEAD) / sizeof(double));
        memcpy(made->numbers.data(), (const char*)bytes + HEAD, size - HEAD);
        if (!unit->is_state(made->numbers.data(), (int64_t)made->numbers.size())) throw wrong;
        *state = made.release();
    }
    static void forget(void** state) {
        if (state == nullptr) return;
        delete static_cast<Kept*>(*state);
        *state = nullptr;
    }

private:
    static constexpr size_t HEAD = 3 * sizeof(double);
    static constexpr const char* NO_STATE = "no state was given";

    static const Kept& given(const void* state) {
        if (state == nullptr) throw UnitError{NO_STATE};
        return *static_cast<const Kept*>(state);
    }
};

// Runs some work; what goes wrong is reported by `fail(text)`. No exception leaves the unit.
template <class Work, class Fail>
bool attempt(Work&& work, Fail&& fail) {
    try {
        work();
        return true;
    } catch (const UnitError& error) {
        fail(error.text);
    } catch (const std::bad_alloc&) {
        fail(std::string("there is not enough memory"));
    } catch (...) {
        fail(std::string("the unit failed"));
    }
    return false;
}

}  // namespace kinegen::fmu
