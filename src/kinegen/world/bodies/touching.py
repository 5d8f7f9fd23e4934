"""Touching: where bodies of an island press on each other, and how hard, in the last step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegen.dynamics.engines.registry import engines_with
from kinegen.dynamics.simulation.simulation import Simulation
from kinegen.errors import UsageError
from kinegen.kernels import Floats, Ints

__all__ = ["Touching", "check_touching", "has_touching", "touching"]


@dataclass(frozen=True, slots=True, eq=False)
class Touching:
    """The n places where bodies press on each other."""

    link_a: Ints
    link_b: Ints
    """Links, (n,); 0 for the floor and fixed objects."""
    points: Floats
    """World axes, (n, 3) [m]."""
    normals: Floats
    """From a to b, (n, 3)."""
    forces: Floats
    """Mean over the last step, on link b, world axes, (n, 3) [N]."""


_NONE = Touching(
    np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros((0, 3)), np.zeros((0, 3)),
    np.zeros((0, 3)),
)  # fmt: skip


def check_touching(simulation: Simulation, sensor: str) -> None:
    """Refuse a sensor of touch where the engine does not report forces of contacts."""
    if not simulation.system.contacts.enabled:
        raise UsageError(
            f"sensor '{sensor}' detects contacts, but nothing can touch in this world: add a floor "
            "or objects to the world"
        )
    if not has_touching(simulation):
        raise UsageError(
            f"sensor '{sensor}': the engine '{simulation.engine.name}' does not report the forces "
            f"of contacts; use {engines_with(_reports_contacts)}"
        )


def has_touching(simulation: Simulation) -> bool:
    """Whether the engine reports forces of contacts, and there can be any."""
    return simulation.system.contacts.enabled and _reports_contacts(simulation.engine)


def _reports_contacts(engine: object) -> bool:
    """Whether an engine, or its class, knows the forces of contacts."""
    return hasattr(engine, "contact_forces") or hasattr(engine, "impulses")


def touching(simulation: Simulation) -> Touching:
    """Where bodies pressed on each other in the last step."""
    engine: Any = simulation.engine
    if hasattr(engine, "contact_forces"):
        return Touching(*engine.contact_forces())
    found = engine.contacts
    if found is None or not len(found):
        return _NONE
    forces = np.asarray(engine.impulses)[:, :3] / engine.step
    pressed = np.einsum("ni,ni->n", forces, forces) > 0
    return Touching(
        found.link_a[pressed], found.link_b[pressed], found.points[pressed],
        found.normals[pressed], forces[pressed],
    )  # fmt: skip
