"""ForceTorque: force and torque that pass through a joint or frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinegen.errors import KinegenError, UsageError
from kinegen.world.sensors.sensor import Output, Sensor

__all__ = ["ForceTorque"]


class ForceTorque(Sensor):
    """What the part behind it exerts on it, in its own axes, about its own origin.

    Mounted on a joint (or the link that it carries) it measures what passes through that joint; on
    a frame, what passes through the joint that carries the frame's link, about the frame. A load
    that hangs there is felt as a force downwards, of its weight.
    """

    def prepare(self) -> Sequence[Output]:
        """Where it is; the engine must know the forces in joints."""
        place = self.parent
        self.mount = self.stage.mount(place, self.row.get("at"))
        model = self.mount.island.model
        carriers = [j for j in model.joints if j.child == self.mount.link and not j.is_cut]
        if not carriers:
            raise UsageError(
                f"sensor '{self.name}' measures what passes through a joint, but '{place}' is the "
                "ground or an object: mount it on a joint or on a frame of a link"
            )
        self._joint = carriers[0]
        self._index = list(model.joints).index(self._joint)
        engine = self.mount.island.simulation.engine
        try:
            known = np.isfinite(engine.reactions()[self._index]).all()
        except KinegenError as error:
            raise UsageError(f"sensor '{self.name}': {error}") from None
        if not known:
            raise UsageError(
                f"sensor '{self.name}': the engine '{engine.name}' does not compute the force in "
                f"the fixed joint '{self._joint.name}'; use the engine 'reduced'"
            )
        return Output("force", "N", (3,)), Output("torque", "N m", (3,))

    def measure(self) -> Sequence[Any]:
        """Force and torque now."""
        island, joint = self.mount.island, self._joint
        wrench = island.simulation.engine.reactions()[self._index]
        parent = island.link_poses()[joint.parent]
        R_WP = parent[:9].reshape(3, 3)
        p_F = parent[9:] + R_WP @ island.model.transforms[joint.placement][9:]
        R, p = self.mount.place()
        force = wrench[:3]
        torque = wrench[3:] + np.cross(p_F - p, force)
        return -R.T @ force, -R.T @ torque
