"""Sources of backlash: what may be off, by how much, and what it does to first order."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinegen.errors import UsageError
from kinegen.joint_types import JointType
from kinegen.kernels import Floats, bind, solver
from kinegen.kernels.reference.base.rotation import quat_to_matrix
from kinegen.kernels.tolerances import SHUT
from kinegen.kinematics.loop_groups import loop_groups
from kinegen.kinematics.solving.assembling.assembly import closing_options
from kinegen.mechanism.model import Model
from kinegen.spatial.rotation import SO3

__all__ = ["LooseModel", "Source", "sources_of"]

STEP = 1e-6
"""Of central differences [rad, sizes of the mechanism]."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Something that may be off: a few numbers whose length is bounded."""

    name: str
    """'A' (the joint's own motion), 'A.wobble' (its axis tilts), 'B.length' (a bar's length)."""
    bound: float
    """Length of its numbers at most [rad, m]; infinite for a joint that moves freely."""
    v: slice | None
    """Its part of v, for a joint's own motion."""
    placement: int = -1
    """Placed frame that is off, for the others."""
    twists: Floats | None = None
    """How that frame moves, in its own axes, linear first, (6, k)."""

    @property
    def size(self) -> int:
        """How many numbers."""
        if self.v is not None:
            return int(self.v.stop - self.v.start)
        return 0 if self.twists is None else int(self.twists.shape[1])


LARGEST_ANGLE = math.pi / 2
"""More is no backlash: bounds of first order mean nothing."""
SMALLEST = 1e-12
"""Less is below the rounding of coordinates [rad, m]."""


def _check(value: float, what: str, largest: float, unit: str) -> None:
    if value != 0 and not SMALLEST <= value <= largest:
        raise UsageError(
            f"{what} is {value:g} {unit}: use 0, or from {SMALLEST:g} to {largest:.4g} {unit}"
        )


def sources_of(
    model: Model,
    angle: float,
    *,
    joints: Mapping[str, float] | None = None,
    length: float = 0.0,
    wobble: float = 0.0,
) -> list[Source]:
    """All sources of backlash of a mechanism.

    Args:
        model: The compiled mechanism.
        angle: Angular backlash of every joint [rad]: as far as it may turn from where it should
            be, a ball in any direction.
        joints: Angular backlash by joint instead; joints that are not named are held when they
            have a motor or no loop or coupling, and move freely else.
        length: Tolerance of every bar, and backlash of every slide [m].
        wobble: How far the axis of a hinge may tilt in its bearing [rad]. Hinges of a planar loop
            that tilt one by one would jam it: bounds know that they tilt together, poses do not.
    """
    _check(angle, "the angular backlash", LARGEST_ANGLE, "rad")
    _check(wobble, "the wobble", LARGEST_ANGLE, "rad")
    _check(length, "the tolerance of lengths", model.size, "m")
    for name, value in (joints or {}).items():
        model.joint(name)
        _check(value, f"the backlash of joint '{name}'", LARGEST_ANGLE, "rad")
    found = []
    tied = {model.joints[i].name for group in loop_groups(model) for i in group.joints}
    for joint in model.joints:
        for k, quantity in enumerate(_quantities(joint.type)):
            if joint.type.info.is_ball and k:
                continue  # one ball, three numbers
            at = joint.v.start + k
            part = joint.v if joint.type.info.is_ball else slice(at, at + 1)
            free = joint.name in tied and not joint.has_motor
            bound = math.inf if free else 0.0
            if quantity == "length":
                bound = bound if free else length
            elif joints is None:
                bound = angle
            elif joint.name in joints:
                bound = joints[joint.name]
            if bound > 0:
                found.append(Source(joint.name, bound, part))
        if wobble > 0 and joint.type.info.is_hinge:
            tilt = np.zeros((6, 2))
            tilt[3, 0] = tilt[4, 1] = 1.0
            found.append(Source(f"{joint.name}.wobble", wobble, None, joint.placement, tilt))
    if length > 0:
        owners = [(joint.name, joint.placement) for joint in model.joints]
        owners += [(model.joints[loop.joint].name, loop.placement) for loop in model.loops]
        owners += [(frame.name, frame.placement) for frame in model.frames]
        for name, placement in owners:
            placed = model.transforms[placement]
            far = float(np.linalg.norm(placed[9:]))
            if far > 1e-9 * model.size:
                way = np.zeros((6, 1))
                way[:3, 0] = placed[:9].reshape(3, 3).T @ placed[9:] / far
                found.append(Source(f"{name}.length", length, None, placement, way))
    return found


def _quantities(kind: JointType) -> list[str]:
    if kind.info.floats:
        return []
    return [quantity for _, quantity in kind.info.variables]


