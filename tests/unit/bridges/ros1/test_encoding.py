"""MD5 sums and bytes of ROS 1's messages."""

from __future__ import annotations

import struct

import pytest

from kinegen.errors import UsageError

pytest.importorskip("rosbags", reason="rosbags is not installed")

from kinegen.bridges.ros.definitions import FIELDS
from kinegen.bridges.ros.values import header
from kinegen.bridges.ros1.encoding import Ros1Types

SUMS = {
    # of Debian's packages of ROS Noetic
    "std_msgs/Header": "2176decaecbce78abc3b96ef049fabed",
    "rosgraph_msgs/Clock": "a9c97c1d230cfc112e270351a944ee47",
    "sensor_msgs/JointState": "3066dcd76a6cfaef579bd0f34173e9fd",
    "sensor_msgs/Image": "060021388200f6f0f447d0fcd9c64743",
    "sensor_msgs/CameraInfo": "c9a58c1b0b154e0e6da7578cb991d214",
    "sensor_msgs/LaserScan": "90c7ef2dc6895d81024acba2ac42f369",
    "trajectory_msgs/JointTrajectory": "65b4f94a94d1ed67169da35a02f33d3f",
    "tf2_msgs/TFMessage": "94810edda583a504dfda3829e70d7eec",
    "actionlib_msgs/GoalStatusArray": "8b2b82f13216d0a8ea88bd3af735e619",
    # of control_msgs 1.5, as its generated headers have them
    "control_msgs/FollowJointTrajectoryActionGoal": "cff5c1d533bf2f82dd0138d57f4304bb",
    "control_msgs/FollowJointTrajectoryActionResult": "c4fb3b000dc9da4fd99699380efcc5d9",
    "control_msgs/FollowJointTrajectoryActionFeedback": "d8920dc4eae9fc107e00999cce4be641",
}


def test_sums_are_those_of_ros() -> None:
    types = Ros1Types()
    assert {name: types.md5_of(name) for name in SUMS} == SUMS
    assert all(types.has(name) for name in FIELDS)
    assert "int32 GOAL_TOLERANCE_VIOLATED=-5" in types.definition_of(
        "control_msgs/FollowJointTrajectoryActionResult"
    )


def test_messages_have_the_bytes_of_the_wire() -> None:
    types = Ros1Types()
    state = {
        "header": header(1.5, "w"), "name": ["a"], "position": [0.5], "velocity": [],
        "effort": [],
    }  # fmt: skip
    data = types.encode("sensor_msgs/JointState", state, 7)
    body = struct.pack("<IIII", 7, 1, 500_000_000, 1) + b"w" + struct.pack("<II", 1, 1) + b"a"
    body += struct.pack("<IdII", 1, 0.5, 0, 0)
    assert data == struct.pack("<I", len(body)) + body
    back = types.decode("sensor_msgs/JointState", body)
    assert back["header"] == {
        "seq": 7, "stamp": {"sec": 1, "nanosec": 500_000_000}, "frame_id": "w"
    }  # fmt: skip
    assert back["position"] == [0.5]
    for bad in (b"", body[:-9], struct.pack("<IIIII", 0, 0, 0, 0, 0xFFFFFFFF)):
        with pytest.raises(UsageError, match="this is not a sensor_msgs/JointState"):
            types.decode("sensor_msgs/JointState", bad)
