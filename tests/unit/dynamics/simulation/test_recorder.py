"""Rows that are added during a run."""

from __future__ import annotations

import numpy as np

import kinegen as kg
from kinegen.dynamics.simulation.recorder import Recorder
from tests.support.mechanisms.simulated import bob


def test_rows_grow_and_the_last_is_not_doubled() -> None:
    recorder = Recorder(bob().compile())
    one = np.ones(1)
    for i in range(200):
        recorder.add(kg.dynamics.StepReport(i, 0.1, 0.2, 0.3, 4, 5, 6, 7, 8), i * one, one, 2 * one)
    recorder.keep(kg.dynamics.StepReport(199, 0, 0, 0, 0, 0, 0), one, one, one)
    recorder.keep(kg.dynamics.StepReport(200, 0, 0, 0, 0, 0, 0), one, one, one)
    run = recorder.run(engine="e", step=1.0, steps=200, complete=True, reason="")
    assert len(run) == 201 and run.times[-2] == 199 and run.q[-2, 0] == 199
    assert (run.gap[5], run.angle_gap[5], run.velocity_gap[5]) == (0.1, 0.2, 0.3)
    assert (run.kinetic[5], run.potential[5], run.work[5]) == (4, 5, 6)
    assert run.contacts[5] == 7 and run.iterations[5] == 8 and run.efforts[5, 0] == 2
