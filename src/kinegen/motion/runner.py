"""Runner: meets targets one after another, each from where the last one left the mechanism."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats, HandleKind
from kinegen.kinematics.analytic.closed_form import (
    AnalyticGeometry,
    AnalyticKind,
    analytic_geometry,
    nearest_branch,
)
from kinegen.kinematics.collisions.checker import CollisionChecker, depth_text
from kinegen.kinematics.solving.dragging import Dragger
from kinegen.kinematics.solving.inverse import solve, solve_all
from kinegen.kinematics.solving.locking import is_all_that_moves
from kinegen.mechanism.model import Model
from kinegen.motion.targets import Targets
from kinegen.spatial.rotation import SO3

__all__ = ["Runner"]

_TICKS = 12
"""Ticks that a point may take: neighbouring points take one."""
_ATTEMPTS = 20
"""Starts in the search for another branch at the beginning of a gap."""
_SOLUTIONS = 64


class Runner:
    """A mechanism on its way along targets; ``q`` is where it is."""

    def __init__(
        self,
        model: Model,
        targets: Targets,
        q: Floats,
        *,
        limits: bool,
        locked: Sequence[str],
        wrist_angle: float | None = None,
        avoid: CollisionChecker | None = None,
        clearance: float | None = None,
    ) -> None:
        """Begin at q; ``wrist_angle`` [rad] is kept to the ground by arms that can (3D-RAS).

        With ``avoid`` a target is met only where nothing collides.
        """
        self.model, self.targets, self.limits = model, targets, limits
        self.locked = tuple(locked)
        first = int(np.argmax(targets.exist))
        self._dragger = Dragger(
            model, q, [targets.handle(first)], limits=limits, locked=locked, tolerance=1e-8,
            avoid=avoid or False, clearance=clearance,
        )  # fmt: skip
        self._checker = avoid
        self._hit = ""
        self._exact = None
        self._wrist = wrist_angle
        if wrist_angle is not None:
            self._geometry = _pitch_arm(model, targets, locked)
        if targets.kind is HandleKind.POSE and not locked:
            nearest = nearest_branch(model, targets.frame)
            if nearest is not None and is_all_that_moves(
                model, nearest.joint_count, q, targets.frame
            ):
                self._exact = nearest

    @property
    def avoids(self) -> bool:
        """Whether collisions are avoided."""
        return self._checker is not None

    @property
    def q(self) -> Floats:
        """Where the mechanism is, changed in place."""
        return self._dragger.q

    def place(self, q: Floats) -> None:
        """Put the mechanism somewhere else."""
        self._dragger.q[:] = q

    def go(self, index: int) -> bool:
        """Move on to a target by continuity; whether it is met, and nothing collides there."""
        if not self._go(index):
            self._hit = ""
            return False
        self._hit = self._collision(self.q)
        return not self._hit

    def _collision(self, q: Floats) -> str:
        """What collides at q, in words; nothing where nobody asks."""
        if self._checker is None:
            return ""
        found = self._checker.measure(q)
        if not found.touching.any():
            return ""
        k = int(found.distances.argmin())
        return f"'{found.a[k]}' touches '{found.b[k]}', {depth_text(float(found.distances[k]))}"

    def _go(self, index: int) -> bool:
        xyz, turns = self.targets.points.xyz[index], self.targets.turns
        if self._wrist is not None:
            found = self._with_wrist(index, self.q)
            if found:
                self.place(found[0])
            return bool(found)
        if self._exact is not None and turns is not None:
            return self._exact.move(self._dragger.q, turns[index], xyz, limits=self.limits)
        self._aim(index)
        report = self._dragger.tick()
        for _ in range(_TICKS - 1):
            if not report.moving:
                break
            report = self._dragger.tick()
        self._report = report
        return report.reached

    def _aim(self, index: int) -> None:
        xyz, turns = self.targets.points.xyz[index], self.targets.turns
        if turns is None:
            self._dragger.move(0, xyz)
        elif self.targets.kind is HandleKind.POSE:
            self._dragger.move(0, xyz, rotation=SO3(turns[index]))
        else:
            self._dragger.move(0, xyz, direction=turns[index])

    def reason(self, index: int) -> str:
        """Why the target that was just tried is not met."""
        if self._hit:
            return self._hit
        if self._wrist is not None:
            return self._wrist_reason(index)
        if self._exact is not None:
            # the closed form only says no: the solver comes as near as it can, and says why
            kept, exact, self._exact = self.q.copy(), self._exact, None
            self.go(index)
            text = self._dragger.result(self._report).reason
            self._exact = exact
            self.place(kept)
            return text
        return self._dragger.result(self._report).reason

    def search(self, index: int, attempts: int = _ATTEMPTS) -> Floats | None:
        """A pose for the target from anywhere: this branch or another; None when none is found."""
        if self._wrist is not None:
            return next(iter(self.branches(index, self.q)), None)
        found = solve(
            self.model, self.targets.handle(index), start=self.q, limits=self.limits,
            locked=self.locked, attempts=attempts,
        )  # fmt: skip
        if not found.reached:
            return None
        if not self._collision(found.q):
            return found.q
        return next(iter(self.branches(index, self.q)), None)

    def branches(self, index: int, start: Floats) -> list[Floats]:
        """All different answers for one target where nothing collides, nearest to a pose first."""
        if self._wrist is not None:
            return [q for q in self._with_wrist(index, start) if not self._collision(q)]
        found = solve_all(
            self.model, self.targets.handle(index), start=start, limits=self.limits,
            locked=self.locked, most=_SOLUTIONS,
        )  # fmt: skip
        return [solution.q for solution in found if not self._collision(solution.q)]

    def _with_wrist(self, index: int, near: Floats) -> list[Floats]:
        """Answers in closed form with the wrist's angle kept, nearest first."""
        assert self._wrist is not None
        xyz = self.targets.points.xyz[index]
        found = self._geometry.solve_wrist_angle(xyz, self._wrist, start=near)
        return [s.q for s in found if s.exact and (s.within_limits or not self.limits)]

    def _wrist_reason(self, index: int) -> str:
        assert self._wrist is not None
        xyz = self.targets.points.xyz[index]
        found = self._geometry.solve_wrist_angle(xyz, self._wrist, start=self.q)
        if any(s.exact for s in found):
            return "outside the joint limits with this wrist angle"
        least = min((s.distance for s in found), default=float("nan"))
        return (
            f"out of reach with this wrist angle: '{self.targets.frame}' is {least * 1000:.4g} mm "
            "away"
        )


def _pitch_arm(model: Model, targets: Targets, locked: Sequence[str]) -> AnalyticGeometry:
    geometry = analytic_geometry(model, targets.frame)
    if geometry is None or geometry.kind is not AnalyticKind.PITCH_ARM:
        raise UsageError(
            f"a wrist angle needs an arm with {AnalyticKind.PITCH_ARM.value}, such as lynx6"
        )
    if targets.turns is not None or locked:
        raise UsageError("specify a wrist angle, or a tool and locked joints, not both")
    return geometry
