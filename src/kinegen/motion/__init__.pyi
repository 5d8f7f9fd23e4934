"""Motions over time: paths along curves, grasps, recordings, designs that move as wanted."""

from kinegen.motion.branches import PathBranch as PathBranch
from kinegen.motion.branches import named_branches as named_branches
from kinegen.motion.curve_place import CurveFit as CurveFit
from kinegen.motion.curve_place import Place as Place
from kinegen.motion.curve_place import find_place as find_place
from kinegen.motion.curve_place import fit_curve as fit_curve
from kinegen.motion.design.data import Candidate as Candidate
from kinegen.motion.design.data import Design as Design
from kinegen.motion.design.data import Improvement as Improvement
from kinegen.motion.design.design import box_points as box_points
from kinegen.motion.design.proposal import GoalProposal as GoalProposal
from kinegen.motion.design.proposal import propose_goals as propose_goals
from kinegen.motion.follow import path_branches as path_branches
from kinegen.motion.grasp.grasp import Grasp as Grasp
from kinegen.motion.grasp.grasp import grasp_object as grasp_object
from kinegen.motion.grasp.grasp import half_sizes as half_sizes
from kinegen.motion.grasp.grasp import plan_grasp as plan_grasp
from kinegen.motion.grasp.gripper import closing_path as closing_path
from kinegen.motion.grasp.gripper import gripper_joints as gripper_joints
from kinegen.motion.grasp.gripper import opening_path as opening_path
from kinegen.motion.path import Crossing as Crossing
from kinegen.motion.path import Path as Path
from kinegen.motion.path import PathGap as PathGap
from kinegen.motion.steering import Steering as Steering
from kinegen.motion.timing.timing import retime as retime
