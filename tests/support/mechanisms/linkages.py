"""Small mechanisms with known singular poses, and their closed-form configurations."""

from __future__ import annotations

import math

import numpy as np

import kinegen as kg
from kinegen.mechanism.load import library_file

__all__ = ["ARM", "UNCOUPLED", "five_bar_q", "four_bar", "ladder", "rocker_at_dead_point"]

UNCOUPLED = [
    name
    for name in kg.library_names()
    if not {"couplings:", "follows:", "curve,"} & set(library_file(name).read_text("utf-8").split())
]
"""Library mechanisms without couplings; the others, some of which gravity does not move, have tests
of their own in ``tests/twins/engines/test_couplings.py``."""

ARM = """raff: 1
name: arm
joints:
  - {name: A, parent: base, motor: true, start: 30 deg}
  - {name: B, parent: A, d: 0.3, motor: true, start: 40 deg}
frames:
  - {name: tip, parent: B, d: 0.25}
"""


def four_bar(ground: float, crank: float, coupler: float, rocker: float) -> kg.Model:
    """A four-bar with its motor at the crank; its file's start is not closed."""
    return kg.load(f"""raff: 1
name: linkage
joints:
  - {{name: crank, parent: base, motor: true}}
  - {{name: coupler, parent: crank, d: {crank}}}
  - {{name: rocker, parent: base, d: {ground}}}
  - {{name: pin, parent: coupler, d: {coupler}, closes: {{onto: rocker, d: {rocker}}}}}
frames:
  - {{name: handle, parent: coupler, d: {coupler / 2}}}
""").compile()


def five_bar_q(
    model: kg.Model, handle: tuple[float, float], left: int = 1, right: int = 1
) -> np.ndarray:
    """The five-bar with its handle at a place; signs: which way each leg bends."""
    ground, crank, coupler = (model.parameters[name] for name in ("ground", "crank", "coupler"))

    def leg(foot: float, side: int) -> tuple[float, float]:
        x, y = handle[0] - foot, handle[1]
        cosine = (x * x + y * y - crank**2 - coupler**2) / (2 * crank * coupler)
        knee = side * math.acos(min(1.0, max(-1.0, cosine)))
        lean = math.atan2(coupler * math.sin(knee), crank + coupler * math.cos(knee))
        return math.atan2(y, x) - lean, knee

    (A, B), (E, D) = leg(0.0, left), leg(ground, right)
    return kg.configuration(model, {"A": A, "B": B, "E": E, "D": D, "C": E + D - A - B})


def rocker_at_dead_point(model: kg.Model) -> np.ndarray:
    """The library's four-bar with crank and coupler stretched in a line."""
    ground, crank, coupler, rocker = (
        model.parameters[name] for name in ("ground", "crank", "coupler", "rocker")
    )
    reach = crank + coupler
    theta = math.acos((ground**2 + reach**2 - rocker**2) / (2 * ground * reach))
    end = reach * np.array([math.cos(theta), math.sin(theta)])
    swing = math.atan2(end[1], end[0] - ground)
    return kg.configuration(
        model, {"crank": theta, "coupler": 0.0, "rocker": swing, "pin": swing - theta}
    )


def ladder(rungs: int, *, spatial: bool) -> kg.Model:
    """A zigzag ladder whose rails are chains from the ground; two rungs cut right, two left, …

    Flat, all joints are hinges; in space rails bend both ways and rungs sit on balls.
    """
    rail, ball = ("type: universal, ", "type: spherical, ") if spatial else ("", "")
    bent, turned = ("[{}, 0]", "[0, 0, {}]") if spatial else ("{}", "{}")
    rows, left, right, before = [], "base", "base", 0.0
    for i in range(rungs):
        angle = math.radians(70 + 40 * (i % 2))
        start = bent.format(angle - before)
        at = (0.3, 0.3) if i else (0.0, 0.2)
        rows += [
            f"name: L{i}, {rail}parent: {left}, d: {at[0]}, start: {start}",
            f"name: R{i}, {rail}parent: {right}, d: {at[1]}, start: {start}",
        ]
        left, right, before = f"L{i}", f"R{i}", angle
        near, far, back = (right, left, math.pi) if i % 4 > 1 else (left, right, 0.0)
        rows += [
            f"name: rung{i}, {ball}parent: {near}, d: 0.3, start: {turned.format(back - angle)}",
            f"name: cut{i}, {ball}parent: rung{i}, d: 0.2, start: {turned.format(angle - back)}, "
            f"closes: {{onto: {far}, d: 0.3}}",
        ]
    text = "".join(f"  - {{{row}}}\n" for row in rows)
    return kg.load(
        f"raff: 1\nname: ladder\njoints:\n{text}frames:\n"
        f"  - {{name: top, parent: rung{rungs - 1}, d: 0.1}}\n"
    ).compile()
