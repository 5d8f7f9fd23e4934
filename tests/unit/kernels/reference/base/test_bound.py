"""The reference kernels refuse at their public door what the compiled ones refuse."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels.reference import BoundModel, Evaluator


@pytest.fixture
def model() -> kg.Model:
    return kg.load("five-bar").compile()


def evaluator(model: kg.Model) -> Evaluator:
    bound = BoundModel(model.ints, model.reals)
    return Evaluator(bound, model.site("handle"), -1, np.empty(7), np.empty((6, model.nv)))


def test_the_evaluator_gives_the_same_arrays_again(model: kg.Model) -> None:
    evaluate = evaluator(model)
    pose, J = evaluate(model.start())
    first = pose.copy()
    again = evaluate(model.zero())
    assert again[0] is pose
    assert again[1] is J
    assert not np.array_equal(first, pose)


@pytest.mark.parametrize(
    "q",
    [np.zeros(4), np.zeros(6), np.zeros(5, np.float32), np.zeros(10)[::2], [0.0] * 5, None],
    ids=["short", "long", "float32", "strided", "list", "none"],
)
def test_the_evaluator_takes_contiguous_float64_only(model: kg.Model, q: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"q: expected 5 contiguous float64 numbers"):
        evaluator(model)(q)


def test_parameters_act_at_once(model: kg.Model) -> None:
    evaluate = evaluator(model)
    x = evaluate(model.zero())[0][4]
    model.parameters["coupler"] += 0.1
    assert evaluate(model.zero())[0][4] == pytest.approx(x + 0.1)
