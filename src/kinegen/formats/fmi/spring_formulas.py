"""Springs between points as a unit reads them: their ends, and formulas as code for its kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kinegen.kernels.layout import OPERATIONS
from kinegen.mechanism.model import Model
from kinegen.raff.formulas.formula import Formula

__all__ = ["SPRING_KEYS", "SpringFormulas", "spring_formulas"]

SPRING_KEYS = ("stiffness", "damping", "rest")
"""Numbers of a spring in the order of the kernels."""
_CODE = {operation: number for number, operation in enumerate(OPERATIONS)}


@dataclass(slots=True)
class SpringFormulas:
    """What follows the parameters."""

    frames: list[int] = field(default_factory=list)
    """Two of each spring: the frame that an end is on, -1: the link itself."""
    points: list[float] = field(default_factory=list)
    """Six of each spring: both ends in those frames [m]."""
    targets: list[int] = field(default_factory=list)
    """What each formula gives: a place in the points, or behind them in the springs' numbers."""
    starts: list[int] = field(default_factory=lambda: [0])
    code: list[int] = field(default_factory=list)
    """(operation, argument) pairs, as in compiled models."""
    constants: list[float] = field(default_factory=list)

    def add(self, model: Model, target: int, formula: Formula) -> None:
        """A number, with its code where it has names."""
        if not formula.names:
            return
        for operation, argument in formula.postfix():
            where = 0
            if operation == "const":
                where = len(self.constants)
                self.constants.append(float(argument))
            elif operation == "name":
                where = model.parameters.slots[str(argument)].index
            self.code += _CODE[operation], where
        self.targets.append(target)
        self.starts.append(len(self.code) // 2)


def spring_formulas(model: Model) -> SpringFormulas:
    """Of all springs of a model's file."""
    rows: list[Mapping[str, Any]] = model.compiled_from.scene.get("springs", [])
    values, found = dict(model.parameters), SpringFormulas()
    frames = {frame.name: i for i, frame in enumerate(model.frames)}
    for i, row in enumerate(rows):
        for k, side in enumerate(("from", "to")):
            end = row[side]
            found.frames.append(frames[end["frame"]] if "frame" in end else -1)
            xyz = end.get("xyz") or [Formula.constant(0.0)] * 3
            for n, number in enumerate(xyz):
                found.points.append(float(number.evaluate(values)))
                found.add(model, 6 * i + 3 * k + n, number)
        for n, key in enumerate(SPRING_KEYS):
            if key in row:
                found.add(model, 6 * len(rows) + n * len(rows) + i, row[key])
    return found
