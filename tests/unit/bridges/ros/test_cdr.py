"""Messages in the encoding of ROS 2."""

from __future__ import annotations

import pytest

import kinegen as kg
from kinegen.bridges.process.physics import local_robot
from kinegen.bridges.ros.cdr import CdrTypes
from kinegen.bridges.ros.node import RosNode
from kinegen.bridges.ros.values import Time
from kinegen.errors import UsageError

pytest.importorskip("rosbags", reason="rosbags is not installed")


@pytest.fixture(scope="module")
def types() -> CdrTypes:
    return CdrTypes()


def test_the_hash_of_a_type_is_the_one_that_ros_2_has(types: CdrTypes) -> None:
    # the example of rmw_zenoh's design document
    assert types.hash_of("std_msgs/String").startswith("RIHS01_df668c740482bbd48fb39d76a70dfd4b")


def test_bytes_are_those_of_the_encoding(types: CdrTypes) -> None:
    assert types.encode("std_msgs/msg/String", {"data": "hi"}).hex() == "0001000003000000686900"
    clock = types.encode("rosgraph_msgs/Clock", {"clock": Time(3, 7)})
    assert clock.hex() == "000100000300000007000000"


def test_all_messages_of_a_robot_come_back(types: CdrTypes) -> None:
    node = RosNode.of(local_robot(kg.load("stewart"), step=2e-3, hold=True))
    for source in node.sources.values():
        message = source.make()
        assert message is not None and types.has(source.type)
        back = types.decode(source.type, types.encode(source.type, message))
        assert list(back) == list(message)
    state = node.sources["/joint_states"].make()
    assert state is not None
    back = types.decode("sensor_msgs/JointState", types.encode("sensor_msgs/JointState", state))
    assert back["position"] == state["position"] and back["name"] == state["name"]


def test_bytes_that_are_no_message_are_refused(types: CdrTypes) -> None:
    for data in (b"", b"\0\1\0\0", b"\xff" * 100, b"\0\1\0\0" + b"\xff" * 40):
        with pytest.raises(UsageError, match="this is not a trajectory_msgs/JointTrajectory"):
            types.decode("trajectory_msgs/msg/JointTrajectory", data)
