"""Units of a unit's variables: names as Modelica has them, powers of the base units."""

from __future__ import annotations

from typing import NamedTuple

from kinegen.kernels.layout import INERTIA_SIZE, OPERATIONS
from kinegen.mechanism.graph import PLACEMENT_KEYS, PlacementKind
from kinegen.mechanism.model import Model
from kinegen.raff.rules.numbers import evaluate_parameters
from kinegen.raff.units import NAMED_DIMENSIONS

__all__ = ["UNITS", "Shown", "by_kind", "parameter_units", "placement_unit"]


class Shown(NamedTuple):
    """A unit in which people like to read a quantity."""

    name: str
    factor: float
    """How many of it the unit has."""


UNITS: dict[str, tuple[dict[str, int | float], tuple[Shown, ...]]] = {
    "1": ({}, ()),
    "s": ({"s": 1}, ()),
    "m": ({"m": 1}, (Shown("mm", 1000.0),)),
    "m2": ({"m": 2}, ()),
    "m3": ({"m": 3}, ()),
    "rad": ({"rad": 1}, (Shown("deg", 57.29577951308232),)),
    "m/s": ({"m": 1, "s": -1}, ()),
    "rad/s": ({"rad": 1, "s": -1}, (Shown("deg/s", 57.29577951308232),)),
    "m/s2": ({"m": 1, "s": -2}, ()),
    "rad/s2": ({"rad": 1, "s": -2}, ()),
    "kg": ({"kg": 1}, ()),
    "kg.m2": ({"kg": 1, "m": 2}, ()),
    "kg/m3": ({"kg": 1, "m": -3}, ()),
    "N": ({"kg": 1, "m": 1, "s": -2}, ()),
    "N.m": ({"kg": 1, "m": 2, "s": -2}, ()),
    "N/m": ({"kg": 1, "s": -2}, ()),
    "N.m/rad": ({"kg": 1, "m": 2, "s": -2, "rad": -1}, ()),
    "N.s/m": ({"kg": 1, "s": -1}, ()),
    "N.m.s/rad": ({"kg": 1, "m": 2, "s": -1, "rad": -1}, ()),
    "J": ({"kg": 1, "m": 2, "s": -2}, ()),
    "Hz": ({"s": -1}, ()),
    "degC": ({"K": 1, "offset": 273.15}, ()),
}
"""Powers of the base units (and the offset of degC), and units to show them in."""

_TURNS_AND_SLIDES = {
    "position": ("rad", "m"), "velocity": ("rad/s", "m/s"), "effort": ("N.m", "N"),
    "stiffness": ("N.m/rad", "N/m"), "damping": ("N.m.s/rad", "N.s/m"),
    "inertia": ("kg.m2", "kg"), "ratio": ("1", "1"),
}  # fmt: skip
_OF_QUANTITY = {
    "number": "1", "length": "m", "angle": "rad", "mass": "kg", "time": "s", "force": "N",
    "torque": "N.m", "speed": "m/s", "angular speed": "rad/s", "acceleration": "m/s2",
    "angular acceleration": "rad/s2", "density": "kg/m3", "inertia": "kg.m2", "stiffness": "N/m",
    "angular stiffness": "N.m/rad", "damping": "N.s/m", "angular damping": "N.m.s/rad",
    "frequency": "Hz", "area": "m2", "volume": "m3",
}  # fmt: skip
_OF_PART = {
    "lower": "position", "upper": "position", "speed": "velocity", "effort": "effort",
    "gear": "ratio", "rotor": "inertia", "viscous": "damping", "coulomb": "effort",
    "breakaway": "effort", "stribeck": "velocity", "stiffness": "stiffness",
    "spring_damping": "damping", "spring_rest": "position",
}  # fmt: skip


def by_kind(quantity: str, kind: str) -> str:
    """The unit of a quantity of a joint's variable, which is an 'angle' or a 'length'."""
    return _TURNS_AND_SLIDES[quantity][kind == "length"]


def placement_unit(key: str) -> str:
    """The unit of a number of a placement."""
    return "rad" if key in ("gamma", "alpha", "theta", "roll", "pitch", "yaw") else "m"


def parameter_units(model: Model) -> dict[str, str]:
    """The units of all parameters: as the file writes them, or of what they stand for.

    A parameter without a unit that stands for different quantities is a plain number.
    """
    given = model.compiled_from.parameters
    measures = evaluate_parameters({name: one.formula for name, one in given.items()}).measures
    uses = _uses(model)
    found = {}
    for name, slot in model.parameters.slots.items():
        measure, used = measures.get(name), uses.get(slot.index, set())
        named = None if measure is None else NAMED_DIMENSIONS.get(measure.dimension)
        if named is not None:
            found[name] = _OF_QUANTITY[named]
        else:
            found[name] = next(iter(used)) if measure is None and len(used) == 1 else "1"
    return found


def _uses(model: Model) -> dict[int, set[str]]:
    """The units of the numbers whose formulas name each parameter, by the parameters' places."""
    uses: dict[int, set[str]] = {}
    starts = model.blocks.int_part("formula_start").tolist()
    code = model.blocks.int_part("code").reshape(-1, 2).tolist()
    units = _number_units(model)
    for formula, target in enumerate(model.blocks.int_part("formula_target").tolist()):
        for operation, argument in code[starts[formula] : starts[formula + 1]]:
            if OPERATIONS[operation] == "name" and target in units:
                uses.setdefault(argument, set()).add(units[target])
    return uses


def _number_units(model: Model) -> dict[int, str]:
    """The units of all numbers by their places in the live block."""
    blocks, found = model.blocks, {}
    first = blocks.offset("placements")
    for row, kind in enumerate(blocks.int_part("placement_kind").tolist()):
        for i, key in enumerate(PLACEMENT_KEYS[PlacementKind(kind)]):
            found[first + 6 * row + i] = placement_unit(key)
    for joint in model.joints:
        for k, (_, kind) in enumerate(joint.type.info.variables):
            for part, quantity in _OF_PART.items():
                found[blocks.offset(part) + joint.v.start + k] = by_kind(quantity, kind)
        for k, (_, kind) in enumerate(joint.type.info.q_variables):
            if kind != "number":
                found[blocks.offset("start") + joint.q.start + k] = by_kind("position", kind)
    for link in range(model.link_count):
        at = blocks.offset("inertia") + INERTIA_SIZE * link
        units = ("kg", *["m"] * 3, *["kg.m2"] * 6)
        found |= {at + i: unit for i, unit in enumerate(units)}
    found |= {blocks.offset("gravity") + i: "m/s2" for i in range(3)}
    return found
