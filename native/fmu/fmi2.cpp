// The functions of FMI 2.0 for co-simulation, as the standard declares them.
#include "fmu/instance.hpp"

using namespace kinegen::fmu;

namespace {

enum Status : int { FMI_OK = 0, FMI_WARNING, FMI_DISCARD, FMI_ERROR, FMI_FATAL, FMI_PENDING };
constexpr int CO_SIMULATION = 1;           // a kind of unit
constexpr int LAST_TIME = 2, STOPPED = 3;  // kinds of status
using Bool = int;
constexpr Bool NO = 0;

struct Callbacks {
    void (*logger)(void* environment, const char* instance, Status status, const char* category,
                   const char* message, ...);
    void* (*allocate)(size_t count, size_t size);
    void (*release)(void* memory);
    void (*step_finished)(void* environment, Status status);
    void* environment;
};

struct Instance : AnyInstance {
    const Callbacks* callbacks = nullptr;

    void log(Status status, const std::string& text) const {
        const bool always = status >= FMI_ERROR;
        if (callbacks == nullptr || callbacks->logger == nullptr || !(logs || always)) return;
        // the text is a format: loggers that expand nothing show it as it is
        std::string format;
        for (char letter : text) format += letter == '%' ? "%%" : std::string(1, letter);
        callbacks->logger(callbacks->environment, name.c_str(), status,
                          always ? "logStatusError" : "logEvents", format.c_str());
    }
};

Instance* of(void* component) { return static_cast<Instance*>(component); }

template <class Work>
Status run(void* component, Work&& work) {
    if (component == nullptr) return FMI_ERROR;
    Instance& own = *of(component);
    const bool good =
        attempt([&] { work(own); }, [&](const auto& text) { own.log(FMI_ERROR, text); });
    return good ? FMI_OK : FMI_ERROR;
}
// What the unit does not have, where something of it is asked for.
Status refuse(void* component, size_t count, const char* text) {
    return run(component, [&](Instance&) {
        if (count > 0) throw UnitError{text};
    });
}

}  // namespace

KINEGEN_EXPORT const char* fmi2GetTypesPlatform() { return "default"; }
KINEGEN_EXPORT const char* fmi2GetVersion() { return "2.0"; }

KINEGEN_EXPORT Status fmi2SetDebugLogging(void* c, Bool on, size_t, const char* const*) {
    return run(c, [&](Instance& own) { own.logs = on != NO; });
}

KINEGEN_EXPORT void* fmi2Instantiate(const char* name, int kind, const char* token,
                                     const char* resources, const Callbacks* callbacks, Bool,
                                     Bool logs) {
    auto made = std::make_unique<Instance>();
    made->name = name == nullptr ? "" : name;
    made->callbacks = callbacks;
    made->logs = logs != NO;
    const Status status = run(made.get(), [&](Instance& own) {
        if (kind != CO_SIMULATION) throw UnitError{"the unit is for co-simulation only"};
        if (token == nullptr || resources == nullptr)
            throw UnitError{"the unit needs its GUID and the place of its resources"};
        own.unit = make_unit(bundle_path(path_of(resources)), token);
    });
    return status == FMI_OK ? made.release() : nullptr;
}

KINEGEN_EXPORT void fmi2FreeInstance(void* c) { delete of(c); }

KINEGEN_EXPORT Status fmi2SetupExperiment(void* c, Bool, double, double start, Bool, double) {
    return run(c, [&](Instance& own) {
        if (own.phase != INSTANTIATED)
            throw UnitError{"an experiment is set up before initialization"};
        own.start = start;
    });
}

KINEGEN_EXPORT Status fmi2EnterInitializationMode(void* c) {
    return run(c, [](Instance& own) { own.initialize(); });
}

KINEGEN_EXPORT Status fmi2ExitInitializationMode(void* c) {
    return run(c, [](Instance& own) { own.begin(); });
}

KINEGEN_EXPORT Status fmi2Terminate(void* c) {
    return run(c, [](Instance& own) { own.phase = ENDED; });
}

KINEGEN_EXPORT Status fmi2Reset(void* c) {
    return run(c, [](Instance& own) { own.reset(); });
}

