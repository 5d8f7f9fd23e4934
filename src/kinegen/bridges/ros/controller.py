"""TrajectoryController: moves servos along trajectories, for topics and for actions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinegen.bridges.robot import Robot
from kinegen.bridges.ros.trajectory import INVALID_JOINTS, Trajectory, TrajectoryError
from kinegen.bridges.ros.values import Time, header, list_of, numbers, seconds_of
from kinegen.bridges.servos.servo import Servo

__all__ = ["ABORTED", "CANCELED", "SUCCEEDED", "Goal", "TrajectoryController"]

SUCCEEDED, CANCELED, ABORTED = 4, 5, 6
"""How a goal ended, as action_msgs/GoalStatus counts it."""
PATH_TOLERANCE, GOAL_TOLERANCE = -4, -5
"""Error codes of FollowJointTrajectory."""
FEEDBACK = 0.05
"""Between feedback messages of a goal [s]."""

Tolerances = dict[str, tuple[float, float]]


@dataclass(slots=True, eq=False)
class Goal:
    """A goal of FollowJointTrajectory."""

    id: str
    feedback: Callable[[dict[str, Any]], None]
    done: Callable[[int, dict[str, Any]], None]
    """Called once, with how it ended and the result."""
    trajectory: Trajectory
    path: Tolerances = field(default_factory=dict)
    """Largest errors of position and velocity on the way, by joint; 0: any."""
    end: Tolerances = field(default_factory=dict)
    patience: float = 0.0
    """How long after the end it may take to be within the tolerances [s]; 0: any."""
    due: float = 0.0
    """When its next feedback is sent [s]."""


class TrajectoryController:
    """One trajectory at a time; a new one replaces the last, and begins where that is."""

    def __init__(self, robot: Robot, names: Mapping[str, Servo]) -> None:
        """Of a robot.

        Args:
            robot: Whose servos it moves.
            names: Servos by all names that clients may use.
        """
        self.robot, self.names = robot, names
        self.trajectory: Trajectory | None = None
        self.goal: Goal | None = None

    # Commands

    def follow(self, message: Any) -> None:
        """A JointTrajectory of a topic; one without points stops the joints.

        Raises:
            TrajectoryError: It cannot be followed.
        """
        self._take(self._read(message))

    def accept(
        self,
        message: Any,
        name: str,
        feedback: Callable[[dict[str, Any]], None],
        done: Callable[[int, dict[str, Any]], None],
    ) -> Goal:
        """A goal of FollowJointTrajectory, begun.

        Raises:
            TrajectoryError: It cannot be followed.
        """
        if not isinstance(message, Mapping):
            raise TrajectoryError("a goal is an object with a trajectory")
        trajectory = self._read(message.get("trajectory"))
        if trajectory is None:
            raise TrajectoryError("the goal's trajectory has no points")
        goal = Goal(
            name, feedback, done, trajectory,
            self._tolerances(message.get("path_tolerance"), "path_tolerance"),
            self._tolerances(message.get("goal_tolerance"), "goal_tolerance"),
            seconds_of(message.get("goal_time_tolerance"), "goal_time_tolerance"),
        )  # fmt: skip
        self._take(trajectory)
        self.goal = goal
        return goal

    def cancel(self, goal: Goal) -> None:
        """Stop where the joints are meant to be now."""
        if self.goal is goal:
            self.trajectory = None
            self._finish(CANCELED, 0, "canceled by the client")

    # Every cycle

    def update(self) -> None:
        """Command the servos for the present time."""
        trajectory = self.trajectory
        if trajectory is None:
            return
        now = self.robot.time
        wanted, speeds, _ = trajectory.sample(now)
        for servo, value in zip(trajectory.servos, wanted, strict=True):
            _prepare(servo)
            servo.goal = float(value)
        if self.goal is not None:
            self._watch(self.goal, now, wanted, speeds)
        elif now >= trajectory.end:
            self.trajectory = None

    # Inside

    def _read(self, message: Any) -> Trajectory | None:
        now, before = self.robot.time, {one.name: (one.goal, 0.0, 0.0) for one in self.robot.servos}
        if self.trajectory is not None:
            rows = np.array(self.trajectory.sample(now)).T.tolist()
            names = (one.name for one in self.trajectory.servos)
            before |= {name: tuple(row) for name, row in zip(names, rows, strict=True)}
        return Trajectory.read(message, self.names, now, before)

    def _take(self, trajectory: Trajectory | None) -> None:
        if self.goal is not None:
            self._finish(CANCELED, 0, "replaced by a newer trajectory")
        old, self.trajectory = self.trajectory, trajectory
        if trajectory is None and old is not None:
            for servo, value in zip(old.servos, old.sample(self.robot.time)[0], strict=True):
                servo.goal = float(value)
        self.update()

    def _watch(self, goal: Goal, now: float, wanted: Any, speeds: Any) -> None:
        """Compare with the tolerances, and report."""
        servos = goal.trajectory.servos
        here = np.array([one.position for one in servos])
        rates = np.array([one.velocity for one in servos])
        if now >= goal.due:
            goal.due = now + FEEDBACK
            goal.feedback(_feedback(goal, now, (wanted, speeds), (here, rates)))
        beyond = self._beyond(servos, goal.path, wanted - here, speeds - rates)
        if now < goal.trajectory.end:
            if beyond and now > goal.trajectory.start:
                self._give_up(PATH_TOLERANCE, f"on the way, {beyond}")
            return
        beyond = self._beyond(servos, goal.end, wanted - here, speeds - rates)
        if not beyond:
            self.trajectory = None
            self._finish(SUCCEEDED, 0, "")
        elif goal.patience > 0 and now > goal.trajectory.end + goal.patience:
            self._give_up(GOAL_TOLERANCE, f"at the end, {beyond}")

    def _give_up(self, code: int, text: str) -> None:
        """Hold the joints where they are."""
        assert self.trajectory is not None
        for servo in self.trajectory.servos:
            servo.goal = servo.position
        self.trajectory = None
        self._finish(ABORTED, code, text)

    def _finish(self, status: int, code: int, text: str) -> None:
        goal, self.goal = self.goal, None
        if goal is not None:
            goal.done(status, {"error_code": code, "error_string": text})

    def _beyond(self, servos: Any, tolerances: Tolerances, errors: Any, rates: Any) -> str:
        """Which joint is beyond its tolerance, in words; empty: none."""
        for servo, error, rate in zip(servos, errors, rates, strict=True):
            position, velocity = tolerances.get(servo.name, (0.0, 0.0))
            unit = "m" if servo.data.is_slide else "rad"
            for off, most, what in ((error, position, unit), (rate, velocity, f"{unit}/s")):
                if most > 0 and abs(off) > most:
                    return (
                        f"joint '{servo.name}' was {abs(off):.4g} {what} off; its tolerance is "
                        f"{most:g} {what}"
                    )
        return ""

    def _tolerances(self, rows: Any, what: str) -> Tolerances:
        found: Tolerances = {}
        for row in list_of(rows, what):
            if not isinstance(row, Mapping) or row.get("name") not in self.names:
                name = row.get("name") if isinstance(row, Mapping) else row
                raise TrajectoryError(
                    f"{what} names {name!r}, which is not a joint", INVALID_JOINTS
                )
            position, velocity = numbers([row.get("position", 0), row.get("velocity", 0)], what)
            # negative: no tolerance, whatever the default is
            found[self.names[row["name"]].name] = max(position, 0.0), max(velocity, 0.0)
        return found


def _prepare(servo: Servo) -> None:
    """On, and as fast as it can: the trajectory has its own speeds."""
    servo.on = True
    servo.mode = "position"
    if math.isfinite(servo.speed):
        servo.speed = math.inf
    if math.isfinite(servo.acceleration):
        servo.acceleration = math.inf


def _feedback(goal: Goal, now: float, wanted: Any, found: Any) -> dict[str, Any]:
    elapsed = Time.of(max(now - goal.trajectory.start, 0.0))

    def point(positions: Any, velocities: Any) -> dict[str, Any]:
        return {
            "positions": positions.tolist(), "velocities": velocities.tolist(),
            "accelerations": [], "effort": [], "time_from_start": elapsed,
        }  # fmt: skip

    return {
        "header": header(now),
        "joint_names": [one.name for one in goal.trajectory.servos],
        "desired": point(*wanted),
        "actual": point(*found),
        "error": point(wanted[0] - found[0], wanted[1] - found[1]),
    }
