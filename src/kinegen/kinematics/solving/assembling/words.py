"""What assembling changed of a mechanism, in words."""

from __future__ import annotations

import math
from collections.abc import Iterable

from kinegen.kernels import Floats
from kinegen.kinematics.solving.assembling.assembly import Assembly, JointMove
from kinegen.mechanism.model import Model

__all__ = ["moves_text", "start_note", "value_text", "values_text"]

SLIGHT = 1e-5
"""Moves below this [rad, sizes] are digits that the file leaves out."""


def moves_text(model: Model, moves: Iterable[JointMove]) -> str:
    """Joints that moved, each with how far."""
    texts = []
    for move in moves:
        kinds = [quantity for _, quantity in model.joint(move.joint).type.info.variables]
        ways = [_way(by, kind) for by, kind in zip(move.by, kinds, strict=True)]
        texts.append(f"{move.joint} by {', '.join(ways)}")
    return "; ".join(texts)


def start_note(model: Model, assembly: Assembly) -> str:
    """Which stated starts the closed start does not keep; empty where it keeps them all.

    Args:
        model: The compiled mechanism.
        assembly: Its start, assembled.
    """
    stated = {
        joint.name
        for joint in model.joints
        # where the file names a mode, passive joints are meant to go there
        if joint.has_motor or (joint.has_start and model.mode is None)
    }
    moved = [
        move
        for move in assembly.moved
        if move.joint in stated
        and any(abs(by) > SLIGHT * _unit(model, move, k) for k, by in enumerate(move.by))
    ]
    if not moved:
        return ""
    return f"the start values leave loops open; assembling moves {moves_text(model, moved)}"


def values_text(model: Model, names: Iterable[str], q: Floats) -> str:
    """Joints with their values in q: 'A = 90°, slide = 0.2 m'."""
    texts = []
    for joint in map(model.joint, names):
        kinds = [kind for _, kind in joint.type.info.variables]
        numbers = q[joint.q].tolist()
        if len(numbers) != len(kinds):
            kinds = ["number"] * len(numbers)
        values = " ".join(value_text(x, kind) for x, kind in zip(numbers, kinds, strict=True))
        texts.append(f"{joint.name} = {values}")
    return ", ".join(texts)


def value_text(value: float, kind: str) -> str:
    """A joint's value with its unit."""
    if not math.isfinite(value):
        return "-∞" if value < 0 else "∞"
    if kind == "angle":
        return f"{math.degrees(value):.5g}°"
    return f"{value:.5g} m" if kind == "length" else f"{value:.5g}"


def _unit(model: Model, move: JointMove, variable: int) -> float:
    kind = model.joint(move.joint).type.info.variables[variable][1]
    return model.size if kind == "length" else 1.0


def _way(by: float, kind: str) -> str:
    value, unit = (math.degrees(by), "°") if kind == "angle" else (by * 1000, " mm")
    text = f"{value:.2f}"
    return (text if text.strip("-0.") else f"{value:.3g}") + unit
