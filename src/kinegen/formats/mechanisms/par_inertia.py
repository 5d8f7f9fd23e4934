"""Masses, inertias, friction and gravity of a SYMORO file, where their numbers are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kinegen.errors import NumberError
from kinegen.formats.mechanisms.par_text import ParText, formula_of
from kinegen.formats.problems import Notes
from kinegen.mechanism.graph import LinkProperties, Mechanism
from kinegen.raff.formulas.formula import Formula, format_number

__all__ = ["add_dynamics"]

_TENSOR = ("xx", "yy", "zz", "xy", "xz", "yz")
_DIGITS = 10
"""Significant digits of converted numbers: more than any identification gives."""


def add_dynamics(
    mechanism: Mechanism,
    par: ParText,
    links: Sequence[str],
    values: Mapping[str, Formula],
    notes: Notes,
) -> None:
    """Add to each link what the file knows about it.

    Args:
        mechanism: Its joints are changed.
        par: The file.
        links: Name of the link that each entry of the dynamic lists is about.
        values: Numbers for symbols.
        notes: Collects problems.
    """
    numbers = {name: formula.evaluate({}) for name, formula in values.items()}
    gravity = [_value(par, "g", index, numbers, notes) for index in range(3)]
    if None not in gravity and any(gravity):
        x, y, z = (_constant(g or 0.0) for g in gravity)
        mechanism.gravity = (x, y, z)
    for index, name in enumerate(links):
        known = {
            key: _value(par, key, index, numbers, notes)
            for key in ("m", "mx", "my", "mz", "ia", "fv", "fs", *_TENSOR)
        }
        joint = mechanism.joints[name]
        _add_mass(joint.link, known)
        friction = {"viscous": known["fv"], "coulomb": known["fs"]}
        given = {key: _constant(number) for key, number in friction.items() if number}
        if given:
            joint.friction = given
        if known["ia"] and joint.has_motor:
            joint.motors = tuple({"inertia": _constant(known["ia"])} for _ in joint.motors)
        elif known["ia"] and joint.type.info.nv == 1:
            joint.armature = _constant(known["ia"])


def _add_mass(link: LinkProperties, known: Mapping[str, float | None]) -> None:
    mass = known["m"]
    if not mass or mass < 0:
        return
    link.mass = _constant(mass)
    moments = [known[key] for key in ("mx", "my", "mz")]
    if None in moments:
        return
    centre = np.array([moment or 0.0 for moment in moments]) / mass
    if centre.any():
        link.centre = (_constant(centre[0]), _constant(centre[1]), _constant(centre[2]))
    tensor = [known[key] for key in _TENSOR]
    if None in tensor or not any(tensor):
        return
    xx, yy, zz, xy, xz, yz = (number or 0.0 for number in tensor)
    about_origin = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    # Steiner: from the link's origin to its centre of mass.
    shift = mass * ((centre @ centre) * np.eye(3) - np.outer(centre, centre))
    J = about_origin - shift
    entries = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
    largest = max(abs(entry) for entry in entries)
    a, b, c, d, e, f = (_constant(x if abs(x) > 1e-12 * largest else 0.0) for x in entries)
    link.inertia = (a, b, c, d, e, f)


def _value(
    par: ParText, key: str, index: int, numbers: Mapping[str, float], notes: Notes
) -> float | None:
    """A number of a list, None where it is not there or has symbols without a number."""
    items = par.lists.get(key, [])
    if index >= len(items):
        return None
    formula = formula_of(items[index], f"{key.upper()} of entry {index + 1}", notes)
    if not formula.names <= set(numbers):
        return None
    try:
        return formula.evaluate(numbers)
    except NumberError as error:
        notes.add(items[index].offset, str(error))
        return None


def _constant(value: float) -> Formula:
    return Formula.constant(float(format_number(float(f"{value:.{_DIGITS}g}"))))
