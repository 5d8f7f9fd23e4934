"""Loads and reports."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from tests.support.mechanisms.simulated import double_pendulum


def test_loads_are_none_where_none_are_given() -> None:
    loads = kg.dynamics.Loads.of(double_pendulum().compile())
    assert loads.efforts.tolist() == [0, 0] and len(loads.wrenches) == len(loads.links) == 0
    assert loads.is_finite


def test_wrenches_on_one_link_add_up() -> None:
    model = double_pendulum().compile()
    rows = np.arange(18.0).reshape(3, 6)
    loads = kg.dynamics.Loads.of(model, wrenches=rows, links=np.array([2, 1, 2]))
    np.testing.assert_array_equal(loads.per_link(3)[2], rows[0] + rows[2])
    np.testing.assert_array_equal(loads.per_link(3)[0], 0)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"efforts": np.zeros(3)}, r"must be 2 numbers, got shape \(3,\)"),
        ({"wrenches": np.zeros((2, 6)), "links": np.array([1])}, "for each of 1 links"),
        ({"wrenches": np.zeros((1, 6)), "links": np.array([3])}, "links 0 to 2"),
    ],
)
def test_wrong_shapes_are_refused(keys: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(kg.errors.KinegenError, match=message):
        kg.dynamics.Loads.of(double_pendulum().compile(), **keys)


def test_loads_that_are_no_numbers_are_seen() -> None:
    model = double_pendulum().compile()
    assert not kg.dynamics.Loads.of(model, efforts=np.array([0, np.nan])).is_finite


def test_a_report_knows_its_balance() -> None:
    report = kg.dynamics.StepReport(1, 0, 0, 0, kinetic=3, potential=-1, work=0.5)
    assert report.energy == 2 and report.balance == 1.5


def test_wrenches_go_by_link_or_by_number() -> None:
    model = double_pendulum().compile()
    named = kg.dynamics.Loads.of(model, wrenches={"B": [0, 0, 1, 0, 0, 0], "A": np.ones(6)})
    assert named.links.tolist() == [2, 1] and named.wrenches[0].tolist() == [0, 0, 1, 0, 0, 0]
    with pytest.raises(kg.errors.KinegenError, match="link 'tip' is not in mechanism 'double'"):
        kg.dynamics.Loads.of(model, wrenches={"tip": np.ones(6)})
    for bad in ({"efforts": "up"}, {"wrenches": [["x"] * 6], "links": [1]}, {"links": ["B"]}):
        with pytest.raises(kg.errors.KinegenError, match="must be numbers"):
            kg.dynamics.Loads.of(model, **bad)  # type: ignore[arg-type]
