"""Which engine a name stands for; engines are plug-ins, the built-in ones too."""

from __future__ import annotations

import math
import warnings
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from inspect import signature
from typing import TYPE_CHECKING, Any

from kinegen.dynamics.engines.engine import Engine, EngineMaker
from kinegen.errors import KinegenError, UsageError, unknown_name

if TYPE_CHECKING:
    from kinegen.dynamics.simulation.system import System

__all__ = ["BUILT_IN", "GROUP", "engine_maker", "engine_names", "make_engine"]

GROUP = "kinegen.engines"
"""Entry-point group: every entry names an :class:`~kinegen.dynamics.engines.engine.EngineMaker`."""
PARTS = ("name", "model", "step", "time", "q", "v", "reset", "advance", "reactions")
"""What every engine has, as :class:`~kinegen.dynamics.engines.engine.Engine` explains."""

BUILT_IN = {
    "impulse": "kinegen.dynamics.engines.impulse.engine:ImpulseEngine",
    "mujoco": "kinegen.dynamics.engines.mujoco.engine:MujocoEngine",
    "reduced": "kinegen.dynamics.engines.reduced.engine:ReducedEngine",
}
"""Kinegen's own entries, as in pyproject.toml: for a source tree that is not installed."""


@cache
def _entries() -> dict[str, EntryPoint]:
    entries = {name: EntryPoint(name, value, GROUP) for name, value in BUILT_IN.items()}
    return entries | {entry.name: entry for entry in entry_points(group=GROUP)}


def engine_names() -> tuple[str, ...]:
    """Names of all registered engines; none is loaded for it."""
    return tuple(_entries())


@cache
def _load(name: str) -> EngineMaker | None:
    """A registered engine; None, with a warning, where its plug-in is broken."""
    entry = _entries()[name]
    try:
        maker = entry.load()
        if not callable(maker):
            raise TypeError(f"{entry.value} is not callable but a {type(maker).__name__}")
    except KinegenError:
        raise  # it says itself what it misses
    except Exception as error:
        warnings.warn(
            f"engine plug-in '{name}' ({entry.value}) is skipped: {type(error).__name__}: {error}",
            RuntimeWarning,
            stacklevel=3,
        )
        return None
    made: EngineMaker = maker
    return made


def engine_maker(name: str) -> EngineMaker:
    """An engine by its name; NameNotFoundError when there is none or it cannot be loaded."""
    maker = _load(name) if name in _entries() else None
    if maker is None:
        good = [other for other in _entries() if other != name]
        raise unknown_name("engine", name, "Kinegen or its plug-ins", good)
    return maker


def make_engine(system: System, engine: str, step: float, **options: Any) -> Engine:
    """An engine for a system, at the file's start.

    Args:
        system: The mechanism with its springs, objects and surfaces.
        engine: Its name.
        step: Length of a step [s].
        options: What this engine takes beyond that.
    """
    maker = engine_maker(engine)
    if not isinstance(step, (int, float)) or not math.isfinite(step) or step <= 0:
        raise UsageError(f"the step is {step!r}: give a positive number of seconds, such as 0.001")
    try:
        made = maker(system, float(step), **options)
    except TypeError as error:
        unknown = [
            name for name in options if f"unexpected keyword argument '{name}'" in str(error)
        ]
        if not unknown:
            raise
        known = ", ".join(list(signature(maker).parameters)[2:]) or "none"
        raise UsageError(
            f"engine '{engine}' takes no option '{unknown[0]}'; options: {known}"
        ) from error
    missing = [name for name in PARTS if not hasattr(made, name)]
    if missing:
        raise UsageError(
            f"engine '{engine}' does not satisfy kg.Engine: it lacks {', '.join(missing)}"
        )
    return made
