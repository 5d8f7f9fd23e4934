"""The bodies of a system that touch, with their surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.collisions.bodies import ContactShapes

if TYPE_CHECKING:
    from kinegen.dynamics.simulation.system import System

__all__ = ["contact_bodies"]


def contact_bodies(system: System) -> ContactShapes:
    """Everything of a system that can be touched."""
    found = ContactShapes()
    found.add_links(system.model, partial(_surface, system))
    for row in system.fixed_objects:
        surface = _object_surface(system, row)
        found.add_object(system.model, row["name"], row["shape"], row["pose"], surface)
    if system.contacts.floor is not None:
        found.add_floor(system.contacts.floor, system.contacts.up, _surface(system, 0))
    return found


def _surface(system: System, link: int) -> Floats:
    c = system.contacts
    return np.array(
        [c.friction[link], c.restitution[link], c.torsion[link], c.rolling[link], c.given[link]]
    )


def _object_surface(system: System, row: Any) -> Floats:
    """A fixed object's: as the file says, otherwise the base's."""
    values = dict(system.model.parameters)
    given = {key: formula.evaluate(values) for key, formula in row.get("surface", {}).items()}
    base = _surface(system, 0)
    keys: Sequence[str] = ("friction", "restitution", "torsional_friction", "rolling_friction")
    numbers = [given.get(key, base[k]) for k, key in enumerate(keys)]
    return np.array([*numbers, float(bool(given) or bool(base[4]))])
