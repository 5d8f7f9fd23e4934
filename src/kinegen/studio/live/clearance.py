"""Live clearance: how far a mechanism is from the things around it while it moves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from kinegen.dynamics.contact.contacts import Collisions
from kinegen.dynamics.simulation.system import System
from kinegen.errors import KinegenError
from kinegen.kernels import Floats
from kinegen.kinematics.solving.assembling.assembly import close
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.motion.plan import Plan
from kinegen.studio.wire.messages import PlanCheck

__all__ = ["Clearance", "LiveClearance"]

MARGIN = 0.25
"""Sizes of the mechanism within which things are near."""
SAMPLES = 240
"""Moments of a plan that are looked at."""


class Clearance(NamedTuple):
    """The nearest of the things around."""

    distance: float
    """[m]; negative: depth; inf: nothing is near."""
    link: int = -1
    """Of the page's model; -1: none."""
    thing: int = -1
    """Of the scene's objects; -1: none."""


NOTHING = Clearance(math.inf)


class LiveClearance:
    """Looks where a mechanism is nearest to the objects of its scene, wherever those are."""

    def __init__(self, mechanism: Mechanism, page: Model) -> None:
        self.page = page
        self.names = [str(row["name"]) for row in mechanism.scene.get("objects", ())]
        """Of the objects, in the file's order."""
        self.collisions: Collisions | None = None
        self.refused = ""
        """Why nobody looks, if so."""
        if not self.names:
            return
        try:
            system = System.of(mechanism, objects=True, contacts=True)
            self.collisions = Collisions(system)
        except KinegenError as error:
            self.refused = f"collisions with objects are not shown: {error}"
            return
        model = system.model
        links = {name: i for i, name in enumerate(page.link_names)}
        self._q = model.start()
        self._parts = [(joint.q, model.joint(joint.name).q) for joint in page.joints]
        self._objects = {name: model.joint(name).q for name in system.object_names}
        self._link = np.array([links.get(name, -1) for name in model.link_names])
        things = {name: i for i, name in enumerate(self.names)}
        self._thing = np.array([things.get(name, -1) for name in self.collisions.geom_names], int)

    def at(self, q: Floats, places: Mapping[str, Floats] | None = None) -> Clearance:
        """The least distance at a configuration of the page's model; objects where they are now."""
        collisions = self.collisions
        if collisions is None:
            return NOTHING
        for own, part in self._parts:
            self._q[part] = q[own]
        for name, place in (places or {}).items():
            if name in self._objects:
                self._q[self._objects[name]] = place
        found = collisions.find(self._q, margin=MARGIN * self.page.size)
        for i in np.argsort(found.distances).tolist():
            for link, geom in (
                (found.link_a[i], found.geoms[i, 1]),
                (found.link_b[i], found.geoms[i, 0]),
            ):
                moving, thing = int(self._link[link]), int(self._thing[geom])
                if moving > 0 and thing >= 0:
                    return Clearance(float(found.distances[i]), moving, thing)
        return NOTHING

    def of_plan(self, plan: Plan) -> PlanCheck | None:
        """What a plan would hit: how deep, with what, and when it begins; None: nobody looks."""
        if self.collisions is None:
            return None
        times = np.linspace(plan.times[0], plan.times[-1], SAMPLES)
        rows = []
        for time in times.tolist():
            q = plan.at(time)[0]
            rows.append(self.at(close(self.page, q)[0] if self.page.constraint_count else q))
        nearest = min(rows)
        hits = [float(t) for t, row in zip(times, rows, strict=True) if row.distance < 0]
        return PlanCheck(
            distance=nearest.distance if math.isfinite(nearest.distance) else None,
            link=self.page.link_names[nearest.link] if nearest.link >= 0 else "",
            object=self.names[nearest.thing] if nearest.thing >= 0 else "",
            start=hits[0] if hits else None,
            end=hits[-1] if hits else None,
        )