KINEGEN_EXPORT Status fmi2GetReal(void* c, const uint32_t* refs, size_t count, double* values) {
    return run(c, [&](Instance& own) { own.get(refs, count, values); });
}
KINEGEN_EXPORT Status fmi2SetReal(void* c, const uint32_t* refs, size_t count,
                                  const double* values) {
    return run(c, [&](Instance& own) { own.set(refs, count, values); });
}
KINEGEN_EXPORT Status fmi2GetInteger(void* c, const uint32_t*, size_t count, int*) {
    return refuse(c, count, "the unit has no variables of type Integer");
}
KINEGEN_EXPORT Status fmi2GetBoolean(void* c, const uint32_t*, size_t count, Bool*) {
    return refuse(c, count, "the unit has no variables of type Boolean");
}
KINEGEN_EXPORT Status fmi2GetString(void* c, const uint32_t*, size_t count, const char**) {
    return refuse(c, count, "the unit has no variables of type String");
}
KINEGEN_EXPORT Status fmi2SetInteger(void* c, const uint32_t*, size_t count, const int*) {
    return refuse(c, count, "the unit has no variables of type Integer");
}
KINEGEN_EXPORT Status fmi2SetBoolean(void* c, const uint32_t*, size_t count, const Bool*) {
    return refuse(c, count, "the unit has no variables of type Boolean");
}
KINEGEN_EXPORT Status fmi2SetString(void* c, const uint32_t*, size_t count, const char* const*) {
    return refuse(c, count, "the unit has no variables of type String");
}

KINEGEN_EXPORT Status fmi2GetFMUstate(void* c, void** state) {
    return run(c, [&](Instance& own) { own.keep(state); });
}
KINEGEN_EXPORT Status fmi2SetFMUstate(void* c, void* state) {
    return run(c, [&](Instance& own) { own.go_to(state); });
}
KINEGEN_EXPORT Status fmi2FreeFMUstate(void* c, void** state) {
    return run(c, [&](Instance& own) { own.forget(state); });
}
KINEGEN_EXPORT Status fmi2SerializedFMUstateSize(void* c, void* state, size_t* size) {
    return run(c, [&](Instance& own) { *size = own.byte_count(state); });
}
KINEGEN_EXPORT Status fmi2SerializeFMUstate(void* c, void* state, char* bytes, size_t size) {
    return run(c, [&](Instance& own) { own.pack(state, bytes, size); });
}
KINEGEN_EXPORT Status fmi2DeSerializeFMUstate(void* c, const char* bytes, size_t size,
                                              void** state) {
    return run(c, [&](Instance& own) { own.unpack(bytes, size, state); });
}

KINEGEN_EXPORT Status fmi2GetDirectionalDerivative(void* c, const uint32_t*, size_t,
                                                   const uint32_t*, size_t, const double*,
                                                   double*) {
    return refuse(c, 1, "the unit gives no directional derivatives");
}
KINEGEN_EXPORT Status fmi2SetRealInputDerivatives(void* c, const uint32_t*, size_t count,
                                                  const int*, const double*) {
    return refuse(c, count, "the unit does not interpolate its inputs");
}
KINEGEN_EXPORT Status fmi2GetRealOutputDerivatives(void* c, const uint32_t*, size_t count,
                                                   const int*, double*) {
    return refuse(c, count, "the unit gives no derivatives of its outputs");
}

KINEGEN_EXPORT Status fmi2DoStep(void* c, double time, double length, Bool) {
    return run(c, [&](Instance& own) { own.step(time, length); });
}
KINEGEN_EXPORT Status fmi2CancelStep(void* c) {
    return refuse(c, 1, "steps of the unit are never pending");
}

KINEGEN_EXPORT Status fmi2GetStatus(void* c, int, Status* status) {
    if (c == nullptr || status == nullptr) return FMI_ERROR;
    *status = FMI_OK;
    return FMI_OK;
}
KINEGEN_EXPORT Status fmi2GetRealStatus(void* c, int kind, double* value) {
    if (c == nullptr || value == nullptr) return FMI_ERROR;
    *value = of(c)->time;
    return kind == LAST_TIME ? FMI_OK : FMI_DISCARD;
}
KINEGEN_EXPORT Status fmi2GetIntegerStatus(void* c, int, int*) {
    return c == nullptr ? FMI_ERROR : FMI_DISCARD;
}
KINEGEN_EXPORT Status fmi2GetBooleanStatus(void* c, int kind, Bool* value) {
    if (c == nullptr || value == nullptr) return FMI_ERROR;
    *value = NO;
    return kind == STOPPED ? FMI_OK : FMI_DISCARD;
}
KINEGEN_EXPORT Status fmi2GetStringStatus(void* c, int, const char**) {
    return c == nullptr ? FMI_ERROR : FMI_DISCARD;
}
