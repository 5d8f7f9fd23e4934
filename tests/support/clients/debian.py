"""A program as users of ROS 1 write them, for Debian's rospy and actionlib; it prints JSON.

It runs with the system's Python, which has no Kinegen. Debian has no control_msgs: its messages are
generated from the definitions of standard input, by Debian's own genpy.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import actionlib
import rospy
import tf2_ros
from genpy.dynamic import generate_dynamic
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

CONTROLLER = "/joint_trajectory_controller"
ACTION = f"{CONTROLLER}/follow_joint_trajectory"


def main(definitions: dict[str, str]) -> dict[str, Any]:
    """Watch joint states, move the joints by a topic and by an action, look at frames."""
    rospy.init_node("program", disable_signals=True)
    made = {name: generate_dynamic(name, text) for name, text in definitions.items()}

    class Action:
        """As control_msgs has it."""

        def __init__(self) -> None:
            for word in ("Goal", "Result", "Feedback"):
                name = f"control_msgs/FollowJointTrajectoryAction{word}"
                setattr(self, f"action_{word.lower()}", made[name][name]())

    state: Any = rospy.wait_for_message("/joint_states", JointState, 30)
    names, start = list(state.name), list(state.position)
    seen: list[Any] = []
    rospy.Subscriber("/joint_states", JointState, seen.append)
    topic = rospy.Publisher(f"{CONTROLLER}/joint_trajectory", JointTrajectory, queue_size=1)
    end = time.monotonic() + 60
    while not topic.get_num_connections():
        assert time.monotonic() < end, "the robot does not listen"
        time.sleep(0.01)
    point = JointTrajectoryPoint(positions=[start[0] + 0.2], time_from_start=rospy.Duration(0.3))
    topic.publish(JointTrajectory(joint_names=names[:1], points=[point]))
    while not seen or abs(seen[-1].position[0] - start[0] - 0.2) > 0.02:
        assert time.monotonic() < end, seen[-1:]
        time.sleep(0.01)

    client = actionlib.SimpleActionClient(ACTION, Action)
    assert client.wait_for_server(rospy.Duration(30))
    feedback: list[Any] = []
    results = []
    for value, name, is_canceled in ((0.1, names[0], False), (0.3, names[0], True),
                                     (0.1, "nobody", False)):  # fmt: skip
        goal = type(Action().action_goal.goal)()
        goal.trajectory.joint_names = [name]
        row = type(made["control_msgs/FollowJointTrajectoryActionGoal"][
            "trajectory_msgs/JointTrajectoryPoint"]())()  # fmt: skip
        row.positions, row.time_from_start = [start[0] + value], rospy.Duration(0.5)
        goal.trajectory.points = [row]
        client.send_goal(goal, feedback_cb=feedback.append)
        if is_canceled:
            while client.get_state() != actionlib.GoalStatus.ACTIVE:
                assert time.monotonic() < end, client.get_state()
                time.sleep(0.01)
            client.cancel_goal()
        assert client.wait_for_result(rospy.Duration(30))
        results.append([client.get_state(), client.get_result().error_code])

    buffer = tf2_ros.Buffer()
    tf2_ros.TransformListener(buffer)
    root = seen[-1].header.frame_id or rospy.get_param("/frames")[0]
    found = buffer.lookup_transform(root, rospy.get_param("/frames")[1], rospy.Time(0),
                                    rospy.Duration(30))  # fmt: skip
    p = found.transform.translation
    return {
        "moved": seen[-1].position[0] - start[0], "results": results, "feedback": len(feedback),
        "description": rospy.get_param("/robot_description"), "tip": [p.x, p.y, p.z],
        "sums": {name: made[name][name]._md5sum for name in made}, "count": len(seen),
        "numbers": [one.header.seq for one in seen[-2:]],
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(main(json.load(sys.stdin))), flush=True)
