"""Goals of FollowJointTrajectory as ROS 2 has them, without a transport; time is advanced."""

from __future__ import annotations

from typing import Any

import pytest

from kinegen.bridges.process.physics import local_robot
from kinegen.bridges.ros.action_server import KEPT, ActionServer
from kinegen.bridges.ros.node import RosNode
from kinegen.errors import UsageError
from tests.support.bridged import arm

ZERO = {"sec": 0, "nanosec": 0}


class Served:
    """A server and what it published."""

    def __init__(self) -> None:
        self.robot = local_robot(arm(), step=2e-3, hold=True, gravity=[0, 0, 0])
        self.node = RosNode.of(self.robot)
        self.node.open()
        self.feedback: list[Any] = []
        self.statuses: list[Any] = []
        self.results: dict[int, Any] = {}
        self.server = ActionServer(self.node.controller, self.feedback.append, self.statuses.append)

    def send(self, number: int, value: float, seconds: float = 0.5, joint: str = "lift") -> Any:
        """A goal, and a request for its result."""
        point = {"positions": [value], "time_from_start": seconds}
        goal = {
            "trajectory": {"joint_names": [joint], "points": [point]},
            "multi_dof_trajectory": {"points": []}, "path_tolerance": [], "goal_tolerance": [],
        }  # fmt: skip
        answer = self.server.send_goal({"goal_id": uuid(number), "goal": goal})
        self.ask(number)
        return answer

    def ask(self, number: int) -> None:
        self.server.get_result(
            {"goal_id": uuid(number)}, lambda found: self.results.update({number: found})
        )

    def cancel(self, number: int, stamp: Any = ZERO) -> tuple[int, list[int]]:
        found = self.server.cancel({"goal_info": {"goal_id": uuid(number), "stamp": stamp}})
        ids = [one["goal_id"]["uuid"][0] for one in found["goals_canceling"]]
        return found["return_code"], ids


def uuid(number: int) -> dict[str, list[int]]:
    return {"uuid": [number] + 15 * [number and 7]}


def test_a_goal_is_followed_and_its_result_waits() -> None:
    one = Served()
    assert one.send(1, 0.3)["accepted"] is True
    one.robot.advance(0.2)
    assert not one.results and len(one.feedback) > 2
    assert one.feedback[0]["goal_id"]["uuid"] == bytes(uuid(1)["uuid"])
    one.robot.advance(0.5)
    assert one.results[1]["status"] == 4 and one.results[1]["result"]["error_code"] == 0
    one.results.clear()
    one.ask(1)  # again, when it is over
    one.ask(9)  # nobody sent it
    assert (one.results[1]["status"], one.results[9]["status"]) == (4, 0)
    assert [row["status"] for row in one.statuses[-1]["status_list"]] == [4]


def test_cancelling_by_id_by_time_and_all() -> None:
    one = Served()
    assert one.cancel(5) == (2, [])
    one.send(1, 0.3, 1.0)
    one.robot.advance(0.1)
    assert one.cancel(1) == (0, [1])
    assert one.results[1]["status"] == 5
    assert one.cancel(1) == (3, [])
    one.send(2, 0.3, 1.0)
    assert one.cancel(0, {"sec": 0, "nanosec": 50_000_000}) == (1, [])
    assert one.cancel(0, {"sec": 9, "nanosec": 0}) == (0, [2])
    one.send(3, 0.3, 1.0)
    assert one.cancel(0) == (0, [3])
    seen = [row["status"] for found in one.statuses for row in found["status_list"]]
    assert set(seen) == {2, 3, 5}


def test_goals_that_cannot_be_followed() -> None:
    one = Served()
    with pytest.raises(UsageError, match="joint 'lft' has no motor"):
        one.send(1, 0.3, joint="lft")
    assert one.server.rejection()["accepted"] is False
    assert one.server.statuses() == {"status_list": []}
    one.send(1, 0.3)
    with pytest.raises(UsageError, match="was sent before"):
        one.send(1, 0.2)
    one.send(2, 0.2)  # replaces it
    assert one.results[1]["status"] == 5
    for k in range(3, 3 + 2 * KEPT):
        one.send(k, 0.2)
    assert len(one.server.statuses()["status_list"]) == KEPT + 1
