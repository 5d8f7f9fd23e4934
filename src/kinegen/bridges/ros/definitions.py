"""Definitions of the ROS messages that a bridge sends or understands.

Names and fields: the packages of ROS 2 (common_interfaces, control_msgs, rosgraph_msgs, tf2_msgs)
and of ROS 1 (common_msgs, actionlib_msgs), which differ in the names of times and in a header's
``seq``.
"""

from __future__ import annotations

from kinegen.errors import unknown_name

__all__ = ["CONSTANTS", "FIELDS", "plain_name", "raw_text", "ros2_name", "text_of"]

FIELDS: dict[str, str] = {
    "std_msgs/Header": "builtin_interfaces/Time stamp; string frame_id",
    "std_msgs/String": "string data",
    "std_msgs/Float64": "float64 data",
    "std_msgs/MultiArrayDimension": "string label; uint32 size; uint32 stride",
    "std_msgs/MultiArrayLayout": "std_msgs/MultiArrayDimension[] dim; uint32 data_offset",
    "std_msgs/Float64MultiArray": "std_msgs/MultiArrayLayout layout; float64[] data",
    "builtin_interfaces/Time": "int32 sec; uint32 nanosec",
    "builtin_interfaces/Duration": "int32 sec; uint32 nanosec",
    "rosgraph_msgs/Clock": "builtin_interfaces/Time clock",
    "geometry_msgs/Vector3": "float64 x; float64 y; float64 z",
    "geometry_msgs/Point": "float64 x; float64 y; float64 z",
    "geometry_msgs/Quaternion": "float64 x; float64 y; float64 z; float64 w",
    "geometry_msgs/Pose": "geometry_msgs/Point position; geometry_msgs/Quaternion orientation",
    "geometry_msgs/PoseStamped": "std_msgs/Header header; geometry_msgs/Pose pose",
    "geometry_msgs/Transform": "geometry_msgs/Vector3 translation; "
    "geometry_msgs/Quaternion rotation",
    "geometry_msgs/TransformStamped": "std_msgs/Header header; string child_frame_id; "
    "geometry_msgs/Transform transform",
    "geometry_msgs/Wrench": "geometry_msgs/Vector3 force; geometry_msgs/Vector3 torque",
    "geometry_msgs/WrenchStamped": "std_msgs/Header header; geometry_msgs/Wrench wrench",
    "tf2_msgs/TFMessage": "geometry_msgs/TransformStamped[] transforms",
    "sensor_msgs/JointState": "std_msgs/Header header; string[] name; float64[] position; "
    "float64[] velocity; float64[] effort",
    "sensor_msgs/Image": "std_msgs/Header header; uint32 height; uint32 width; string encoding; "
    "uint8 is_bigendian; uint32 step; uint8[] data",
    "sensor_msgs/CompressedImage": "std_msgs/Header header; string format; uint8[] data",
    "sensor_msgs/RegionOfInterest": "uint32 x_offset; uint32 y_offset; uint32 height; "
    "uint32 width; bool do_rectify",
    "sensor_msgs/CameraInfo": "std_msgs/Header header; uint32 height; uint32 width; "
    "string distortion_model; float64[] d; float64[9] k; float64[9] r; float64[12] p; "
    "uint32 binning_x; uint32 binning_y; sensor_msgs/RegionOfInterest roi",
    "sensor_msgs/LaserScan": "std_msgs/Header header; float32 angle_min; float32 angle_max; "
    "float32 angle_increment; float32 time_increment; float32 scan_time; float32 range_min; "
    "float32 range_max; float32[] ranges; float32[] intensities",
    "sensor_msgs/PointField": "string name; uint32 offset; uint8 datatype; uint32 count",
    "sensor_msgs/PointCloud2": "std_msgs/Header header; uint32 height; uint32 width; "
    "sensor_msgs/PointField[] fields; bool is_bigendian; uint32 point_step; uint32 row_step; "
    "uint8[] data; bool is_dense",
    "sensor_msgs/Imu": "std_msgs/Header header; geometry_msgs/Quaternion orientation; "
    "float64[9] orientation_covariance; geometry_msgs/Vector3 angular_velocity; "
    "float64[9] angular_velocity_covariance; geometry_msgs/Vector3 linear_acceleration; "
    "float64[9] linear_acceleration_covariance",
    "sensor_msgs/Range": "std_msgs/Header header; uint8 radiation_type; float32 field_of_view; "
    "float32 min_range; float32 max_range; float32 range; float32 variance",
    "trajectory_msgs/JointTrajectoryPoint": "float64[] positions; float64[] velocities; "
    "float64[] accelerations; float64[] effort; builtin_interfaces/Duration time_from_start",
    "trajectory_msgs/JointTrajectory": "std_msgs/Header header; string[] joint_names; "
    "trajectory_msgs/JointTrajectoryPoint[] points",
    "actionlib_msgs/GoalID": "builtin_interfaces/Time stamp; string id",
    "actionlib_msgs/GoalStatus": "actionlib_msgs/GoalID goal_id; uint8 status; string text",
    "actionlib_msgs/GoalStatusArray": "std_msgs/Header header; "
    "actionlib_msgs/GoalStatus[] status_list",
    "control_msgs/JointTolerance": "string name; float64 position; float64 velocity; "
    "float64 acceleration",
    "control_msgs/FollowJointTrajectoryGoal": "trajectory_msgs/JointTrajectory trajectory; "
    "control_msgs/JointTolerance[] path_tolerance; control_msgs/JointTolerance[] goal_tolerance; "
    "builtin_interfaces/Duration goal_time_tolerance",
    "control_msgs/FollowJointTrajectoryResult": "int32 error_code; string error_string",
    "control_msgs/FollowJointTrajectoryFeedback": "std_msgs/Header header; string[] joint_names; "
    "trajectory_msgs/JointTrajectoryPoint desired; trajectory_msgs/JointTrajectoryPoint actual; "
    "trajectory_msgs/JointTrajectoryPoint error",
    "control_msgs/FollowJointTrajectoryActionGoal": "std_msgs/Header header; "
    "actionlib_msgs/GoalID goal_id; control_msgs/FollowJointTrajectoryGoal goal",
    "control_msgs/FollowJointTrajectoryActionResult": "std_msgs/Header header; "
    "actionlib_msgs/GoalStatus status; control_msgs/FollowJointTrajectoryResult result",
    "control_msgs/FollowJointTrajectoryActionFeedback": "std_msgs/Header header; "
    "actionlib_msgs/GoalStatus status; control_msgs/FollowJointTrajectoryFeedback feedback",
}
"""Fields of each type, by its ROS 1 name."""

