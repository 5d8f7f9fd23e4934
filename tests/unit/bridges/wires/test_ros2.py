"""ROS 2 over zenoh with zenoh-ros2-sdk, unmodified, and with payloads that are no messages."""

from __future__ import annotations

import contextlib
import json
import random
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import kinegen as kg
from kinegen.bridges.ros.action_types import (
    ACTION_TYPE,
    CANCEL,
    FEEDBACK,
    GET_RESULT,
    SEND_GOAL,
    STATUS,
)
from kinegen.bridges.ros.cdr import CdrTypes
from kinegen.errors import UsageError
from tests.support.waiting import wait_for

zenoh = pytest.importorskip("zenoh", reason="eclipse-zenoh is not installed")
pytest.importorskip("rosbags", reason="rosbags is not installed")
TOPIC = "joint_trajectory_controller/joint_trajectory"
BLOCK = zenoh.CongestionControl.BLOCK
TRAJECTORY = f"0/{TOPIC}/trajectory_msgs::msg::dds_::JointTrajectory_/RIHS01_0"


@pytest.fixture(scope="module")
def bridge() -> Iterator[kg.bridges.Bridge]:
    with kg.bridges.Bridge("stewart", ["ros2:0", "rosbridge:0"], step=2e-3) as made:
        yield made


def test_noise_on_the_port_and_in_messages(bridge: kg.bridges.Bridge) -> None:
    host, port = bridge.endpoints["ros2"].split(":")
    rng = random.Random(8)
    with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 30) as noise:
        for _ in range(256):
            noise.sendall(rng.randbytes(4096))
    config = zenoh.Config()
    config.insert_json5("mode", '"client"')
    config.insert_json5("connect/endpoints", json.dumps([f"tcp/{host}:{port}"]))
    with zenoh.open(config) as session:
        for size in (0, 3, 100, 1_000_000):
            # where its own thread is late, zenoh would drop parts of what is large
            session.put(TRAJECTORY, rng.randbytes(size), congestion_control=BLOCK)
        wait_for(lambda: bridge.traffic()[0]["errors"] == 4)
    words = [one["words"] for one in bridge.traffic()[0]["last"]]
    assert any("refused: this is not a trajectory_msgs/JointTrajectory" in one for one in words)


def test_a_node_watches_moves_and_finds_the_robot(bridge: kg.bridges.Bridge) -> None:
    pytest.importorskip("zenoh_ros2_sdk", reason="zenoh-ros2-sdk is not installed")
    address = bridge.endpoints["ros2"].split(":")
    program = [sys.executable, "-m", "tests.support.clients.ros2", *address]
    done = subprocess.run(program, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    seen: Any = json.loads(done.stdout)
    assert seen["legs"] == pytest.approx([3.3] * 6, abs=0.03)
    assert seen["description"][0].startswith("<?xml")
    kinds = {one.split("/")[5]: one for one in seen["tokens"] if "%joint_states" in one}
    assert "sensor_msgs::msg::dds_::JointState_/RIHS01_" in kinds["MP"]

    def goals() -> list[float]:
        return [bridge.state.servos[f"leg{i}"].goal for i in range(1, 7)]

    wait_for(lambda: goals() == pytest.approx([3.3] * 6))  # the end of the trajectory


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f":{port}: address already in use.*another port"):
            kg.bridges.Bridge("so101", ["ros2"], port=port, clock="client")


HASHES = {
    # as the C headers that rosidl generates from control_msgs and action_msgs have them
    SEND_GOAL: "b13789dddc325a7a962825c45e28c77d37237ec129dd0c34dc5994562938c57f",
    GET_RESULT: "e3ceb38e3e1867c8dc0f46014df26e90eb93422f27e9e97f936e07f94be4bc8b",
    FEEDBACK: "80398fcb9674a79081a9906e2ccf0c804dd7cb15e22e362e606ee87186beab71",
    CANCEL: "573d8b0a534451d7bc2ac8c5ffde8ac14b8593b7001175d0cd6516dcbeb8689a",
    f"{ACTION_TYPE}_Goal": "8a9060704b269608f5a340934cc26e66869dd14bdac29e2e7fd9ec8b9882d205",
}


def test_hashes_of_the_action_are_those_of_ros() -> None:
    types = CdrTypes()
    assert {one: types.hash_of(one) for one in HASHES} == {
        one: f"RIHS01_{text}" for one, text in HASHES.items()
    }


