"""Kinegen: describe any mechanism in a few lines; see it, move it, measure it.

Importing costs next to nothing: each name is fetched from its room at first use.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, whose import takes longer than all of this one
if TYPE_CHECKING:
    import typing

    __version__: str
    from kinegen.dynamics import (
        Energy,
        Momentum,
        bias,
        bias_many,
        centre_of_mass,
        check_masses,
        energy,
        energy_many,
        forward_dynamics,
        forward_dynamics_many,
        gravity_forces,
        gravity_forces_many,
        inverse_dynamics,
        inverse_dynamics_many,
        mass_matrix,
        mass_matrix_many,
        mass_solve,
        momentum,
        passive_forces,
    )
    from kinegen.dynamics.contact.contacts import Collisions, Contacts
    from kinegen.dynamics.engines.engine import Engine, Loads, StepReport
    from kinegen.dynamics.engines.registry import engine_names
    from kinegen.dynamics.motors.servos import Servos
    from kinegen.dynamics.motors.targets import Target, Targets
    from kinegen.dynamics.simulation.run import Run
    from kinegen.dynamics.simulation.simulation import Simulation, simulate
    from kinegen.dynamics.simulation.system import System
    from kinegen.dynamics.touch.touch import Pull, Push, Touch
    from kinegen.dynamics.tree.statics import MotorEfforts, motor_efforts, statics
    from kinegen.errors import AssemblyError, KinegenError, LoadError, RaffError
    from kinegen.formats.drawing.picture import picture
    from kinegen.formats.load import load
    from kinegen.formats.mechanisms.stl import read_stl
    from kinegen.formats.motions.joint_table import path_file
    from kinegen.formats.reports.map_report import map_report
    from kinegen.formats.reports.path_report import path_report
    from kinegen.formats.reports.result_figure import figure
    from kinegen.formats.reports.steering_report import steering_report
    from kinegen.kernels import Outcome, TaskKind
    from kinegen.kernels.joint_types import JointType
    from kinegen.kinematics import (
        WORLD,
        Assembly,
        AssemblyMode,
        Dragger,
        DragResult,
        Handle,
        Solution,
        Task,
        assemble,
        assemble_many,
        assembly_modes,
        augmented_jacobian,
        configuration,
        difference,
        drag,
        evaluator,
        forward,
        forward_many,
        grid_positions,
        inputs_of,
        integrate,
        jacobian,
        jacobian_dot,
        link_twists,
        loop_gap,
        loop_jacobian,
        loop_poses,
        loop_residual,
        point_cloud,
        pose,
        poses,
        solve,
        solve_all,
    )
    from kinegen.kinematics.analytic.closed_form import (
        analytic_geometry,
        physical_reach,
        solve_analytic,
        solve_wrist_angle,
    )
    from kinegen.kinematics.diagnosis.diagnosis import Diagnosis, diagnose
    from kinegen.kinematics.mobility.mobility import Mobility, mobility
    from kinegen.kinematics.singular.ahead import singular_ahead
    from kinegen.kinematics.singular.branch_signs import branch_signature
    from kinegen.kinematics.singular.crossing import branches_beyond, cross
    from kinegen.kinematics.singular.singularity import Singularity, augmented_svd, singularities
    from kinegen.kinematics.velocities import accelerations, velocities
    from kinegen.mechanism.graph import Mechanism
    from kinegen.mechanism.load import library_names
    from kinegen.mechanism.model import Model
    from kinegen.mechanism.state import State
    from kinegen.motion.curves import (
        Curve,
        Cylinder,
        Plane,
        Sphere,
        Surface,
        TriangleMesh,
        Volume,
        bezier,
        circle,
        ellipse,
        ellipse_by_corners,
        ellipse_by_foci,
        formula_curve,
        mesh_seams,
        pipe_seam,
        polyline,
        seams,
        segment,
        spline,
        surface,
        volume,
    )
    from kinegen.motion.design.design import Design, box_points, design
    from kinegen.motion.follow import follow, path_branches
    from kinegen.motion.path import Path
    from kinegen.motion.recording import Recording
    from kinegen.motion.steering import Steering
    from kinegen.motion.timing.timing import retime
    from kinegen.spatial import SE3, SO3, Inertia, Twist, Wrench
    from kinegen.workspace.backlash_cloud import Backlash, backlash
    from kinegen.workspace.body import Boundary, boundary, dexterity
    from kinegen.workspace.clouds import Cloud, cloud, cloud_chunks, plan_cloud
    from kinegen.workspace.export import write_mesh, write_points
    from kinegen.workspace.joint_maps import JointMap, joint_map
    from kinegen.workspace.voxels import Voxels, compare_voxels, voxels_inside, voxels_of
    from kinegen.workspace.zones.result import Zone
    from kinegen.workspace.zones.zone import zone, zone_slice

_ROOMS = {
    "dynamics": (
        "Energy",
        "Momentum",
        "bias",
        "bias_many",
        "centre_of_mass",
        "check_masses",
        "energy",
        "energy_many",
        "forward_dynamics",
        "forward_dynamics_many",
        "gravity_forces",
        "gravity_forces_many",
        "inverse_dynamics",
        "inverse_dynamics_many",
        "mass_matrix",
        "mass_matrix_many",
        "mass_solve",
        "momentum",
        "passive_forces",
    ),
    "dynamics.contact.contacts": ("Collisions", "Contacts"),
    "dynamics.engines.engine": ("Engine", "Loads", "StepReport"),
    "dynamics.engines.registry": ("engine_names",),
    "dynamics.simulation.run": ("Run",),
    "dynamics.motors.servos": ("Servos",),
    "dynamics.simulation.simulation": ("Simulation", "simulate"),
    "dynamics.tree.statics": ("MotorEfforts", "motor_efforts", "statics"),
    "dynamics.simulation.system": ("System",),
    "dynamics.motors.targets": ("Target", "Targets"),
    "dynamics.touch.touch": ("Pull", "Push", "Touch"),
    "errors": ("AssemblyError", "KinegenError", "LoadError", "RaffError"),
    "formats.load": ("load",),
    "formats.motions.joint_table": ("path_file",),
    "formats.reports.map_report": ("map_report",),
    "formats.reports.path_report": ("path_report",),
    "formats.drawing.picture": ("picture",),
    "formats.reports.result_figure": ("figure",),
    "formats.reports.steering_report": ("steering_report",),
    "formats.mechanisms.stl": ("read_stl",),
    "kernels": ("Outcome", "TaskKind"),
    "kinematics": (
        "forward_many",
        "grid_positions",
        "point_cloud",
        "Assembly",
        "AssemblyMode",
        "assemble",
        "assemble_many",
        "assembly_modes",
        "inputs_of",
        "DragResult",
        "Dragger",
        "drag",
        "Handle",
        "Solution",
        "solve",
        "solve_all",
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
    ),
    "kinematics.mobility.mobility": (
        "Mobility",
        "mobility",
    ),
    "kinematics.diagnosis.diagnosis": (
        "Diagnosis",
        "diagnose",
    ),
    "kinematics.singular.singularity": (
        "Singularity",
        "augmented_svd",
        "singularities",
    ),
    "kinematics.velocities": (
        "accelerations",
        "velocities",
    ),
    "kinematics.singular.ahead": ("singular_ahead",),
    "kinematics.singular.crossing": (
        "cross",
        "branches_beyond",
    ),
    "kinematics.singular.branch_signs": ("branch_signature",),
    "kinematics.analytic.closed_form": (
        "analytic_geometry",
        "physical_reach",
        "solve_analytic",
        "solve_wrist_angle",
    ),
    "mechanism.graph": ("Mechanism",),
    "kernels.joint_types": ("JointType",),
    "mechanism.load": ("library_names",),
    "mechanism.model": ("Model",),
    "mechanism.state": ("State",),
    "motion.curves": (
        "Curve",
        "Cylinder",
        "Plane",
        "Sphere",
        "Surface",
        "TriangleMesh",
        "Volume",
        "bezier",
        "circle",
        "ellipse",
        "ellipse_by_corners",
        "ellipse_by_foci",
        "formula_curve",
        "mesh_seams",
        "pipe_seam",
        "polyline",
        "seams",
        "segment",
        "spline",
        "surface",
        "volume",
    ),
    "motion.design.design": ("Design", "box_points", "design"),
    "motion.follow": ("follow", "path_branches"),
    "motion.path": ("Path",),
    "motion.recording": ("Recording",),
    "motion.steering": ("Steering",),
    "motion.timing.timing": ("retime",),
    "spatial": ("SE3", "SO3", "Inertia", "Twist", "Wrench"),
    "workspace.body": ("Boundary", "boundary", "dexterity"),
    "workspace.clouds": ("Cloud", "cloud", "cloud_chunks", "plan_cloud"),
    "workspace.export": ("write_mesh", "write_points"),
    "workspace.joint_maps": ("JointMap", "joint_map"),
    "workspace.backlash_cloud": ("Backlash", "backlash"),
    "workspace.voxels": ("Voxels", "compare_voxels", "voxels_inside", "voxels_of"),
    "workspace.zones.result": ("Zone",),
    "workspace.zones.zone": ("zone", "zone_slice"),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "SE3",
    "SO3",
    "WORLD",
    "Assembly",
    "AssemblyError",
    "AssemblyMode",
    "Backlash",
    "Boundary",
    "Cloud",
    "Collisions",
    "Contacts",
    "Curve",
    "Cylinder",
    "Design",
    "Diagnosis",
    "DragResult",
    "Dragger",
    "Energy",
    "Engine",
    "Handle",
    "Inertia",
    "JointMap",
    "JointType",
    "KinegenError",
    "LoadError",
    "Loads",
    "Mechanism",
    "Mobility",
    "Model",
    "Momentum",
    "MotorEfforts",
    "Outcome",
    "Path",
    "Plane",
    "Pull",
    "Push",
    "RaffError",
    "Recording",
    "Run",
    "Servos",
    "Simulation",
    "Singularity",
    "Solution",
    "Sphere",
    "State",
    "Steering",
    "StepReport",
    "Surface",
    "System",
    "Target",
    "Targets",
    "Task",
    "TaskKind",
    "Touch",
    "TriangleMesh",
    "Twist",
    "Volume",
    "Voxels",
    "Wrench",
    "Zone",
    "__version__",
    "accelerations",
    "analytic_geometry",
    "assemble",
    "assemble_many",
    "assembly_modes",
    "augmented_jacobian",
    "augmented_svd",
    "backlash",
    "bezier",
    "bias",
    "bias_many",
    "boundary",
    "box_points",
    "branch_signature",
    "branches_beyond",
    "centre_of_mass",
    "check_masses",
    "circle",
    "cloud",
    "cloud_chunks",
    "compare_voxels",
    "configuration",
    "cross",
    "design",
    "dexterity",
    "diagnose",
    "difference",
    "drag",
    "ellipse",
    "ellipse_by_corners",
    "ellipse_by_foci",
    "energy",
    "energy_many",
    "engine_names",
    "evaluator",
    "figure",
    "follow",
    "formula_curve",
    "forward",
    "forward_dynamics",
    "forward_dynamics_many",
    "forward_many",
    "gravity_forces",
    "gravity_forces_many",
    "grid_positions",
    "inputs_of",
    "integrate",
    "inverse_dynamics",
    "inverse_dynamics_many",
    "jacobian",
    "jacobian_dot",
    "joint_map",
    "library_names",
    "link_twists",
    "load",
    "loop_gap",
    "loop_jacobian",
    "loop_poses",
    "loop_residual",
    "map_report",
    "mass_matrix",
    "mass_matrix_many",
    "mass_solve",
    "mesh_seams",
    "mobility",
    "momentum",
    "motor_efforts",
    "passive_forces",
    "path_branches",
    "path_file",
    "path_report",
    "physical_reach",
    "picture",
    "pipe_seam",
    "plan_cloud",
    "point_cloud",
    "polyline",
    "pose",
    "poses",
    "read_stl",
    "retime",
    "seams",
    "segment",
    "simulate",
    "singular_ahead",
    "singularities",
    "solve",
    "solve_all",
    "solve_analytic",
    "solve_wrist_angle",
    "spline",
    "statics",
    "steering_report",
    "surface",
    "velocities",
    "volume",
    "voxels_inside",
    "voxels_of",
    "write_mesh",
    "write_points",
    "zone",
    "zone_slice",
]


def __getattr__(name: str) -> typing.Any:
    import importlib

    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            value: typing.Any = version("kinegen")
        except PackageNotFoundError:  # run from its sources
            value = "0+unknown"
    elif name == "workspace":  # a room of its own: kg.workspace.run
        value = importlib.import_module("kinegen.workspace")
    elif name in _HOME:
        value = getattr(importlib.import_module(f"kinegen.{_HOME[name]}"), name)
    else:
        raise AttributeError(f"module 'kinegen' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
