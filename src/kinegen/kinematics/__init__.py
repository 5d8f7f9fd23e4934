"""Kinematics of a model: where its parts are, how they move, how far its loops are open."""

from typing import TYPE_CHECKING

from kinegen.lazy import fetcher

if TYPE_CHECKING:
    from kinegen.kinematics.batch import forward_many, grid_positions, point_cloud
    from kinegen.kinematics.closure import (
        Task,
        augmented_jacobian,
        loop_gap,
        loop_jacobian,
        loop_poses,
        loop_residual,
    )
    from kinegen.kinematics.configurations import configuration, difference, integrate, velocity
    from kinegen.kinematics.handles import Handle
    from kinegen.kinematics.jacobians import WORLD, evaluator, jacobian, jacobian_dot, link_twists
    from kinegen.kinematics.positions import forward, pose, poses
    from kinegen.kinematics.solving.assembly import (
        Assembly,
        AssemblyMode,
        assemble,
        assembly_modes,
        close,
        inputs_of,
    )
    from kinegen.kinematics.solving.assembly_many import assemble_many
    from kinegen.kinematics.solving.dragging import Dragger, DragResult, drag
    from kinegen.kinematics.solving.inverse import Solution, solve, solve_all

_HOMES = {
    "solving.assembly": "Assembly AssemblyMode assemble assembly_modes close inputs_of",
    "solving.assembly_many": "assemble_many",
    "batch": "forward_many grid_positions point_cloud",
    "closure": "Task augmented_jacobian loop_gap loop_jacobian loop_poses loop_residual",
    "configurations": "configuration difference integrate velocity",
    "solving.dragging": "Dragger DragResult drag",
    "handles": "Handle",
    "solving.inverse": "Solution solve solve_all",
    "jacobians": "WORLD evaluator jacobian jacobian_dot link_twists",
    "positions": "forward pose poses",
}

__all__ = [
    "WORLD",
    "Assembly",
    "AssemblyMode",
    "DragResult",
    "Dragger",
    "Handle",
    "Solution",
    "Task",
    "assemble",
    "assemble_many",
    "assembly_modes",
    "augmented_jacobian",
    "close",
    "configuration",
    "difference",
    "drag",
    "evaluator",
    "forward",
    "forward_many",
    "grid_positions",
    "inputs_of",
    "integrate",
    "jacobian",
    "jacobian_dot",
    "link_twists",
    "loop_gap",
    "loop_jacobian",
    "loop_poses",
    "loop_residual",
    "point_cloud",
    "pose",
    "poses",
    "solve",
    "solve_all",
    "velocity",
]

if not TYPE_CHECKING:  # type checkers see the names themselves
    __getattr__ = fetcher(__name__, _HOMES)
