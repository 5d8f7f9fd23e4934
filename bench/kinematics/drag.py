"""Drag steps: ours beside Pinocchio by hand, PlaCo and PyBullet; and CINEGEN's table 1.

Run ``python -m bench.kinematics.drag [--rounds N]``. A step takes a frame to a target 1 cm and 3°
away, to 1e-6 m and rad, with loops closed to 1e-9 m. The frame goes from home to a random target
and back, for 200 targets. All start from the same pose; what each reached is checked before its
time is taken. Ours is called as a user does: ``move`` the handle, then ``tick``; joint limits are
kept.

PlaCo and PyBullet live in an environment of their own, for PlaCo wants a Pinocchio of its own
version: ``python3 -m venv .venv-bench``, ``.venv-bench/bin/pip install '.[bench]'``, then
``.venv-bench/bin/python -m bench.kinematics.drag``, which runs all peers and ours in turns in one
process (``make bench-peers`` does all this). A peer that is not there is left out and said so.

Peers run in their most favourable settings: PlaCo with joint limits as ours; PyBullet with little
damping, it knows no limits in this form; Pinocchio as a loop by hand, for closed mechanisms with
the loops' rows above the task's, solved by ``lstsq`` and, since these systems happen to be square,
also by ``solve``. PlaCo runs once more *unchecked*: with the smallest fixed number of steps that
meets every target, which no user knows beforehand; this is printed but is not the same job, so the
bar is held against the others. Times are the best of several rounds, taken in turns. Timing decides
nothing: the bars are printed as met or missed.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import kinegen as kg
from bench.support.notes import note
from bench.support.peers import (
    CLOSED,
    MET,
    BulletArm,
    PinocchioArm,
    PinocchioLoops,
    PlacoArm,
    Stepper,
    best_times,
    find,
    lack,
    missing,
)
from kinegen.kernels import Floats

TARGETS = 200
FAR, TURN = 0.01, math.radians(3)
"""A step's length [m] and angle [rad]."""


@dataclass(frozen=True)
class Case:
    """A mechanism, the frame that is dragged, and its bars."""

    mechanism: str
    frame: str
    bar: float
    """Time of a step at most [µs]."""
    bar_ratio: float
    """Times the best peer at least."""
    task_rows: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    """Of position (0 to 2) and rotation (3 to 5), what the handle moves."""
    loop_rows: tuple[int, ...] = ()
    """What closes a loop by hand; empty for an arm."""
    motors: Mapping[str, float] | None = None
    """Inputs to start with, where the file's start is close to stretched."""


CASES = (
    Case("puma560", "tool", 8, 2),
    Case("franka", "tool", 8, 2),
    Case(
        "five-bar", "handle", 10, 10, (0, 1), (0, 1),
        {"A": math.radians(120), "E": math.radians(60)},
    ),
    Case("stewart", "handle", 25, 10, loop_rows=(0, 1, 2)),
    Case("3-rrr", "handle", 15, 10, (0, 1, 5), (0, 1)),
)  # fmt: skip
TABLE_1 = (("serial-5", 45), ("hybrid-9", 45), ("parallel-18", 30), ("redundant-7", 45))
"""Robots of CINEGEN's table 1 and the rates they were dragged at in 1998 [Hz]."""
BAR_TABLE_1 = 1000


class OurDrag:
    """Our dragger, used like any peer."""

    def __init__(self, model: kg.Model, frame: str, q: Floats, *, rotation: bool = True) -> None:
        self._model, self._frame, self._rotation = model, frame, rotation
        X = kg.pose(model, q, frame)
        handle = kg.Handle(frame, X.translation, X.so3 if rotation else None)
        # the tolerance is a length: in mechanisms smaller than 1 m it must be less for 1e-6 rad
        self.dragger = kg.Dragger(model, q, [handle], tolerance=MET * min(1.0, model.size))
        self.report = self.dragger.tick()

    def place(self, q: Floats) -> None:
        """Stand at q."""
        self.dragger.q[:] = q

    def target(self, X: kg.SE3) -> tuple[Floats, kg.SO3 | None]:
        """Place and rotation."""
        return X.translation, X.so3 if self._rotation else None

    def step(self, target: tuple[Floats, kg.SO3 | None]) -> int:
        """Move the handle, tick once."""
        self.dragger.move(0, *target)
        self.report = self.dragger.tick()
        return self.report.iterations

    def errors(self, X: kg.SE3) -> tuple[float, float]:
        """What is missing and the widest gap."""
        q = self.dragger.q
        if self._rotation:
            left = lack(self._model, q, self._frame, X)
        else:
            here = kg.pose(self._model, q, self._frame).translation
            left = float(np.abs(here - X.translation).max())
        return left, kg.kinematics.loop_gap(self._model, q).distance


