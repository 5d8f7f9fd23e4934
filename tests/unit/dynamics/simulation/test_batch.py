from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.motors.targets import Targets
from kinegen.dynamics.simulation.batch import SimulationBatch
from kinegen.errors import UsageError

MIXED = """raff: 1
name: mixed
joints:
  - {name: place, parent: base, alpha: 90 deg, mass: 0.4, shape: {box: [0.3, 0.04, 0.04]},
     backlash: 2 deg, motor: {torque: 3, speed: 4, inertia: 1e-3}}
  - {name: speed, parent: place, d: 0.3, mass: 0.3, shape: {box: [0.2, 0.03, 0.03]},
     motor: {torque: 2, speed: 6, mode: velocity, stall: 2, no_load: 9}}
  - {name: push, parent: speed, d: 0.2, mass: 0.1, shape: {box: [0.1, 0.02, 0.02]},
     limits: [-1, 1], friction: {coulomb: 0.01},
     motor: {torque: 0.5, mode: torque, thermal: {torque_constant: 0.05, resistance: 2,
             thermal_resistance: 8, heat_capacity: 0.5, derate: 30, limit: 60}}}
"""
"""Every mode that runs inside compiled steps, with backlash, a motor curve, a stop and heat."""


def targets_of(simulation: kg.Simulation, row: np.ndarray) -> Targets:
    nq, nv = simulation.model.nq, simulation.model.nv
    return Targets(row[:nq].copy(), row[nq : nq + nv].copy(), np.zeros(nv), row[nq + nv :].copy())


@pytest.mark.parametrize(
    ("source", "options"),
    [
        (MIXED, {"step": 1e-3}),
        (MIXED, {"step": 5e-4, "integrator": "implicit"}),
        ("so101", {"step": 2e-3, "integrator": "semi-implicit"}),
        ("five-bar", {"step": 2e-3}),
        ("delta", {"step": 2e-3, "integrator": "semi-implicit", "refine": 1e-4}),
        ("cart", {"step": 2e-3, "floor": 0.0}),
    ],
)
def test_compiled_servos_move_as_those_in_python(source: str, options: dict[str, object]) -> None:
    batch = SimulationBatch(kg.load(source), count=2, **options)  # type: ignore[arg-type]
    assert batch.is_compiled
    alone = kg.Simulation(kg.load(source), hold=True, record=0, **options)  # type: ignore[arg-type]
    assert alone.servos is not None and alone.servos.runs_inside
    alone.servos.runs_inside = False
    rng = np.random.default_rng(1)
    nq, nv = batch.model.nq, batch.model.nv
    driven = batch.servos.motors.driven
    for _ in range(3):
        row = batch.targets[0].copy()
        for joint in batch.model.joints:
            if joint.has_motor:
                row[joint.q] += rng.uniform(-0.3, 0.3) * min(1.0, batch.model.size)
        row[nq : nq + nv] = np.where(driven, rng.uniform(-1, 1, nv), 0)
        row[nq + nv :] = np.where(driven, rng.uniform(-0.3, 0.3, nv), 0)
        batch.targets[:] = row
        alone.servos.targets = targets_of(alone, row)
        batch.advance(25)
        alone.advance(25 * batch.step)
    assert not alone.reason and batch.reasons == ["", ""]
    assert np.array_equal(batch.q[0], batch.q[1])
    # the same law in another order of operations; contacts and stops amplify rounding. A coarse
    # `refine` lets a run keep the factors of nearly closed loops, which each call computes again
    rough = 100 if "refine" in options else 1
    assert batch.q[0] == pytest.approx(alone.engine.q, abs=1e-9 * rough)
    assert batch.v[0] == pytest.approx(alone.engine.v, abs=1e-7 * rough)
    assert batch.efforts[0] == pytest.approx(alone.efforts, abs=1e-6 * rough)


def test_a_reset_leaves_no_trace() -> None:
    batch = SimulationBatch(kg.load("five-bar"), count=2, step=2e-3)
    start = batch.targets.copy()

    def run() -> np.ndarray:
        batch.targets[:, :2] = start[:, :2] + 0.4
        batch.advance(40)
        return batch.q.copy()

    first = run()
    batch.reset(which=[1])
    assert np.array_equal(batch.q[0], first[0]) and not batch.v[1].any()
    assert np.array_equal(batch.targets[1], start[1])
    batch.reset()
    assert np.array_equal(run(), first)


def test_what_cannot_run_inside_the_steps_runs_in_python() -> None:
    batch = SimulationBatch(kg.load("so101"), count=2, modes={"gripper": "computed"}, step=2e-3)
    assert not batch.is_compiled
    batch.targets[1, 0] += 0.1
    batch.advance(25)  # through the backlash and on
    assert batch.q[1, 0] > batch.q[0, 0]
    batch.reset()
    assert np.array_equal(batch.q[0], batch.q[1])


def test_a_simulation_that_fails_stops_alone() -> None:
    batch = SimulationBatch(kg.load("so101"), count=3, step=2e-3)
    batch._engines[1].kernel.start(batch.q[1], np.full(batch.model.nv, 1e200), 0.0)
    batch.advance(2)
    assert [bool(reason) for reason in batch.reasons] == [False, True, False]
    before = batch.q[0].copy()
    batch.targets[:, 0] += 0.2
    batch.advance(5)
    assert (batch.q[0] != before).any() and np.isfinite(batch.q[[0, 2]]).all()
    batch.reset(which=[1])
    batch.targets[1] = batch.targets[0]
    batch.advance(1)
    assert not any(batch.reasons)


def test_bad_input_is_named() -> None:
    with pytest.raises(UsageError, match="number of simulations"):
        SimulationBatch(kg.load("so101"), count=0)
    with pytest.raises(UsageError, match="no motors"):
        SimulationBatch(kg.load("bricard"), count=1)
    batch = SimulationBatch(kg.load("so101"), count=2)
    batch.targets[1, 0] = np.nan
    with pytest.raises(UsageError, match="simulation 1"):
        batch.advance()
