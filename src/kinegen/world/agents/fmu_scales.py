"""Units of measure of an FMU's variables: factors to those of the signals they are connected to."""

from __future__ import annotations

from typing import Any, NamedTuple

from kinegen.errors import UsageError

__all__ = ["Scale", "scale_of"]

_POWERS = {
    "m": {"m": 1}, "rad": {}, "m/s": {"m": 1, "s": -1}, "rad/s": {"s": -1},
    "m/s²": {"m": 1, "s": -2}, "N": {"kg": 1, "m": 1, "s": -2}, "N m": {"kg": 1, "m": 2, "s": -2},
}  # fmt: skip
"""Of signals' units, in base units; many FMUs leave out the radian, so it does not count."""
_BASE = ("kg", "m", "s", "A", "K", "mol", "cd")


class Scale(NamedTuple):
    """The signal's value is factor times the variable's, plus offset."""

    factor: float = 1.0
    offset: float = 0.0


def scale_of(who: str, description: Any, variable: Any, signal: str, unit: str) -> Scale:
    """From a variable to a signal.

    Variables or signals without a unit that is known are taken as they are.

    Args:
        who: The FMU, for messages.
        description: As fmpy has it.
        variable: One of its variables.
        signal: Name of the signal or motor.
        unit: Of the signal.

    Raises:
        UsageError: They measure different things.
    """
    name = variable.unit or getattr(variable.declaredType, "unit", None)
    known = {one.name: one.baseUnit for one in description.unitDefinitions}
    base = known.get(name)
    if base is None or unit not in _POWERS:
        return Scale()
    powers = {key: int(getattr(base, key) or 0) for key in _BASE}
    if powers != dict.fromkeys(_BASE, 0) | _POWERS[unit]:
        raise UsageError(
            f"variable '{variable.name}' of {who} is in '{name}', and '{signal}' in '{unit}': they "
            "measure different things"
        )
    return Scale(float(base.factor or 1.0), float(base.offset or 0.0))
