"""Bounces in MuJoCo: impulses between steps, by the contact solver of the engine reduced.

MuJoCo's contacts are springs: what they give back depends on the step, and bodies that should
bounce to a quarter of their height bounce to a third. So bodies that bounce are met just before
they would touch there, in the moment of the meeting; all else is left to MuJoCo.
"""

from __future__ import annotations

import numpy as np

from kinegen.dynamics.contact.contacts import MARGIN, Collisions
from kinegen.dynamics.tree.loops import bind_reduced
from kinegen.kernels import Floats, Integrator
from kinegen.kernels.tolerances import QUIET

__all__ = ["Bounces"]

_NO_CONTACTS = np.zeros((0, 2), np.int32), np.zeros((0, 13)), np.zeros((0, 2))


class Bounces:
    """Looks before every step whether bodies bounce, and lets them."""

    def __init__(self, collisions: Collisions, step: float) -> None:
        system = collisions.system
        self.collisions, self.step = collisions, step
        self._kernel = bind_reduced(system.model, system.springs)
        self._kernel.set(int(Integrator.RK4), step, 1e-9, True, False, 0.0, np.inf)
        self._kernel.meet_later(True)
        gravity = float(np.linalg.norm(system.model.gravity))
        self._quiet = max(QUIET, 2 * gravity * step)
        self._before: Floats | None = None

    @classmethod
    def where_needed(cls, collisions: Collisions | None, step: float) -> Bounces | None:
        """None where nothing bounces."""
        if collisions is None or not len(collisions.bodies):
            return None
        bounces = np.array(collisions.bodies.surfaces)[:, 1].max() > 0
        return cls(collisions, step) if bounces else None

    def forget(self) -> None:
        """Another motion begins."""
        self._before = None

    def meet(self, q: Floats, v: Floats, time: float) -> tuple[Floats, Floats] | None:
        """The state after a bounce, None where nothing bounces now."""
        before, self._before = self._before, v
        collisions, h = self.collisions, self.step
        fast = collisions.fastest(q, v)
        if fast < self._quiet:
            return None
        found = collisions.find(q, margin=max(MARGIN, 2 * h * fast))
        if not (found.restitution > 0).any():
            return None
        speeds = collisions.speeds(q, v, found)
        falls = (found.restitution > 0) & (speeds < -self._quiet)
        if not (falls & (found.distances + h / 2 * speeds < 0)).any():
            return None
        surfaces = np.stack(
            [found.friction, found.restitution, found.torsion, found.rolling], axis=1
        )
        self._kernel.resume(q, v, np.zeros(len(v)), time, 0.0, 0.0, _NO_CONTACTS)
        self._kernel.meet(
            found.link_a, found.link_b, found.points, found.normals, found.distances,
            np.ascontiguousarray(surfaces), v if before is None else before,
        )  # fmt: skip
        self._before = None
        return self._kernel.q, self._kernel.v
