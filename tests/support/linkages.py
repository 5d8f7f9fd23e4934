"""Small mechanisms with known singular poses, and their closed-form configurations."""

from __future__ import annotations

import math

import numpy as np

import kinegen as kg

__all__ = ["ARM", "five_bar_q", "four_bar", "rocker_at_dead_point"]

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
