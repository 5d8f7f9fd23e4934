"""Small mechanisms and benchmarks for the tests of engines and simulations."""

from __future__ import annotations

from pathlib import Path

import kinegen as kg

__all__ = ["BENCHMARKS", "benchmark", "bob", "double_pendulum", "every_joint", "falling_ball"]

BENCHMARKS = Path(__file__).parents[3] / "examples" / "benchmarks"


def benchmark(name: str) -> kg.Mechanism:
    """An IFToMM benchmark by its file's name."""
    return kg.load(BENCHMARKS / f"{name}.raff")


def bob(**keys: object) -> kg.Mechanism:
    """A pendulum of 1 m and 1 kg in the plane x y, gravity along -y, with keys of its joint."""
    given = "".join(f", {key}: {value}" for key, value in keys.items())
    return kg.load(
        f"""
raff: 1
name: bob
gravity: [0, -9.81, 0]
joints:
  - {{name: A, parent: base, mass: 1, centre: [1, 0, 0], inertia: [0, 0.01, 0.01]{given}}}
"""
    )


def double_pendulum() -> kg.Mechanism:
    """Two links with a spring between their ends and the ground."""
    return kg.load(
        """
raff: 1
name: double
gravity: [0, -9.81, 0]
joints:
  - {name: A, parent: base, mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], start: 20 deg}
  - {name: B, parent: A, d: 1, mass: 2, centre: [0.3, 0, 0], inertia: [0.01, 0.1, 0.1]}
frames:
  - {name: tip, parent: B, d: 0.6}
springs:
  - {name: s, from: {frame: tip}, to: {xyz: [0.5, 1, 0]}, stiffness: 30, rest: 0.5}
  - {name: t, from: {link: A, xyz: [0.5, 0, 0]}, to: {link: B, xyz: [0.1, 0.1, 0]}, stiffness: 10}
"""
    )


def every_joint() -> kg.Mechanism:
    """A chain with every type of joint, on a free base; every link is a body."""
    rows = []
    parent = "base"
    types = ("free", "revolute", "screw", "cylindrical", "universal", "spherical", "planar",
             "prismatic", "fixed")  # fmt: skip
    for i, word in enumerate(types):
        pitch = ", pitch: 0.1" if word == "screw" else ""
        rows.append(
            f"  - {{name: {word}, type: {word}, parent: {parent}, d: 0.3, alpha: {20 * i} deg, "
            f"mass: {1 + 0.1 * i}, centre: [0.1, 0.05, 0], "
            f"inertia: [0.02, 0.03, 0.04, 0.001, 0, 0]{pitch}}}"
        )
        parent = word
    return kg.load("raff: 1\nname: zoo\njoints:\n" + "\n".join(rows) + "\n")


def falling_ball(
    height: float = 1.0, restitution: float = 0.0, velocity: float = 0.0
) -> kg.Mechanism:
    """A ball of 0.1 m above the ground, as an object of a scene."""
    return kg.load(
        f"""
raff: 1
name: ball-scene
joints:
  - {{name: post, type: fixed, parent: base, xyz: [5, 0, 0], mass: 1, shape: none}}
objects:
  - {{name: ball, shape: {{sphere: 0.1}}, at: {{xyz: [0, 0, {height}]}}, mass: 2,
     restitution: {restitution}, friction: 0.5, velocity: [{velocity}, 0, 0]}}
"""
    )
