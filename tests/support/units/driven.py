"""DrivenUnit: an instance of a unit that fmpy drives, variables by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave

__all__ = ["DrivenUnit"]


class DrivenUnit:
    """Names have two underscores for each dot where they are keywords."""

    def __init__(self, path: Path, version: str = "2") -> None:
        self.description = fmpy.read_model_description(path)
        self._two = version == "2"
        slave = FMU2Slave if self._two else FMU3Slave
        self.folder = fmpy.extract(path)
        self.refs = {one.name: one.valueReference for one in self.description.modelVariables}
        self.messages: list[str] = []
        self.own = slave(
            guid=self.description.guid,
            modelIdentifier=self.description.coSimulation.modelIdentifier,
            unzipDirectory=self.folder,
            instanceName="one",
        )
        self.time = 0.0

    def begin(self, **values: float) -> DrivenUnit:
        self.own.instantiate()
        return self.initialize(**values)

    def initialize(self, **values: float) -> DrivenUnit:
        self.time = 0.0
        if self._two:
            self.own.setupExperiment(startTime=0.0)
        self.own.enterInitializationMode()
        self.set(**values)
        self.own.exitInitializationMode()
        return self

    def set(self, **values: float) -> None:
        names = [name.replace("__", ".") for name in values]
        write = self.own.setReal if self._two else self.own.setFloat64
        if names:
            write([self.refs[name] for name in names], list(values.values()))

    def get(self, *names: str) -> list[float]:
        read = self.own.getReal if self._two else self.own.getFloat64
        return list(read([self.refs[name] for name in names]))

    def step(self, seconds: float) -> None:
        self.own.doStep(currentCommunicationPoint=self.time, communicationStepSize=seconds)
        self.time += seconds

    def positions(self, model: Any) -> np.ndarray:
        return np.array(self.get(*(f"joints.{one.name}.position" for one in model.joints)))

    def velocities(self, model: Any) -> np.ndarray:
        return np.array(self.get(*(f"joints.{one.name}.velocity" for one in model.joints)))

    def keep(self) -> Any:
        return self.own.getFMUstate() if self._two else self.own.getFMUState()

    def go_to(self, state: Any) -> None:
        (self.own.setFMUstate if self._two else self.own.setFMUState)(state)

    def end(self) -> None:
        self.own.terminate()
        self.own.freeInstance()