class Node:
    """A client of the action as rmw_zenoh is one: queries with attachments at exact keys."""

    BASE = "0/joint_trajectory_controller/follow_joint_trajectory/_action"

    def __init__(self, session: Any) -> None:
        self.session, self.types = session, CdrTypes()
        self.gid, self.count = bytes(range(16)), 0

    def key(self, word: str, kind: str) -> str:
        package, folder, name = kind.split("/")
        return f"{self.BASE}/{word}/{package}::{folder}::dds_::{name}_/RIHS01_{HASHES[kind]}"

    def begin(self, word: str, kind: str, request: Any) -> Any:
        """Ask; the replies come from what is returned."""
        self.count += 1
        head = struct.pack("<qqB", self.count, 1, 16) + self.gid
        data = request if isinstance(request, bytes) else self.types.encode(
            f"{kind}_Request", request
        )  # fmt: skip
        return self.session.get(
            self.key(word, kind), payload=data, attachment=head, timeout=60,
            target=zenoh.QueryTarget.ALL_COMPLETE, consolidation=zenoh.ConsolidationMode.NONE,
        )  # fmt: skip

    def call(self, word: str, kind: str, request: Any) -> Any:
        return self.end(kind, self.begin(word, kind, request), self.count)

    def end(self, kind: str, replies: Any, count: int) -> Any:
        (reply,) = list(replies)
        assert reply.ok is not None, bytes(reply.err.payload.to_bytes())
        head = bytes(reply.ok.attachment.to_bytes())
        assert struct.unpack_from("<q", head)[0] == count and head[17:] == self.gid
        return self.types.decode(f"{kind}_Response", bytes(reply.ok.payload.to_bytes()))


def goal(number: int, leg: str, length: float, nanosec: int) -> dict[str, Any]:
    stamp = {"sec": 0, "nanosec": 0}
    head = {"stamp": stamp, "frame_id": ""}
    point = {
        "positions": [length], "velocities": [], "accelerations": [], "effort": [],
        "time_from_start": {"sec": 0, "nanosec": nanosec},
    }  # fmt: skip
    return {
        "goal_id": {"uuid": bytes([number] * 16)},
        "goal": {
            "trajectory": {"header": head, "joint_names": [leg], "points": [point]},
            "multi_dof_trajectory": {"header": head, "joint_names": [], "points": []},
            "path_tolerance": [], "component_path_tolerance": [], "goal_tolerance": [],
            "component_goal_tolerance": [], "goal_time_tolerance": stamp,
        },
    }  # fmt: skip


def test_the_action_over_zenoh(bridge: kg.bridges.Bridge) -> None:
    config = zenoh.Config()
    config.insert_json5("mode", '"client"')
    config.insert_json5("connect/endpoints", json.dumps([f"tcp/{bridge.endpoints['ros2']}"]))
    with zenoh.open(config) as session:
        node = Node(session)
        feedback: list[Any] = []
        kept = [
            session.declare_subscriber(
                node.key("feedback", FEEDBACK),
                lambda one: feedback.append(node.types.decode(FEEDBACK, one.payload.to_bytes())),
            )
        ]
        statuses: list[Any] = []
        # the last status is there for those who come later
        kept.append(zenoh.ext.declare_advanced_subscriber(
            session, f"{node.BASE}/status/**",
            lambda one: statuses.append(node.types.decode(STATUS, one.payload.to_bytes())),
            history=zenoh.ext.HistoryConfig(detect_late_publishers=True),
        ))  # fmt: skip
        wait_for(lambda: statuses == [{"status_list": []}])

        sent = node.call("send_goal", SEND_GOAL, goal(1, "leg1", 3.2, 300_000_000))
        assert sent["accepted"] is True
        asked = {"goal_id": {"uuid": bytes([1] * 16)}}
        result = node.call("get_result", GET_RESULT, asked)  # waits until it is there
        assert result == {"status": 4, "result": {"error_code": 0, "error_string": ""}}
        wait_for(lambda: len(feedback) > 2)
        assert feedback[-1]["feedback"]["joint_names"] == ["leg1"]
        wait_for(lambda: statuses[-1]["status_list"][-1]["status"] == 4)

        assert node.call("send_goal", SEND_GOAL, goal(2, "leg1", 3.3, 900_000_000))["accepted"]
        waiting, count = node.begin("get_result", GET_RESULT, {"goal_id": {"uuid": [2] * 16}}), 4
        info = {"goal_id": {"uuid": [2] * 16}, "stamp": {"sec": 0, "nanosec": 0}}
        found = node.call("cancel_goal", CANCEL, {"goal_info": info})
        assert found["return_code"] == 0 and len(found["goals_canceling"]) == 1
        assert node.end(GET_RESULT, waiting, count)["status"] == 5

        refused = node.call("send_goal", SEND_GOAL, goal(3, "leg", 3.3, 900_000_000))
        assert refused["accepted"] is False
        (reply,) = list(node.begin("send_goal", SEND_GOAL, b"abc"))
        assert b"this is not a control_msgs" in bytes(reply.err.payload.to_bytes())
        tokens = [str(one.ok.key_expr) for one in session.liveliness().get("@ros2_lv/**")]
        kinds = {one.split("/")[5] for one in tokens if "%_action%" in one}
        assert kinds == {"SS", "MP"}
        for one in kept:
            one.undeclare()
    words = [one["words"] for one in bridge.traffic(100)[0]["last"]]
    assert any("refused: joint 'leg' has no motor here" in one for one in words)