def start(model: kg.Model, case: Case) -> Floats:
    """A closed configuration well inside the reach."""
    if case.motors is None:
        return kg.assemble(model).q
    return kg.assemble(model, case.motors, locked=list(case.motors)).q


def nearby(home: kg.SE3, rows: Sequence[int], count: int) -> list[kg.SE3]:
    """Random poses 1 cm and 3° from home, in the degrees of freedom that the rows name."""
    rng = np.random.default_rng(1)
    allowed = np.isin(np.arange(6), rows)
    poses = []
    for _ in range(count):
        xi = rng.normal(size=6) * allowed
        far, turn = np.linalg.norm(xi[:3]), np.linalg.norm(xi[3:])
        position = home.translation + xi[:3] * (FAR / far)
        turned = kg.SO3.exp(xi[3:] * (TURN / turn)) @ home.so3 if turn > 0 else home.so3
        poses.append(kg.SE3(turned, position))
    return poses


def peers_of(case: Case, model: kg.Model) -> dict[str, Callable[[], Stepper]]:
    """The peers that can do this case."""
    made: dict[str, Callable[[], Stepper]] = {}
    pin = find("pinocchio", "pin")
    if case.loop_rows:
        if pin is not None:
            loops = partial(PinocchioLoops, pin, model, case.frame, loop_rows=case.loop_rows)
            made["pinocchio, lstsq"] = partial(loops, task_rows=case.task_rows, solve=_lstsq)
            made["pinocchio, solve"] = partial(
                loops, task_rows=case.task_rows, solve=np.linalg.solve
            )
        return made
    if pin is not None:
        made["pinocchio by hand"] = partial(PinocchioArm, pin, model, case.frame)
    if (placo := find("placo")) is not None:
        arm = partial(PlacoArm, placo, model, case.frame)
        made["placo"] = partial(arm, steps=0)
        made |= {f"placo, {n} steps unchecked": partial(arm, steps=n) for n in range(1, 6)}
    if (bullet := find("pybullet")) is not None:
        made["pybullet, no limits"] = partial(BulletArm, bullet, model, case.frame)
    return made


def _lstsq(A: Floats, b: Floats) -> Floats:
    return np.asarray(np.linalg.lstsq(A, b, rcond=None)[0], dtype=float)


@dataclass(frozen=True)
class Checked:
    """What a stepper reaches over all targets."""

    iterations: float
    """Mean Newton steps, 0 where it does not report them."""
    missing: float
    gap: float

    @property
    def met(self) -> bool:
        """Whether every target was met with every loop closed."""
        return self.missing <= MET and self.gap <= CLOSED


def check(stepper: Stepper, q: Floats, home: kg.SE3, targets: Sequence[kg.SE3]) -> Checked:
    """Drag to every target and back once, and look."""
    stepper.place(q)
    steps, most, gap = [], 0.0, 0.0
    for X in targets:
        for goal in (X, home):
            steps.append(stepper.step(stepper.target(goal)))
            lacks = stepper.errors(goal)
            most, gap = max(most, lacks[0]), max(gap, lacks[1])
    return Checked(statistics.fmean(steps), most, gap)


def job(stepper: Stepper, home: kg.SE3, targets: Sequence[kg.SE3]) -> Callable[[], None]:
    """The run that is timed."""
    goals: list[Any] = []
    for X in targets:
        goals += [stepper.target(X), stepper.target(home)]

    def run() -> None:
        step = stepper.step
        for goal in goals:
            step(goal)

    return run


