"""ROS 2 over zenoh with zenoh-ros2-sdk, unmodified, and with payloads that are no messages."""

from __future__ import annotations

import contextlib
import json
import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import kinegen as kg
from kinegen.errors import UsageError
from tests.support.waiting import wait_for

zenoh = pytest.importorskip("zenoh", reason="eclipse-zenoh is not installed")
pytest.importorskip("rosbags", reason="rosbags is not installed")
TOPIC = "joint_trajectory_controller/joint_trajectory"
TRAJECTORY = f"0/{TOPIC}/trajectory_msgs::msg::dds_::JointTrajectory_/RIHS01_0"


@pytest.fixture(scope="module")
def bridge() -> Iterator[kg.Bridge]:
    with kg.Bridge("stewart", ["ros2:0", "rosbridge:0"], step=2e-3) as made:
        yield made


def test_noise_on_the_port_and_in_messages(bridge: kg.Bridge) -> None:
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
            session.put(TRAJECTORY, rng.randbytes(size))
        wait_for(lambda: bridge.traffic()[0]["errors"] == 4)
    words = [one["words"] for one in bridge.traffic()[0]["last"]]
    assert any("refused: this is no trajectory_msgs/JointTrajectory" in one for one in words)


def test_a_node_watches_moves_and_finds_the_robot(bridge: kg.Bridge) -> None:
    pytest.importorskip("zenoh_ros2_sdk", reason="zenoh-ros2-sdk is not installed")
    address = bridge.endpoints["ros2"].split(":")
    program = [sys.executable, "-m", "tests.support.ros2_client", *address]
    done = subprocess.run(program, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    seen: Any = json.loads(done.stdout)
    assert seen["legs"] == pytest.approx([3.3] * 6, abs=0.03)
    assert seen["description"][0].startswith("<?xml")
    kinds = {one.split("/")[5]: one for one in seen["tokens"] if "%joint_states" in one}
    assert "sensor_msgs::msg::dds_::JointState_/RIHS01_" in kinds["MP"]

    def goals() -> list[float]:
        return [bridge.world["servos"][f"leg{i}"]["goal"] for i in range(1, 7)]

    wait_for(lambda: goals() == pytest.approx([3.3] * 6))  # the end of the trajectory


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"127.0.0.1:{port}: address already in use.*--port"):
            kg.Bridge("so101", ["ros2"], port=port, clock="client")
