from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.workspace.accuracy.sources import LooseModel, sources_of

STEWART = kg.load("stewart").compile()
FIVE = kg.load("five-bar").compile()


def test_every_joint_has_backlash_balls_in_any_direction() -> None:
    found = {source.name: source for source in sources_of(STEWART, 0.01, length=0.002)}
    assert found["platform"].size == 3 and found["platform"].bound == 0.01
    assert found["leg1"].bound == 0.002  # a slide has backlash of length
    assert found["S2.length"].bound == 0.002


def test_backlash_by_joint_holds_motors_and_lets_others_go() -> None:
    found = {source.name: source.bound for source in sources_of(FIVE, 0.0, joints={"A": 0.1})}
    assert found == {"A": 0.1, "B": math.inf, "D": math.inf, "C": math.inf}  # E is held
    arm = kg.load("lynx6").compile()
    assert [s.name for s in sources_of(arm, 0.0, joints={"elbow": 0.1})] == ["elbow"]


@pytest.mark.parametrize("model", [FIVE, STEWART])
def test_columns_are_derivatives_of_what_happens(model: kg.Model) -> None:
    home = kg.assemble(model).q
    sources = sources_of(model, 0.1, length=0.01)
    loose = LooseModel(model, home, "handle", sources)
    task, rows = loose.columns(home, np.zeros(loose.count))
    assert task.shape == (6, loose.count) and rows.shape == (6 * len(model.loops), loose.count)
    # numbers that keep the loops closed to first order
    rng = np.random.default_rng(0)
    _, values, right = np.linalg.svd(rows)
    free = right[int((values > 1e-9).sum()) :]
    off = 1e-5 * rng.normal(size=len(free)) @ free
    made = loose.move(off)
    still = loose.move(np.zeros(loose.count))
    assert made is not None and still is not None
    np.testing.assert_allclose(made[1], off, atol=1e-8)  # closing took next to nothing
    np.testing.assert_allclose(made[2][4:] - still[2][4:], task[:3] @ off, atol=1e-8)


def test_the_model_itself_stays_as_it_is() -> None:
    before = FIVE.reals.copy()
    loose = LooseModel(FIVE, kg.assemble(FIVE).q, "handle", sources_of(FIVE, 0.1, length=0.01))
    loose.move(np.full(loose.count, 0.001))
    np.testing.assert_array_equal(FIVE.reals, before)


@pytest.mark.parametrize("wrong", [-1.0, math.nan, math.inf])
def test_bad_numbers_are_refused(wrong: float) -> None:
    with pytest.raises(UsageError, match="use 0, or from"):
        sources_of(FIVE, wrong)
    with pytest.raises(UsageError, match="backlash of joint 'A'"):
        sources_of(FIVE, 0.0, joints={"A": wrong})
    with pytest.raises(kg.errors.KinegenError, match="'Z' is not in mechanism"):
        sources_of(FIVE, 0.0, joints={"Z": 0.1})
