"""A program as users of roslibpy write them; it prints what it saw as JSON.

It has a process of its own: roslibpy's event loop cannot be started twice in one.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import roslibpy
from roslibpy.ros1 import actionlib

ACTION = "/joint_trajectory_controller/follow_joint_trajectory"
LEGS = [f"leg{i}" for i in range(1, 7)]


def going(length: float, seconds: int = 0) -> dict[str, Any]:
    """All six legs to a length [m]."""
    point = {
        "positions": [length] * 6, "velocities": [0.0] * 6,
        "time_from_start": {"sec": seconds, "nanosec": 300_000_000},
    }  # fmt: skip
    return {"joint_names": LEGS, "points": [point]}


def main(host: str, port: int) -> dict[str, Any]:
    """Topics, services and actions."""
    roslibpy.ros.set_rosapi_timeout(60)
    ros = roslibpy.Ros(host, port)
    ros.run(60)
    found: dict[str, Any] = {
        "topics": ros.get_topics(), "type": ros.get_topic_type("/tf"),
        "for_type": ros.get_topics_for_type("sensor_msgs/JointState"),
        "services": ros.get_services(), "service_type": ros.get_service_type("/rosapi/topics"),
        "nodes": ros.get_nodes(), "time": ros.get_time().to_sec(),
        "description": ros.get_param("robot_description"),
    }  # fmt: skip

    # a topic moves the legs, and another shows it
    states: list[Any] = []
    listener = roslibpy.Topic(ros, "/joint_states", "sensor_msgs/JointState", throttle_rate=20)
    listener.subscribe(states.append)
    kind = "trajectory_msgs/JointTrajectory"
    topic = roslibpy.Topic(ros, "/joint_trajectory_controller/joint_trajectory", kind)
    topic.publish(roslibpy.Message(going(3.3)))

    def legs() -> list[float]:
        values = dict(zip(states[-1]["name"], states[-1]["position"], strict=True))
        return [values[name] for name in LEGS]

    end = time.monotonic() + 60
    while not states or min(legs()) < 3.28:
        assert time.monotonic() < end, states[-1:]
        time.sleep(0.02)
    found["legs"], found["stamp"] = legs(), states[-1]["header"]["stamp"]
    listener.unsubscribe()
    topic.unadvertise()

    # an action of ROS 2
    action = roslibpy.ActionClient(ros, ACTION, "control_msgs/action/FollowJointTrajectory")
    results: list[Any] = []
    feedback: list[Any] = []
    failures: list[Any] = []

    def send(trajectory: dict[str, Any]) -> str:
        goal = roslibpy.Goal({"trajectory": trajectory})
        name: str = action.send_goal(goal, results.append, feedback.append, failures.append)
        return name

    action.wait_goal(send(going(3.2)), 60)
    before, end = len(feedback), time.monotonic() + 60
    long = send(going(3.4, seconds=60))
    while len(feedback) == before:
        assert time.monotonic() < end
        time.sleep(0.02)
    action.cancel_goal(long)
    action.wait_goal(long, 60)
    action.wait_goal(send(going(9.0)), 60)
    found["results"] = [[one["status"].name, one["values"]["error_code"]] for one in results]
    found["feedback"], found["failure"] = dict(feedback[0]), failures[0]["values"]

    # an action of ROS 1
    actionlib.DEFAULT_CONNECTION_TIMEOUT = 60
    old = actionlib.ActionClient(ros, ACTION, "control_msgs/FollowJointTrajectoryAction")
    goal = actionlib.Goal(old, roslibpy.Message({"trajectory": going(3.25)}))
    goal.send()
    found["old"] = [goal.wait(60), goal.status["status"]]
    refused = actionlib.Goal(old, roslibpy.Message({"trajectory": {"points": [{}]}}))
    refused.send()
    found["refused"] = refused.wait(60)
    ros.terminate()
    return found


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]))))
