"""FmuRunner: an FMU (FMI 2 or 3) as an agent, in a process of its own."""

from __future__ import annotations

import math
import queue
import re
import sys
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kinegen.errors import UsageError, unknown_name
from kinegen.world.agents.fmu_scales import scale_of
from kinegen.world.agents.program_runner import ProgramRunner
from kinegen.world.agents.runner import AgentError

__all__ = ["FmuRunner"]

START = 30.0
"""Real time that a unit may take to be loaded [s]."""
_CLOSE = 1e-9
"""How far from a whole number a ratio may be: rounding of 1 / 0.001."""
_HEAD = 100_000
"""Bytes of a model description within which its first element begins."""
_TYPES = {"Real", "Float64"}
"""Of variables that are connected."""


class FmuRunner(ProgramRunner):
    """Steps a unit; a crash of its binary ends its process and not the world's."""

    def __init__(self, row: Mapping[str, Any], folder: Path) -> None:
        """Read the unit's description; its binary is loaded at the first question.

        Args:
            row: The agent's row of the file.
            folder: Where the file is.

        Raises:
            UsageError: fmpy is missing, or the file is no unit that can run here.
        """
        name, path = row["name"], (folder / str(row["fmu"])).resolve()
        self._who = f"the FMU '{row['fmu']}' of agent '{name}'"
        self.description = _description(self._who, path)
        options = dict(row.get("options") or {})
        words = [sys.executable, "-m", "kinegen.world.agents.fmu_program"]
        super().__init__(name, words, Path.cwd(), options)
        self._variables = {one.name: one for one in self.description.modelVariables}
        for key, value in options.items():
            self._variable(key, {"parameter", "input", "structuralParameter"}, "options")
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise UsageError(f"the option '{key}' of agent '{name}' must be a number")
        self._inputs = _table(name, "inputs", row.get("inputs"))
        self._outputs = _table(name, "outputs", row.get("outputs"))
        for key in self._inputs:
            self._variable(key, {"input"}, "inputs")
        for key in self._outputs:
            self._variable(key, {"output"}, "outputs")
        self.rate = self._own_rate()
        """Decisions per second where the file gives none; None: as other agents."""
        self.facts["unit"] = str(path)

    def learn(self, facts: Mapping[str, Any]) -> None:
        """Take what the world offers: connects signals, and checks the rate.

        Raises:
            UsageError: A signal or motor is not known, or the rate does not fit the unit's step.
        """
        super().learn(facts)
        self._check_rate(facts["rate"], facts["step"])
        signals, targets = facts["signals"], facts["commands"]
        same = {one: one for one in self._of("input") if one in signals}
        self.facts["inputs"] = inputs = self._inputs or same
        same = {one: one for one in self._of("output") if f"{one}.target" in targets}
        same |= {one: one for one in self._of("output") if one in targets}
        self.facts["outputs"] = outputs = self._outputs or same
        for signal in inputs.values():
            if signal not in signals:
                raise unknown_name("signal", signal, f"agent '{self.name}'", signals)
            if signals[signal]["shape"]:
                raise UsageError(
                    f"agent '{self.name}': signal '{signal}' has several numbers, and an FMU input "
                    "takes one number"
                )
        motors = [one.removesuffix(".target") for one in targets]
        for target in outputs.values():
            if target.removesuffix(".target") not in motors:
                raise unknown_name("motor", target, f"agent '{self.name}'", motors)
        units = {name: row["unit"] for name, row in {**targets, **signals}.items()}
        self.facts["scales"] = {
            name: scale_of(
                self._who, self.description, self._variables[name], signal,
                units.get(signal) or units.get(f"{signal}.target", ""),
            )
            for name, signal in (*inputs.items(), *outputs.items())
        }  # fmt: skip
        if not outputs:
            raise UsageError(
                f"{self._who} drives no motor: connect its outputs to motors, such as "
                f"outputs: {{{next(iter(self._of('output')), 'u')}: "
                f"{next(iter(motors), 'joint')}}}; outputs: {', '.join(self._of('output')) or '–'}"
            )

    def ask(self, count: int, time: float, seen: Mapping[str, Any]) -> None:
        """Send one question; the first waits until the unit is loaded."""
        is_first = self._process is None
        wanted = {signal: seen[signal] for signal in self.facts["inputs"].values()}
        if is_first:
            self._start()
            self._wait_until_ready()
        super().ask(count, time, wanted)

    def _wait_until_ready(self) -> None:
        try:
            line = self._lines.get(timeout=START)
        except queue.Empty:
            raise AgentError(f"was not loaded within {START:g} s") from None
        if line is None:
            self._lines.put(None)
            raise AgentError(self._ending())

    def _variable(self, name: str, causalities: set[str], where: str) -> None:
        known = [one for c in causalities for one in self._of(c)]
        if name not in known:
            raise unknown_name("variable", name, f"'{where}' of {self._who}", known)

    def _of(self, causality: str) -> list[str]:
        """Variables of a causality that are numbers."""
        return [
            name
            for name, one in self._variables.items()
            if one.causality == causality and one.type in _TYPES
        ]

    @property
    def _own_step(self) -> tuple[float, bool]:
        """The step of the unit [s], NaN where it has none, and whether it is bound to it."""
        slave, experiment = self.description.coSimulation, self.description.defaultExperiment
        fixed = getattr(slave, "fixedInternalStepSize", None)
        asked = None if experiment is None else experiment.stepSize
        step = float(fixed or asked or math.nan)
        return step, bool(fixed) or not slave.canHandleVariableCommunicationStepSize

    def _own_rate(self) -> float | None:
        step, _ = self._own_step
        return None if math.isnan(step) else 1 / step

    def _check_rate(self, rate: float, world_step: float) -> None:
        step, is_bound = self._own_step
        if not is_bound:
            return
        turns = 1 / (rate * world_step)
        if abs(turns - round(turns)) > _CLOSE * turns:
            raise UsageError(
                f"{self._who} takes steps of one length only: a rate of {rate:g} Hz has periods of "
                f"{math.floor(turns)} and {math.ceil(turns)} steps of {world_step:g} s; specify a "
                f"rate that divides {1 / world_step:g} Hz"
            )
        ratio = 1 / (rate * step)
        if not math.isnan(step) and abs(ratio - max(1, round(ratio))) > _CLOSE * ratio:
            raise UsageError(
                f"the rate of agent '{self.name}' is {rate:g} Hz, which does not fit the step of "
                f"{step:g} s of its FMU: use {1 / step:g} Hz, or a whole part of it"
            )


