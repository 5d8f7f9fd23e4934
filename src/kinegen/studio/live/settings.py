"""Settings of a live simulation, as a page sends them: checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from kinegen.dynamics.motors.motor import Mode
from kinegen.errors import UsageError
from kinegen.motion.steering import RESUMES, Resume

__all__ = ["LiveSettings"]

_STEPS = (1e-6, 0.1)
"""[s] Shortest and longest step."""
_SPEEDS = (1e-3, 10.0)


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """What a simulation runs with."""

    engine: str = "reduced"
    step: float = 1e-3
    """[s]"""
    gravity: tuple[float, float, float] | None = None
    """Instead of the file's [m/s²]."""
    floor: float | None = None
    """Height of a floor [m]; None: no floor."""
    objects: bool = False
    """Whether the scene's free objects take part."""
    hold: bool = False
    """Whether motors hold their targets."""
    modes: Mapping[str, str] = field(default_factory=dict)
    """Modes of motors by joint name, where not as in the file."""
    speed: float = 1.0
    """Simulated seconds per second."""
    firmness: float = 1.0
    """Stiffness of hands, as a multiple of what suits the mass that they feel."""
    damping: float = 1.0
    """Damping of hands, as a share of what keeps them from swinging."""
    reactions: bool = False
    """Whether forces in the joints are told."""
    motion: str | None = None
    """Name of the stored motion that is followed, if any."""
    resume: Resume = "rejoin"
    """What comes after a hand has led it: keep, rejoin or stop."""

    def changed(self, given: Mapping[str, Any]) -> LiveSettings:
        """With some of them changed; UsageError says what is wrong."""
        known = {one.name for one in fields(self)}
        for key in given:
            if key not in known:
                raise UsageError(
                    f"a simulation has no setting '{str(key)[:40]}'; settings: {', '.join(known)}"
                )
        return replace(self, **{key: _CHECKS[key](key, value) for key, value in given.items()})

    def to_dict(self) -> dict[str, Any]:
        """As the page gets them."""
        return asdict(self)

    def same_engine(self, other: LiveSettings) -> bool:
        """Whether what runs can continue with the other settings."""
        live = {"speed", "firmness", "damping", "reactions", "resume"}
        return all(
            getattr(self, one.name) == getattr(other, one.name)
            for one in fields(self)
            if one.name not in live
        )


def _number(key: str, value: Any, low: float, high: float) -> float:
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not good or not math.isfinite(value) or not low <= value <= high:
        raise UsageError(f"'{key}' of a simulation must be a number from {low:g} to {high:g}")
    return float(value)


def _switch(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"'{key}' of a simulation must be true or false")
    return value


def _word(key: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > 200:
        raise UsageError(f"'{key}' of a simulation must be a name")
    return value


def _gravity(key: str, value: Any) -> tuple[float, float, float] | None:
    if value is None:
        return None
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        raise UsageError("gravity must be three numbers [m/s²], or none for that of the file")
    x, y, z = (_number(key, one, -1e4, 1e4) for one in value)
    return x, y, z


def _resume(key: str, value: Any) -> Resume:
    for known in RESUMES:
        if value == known:
            return known
    raise UsageError(f"after a touch a motion must be one of: {', '.join(RESUMES)}")


def _modes(key: str, value: Any) -> dict[str, str]:
    known = [one.value for one in Mode]
    if not isinstance(value, Mapping) or not all(one in known for one in value.values()):
        raise UsageError(f"the mode of a motor must be one of: {', '.join(known)}")
    return {str(name): str(mode) for name, mode in value.items()}


_CHECKS: dict[str, Any] = {
    "engine": _word,
    "step": lambda key, value: _number(key, value, *_STEPS),
    "gravity": _gravity,
    "floor": lambda key, value: None if value is None else _number(key, value, -1e6, 1e6),
    "objects": _switch,
    "hold": _switch,
    "modes": _modes,
    "speed": lambda key, value: _number(key, value, *_SPEEDS),
    "firmness": lambda key, value: _number(key, value, 1e-3, 1e3),
    "damping": lambda key, value: _number(key, value, 0.0, 100.0),
    "reactions": _switch,
    "motion": lambda key, value: None if value is None else _word(key, value),
    "resume": _resume,
}
