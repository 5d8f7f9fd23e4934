"""Rays: how far it is from a point to the bodies of a world, in given directions."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinegen.dynamics.engines.mujoco.mjcf import import_mujoco, mujoco_model
from kinegen.dynamics.simulation.system import System
from kinegen.kernels import Floats, Ints
from kinegen.world.island import Island

__all__ = ["Rays"]


class Rays:
    """Casts rays at the bodies of all islands; shapes are those that touch."""

    def __init__(self, islands: list[Island]) -> None:
        self._casters = [_Caster(island) for island in islands]

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
        for caster in self._casters:
            without = link if caster.island is island else -1
            found = np.minimum(found, caster.cast(without, origin, directions, farthest))
        return found


class _Caster:
    """Casts rays at the bodies of one island by MuJoCo."""

    def __init__(self, island: Island) -> None:
        self.island = island
        self._mj: Any = import_mujoco("a sensor that measures distances")
        system = island.simulation.system
        if not system.contacts.enabled:
            system = System.of(system.model, contacts=True)
        self._twin = mujoco_model(system, island.simulation.engine.step, "euler", False)
        self._data = self._mj.MjData(self._twin.model)
        self._placed: Floats | None = None

    def cast(self, link: int, origin: Floats, directions: Floats, farthest: float) -> Floats:
        model, data, count = self._twin.model, self._data, len(directions)
        q = self.island.state.q
        if self._placed is None or not np.array_equal(self._placed, q):
            self._twin.place(self._mj, data, q)
            self._placed = q.copy()
        body = int(self._twin.bodies[link]) if link > 0 else -1
        hit: Ints = np.zeros(count, np.int32)
        distances = np.full(count, -1.0)
        self._mj.mj_multiRay(
            model, data, np.ascontiguousarray(origin), np.ascontiguousarray(directions).ravel(),
            None, True, body, hit, distances, None, count, float(farthest),
        )  # fmt: skip
        return np.where(hit < 0, np.inf, distances)
