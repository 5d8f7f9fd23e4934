"""Every whole number that a public function takes: what is none, or too large, is refused."""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError

NO_WHOLE_NUMBERS = (1.5, True, "3", math.nan, [1], np.float64(2), np.zeros(2), 1j)
TOO_LARGE = (2**64, 10**30)
FOUR_BAR = kg.load("four-bar").compile()
LYNX = kg.load("lynx6").compile()
TOOL = kg.Handle("tool", [0.2, 0.1, 0.2])
CIRCLE = kg.curves.circle([0.2, 0.0, 0.2], 0.02)
QS = np.zeros((4, LYNX.nq))
STATES = np.zeros((4, LYNX.nq))

FREE = list(FOUR_BAR.parameters)[:1]
BOX = {"x": (0.1, 0.2, 2), "y": (0.0, 0.1, 2), "z": (0.1, 0.2, 2)}
SURFACE = kg.curves.Surface("x1 + x2")
VOLUME = kg.curves.Volume("0.1*cos(u)", "0.1*sin(u)", "v")
VOXELS = kg.workspace.voxels_of(np.zeros((1, 3)), 0.1)
MAP = kg.workspace.joint_map(LYNX, BOX, wrist_angle=0.0)
PLAN = kg.workspace.propose_cloud(LYNX)
ZONE = kg.zone(FOUR_BAR, step=0.5, poses=True)
PATH = kg.follow(LYNX, CIRCLE, frame="tool", points=6)

