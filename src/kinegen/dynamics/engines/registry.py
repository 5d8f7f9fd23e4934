"""Which engine a name stands for; engines are plug-ins, the built-in ones too."""

from __future__ import annotations

import math
from collections.abc import Callable
from inspect import signature
from typing import TYPE_CHECKING, Any

from kinegen.dynamics.engines.engine import Engine, EngineMaker, EngineTraits
from kinegen.errors import UsageError
from kinegen.plug_ins import PlugIns

if TYPE_CHECKING:
    from kinegen.dynamics.simulation.system import System

__all__ = [
    "BUILT_IN",
    "ENGINES",
    "GROUP",
    "engine_maker",
    "engine_names",
    "engine_traits",
    "engines_with",
    "make_engine",
]

GROUP = "kinegen.engines"
"""Entry-point group: every entry names an :class:`~kinegen.dynamics.engines.engine.EngineMaker`."""
PARTS = ("name", "model", "step", "time", "q", "v", "reset", "advance", "reactions")
"""What every engine has, as :class:`~kinegen.dynamics.engines.engine.Engine` explains."""

BUILT_IN = {
    "reduced": "kinegen.dynamics.engines.reduced.engine:ReducedEngine",
    "impulse": "kinegen.dynamics.engines.impulse.engine:ImpulseEngine",
    "mujoco": "kinegen.dynamics.engines.mujoco.engine:MujocoEngine",
}
"""Kinegen's own entries, as in pyproject.toml: for a source tree that is not installed."""

ENGINES = PlugIns[EngineMaker]("engine", GROUP, BUILT_IN, callable, "callable")


def engine_names() -> tuple[str, ...]:
    """Names of all registered engines; this loads none of them."""
    return ENGINES.names()


def engine_traits() -> tuple[EngineTraits, ...]:
    """What each engine is called and can do; those that cannot be loaded are skipped."""
    return tuple(EngineTraits.of(name, maker) for name, maker in ENGINES.all().items())


def engines_with(able: Callable[[EngineMaker], bool]) -> str:
    """The engines whose class can do something, in words: "'reduced' or 'mujoco'"."""
    names = [f"'{name}'" for name, maker in ENGINES.all().items() if able(maker)]
    return " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "another one"


def engine_maker(name: str) -> EngineMaker:
    """An engine by its name; NameNotFoundError when there is none or it cannot be loaded."""
    return ENGINES.named(name)


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
        raise UsageError(f"the step is {step!r}: use a positive number of seconds, such as 0.001")
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
            f"engine '{engine}' does not satisfy kg.dynamics.Engine: it lacks {', '.join(missing)}"
        )
    return made
