"""Quantities of signals: what the unit of a signal measures, for numbers with units."""

from __future__ import annotations

__all__ = ["quantity_of_unit"]

_QUANTITIES = {
    "m": "length", "rad": "angle", "m/s": "speed", "rad/s": "angular speed", "N": "force",
    "N m": "torque", "m/s²": "acceleration",
}  # fmt: skip


def quantity_of_unit(unit: str) -> str:
    """What a unit of a signal measures; empty where it can be anything."""
    return _QUANTITIES.get(unit, "")
