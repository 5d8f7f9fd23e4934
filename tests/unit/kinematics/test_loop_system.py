"""Loop systems: scaled equations whose derivative is exact, and closing from near and far."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels.tolerances import SHUT
from kinegen.kinematics.loop_groups import link_transforms, loop_groups
from kinegen.kinematics.loop_system import HeldRotation, LoopSystem, mechanism_size


def system_of(name: str, locked: tuple[str, ...] = ()) -> tuple[LoopSystem, np.ndarray]:
    model = kg.load(name).compile()
    q = model.start()
    return LoopSystem(model, loop_groups(model)[0], q, locked=locked), q


@pytest.mark.parametrize("name", ["slider-crank", "delta", "stewart", "tricept", "eight-bar-b"])
@pytest.mark.parametrize("held", [False, True])
def test_the_jacobian_is_the_derivative_of_the_residual(name: str, held: bool) -> None:
    system, q = system_of(name)
    if held:
        link = int(system.model.joints[system.group.joints[-2]].child)
        R_WL = link_transforms(system.model, q)[0][link]
        system.held = HeldRotation(link, R_WL)
    J = system.jacobian(q)
    assert J.shape == (6 * len(system.group.loops) + 3 * held, len(system.variables))
    step = 1e-6
    for i, unit in enumerate(np.eye(J.shape[1])):
        ahead = system.residual(system.move(q, step * unit))
        behind = system.residual(system.move(q, -step * unit))
        # central differences: error about step² = 1e-12 and rounding by the step, 1e-10
        np.testing.assert_allclose(J[:, i], (ahead - behind) / (2 * step), atol=1e-8)


def test_steps_are_over_the_groups_own_variables() -> None:
    system, q = system_of("eight-bar-b")
    step = np.arange(1.0, 1 + len(system.variables))
    there = system.move(q, step)
    others = np.setdiff1d(np.arange(system.model.nv), system.variables)
    np.testing.assert_array_equal(there[others], q[others])
    np.testing.assert_allclose(system.moved(q, there), step)


def test_locked_joints_stay() -> None:
    system, q = system_of("five-bar", ("A",))
    there, gap = system.close(system.move(q, np.full(len(system.variables), 0.1)))
    assert gap < SHUT
    assert there[0] == q[0]


def test_lengths_are_measured_by_the_mechanism() -> None:
    system, _ = system_of("slider-crank")
    piston = system.model.joint("piston").v.start
    assert system.scale[list(system.variables).index(piston)] == pytest.approx(system.size)


def test_the_size_of_a_square_is_its_half_diagonal() -> None:
    model = kg.load("""raff: 1
joints:
  - {name: A, parent: base}
  - {name: B, parent: A, d: 2}
  - {name: C, parent: B, xyz: [0, 2, 0]}
  - {name: D, parent: base, xyz: [0, 2, 0]}
""").compile()
    assert mechanism_size(model, model.start()) == pytest.approx(2**0.5)


def test_a_mechanism_in_one_point_has_size_one() -> None:
    model = kg.load("raff: 1\njoints:\n  - {name: A, parent: base, b: 5}\n").compile()
    assert mechanism_size(model, model.start()) == 1


@pytest.mark.parametrize("name", ["four-bar", "bricard", "parallel-18", "delta", "stewart"])
def test_closing_from_nearby_is_exact(name: str) -> None:
    system, q = system_of(name)
    rng = np.random.default_rng(1)
    there, gap = system.close(system.move(q, rng.normal(0, 0.05, len(system.variables))))
    assert gap < 1e-13
    assert kg.kinematics.loop_gap(system.model, there).largest < 1e-12


def test_closing_within_a_space_keeps_to_it() -> None:
    system, q = system_of("five-bar")
    eye = np.eye(len(system.variables))
    start = system.move(q, -0.1 * eye[0])
    there, gap = system.close(start, eye[:, 2:])
    assert gap < 1e-13
    np.testing.assert_array_equal(there[:2], start[:2])


def test_what_cannot_close_comes_as_near_as_it_gets() -> None:
    model = kg.load("four-bar").compile()
    model.parameters["ground"] = 0.9  # the bars reach 0.1 + 0.25 + 0.25 m
    system = LoopSystem(model, loop_groups(model)[0], model.start())
    there, gap = system.assemble(model.start())
    assert gap > SHUT
    assert kg.kinematics.loop_gap(model, there).distance == pytest.approx(0.3, abs=1e-4)


def test_a_variant_leaves_the_model_alone() -> None:
    system, q = system_of("four-bar")
    before = system.model.transforms.copy()
    other = system.variant()
    other.model.transforms[1, 9] += 0.1
    np.testing.assert_array_equal(system.model.transforms, before)
    assert np.linalg.norm(system.residual(q)) < 1e-12 < np.linalg.norm(other.residual(q))
