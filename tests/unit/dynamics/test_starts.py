"""Where runs start."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.starts import closed_start, project_velocity, velocity_gap


def test_loops_are_closed_and_stay_closed() -> None:
    model = kg.load("five-bar").compile()
    q, v = closed_start(model, {"A": 1.0}, {"A": 2.0, "E": -1.0})
    assert kg.loop_gap(model, q)[0] < 1e-9
    assert velocity_gap(model, q, v) < 1e-9
    assert v[model.joint("A").v] == pytest.approx(2) and v[model.joint("E").v] == pytest.approx(-1)


def test_all_velocities_together_are_projected() -> None:
    model = kg.load("four-bar").compile()
    wild = np.ones(model.nv)
    q, v = closed_start(model, None, wild)
    assert velocity_gap(model, q, wild) > 0.01 and velocity_gap(model, q, v) < 1e-12
    np.testing.assert_allclose(project_velocity(model, q, v), v, atol=1e-12)


def test_velocities_that_open_the_loops_are_refused() -> None:
    model = kg.load("four-bar").compile()
    with pytest.raises(kg.KinegenError, match="open the loops"):
        closed_start(model, None, {"crank": 1.0, "rocker": -5.0, "coupler": 3.0})


def test_a_loop_that_cannot_close_is_told() -> None:
    model = kg.load("four-bar").compile()
    model.parameters["ground"] = 2.0
    with pytest.raises(kg.AssemblyError, match="cannot be assembled"):
        closed_start(model, None, None)
