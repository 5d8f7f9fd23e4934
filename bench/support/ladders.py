"""Mechanisms that grow: chains, ladders and forests of any size, shared with the tests."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import kinegen as kg
from kinegen.kernels import Floats

__all__ = ["chain", "five_bars", "forest", "four_bars", "rail_angles", "rails"]

ARM, GROUND, CRANK, COUPLER = 2.0, 0.2, 0.15, 0.25
"""Lengths [m]."""
BEND = 2.5
"""How far the lower and the upper half of a chain are bent, each about its own axes [rad]."""
LEAN = math.radians(60)
"""Of the cranks of four-bars."""


def raff(name: str, joints: Sequence[str], handle: str) -> kg.Mechanism:
    """A mechanism from its rows."""
    rows = "".join(f"  - {{{row}}}\n" for row in joints)
    return kg.load(
        f"raff: 1\nname: {name}\njoints:\n{rows}frames:\n  - {{name: handle, {handle}}}\n"
    )


def chain(count: int) -> kg.Mechanism:
    """An arm of hinges; the level ones bend its lower half, the upright ones its upper half."""
    rows, parent, link = [], "base", ARM / count
    for i in range(count):
        place = f"alpha: {90 if i % 2 else -90} deg, d: {link if i else 0!r}"
        bent = (i % 2 == 0) == (i < count // 2)
        rows.append(f"name: j{i}, parent: {parent}, {place}, start: {bent * 4 * BEND / count!r}")
        parent = f"j{i}"
    return raff(f"chain-{count}", rows, f"parent: {parent}, d: {link!r}")


def four_bars(count: int) -> kg.Mechanism:
    """Parallelograms side by side on the ground, each joined to the next."""
    rows = [f"name: A0, parent: base, start: {LEAN!r}"]
    for i in range(1, count + 1):
        rows += [
            f"name: B{i}, parent: A{i - 1}, d: {CRANK}, start: {-LEAN!r}",
            f"name: A{i}, parent: base, d: {i * GROUND!r}, start: {LEAN!r}",
            f"name: C{i}, parent: B{i}, d: {GROUND}, start: {LEAN!r}, "
            f"closes: {{onto: A{i}, d: {CRANK}}}",
        ]
    return raff(f"four-bars-{count}", rows, f"parent: B{count}, d: {GROUND}")


def forest(count: int) -> kg.Mechanism:
    """Parallelograms that share nothing but the ground."""
    rows = []
    for i in range(count):
        rows += [
            f"name: A{i}, parent: base, d: {3 * i * GROUND!r}, start: {LEAN!r}",
            f"name: B{i}, parent: A{i}, d: {CRANK}, start: {-LEAN!r}",
            f"name: D{i}, parent: base, d: {(3 * i + 1) * GROUND!r}, start: {LEAN!r}",
            f"name: C{i}, parent: B{i}, d: {GROUND}, start: {LEAN!r}, "
            f"closes: {{onto: D{i}, d: {CRANK}}}",
        ]
    return raff(f"forest-{count}", rows, "parent: B0")


def five_bars(count: int) -> kg.Mechanism:
    """A tower of five-bars, all with the same joint angles."""
    left, right = math.radians(120), math.radians(60)
    # the left coupler leads from its crank's end to above the middle of the ground
    lean = math.acos((GROUND / 2 - CRANK * math.cos(left)) / COUPLER)
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
    return raff(f"five-bars-{count}", rows, f"parent: {floor}, d: {COUPLER}")


def rail_angles(count: int) -> Floats:
    """Directions of the rails' bars [rad], (count,)."""
    angles: Floats = np.full(count, math.radians(90) - 0.5)
    angles[::2] += 1.0
    return angles


def rails(count: int) -> kg.Mechanism:
    """A zigzag ladder of parallelograms; both rails are chains from the ground."""
    rows, left, right, before = [], "base", "base", 0.0
    for i, angle in enumerate(rail_angles(count).tolist()):
        at_left, at_right = (f"d: {GROUND}, " if i else ""), f"d: {GROUND}, "
        rows += [
            f"name: L{i}, parent: {left}, {at_left}start: {angle - before!r}",
            f"name: R{i}, parent: {right}, {at_right}start: {angle - before!r}",
        ]
        left, right, before = f"L{i}", f"R{i}", angle
        rows += [
            f"name: T{i}, parent: {left}, d: {GROUND}, start: {-angle!r}",
            f"name: C{i}, parent: T{i}, d: {GROUND}, start: {angle!r}, "
            f"closes: {{onto: {right}, d: {GROUND}}}",
        ]
    return raff(f"rails-{count}", rows, f"parent: T{count - 1}")
