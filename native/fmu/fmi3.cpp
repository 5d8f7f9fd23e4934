// The functions of FMI 3.0 for co-simulation, as the standard declares them.
#include "fmu/instance.hpp"

using namespace kinegen::fmu;

namespace {

enum Status : int { FMI_OK = 0, FMI_WARNING, FMI_DISCARD, FMI_ERROR, FMI_FATAL };
using Logger = void (*)(void* environment, Status status, const char* category,
                        const char* message);

struct Instance : AnyInstance {
    Logger logger = nullptr;
    void* environment = nullptr;

    void log(Status status, const std::string& text) const {
        if (logger != nullptr) logger(environment, status, "logStatusError", text.c_str());
    }
};

template <class Work>
Status run(void* component, Work&& work) {
    if (component == nullptr) return FMI_ERROR;
    Instance& own = *static_cast<Instance*>(component);
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
constexpr const char* NO_DERIVATIVES = "the unit gives no derivatives";
constexpr const char* NO_CLOCKS = "the unit has no clocks";
constexpr const char* NO_MODEL_EXCHANGE = "the unit is for co-simulation only";
constexpr const char* NO_CONFIGURATION = "the unit has no structural parameters";

}  // namespace

KINEGEN_EXPORT const char* fmi3GetVersion() { return "3.0"; }
KINEGEN_EXPORT Status fmi3SetDebugLogging(void* c, bool on, size_t, const char* const*) {
    return run(c, [&](Instance& own) { own.logs = on; });
}

KINEGEN_EXPORT void* fmi3InstantiateCoSimulation(const char* name, const char* token,
                                                 const char* resources, bool, bool logs,
                                                 bool events, bool, const uint32_t*, size_t,
                                                 void* environment, Logger logger, void*) {
    auto made = std::make_unique<Instance>();
    made->name = name == nullptr ? "" : name;
    made->logs = logs;
    made->environment = environment;
    made->logger = logger;
    const Status status = run(made.get(), [&](Instance& own) {
        if (events) throw UnitError{"the unit has no event mode"};
        if (token == nullptr || resources == nullptr)
            throw UnitError{"the unit needs its token and the path of its resources"};
        own.unit = make_unit(bundle_path(path_of(resources)), token);
    });
    return status == FMI_OK ? made.release() : nullptr;
}
KINEGEN_EXPORT void* fmi3InstantiateModelExchange(const char*, const char*, const char*, bool, bool,
                                                  void* environment, Logger logger) {
    if (logger != nullptr) logger(environment, FMI_ERROR, "logStatusError", NO_MODEL_EXCHANGE);
    return nullptr;
}
KINEGEN_EXPORT void* fmi3InstantiateScheduledExecution(const char*, const char*, const char*, bool,
                                                       bool, void* environment, Logger logger,
                                                       void*, void*, void*) {
    if (logger != nullptr) logger(environment, FMI_ERROR, "logStatusError", NO_MODEL_EXCHANGE);
    return nullptr;
}
KINEGEN_EXPORT void fmi3FreeInstance(void* c) { delete static_cast<Instance*>(c); }

KINEGEN_EXPORT Status fmi3EnterInitializationMode(void* c, bool, double, double start, bool,
                                                  double) {
    return run(c, [&](Instance& own) {
        own.initialize();
        own.start = start;
    });
}
KINEGEN_EXPORT Status fmi3ExitInitializationMode(void* c) {
    return run(c, [](Instance& own) { own.begin(); });
}
KINEGEN_EXPORT Status fmi3EnterEventMode(void* c) {
    return refuse(c, 1, "the unit has no event mode");
}
KINEGEN_EXPORT Status fmi3EnterStepMode(void* c) {
    return refuse(c, 1, "the unit has no event mode");
}
KINEGEN_EXPORT Status fmi3Terminate(void* c) {
    return run(c, [](Instance& own) { own.phase = ENDED; });
}
KINEGEN_EXPORT Status fmi3Reset(void* c) {
    return run(c, [](Instance& own) { own.reset(); });
}

KINEGEN_EXPORT Status fmi3GetFloat64(void* c, const uint32_t* refs, size_t count, double* values,
                                     size_t) {
    return run(c, [&](Instance& own) { own.get(refs, count, values); });
}
KINEGEN_EXPORT Status fmi3SetFloat64(void* c, const uint32_t* refs, size_t count,
                                     const double* values, size_t) {
    return run(c, [&](Instance& own) { own.set(refs, count, values); });
}

// All other types: there are no variables of them.
#define KINEGEN_NO_TYPE(NAME, TYPE)                                                              \
    KINEGEN_EXPORT Status fmi3Get##NAME(void* c, const uint32_t*, size_t count, TYPE*, size_t) { \
        return refuse(c, count, "the unit has no variables of type " #NAME);                     \
    }                                                                                            \
    KINEGEN_EXPORT Status fmi3Set##NAME(void* c, const uint32_t*, size_t count, const TYPE*,     \
                                        size_t) {                                                \
        return refuse(c, count, "the unit has no variables of type " #NAME);                     \
    }
KINEGEN_NO_TYPE(Float32, float)
KINEGEN_NO_TYPE(Int8, int8_t)
KINEGEN_NO_TYPE(UInt8, uint8_t)
KINEGEN_NO_TYPE(Int16, int16_t)
KINEGEN_NO_TYPE(UInt16, uint16_t)
KINEGEN_NO_TYPE(Int32, int32_t)
KINEGEN_NO_TYPE(UInt32, uint32_t)
KINEGEN_NO_TYPE(Int64, int64_t)
KINEGEN_NO_TYPE(UInt64, uint64_t)
KINEGEN_NO_TYPE(Boolean, bool)
KINEGEN_NO_TYPE(String, char*)
#undef KINEGEN_NO_TYPE
KINEGEN_EXPORT Status fmi3GetBinary(void* c, const uint32_t*, size_t count, size_t*,
                                    const uint8_t**, size_t) {
    return refuse(c, count, "the unit has no variables of type Binary");
}
KINEGEN_EXPORT Status fmi3SetBinary(void* c, const uint32_t*, size_t count, const size_t*,
                                    const uint8_t* const*, size_t) {
    return refuse(c, count, "the unit has no variables of type Binary");
}
KINEGEN_EXPORT Status fmi3GetClock(void* c, const uint32_t*, size_t count, bool*) {
    return refuse(c, count, NO_CLOCKS);
}
KINEGEN_EXPORT Status fmi3SetClock(void* c, const uint32_t*, size_t count, const bool*) {
    return refuse(c, count, NO_CLOCKS);
}

KINEGEN_EXPORT Status fmi3GetNumberOfVariableDependencies(void* c, uint32_t, size_t*) {
    return refuse(c, 1, "the unit has no lists of dependencies");
}
KINEGEN_EXPORT Status fmi3GetVariableDependencies(void* c, uint32_t, size_t*, uint32_t*, size_t*,
                                                  int*, size_t) {
    return refuse(c, 1, "the unit has no lists of dependencies");
}

KINEGEN_EXPORT Status fmi3GetFMUState(void* c, void** state) {
    return run(c, [&](Instance& own) { own.keep(state); });
}
KINEGEN_EXPORT Status fmi3SetFMUState(void* c, void* state) {
    return run(c, [&](Instance& own) { own.go_to(state); });
}
KINEGEN_EXPORT Status fmi3FreeFMUState(void* c, void** state) {
    return run(c, [&](Instance& own) { own.forget(state); });
}
KINEGEN_EXPORT Status fmi3SerializedFMUStateSize(void* c, void* state, size_t* size) {
    return run(c, [&](Instance& own) { *size = own.byte_count(state); });
}
KINEGEN_EXPORT Status fmi3SerializeFMUState(void* c, void* state, uint8_t* bytes, size_t size) {
    return run(c, [&](Instance& own) { own.pack(state, bytes, size); });
}
KINEGEN_EXPORT Status fmi3DeserializeFMUState(void* c, const uint8_t* bytes, size_t size,
                                              void** state) {
    return run(c, [&](Instance& own) { own.unpack(bytes, size, state); });
}

KINEGEN_EXPORT Status fmi3GetDirectionalDerivative(void* c, const uint32_t*, size_t,
                                                   const uint32_t*, size_t, const double*, size_t,
                                                   double*, size_t) {
    return refuse(c, 1, NO_DERIVATIVES);
}
KINEGEN_EXPORT Status fmi3GetAdjointDerivative(void* c, const uint32_t*, size_t, const uint32_t*,
                                               size_t, const double*, size_t, double*, size_t) {
    return refuse(c, 1, NO_DERIVATIVES);
}
KINEGEN_EXPORT Status fmi3GetOutputDerivatives(void* c, const uint32_t*, size_t count,
                                               const int32_t*, double*, size_t) {
    return refuse(c, count, NO_DERIVATIVES);
}

KINEGEN_EXPORT Status fmi3EnterConfigurationMode(void* c) { return refuse(c, 1, NO_CONFIGURATION); }
KINEGEN_EXPORT Status fmi3ExitConfigurationMode(void* c) { return refuse(c, 1, NO_CONFIGURATION); }

KINEGEN_EXPORT Status fmi3GetIntervalDecimal(void* c, const uint32_t*, size_t count, double*,
                                             int*) {
    return refuse(c, count, NO_CLOCKS);
}
KINEGEN_EXPORT Status fmi3GetIntervalFraction(void* c, const uint32_t*, size_t count, uint64_t*,
                                              uint64_t*, int*) {
    return refuse(c, count, NO_CLOCKS);
}
KINEGEN_EXPORT Status fmi3GetShiftDecimal(void* c, const uint32_t*, size_t count, double*) {
    return refuse(c, count, NO_CLOCKS);
}
KINEGEN_EXPORT Status fmi3GetShiftFraction(void* c, const uint32_t*, size_t count, uint64_t*,
                                           uint64_t*) {
    return refuse(c, count, NO_CLOCKS);
}
KINEGEN_EXPORT Status fmi3SetIntervalDecimal(void* c, const uint32_t*, size_t count,
                                             const double*) {
    return refuse(c, count, NO_CLOCKS);
}
KINEGEN_EXPORT Status fmi3SetIntervalFraction(void* c, const uint32_t*, size_t count,
                                              const uint64_t*, const uint64_t*) {
    return refuse(c, count, NO_CLOCKS);
}
KINEGEN_EXPORT Status fmi3SetShiftDecimal(void* c, const uint32_t*, size_t count, const double*) {
    return refuse(c, count, NO_CLOCKS);
}
KINEGEN_EXPORT Status fmi3SetShiftFraction(void* c, const uint32_t*, size_t count, const uint64_t*,
                                           const uint64_t*) {
    return refuse(c, count, NO_CLOCKS);
}
KINEGEN_EXPORT Status fmi3EvaluateDiscreteStates(void* c) {
    return refuse(c, 1, "the unit has no event mode");
}
KINEGEN_EXPORT Status fmi3UpdateDiscreteStates(void* c, bool*, bool*, bool*, bool*, bool*,
                                               double*) {
    return refuse(c, 1, "the unit has no event mode");
}
KINEGEN_EXPORT Status fmi3ActivateModelPartition(void* c, uint32_t, double) {
    return refuse(c, 1, NO_CLOCKS);
}

// Model exchange.
KINEGEN_EXPORT Status fmi3EnterContinuousTimeMode(void* c) {
    return refuse(c, 1, NO_MODEL_EXCHANGE);
}
KINEGEN_EXPORT Status fmi3CompletedIntegratorStep(void* c, bool, bool*, bool*) {
    return refuse(c, 1, NO_MODEL_EXCHANGE);
}
KINEGEN_EXPORT Status fmi3SetTime(void* c, double) { return refuse(c, 1, NO_MODEL_EXCHANGE); }
KINEGEN_EXPORT Status fmi3SetContinuousStates(void* c, const double*, size_t) {
    return refuse(c, 1, NO_MODEL_EXCHANGE);
}
KINEGEN_EXPORT Status fmi3GetContinuousStateDerivatives(void* c, double*, size_t) {
    return refuse(c, 1, NO_MODEL_EXCHANGE);
}
KINEGEN_EXPORT Status fmi3GetEventIndicators(void* c, double*, size_t) {
    return refuse(c, 1, NO_MODEL_EXCHANGE);
}
KINEGEN_EXPORT Status fmi3GetContinuousStates(void* c, double*, size_t) {
    return refuse(c, 1, NO_MODEL_EXCHANGE);
}
KINEGEN_EXPORT Status fmi3GetNominalsOfContinuousStates(void* c, double*, size_t) {
    return refuse(c, 1, NO_MODEL_EXCHANGE);
}
KINEGEN_EXPORT Status fmi3GetNumberOfEventIndicators(void* c, size_t*) {
    return refuse(c, 1, NO_MODEL_EXCHANGE);
}
KINEGEN_EXPORT Status fmi3GetNumberOfContinuousStates(void* c, size_t*) {
    return refuse(c, 1, NO_MODEL_EXCHANGE);
}

KINEGEN_EXPORT Status fmi3DoStep(void* c, double time, double length, bool, bool* event,
                                 bool* stopped, bool* early, double* last) {
    *event = *stopped = *early = false;
    const Status status = run(c, [&](Instance& own) { own.step(time, length); });
    if (c != nullptr) *last = static_cast<Instance*>(c)->time;
    return status;
}
