"""Bounds of a world's targets and signals, from the limits, ranges and motors of its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kinegen.dynamics.motors.motor import Mode
from kinegen.errors import UsageError, unknown_name
from kinegen.gym.motor_actions import FREE_SPEED, position_range
from kinegen.kernels import Floats
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.world.bodies.island import Island
from kinegen.world.world import World

__all__ = ["observation_bounds", "target_bounds"]

ANY = float(np.finfo(np.float32).max) / 4
"""Bound of signals of which nothing is known: finite, as learning algorithms want it."""
TIMES = 20.0
"""Bound of observed positions without limits, against what actions can ask for."""


def target_bounds(world: World, joints: Sequence[str]) -> tuple[Floats, Floats]:
    """Least and greatest targets of motors, (joints,), as their modes say."""
    rows = []
    for name in joints:
        island, joint = world.stage.joint(name)
        if joint.v.stop - joint.v.start != 1:
            raise UsageError(
                f"joint '{name}' has several variables: leave it to an agent, or name other joints"
            )
        rows.append(_target_range(island, joint))
    table = np.array(rows)
    return table[:, 0], table[:, 1]


def observation_bounds(
    world: World, names: Sequence[str], given: Mapping[str, tuple[float, float]]
) -> tuple[Floats, Floats]:
    """Least and greatest values of signals, one after another."""
    for name in given:
        if name not in names:
            raise unknown_name("signal", name, "the observations", names)
    low, high = [], []
    for name in names:
        signal = world.signals[name]
        least, most = given[name] if name in given else _signal_range(world, name)
        if not least < most:
            raise UsageError(f"bounds of '{name}' must be two rising numbers, got {least}, {most}")
        size = int(np.prod(signal.shape or ()))
        low.append(np.full(size, float(least)))
        high.append(np.full(size, float(most)))
    return np.concatenate(low), np.concatenate(high)


def _target_range(island: Island, joint: ModelJoint) -> tuple[float, float]:
    servos, i = island.simulation.servos, joint.v.start
    assert servos is not None
    motors, size = servos.motors, 1.0
    if joint.type.info.variables[0][1] != "angle":
        size = island.model.size
    mode = motors.modes[i]
    if mode is Mode.VELOCITY:
        speed = float(motors.speed[i])
        speed = speed if np.isfinite(speed) else FREE_SPEED * size
        return -speed, speed
    if mode is Mode.TORQUE:
        effort = float(motors.effort_at_rest[i])
        if not np.isfinite(effort):
            raise UsageError(
                f"the motor of joint '{joint.name}' has no largest torque to bound actions by: "
                "specify one, as in 'motor: {torque: 2 N m}'"
            )
        return -effort, effort
    return position_range(island.model, joint, 0, island.state.q)


def _signal_range(world: World, name: str) -> tuple[float, float]:
    """What is known of a signal's range."""
    owner, _, key = name.rpartition(".")
    for island in world.islands:
        for joint in island.model.joints:
            if joint.name == owner and joint.v.stop - joint.v.start == 1:
                if key == "position":
                    return position_range(island.model, joint, 0, island.state.q, TIMES)
                speed = float(island.model.blocks.real_part("speed")[joint.v.start])
                if key == "velocity" and np.isfinite(speed):
                    return -2 * speed, 2 * speed
    rows = {row["name"]: row for row in world.mechanism.scene.get("sensors", ())}
    row = rows.get(owner, {})
    if row.get("type") in ("distance", "lidar"):
        far = row["range"][1] if "range" in row else None
        # noise may add to what is measured
        return -1.0, world.stage.number(far, 10.0) + 1.0
    if key in ("orientation", "pressed"):
        return -1.0, 1.0
    return -ANY, ANY
