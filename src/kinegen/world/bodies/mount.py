"""Mount: where a sensor or node is fixed, and how that place moves."""

from __future__ import annotations

import numpy as np

from kinegen.kernels import Floats
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from kinegen.world.bodies.island import Island

__all__ = ["Mount"]


class Mount:
    """A frame S fixed on a link L of an island; on link 0 it stands still in the world."""

    def __init__(self, island: Island, link: int, X_LS: SE3) -> None:
        self.island, self.link = island, link
        self.R_LS, self.p_LS = X_LS.rotation, X_LS.translation

    @property
    def pose(self) -> SE3:
        """X_WS now."""
        R, p = self.place()
        return SE3(SO3.from_matrix(R), p)

    def place(self) -> tuple[Floats, Floats]:
        """Rotation R_WS (3, 3) and position p_WS (3,) [m] now."""
        return self._placed(self.island.link_poses())

    def velocity(self) -> tuple[Floats, Floats]:
        """Velocity of its origin [m/s] and angular velocity [rad/s], world axes."""
        return self._moving(self.island.link_poses(), self.island.link_twists())

    def acceleration(self) -> Floats:
        """Mean acceleration of its origin over the last step, world axes [m/s²].

        What an accelerometer integrates: impacts within the step count as they do there.
        """
        island = self.island
        span = island.state.time - island.before.time
        if span <= 0:
            return np.zeros(3)
        now, _ = self.velocity()
        before, _ = self._moving(*island.twists_before())
        return np.asarray((now - before) / span)

    def _placed(self, X_WL: Floats) -> tuple[Floats, Floats]:
        row = X_WL[self.link]
        R = row[:9].reshape(3, 3)
        return R @ self.R_LS, row[9:] + R @ self.p_LS

    def _moving(self, X_WL: Floats, V_WL: Floats) -> tuple[Floats, Floats]:
        R = X_WL[self.link, :9].reshape(3, 3)
        v, w = V_WL[self.link, :3], V_WL[self.link, 3:]
        (a, b, c), (x, y, z) = w.tolist(), (R @ self.p_LS).tolist()
        return v + np.array([b * z - c * y, c * x - a * z, a * y - b * x]), w
