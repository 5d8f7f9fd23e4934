"""Closed-form inverse kinematics in Node against the native one, on every arm that has it."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import wasm_bytes
from kinegen.kinematics.analytic.closed_form import AnalyticGeometry, analytic_geometry
from tests.support.wasm.program import BAD_NUMBER, BAD_SIZE, NEEDS_WASM, Answer, Program

pytestmark = NEEDS_WASM

TOLERANCE = 1e-12
ARMS = ["puma560", "irb2400", "arm-6", "ur5e", "lynx6", "a255", "rhino-xr3", "so101", "bionic-3"]
MOST = 8


def outputs(joints: int) -> list[np.ndarray]:
    return [np.zeros((MOST, joints)), np.zeros((MOST, 2)), np.zeros(MOST, dtype=np.int32)]


class Arm:
    """Poses of one arm, solved natively and to be solved in Node."""

    def __init__(self, program: Program, name: str) -> None:
        model = kg.load(name).compile()
        geometry = analytic_geometry(model, "tool")
        assert geometry is not None, name
        rng = np.random.default_rng(6)
        self.answers: list[tuple[Answer, int, np.ndarray]] = []
        for _ in range(30):
            q = rng.uniform(np.maximum(model.lower, -3), np.minimum(model.upper, 3))
            pose = np.asarray(kg.pose(model, q, "tool").pose)
            seed = q[geometry.q_index]
            answer = program.call(
                "kg_analytic_solve_pose", *blocks(geometry), pose, seed, seed, *outputs(len(seed))
            )
            count = geometry.kernel.solve_pose(pose, seed, seed)
            self.answers.append((answer, count, geometry._q[:count].copy()))


def blocks(geometry: AnalyticGeometry) -> tuple[np.ndarray, np.ndarray]:
    return geometry.numbers.ints, geometry.numbers.reals


def assert_same_angles(theirs: np.ndarray, ours: np.ndarray, where: str) -> None:
    # half a turn from the seed either way round is as near: whole turns are free
    apart = np.remainder(theirs - ours + np.pi, 2 * np.pi) - np.pi
    np.testing.assert_allclose(apart, 0, atol=TOLERANCE, err_msg=where)


def test_the_page_finds_the_same_branches(tmp_path_factory: pytest.TempPathFactory) -> None:
    program = Program()
    arms = {name: Arm(program, name) for name in ARMS}
    lynx = kg.load("lynx6").compile()
    geometry = analytic_geometry(lynx, "tool")
    assert geometry is not None
    seed = lynx.start()[geometry.q_index]
    xyz = kg.pose(lynx, None, "tool").translation.copy()
    arguments = (xyz, 0.1, 0.0, seed, seed, *outputs(len(seed)))
    wrist = program.call("kg_analytic_solve_wrist_angle", *blocks(geometry), *arguments)
    ours = geometry.kernel.solve_wrist_angle(xyz, 0.1, 0.0, seed, seed)
    solved = geometry._q[:ours].copy()
    nowhere = program.call(
        "kg_analytic_solve_wrist_angle", *blocks(geometry), xyz * np.nan, *arguments[1:]
    )
    short = program.call(
        "kg_analytic_solve_wrist_angle", *blocks(geometry), xyz[:2], *arguments[1:]
    )
    program.run(wasm_bytes(), tmp_path_factory.mktemp("wasm-analytic"))

    for name, arm in arms.items():
        for answer, count, q in arm.answers:
            assert answer.trap is None
            assert answer.returned == count, name
            theirs = answer.arrays[-3][:count]
            assert_same_angles(theirs, q, name)
    assert wrist.returned == ours
    assert_same_angles(wrist.arrays[-3][:ours], solved, "lynx6")
    assert nowhere.returned == BAD_NUMBER
    assert short.returned == BAD_SIZE
