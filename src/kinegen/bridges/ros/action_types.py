"""Types of the action FollowJointTrajectory and of its services, as ROS 2 has them.

Definitions: control_msgs, action_msgs and service_msgs of ROS 2; how actions and services become
messages: the ROS 2 design articles on actions and on type descriptions (REP 2011).
"""

from __future__ import annotations

from typing import Any

__all__ = ["ACTION_TYPE", "CANCEL", "FEEDBACK", "GET_RESULT", "SEND_GOAL", "STATUS", "fields_of"]

ACTION_TYPE = "control_msgs/action/FollowJointTrajectory"
SEND_GOAL, GET_RESULT = f"{ACTION_TYPE}_SendGoal", f"{ACTION_TYPE}_GetResult"
CANCEL = "action_msgs/srv/CancelGoal"
FEEDBACK, STATUS = f"{ACTION_TYPE}_FeedbackMessage", "action_msgs/msg/GoalStatusArray"

_UUID = "unique_identifier_msgs/msg/UUID goal_id"
_POINT, _POSES = (f"trajectory_msgs/msg/{one}JointTrajectoryPoint" for one in ("", "MultiDOF"))
_FIELDS = {
    "control_msgs/msg/JointTolerance": "string name; float64 position; float64 velocity; "
    "float64 acceleration",
    "control_msgs/msg/JointComponentTolerance": "string joint_name; uint16 component; "
    "float64 position; float64 velocity; float64 acceleration",
    "service_msgs/msg/ServiceEventInfo": "uint8 event_type; builtin_interfaces/msg/Time stamp; "
    "uint8[16] client_gid; int64 sequence_number",
    f"{ACTION_TYPE}_Goal": "trajectory_msgs/msg/JointTrajectory trajectory; "
    "trajectory_msgs/msg/MultiDOFJointTrajectory multi_dof_trajectory; "
    "control_msgs/msg/JointTolerance[] path_tolerance; "
    "control_msgs/msg/JointComponentTolerance[] component_path_tolerance; "
    "control_msgs/msg/JointTolerance[] goal_tolerance; "
    "control_msgs/msg/JointComponentTolerance[] component_goal_tolerance; "
    "builtin_interfaces/msg/Duration goal_time_tolerance",
    f"{ACTION_TYPE}_Result": "int32 error_code; string error_string",
    f"{ACTION_TYPE}_Feedback": "std_msgs/msg/Header header; string[] joint_names; "
    f"{_POINT} desired; {_POINT} actual; {_POINT} error; string[] multi_dof_joint_names; "
    f"{_POSES} multi_dof_desired; {_POSES} multi_dof_actual; {_POSES} multi_dof_error",
    FEEDBACK: f"{_UUID}; {ACTION_TYPE}_Feedback feedback",
    f"{SEND_GOAL}_Request": f"{_UUID}; {ACTION_TYPE}_Goal goal",
    f"{SEND_GOAL}_Response": "bool accepted; builtin_interfaces/msg/Time stamp",
    f"{GET_RESULT}_Request": _UUID,
    f"{GET_RESULT}_Response": f"int8 status; {ACTION_TYPE}_Result result",
    f"{CANCEL}_Request": "action_msgs/msg/GoalInfo goal_info",
    f"{CANCEL}_Response": "int8 return_code; action_msgs/msg/GoalInfo[] goals_canceling",
}


def fields_of() -> dict[str, tuple[list[Any], list[Any]]]:
    """All types as rosbags registers them; a service is a type of its messages and its events."""
    texts = dict(_FIELDS)
    for one in (SEND_GOAL, GET_RESULT, CANCEL):
        texts[f"{one}_Event"] = (
            f"service_msgs/msg/ServiceEventInfo info; {one}_Request[<=1] request; "
            f"{one}_Response[<=1] response"
        )
        texts[one] = (
            f"{one}_Request request_message; {one}_Response response_message; "
            f"{one}_Event event_message"
        )
    return {name: ([], [_field(row) for row in text.split("; ")]) for name, text in texts.items()}


def _field(row: str) -> tuple[str, Any]:
    """A field's name, and what it is as rosbags has it."""
    from rosbags.interfaces import Nodetype

    word, name = row.split()
    base, bracket, size = word.partition("[")
    inner = (Nodetype.NAME, base) if "/" in base else (Nodetype.BASE, (base, 0))
    if not bracket:
        return name, inner
    number = size.removesuffix("]")
    if number.isdecimal():
        return name, (Nodetype.ARRAY, (inner, int(number)))
    return name, (Nodetype.SEQUENCE, (inner, int(number.removeprefix("<=") or 0)))
