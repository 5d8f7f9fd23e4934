"""The impulse engine in NumPy: dense, slow, to be read; the compiled one solves block by block."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.contact import ShapeArrays
from kinegen.kernels.protocols.impulse import TOUCH_SIZE, ImpulseTuple
from kinegen.kernels.reference.base.rotation import quat_to_matrix
from kinegen.kernels.reference.contact.find import find_contacts
from kinegen.kernels.reference.contact.shapes import Shapes, join_surfaces
from kinegen.kernels.reference.impulse.speeds import reactions_of
from kinegen.kernels.reference.impulse.step import run, start_at
from kinegen.kernels.reference.impulse.world import World, bind_world

__all__ = ["BoundImpulse"]


@dataclass(slots=True, eq=False)
class _Touching:
    """Finds contacts before every step."""

    shapes: Shapes
    surfaces: Floats
    bodies: Ints
    X_BL: Floats
    reach: Floats
    margin: float

    def find(self, w: World) -> tuple[Ints, Floats]:
        """Each is a point of one body before a plane of the other: (n, 3), (n, 15)."""
        R, p = [quat_to_matrix(pose[:4]) for pose in w.poses], w.poses[:, 4:]
        X, fastest = np.empty((len(self.bodies), 12)), 0.0
        for link, (body, X_BL) in enumerate(zip(self.bodies, self.X_BL, strict=True)):
            X[link, :9] = (R[body] @ X_BL[:9].reshape(3, 3)).ravel()
            X[link, 9:] = R[body] @ X_BL[9:] + p[body]
            far = self.reach[link] + float(np.linalg.norm(X_BL[9:]))
            if link:
                linear, angular = np.linalg.norm(w.twists[body].reshape(2, 3), axis=1)
                fastest = max(fastest, float(linear + far * angular))
        self.shapes.place(X)
        found = find_contacts(self.shapes, max(self.margin, 2 * w.step * fastest))
        touches, numbers = (
            np.zeros((len(found[3]), 3), np.int32),
            np.zeros((len(found[3]), TOUCH_SIZE)),
        )
        for i, ((one, other), at, n, distance) in enumerate(zip(*found, strict=True)):
            a, b = (self.bodies[self.shapes.all[k].link] for k in (other, one))
            touches[i, 1:] = a, b
            numbers[i, :3] = (at + 0.5 * distance * n - p[a]) @ R[a]
            numbers[i, 4:7] = (at - 0.5 * distance * n - p[b]) @ R[b]
            numbers[i, 7:10] = n @ R[b]
            numbers[i, 11:] = join_surfaces(self.surfaces[one], self.surfaces[other])
        return touches, numbers


class BoundImpulse:
    """A world of bodies that can be run; see the protocol."""

    def __init__(self, *arrays: Floats | Ints) -> None:
        self._world = bind_world(*arrays)
        self._touching: _Touching | None = None

    def set(
        self, step: float, gap_limit: float, speed_limit: float, iteration_limit: int,
        sweeps: int, stops: bool, friction: bool, stop_restitution: float, /,
    ) -> None:  # fmt: skip
        w = self._world
        w.step, w.gap_limit, w.speed_limit = step, gap_limit, speed_limit
        w.iteration_limit, w.sweeps = iteration_limit, sweeps
        w.stops, w.friction, w.stop_restitution = stops, friction, stop_restitution

    def start(
        self, poses: Floats, twists: Floats, q: Floats, curve_at: Floats, time: float, /
    ) -> None:
        start_at(self._world, poses, twists, q, curve_at, time)

    def set_touches(self, touches: Ints, numbers: Floats, /) -> None:
        w = self._world
        w.touches, w.touch_numbers = touches.reshape(-1, 3), numbers.reshape(-1, TOUCH_SIZE)

    def run(
        self, steps: int, efforts: Floats, loads: Ints, load_numbers: Floats, /
    ) -> ImpulseTuple:
        if self._touching is None or steps == 0:
            return run(self._world, steps, efforts, loads, load_numbers)
        rows = []
        for _ in range(steps):
            self.set_touches(*self._touching.find(self._world))
            rows.append(run(self._world, 1, efforts, loads, load_numbers))
            if rows[-1][1]:
                break
        last = rows[-1]
        return (
            len(rows), last[1], last[2], max(row[3] for row in rows), max(row[4] for row in rows),
            max(row[5] for row in rows), last[6], last[7], last[8], last[9],
            sum(row[10] for row in rows), sum(row[11] for row in rows),
        )  # fmt: skip

    def touch(
        self, arrays: ShapeArrays, bodies: Ints, X_BL: Floats, reach: Floats, margin: float, /
    ) -> None:
        shapes = Shapes(ShapeArrays(*arrays))
        self._touching = _Touching(
            shapes, np.asarray(arrays[2]), bodies, np.reshape(X_BL, (-1, 12)), reach, margin
        )

    def snapshot(self) -> tuple[Any, ...]:
        return (copy.deepcopy(self._world),)

    def resume(self, *state: Any) -> None:
        self._world = copy.deepcopy(state[0])

    def reactions(self) -> Floats:
        return reactions_of(self._world)

    def coupling_efforts(self) -> Floats:
        w = self._world
        first = int((w.row_bond < len(w.bonds)).sum())
        return np.asarray(w.carried[0][first:] / w.step)

    @property
    def q(self) -> Floats:
        return self._world.q.copy()

    @property
    def v(self) -> Floats:
        return self._world.v.copy()

    @property
    def poses(self) -> Floats:
        return self._world.poses.copy()

    @property
    def twists(self) -> Floats:
        return self._world.twists.copy()
