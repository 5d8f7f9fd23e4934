"""Touching: hands put on a simulation that is running."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.contact.contacts import Collisions
from kinegen.dynamics.touch.grip import Grip
from kinegen.dynamics.touch.touch import Hand, Pull, Push, unit_of
from kinegen.errors import UsageError

if TYPE_CHECKING:
    from kinegen.dynamics.simulation.simulation import Simulation

__all__ = ["pull_at", "push_on"]


def push_on(
    simulation: Simulation,
    frame: str | None,
    point: npt.ArrayLike,
    tip: Hand | None,
    *,
    normal: npt.ArrayLike | None,
    depth: float,
    **options: Any,
) -> Push:
    """A push; arguments as for :meth:`Simulation.push`."""
    model, q = simulation.model, simulation.engine.q
    surfaces = None
    if normal is None:
        system = copy.copy(simulation.system)
        system.contacts = replace(system.contacts, enabled=True)  # to be felt, not to collide
        surfaces = Collisions(system)
    grip = Grip(model, frame or model.link_names[0], point)
    if tip is None:
        if normal is None:
            raise UsageError(
                "a push without a normal needs the position of its tip: specify tip=[x, y, z]"
            )
        tip = grip.state(q, np.zeros(model.nv)).place - depth * unit_of(normal)
    push = Push(grip, q, tip, period=simulation.period, normal=normal, surfaces=surfaces, **options)
    simulation.sources.append(push)
    return push


def pull_at(
    simulation: Simulation, frame: str, point: npt.ArrayLike, target: Hand | None, **options: Any
) -> Pull:
    """A pull; arguments as for :meth:`Simulation.pull`."""
    model, q = simulation.model, simulation.engine.q
    grip = Grip(model, frame, point)
    hand = grip.state(q, np.zeros(model.nv)).place if target is None else target
    pull = Pull(grip, q, hand, period=simulation.period, **options)
    simulation.sources.append(pull)
    return pull
