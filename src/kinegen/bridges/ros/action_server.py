"""ActionServer: goals of FollowJointTrajectory as ROS 2 has them: accepted, followed, asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kinegen.bridges.ros.controller import ABORTED, CANCELED, SUCCEEDED, Goal, TrajectoryController
from kinegen.bridges.ros.source import Message
from kinegen.bridges.ros.values import Time, seconds_of
from kinegen.errors import UsageError

__all__ = ["ActionServer"]

UNKNOWN, EXECUTING, CANCELING = 0, 2, 3
"""Of action_msgs/GoalStatus, beside how a goal ended."""
NONE, REJECTED, UNKNOWN_ID, TERMINATED = 0, 1, 2, 3
"""Return codes of action_msgs/CancelGoal."""
KEPT = 20
"""Goals that have ended and whose results can still be asked for."""
MOST_WAITING = 100
"""Requests for the result of one goal that wait for its end."""
ANY = bytes(16)
"""An id that stands for every goal."""
_STILL = {"transforms": [], "velocities": [], "accelerations": [], "time_from_start": Time(0, 0)}
_NO_POSES = {
    "multi_dof_joint_names": [], "multi_dof_desired": _STILL, "multi_dof_actual": _STILL,
    "multi_dof_error": _STILL,
}  # fmt: skip
_NO_RESULT = {"error_code": 0, "error_string": ""}

Answer = Callable[[Message], None]


@dataclass(slots=True, eq=False)
class _Row:
    """A goal and who waits for its end."""

    id: bytes
    stamp: Time
    status: int = EXECUTING
    goal: Goal | None = None
    result: Message = field(default_factory=lambda: dict(_NO_RESULT))
    waiting: list[Answer] = field(default_factory=list)

    @property
    def info(self) -> Message:
        return {"goal_id": {"uuid": self.id}, "stamp": self.stamp}

    @property
    def is_over(self) -> bool:
        return self.status in (SUCCEEDED, CANCELED, ABORTED)


class ActionServer:
    """The three services of the action; feedback and status go through callbacks."""

    def __init__(self, controller: TrajectoryController, feedback: Answer, status: Answer) -> None:
        """No goals.

        Args:
            controller: What follows trajectories.
            feedback: Takes a FeedbackMessage on the way of a goal.
            status: Takes a GoalStatusArray whenever a goal changes.
        """
        self._controller, self._feedback, self._status = controller, feedback, status
        self._rows: dict[bytes, _Row] = {}

    def send_goal(self, request: Message) -> Message:
        """Begin a goal.

        Raises:
            UsageError: It cannot be followed; the answer is then :meth:`rejection`.
        """
        robot = self._controller.robot
        robot.look()
        row = _Row(_id_of(request["goal_id"]), Time.of(robot.time))
        if row.id in self._rows:
            raise UsageError(f"goal {row.id.hex()} was sent before")
        asked: Message = request["goal"]
        if asked["multi_dof_trajectory"]["points"]:
            raise UsageError("joints here have one degree of freedom each: use trajectory")

        def feedback(values: Message) -> None:
            self._feedback({"goal_id": {"uuid": row.id}, "feedback": values | _NO_POSES})

        self._rows[row.id] = row
        try:
            goal = self._controller.accept(
                asked, row.id.hex(), feedback, lambda *end: self._done(row, *end)
            )
        except UsageError:
            del self._rows[row.id]
            raise
        if not row.is_over:
            row.goal = goal
        self._changed()
        robot.send()
        return {"accepted": True, "stamp": row.stamp}

    def rejection(self) -> Message:
        """The answer to a goal that cannot be followed; ROS has no place for the reason."""
        return {"accepted": False, "stamp": Time.of(self._controller.robot.time)}

    def cancel(self, request: Message) -> Message:
        """One goal by its id, all before a time, or all."""
        info = request["goal_info"]
        wanted, stamp = _id_of(info["goal_id"]), seconds_of(info["stamp"], "stamp")
        row = self._rows.get(wanted)
        if wanted != ANY and row is None and not stamp:
            return {"return_code": UNKNOWN_ID, "goals_canceling": []}
        if row is not None and row.is_over and not stamp:
            return {"return_code": TERMINATED, "goals_canceling": []}
        robot = self._controller.robot
        robot.look()
        hit = [
            one for one in list(self._rows.values())
            if one.goal is not None and (
                one.id == wanted
                or (wanted == ANY and not stamp)
                or (stamp > 0 and seconds_of(one.stamp, "") <= stamp)
            )
        ]  # fmt: skip
        found = [one.info for one in hit]
        for one in hit:
            one.status = CANCELING
            self._changed()
            if one.goal is not None:
                self._controller.cancel(one.goal)
        robot.send()
        return {"return_code": NONE if found else REJECTED, "goals_canceling": found}

    def get_result(self, request: Message, answer: Answer) -> None:
        """Answer when the goal is over; at once where it is, or where there is none."""
        row = self._rows.get(_id_of(request["goal_id"]))
        if row is None:
            answer({"status": UNKNOWN, "result": _NO_RESULT})
        elif row.is_over:
            answer({"status": row.status, "result": row.result})
        elif len(row.waiting) < MOST_WAITING:
            row.waiting.append(answer)

    def statuses(self) -> Message:
        """All goals that are known."""
        rows = [{"goal_info": one.info, "status": one.status} for one in self._rows.values()]
        return {"status_list": rows}

    def _done(self, row: _Row, status: int, result: Message) -> None:
        row.status, row.result, row.goal = status, result, None
        waiting, row.waiting = row.waiting, []
        for answer in waiting:
            answer({"status": status, "result": result})
        over = [one.id for one in self._rows.values() if one.is_over]
        for old in over[: max(len(over) - KEPT, 0)]:
            del self._rows[old]
        self._changed()

    def _changed(self) -> None:
        self._status(self.statuses())


def _id_of(message: Message) -> bytes:
    return bytes(message["uuid"])
