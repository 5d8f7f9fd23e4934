"""How the cost of a step grows: chains of 10 to 300 hinges, ladders of 3 to 100 loops, forests.

Run ``python -m bench.dynamics.scaling_dynamics [--rounds N] [--out FILE.svg]``. Timed are one RK4
step of 1 ms of our engine *reduced* and of MuJoCo, both inside their own loops, from the same
masses, gravity and start; and our forward dynamics, once, of the mechanism's tree. Families:

- *chain*, *four-bars*, *five-bars*, *rails*: those of ``kinematics/scaling.py``, falling.
- *forest*: four-bars side by side that share nothing but the ground.

Printed are times per step and the exponent of a straight line through the logarithms without the
smallest size: 1 is linear growth. Timing decides nothing: bars are printed as met or missed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import kinegen as kg
from bench.kinematics.scaling import LINEAR
from bench.support.ladders import chain, five_bars, forest, four_bars, rails
from bench.support.notes import note
from bench.support.peers import best_times, find
from kinegen.dynamics.engines.reduced.engine import ReducedEngine
from kinegen.dynamics.simulation.system import System
from kinegen.files import write_atomically
from kinegen.formats.drawing.canvas import canvas_for
from kinegen.formats.drawing.chart import Box, Line, draw_chart

STEP = 1e-3
JOINTS = (10, 30, 100, 300)
LOOPS = (3, 10, 30, 100)
CALLS = 5.0
"""Forward dynamics that a step of a tree may cost."""
WORK = 3e4
"""About how long a job lasts [µs]: enough steps for that."""


FAMILIES: dict[str, tuple[Callable[[int], kg.Mechanism], Sequence[int], str]] = {
    "chain": (chain, JOINTS, "hinges"),
    "four-bars": (four_bars, LOOPS, "loops"),
    "five-bars": (five_bars, LOOPS, "loops"),
    "rails": (rails, LOOPS, "loops"),
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
            from kinegen.dynamics.engines.mujoco.engine import MujocoEngine

            self.theirs = MujocoEngine(self.system, STEP, integrator="rk4")

    def jobs(self) -> dict[str, tuple[int, Callable[[], object]]]:
        """What is timed, with how many calls."""
        q, v = self.ours.q, np.zeros(self.model.nv)

        def ours() -> None:
            self.ours.reset()
            self.ours.advance(None, steps)

        def forward() -> None:
            for _ in range(calls):
                kg.dynamics.forward_dynamics(self.model, q, v, v)

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
        for engine, spent in times.items():
            note(f"{name}, {count} {what}, {engine}", spent, "µs")
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
        bar = (
            ""
            if key != "reduced"
            else ", about linear: " + ("met" if slope <= LINEAR else "missed")
        )
        print(f"  exponent of {key}: {slope:.2f}{bar}")
    if name == "chain":
        costs = max(a / b for a, b in zip(curves["reduced"][1], curves["forward"][1], strict=True))
        met = "met" if costs <= CALLS else "missed"
        print(f"  at most {CALLS:g} forward dynamics per step: {met}")
    return curves


def draw(families: dict[str, dict[str, tuple[list[int], list[float]]]], file: Path) -> None:
    """One chart per family, both axes by their logarithms."""
    high, wide = 240, 640
    canvas = canvas_for(file.suffix, wide, high * len(families), "Cost of a step")
    for n, (name, curves) in enumerate(families.items()):
        sizes = next(iter(curves.values()))[0]
        draw_chart(
            canvas,
            Box(60, high * n + 40, wide - 260, high - 80),
            np.log10(sizes),
            [
                Line(f"{key}, exponent {exponent(counts, times):.2f}", np.log10(times))
                for key, (counts, times) in curves.items()
            ],
            title=f"{name} by the logarithm of the number of {FAMILIES[name][2]}: cost of a step",
            unit="log µs",
            along="",
        )
    write_atomically(file, canvas.finish())


def main() -> None:
    """Print the tables, and draw them if asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--family", choices=FAMILIES, action="append")
    parser.add_argument("--no-mujoco", action="store_true")
    parser.add_argument("--out", type=Path, metavar="FILE", help="chart: .svg, .pdf or .png")
    options = parser.parse_args()
    mujoco = not options.no_mujoco and find("mujoco") is not None
    found = {name: grow(name, options.rounds, mujoco) for name in options.family or FAMILIES}
    if options.out:
        draw(found, options.out)


if __name__ == "__main__":
    main()
