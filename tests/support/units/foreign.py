"""A unit of another maker: a small controller in C, with functions of FMI 2 of its own."""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

GOAL, GAIN, TAU = 1.3, 0.4, 0.05
"""target = GOAL - GAIN x, where x follows the position with the time constant TAU [s]."""

SOURCE = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef struct { double x, position, goal; int begun; } Unit;
#define OUT __attribute__((visibility("default")))
OUT const char* fmi2GetTypesPlatform(void) { return "default"; }
OUT const char* fmi2GetVersion(void) { return "2.0"; }
OUT int fmi2SetDebugLogging(void* c, int on, size_t n, const char* const* k) { return 0; }
OUT void* fmi2Instantiate(const char* name, int kind, const char* guid, const char* where,
                          const void* calls, int visible, int logs) {
    if (strcmp(guid, "{foreign}") != 0) return 0;
    Unit* u = calloc(1, sizeof(Unit));
    u->goal = 1.3;
    return u;
}
OUT void fmi2FreeInstance(void* c) { free(c); }
OUT int fmi2SetupExperiment(void* c, int d, double t, double s, int e, double f) { return 0; }
OUT int fmi2EnterInitializationMode(void* c) { return 0; }
OUT int fmi2ExitInitializationMode(void* c) {
    Unit* u = c;
    u->x = u->position;
    return 0;
}
OUT int fmi2Terminate(void* c) { return 0; }
OUT int fmi2Reset(void* c) { memset(c, 0, sizeof(Unit)); ((Unit*)c)->goal = 1.3; return 0; }
OUT int fmi2GetReal(void* c, const unsigned* r, size_t n, double* v) {
    Unit* u = c;
    for (size_t i = 0; i < n; ++i)
        v[i] = r[i] == 0 ? u->position : r[i] == 1 ? u->goal - 0.4 * u->x : u->goal;
    return 0;
}
OUT int fmi2SetReal(void* c, const unsigned* r, size_t n, const double* v) {
    Unit* u = c;
    for (size_t i = 0; i < n; ++i) {
        if (r[i] == 1) return 3;
        *(r[i] == 0 ? &u->position : &u->goal) = v[i];
    }
    return 0;
}
#define NONE(NAME, TYPE) OUT int NAME(void* c, const unsigned* r, size_t n, TYPE v) { return 3; }
NONE(fmi2GetInteger, int*) NONE(fmi2GetBoolean, int*) NONE(fmi2GetString, const char**)
NONE(fmi2SetInteger, const int*) NONE(fmi2SetBoolean, const int*) NONE(fmi2SetString, char**)
OUT int fmi2DoStep(void* c, double t, double h, int no) {
    Unit* u = c;
    if (t > 90 || u->goal == 101) return 3;
    while (u->goal == 102) sleep(1);
    if (u->goal == 103) abort();
    if (u->goal == 104) u->x = 0.0 / 0.0;
    u->x += h * (u->position - u->x) / 0.05;
    return 0;
}
OUT int fmi2GetFMUstate(void* c, void** s) { return 3; }
OUT int fmi2SetFMUstate(void* c, void* s) { return 3; }
OUT int fmi2FreeFMUstate(void* c, void** s) { return 3; }
OUT int fmi2SerializedFMUstateSize(void* c, void* s, size_t* n) { return 3; }
OUT int fmi2SerializeFMUstate(void* c, void* s, char* b, size_t n) { return 3; }
OUT int fmi2DeSerializeFMUstate(void* c, const char* b, size_t n, void** s) { return 3; }
OUT int fmi2GetDirectionalDerivative(void* c, const unsigned* a, size_t n, const unsigned* b,
                                     size_t m, const double* d, double* e) { return 3; }
OUT int fmi2SetRealInputDerivatives(void* c, const unsigned* r, size_t n, const int* o,
                                    const double* v) { return 3; }
OUT int fmi2GetRealOutputDerivatives(void* c, const unsigned* r, size_t n, const int* o,
                                     double* v) { return 3; }
OUT int fmi2CancelStep(void* c) { return 3; }
OUT int fmi2GetStatus(void* c, int k, int* v) { return 2; }
OUT int fmi2GetRealStatus(void* c, int k, double* v) { return 2; }
OUT int fmi2GetIntegerStatus(void* c, int k, int* v) { return 2; }
OUT int fmi2GetBooleanStatus(void* c, int k, int* v) { return 2; }
OUT int fmi2GetStringStatus(void* c, int k, const char** v) { return 2; }
"""

DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="foreign" guid="{foreign}">
  <CoSimulation modelIdentifier="foreign" canHandleVariableCommunicationStepSize="true"/>
  <DefaultExperiment stepSize="0.01"/>
  <ModelVariables>
    <ScalarVariable name="position" valueReference="0" causality="input"><Real start="0"/>
    </ScalarVariable>
    <ScalarVariable name="target" valueReference="1" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="goal" valueReference="2" causality="parameter" variability="fixed">
      <Real start="1.3"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="2"/></Outputs>
    <InitialUnknowns><Unknown index="2"/></InitialUnknowns></ModelStructure>
</fmiModelDescription>
"""


def has_compiler() -> bool:
    """Whether the unit can be made here."""
    return sys.platform == "linux" and shutil.which("cc") is not None


@functools.cache
def _library() -> bytes:
    with tempfile.TemporaryDirectory() as name:
        source, out = Path(name, "foreign.c"), Path(name, "foreign.so")
        source.write_text(SOURCE, encoding="utf-8")
        command = ["cc", "-shared", "-fPIC", "-O1", "-w", str(source), "-o", str(out)]
        subprocess.run(command, check=True, timeout=60)
        return out.read_bytes()


def foreign_unit(path: Path, description: str = DESCRIPTION) -> Path:
    """Write the unit."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("modelDescription.xml", description)
        archive.writestr("binaries/linux64/foreign.so", _library())
    return path
