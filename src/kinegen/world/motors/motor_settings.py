"""MotorSettings: motors of a world by name, changed while it runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from kinegen.dynamics.motors.motor import Mode
from kinegen.dynamics.motors.servos import Drive
from kinegen.dynamics.simulation.system import is_number
from kinegen.errors import UsageError, unknown_name

if TYPE_CHECKING:
    from kinegen.world.bodies.island import Island
    from kinegen.world.world import World

__all__ = ["motor_place", "set_motor"]


def set_motor(world: World, name: str, changes: Mapping[str, Any]) -> Drive:
    """Change a motor; arguments as for :meth:`World.set_motor`."""
    island, v = motor_place(world, name)
    known = [one.name for one in fields(Drive)]
    for key in changes:
        if key not in known:
            raise unknown_name("setting", key, f"motor '{name}'", known)
    made = {key: _checked(name, key, value) for key, value in changes.items()}
    assert island.actuators is not None and island.simulation.servos is not None
    drive = replace(island.simulation.servos.drive(v), **made)
    island.actuators.set_drive(island.simulation, v, drive)
    return drive


def motor_place(world: World, name: str) -> tuple[Island, int]:
    """The island of a motor and its place in v, by the name of its joint or ``joint.variable``."""
    known: list[str] = []
    for island in world.islands if world.settings.motors else ():
        for joint in island.model.joints:
            if not joint.has_motor:
                continue
            parts = [variable for variable, _ in joint.type.info.variables]
            names = [joint.name] if len(parts) == 1 else [f"{joint.name}.{part}" for part in parts]
            known += names
            if name in names:
                return island, joint.v.start + names.index(name)
    raise unknown_name("motor", name, f"world '{world.name}'", known)


def _checked(name: str, key: str, value: Any) -> Any:
    if key == "mode":
        try:
            return Mode(value)
        except ValueError:
            allowed = ", ".join(one.value for one in Mode)
            raise UsageError(f"mode of '{name}' must be one of {allowed}, got {value!r}") from None
    if key == "on":
        if not isinstance(value, bool):
            raise UsageError(f"'on' of motor '{name}' is {value!r}: use True or False")
        return value
    if value != math.inf and not (is_number(value) and value >= 0):
        raise UsageError(f"'{key}' of motor '{name}' is {value!r}: use a number, at least 0")
    return float(value)
