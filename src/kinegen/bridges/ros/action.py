"""FollowJointTrajectory over topics, as ROS 1's actionlib has it."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kinegen.bridges.ros.controller import (
    ABORTED,
    CANCELED,
    SUCCEEDED,
    Goal,
    TrajectoryController,
)
from kinegen.bridges.ros.source import Source
from kinegen.bridges.ros.trajectory import TrajectoryError
from kinegen.bridges.ros.values import header, seconds_of
from kinegen.errors import UsageError

__all__ = ["ACTION", "ActionTopics"]

ACTION = "/joint_trajectory_controller/follow_joint_trajectory"
KIND = "control_msgs/FollowJointTrajectoryAction"
ACTIVE, REJECTED = 1, 5
_STATUS = {SUCCEEDED: 3, CANCELED: 2, ABORTED: 4}
"""Of actionlib_msgs/GoalStatus by how a goal ended."""
STATUS_PERIOD = 0.2
"""[s]"""
KEPT = 10
"""Goals that have ended and are still listed."""


@dataclass(slots=True, eq=False)
class _Row:
    """A goal in the list."""

    id: dict[str, Any]
    status: int = ACTIVE
    text: str = ""
    goal: Goal | None = None

    def message(self) -> dict[str, Any]:
        return {"goal_id": self.id, "status": self.status, "text": self.text}


class ActionTopics:
    """Topics goal, cancel, status, feedback and result of the action."""

    def __init__(
        self,
        controller: TrajectoryController,
        publish: Callable[[str, str, dict[str, Any]], None],
    ) -> None:
        self._controller, self._publish = controller, publish
        self._rows: deque[_Row] = deque(maxlen=KEPT)
        self._changes = 0
        self.takes: dict[str, tuple[str, Callable[[Any], None]]] = {
            f"{ACTION}/goal": (f"{KIND}Goal", self._goal),
            f"{ACTION}/cancel": ("actionlib_msgs/GoalID", self._cancel),
        }
        """Types and takers of what clients send."""
        self.types = {f"{ACTION}/feedback": f"{KIND}Feedback", f"{ACTION}/result": f"{KIND}Result"}
        """Of topics that have messages only while there is a goal."""

    def status(self) -> Source:
        """The list of goals."""
        robot = self._controller.robot

        def make() -> dict[str, Any]:
            rows = [one.message() for one in self._rows]
            return {"header": header(robot.time), "status_list": rows}

        def when() -> float:
            # a change of the list is published at once
            return math.floor(robot.time / STATUS_PERIOD + 1e-6) + 1e6 * self._changes

        return Source(f"{ACTION}/status", "actionlib_msgs/GoalStatusArray", make, when=when)

    def _goal(self, message: Any) -> None:
        if not isinstance(message, Mapping):
            raise UsageError("a goal is an object with goal_id and goal")
        asked = message.get("goal_id")
        name = str(asked.get("id", "")) if isinstance(asked, Mapping) else ""
        row = _Row({"stamp": header(self._controller.robot.time)["stamp"], "id": name})

        def done(status: int, result: dict[str, Any]) -> None:
            self._end(row, _STATUS[status], result)

        def feedback(values: dict[str, Any]) -> None:
            self._send("feedback", row, values)

        try:
            row.goal = self._controller.accept(message.get("goal"), name, feedback, done)
        except UsageError as error:
            code = error.code if isinstance(error, TrajectoryError) else -1
            self._rows.append(row)
            self._end(row, REJECTED, {"error_code": code, "error_string": str(error)})
            return
        self._rows.append(row)
        self._changes += 1

    def _cancel(self, message: Any) -> None:
        """One goal by its id, all before a time, or all."""
        given = message if isinstance(message, Mapping) else {}
        name = str(given.get("id") or "")
        stamp = seconds_of(given.get("stamp"), "stamp")
        for row in list(self._rows):
            hit = (
                row.id["id"] == name
                if name
                else not stamp or seconds_of(row.id["stamp"], "") <= stamp
            )
            if hit and row.goal is not None:
                self._controller.cancel(row.goal)

    def _end(self, row: _Row, status: int, result: dict[str, Any]) -> None:
        row.status, row.text, row.goal = status, result["error_string"], None
        self._changes += 1
        self._send("result", row, result)

    def _send(self, word: str, row: _Row, values: dict[str, Any]) -> None:
        head = header(self._controller.robot.time)
        message = {"header": head, "status": row.message(), word: values}
        topic = f"{ACTION}/{word}"
        self._publish(topic, self.types[topic], message)
