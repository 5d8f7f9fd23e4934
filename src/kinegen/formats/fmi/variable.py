"""FmuVariable: one input, output or parameter of a unit, and what it stands for."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

__all__ = ["FmuVariable", "VariableKind", "quoted"]


class VariableKind(enum.IntEnum):
    """What a variable stands for; as VariableKind in native/fmu/unit.hpp."""

    PARAMETER = 0
    NUMBER = 1
    MASS = 2
    INERTIA = 3
    GAIN = 4
    SPRING = 5
    START = 6
    TARGET_POSITION = 7
    TARGET_VELOCITY = 8
    TARGET_EFFORT = 9
    EXTERNAL_EFFORT = 10
    FORCE = 11
    POSITION = 12
    VELOCITY = 13
    EFFORT = 14
    POSE = 15
    TEMPERATURE = 16
    CONTACT = 17
    KINETIC = 18
    POTENTIAL = 19
    GAP = 20
    TIME = 21

    @property
    def causality(self) -> str:
        """Its word in a model description."""
        if self is VariableKind.TIME:
            return "independent"
        if self < VariableKind.TARGET_POSITION:
            return "parameter"
        return "input" if self < VariableKind.POSITION else "output"

    @property
    def variability(self) -> str:
        """Its word in a model description."""
        if self is VariableKind.GAIN:
            return "tunable"
        return "fixed" if self < VariableKind.TARGET_POSITION else "continuous"


@dataclass(frozen=True, slots=True)
class FmuVariable:
    """One variable; its value reference is its place in the list."""

    name: str
    """In FMI's structured form: ``joints.A.position``."""
    kind: VariableKind
    unit: str
    """One of ``units.UNITS``."""
    description: str
    start: float = 0.0
    index: int = 0
    """In the array that its kind is about."""
    detail: int = 0
    minimum: float | None = None
    maximum: float | None = None


def quoted(name: str) -> str:
    """A name of a file as a part of a structured name: in quotes where it is no identifier."""
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        return name
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"
