"""Kinematics of a model: where its parts are, how they move, how far its loops are open."""

from kinegen.kinematics.closure import (
    Task,
    augmented_jacobian,
    loop_gap,
    loop_jacobian,
    loop_poses,
    loop_residual,
)
from kinegen.kinematics.configurations import configuration, difference, integrate, velocity
from kinegen.kinematics.jacobians import (
    WORLD,
    evaluator,
    jacobian,
    jacobian_dot,
    link_twists,
)
from kinegen.kinematics.positions import forward, pose, poses

__all__ = [
    "WORLD",
    "Task",
    "augmented_jacobian",
    "configuration",
    "difference",
    "evaluator",
    "forward",
    "integrate",
    "jacobian",
    "jacobian_dot",
    "link_twists",
    "loop_gap",
    "loop_jacobian",
    "loop_poses",
    "loop_residual",
    "pose",
    "poses",
    "velocity",
]
