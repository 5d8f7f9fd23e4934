"""Many targets at once: compiled against NumPy, and against one call after the other."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.kernels import Outcome, backend
from kinegen.kernels.reference.solver.bound import BoundSolver
from kinegen.kinematics.handles import pack_handles

# Both meet the target to 1e-8 sizes; where it leaves no choice, joints then agree about as well.
TOLERANCE = 1e-6
COUNT = 12


def targets(model: kg.Model, *, pose: bool) -> tuple[np.ndarray, np.ndarray]:
    X = kg.pose(model, kg.assemble(model).q, "handle")
    ints, reals = pack_handles(model, [kg.Handle("handle", X.translation, X.so3 if pose else None)])
    many = np.repeat(reals, COUNT, axis=0)
    many[:, 6] += np.linspace(-0.04, 0.04, COUNT) * model.size
    many[-1, 6] += 50 * model.size  # out of reach
    return ints, many


def options(model: kg.Model) -> np.ndarray:
    return np.array([30, 0.6, 1e-10 / model.size, 1e-8 / model.size, 0.0, 0.0])


@pytest.mark.parametrize(("name", "pose"), [("five-bar", False), ("3-rrr", True)])
@pytest.mark.parametrize("follow", [False, True])
def test_compiled_and_numpy_meet_the_same(name: str, pose: bool, follow: bool) -> None:
    if backend.name() != "native":
        pytest.skip("there is no second set of kernels")
    native = importlib.import_module("kinegen.kernels._native")
    model = kg.load(name).compile()
    ints, reals = targets(model, pose=pose)
    answers = []
    for made, threads in ((native.BoundSolver, 1), (native.BoundSolver, 3), (BoundSolver, 1)):
        qs = np.repeat(kg.assemble(model).q[None], COUNT, axis=0)
        outcomes, gaps = np.full(COUNT, -1, np.int32), np.full(COUNT, np.nan)
        made(model.ints, model.reals).meet_many(
            qs, ints, reals, options(model), None, follow, outcomes, gaps, threads
        )
        assert (outcomes[:-1] == Outcome.REACHED).all() and outcomes[-1] != Outcome.REACHED
        assert gaps.max() < 1e-9
        answers.append(qs[:-1])
    np.testing.assert_allclose(answers[0], answers[1], atol=TOLERANCE)
    np.testing.assert_allclose(answers[0], answers[2], atol=TOLERANCE)
    for q, row in zip(answers[0], reals, strict=False):
        np.testing.assert_allclose(kg.pose(model, q, "handle").translation, row[6:9], atol=1e-7)


def test_sizes_are_checked() -> None:
    model = kg.load("five-bar").compile()
    if backend.name() != "native":
        pytest.skip("only the compiled kernels check")
    ints, reals = targets(model, pose=False)
    qs = np.repeat(model.start()[None], COUNT, axis=0)
    outcomes, gaps = np.zeros(COUNT, np.int32), np.zeros(COUNT)
    meet = model.solver.meet_many
    with pytest.raises(UsageError):
        meet(qs, ints, reals[:-1], options(model), None, False, outcomes, gaps, 1)
    with pytest.raises(UsageError):
        meet(qs, ints, reals, options(model), None, False, outcomes[:-1], gaps, 1)
    bad = ints.copy()
    bad[0, 0] = 99
    with pytest.raises(UsageError, match="names no link or frame"):
        meet(qs, bad, reals, options(model), None, False, outcomes, gaps, 1)
    meet(qs[:0], ints, reals[:0], options(model), None, False, outcomes[:0], gaps[:0], 2)
