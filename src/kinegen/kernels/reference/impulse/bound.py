"""The impulse engine in NumPy: dense, slow, to be read; the compiled one solves block by block."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from kinegen.kernels.impulse_protocol import ImpulseTuple
from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.reference.impulse.speeds import reactions_of
from kinegen.kernels.reference.impulse.step import run, start_at
from kinegen.kernels.reference.impulse.world import bind_world

__all__ = ["BoundImpulse"]


class BoundImpulse:
    """A world of bodies that can be run; see the protocol."""

    def __init__(self, *arrays: Floats | Ints) -> None:
        self._world = bind_world(*arrays)

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
        w.touches, w.touch_numbers = touches.reshape(-1, 3), numbers.reshape(-1, 13)

    def run(
        self, steps: int, efforts: Floats, loads: Ints, load_numbers: Floats, /
    ) -> ImpulseTuple:
        return run(self._world, steps, efforts, loads, load_numbers)

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
