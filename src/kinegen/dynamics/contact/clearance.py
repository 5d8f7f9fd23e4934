"""Clearance: how far a mechanism is from the objects of its scene, wherever those are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinegen.dynamics.contact.contacts import Collisions
from kinegen.dynamics.simulation.system import System
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.results import Result

__all__ = ["NOTHING", "Clearance", "ObjectClearance"]

MARGIN = 0.25
"""Sizes of the mechanism within which objects are near."""


@dataclass(frozen=True, slots=True)
class Clearance(Result):
    """The object that is nearest to a mechanism."""

    distance: float
    """[m]; negative: depth; inf: nothing is near."""
    link: str = ""
    """The link that is nearest to it; '' for none."""
    object: str = ""
    """Its name; '' for none."""


NOTHING = Clearance(math.inf)
"""Where nothing is near."""


class ObjectClearance:
    """Measures how near a mechanism is to objects that move."""

    def __init__(self, model: AnyModel) -> None:
        """Prepare to measure.

        Args:
            model: A model or a mechanism, with its scene.
        """
        self.model = model = model_of(model)
        scene = model.compiled_from.scene
        self.names = [str(row["name"]) for row in scene.get("objects", ())]
        """Of the objects, in the file's order."""
        if not self.names:
            return
        system = System.of(model, objects=True, contacts=True)
        self._collisions = Collisions(system)
        self._q = system.model.start()
        self._parts = [(joint.q, system.model.joint(joint.name).q) for joint in model.joints]
        self._objects = {name: system.model.joint(name).q for name in system.object_names}
        self._links = {
            i: name
            for i, name in enumerate(system.model.link_names)
            if name in model.link_names[1:]
        }

    def at(self, q: Configuration = None, places: Mapping[str, Floats] | None = None) -> Clearance:
        """The nearest object at a configuration.

        Args:
            q: Of the mechanism.
            places: Poses of free objects, wxyz xyz each, by name; others are where they were last.
        """
        if not self.names:
            return NOTHING
        now = configuration(self.model, q)
        for own, part in self._parts:
            self._q[part] = now[own]
        for name, place in (places or {}).items():
            if name in self._objects:
                self._q[self._objects[name]] = place
        found = self._collisions.find(self._q, margin=MARGIN * self.model.size)
        names = self._collisions.geom_names
        for i in np.argsort(found.distances).tolist():
            one, other = found.geoms[i].tolist()
            for link, thing in ((found.link_a[i], names[other]), (found.link_b[i], names[one])):
                if link in self._links and thing in self.names:
                    return Clearance(float(found.distances[i]), self._links[link], thing)
        return NOTHING
