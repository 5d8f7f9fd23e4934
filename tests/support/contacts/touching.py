"""Scenes in which bodies touch, for the tests of contacts and servos."""

from __future__ import annotations

import itertools
import math

import kinegen as kg

__all__ = ["WHEELS", "ball_on_table", "block_on_incline", "crawl", "turntable"]

WHEELS = ("wheel_front_left", "wheel_front_right", "wheel_rear_left", "wheel_rear_right")
_POST = "{name: post, type: fixed, parent: base, xyz: [50, 0, 0], mass: 1, shape: none}"


def block_on_incline(friction: float, degrees: float) -> kg.Mechanism:
    """A block at rest on a fixed ramp."""
    angle = math.radians(degrees)
    x, z = 0.05 * math.sin(angle), 0.05 * math.cos(angle)
    return kg.load(
        f"""
raff: 1
name: incline
joints:
  - {_POST}
objects:
  - {{name: ramp, shape: {{box: [10, 2, 0.2], xyz: [0, 0, -0.1]}}, fixed: true,
     at: {{rpy: [0, {degrees} deg, 0]}}, friction: {friction}}}
  - {{name: block, shape: {{box: [0.2, 0.2, 0.1]}}, mass: 1, friction: {friction},
     at: {{xyz: [{x}, 0, {z}], rpy: [0, {degrees} deg, 0]}}}}
"""
    )


def ball_on_table(friction: float, speed: float) -> kg.Mechanism:
    """A ball of 50 mm that slides over the ground at first."""
    return kg.load(
        f"""
raff: 1
name: table
joints:
  - {_POST}
objects:
  - {{name: ball, shape: {{sphere: 0.05}}, at: {{xyz: [0, 0, 0.05]}}, mass: 0.2,
     friction: {friction}, velocity: [{speed}, 0, 0]}}
"""
    )


def turntable(motor: str = "true", **keys: object) -> kg.Mechanism:
    """One joint about the vertical with 0.1 kg m² and a motor."""
    given = "".join(f", {key}: {value}" for key, value in keys.items())
    return kg.load(
        f"""
raff: 1
name: turntable
joints:
  - {{name: A, parent: base, mass: 1, centre: [0, 0, 0], inertia: [0.1, 0.1, 0.1],
     motor: {motor}{given}}}
"""
    )


_GAIT = (
    (0.0, (-49, 75, 55)),
    (0.25, (-75, 60, 10)),
    (0.45, (-10, 20, 20)),
    (0.55, (10, 20, 20)),
    (0.85, (-30, 100, 40)),
    (1.0, (-49, 75, 55)),
)
"""Share of the cycle; shoulder, elbow and wrist [deg]: lift, stretch, press, bend."""


def crawl(time: float, period: float = 2.0) -> dict[str, float]:
    """Where the crawler's arm is to be at a time."""
    share = (time % period) / period
    for (a, start), (b, end) in itertools.pairwise(_GAIT):
        if a <= share <= b:
            part = (share - a) / (b - a)
            angles = [math.radians(x + part * (y - x)) for x, y in zip(start, end, strict=True)]
            return dict(zip(("shoulder", "elbow", "wrist"), angles, strict=True))
    raise AssertionError(share)
