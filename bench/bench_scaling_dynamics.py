"""How the cost of a step grows: chains of 10 to 300 hinges, ladders of 3 to 100 loops, forests.

Run ``python bench/bench_scaling_dynamics.py [--rounds N] [--out FILE.svg]``. One RK4 step of 1 ms of
our engine *reduced* and of MuJoCo, both inside their own loops, from the same masses, gravity and
start; and our forward dynamics, once, of the mechanism's tree. Families:

- *chain*, *four-bars*, *five-bars*, *rails*: those of ``bench_scaling.py``, falling.
- *forest*: four-bars side by side that share nothing but the ground.

Printed are times per step and the exponent of a straight line through the logarithms without the
smallest size: 1 is linear growth. Timing decides nothing: bars are printed as met or missed.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from bench_scaling import CRANK, GROUND, LINEAR, chain, five_bars, four_bars, raff, rails
from peers import best_times, find

import kinegen as kg
from kinegen.dynamics.reduced import ReducedEngine
from kinegen.dynamics.system import System

STEP = 1e-3
JOINTS = (10, 30, 100, 300)
LOOPS = (3, 10, 30, 100)
CALLS = 5.0
"""Forward dynamics that a step of a tree may cost."""
WORK = 3e4
"""About how long a job lasts [µs]: enough steps for that."""


def forest(count: int) -> kg.Mechanism:
    """Four-bars that share the ground alone."""
    angle, rows = math.radians(60), []
    for i in range(count):
        rows += [
            f"name: A{i}, parent: base, d: {3 * i * GROUND!r}, start: {angle!r}",
            f"name: B{i}, parent: A{i}, d: {CRANK}, start: {-angle!r}",
            f"name: D{i}, parent: base, d: {(3 * i + 1) * GROUND!r}, start: {angle!r}",
            f"name: C{i}, parent: B{i}, d: {GROUND}, start: {angle!r}, "
            f"closes: {{onto: D{i}, d: {CRANK}}}",
        ]
    return raff(f"forest-{count}", rows, "parent: B0")


FAMILIES: dict[str, tuple[Callable[[int], kg.Mechanism], Sequence[int], str]] = {
    "chain": (lambda count: chain(count).mechanism, JOINTS, "hinges"),
    "four-bars": (lambda count: four_bars(count).mechanism, LOOPS, "loops"),
    "five-bars": (lambda count: five_bars(count).mechanism, LOOPS, "loops"),
    "rails": (lambda count: rails(count).mechanism, LOOPS, "loops"),
    "forest": (forest, LOOPS, "loops"),
}


class Scene:
    """A falling mechanism, ready to be stepped by each engine."""

    def __init__(self, mechanism: kg.Mechanism, mujoco: bool) -> None:
        self.system = System.of(mechanism, gravity=(0.3, -9.81, 0.0))
        self.model = self.system.model
        self.ours = ReducedEngine(self.system, STEP, integrator="rk4", stops=False)
        self.theirs = None
        if mujoco:
            from kinegen.dynamics.mujoco_engine import MujocoEngine

            self.theirs = MujocoEngine(self.system, STEP, integrator="rk4")

    def jobs(self) -> dict[str, tuple[int, Callable[[], object]]]:
        """What is timed, with how many calls."""
        q, v = self.ours.q, np.zeros(self.model.nv)

        def ours() -> None:
            self.ours.reset()
            self.ours.advance(None, steps)

        def forward() -> None:
            for _ in range(calls):
                kg.forward_dynamics(self.model, q, v, v)

        def theirs() -> None:
            assert self.theirs is not None
            self.theirs.reset()
            self.theirs._mj.mj_step(self.theirs._twin.model, self.theirs._data, steps)

        steps, calls = 3, 10
        once = best_times({"ours": (steps, ours)}, 2)["ours"]
        steps = max(3, min(1000, int(WORK / once)))
        calls = 100
        jobs: dict[str, tuple[int, Callable[[], object]]] = {
            "reduced": (steps, ours),
            "forward": (calls, forward),
        }
        if self.theirs is not None:
            jobs["mujoco"] = steps, theirs
        return jobs


def exponent(counts: Sequence[int], times: Sequence[float]) -> float:
    """Slope of the line through the logarithms, the smallest size left out."""
    return float(np.polyfit(np.log(counts[1:]), np.log(times[1:]), 1)[0])


def grow(name: str, rounds: int, mujoco: bool) -> dict[str, tuple[list[int], list[float]]]:
    """One family: a line per size, then the exponents; curves by engine."""
    make, counts, what = FAMILIES[name]
    print(f"{name}: µs per RK4 step of {STEP * 1000:g} ms by {what}")
    curves: dict[str, tuple[list[int], list[float]]] = {}
    for count in counts:
        scene = Scene(make(count), mujoco)
        times = best_times(scene.jobs(), rounds)
        report = scene.ours.advance(None, 0)
        for key, value in times.items():
            curves.setdefault(key, ([], []))[0].append(count)
            curves[key][1].append(value)
        shares = f"{times['reduced'] / times['forward']:6.1f} forward dynamics"
        if "mujoco" in times:
            shares += f", MuJoCo {times['mujoco']:10.1f}"
        print(
            f"  {count:4} {what:6} nv {scene.model.nv:4}: {times['reduced']:10.1f} = {shares}; "
            f"gap {report.gap:.0e} m",
            flush=True,
        )
    for key, (sizes, values) in curves.items():
        slope = exponent(sizes, values)
        bar = "" if key != "reduced" else ", about linear: " + ("met" if slope <= LINEAR else "missed")
        print(f"  exponent of {key}: {slope:.2f}{bar}")
    if name == "chain":
        costs = max(a / b for a, b in zip(curves["reduced"][1], curves["forward"][1], strict=True))
        print(f"  at most {CALLS:g} forward dynamics per step: {'met' if costs <= CALLS else 'missed'}")
    return curves


def main() -> None:
    """Print the tables, and draw them if asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--family", choices=FAMILIES, action="append")
    parser.add_argument("--no-mujoco", action="store_true")
    options = parser.parse_args()
    mujoco = not options.no_mujoco and find("mujoco") is not None
    for name in options.family or FAMILIES:
        grow(name, options.rounds, mujoco)


if __name__ == "__main__":
    main()
