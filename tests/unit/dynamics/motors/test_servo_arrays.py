"""Servos inside the steps of a simulation: everything is as with servos in Python."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.motors.motor import Mode
from tests.unit.dynamics.simulation.test_batch import MIXED

PROFILED = MIXED.replace("inertia: 1e-3}", "inertia: 1e-3, profile: trapezoidal, acceleration: 20}")


def settings(simulation: kg.Simulation) -> None:
    """A motor with backlash goes off and on, another gets a new mode, a third less torque."""
    servos = simulation.servos
    assert servos is not None
    servos.set_drive(0, replace(servos.drive(0), on=False), (0.0, 0.0))
    simulation.advance(0.02)
    servos.set_drive(0, replace(servos.drive(0), on=True), (0.0, 0.0))
    servos.set_drive(1, replace(servos.drive(1), mode=Mode.POSITION), (0.0, 0.0))
    servos.set_drive(2, replace(servos.drive(2), effort=0.1), (0.0, 0.0))
    simulation.advance(0.02)


def hand(simulation: kg.Simulation) -> None:
    """A hand pulls at the last link, and lets go."""
    x, y, z = kg.pose(simulation.model, simulation.last.q, "push").translation
    pull = simulation.pull("push", target=(x, y + 0.05, z), stiffness=20.0)
    simulation.advance(0.02)
    simulation.release(pull)
    simulation.advance(0.02)


def computed(simulation: kg.Simulation) -> None:
    """A mode that the kernels lack, and back."""
    servos = simulation.servos
    assert servos is not None
    before = servos.drive(0)
    servos.set_drive(0, replace(before, mode=Mode.COMPUTED), (0.0, 0.0))
    assert servos.arrays is None
    simulation.advance(0.02)
    servos.set_drive(0, before, (0.0, 0.0))
    simulation.advance(0.02)


def wave(simulation: kg.Simulation) -> None:
    """Targets of a function of time."""
    assert simulation.servos is not None
    simulation.servos.set_targets(lambda time: {"place": 0.3 * math.sin(9 * time)})
    simulation.advance(0.04)


@pytest.mark.parametrize("text", [MIXED, PROFILED])
@pytest.mark.parametrize("act", [settings, hand, computed, wave])
def test_servos_inside_the_steps_do_as_those_in_python(
    text: str, act: Callable[[kg.Simulation], None]
) -> None:
    found = []
    for inside in (True, False):
        simulation = kg.Simulation(
            kg.load(text), targets={"place": 0.4, "speed": 1.0, "push": 0.45}, record=500
        )
        assert simulation.servos is not None and simulation.servos.runs_inside
        simulation.servos.runs_inside = inside
        simulation.advance(0.05)
        act(simulation)
        assert simulation.reason == ""
        assert (simulation.servos.arrays is not None) == inside
        servos, run = simulation.servos, simulation.run()
        assert servos.report is not None and servos.calls == simulation.steps
        # reactions know what the motors push with
        reactions = simulation.engine.reactions()
        found.append((run.q, run.v, run.efforts, run.work, servos.state, reactions))
        assert servos.heat.temperature[2] > 25 and servos.saturation["push"] > 0
    for a, b in zip(*found, strict=True):
        # the same law in another order of operations
        assert a == pytest.approx(b, rel=1e-9, abs=1e-9)


def test_a_copy_has_servos_of_its_own_and_continues_bit_for_bit() -> None:
    simulation = kg.Simulation(kg.load(MIXED), targets={"place": 0.4, "push": 0.45})
    simulation.advance(0.03)
    other = copy.deepcopy(simulation)
    assert simulation.servos is not None and other.servos is not None
    before = other.servos.state.copy()
    simulation.advance(0.03)
    assert np.array_equal(other.servos.state, before)
    other.advance(0.03)
    assert np.array_equal(other.last.q, simulation.last.q)
    assert np.array_equal(other.servos.state, simulation.servos.state)
    assert np.array_equal(other.servos.heat.temperature, simulation.servos.heat.temperature)


def test_chunks_of_steps_are_the_steps_one_by_one() -> None:
    whole, single = (kg.Simulation(kg.load("five-bar"), targets={"A": 0.5}) for _ in range(2))
    whole.advance(0.1)
    for _ in range(100):
        single.advance(1e-3)
    # every call closes the loops again
    assert whole.last.q == pytest.approx(single.last.q, abs=1e-10)
    assert whole.servos is not None and single.servos is not None
    assert whole.servos.calls == single.servos.calls == 100
    assert whole.servos.saturation == pytest.approx(single.servos.saturation)


def test_a_run_that_fails_keeps_the_servos_of_the_last_valid_state() -> None:
    simulation = kg.Simulation(kg.load(MIXED), targets={"push": 0.3})
    simulation.advance(0.01)
    assert simulation.servos is not None
    before = simulation.servos.state.copy()
    simulation.engine.kernel.start(  # type: ignore[attr-defined]
        simulation.last.q, np.full(simulation.model.nv, 1e200), 0.01
    )
    simulation.advance(0.01)
    assert simulation.reason
    assert np.array_equal(simulation.servos.state, before)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("five-bar", {"engine": "impulse"}),
        ("five-bar", {"control_step": 2e-3}),
        ("five-bar", {"modes": {"A": "computed"}}),
    ],
)
def test_what_the_kernels_lack_is_done_in_python(name: str, options: dict[str, object]) -> None:
    simulation = kg.Simulation(kg.load(name), hold=True, **options)  # type: ignore[arg-type]
    assert simulation.servos is not None and simulation.servos.arrays is None
    simulation.advance(0.01)
    assert simulation.servos.report is not None


def test_motors_at_cut_joints_are_driven_in_python() -> None:
    text = kg.load("five-bar").to_raff()
    mechanism = kg.load(text.replace("closes:", "motor: {kp: 100, kd: 1}, closes:"))
    simulation = kg.Simulation(mechanism, hold=True)
    assert simulation.model.joint("C").is_cut and simulation.model.joint("C").has_motor
    assert simulation.servos is not None and simulation.servos.arrays is None
