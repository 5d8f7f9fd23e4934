"""Masses that simulators accept: none is zero, moments of inertia obey the triangle inequality."""

from __future__ import annotations

import numpy as np

from kinegen.formats.robots.transform import Transform, apply, rotate_inertia
from kinegen.formats.robots.write.outline import Outline, OutLink
from kinegen.formats.robots.write.xml_text import Element, add

__all__ = ["accepted_inertia", "add_mass", "least_mass"]

LEAST = 1e-9
"""Mass of a link without one, in mean masses; inertia of a point mass, in squares of the size."""
_SMALLEST = 1e-12
"""[kg m²]: MuJoCo refuses moments of 1e-14."""
_EQUAL = 1e-9
"""Violations of the triangle inequality below this share of the greatest moment are rounding."""


def least_mass(outline: Outline) -> float:
    """What links without mass get [kg]."""
    masses = [link.mass for link in outline.links.values() if link.mass > 0]
    return LEAST * (sum(masses) / len(masses) if masses else 1.0)


def add_mass(
    body: Element, link: OutLink, X_BL: Transform, share: int, least: float, outline: Outline
) -> None:
    """A body's share of a link's mass and inertia.

    Args:
        body: The body.
        link: The link that it is, or is a part of.
        X_BL: The link's frame in the body's.
        share: How many bodies the link's mass is shared out to.
        least: Mass of a link without one [kg].
        outline: Gets a note about what had to be changed.
    """
    mass = link.mass / share
    inertia = [one / share for one in rotate_inertia(X_BL, link.inertia)]
    if mass <= 0:
        mass = least
        outline.notes.append(f"link '{link.name}' has no mass, and MuJoCo needs one: {mass:.3g} kg")
    add(
        body,
        "inertial",
        pos=apply(X_BL, link.centre),
        mass=mass,
        fullinertia=accepted_inertia(inertia, max(LEAST * mass, least), link.name, outline),
    )


def accepted_inertia(
    inertia: list[float], least: float, name: str, outline: Outline
) -> list[float]:
    """Moments changed as little as simulators need: to those of a small ball at least."""
    floor = max(least * outline.size**2, _SMALLEST)
    xx, yy, zz, xy, xz, yz = inertia
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    moments, axes = np.linalg.eigh(tensor)
    raised = np.maximum(moments, floor)
    lack = float(raised[2] - raised[0] - raised[1])
    if lack > 0:
        # the nearest moments that obey it
        raised = raised + lack * (1 / 3 + _EQUAL) * np.array([1.0, 1.0, -1.0])
    if np.array_equal(raised, moments):
        return inertia
    if np.abs(raised - moments).max() > max(_EQUAL * raised[2], 2 * floor):
        outline.notes.append(
            f"the moments of inertia of link '{name}' violate the triangle inequality: changed "
            f"from {_listed(moments)} to {_listed(raised)} kg m²"
        )
    tensor = axes @ np.diag(raised) @ axes.T
    return [*np.diag(tensor).tolist(), tensor[0, 1], tensor[0, 2], tensor[1, 2]]


def _listed(moments: np.ndarray) -> str:
    return ", ".join(f"{one:.3g}" for one in moments)
