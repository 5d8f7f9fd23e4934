"""The exact zone of a planar linkage: any point asked, by circles from the frame's place back."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.kinematics.limits import any_outside_limits
from kinegen.workspace.bodies.voxels import Bools
from kinegen.workspace.zones.triangles import Construction

__all__ = ["ExactZone"]

SAME = 1e-7
"""Two places of a frame are the same below this distance [sizes of the mechanism]."""
TURN = 2 * np.pi
SLACK = 1e-9
"""Ranges are kept to this [rad]."""


@dataclass(frozen=True, slots=True, eq=False)
class ExactZone:
    """Whether a frame gets to a place of its plane, with the inputs in their ranges."""

    frame: str
    forward: Construction
    """From the inputs to the frame."""
    back: Construction
    """From the frame's place to the inputs."""
    signs: dict[str, tuple[int, ...]]
    """Sides of the forward joins, by assembly mode."""
    ranges: dict[str, tuple[float, float]]
    """Lowest and highest value of each driven joint [rad]."""
    tilt: float | None
    """Angle of the frame that is held [rad]."""

    def down(self, points: Floats) -> Floats:
        """Places in the plane, (2, n), of points in the world, (3, n)."""
        flat: Floats = (self.forward.linkage.R_WP.T @ points)[:2]
        return flat

    def up(self, places: Floats) -> Floats:
        """Points in the world, (3, n), of places in the plane, (2, n)."""
        return self.forward.linkage.world(places, self.forward.linkage.point(self.frame)[2])

    def inside(self, places: Floats, modes: tuple[str, ...] | None = None) -> Bools:
        """Which places (2, n) [m] the frame gets to in one of the modes; default: in any."""
        model = self.forward.linkage.model
        signs = [self.signs[name] for name in self.signs if modes is None or name in modes]
        # the tilt comes before the place, as the construction takes them
        held = [] if self.tilt is None else [np.full(places.shape[1], self.tilt)]
        rows = np.vstack([*held, places])
        found = np.zeros(places.shape[1], dtype=bool)
        for sides in itertools.product((1, -1), repeat=len(self.back.joins)):
            left = np.flatnonzero(~found)
            if not len(left):
                break
            qs = self.back.with_signs(sides).configurations(rows[:, left])
            good: Bools = np.asarray(np.isfinite(qs).all(axis=0))
            good[good] = ~any_outside_limits(model, qs[:, good].T) & self._in_ranges(qs[:, good])
            left, qs = left[good], qs[:, good]
            if len(left):
                found[left] |= self._leads_there(qs, places[:, left], signs)
        return found

    def _in_ranges(self, qs: Floats) -> Bools:
        good = np.ones(qs.shape[1], dtype=bool)
        for name, (low, high) in self.ranges.items():
            value = qs[self.forward.linkage.model.joint(name).q.start]
            past = np.remainder(value - low + SLACK, TURN) - SLACK
            good &= (past <= high - low + SLACK) | (high - low >= TURN - SLACK)
        return good

    def _leads_there(self, qs: Floats, places: Floats, signs: list[tuple[int, ...]]) -> Bools:
        """Whether the inputs of poses lead to the places in one of the modes."""
        model = self.forward.linkage.model
        rows = [
            np.full(qs.shape[1], self.tilt or 0.0)
            if name == "tilt"
            else qs[model.joint(name).q.start]
            for name in self.forward.inputs
        ]
        there = np.zeros(qs.shape[1], dtype=bool)
        for side in signs:
            made = self.forward.with_signs(side).points(np.array(rows), [self.frame])[0]
            with np.errstate(invalid="ignore"):
                there |= np.hypot(*(made - places)) <= SAME * model.size
        return there
