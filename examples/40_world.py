"""A world: a cart that senses and decides, a signal that is forced, and a log."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import kinegen as kg

ROOM = """raff: 1
name: room
world: {floor: 0, seed: 1}
robots: [{name: cart, include: cart}]
objects:
  - {name: wall, shape: {box: [0.1, 4, 0.5]}, fixed: true, at: {xyz: [1.5, 0, 0.25]}}
sensors:
  - {name: nose, type: distance, parent: cart.chassis, at: {xyz: [0.23, 0, 0]}, rate: 50,
     range: [0, 3], noise: 5 mm}
"""
WHEELS = ("front_left", "front_right", "rear_left", "rear_right")


def drive(time: float, seen: Mapping[str, Any]) -> dict[str, float]:
    """Drive straight ahead, and stop in front of a wall."""
    speed = 0.0 if seen["nose"] < 0.5 else 6.0
    steering = {"cart.steer_left": 0.0, "cart.steer_right": 0.0}
    return {f"cart.wheel_{one}": speed for one in WHEELS} | steering


with tempfile.TemporaryDirectory() as folder, kg.World(ROOM, agents={"driver": drive}) as world:
    log = world.log(Path(folder) / "room.csv")
    world.run(0.5)
    moving = world.signals["cart.wheel_rear_left.velocity"].value
    print(f"after {world.time:g} s: {world.signals['nose']}, wheels at {moving:.2f} rad/s")

    # Report a wall right in front of the cart: it stops.
    world.signals["nose"].force(0.05)
    world.run(0.5)
    stopped = world.signals["cart.wheel_rear_left.velocity"].value
    print(f"forced to see a wall: wheels at {stopped:.2f} rad/s")

    # Return to the time before, without that wall: the cart keeps driving.
    world.go_to(0.5)
    world.signals.release()
    world.run(0.5)
    again = world.signals["cart.wheel_rear_left.velocity"].value
    print(f"released: wheels at {again:.2f} rad/s; {log.rows} rows were logged")

assert moving > 5 and abs(stopped) < 0.1 and again > 5
