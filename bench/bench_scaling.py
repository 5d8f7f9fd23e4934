"""How the cost of a tick grows: chains of 10 to 1000 joints, ladders of 1 to 100 loops.

Run ``python bench/bench_scaling.py [--rounds N]``. Three families, all of equal parts:

- *chain*: hinges in turns level and upright, 0.1 m apart, bent to an arc; the tip is dragged by its
  pose. nv freedoms, no loop.
- *four-bars*: cranks on the ground side by side, each joined to the next by a coupler (the N-four-bar
  of the IFToMM benchmarks); the last coupler is dragged by its point. One freedom, N loops.
- *five-bars*: a tower, each five-bar standing on a coupler of the one below; the top is dragged by
  its point. Two freedoms and one loop per storey.

A tick goes to a target 1 cm away (and 3° for the chain) and back, as in ``bench_drag.py``. Printed
are times per tick and per Newton step, and the exponent of a straight line through the logarithms:
1 is linear growth. Timing decides nothing.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from bench_drag import OurDrag, check, job, nearby
from peers import best_times

import kinegen as kg
from kinegen.kernels import Floats

JOINTS = (10, 30, 100, 300, 1000)
LOOPS = (1, 3, 10, 30, 100)
TARGETS = 20
LINK, GROUND, CRANK, COUPLER = 0.1, 0.2, 0.15, 0.25
"""Lengths [m]."""
BEND = 1.2
"""Sum of a chain's starting angles about each of its two kinds of axes [rad]."""
LINEAR = 1.15
"""Exponents up to this count as about linear."""


@dataclass(frozen=True)
class Scene:
    """A mechanism of a family, ready to be dragged."""

    model: kg.Model
    q: Floats
    targets: list[kg.SE3]
    rotation: bool


def raff(name: str, joints: Sequence[str], handle: str) -> kg.Model:
    """A mechanism from its rows."""
    rows = "".join(f"  - {{{row}}}\n" for row in joints)
    return kg.load(
        f"raff: 1\nname: {name}\njoints:\n{rows}frames:\n  - {{name: handle, {handle}}}\n"
    ).compile()


def chain(count: int) -> Scene:
    """An arc of hinges."""
    rows, parent = [], "base"
    for i in range(count):
        place = f"alpha: {90 if i % 2 else -90} deg, d: {LINK if i else 0}"
        rows.append(f"name: j{i}, parent: {parent}, {place}, start: {2 * BEND / count!r}")
        parent = f"j{i}"
    model = raff(f"chain-{count}", rows, f"parent: {parent}, d: {LINK}")
    q = model.start()
    return Scene(model, q, nearby(kg.pose(model, q, "handle"), range(6), TARGETS), True)


def four_bars(count: int) -> Scene:
    """Parallelograms side by side on the ground."""
    angle = math.radians(60)
    rows = [f"name: A0, parent: base, start: {angle!r}"]
    for i in range(1, count + 1):
        rows += [
            f"name: B{i}, parent: A{i - 1}, d: {CRANK}, start: {-angle!r}",
            f"name: A{i}, parent: base, d: {i * GROUND!r}, start: {angle!r}",
            f"name: C{i}, parent: B{i}, d: {GROUND}, start: {angle!r}, "
            f"closes: {{onto: A{i}, d: {CRANK}}}",
        ]
    model = raff(f"four-bars-{count}", rows, f"parent: B{count}, d: {GROUND}")
    q = kg.assemble(model).q
    home = kg.pose(model, q, "handle")
    # its only way is along the crank's circle
    turns = np.random.default_rng(5).uniform(0.5, 1, TARGETS) * 0.01 / CRANK
    centre = home.translation - CRANK * np.array([math.cos(angle), math.sin(angle), 0])
    targets = [
        kg.SE3(home.so3, centre + CRANK * np.array([math.cos(angle + t), math.sin(angle + t), 0]))
        for t in turns
    ]
    return Scene(model, q, targets, False)


def five_bars(count: int) -> Scene:
    """A tower of five-bars, all with the same joint angles."""
    left, right = math.radians(120), math.radians(60)
    # the couplers' top, seen from the left crank: half the ground across, above both crank ends
    crank_x, crank_y = CRANK * math.cos(left), CRANK * math.sin(left)
    across = GROUND / 2 - crank_x
    lean = math.acos(across / COUPLER)
    # the next storey stands on the left coupler's end, level again
    end_x = COUPLER + GROUND * math.cos(lean)
    end_y = -GROUND * math.sin(lean)
    far, aside = math.hypot(end_x, end_y), math.atan2(end_y, end_x)
    rows, floor = [], "base"
    for i in range(count):
        at_left, at_right = "", f"d: {GROUND}, "
        if i:
            at_left = f"d: {COUPLER}, theta: {-lean!r}, "
            at_right = f"gamma: {aside!r}, d: {far!r}, theta: {-lean - aside!r}, "
        rows += [
            f"name: A{i}, parent: {floor}, {at_left}start: {left!r}",
            f"name: B{i}, parent: A{i}, d: {CRANK}, start: {lean - left!r}",
            f"name: E{i}, parent: {floor}, {at_right}start: {right!r}",
            f"name: D{i}, parent: E{i}, d: {CRANK}, start: {math.pi - lean - right!r}",
            f"name: C{i}, parent: B{i}, d: {COUPLER}, start: {math.pi - 2 * lean!r}, "
            f"closes: {{onto: D{i}, d: {COUPLER}}}",
        ]
        floor = f"B{i}"
    model = raff(f"five-bars-{count}", rows, f"parent: {floor}, d: {COUPLER}")
    q = kg.assemble(model).q
    return Scene(model, q, nearby(kg.pose(model, q, "handle"), (0, 1), TARGETS), False)


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
        report = ours.dragger.tick()
        run = job(ours, home, scene.targets)
        micros = best_times({name: (2 * len(scene.targets), run)}, rounds)[name]
        ticks.append(micros)
        steps.append(micros / max(seen.iterations, 1))
        print(
            f"  {count:5} {what:6} nv {scene.model.nv:4}, {report[2]:4} freedoms: "
            f"{micros:9.1f} per tick, {seen.iterations:5.2f} steps, {steps[-1]:9.2f} per step, "
            f"{1000 * steps[-1] / count:8.1f} ns per step and {what[:-1]}, error {seen.missing:.0e}, "
            f"gap {seen.gap:.0e} m, made in {made:.2f} s",
            flush=True,
        )
    for label, values in (("tick", ticks), ("step", steps)):
        x, y = np.log(counts), np.log(values)
        between = ", ".join(f"{e:.2f}" for e in np.diff(y) / np.diff(x))
        # small ones cost mostly what every call costs, so the line goes through the larger half
        exponent = float(np.polyfit(x[1:], y[1:], 1)[0])
        last = float((y[-1] - y[-2]) / (x[-1] - x[-2]))
        linear = max(exponent, last) <= LINEAR
        print(
            f"  exponent per {label}: {exponent:.2f} (between sizes: {between}), bar about linear: "
            + ("met" if linear else "missed")
        )


def main() -> int:
    """Print the tables; always 0 unless something does not run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    grow("chain", chain, JOINTS, "joints", rounds)
    grow("four-bars", four_bars, LOOPS, "loops", rounds)
    grow("five-bars", five_bars, LOOPS, "loops", rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
