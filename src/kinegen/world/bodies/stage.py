"""Stage: the bodies, signals and clock of a world, as sensors see them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from kinegen.errors import UsageError, unknown_name
from kinegen.kernels import Floats
from kinegen.kinematics.positions import poses
from kinegen.kinematics.scene import placement_pose
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.spatial.pose import SE3
from kinegen.world.bodies.island import Island
from kinegen.world.bodies.mount import Mount
from kinegen.world.bodies.rays import Rays
from kinegen.world.drawing.lights import Light, lights_of
from kinegen.world.events import Event, Events
from kinegen.world.people.people import People
from kinegen.world.people.route import routes_of
from kinegen.world.signalling.signals import Signals

__all__ = ["Stage"]


class Stage:
    """What there is in a world before anybody looks."""

    def __init__(
        self,
        mechanism: Mechanism,
        islands: list[Island],
        signals: Signals,
        *,
        step: float,
        seed: int,
        cameras: bool = True,
    ) -> None:
        self.mechanism, self.islands, self.signals = mechanism, islands, signals
        self.step, self.seed = step, seed
        self.cameras = cameras
        """Whether cameras take pictures."""
        self.events = Events()
        self.parameters = dict(islands[0].model.parameters)

    def number(self, value: Any, default: float) -> float:
        """A number of a row, which may be a formula [SI]; the default where there is none."""
        if value is None:
            return default
        evaluate = getattr(value, "evaluate", None)
        return float(value if evaluate is None else evaluate(self.parameters))

    def notify(self, source: str, message: str, *, good: bool = False) -> None:
        """Report something that happened now."""
        self.events.add(Event(self.signals.time, source, message, not good))

    @cached_property
    def lights(self) -> tuple[Light, ...]:
        """Those that the file declares."""
        return lights_of(self)

    @cached_property
    def rays(self) -> Rays:
        """Casts rays at all bodies."""
        return Rays(self.islands)

    @cached_property
    def people(self) -> People:
        """Those of the file, and those placed while the world runs."""
        contacts = self.islands[0].simulation.system.contacts
        rows = self.mechanism.scene.get("objects", ())
        bodies = {*(name for one in self.islands for name in one.model.link_names)}
        return People(
            routes_of(self), lambda: self.signals.time, up=contacts.up, floor=contacts.floor,
            taken=bodies | {row["name"] for row in rows} | {"floor"},
        )  # fmt: skip

    def joint(self, name: str) -> tuple[Island, ModelJoint]:
        """A joint, and the island that moves it."""
        for island in self.islands:
            for joint in island.model.joints:
                if joint.name == name:
                    return island, joint
        names = [joint.name for island in self.islands for joint in island.model.joints]
        raise unknown_name("joint", name, f"world '{self.mechanism.name}'", names)

    def mount(self, place: str, at: Any = None) -> Mount:
        """A frame fixed on a link, frame or object; on a joint: on the link that it carries.

        Args:
            place: Its name.
            at: The placement there, as in the file.
        """
        X_PS = SE3.identity() if not at else placement_pose(at, self.parameters)
        for island in self.islands:
            model = island.model
            if place == model.link_names[0] and island is not self.islands[0]:
                continue
            if place in model.link_names:
                return Mount(island, model.link_names.index(place), X_PS)
            if place in model.site_names:
                link = self.mechanism.link_of(place)
                there = poses(model, island.state.q)
                return Mount(
                    island,
                    model.link_names.index(link),
                    there[link].inverse() @ there[place] @ X_PS,
                )
            for row in island.simulation.system.fixed_objects:
                if row["name"] == place:
                    return Mount(island, 0, row["pose"] @ X_PS)
        raise UsageError(
            f"'{place}' is not a link, frame or object of world '{self.mechanism.name}'; sensors "
            "and lights must be mounted on one"
        )

    def cast(self, mount: Mount, directions_S: Floats, farthest: float) -> Floats:
        """Distances [m] from a mount along unit directions in its axes (n, 3); inf: nothing.

        Bodies and people are hit, the link that the mount is on is not.
        """
        R, p = mount.place()
        directions = np.ascontiguousarray(directions_S @ R.T)
        found = self.rays.cast(mount.island, mount.link, p, directions, farthest)
        if self.people:
            found = np.minimum(found, self.people.cast(p, directions))
        return found
