"""Every public function answers for a mechanism as it does for the mechanism's model.

A function that takes either needs a sample here: a short call of it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np
import pytest

import kinegen as kg
from kinegen.kinematics.scene import SceneObject
from kinegen.mechanism.any_model import AnyModel
from kinegen.mechanism.shapes.shapes import Sphere
from kinegen.results import Result, plain
from tests.contract.test_calling_convention import signatures

Sample: TypeAlias = tuple[str, Callable[[AnyModel], Any]]
"""A mechanism of the library, and a call with it or with its model."""

kin = kg.kinematics
Q, V = [0.3, -0.9, 0.7, 0.4, 0.8, -0.2], [0.1, 0.2, -0.3, 0.4, -0.5, 0.6]
X_WT = kg.pose(kg.load("arm-6"), Q, "tool")
AT = kg.Handle.pose("tool", X_WT)
NEAR = kg.Handle("handle", kg.pose(kg.load("four-bar"), {"crank": 1.0}, "handle").translation)
LEFT = kin.Heading("handle", (-1, 0, 0))

KINEMATICS: dict[str, Sample] = {
    "assemble": ("four-bar", lambda m: kg.assemble(m, {"crank": 1.1}, locked=["crank"])),
    "assembly_modes": ("four-bar", lambda m: kg.assembly_modes(m, attempts=20)),
    "configuration": ("arm-6", lambda m: kg.configuration(m, {"waist": 0.2})),
    "diagnose": ("four-bar", kg.diagnose),
    "collisions": ("arm-6", lambda m: kg.collisions(m, Q, margin=0.2)),
    "kinematics.difference": ("arm-6", lambda m: kg.kinematics.difference(m, None, Q)),
    "drag": ("four-bar", lambda m: kg.drag(m, None, NEAR, attempts=3)),
    "forward": ("arm-6", lambda m: kg.forward(m, Q)),
    "kinematics.integrate": ("arm-6", lambda m: kg.kinematics.integrate(m, Q, V, dt=0.1)),
    "jacobian": ("arm-6", lambda m: kg.jacobian(m, Q, "tool")),
    "kinematics.loop_gap": ("four-bar", lambda m: kg.kinematics.loop_gap(m, {"crank": 1.0})),
    "mobility": ("four-bar", kg.mobility),
    "pose": ("arm-6", lambda m: kg.pose(m, Q, "tool").pose),
    "poses": ("arm-6", lambda m: {name: X.pose for name, X in kg.poses(m, Q).items()}),
    "kinematics.singularities": (
        "five-bar",
        lambda m: kg.kinematics.singularities(m, None, "handle"),
    ),
    "solve": ("arm-6", lambda m: kg.solve(m, AT)),
    "solve_all": ("arm-6", lambda m: kg.solve_all(m, AT)),
    "kinematics.velocities": (
        "four-bar",
        lambda m: kg.kinematics.velocities(m, None, {"crank": 1.0}),
    ),
    "kinematics.accelerations": (
        "four-bar",
        lambda m: kin.accelerations(
            m, None, kg.kinematics.velocities(m, None, {"crank": 1.0}), {"crank": 0}
        ),
    ),
    "kinematics.analytic_geometry": ("ur5e", lambda m: repr(kin.analytic_geometry(m, "tool"))),
    "kinematics.assemble_many": (
        "four-bar",
        lambda m: kin.assemble_many(m, {"crank": np.linspace(0.5, 1.5, 5)}),
    ),
    "kinematics.augmented_jacobian": (
        "five-bar",
        lambda m: kin.augmented_jacobian(m, None, [kin.FrameTask("handle")]),
    ),
    "kinematics.augmented_svd": (
        "five-bar",
        lambda m: kin.augmented_svd(m, None, [kin.FrameTask("handle")]),
    ),
    "kinematics.branch_signature": (
        "five-bar",
        lambda m: kin.branch_signature(m, None, "handle"),
    ),
    "kinematics.branches_beyond": (
        "five-bar",
        lambda m: kin.branches_beyond(m, None, heading=LEFT),
    ),
    "kinematics.cross": (
        "five-bar",
        lambda m: kin.cross(m, None, heading=LEFT, max_step=0.1),
    ),
    "kinematics.evaluator": ("arm-6", lambda m: kin.evaluator(m, "tool")(np.array(Q)).J),
    "kinematics.forward_many": ("arm-6", lambda m: kin.forward_many(m, [Q], ["tool"])),
    "kinematics.grid_positions": (
        "arm-6",
        lambda m: kin.grid_positions(m, ["tool"], {"waist": (0.0, 1.0, 3)}),
    ),
    "kinematics.inputs_of": ("five-bar", kin.inputs_of),
    "kinematics.jacobian_dot": ("arm-6", lambda m: kin.jacobian_dot(m, Q, "tool", V)),
    "kinematics.link_twists": ("arm-6", lambda m: kin.link_twists(m, Q, V)),
    "kinematics.loop_jacobian": ("four-bar", kin.loop_jacobian),
    "kinematics.loop_poses": ("four-bar", kin.loop_poses),
    "kinematics.loop_residual": ("four-bar", lambda m: kin.loop_residual(m, {"crank": 1.0})),
    "kinematics.physical_reach": ("ur5e", lambda m: kin.physical_reach(m, "tool", [1, 0, 0])),
    "kinematics.point_cloud": ("arm-6", lambda m: kin.point_cloud(m, "tool", 5)),
    "kinematics.singular_ahead": (
        "five-bar",
        lambda m: kin.singular_ahead(m, None, "handle", heading=LEFT),
    ),
    "kinematics.solve_analytic": ("ur5e", lambda m: kin.solve_analytic(m, "tool", X_WT)),
    "kinematics.solve_wrist_angle": (
        "rhino-xr3",
        lambda m: kin.solve_wrist_angle(m, "tool", [0.3, 0.1, 0.2], -0.3),
    ),
}
LINE = kg.curves.segment((0.05, 0.3, 0), (0.15, 0.3, 0))
BALL = (kg.SE3(translation=[0.4, 0.1, 0.3]), [0.02, 0.02, 0.02])
FINGERS = kg.motion.gripper_joints(kg.load("amtec-7"), "tool")
THING = SceneObject("ball", (Sphere(radius=0.02),), BALL[0])

MOTION: dict[str, Sample] = {
    "design": (
        "four-bar",
        lambda m: kg.design(m, ["crank"], [[0.1, 0.4, 0]], frame="handle", starts=1, tries=2),
    ),
    "follow": ("five-bar", lambda m: kg.follow(m, LINE, frame="handle", points=5)),
    "motion.closing_path": (
        "amtec-7",
        lambda m: kg.motion.closing_path(m, None, "tool", FINGERS, 0.01),
    ),
    "motion.find_place": ("five-bar", kg.motion.find_place),
    "motion.grasp_object": ("amtec-7", lambda m: kg.motion.grasp_object(m, None, "tool", THING)),
    "motion.gripper_joints": ("amtec-7", lambda m: kg.motion.gripper_joints(m, "tool")),
    "motion.named_branches": ("five-bar", lambda m: kg.motion.named_branches(m, LINE)),
    "motion.opening_path": (
        "amtec-7",
        lambda m: kg.motion.opening_path(m, None, "tool", FINGERS),
    ),
    "motion.path_branches": ("five-bar", lambda m: kg.motion.path_branches(m, LINE)),
    "motion.plan_grasp": ("amtec-7", lambda m: kg.motion.plan_grasp(m, None, "tool", *BALL)),
    "motion.propose_goals": ("five-bar", kg.motion.propose_goals),
}
BOX = {"x": (0.05, 0.15, 3), "y": (0.3, 0.3, 1)}


def stored(m: AnyModel) -> Any:
    with TemporaryDirectory() as folder:
        return [piece.points for piece in kg.workspace.run(m, f"{folder}/a.zarr", count=20)]


def exported(m: AnyModel) -> Any:
    with TemporaryDirectory() as folder:
        done = kg.export(m, f"{folder}/a.glb")
        return done.format, done.bytes, Path(done.files[0]).read_bytes().hex()


WORKSPACE: dict[str, Sample] = {
    "export": ("five-bar", exported),
    "formats.flat_assembly": ("four-bar", kg.formats.flat_assembly),
    "formats.parts_list": ("four-bar", kg.formats.parts_list),
    "formats.solid_assembly": ("four-bar", kg.formats.solid_assembly),
    "cloud": ("lynx6", lambda m: kg.cloud(m, count=20).points),
    "zone": ("five-bar", lambda m: kg.zone(m, step=0.5).points),
    "workspace.backlash": (
        "five-bar",
        lambda m: kg.workspace.backlash(m, angle=0.02, directions=6, fill=0).poses,
    ),
    "workspace.joint_map": ("five-bar", lambda m: kg.workspace.joint_map(m, BOX)),
    "workspace.plan_cloud": ("lynx6", kg.workspace.plan_cloud),
    "workspace.propose_cloud": ("lynx6", kg.workspace.propose_cloud),
    "workspace.propose_map": ("five-bar", kg.workspace.propose_map),
    "workspace.propose_zone": ("five-bar", lambda m: kg.workspace.propose_zone(m).frame),
    "workspace.run": ("lynx6", stored),
    "workspace.zone_slice": ("stewart", lambda m: kg.workspace.zone_slice(m, step=0.8).points),
    "picture": ("five-bar", kg.picture),
}
dyn = kg.dynamics
STATES = np.random.default_rng(0).normal(size=(3, 6))
DYNAMICS: dict[str, Sample] = {
    "dynamics.forward_dynamics": ("arm-6", lambda m: kg.dynamics.forward_dynamics(m, Q, V, V)),
    "dynamics.inverse_dynamics": ("arm-6", lambda m: kg.dynamics.inverse_dynamics(m, Q, V, V)),
    "simulate": ("bricard", lambda m: kg.simulate(m, time=0.05)),
    "dynamics.mass_matrix": ("arm-6", lambda m: kg.dynamics.mass_matrix(m, Q)),
    "dynamics.statics": ("stewart", kg.dynamics.statics),
    "dynamics.bias": ("arm-6", lambda m: dyn.bias(m, Q, V)),
    "dynamics.bias_many": ("arm-6", lambda m: dyn.bias_many(m, STATES, STATES)),
    "dynamics.centre_of_mass": ("arm-6", lambda m: dyn.centre_of_mass(m, Q)),
    "dynamics.check_masses": ("puma560", dyn.check_masses),
    "dynamics.energy": ("arm-6", lambda m: dyn.energy(m, Q, V)),
    "dynamics.energy_many": ("arm-6", lambda m: dyn.energy_many(m, STATES, STATES)),
    "dynamics.forward_dynamics_many": (
        "arm-6",
        lambda m: dyn.forward_dynamics_many(m, STATES, STATES, STATES),
    ),
    "dynamics.gravity_forces": ("arm-6", lambda m: dyn.gravity_forces(m, Q)),
    "dynamics.gravity_forces_many": ("arm-6", lambda m: dyn.gravity_forces_many(m, STATES)),
    "dynamics.inverse_dynamics_many": (
        "arm-6",
        lambda m: dyn.inverse_dynamics_many(m, STATES, STATES, STATES),
    ),
    "dynamics.mass_matrix_many": ("arm-6", lambda m: dyn.mass_matrix_many(m, STATES)),
    "dynamics.mass_solve": ("arm-6", lambda m: dyn.mass_solve(m, Q, V)),
    "dynamics.momentum": ("arm-6", lambda m: dyn.momentum(m, Q, V)),
    "dynamics.motor_efforts": ("stewart", lambda m: dyn.motor_efforts(m, None, {"leg1": 0.1})),
    "dynamics.passive_forces": ("puma560", lambda m: dyn.passive_forces(m, Q, V)),
}
PEN = """raff: 1
joints:
  - {name: A, parent: base, type: revolute}
