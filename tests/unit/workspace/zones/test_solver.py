from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError


def test_fewer_inputs_hold_the_others() -> None:
    model = kg.load("3-rrr").compile()
    found = kg.zone(model, step=0.2, inputs=["A1"], method="solver")
    mode = found.modes[0]
    poses = kg.zone(model, step=0.2, inputs=["A1"], method="solver", poses=True).modes[0].qs
    assert poses is not None and mode.count > 1
    held = [model.joint(name).q.start for name in ("A2", "A3")]
    assert np.ptp(poses[:, held], axis=0).max() < 1e-12
    assert np.ptp(poses[:, model.joint("A1").q.start]) > 0.1


def test_slides_are_swept_in_sizes_of_the_mechanism() -> None:
    model = kg.load("stewart").compile()
    found = kg.zone(model, step=0.05, inputs=["leg1", "leg2"])
    assert found.method == "solver" and found.inputs == ("leg1", "leg2")
    legs = found.modes[0].inputs
    assert legs.min() >= 2.4 - 1e-9 and legs.max() <= 4.0 + 1e-9


def test_too_many_inputs_are_refused_with_a_way_out() -> None:
    with pytest.raises(UsageError, match="zone_slice, or a --step that is a length"):
        kg.zone(kg.load("stewart").compile(), step=0.1)


def test_modes_are_the_same_whoever_explores_them() -> None:
    model = kg.load("five-bar").compile()

    def found(executor: ThreadPoolExecutor | None = None) -> kg.workspace.Zone:
        return kg.zone(
            model, step=0.2, method="solver", modes=["all"], poses=True, executor=executor,
        )  # fmt: skip

    here = found()
    with ThreadPoolExecutor(3) as pool:
        there = found(pool)
    assert len(here.modes) > 1 and here.measure == there.measure and here.tried == there.tried
    for one, other in zip(here.modes, there.modes, strict=True):
        assert one.name == other.name
        np.testing.assert_array_equal(one.points, other.points)
        np.testing.assert_array_equal(one.qs, other.qs)
