"""Paths: 1000 points planned and checked, for arms in closed form, by the solver, and with loops.

Run ``python -m bench.kinematics.path [--rounds N]``. Planned and checked means: curve sampled
evenly, every point solved with the branch kept, speeds and accelerations, singular crossings. The
bar is 50 ms for a 6R. Timing decides nothing: the bars are printed as met or missed.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass

import kinegen as kg
from bench.support.notes import note

POINTS = 1000
BAR = 0.05
"""[s]"""


@dataclass(frozen=True)
class Case:
    """A mechanism and its curve."""

    mechanism: str
    frame: str
    curve: kg.curves.Curve
    rotation: kg.SO3 | None = None
    bar: float | None = None


DOWN = kg.SO3.from_rpy(math.pi, 0, 0)
CASES = [
    Case("ur5e", "tool", kg.curves.circle([0.35, 0.1, 0.3], 0.1), DOWN, BAR),
    Case("puma560", "tool", kg.curves.circle([0.45, 0.1, 0.3], 0.1), DOWN, BAR),
    Case("ur5e", "tool", kg.curves.circle([0.35, 0.1, 0.3], 0.1), None, BAR),
    Case("franka", "tool", kg.curves.circle([0.35, 0.1, 0.3], 0.1)),
    Case("lynx6", "tool", kg.curves.pipe_seam(0.04, 0.045, [0.15, 0.15, 0.1])),
    Case("five-bar", "handle", kg.curves.ellipse_by_corners([0.05, 0.25, 0], [0.15, 0.35, 0])),
    Case("stewart", "handle", kg.curves.circle([0, 0, 2.1], 0.2)),
]


def main() -> None:
    """Print a line per case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    for case in CASES:
        model = kg.load(case.mechanism).compile()
        best = math.inf
        for _ in range(rounds):
            begin = time.perf_counter()
            path = kg.follow(model, case.curve, frame=case.frame, points=POINTS, tool=case.rotation)
            best = min(best, time.perf_counter() - begin)
        held = "pose" if case.rotation else "point"
        note(f"{case.mechanism}, {held}", best * 1000, "ms")
        verdict = "" if case.bar is None else " met" if best <= case.bar else " MISSED"
        bar = f", bar {case.bar * 1000:.0f} ms:{verdict}" if case.bar else ""
        print(
            f"{case.mechanism:10} {held:5} {path.reachable_count:5} of {len(path)} points "
            f"{best * 1000:7.1f} ms{bar}"
        )


if __name__ == "__main__":
    main()