CONSTANTS: dict[str, str] = {
    "sensor_msgs/PointField": "uint8 INT8=1; uint8 UINT8=2; uint8 INT16=3; uint8 UINT16=4; "
    "uint8 INT32=5; uint8 UINT32=6; uint8 FLOAT32=7; uint8 FLOAT64=8",
    "sensor_msgs/Range": "uint8 ULTRASOUND=0; uint8 INFRARED=1",
    "actionlib_msgs/GoalStatus": "uint8 PENDING=0; uint8 ACTIVE=1; uint8 PREEMPTED=2; "
    "uint8 SUCCEEDED=3; uint8 ABORTED=4; uint8 REJECTED=5; uint8 PREEMPTING=6; "
    "uint8 RECALLING=7; uint8 RECALLED=8; uint8 LOST=9",
    "control_msgs/FollowJointTrajectoryResult": "int32 SUCCESSFUL=0; int32 INVALID_GOAL=-1; "
    "int32 INVALID_JOINTS=-2; int32 OLD_HEADER_TIMESTAMP=-3; int32 PATH_TOLERANCE_VIOLATED=-4; "
    "int32 GOAL_TOLERANCE_VIOLATED=-5",
}
"""Constants of the types that have some."""


def plain_name(name: str) -> str:
    """A type by its ROS 1 name: ``sensor_msgs/JointState``, however a client says it."""
    return name.replace("/msg/", "/").replace("/action/", "/").strip("/")


def ros2_name(name: str) -> str:
    """The same in ROS 2: ``sensor_msgs/msg/JointState``."""
    package, _, word = plain_name(name).partition("/")
    return f"{package}/msg/{word}" if word else name


def raw_text(name: str) -> str:
    """A type's definition with those of all types in it, as ROS 2 tools read them.

    Raises:
        UnknownNameError: It is none of the types of :data:`FIELDS`.
    """
    asked = plain_name(name)
    if asked not in FIELDS:
        raise unknown_name("message type", name, "the bridge", FIELDS)
    found: list[str] = []
    _collect(asked, found)
    first, *others = found
    parts = [text_of(first)]
    parts += [f"{'=' * 80}\nMSG: {ros2_name(one)}\n{text_of(one)}" for one in others]
    return "\n".join(parts)


def _collect(name: str, found: list[str]) -> None:
    if name in found:
        return
    found.append(name)
    for field in FIELDS[name].split("; "):
        inner = field.split()[0].partition("[")[0]
        if inner in FIELDS:
            _collect(inner, found)


def text_of(name: str) -> str:
    """A type's own definition, by its ROS 1 name: constants and fields, a line each."""
    rows = [*filter(None, CONSTANTS.get(name, "").split("; ")), *FIELDS[name].split("; ")]
    return "\n".join(rows)
