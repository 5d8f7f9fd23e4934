"""Mechanisms whose ball joints have swing limits, and speeds at which they meet them."""

from __future__ import annotations

import numpy as np

__all__ = ["BALL_LOOP", "BALL_PENDULUM", "BALL_SPEEDS"]

BALL_PENDULUM = """\
raff: 1
name: ball-pendulum
joints:
  - {name: ball, type: spherical, parent: base, rpy: [180 deg, 0, 0], limits: 40 deg, mass: 1,
     centre: [0.2, 0, 1], inertia: [0.1, 0.1, 0.02]}
"""
# a swing on two rods: its loop is cut at a ball with a limit
BALL_LOOP = """\
raff: 1
name: ball-loop
joints:
  - {name: A, type: spherical, parent: base, rpy: [180 deg, 0, 0], mass: 1, centre: [0, 0, 0.5],
     inertia: [0.1, 0.1, 0.02]}
  - {name: B, type: spherical, parent: base, xyz: [1, 0, 0], rpy: [180 deg, 0, 0], mass: 1,
     centre: [0, 0, 0.5], inertia: [0.1, 0.1, 0.02]}
  - {name: C, type: spherical, parent: A, xyz: [0, 0, 1], mass: 1, centre: [0.5, 0, 0],
     inertia: [0.02, 0.1, 0.1]}
  - {name: D, type: spherical, parent: B, xyz: [0, 0, 1], closes: {onto: C, xyz: [1, 0, 0]},
     limits: 40 deg}
"""
BALL_SPEEDS = np.array([9.0, 12, 3, 9, 12, 0, -9, 12, 0, -9, 12, 0])
"""Speeds that lead them onto their cones within some steps of 1 ms; loops take their part."""