def compare(case: Case, rounds: int) -> None:
    """One mechanism, ours and all peers."""
    model = kg.load(case.mechanism).compile()
    q = start(model, case)
    home = kg.pose(model, q, case.frame)
    targets = nearby(home, case.task_rows, TARGETS)
    steppers: dict[str, Stepper] = {
        "kinegen": OurDrag(model, case.frame, q, rotation=max(case.task_rows) > 2)
    }
    checked = {"kinegen": check(steppers["kinegen"], q, home, targets)}
    for name, make in peers_of(case, model).items():
        if "unchecked" in name and any("unchecked" in other for other in steppers):
            continue  # a smaller number of steps was enough
        stepper = make()
        seen = check(stepper, q, home, targets)
        if seen.met:
            steppers[name], checked[name] = stepper, seen
        elif "unchecked" not in name:
            print(f"  {name} misses targets by up to {seen.missing:.1e}, gap {seen.gap:.1e} m")
    count = 2 * len(targets)
    times = best_times(
        {name: (count, job(stepper, home, targets)) for name, stepper in steppers.items()}, rounds
    )
    handle = "pose" if len(case.task_rows) == 6 else "point" if len(case.task_rows) < 3 else "plane"
    print(f"{case.mechanism} ({handle}, nv {model.nv}, {len(model.loops)} loops)")
    ours = times["kinegen"]
    for name, value in sorted(times.items(), key=lambda item: item[1]):
        seen = checked[name]
        note(f"{case.mechanism}, {handle}, {name}", value, "µs")
        steps = f"{seen.iterations:5.2f} steps" if seen.iterations else " " * 11
        print(
            f"  {name:28} {value:8.2f} µs {steps}  error {seen.missing:.1e}  gap {seen.gap:.1e} m"
            f"  {value / ours:6.1f} ×"
        )
    others = [t for name, t in times.items() if name != "kinegen" and "unchecked" not in name]
    words = [verdict(ours, case.bar, f"µs of {case.bar:g}", least=False)]
    if others:
        absent = missing & ({"pinocchio"} if case.loop_rows else {"pinocchio", "placo", "pybullet"})
        words.append(
            verdict(min(others) / ours, case.bar_ratio, f"× of {case.bar_ratio:g} ×")
            + (f" as far as is known without {', '.join(sorted(absent))}" if absent else "")
        )
    if not checked["kinegen"].met:
        words.append("but kinegen misses targets")
    print(f"  bars: {'; '.join(words)}")


def verdict(value: float, bar: float, words: str, *, least: bool = True) -> str:
    """Whether a bar is met, or by how much it is missed."""
    share = value / bar if least else bar / value
    return f"{value:.3g} {words}: " + ("met" if share >= 1 else f"missed by {1 / share:.2f} ×")


# CINEGEN's table 1


def near_poses(model: kg.Model, q: Floats, frame: str, count: int) -> list[kg.SE3]:
    """Poses about 1 cm away that the mechanism can reach: its motors moved a little, loops closed.

    A robot of five joints cannot reach any pose nearby, so these are made from its own motions.
    """
    rng = np.random.default_rng(2)
    driven = [joint for joint in model.joints if joint.has_motor]
    names = [joint.name for joint in driven]
    home = kg.pose(model, q, frame).translation
    poses = []
    for _ in range(count):
        move = rng.normal(size=len(driven))
        size = 1e-3
        for _ in range(2):  # once to see how far it goes, once to go 1 cm
            values = q.copy()
            for joint, d in zip(driven, move, strict=True):
                low, high = model.lower[joint.v], model.upper[joint.v]
                values[joint.q] = np.clip(q[joint.q] + size * d, low, high)
            X = kg.pose(model, kg.assemble(model, values, locked=names).q, frame)
            size *= FAR / max(float(np.linalg.norm(X.translation - home)), 1e-6)
            size = min(size, 0.1)
        poses.append(X)
    return poses


def table_1(rounds: int) -> None:
    """Ticks per second of the four robots, and times the rates of 1998."""
    print("CINEGEN's table 1 (pose handle, about 1 cm per tick)")
    for name, hertz in TABLE_1:
        model = kg.load(name).compile()
        q = kg.assemble(model).q
        home = kg.pose(model, q, "tool")
        targets = near_poses(model, q, "tool", TARGETS)
        ours = OurDrag(model, "tool", q)
        seen = check(ours, q, home, targets)
        ours.place(q)
        micros = best_times({name: (2 * len(targets), job(ours, home, targets))}, rounds)[name]
        rate = 1e6 / micros
        note(f"table 1, {name}", micros, "µs")
        loops = len(model.loops)
        print(
            f"  {name:12} {len(model.joints):2} joints {loops} loop{'' if loops == 1 else 's'} "
            f"{micros:6.2f} µs {seen.iterations:5.2f} steps {rate:9,.0f} ticks/s  "
            f"error {seen.missing:.1e}  gap {seen.gap:.1e} m  "
            + verdict(rate / hertz, BAR_TABLE_1, f"× of {BAR_TABLE_1} × {hertz} Hz")
        )


def main() -> int:
    """Print the tables; always 0 unless something does not run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    for case in CASES:
        compare(case, rounds)
    table_1(rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
