"""Rays: how far it is from a point to the bodies of a world, in given directions."""

from __future__ import annotations

import numpy as np

from kinegen.dynamics.contact.contacts import Collisions
from kinegen.dynamics.simulation.system import System
from kinegen.kernels import Floats
from kinegen.world.bodies.island import Island

__all__ = ["Rays"]


class Rays:
    """Casts rays at the bodies of all islands; shapes are those that touch."""

    def __init__(self, islands: list[Island]) -> None:
        self._bodies = [(island, _bodies(island)) for island in islands]

    def cast(
        self, island: Island, link: int, origin: Floats, directions: Floats, farthest: float
    ) -> Floats:
        """Distances [m] along unit directions (n, 3) in world axes; inf where nothing is hit.

        Args:
            island: Whose link is not hit.
            link: The link that the sensor is on.
            origin: Of all rays, world axes [m].
            directions: Unit vectors, (n, 3).
            farthest: Distance from which on nothing is looked for [m].
        """
        found = np.full(len(directions), np.inf)
        for other, bodies in self._bodies:
            own = (other.model.link_names[link],) if other is island and link else ()
            hits = bodies.cast_rays(other.state.q, origin, directions, most=farthest, skip=own)
            found = np.minimum(found, hits.distances)
        return found


def _bodies(island: Island) -> Collisions:
    there = getattr(island.simulation.engine, "collisions", None)
    if isinstance(there, Collisions):
        return there
    system = island.simulation.system
    return Collisions(System.of(system.model, contacts=True))
