"""Motions over time: paths along curves, grasps, recordings, designs that move as wanted."""

from kinegen.motion.branches import PathBranch, named_branches
from kinegen.motion.curves.place import CurveFit, Place, find_place, fit_curve
from kinegen.motion.design.proposal import GoalProposal, propose_goals
from kinegen.motion.follow import follow, path_branches
from kinegen.motion.grasp.grasp import Grasp, grasp_object, half_sizes, plan_grasp
from kinegen.motion.grasp.gripper import closing_path, gripper_joints, opening_path
from kinegen.motion.path import Crossing, Path, PathGap
from kinegen.motion.recording import Recording
from kinegen.motion.timing.timing import retime

__all__ = [
    "Crossing",
    "CurveFit",
    "GoalProposal",
    "Grasp",
    "Path",
    "PathBranch",
    "PathGap",
    "Place",
    "Recording",
    "closing_path",
    "find_place",
    "fit_curve",
    "follow",
    "grasp_object",
    "gripper_joints",
    "half_sizes",
    "named_branches",
    "opening_path",
    "path_branches",
    "plan_grasp",
    "propose_goals",
    "retime",
]
