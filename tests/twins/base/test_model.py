"""The compiled kernels against the NumPy ones, on random mechanisms and the whole library."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import TaskKind
from kinegen.kernels.backend import name as backend_name
from kinegen.kernels.reference import BoundModel as ReferenceModel
from kinegen.kernels.reference import Evaluator as ReferenceEvaluator
from kinegen.mechanism.compiling import numbers as compile_numbers
from tests.support.mechanisms.random_mechanisms import random_model, random_q

# Both compute in double precision along different formulas; chains of up to 40 joints.
TOLERANCE = 1e-12

CASES = [f"random-{seed}" for seed in range(25)] + kg.library_names()


def compiled(case: str) -> kg.Model:
    if case.startswith("random-"):
        return random_model(int(case.removeprefix("random-")))
    return kg.load(case).compile()


@pytest.fixture(params=CASES)
def model(request: pytest.FixtureRequest) -> kg.Model:
    if backend_name() != "native":
        pytest.skip("KINEGEN_KERNELS=reference: there is no second set of kernels to compare with")
    return compiled(request.param)


def both(model: kg.Model, kernel: str, shape: tuple[int, ...], *inputs: object) -> None:
    reference = ReferenceModel(model.ints, model.reals)
    ours, theirs = np.full(shape, np.nan), np.full(shape, np.nan)
    getattr(model.kernels, kernel)(*inputs, ours)
    getattr(reference, kernel)(*inputs, theirs)
    if kernel in {"forward_poses", "site_pose", "loop_poses"}:
        # q and -q are the same rotation, and at half a turn either may come out
        flip = np.sum(ours[..., :4] * theirs[..., :4], axis=-1) < 0
        theirs[..., :4][flip] *= -1
    np.testing.assert_allclose(ours, theirs, atol=TOLERANCE * scale(model), rtol=0)


def scale(model: kg.Model) -> float:
    """The size of the mechanism [m], at least 1: errors grow with it."""
    return max(1.0, float(np.abs(model.transforms[:, 9:]).sum()))


def test_positions(model: kg.Model) -> None:
    rng = np.random.default_rng(1)
    for q in (model.start(), random_q(model, rng)):
        both(model, "forward_poses", (len(model.site_names), 7), q)
        both(model, "forward_links", (model.link_count, 12), q)
        all_poses = np.empty((len(model.site_names), 7))
        model.kernels.forward_poses(q, all_poses)
        for site, pose in enumerate(all_poses):
            both(model, "site_pose", (7,), q, site)
            one = np.empty(7)
            model.kernels.site_pose(q, site, one)
            np.testing.assert_array_equal(one, pose)
        both(model, "loop_poses", (model.constraint_count, 2, 7), q)


def test_velocities(model: kg.Model) -> None:
    rng = np.random.default_rng(2)
    q, v = random_q(model, rng), rng.normal(size=model.nv)
    both(model, "link_twists", (model.link_count, 6), q, v)
    sites = len(model.site_names)
    for site in {sites - 1, sites // 2, 0}:
        point = rng.normal(size=3)
        for axes in (-1, site, sites // 3):
            pose = np.zeros(7)
            both(model, "site_jacobian", (6, model.nv), q, site, point, axes, pose)
            both(model, "site_jacobian_dot", (6, model.nv), q, v, site, point, axes)


def test_loops(model: kg.Model) -> None:
    rng = np.random.default_rng(3)
    for q in (model.start(), random_q(model, rng)):
        both(model, "loop_residual", (6 * model.constraint_count,), q)
        both(model, "loop_jacobian", (6 * model.constraint_count, model.nv), q)
        last = len(model.site_names) - 1
        tasks = np.array([[last, TaskKind.POSE], [0, TaskKind.POINT], [last, 2]], dtype=np.int32)
        both(model, "augmented_jacobian", (12 + 6 * model.constraint_count, model.nv), q, tasks)


def test_configurations(model: kg.Model) -> None:
    rng = np.random.default_rng(4)
    q0, q1, v = random_q(model, rng), random_q(model, rng), rng.normal(size=model.nv)
    both(model, "integrate", (model.nq,), q0, v)
    both(model, "integrate", (model.nq,), q0, 1e-6 * v)
    both(model, "difference", (model.nv,), q0, q1)
    for bound in (model.kernels, ReferenceModel(model.ints, model.reals)):
        whole, part = np.empty(model.nq), np.empty(model.nq)
        bound.integrate(q0, v * 0.3, whole)
        bound.integrate(q0, v, part, 0.3)
        np.testing.assert_array_equal(part, whole)


def test_numbers_that_need_no_conversion(model: kg.Model) -> None:
    """Both say of the same arguments that kernels can take them as they are."""
    rng = np.random.default_rng(5)
    for bound in (model.kernels, ReferenceModel(model.ints, model.reals)):
        for takes, good in (
            (bound.is_configuration, random_q(model, rng)),
            (bound.is_tangent, rng.normal(size=model.nv)),
        ):
            assert takes(good)
            bad = good.copy()
            bad[-1] = np.nan
            for wrong in (
                None, "q", 1.0, good.tolist(), memoryview(good), good[:-1], good[None], bad,
                good.astype(np.float32), good.astype(">f8"), np.repeat(good, 2)[::2],
                np.where(np.isnan(bad), np.inf, good), good.view(np.recarray),
            ):  # fmt: skip
                assert not takes(wrong)
        for joint in model.quaternion_joints:
            for length in (0.0, 1e-7, 1e7):
                lost = random_q(model, rng)
                lost[joint.q.start : joint.q.start + 4] *= length
                assert not bound.is_configuration(lost)


@pytest.mark.parametrize("name", ["five-bar", "stewart", "delta"])
def test_parameters_whose_dependents_are_not_listed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All formulas from the first on are run: the same numbers as with lists."""
    listed = kg.load(name).compile()
    monkeypatch.setattr(compile_numbers, "_FEW_DEPENDENTS", -(10**9))
    model = kg.load(name).compile()
    entries = model.blocks.int_part("dependents")
    assert len(entries) <= model.counts.parameter and (entries < 0).all() and len(entries)
    test_parameters(model)
    for one in listed.parameters:
        if listed.parameters.formula(one) is None:
            listed.parameters[one] = model.parameters[one]
    np.testing.assert_array_equal(model.reals, listed.reals, err_msg="ranges differ from lists")


def test_parameters(model: kg.Model) -> None:
    twin_reals = model.reals.copy()
    twin = ReferenceModel(model.ints, twin_reals)
    for i, name in enumerate(model.parameters):
        if model.parameters.formula(name) is None:
            value = model.parameters[name] * 1.01 + 1e-3
            assert model.kernels.set_parameter(i, value) == twin.set_parameter(i, value)
    np.testing.assert_allclose(model.reals, twin_reals, atol=TOLERANCE * scale(model), rtol=0)


def test_evaluator(model: kg.Model) -> None:
    q = random_q(model, np.random.default_rng(5))
    frame = model.site_names[-1]
    ours = kg.kinematics.evaluator(model, frame)(q)
    pose, J = ours.pose, ours.J
    reference = ReferenceModel(model.ints, model.reals)
    theirs = ReferenceEvaluator(
        reference, model.site(frame), -1, np.zeros(7), np.zeros((6, model.nv))
    )
    their_pose, their_J = theirs(q)
    assert kg.SE3.from_pose(pose).is_close(kg.SE3.from_pose(their_pose))
    np.testing.assert_allclose(J, their_J, atol=TOLERANCE * scale(model), rtol=0)