class LooseModel:
    """A model whose frames can be put a little off, beside the one that stays as it is."""

    def __init__(self, model: Model, home: Floats, frame: str, sources: list[Source]) -> None:
        self.model, self.home, self.sources = model, home, sources
        self.site = int(model.site(frame))
        self.frame = frame
        self.reals = model.reals.copy()
        self.kernels = bind(model.ints, self.reals)
        self.solver = solver(model.ints, self.reals)
        transforms = model.transforms
        # where the transforms lie in the block of numbers
        offset = (transforms.__array_interface__["data"][0]
                  - model.reals.__array_interface__["data"][0]) // 8  # fmt: skip
        self.transforms = self.reals[offset : offset + transforms.size].reshape(transforms.shape)
        self.options = closing_options(model)
        ends = np.cumsum([0, *(source.size for source in sources)])
        self.parts = [slice(int(a), int(b)) for a, b in itertools.pairwise(ends)]
        self.count = int(ends[-1])
        self.placed: dict[int, list[tuple[Floats, slice]]] = {}
        for source, part in zip(sources, self.parts, strict=True):
            if source.twists is not None:
                self.placed.setdefault(source.placement, []).append((source.twists, part))

    def columns(self, q: Floats, off: Floats) -> tuple[Floats, Floats]:
        """How the frame (6, n) and the loops' residual (rows, n) move with all numbers."""
        self._put(off)
        J, J_phi = (
            np.empty((6, self.model.nv)),
            np.empty((6 * self.model.constraint_count, self.model.nv)),
        )
        pose = np.empty(7)
        self.kernels.site_jacobian(q, self.site, np.zeros(3), -1, pose, J)
        self.kernels.loop_jacobian(q, J_phi)
        task, rows = np.zeros((6, self.count)), np.zeros((len(J_phi), self.count))
        for source, part in zip(self.sources, self.parts, strict=True):
            if source.v is not None:
                task[:, part], rows[:, part] = J[:, source.v], J_phi[:, source.v]
                continue
            for k in range(part.start, part.stop):
                step = STEP * (self.model.size if source.name.endswith("length") else 1.0)
                ends = []
                for side in (step, -step):
                    moved = off.copy()
                    moved[k] += side
                    self._put_one(source.placement, moved)
                    ends.append(self._look(q))
                self._put_one(source.placement, off)
                task[:3, k] = (ends[0][0][4:] - ends[1][0][4:]) / (2 * step)
                turn = SO3(ends[0][0][:4]).minus(SO3(ends[1][0][:4]))
                task[3:, k] = quat_to_matrix(ends[1][0][:4]) @ turn / (2 * step)
                rows[:, k] = (ends[0][1] - ends[1][1]) / (2 * step)
        return task, rows

    def move(self, off: Floats) -> tuple[Floats, Floats, Floats] | None:
        """Configuration, the numbers as they came out, and the frame's pose; None if it opens.

        Loops are closed again by all joints together; that takes a little of what was asked.
        """
        v = np.zeros(self.model.nv)
        for source, part in zip(self.sources, self.parts, strict=True):
            if source.v is not None:
                v[source.v] = off[part]
        self._put(off)
        q = np.empty(self.model.nq)
        self.kernels.integrate(self.home, v, q)
        if self.model.constraint_count:
            gaps, qs = np.empty(1), q[None].copy()
            self.solver.close_many(qs, self.options, self._held(), gaps, 1)
            if gaps[0] > SHUT:
                return None
            q = qs[0]
        self.kernels.difference(self.home, q, v)
        came = off.copy()
        for source, part in zip(self.sources, self.parts, strict=True):
            if source.v is not None:
                came[part] = v[source.v]
        return q, came, self._look(q)[0]

    def excess(self, off: Floats) -> float:
        """The largest share of its bound that any source takes."""
        shares = [
            float(np.linalg.norm(off[part])) / source.bound
            for source, part in zip(self.sources, self.parts, strict=True)
        ]
        return max(shares, default=0.0)

    def _held(self) -> np.ndarray:
        """Variables without backlash, which do not give way."""
        held = np.ones(self.model.nv, dtype=np.int32)
        for source in self.sources:
            if source.v is not None:
                held[source.v] = 0
        return held

    def _put(self, off: Floats) -> None:
        """Put every placed frame off by its numbers."""
        for placement in self.placed:
            self._put_one(placement, off)

    def _put_one(self, placement: int, off: Floats) -> None:
        row = self.transforms[placement]
        row[:] = self.model.transforms[placement]
        for twists, part in self.placed[placement]:
            twist = twists @ off[part]
            R = row[:9].reshape(3, 3).copy()
            row[9:] += R @ twist[:3]
            row[:9] = (R @ SO3.exp(twist[3:]).matrix).ravel()

    def _look(self, q: Floats) -> tuple[Floats, Floats]:
        """Pose of the frame and residual of the loops."""
        J, pose = np.empty((6, self.model.nv)), np.empty(7)
        self.kernels.site_jacobian(q, self.site, np.zeros(3), -1, pose, J)
        phi = np.empty(6 * self.model.constraint_count)
        self.kernels.loop_residual(q, phi)
        return pose, phi
