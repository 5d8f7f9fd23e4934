"""Grasping: the way of a tool to an object, and the gripper that takes it."""

from kinegen.motion.grasp.grasp import Grasp, grasp_object, half_sizes, plan_grasp
from kinegen.motion.grasp.gripper import closing_path, gripper_joints, opening_path

__all__ = [
    "Grasp",
    "closing_path",
    "grasp_object",
    "gripper_joints",
    "half_sizes",
    "opening_path",
    "plan_grasp",
]