def _table(agent: str, key: str, given: Any) -> dict[str, str]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise UsageError(
            f"'{key}' of agent '{agent}' must name a signal for each variable of the FMU, such as "
            f"{{u: shoulder.position}}, got {given!r:.60}"
        )
    return {str(name): str(signal) for name, signal in given.items()}


def _description(who: str, path: Path) -> Any:
    """The model description of a unit that can run here."""
    try:
        import fmpy
    except ImportError:
        raise UsageError(f"{who} needs fmpy: pip install 'kinegen[fmi]'") from None
    if not path.is_file():
        raise UsageError(f"{who}: there is no file '{path}'")
    _check_version(who, path)
    try:
        description = fmpy.read_model_description(str(path), validate=False)
        platforms = fmpy.supported_platforms(str(path))
    except Exception as error:
        raise UsageError(f"{who} cannot be read: {str(error) or type(error).__name__}") from error
    if description.coSimulation is None:
        raise UsageError(f"{who} is not for co-simulation: export it as such")
    if not {fmpy.platform, fmpy.platform_tuple} & set(platforms):
        have = ", ".join(platforms) or "none"
        raise UsageError(f"{who} has no binary for {fmpy.platform}; binaries: {have}")
    return description


def _check_version(who: str, path: Path) -> None:
    """UsageError for files that are no FMU of a known version."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open("modelDescription.xml") as file:
            head = file.read(_HEAD)
    except KeyError:
        raise UsageError(f"{who} is not an FMU: it has no modelDescription.xml") from None
    except (OSError, zipfile.BadZipFile, RuntimeError, zlib.error) as error:
        raise UsageError(f"{who} cannot be read: {error}") from None
    found = re.search(rb"<fmiModelDescription[^>]*?\sfmiVersion\s*=\s*[\"']([^\"']*)", head)
    if found is None:
        raise UsageError(f"{who} is not an FMU: its modelDescription.xml has no fmiVersion")
    version = found[1].decode(errors="replace")
    if not version.startswith(("2.", "3.")):
        raise UsageError(f"{who} is of FMI {version}: it must be of FMI 2 or 3")
