"""RosNode: all topics of a robot and its trajectory controller, for every transport of ROS."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from kinegen.bridges.robot import Robot
from kinegen.bridges.ros.action import ActionTopics
from kinegen.bridges.ros.controller import TrajectoryController
from kinegen.bridges.ros.description import Description
from kinegen.bridges.ros.sensors import frame_of, sensor_sources, static_frames
from kinegen.bridges.ros.source import Message, Source
from kinegen.bridges.ros.values import Time, header, pose_of
from kinegen.bridges.transport.ticker import Ticker
from kinegen.errors import UsageError
from kinegen.spatial.pose import SE3

__all__ = ["NAME", "Publication", "RosNode"]

NAME = "/kinegen"
"""Of the node."""
CONTROLLER = "/joint_trajectory_controller"
STATE_PERIOD, CLOCK_PERIOD = 0.02, 0.01
"""Between joint states, and between times [s]."""


@dataclass(slots=True, eq=False)
class Publication:
    """A message on its way to subscribers."""

    topic: str
    type: str
    message: Message
    encoded: dict[str, Any] = field(default_factory=dict)
    """What transports have made of it, so that each form is made once."""


Listener = Callable[[Publication], None]


class RosNode:
    """The robot as a node. All transports of a robot share one: messages agree to a step."""

    def __init__(self, robot: Robot) -> None:
        """Use :meth:`of`."""
        self.robot = robot
        self.description = Description(robot)
        self.controller = TrajectoryController(robot, self.description.servos)
        self.action = ActionTopics(self.controller, self._publish)
        made = [*self._own_sources(), self.action.status(), *sensor_sources(robot)]
        self.sources = {one.topic: one for one in made}
        """What is published, by topic."""
        self.takes: dict[str, tuple[str, Callable[[Any], None]]] = {
            f"{CONTROLLER}/joint_trajectory": (
                "trajectory_msgs/JointTrajectory", self.controller.follow
            ),
            **self.action.takes,
        }  # fmt: skip
        """What clients may publish: its type and what takes it."""
        self._listeners: dict[str, list[Listener]] = {}
        self._last: dict[str, float] = {}
        self._users = 0
        self._ticker = Ticker(robot, self.tick)

    @classmethod
    def of(cls, robot: Robot) -> RosNode:
        """The node of a robot; made once."""
        if robot not in _NODES:
            _NODES[robot] = cls(robot)
        return _NODES[robot]

    @property
    def types(self) -> dict[str, str]:
        """Types of all topics, by ROS 1 names."""
        found = {one.topic: one.type for one in self.sources.values()}
        return found | self.action.types | {topic: one[0] for topic, one in self.takes.items()}

    # Transports

    def open(self) -> None:
        """A transport begins: control and publish in every cycle."""
        self._users += 1
        if self._users == 1:
            self._ticker.start()

    async def close(self) -> None:
        """A transport ends."""
        self._users -= 1
        if not self._users:
            await self._ticker.stop()

    def listen(self, topic: str, listener: Listener) -> None:
        """Pass on what is published; the last message at once where it is latched."""
        self._listeners.setdefault(topic, []).append(listener)
        source = self.sources.get(topic)
        if source is not None and source.latched:
            self.robot.look()
            message = source.make()
            if message is not None:
                listener(Publication(topic, source.type, message))

    def forget(self, topic: str, listener: Listener) -> None:
        """Stop passing on."""
        found = self._listeners.get(topic, [])
        if listener in found:
            found.remove(listener)
        if not found:
            self._listeners.pop(topic, None)
            self._last.pop(topic, None)

    def take(self, topic: str, message: Any) -> None:
        """What a client has published.

        Raises:
            UsageError: The topic takes nothing, or not this.
        """
        if topic not in self.takes:
            raise UsageError(
                f"the robot does not subscribe to '{topic}', only to {', '.join(self.takes)}"
            )
        self.robot.look()
        self.takes[topic][1](message)
        self.robot.send()

    # Every cycle

    def tick(self) -> None:
        """Control the servos, and publish what is new and wanted."""
        self.controller.update()
        for topic in list(self._listeners):
            source = self.sources.get(topic)
            if source is None or source.latched:
                continue
            now = source.when()
            if now < 0 or now == self._last.get(topic):
                continue
            self._last[topic] = now
            message = source.make()
            if message is not None:
                self._publish(topic, source.type, message)

    def _publish(self, topic: str, kind: str, message: Message) -> None:
        publication = Publication(topic, kind, message)
        for listener in list(self._listeners.get(topic, ())):
            listener(publication)

    # Topics that every robot has

    def _own_sources(self) -> list[Source]:
        def clock() -> float:
            return math.floor(self.robot.time / CLOCK_PERIOD + 1e-6)

        def state() -> float:
            return math.floor(self.robot.time / STATE_PERIOD + 1e-6)

        return [
            Source("/clock", "rosgraph_msgs/Clock", self._clock, when=clock),
            Source("/joint_states", "sensor_msgs/JointState", self._joint_states, when=state),
            Source("/tf", "tf2_msgs/TFMessage", self._tf, when=state),
            Source("/tf_static", "tf2_msgs/TFMessage", self._tf_static, when=lambda: 0.0,
                   latched=True),
            Source("/robot_description", "std_msgs/String", self._description, when=lambda: 0.0,
                   latched=True),
        ]  # fmt: skip

    def _clock(self) -> Message:
        return {"clock": Time.of(self.robot.time)}

    def _description(self) -> Message:
        return {"data": self.description.text}

    def _joint_states(self) -> Message:
        names, positions, velocities, efforts = self.description.joint_state()
        return {
            "header": header(self.robot.time), "name": names, "position": positions,
            "velocity": velocities, "effort": efforts,
        }  # fmt: skip

    def _tf(self) -> Message:
        rows = self.description.transforms(fixed=False)
        return {"transforms": [self._transform(p, c, X) for p, c, X in rows]}

    def _tf_static(self) -> Message:
        rows = self.description.transforms(fixed=True)
        found = [self._transform(p, c, X) for p, c, X in rows]
        for sensor in self.robot.layout.sensors:
            if not sensor.link:
                continue
            link, X_LU = self.description.link_of(sensor.link)
            X = X_LU.inverse() @ SE3.from_pose(np.array(sensor.X_LS))
            found.append(self._transform(link, frame_of(sensor.name), X))
            for parent, child, (position, orientation) in static_frames(sensor):
                found.append(self._stamped(parent, child, position, orientation))
        return {"transforms": found}

    def _transform(self, parent: str, child: str, X: SE3) -> Message:
        return self._stamped(parent, child, *pose_of(X.pose))

    def _stamped(self, parent: str, child: str, position: Any, orientation: Any) -> Message:
        return {
            "header": header(self.robot.time, parent), "child_frame_id": child,
            "transform": {"translation": position, "rotation": orientation},
        }  # fmt: skip


_NODES: WeakKeyDictionary[Robot, RosNode] = WeakKeyDictionary()
