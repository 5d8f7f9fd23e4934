"""Sensors of touch: a pad that measures force, a bumper, and a list of contacts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from kinegen.kernels import Floats
from kinegen.world.bodies.mount import Mount
from kinegen.world.bodies.touching import check_touching, touching
from kinegen.world.log.markers import force_arrows
from kinegen.world.log.schemas import time_message
from kinegen.world.sensors.sensor import Output, Sensor, SensorMessage

__all__ = ["Bumper", "ContactList", "TouchPad"]

THRESHOLD = 0.1
"""Force from which on a bumper is pressed, where its file gives none [N]."""
COLUMNS = ("x", "y", "z", "fx", "fy", "fz", "link")
"""Of the list of contacts: where [m], force on the link [N], number of the other link."""


class _OfContacts(Sensor):
    """Feels what presses on the link that it is mounted on."""

    mount: Mount

    def mounted(self) -> None:
        """Find the link; the engine must report forces."""
        self.mount = self.stage.mount(self.parent)
        check_touching(self.mount.island.simulation, self.name)

    def pressure(self) -> float:
        """The sum of all forces on its link, each perpendicular to the surface there [N]."""
        found, link = touching(self.mount.island.simulation), self.mount.link
        own = (found.link_a == link) | (found.link_b == link)
        return float(np.abs(np.einsum("ni,ni->n", found.forces, found.normals))[own].sum())

    def felt(self) -> Floats:
        """Contacts of its link, (n, 7): place, force on the link, the other link."""
        found, link = touching(self.mount.island.simulation), self.mount.link
        rows = []
        for own, other, sign in (
            (found.link_b, found.link_a, 1.0),
            (found.link_a, found.link_b, -1.0),
        ):
            which = own == link
            rows.append(
                np.hstack([found.points[which], sign * found.forces[which], other[which, None]])
            )
        return np.vstack(rows)


class TouchPad(_OfContacts):
    """The sum of all forces that press on a link, perpendicular to its surface."""

    def prepare(self) -> Sequence[Output]:
        """Which link it covers."""
        self.mounted()
        return (Output("force", "N"),)

    def measure(self) -> Sequence[Any]:
        """The force now."""
        return (self.pressure(),)


class Bumper(_OfContacts):
    """1 while a link is pressed by more than a threshold, else 0."""

    def prepare(self) -> Sequence[Output]:
        """Which link it covers."""
        self.mounted()
        self._threshold = self.number("threshold", THRESHOLD)
        return (Output("pressed"),)

    def measure(self) -> Sequence[Any]:
        """Whether it is pressed now."""
        return (1.0 if self.pressure() >= self._threshold else 0.0,)


class ContactList(_OfContacts):
    """How many contacts a link has, and a row for each: x, y, z, fx, fy, fz, other link."""

    def prepare(self) -> Sequence[Output]:
        """Which link it is about."""
        self.mounted()
        return Output("count"), Output("contacts", "m, N", None)

    def measure(self) -> Sequence[Any]:
        """The contacts now."""
        rows = self.felt()
        return float(len(rows)), rows

    def messages(self, nanoseconds: int) -> Iterable[SensorMessage]:
        """Its contacts as arrows, and as rows with the name of what is touched."""
        rows, model = np.asarray(self.signals[1].value), self.mount.island.model
        topic = f"/contacts/{self.name.replace('.', '/')}"
        arrows = force_arrows(
            f"contacts of {self.name}", nanoseconds, rows[:, :3], rows[:, 3:6], model
        )
        yield SensorMessage(topic, "SceneUpdate", arrows)
        listed = [
            {"position": dict(zip("xyz", row[:3], strict=True)),
             "force": dict(zip("xyz", row[3:6], strict=True)),
             "other": model.link_names[int(row[6])]}
            for row in rows.tolist()
        ]  # fmt: skip
        message = {"timestamp": time_message(nanoseconds), "contacts": listed}
        yield SensorMessage(f"{topic}/list", "kinegen.Contacts", message)
