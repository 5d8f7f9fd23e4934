"""The process of a unit that is an agent: lines of JSON in, steps of the unit, lines of JSON out.

The protocol is that of programs (``docs/how-to/world.md``). One line says that the unit is loaded.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

__all__ = ["main"]


class LoadedUnit:
    """A unit with its connections."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        import fmpy
        from fmpy.fmi2 import FMU2Slave
        from fmpy.fmi3 import FMU3Slave

        description = fmpy.read_model_description(facts["unit"], validate=False)
        self.is_two = str(description.fmiVersion).startswith("2.")
        self.folder = fmpy.extract(facts["unit"])
        refs = {one.name: one.valueReference for one in description.modelVariables}
        self._inputs = {refs[name]: signal for name, signal in facts["inputs"].items()}
        self._outputs = {refs[name]: target for name, target in facts["outputs"].items()}
        self._scales = {refs[name]: scale for name, scale in facts["scales"].items()}
        self._values = {refs[name]: float(value) for name, value in facts["options"].items()}
        self._unit = (FMU2Slave if self.is_two else FMU3Slave)(
            guid=description.guid,
            modelIdentifier=description.coSimulation.modelIdentifier,
            unzipDirectory=self.folder,
            instanceName=facts["agent"],
        )
        self._unit.instantiate()
        self.time: float | None = None

    def step(self, time: float, signals: Mapping[str, float]) -> dict[str, float]:
        """Step to a time [s] with these inputs; the commands there."""
        given = {}
        for ref, name in self._inputs.items():
            factor, offset = self._scales[ref]
            given[ref] = (float(signals[name]) - offset) / factor
        if self.time is None:
            self._begin(time, given)
        else:
            self._set(given)
            if time > self.time:
                self._unit.doStep(
                    currentCommunicationPoint=self.time, communicationStepSize=time - self.time
                )
        self.time = time
        read = self._unit.getReal if self.is_two else self._unit.getFloat64
        found = {}
        for (ref, name), value in zip(self._outputs.items(), read([*self._outputs]), strict=True):
            factor, offset = self._scales[ref]
            found[name] = factor * float(value) + offset
        return found

    def reset(self) -> None:
        """Begin again at the next step."""
        if self.time is not None:
            self._unit.reset()
        self.time = None

    def close(self) -> None:
        """Free it and its files."""
        if self.time is not None:
            self._unit.terminate()
        self._unit.freeInstance()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _begin(self, time: float, given: Mapping[int, float]) -> None:
        self._set(self._values)
        if self.is_two:
            self._unit.setupExperiment(startTime=time)
            self._unit.enterInitializationMode()
        else:
            self._unit.enterInitializationMode(startTime=time)
        self._set(given)
        self._unit.exitInitializationMode()

    def _set(self, values: Mapping[int, float]) -> None:
        write = self._unit.setReal if self.is_two else self._unit.setFloat64
        if values:
            write(list(values), list(values.values()))


def main() -> int:
    """Answer lines until the input ends."""
    # what the unit prints must not get among the answers
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
    os.dup2(log.fileno(), 1)
    unit: LoadedUnit | None = None
    now = 0.0
    try:
        for line in sys.stdin:
            message = json.loads(line)
            kind = message["type"]
            if kind == "end":
                break
            if kind == "hello":
                unit = LoadedUnit(message)
                answer: Mapping[str, Any] = {}
            elif kind == "reset":
                assert unit is not None
                unit.reset()
                continue
            else:
                assert unit is not None
                now = message["time"]
                answer = {"command": unit.step(now, message["signals"]), "step": message["step"]}
            answers.write(json.dumps(answer) + "\n")
            answers.flush()
        if unit is not None:
            unit.close()
    except Exception as error:
        sys.stdout.flush()
        log.seek(0)
        said = [one.strip() for one in log.read()[-2000:].splitlines() if one.strip()]
        last = f" ({said[-1]})" if said else ""
        sys.stderr.write(f"the FMU failed at {now:g} s: {error}{last}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
