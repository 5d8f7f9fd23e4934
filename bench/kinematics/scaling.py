"""How the cost of a tick grows: chains of 10 to 1000 joints, ladders of 1 to 100 loops.

Run ``python -m bench.kinematics.scaling [--rounds N]``. Four families:

- *chain*: an arm of 2 m cut into more and more hinges, level and upright in turns, bent to an S in
  space; the tip is dragged by its pose. nv degrees of freedom, no loop.
- *four-bars*: cranks on the ground side by side, each joined to the next by a coupler (the
  N-four-bar of the IFToMM benchmarks); the last coupler is dragged by its point. One degree of
  freedom.
- *five-bars*: a tower, each five-bar standing on a coupler of the one below; the top is dragged by
  its point. Two degrees of freedom per loop.
- *rails*: a ladder of hinged rails and rungs, both rails written as chains from the ground, so that
  the tree leads from one end of a loop's cut joint to the other only by the ground; the solver goes
  by the rung below. The top rung is dragged by its point. One degree of freedom per loop.

A tick goes to a target 1 cm away (and 3° for the chain) and back, as in ``kinematics/drag.py``.
Printed are times per tick and per Newton step, and the exponent of a straight line through the
logarithms: 1 is linear growth. Timing decides nothing.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import kinegen as kg
from bench.kinematics.drag import OurDrag, check, job, nearby
from bench.support import ladders
from bench.support.ladders import CRANK, GROUND, LEAN
from bench.support.notes import note
from bench.support.peers import best_times
from kinegen.kernels import Floats

JOINTS = (10, 30, 100, 300, 1000)
LOOPS = (1, 3, 10, 30, 100)
TARGETS = 20
LINEAR = 1.15
"""Exponents up to this count as about linear."""


@dataclass(frozen=True)
class Scene:
    """A mechanism of a family, ready to be dragged."""

    model: kg.Model
    q: Floats
    targets: list[kg.SE3]
    rotation: bool


def chain(count: int) -> Scene:
    """An arm that is dragged by its pose."""
    model = ladders.chain(count).compile()
    q = model.start()
    return Scene(model, q, nearby(kg.pose(model, q, "handle"), range(6), TARGETS), True)


def four_bars(count: int) -> Scene:
    """Parallelograms side by side on the ground."""
    model = ladders.four_bars(count).compile()
    q = kg.assemble(model).q
    home = kg.pose(model, q, "handle")
    # its only way is along the crank's circle
    turns = np.random.default_rng(5).uniform(0.5, 1, TARGETS) * 0.01 / CRANK
    centre = home.translation - CRANK * np.array([math.cos(LEAN), math.sin(LEAN), 0])
    targets = [
        kg.SE3(home.so3, centre + CRANK * np.array([math.cos(LEAN + t), math.sin(LEAN + t), 0]))
        for t in turns
    ]
    return Scene(model, q, targets, False)


def five_bars(count: int) -> Scene:
    """A tower of five-bars."""
    model = ladders.five_bars(count).compile()
    q = kg.assemble(model).q
    return Scene(model, q, nearby(kg.pose(model, q, "handle"), (0, 1), TARGETS), False)


def rails(count: int) -> Scene:
    """A zigzag ladder of parallelograms; both rails are chains from the ground."""
    model, angles = ladders.rails(count).compile(), ladders.rail_angles(count)
    q = kg.assemble(model).q
    home = kg.pose(model, q, "handle")
    # rungs stay level, so the top is the sum of the rails' bars: turn these a little
    rng = np.random.default_rng(6)
    targets = []
    for _ in range(TARGETS):
        way = 1e-3 * rng.normal(size=count)
        way *= 0.01 / float(np.linalg.norm(_bars(angles + way) - _bars(angles)))
        moved = home.translation + _bars(angles + way) - _bars(angles)
        targets.append(kg.SE3(home.so3, moved))
    return Scene(model, q, targets, False)


def _bars(angles: Floats) -> Floats:
    x, y = float(np.cos(angles).sum()), float(np.sin(angles).sum())
    return np.array([GROUND * x, GROUND * y, 0.0])


def grow(
    name: str, make: Callable[[int], Scene], counts: Sequence[int], what: str, rounds: int
) -> None:
    """One family: a line per size, then the exponents."""
    print(f"{name}: µs by {what}")
    ticks, steps = [], []
    for count in counts:
        begin = time.thread_time()
        scene = make(count)
        made = time.thread_time() - begin
        home = kg.pose(scene.model, scene.q, "handle")
        ours = OurDrag(scene.model, "handle", scene.q, rotation=scene.rotation)
        seen = check(ours, scene.q, home, scene.targets)
        ours.step(ours.target(scene.targets[0]))
        ours.step(ours.target(home))
        dof = ours.report.dof
        run = job(ours, home, scene.targets)
        micros = best_times({name: (2 * len(scene.targets), run)}, rounds)[name]
        ticks.append(micros)
        note(f"{name}, {count} {what}", micros, "µs")
        steps.append(micros / max(seen.iterations, 1))
        print(
            f"  {count:5} {what:6} nv {scene.model.nv:4}, {dof:4} dof: "
            f"{micros:9.1f} per tick, {seen.iterations:5.2f} steps, {steps[-1]:9.2f} per step, "
            f"{1000 * steps[-1] / count:8.1f} ns per step and {what[:-1]}, "
            f"error {seen.missing:.0e}, gap {seen.gap:.0e} m, made in {made:.2f} s",
            flush=True,
        )
    for label, values in (("tick", ticks), ("step", steps)):
        x, y = np.log(counts), np.log(values)
        between = ", ".join(f"{e:.2f}" for e in np.diff(y) / np.diff(x))
        # the smallest cost mostly what every call costs, so the line leaves them out
        exponent = float(np.polyfit(x[1:], y[1:], 1)[0])
        print(
            f"  exponent per {label}: {exponent:.2f} (between sizes: {between}), bar about linear: "
            + ("met" if exponent <= LINEAR else "missed")
        )


def main() -> int:
    """Print the tables; always 0 unless something does not run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    grow("chain", chain, JOINTS, "joints", rounds)
    grow("four-bars", four_bars, LOOPS, "loops", rounds)
    grow("five-bars", five_bars, LOOPS, "loops", rounds)
    grow("rails", rails, LOOPS, "loops", rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
