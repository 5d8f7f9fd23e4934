"""One plug-in of every kind, as short as each can be."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import kinegen as kg


class Speedometer(kg.world.Sensor):
    """A sensor: how fast the link that it is mounted on moves [m/s]."""

    def prepare(self) -> list[kg.world.Output]:
        """Return the outputs of the sensor."""
        self.mount = self.stage.mount(self.parent, self.row.get("at"))
        return [kg.world.Output("speed", "m/s")]

    def measure(self) -> list[float]:
        """Measure the speed."""
        velocity, _ = self.mount.velocity()
        return [float(np.linalg.norm(velocity))]


class Follower:
    """An agent: swings a joint back and forth; options of the file are arguments."""

    def __init__(self, joint: str, size: float = 0.5, rate: float = 1.0) -> None:
        self.joint, self.size, self.rate = joint, size, rate

    def step(self, time: float, seen: Mapping[str, Any]) -> dict[str, float]:
        """Return the targets of motors by joint name, and signals of the agent."""
        target = self.size * math.sin(2 * math.pi * self.rate * time)
        return {self.joint: target, "speed_seen": seen["speed"]}


class BangBang(kg.dynamics.Controller):
    """A controller: pushes with a fixed effort towards the target, less near it."""

    def __init__(self, motor: kg.dynamics.MotorData, push: float, near: float = 0.05) -> None:
        super().__init__(motor)
        self.push, self.near = push, near

    def effort(self, time: float, target: float, position: float, velocity: float) -> float:
        """The effort to request from the motor [N m]."""
        error = target - position - self.near * velocity
        return self.push * max(-1.0, min(1.0, error / self.near))


class Muscle(kg.dynamics.Actuator):
    """An actuator: can pull in one direction only, and loses strength as it shortens."""

    def __init__(self, motor: kg.dynamics.MotorData, length: float = 2.0) -> None:
        super().__init__(motor)
        self.length = length

    def effort(self, time: float, asked: float, position: float, velocity: float) -> float:
        """The effort that reaches the joint [N m]."""
        return max(0.0, asked) * max(0.0, 1 - abs(position) / self.length)


class Dots:
    """A renderer: a dot for every link, on a picture that looks along the x axis of the camera."""

    def __init__(self, stage: Any, view: Any, sensor: str) -> None:
        self.stage, self.view = stage, view
        self.names = [name for island in stage.islands for name in island.model.link_names]

    def take(self, mount: Any, images: Sequence[str]) -> list[Any]:
        """Pictures from the position of the camera, in the requested order."""
        R, p = mount.place()
        picture = np.zeros((self.view.height, self.view.width, 3), np.uint8)
        scale = self.view.height / (2 * math.tan(self.view.opening / 2))
        for island in self.stage.islands:
            for row in island.link_poses():
                ahead, left, up = R.T @ (row[9:] - p)
                if ahead > self.view.near:
                    x = round(self.view.width / 2 - scale * left / ahead)
                    y = round(self.view.height / 2 - scale * up / ahead)
                    if 0 <= x < self.view.width and 0 <= y < self.view.height:
                        picture[y, x] = 255
        return [picture if image == "color" else None for image in images]

    def close(self) -> None:
        """Release all resources; this renderer holds none."""