CALLS: dict[str, Callable[[Any], object]] = {
    "Curve.sample points": lambda n: CIRCLE.sample(n),
    "Dragger iterations": lambda n: kg.Dragger(LYNX, None, [TOOL], iterations=n),
    "Dragger.move handle": lambda n: kg.Dragger(LYNX, None, [TOOL]).move(n, [0, 0, 0]),
    "JointMap.chart branch": lambda n: MAP.chart("x", n),
    "Path.recording run": lambda n: PATH.recording(n),
    "Surface.curve index": lambda n: SURFACE.curve(n),
    "Surface.grid points": lambda n: SURFACE.grid(n),
    "Volume.grid points": lambda n: VOLUME.grid(n),
    "Volume.curve index": lambda n: VOLUME.curve(n),
    "Volume curves": lambda n: kg.curves.Volume("u", "v", "u", curves=n),
    "Voxels.slice axis": lambda n: VOXELS.slice(n, 0.1),
    "retime run": lambda n: kg.motion.retime(PATH, run=n),
    "Surface curves": lambda n: kg.curves.Surface("x1", curves=n),
    "assemble attempts": lambda n: kg.assemble(FOUR_BAR, attempts=n),
    "assemble seed": lambda n: kg.assemble(FOUR_BAR, seed=n),
    "assemble_many threads": lambda n: kg.kinematics.assemble_many(
        FOUR_BAR, {"A": [0.1]}, threads=n
    ),
    "assembly_modes attempts": lambda n: kg.assembly_modes(FOUR_BAR, attempts=n),
    "assembly_modes seed": lambda n: kg.assembly_modes(FOUR_BAR, seed=n, attempts=2),
    "assembly_modes most": lambda n: kg.assembly_modes(FOUR_BAR, most=n, attempts=2),
    "backlash directions": lambda n: kg.workspace.backlash(LYNX, frame="tool", directions=n),
    "backlash fill": lambda n: kg.workspace.backlash(LYNX, frame="tool", fill=n),
    "backlash seed": lambda n: kg.workspace.backlash(LYNX, frame="tool", seed=n),
    "bias_many threads": lambda n: kg.dynamics.bias_many(LYNX, STATES, STATES, threads=n),
    "box_points counts": lambda n: kg.motion.box_points([0, 0, 0], [1, 1, 1], (n, 2, 2)),
    "cloud count": lambda n: kg.cloud(LYNX, count=n),
    "cloud seed": lambda n: kg.cloud(LYNX, count=5, seed=n),
    "cloud_chunks chunk": lambda n: next(
        iter(kg.workspace.cloud_chunks(kg.workspace.plan_cloud(LYNX), chunk=n))
    ),
    "design points": lambda n: kg.design(FOUR_BAR, FREE, CIRCLE, points=n),
    "design starts": lambda n: kg.design(FOUR_BAR, FREE, CIRCLE, starts=n),
    "design tries": lambda n: kg.design(FOUR_BAR, FREE, CIRCLE, tries=n),
    "design seed": lambda n: kg.design(FOUR_BAR, FREE, CIRCLE, seed=n),
    "dexterity directions": lambda n: kg.workspace.dexterity(np.ones((9, 7)), 0.1, directions=n),
    "drag ticks": lambda n: kg.drag(LYNX, None, TOOL, ticks=n),
    "drag attempts": lambda n: kg.drag(LYNX, None, TOOL, attempts=n),
    "energy_many threads": lambda n: kg.dynamics.energy_many(LYNX, STATES, STATES, threads=n),
    "follow points": lambda n: kg.follow(LYNX, CIRCLE, points=n),
    "follow branch": lambda n: kg.follow(LYNX, CIRCLE, branch=n),
    "forward_dynamics_many threads": lambda n: kg.dynamics.forward_dynamics_many(
        LYNX, STATES, STATES, STATES, threads=n
    ),
    "forward_many threads": lambda n: kg.kinematics.forward_many(LYNX, QS, ["tool"], threads=n),
    "gravity_forces_many threads": lambda n: kg.dynamics.gravity_forces_many(
        LYNX, STATES, threads=n
    ),
    "grid_positions threads": lambda n: kg.kinematics.grid_positions(
        LYNX, ["tool"], {"waist": (0, 1, 3)}, threads=n
    ),
    "grid_positions ranges": lambda n: kg.kinematics.grid_positions(
        LYNX, ["tool"], {"waist": (0, 1, n)}
    ),
    "inverse_dynamics_many threads": lambda n: kg.dynamics.inverse_dynamics_many(
        LYNX, STATES, STATES, STATES, threads=n
    ),
    "joint_map attempts": lambda n: kg.workspace.joint_map(LYNX, BOX, attempts=n),
    "map_report branch": lambda n: MAP.to_bytes("a.svg", branch=n),
    "mass_matrix_many threads": lambda n: kg.dynamics.mass_matrix_many(LYNX, STATES, threads=n),
    "picture size": lambda n: kg.picture(LYNX, size=(n, 100)),
    "plan_cloud count": lambda n: kg.workspace.plan_cloud(LYNX, count=n),
    "plan_cloud seed": lambda n: kg.workspace.plan_cloud(LYNX, count=5, seed=n),
    "collisions threads": lambda n: kg.collisions(LYNX, LYNX.start()[None], threads=n),
    "point_cloud count": lambda n: kg.kinematics.point_cloud(LYNX, "tool", n),
    "point_cloud first": lambda n: kg.kinematics.point_cloud(LYNX, "tool", 3, first=n),
    "point_cloud seed": lambda n: kg.kinematics.point_cloud(LYNX, "tool", 3, seed=n),
    "point_cloud threads": lambda n: kg.kinematics.point_cloud(LYNX, "tool", 3, threads=n),
    "solve attempts": lambda n: kg.solve(LYNX, TOOL, attempts=n),
    "solve seed": lambda n: kg.solve(LYNX, TOOL, seed=n),
    "solve_all attempts": lambda n: kg.solve_all(LYNX, TOOL, attempts=n),
    "solve_all seed": lambda n: kg.solve_all(LYNX, TOOL, seed=n, attempts=3),
    "solve_all most": lambda n: kg.solve_all(LYNX, TOOL, most=n, attempts=3),
    "voxels_inside levels": lambda n: kg.workspace.voxels_inside(
        lambda p: p[:, 0] > 0, [0, 0, 0], [1, 1, 1], 0.3, levels=n
    ),
    "dexterity_cells poses": lambda n: kg.workspace.dexterity_cells(PLAN, poses=n),
    "propose_cloud count": lambda n: kg.workspace.propose_cloud(LYNX, count=n),
    "sweep_body count": lambda n: kg.workspace.sweep_body(PLAN, count=n),
    "motion_through most": lambda n: kg.workspace.motion_through(ZONE.modes[0], n),
    "zone_slice most": lambda n: kg.workspace.zone_slice(FOUR_BAR, step=0.5, most=n),
    "run count": lambda n: kg.workspace.run(kg.load("lynx6"), "a.zarr", count=n),
    "run seed": lambda n: kg.workspace.run(kg.load("lynx6"), "a.zarr", count=5, seed=n),
    "run chunk": lambda n: kg.workspace.run(kg.load("lynx6"), "a.zarr", count=5, chunk=n),
}


@pytest.mark.parametrize("what", CALLS)
def test_what_is_no_whole_number_or_too_large_is_refused(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for value in (*NO_WHOLE_NUMBERS, *TOO_LARGE, -1):
        with pytest.raises(
            UsageError, match=r"must be a whole number from [\d,]+ to [\d,]+, not"
        ) as caught:
            CALLS[what](value)
        assert len(str(caught.value)) < 250
    assert not list(tmp_path.iterdir())


def test_every_whole_number_of_the_public_functions_is_tried() -> None:
    """A new one needs a line above."""
    missing = []
    for name in (*kg.__all__, *(f"workspace.{name}" for name in kg.workspace.__all__)):
        function = operator.attrgetter(name)(kg)
        if not inspect.isfunction(function):
            continue
        for given in inspect.signature(function).parameters.values():
            key = f"{name.rpartition('.')[2]} {given.name}"
            if given.annotation in ("int", "int | None") and key not in CALLS:
                missing.append(key)
    assert sorted(set(missing)) == []
