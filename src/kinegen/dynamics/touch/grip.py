"""Grip: a point of a link where a hand touches, and how the mechanism gives way there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.tree.loops import loop_equations
from kinegen.dynamics.tree.motion_equations import mass_matrix, mass_solve
from kinegen.errors import NumberError, UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.positions import forward
from kinegen.mechanism.model import Model
from kinegen.spatial.pose import SE3

__all__ = ["Grip", "GripState", "effective_mass", "point_of"]

_ORIGIN = np.zeros(3)
_ONES = np.eye(3)


@dataclass(frozen=True, slots=True, eq=False)
class GripState:
    """Where a touched point is and how it moves, world axes."""

    place: Floats
    """[m], (3,)."""
    rotation: Floats
    """Of the link or frame that was named, (3, 3)."""
    twist: Floats
    """Linear velocity of the point and angular one of the link [m/s, rad/s], (6,)."""
    J: Floats
    """Jacobian at the point, linear rows first, (6, nv)."""
    arm: Floats
    """From the link's origin to the point [m], (3,)."""


class Grip:
    """A point that is fixed to a link."""

    def __init__(self, model: Model, frame: str, point: npt.ArrayLike = (0, 0, 0)) -> None:
        """Name a point.

        Args:
            model: The compiled mechanism.
            frame: A frame or link.
            point: In its axes [m].
        """
        self.model = model
        self.name = frame
        site = model.site(frame)
        at = point_of(point, "a touched point")
        self._turn = _ONES
        if site >= model.link_count:
            places = forward(model)
            self.link = int(model.frames[site - model.link_count].link)
            X_LF = SE3.from_pose(places[self.link]).inverse() @ SE3.from_pose(places[site])
            at = X_LF.apply(at)
            self._turn = np.asarray(X_LF.rotation)
        else:
            self.link = int(site)
        self.point = np.ascontiguousarray(at)
        """In the link's axes [m], (3,)."""
        self._pose, self._J = np.empty(7), np.empty((6, model.nv))

    @classmethod
    def at(cls, model: Model, q: Floats, frame: str, place: npt.ArrayLike) -> Grip:
        """The point of a frame's link that is at a place of the world [m] now."""
        site = model.site(frame)
        X_WS = SE3.from_pose(forward(model, q)[site])
        return cls(model, frame, X_WS.inverse().apply(point_of(place, "a place")))

    def slide(self, q: Floats, link: int, place: Floats) -> None:
        """From now on be the point of a link that is at a place of the world [m] now."""
        self.link, self.name, self._turn = link, self.model.link_names[link], _ONES
        self.model.kernels.site_jacobian(q, link, _ORIGIN, -1, self._pose, self._J)
        self.point = np.ascontiguousarray((place - self._pose[4:]) @ _matrix(self._pose[:4]))

    def state(self, q: Floats, v: Floats) -> GripState:
        """Where it is."""
        model = self.model
        model.kernels.site_jacobian(q, self.link, self.point, -1, self._pose, self._J)
        R = _matrix(self._pose[:4])
        arm = R @ self.point
        # cut joints' columns count: v holds their speeds, and the tree's columns say all
        return GripState(self._pose[4:] + arm, R @ self._turn, self._J @ v, self._J.copy(), arm)

    def mobility(self, q: Floats, J: Floats) -> Floats:
        """Acceleration of the point per force on it, W = J H⁻¹ Jᵀ, (6, 6), loops kept closed."""
        model = self.model
        if not model.constraint_count:
            # straight to the kernel, which refuses what is not as it wants it
            rows = model.dynamics.inverse_mass(q, J)
            if not isinstance(rows, np.ndarray):
                rows = mass_solve(model, q, J)
            return np.asarray(rows @ J.T)
        N = loop_equations(model, q).free_motion
        H = mass_matrix(model, q)
        JN = J @ N.T
        return np.asarray(JN @ np.linalg.solve(N @ H @ N.T, JN.T))


def effective_mass(W: Floats) -> float:
    """Mass [kg] that a hand feels at a point: of its directions, the one in the middle.

    Directions in which the point cannot move do not count; inf: it is fixed.

    Args:
        W: Mobility of the point, (3, 3) or the linear part of (6, 6) [1/kg].
    """
    if not np.isfinite(W).all():
        raise NumberError("the mobility of a touched point is not a number")
    values = np.linalg.eigvalsh((W + W.T)[:3, :3] / 2)
    free = values[values > max(1e-9 * values[-1], 1e-12)]
    return float(1 / free[(len(free) - 1) // 2]) if len(free) else np.inf


def point_of(values: npt.ArrayLike, what: str) -> Floats:
    """Three finite numbers, or an error that says so."""
    try:
        found = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != (3,) or not np.isfinite(found).all():
        raise UsageError(f"{what} must be three finite numbers [m], got {values!r}")
    return found


def _matrix(quat: Floats) -> Floats:
    w, x, y, z = quat.tolist()
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
