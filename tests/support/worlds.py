"""Small worlds for tests."""

from __future__ import annotations

from typing import Any

import kinegen as kg

FALLING = """raff: 1
name: falling
joints: [{name: body, type: free, parent: base, mass: 1, shape: {box: [0.1, 0.1, 0.1]}}]
sensors: [{name: imu, type: imu, parent: body, at: {xyz: [0.02, 0, 0]}}]
"""
ARM = """raff: 1
name: arm
gravity: [0, 0, 0]
joints:
  - {name: A, parent: base, motor: {torque: 5, speed: 10}, mass: 1, shape: {box: [0.4, 0.02, 0.02]}}
"""
WHEEL = """raff: 1
name: wheel
gravity: [0, 0, 0]
joints:
  - {name: W, parent: base, motor: {torque: 5, speed: 20, mode: velocity}, mass: 1,
     shape: {cylinder: [0.1, 0.02]}}
"""


def world(text: str, more: str = "", **options: Any) -> kg.World:
    """A world from a text and more sections of it."""
    return kg.World(text + more, **options)