frames:
  - {name: tip, parent: A, xyz: [1 m, 0, 0]}
devices:
  - {name: pen, type: udp, moves: tip}
"""
OTHER: dict[str, Sample] = {
    "bridges.local_robot": ("so101", lambda m: kg.bridges.local_robot(m, step=2e-3).state),
    "devices.declared_devices": (PEN, kg.devices.declared_devices),
}
SAMPLES = {**OTHER, **KINEMATICS, **MOTION, **WORKSPACE, **DYNAMICS}


def test_every_function_that_takes_either_has_a_sample() -> None:
    takes = {
        name
        for name, signature in signatures().items()
        for one in list(signature.parameters.values())[:1]
        if one.name == "model" and "AnyModel" in str(one.annotation)
    }
    assert set(SAMPLES) == takes


@pytest.mark.parametrize("name", SAMPLES)
def test_a_mechanism_stands_for_its_model(name: str) -> None:
    title, call = SAMPLES[name]
    mechanism = kg.load(title)
    model = mechanism.compile()
    wanted, found = plain(call(model)), plain(call(mechanism))
    assert wanted == found and wanted not in (None, [], {})


@pytest.mark.parametrize("name", SAMPLES)
def test_results_are_saved_as_data_tables_and_arrays(name: str, tmp_path: Path) -> None:
    title, call = SAMPLES[name]
    result = call(kg.load(title))
    if not isinstance(result, Result):
        return
    for suffix in {".json", ".csv", ".npz"} & set(result.suffixes()):
        result.save(tmp_path / f"a{suffix}")
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == result.to_dict()
    if ".csv" in result.suffixes():
        with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
            heads, *rows = csv.reader(file)
        columns = result.columns()
        assert heads == list(columns) and {len(column) for column in columns.values()} == {
            len(rows)
        }
    if ".npz" in result.suffixes():
        with np.load(tmp_path / "a.npz") as arrays:
            for key, array in result.arrays().items():
                np.testing.assert_array_equal(arrays[key], array)
