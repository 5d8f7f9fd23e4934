"""Settings: the clock, the engines and the floor of a world, from its file and its caller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kinegen.dynamics.engines.registry import engine_maker
from kinegen.dynamics.motors.motor import Mode
from kinegen.dynamics.simulation.system import is_number
from kinegen.errors import UsageError, seed_number
from kinegen.mechanism.graph import Mechanism

__all__ = ["Settings"]

STEP = 1e-3
"""Length of a step where nobody gives one [s]."""
TIME = 5.0
"""How long a world runs where nobody says [s]."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a world is computed."""

    engine: str
    step: float
    """[s]"""
    seed: int
    time: float
    """How long it is meant to run [s]."""
    floor: float | None
    """Height [m]; None: there is none."""
    engines: Mapping[str, str]
    """Engines of links that have their own, with all that they carry."""
    gravity: tuple[float, float, float] | None = None
    """Instead of the file's [m/s²]."""
    motors: bool = True
    """Whether motors are on."""
    modes: Mapping[str, Mode | str] | None = None
    """Of motors by joint name, instead of the file's."""

    @classmethod
    def of(cls, mechanism: Mechanism, values: Mapping[str, float], **given: Any) -> Settings:
        """What a caller gives, else what the file gives, else the usual.

        Args:
            mechanism: With the file's section ``world``.
            values: Of the parameters, for its formulas.
            given: engine, step, seed, floor, gravity, motors, modes; None: as in the file.
        """
        row = mechanism.world

        def number(key: str, default: float | None) -> Any:
            if given.get(key) is not None:
                return given[key]
            return float(row[key].evaluate(values)) if key in row else default

        step, floor, time = number("step", STEP), number("floor", None), number("time", TIME)
        if not is_number(step) or step <= 0:
            raise UsageError(f"the step is {step!r}: use a positive number of seconds")
        if floor is not None and not is_number(floor):
            raise UsageError(f"the floor must be a finite height [m], got {floor!r}")
        seed = number("seed", 0)
        seed = seed_number(int(seed) if isinstance(seed, float) and seed == int(seed) else seed)
        engine = given.get("engine") or row.get("engine", "reduced")
        engines = {link: name for link, name in row.get("engines", {}).items() if name != engine}
        for name in (engine, *engines.values()):
            engine_maker(name)  # an unknown name is reported here
        others: dict[str, Any] = {key: given[key] for key in ("gravity", "motors") if key in given}
        others["modes"] = _modes(mechanism, row.get("modes", {})) | dict(given.get("modes") or {})
        return cls(engine, float(step), seed, float(time), floor, engines, **others)


def _modes(mechanism: Mechanism, given: Mapping[str, str]) -> dict[str, Mode | str]:
    """The modes of a file by joint: a robot's name stands for all of its motors."""
    motors = [
        name
        for name, joint in mechanism.joints.items()
        if any(row is not None for row in joint.motors)
    ]
    found: dict[str, Mode | str] = {}
    for name, mode in sorted(given.items(), key=lambda one: one[0] in motors):  # joints last
        named = [one for one in motors if one == name or one.startswith(f"{name}.")]
        if not named:
            raise UsageError(
                f"'{name}' under 'modes' of the world has no motor; motors: {', '.join(motors)}"
            )
        found |= dict.fromkeys(named, mode)
    return found
