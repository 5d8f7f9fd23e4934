"""ROS 1 with Debian's rospy, tools and robot_state_publisher, where they are installed."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import kinegen as kg
from tests.support.clients import ros1 as little
from tests.support.waiting import wait_for

pytest.importorskip("rosbags", reason="rosbags is not installed")

from kinegen.bridges.ros.definitions import FIELDS
from kinegen.bridges.ros1.encoding import Ros1Types

pytestmark = pytest.mark.slow
CONTROLLER = "/joint_trajectory_controller"
TYPES = Ros1Types()
TRAJECTORY = "trajectory_msgs/JointTrajectory"
CLIENT = Path(__file__).parents[3] / "support" / "clients" / "debian.py"
PYTHON = "/usr/bin/python3"
IMPORTS = "import rospy, actionlib, tf2_ros, sensor_msgs.msg, trajectory_msgs.msg"


def has_ros() -> bool:
    """Whether Debian's packages are there."""
    if not (shutil.which("rostopic") and os.path.exists(PYTHON)):
        return False
    return subprocess.run([PYTHON, "-c", IMPORTS], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def bridge() -> Iterator[kg.bridges.Bridge]:
    if not has_ros():
        pytest.skip("Debian's ROS is not installed: use make test-bridges")
    with kg.bridges.Bridge("so101", ["ros1:0"], step=2e-3) as made:
        yield made


@pytest.fixture
def address(bridge: kg.bridges.Bridge) -> str:
    return bridge.endpoints["ros1"]


@pytest.fixture(scope="module")
def ros(bridge: kg.bridges.Bridge, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment with the bridge as the master."""
    logs = str(tmp_path_factory.mktemp("ros"))
    uri = f"http://{bridge.endpoints['ros1']}"
    return {"PATH": os.environ["PATH"], "ROS_MASTER_URI": uri, "ROS_IP": "127.0.0.1",
            "HOME": logs, "ROS_LOG_DIR": logs}  # fmt: skip


def run(ros: dict[str, str], *command: str, given: str = "") -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env=ros, input=given
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def test_rospy_and_actionlib(ros: dict[str, str], bridge: kg.bridges.Bridge, address: str) -> None:
    words = ("Goal", "Result", "Feedback")
    names = [f"control_msgs/FollowJointTrajectoryAction{word}" for word in words]
    little.value(little.master(address).setParam("/me", "/frames", ["base", "gripper"]))
    given = json.dumps({name: TYPES.definition_of(name) for name in names})
    seen = json.loads(run(ros, PYTHON, str(CLIENT), given=given).splitlines()[-1])
    assert seen["results"] == [[3, 0], [2, 0], [5, -2]]  # succeeded, preempted, rejected
    assert seen["feedback"] > 2
    assert seen["numbers"][1] == seen["numbers"][0] + 1
    assert seen["sums"] == {name: TYPES.md5_of(name) for name in names}
    assert seen["description"].startswith("<?xml")
    X = kg.pose(kg.load("so101"), bridge.state.q, "gripper")
    assert seen["tip"] == pytest.approx(X.translation, abs=0.01)


def test_tools_list_show_and_publish(ros: dict[str, str], bridge: kg.bridges.Bridge) -> None:
    assert "/joint_states" in run(ros, "rostopic", "list").splitlines()
    assert "elbow_flex" in run(ros, "rostopic", "echo", "-n", "1", "/joint_states")
    text = "{joint_names: [wrist_flex], points: [{positions: [0.3], time_from_start: {secs: 1}}]}"
    run(ros, "rostopic", "pub", "-1", f"{CONTROLLER}/joint_trajectory", TRAJECTORY, text)
    wait_for(lambda: bridge.state.servos["wrist_flex"].goal == pytest.approx(0.3))


def test_sums_are_those_of_debians_packages(ros: dict[str, str]) -> None:
    program = """
import json, roslib.message, sys
found = {name: roslib.message.get_message_class(name) for name in json.load(sys.stdin)}
print(json.dumps({name: one._md5sum for name, one in found.items() if one is not None}))
"""
    given = json.dumps([name for name in FIELDS if not name.startswith("builtin")])
    sums = json.loads(run(ros, PYTHON, "-c", program, given=given))
    assert len(sums) > 20
    assert {name: TYPES.md5_of(name) for name in sums} == sums


def test_robot_state_publisher(ros: dict[str, str], address: str) -> None:
    program = Path("/usr/lib/robot_state_publisher/robot_state_publisher")
    if not program.exists():
        pytest.skip("Debian's robot_state_publisher is not installed: use make test-bridges")
    master = little.master(address)
    with subprocess.Popen([str(program)], env=ros, stderr=subprocess.DEVNULL) as process:
        try:

            def uri() -> str:
                return str(master.lookupNode("/me", "/robot_state_publisher")[2])

            wait_for(lambda: bool(uri()))
            kind = ["/tf", "tf2_msgs/TFMessage"]
            wait_for(lambda: kind in little.Api(uri()).getPublications("/me")[2])
            port = little.Api(uri()).requestTopic("/me", "/tf", [["TCPROS"]])[2][2]
            with socket.create_connection(("127.0.0.1", port), 30) as stream:
                fields = {"callerid": "/me", "topic": "/tf", "md5sum": "*", "type": "*"}
                stream.sendall(little.header(fields))
                little.read_header(stream)
                found = TYPES.decode("tf2_msgs/TFMessage", little.read_block(stream))
                names = [one["child_frame_id"] for one in found["transforms"]]
                assert "elbow_flex" in names
        finally:
            process.terminate()
