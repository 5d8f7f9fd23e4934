"""Which joints move when loops are closed: cut joints first, those with stated values last."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from kinegen.kernels import Floats, Ints, Outcome
from kinegen.kernels.call_records import SolverNumbers, SolverReport
from kinegen.kernels.tolerances import CLOSED
from kinegen.kinematics.handles import NO_HANDLES
from kinegen.kinematics.limits import outside_limits
from kinegen.kinematics.solving.families import family_dimension
from kinegen.kinematics.tolerances import is_closed, variable_scale
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint

__all__ = [
    "DISTINCT",
    "FINEST",
    "FURTHEST",
    "ITERATIONS",
    "LEAP",
    "STEP",
    "STRIDE",
    "Closing",
]

ITERATIONS = 60
STEP = 0.6
"""Largest move per Newton step: assembly starts far from its goal."""
STRIDE = 0.1
"""Largest move of a held joint per step of a continuation [rad, sizes]."""
LEAP = 0.5
"""A joint that moves further than this in one step of a continuation has changed its branch."""
FINEST = 1 / 4096
"""Shortest step of a continuation, as a share of a radian, of a size, or of a shorter way."""
FURTHEST = 200.0
"""Longest way of a held joint that is followed in small steps [rad, sizes]: some 30 turns."""
SAME = 1e-9
"""Joints that differ by less stand at the same place [rad, sizes]."""
FEW = 40
"""Random starts for each choice of joints that stay; the last choice gets all of them."""
NEARBY = 0.1
"""Mirror images are sought where stated joints moved by more than this [rad, sizes]."""
SMALL = 40
"""Degrees of freedom of all joints up to which mirror images are sought."""
DISTINCT = 1e-4
"""Poses are different when a point differs by more than this share of the mechanism's size."""
SET_OUT = 16
"""Ways tried for a first step."""
BISECTIONS = 30
OFF_EDGE = 5e-4
"""Share of the way to the edge of what can be closed that a pose stays away from it."""


