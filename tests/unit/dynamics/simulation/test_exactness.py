"""How exact a run is so far."""

from __future__ import annotations

from dataclasses import replace

from kinegen.dynamics.engines.engine import StepReport
from kinegen.dynamics.simulation.exactness import Exactness

START = StepReport(
    time=0.0, gap=0.0, angle_gap=0.0, velocity_gap=0.0, kinetic=0.0, potential=10.0, work=0.0
)


def test_the_worst_so_far_is_kept_and_the_drift_begins_again_with_the_engine() -> None:
    exact = Exactness(START)
    exact.add(replace(START, kinetic=3.0, potential=6.9, gap=2e-6))  # 0.1 J are lost
    exact.add(replace(START, kinetic=1.0, potential=9.0, gap=1e-6))
    assert round(exact.drift, 12) == 0.1 and exact.widest_gap == 2e-6
    assert round(exact.energy_scale, 12) == 3.1  # it fell by that much
    exact.begin_at(replace(START, potential=4.0))
    exact.add(replace(START, potential=3.0, work=-1.0))
    assert exact.drift == 0.0 and round(exact.energy_scale, 12) == 3.1


def test_reports_of_several_engines_add_energies_and_keep_the_widest_gaps() -> None:
    one = replace(START, kinetic=1.0, gap=3e-6, contacts=2, iterations=4)
    other = replace(START, kinetic=0.5, angle_gap=2e-6, work=1.0, contacts=1, iterations=7)
    both = StepReport.of_all([one, other])
    assert (both.kinetic, both.potential, both.work, both.contacts) == (1.5, 20.0, 1.0, 3)
    assert (both.gap, both.angle_gap, both.velocity_gap, both.iterations) == (3e-6, 2e-6, 0.0, 7)
    assert StepReport.of_all([one]) == one
