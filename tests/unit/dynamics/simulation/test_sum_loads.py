"""What acts on a simulation."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.simulation.sum_loads import Control, sum_loads
from tests.support.contacts.touching import turntable
from tests.support.mechanisms.simulated import bob


def test_everything_that_acts_is_summed() -> None:
    model = bob().compile()

    def weight(time: float, q: np.ndarray, v: np.ndarray) -> kg.dynamics.Loads:
        q[:] = v[:] = np.nan  # what they get is theirs
        return kg.dynamics.Loads.of(model, efforts=[3.0], wrenches=[[0, 0, 1, 0, 0, 0]], links=[1])

    q = np.array([0.5])
    loads, trouble = sum_loads(model, lambda t, q, v: {"A": 1 + q[0]}, [weight, weight], 0, q, q)
    assert loads is not None and not trouble
    assert loads.efforts.tolist() == [7.5] and loads.links.tolist() == [1, 1]
    assert sum_loads(model, None, [], 0, q, q) == (None, "")


@pytest.mark.parametrize(
    ("control", "words"),
    [
        (
            lambda t, q, v: [np.nan],
            "the controller returned a value that is not finite for effort on A at 2 s",
        ),
        (lambda t, q, v: [1, 2], "must be 1 numbers, got shape (2,)"),
        (lambda t, q, v: {"B": 1}, "joint 'B' is not in"),
        (lambda t, q, v: 1 / 0, "ZeroDivisionError: division by zero (test_sum_loads.py, line "),
    ],
)
def test_a_controller_that_fails_is_reported_with_its_place(control: Control, words: str) -> None:
    loads, trouble = sum_loads(bob().compile(), control, [], 2.0, np.zeros(1), np.zeros(1))
    assert loads is None and trouble.startswith("the controller") and words in trouble


def test_targets_that_fail_are_not_the_controllers_fault() -> None:
    run = kg.simulate(turntable(), time=0.1, targets=lambda t: {"A": 1.0 if t < 0.0495 else np.nan})
    assert not run.complete and run.duration == pytest.approx(0.05)
    assert run.reason.startswith("the targets of the motors failed at 0.05 s")