class Closing:
    """Closes the loops of a model from one start."""

    def __init__(self, model: Model, locked: Ints | None, *, limits: bool, seed: int) -> None:
        self.model = model
        self.limits = limits
        self.seed = seed
        self.locked = np.zeros(model.nv, dtype=np.int32) if locked is None else locked
        self.attempts = 0
        """Starts that were tried so far."""
        self.best: Floats | None = None
        """What the last search came to."""
        self.outcome = Outcome.STUCK
        self._angles = _plain_angles(model)
        self._scale = variable_scale(model)

    def options(self, iterations: int = ITERATIONS) -> Floats:
        """What the solver takes."""
        return np.array(SolverNumbers(iterations, STEP, CLOSED, CLOSED, 0.0, self.limits))

    def search(self, start: Floats, held: Ints, attempts: int) -> Floats | None:
        """A closed pose found from the start, then from random ones, while some joints stay."""
        q = start.copy()
        made, report = self.model.solver.search(
            q, *NO_HANDLES, self.options(), None, None, held if held.any() else None,
            attempts, self.seed, np.zeros(self.model.nv, dtype=np.int32),
        )  # fmt: skip
        for joint in self.model.joints:
            if held[joint.v].all():
                q[joint.q] = start[joint.q]  # a search brings angles within limits by whole turns
        self.unwind(start, q)
        self.attempts += made
        self.best, self.outcome = q, Outcome(SolverReport(*report).outcome)
        closed = self.outcome is Outcome.REACHED and is_closed(self.model, q)
        return q if closed and not (self.limits and outside_limits(self.model, q)) else None

    def unwind(self, start: Floats, q: Floats) -> None:
        """Take whole turns out of q, so that no angle is further from the start than it need be."""
        i, v = self._angles
        turned = q[i] + math.tau * np.round((start[i] - q[i]) / math.tau)
        if self.limits:
            good = (self.model.lower[v] <= turned) & (turned <= self.model.upper[v])
            turned = np.where(good, turned, q[i])
        q[i] = turned

    def in_order(self, start: Floats, kept: frozenset[str], attempts: int) -> Floats | None:
        """A closed pose for which as few kinds of joints move as possible, and those few little.

        Args:
            start: Where the search begins.
            kept: Joints whose values were stated: they move after the others, motors among them
                last.
            attempts: Random starts, used as a last resort; every joint may move in them.
        """
        choices = list(self._choices(kept))
        motors = np.zeros(self.model.nv, dtype=bool)
        for joint in self.model.joints:
            motors[joint.v] = joint.has_motor
        before: Ints | None = None
        for held in choices:
            last = held is choices[-1]
            found = self.search(start, held, attempts if last else 1 if held.all() else FEW)
            if found is not None:
                if before is None or not (last or (motors & (before != held)).any()):
                    return self._least(start, found, held, kept)
                return self._drawn_back(start, found, before)
            before = held
        return None

    def _least(self, start: Floats, found: Floats, held: Ints, kept: frozenset[str]) -> Floats:
        """Of the ways to close the loops, the one whose joints with stated values move least.

        The nearest closed pose on the way of the Newton steps may be a mirror image of it.
        """
        stated = np.zeros(self.model.nv, dtype=bool)
        for joint in self.model.joints:
            stated[joint.v] = joint.name in kept

        def cost(q: Floats) -> float:
            way = np.empty(self.model.nv)
            self.model.kernels.difference(start, q, way)
            return float(np.linalg.norm((way / self._scale)[stated]))

        best, least = found, cost(found)
        if not NEARBY < least < FURTHEST or self.model.nv > SMALL:
            return found
        if family_dimension(self.model, found, held):
            return found
        for q in self.model.solver.enumerate(
            start, *NO_HANDLES, self.options(), held if held.any() else None, FEW,
            self.seed, DISTINCT, False, FEW,
        ):  # fmt: skip
            self.unwind(start, q)
            good = is_closed(self.model, q) and not (self.limits and outside_limits(self.model, q))
            if good and cost(q) < least - SAME:
                best, least = q, cost(q)
        return best

    def _choices(self, kept: frozenset[str]) -> Iterator[Ints]:
        """Which variables stay: all but cut joints; motors and what is stated; then that alone."""
        joints = self.model.joints
        stay: tuple[list[ModelJoint], ...] = (
            [joint for joint in joints if not joint.is_cut],
            [joint for joint in joints if joint.has_motor or joint.name in kept],
            # a motor whose start nobody stated has nothing to keep
            [joint for joint in joints if joint.name in kept],
            [joint for joint in joints if joint.has_motor and joint.name in kept],
            [],
        )
        before = None
        for staying in stay:
            held = self.locked.copy()
            for joint in staying:
                held[joint.v] = 1
            if before is None or (held != before).any():
                before = held
                yield held

    def _drawn_back(self, start: Floats, found: Floats, held: Ints) -> Floats:
        """A closed pose between the start and the one found whose held joints moved least."""
        mine = (held - self.locked).astype(bool)
        way = np.empty(self.model.nv)
        self.model.kernels.difference(found, start, way)
        way[~mine] = 0.0
        if not way.any():
            return found
        here, share = self._walk(found, way, held)
        low, high = 0.0, 1.0 - share
        for _ in range(BISECTIONS if high > 0 else 0):
            middle = (low + high) / 2
            if self._step(here, middle * way, held) is None:
                high = middle
            else:
                low = middle
        share += low
        # at the very edge the pose is singular: what was to be kept would have no hold on it
        off = self.follow(found, (1 - OFF_EDGE) * share * way, held)
        return found if off is None else off

    def beside(self, q: Floats) -> Floats | None:
        """The closed pose next to q; None where there is none without a leap of a joint."""
        found, way = self.search(q, self.locked, 1), np.empty(self.model.nv)
        if found is None:
            return None
        self.model.kernels.difference(q, found, way)
        leaps = np.abs(way / self._scale).max(initial=0.0) > LEAP
        return None if leaps else found

    def follow(self, q: Floats, way: Floats, held: Ints) -> Floats | None:
        """The closed pose that is reached when held joints go a way [v] in small steps; or None.

        Every step is short enough that no joint leaps: the pose stays on its branch.
        """
        here, share = self._walk(q, way, held)
        return here if share == 1.0 else None

    def _walk(self, q: Floats, way: Floats, held: Ints) -> tuple[Floats, float]:
        """How far held joints get on a way in small steps: the pose there, and its share."""
        longest = float(np.abs(way / self._scale).max(initial=0.0))
        if not longest < FURTHEST:
            return q, 0.0
        step = min(1.0, STRIDE / longest) if longest > 0 else 1.0
        here, done = q, 0.0
        free, drift, went = held == 0, np.zeros(self.model.nv), np.empty(self.model.nv)
        while done < 1.0:
            share = min(step, 1.0 - done)
            # others continue as they moved: that keeps to one branch where they meet, in flat poses
            reached = self._step(here, share * (way + drift), held)
            if reached is None and done == 0.0:
                reached = self._set_out(here, share * way, held)
            if reached is None:
                step /= 2
                if step * max(1.0, longest) < FINEST:
                    break
                continue
            self.model.kernels.difference(here, reached, went)
            drift[free] = went[free] / share
            here, done = reached, 1.0 if share == 1.0 - done else done + share
            step = min(1.5 * step, STRIDE / longest) if longest > STRIDE else step
        return here, done

    def _set_out(self, q: Floats, way: Floats, held: Ints) -> Floats | None:
        """The closed pose after a first step out of a flat pose, where no joint says which way.

        Others begin a little to either side, so that they come upon a branch that leads on.
        """
        rng, free = np.random.default_rng(self.seed), held == 0
        far = float(np.abs(way / self._scale).max(initial=0.0))
        for _ in range(SET_OUT):
            drift = far * rng.uniform(-1.0, 1.0, self.model.nv) * self._scale
            reached = self._step(q, np.where(free, drift, way), held)
            if reached is not None:
                return reached
        return None

    def _step(self, q: Floats, way: Floats, held: Ints) -> Floats | None:
        """The closed pose after one step of held joints; None where a joint leaps or none is."""
        moved, before = np.empty(self.model.nq), np.empty(self.model.nv)
        self.model.kernels.integrate(q, way, moved)
        reached = self.search(moved, held, 1)
        if reached is None:
            return None
        self.model.kernels.difference(q, reached, before)
        return None if float(np.abs(before / self._scale).max()) > LEAP else reached


def _plain_angles(model: Model) -> tuple[Ints, Ints]:
    """Places in q and in v of angles that mean the same after a whole turn."""
    places = [
        (joint.q.start + k, joint.v.start + k)
        for joint in model.joints
        if not joint.type.info.has_pitch and joint not in model.quaternion_joints
        for k, (_, kind) in enumerate(joint.type.info.variables)
        if kind == "angle"
    ]
    found = np.array(places, dtype=np.int32).reshape(-1, 2)
    return found[:, 0], found[:, 1]
