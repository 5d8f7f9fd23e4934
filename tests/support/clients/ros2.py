"""A program as users of zenoh-ros2-sdk write them; it prints what it saw as JSON.

It has a process of its own: the library has one session per process.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import numpy as np
from rosbags.typesys import Stores, get_typestore
from zenoh_ros2_sdk import ROS2Publisher, ROS2Subscriber
from zenoh_ros2_sdk.qos import QosDurability, QosProfile
from zenoh_ros2_sdk.session import ZenohSession

STORE = get_typestore(Stores.ROS2_HUMBLE)
STATE, TRAJECTORY = "sensor_msgs/msg/JointState", "trajectory_msgs/msg/JointTrajectory"
TEXT = "std_msgs/msg/String"


def main(host: str, port: int) -> dict[str, Any]:
    """Watch joint states, move the legs, read the description."""
    session = ZenohSession.get_instance(host, port)
    # the library fetches definitions of messages from the net; here they are those of rosbags
    session.store = STORE
    session._registered_types = {name: name for name in STORE.types}
    to = {"router_ip": host, "router_port": port}
    states: list[Any] = []
    texts: list[Any] = []

    def hashed(name: str) -> str:
        return str(STORE.hash_rihs01(name))

    ROS2Subscriber("/joint_states", STATE, callback=states.append, type_hash=hashed(STATE), **to)
    last = QosProfile(durability=QosDurability.TRANSIENT_LOCAL)
    ROS2Subscriber(
        "/robot_description", TEXT, callback=texts.append, type_hash=hashed(TEXT), qos=last, **to
    )
    publisher = ROS2Publisher(
        "/joint_trajectory_controller/joint_trajectory", TRAJECTORY,
        type_hash=hashed(TRAJECTORY), **to,
    )  # fmt: skip
    end = time.monotonic() + 60
    while not states:
        assert time.monotonic() < end, "no joint states"
        time.sleep(0.02)
    types = STORE.types
    moment = types["builtin_interfaces/msg/Duration"]
    point = types["trajectory_msgs/msg/JointTrajectoryPoint"]
    legs = [f"leg{i}" for i in range(1, 7)]
    none = np.zeros(0)
    row = point(np.full(6, 3.3), np.zeros(6), none, none, moment(0, 300_000_000))
    stamp = types["builtin_interfaces/msg/Time"](0, 0)
    publisher.publish(
        header=types["std_msgs/msg/Header"](stamp, ""), joint_names=legs, points=[row]
    )

    def lengths() -> list[float]:
        state = states[-1]
        values = dict(zip(state.name, state.position, strict=True))
        return [float(values[leg]) for leg in legs]

    while min(lengths()) < 3.28:
        assert time.monotonic() < end, lengths()
        time.sleep(0.02)
    tokens = [str(one.ok.key_expr) for one in session.liveliness.get("@ros2_lv/**") if one.ok]
    return {
        "legs": lengths(), "description": [one.data for one in texts], "tokens": tokens,
        "stamp": states[-1].header.stamp.sec, "count": len(states),
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]))), flush=True)
    os._exit(0)
