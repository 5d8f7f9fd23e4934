"""Worlds of bodies for the tests of the impulse engine."""

from __future__ import annotations

import numpy as np

from kinegen.dynamics.engines.impulse.world import World
from kinegen.kernels import BoundImpulse
from kinegen.kernels.protocols.impulse import BondType, ImpulseTuple

__all__ = ["ball_on_floor", "block_on_incline", "chain", "go"]

TURN = np.array([1.0, 0, 0, 0, 0, -1, 0, 1, 0])
"""Rotation whose z is -y: hinges of chains in the xz plane."""


def chain(count: int, length: float = 0.2, mass: float = 1.0) -> World:
    """Rods one after the other, level, hinged at the origin."""
    world, before = World(), 0
    moment = mass * length**2 / 12
    for i in range(count):
        body = world.add_body(mass, (moment / 100, moment, moment), (length * (i + 0.5), 0, 0))
        at = 0.0 if i == 0 else length / 2
        world.join(BondType.REVOLUTE, before, body, [*TURN, at, 0, 0], [*TURN, -length / 2, 0, 0])
        before = body
    return world


def ball_on_floor(height: float, restitution: float, friction: float = 0.0) -> World:
    """A ball of 0.1 m radius and 1 kg above a floor at 0."""
    world = World()
    ball = world.add_body(1.0, (0.004, 0.004, 0.004), (0, 0, height + 0.1))
    world.touch_plane(
        ball, (0, 0, 0), 0.1, 0, (0, 0, 0), (0, 0, 1), friction=friction, restitution=restitution
    )
    return world


def block_on_incline(angle: float, friction: float, speed: float = 0.0) -> World:
    """A flat block of 1 kg on its four lower corners on a plane that falls along x."""
    world = World()
    half = np.array([0.1, 0.1, 0.02])
    normal = np.array([np.sin(angle), 0, np.cos(angle)])
    down = np.array([np.cos(angle), 0, -np.sin(angle)])
    quat = (np.cos(angle / 2), 0, np.sin(angle / 2), 0)
    moments = (half @ half - half**2) / 3
    block = world.add_body(1.0, moments, half[2] * normal, quat=quat, velocity=speed * down)
    for x in (-1, 1):
        for y in (-1, 1):
            world.touch_plane(
                block, (x * half[0], y * half[1], -half[2]), 0.0, 0, (0, 0, 0), normal,
                friction=friction,
            )  # fmt: skip
    return world


def go(bound: BoundImpulse, steps: int, efforts: np.ndarray | None = None) -> ImpulseTuple:
    """Run without loads."""
    tau = np.zeros(len(bound.v)) if efforts is None else efforts
    return bound.run(steps, tau, np.zeros(0, np.int32), np.zeros((0, 9)))
