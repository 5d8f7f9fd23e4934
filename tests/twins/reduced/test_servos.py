"""Servos inside the steps: compiled and NumPy kernels give the same motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.kernels import ServoArrays, _native, reference  # type: ignore[attr-defined]
from tests.unit.dynamics.simulation.test_batch import MIXED


def bound(module: Any, simulation: kg.Simulation, integrator: int, step: float) -> Any:
    model = simulation.model
    none, points = np.zeros(0, dtype=np.int32), np.zeros((0, 3))
    kernel = module.BoundReduced(
        model.ints, model.reals, none, points, none, points, np.zeros((3, 0))
    )
    kernel.set(integrator, step, 1e-9, True, True, 0.0, 1e9)
    kernel.start(simulation.engine.q, simulation.engine.v, 0.0)
    return kernel


def arrays(simulation: kg.Simulation) -> ServoArrays:
    assert simulation.servos is not None and simulation.servos.arrays is not None
    given = simulation.servos.arrays
    return given._replace(targets=given.targets[None], state=given.state[None].copy())


@pytest.mark.parametrize(
    ("source", "integrator", "step"),
    [(MIXED, 0, 1e-3), (MIXED, 1, 4e-3), (MIXED, 2, 4e-3), ("five-bar", 1, 2e-3),
     ("five-bar", 0, 2e-2), ("so101", 1, 2e-3), ("franka-hand", 2, 1e-3)],
)  # fmt: skip
def test_twins_agree(source: str, integrator: int, step: float) -> None:
    simulation = kg.Simulation(kg.load(source), hold=True, record=0, step=step)
    nq, nv = simulation.model.nq, simulation.model.nv
    rng = np.random.default_rng(3)
    found = []
    targets = np.concatenate([simulation.engine.q + 0.2, rng.uniform(-0.5, 0.5, 2 * nv)])
    push, pull = (
        rng.uniform(-0.1, 0.1, nv),
        rng.uniform(-0.1, 0.1, (simulation.model.link_count, 6)),
    )
    for module in (_native, reference):
        kernel = bound(module, simulation, integrator, step)
        q, v, status = np.zeros((1, nq)), np.zeros((1, nv)), np.zeros(1, dtype=np.int32)
        servos = arrays(simulation)
        servos.targets[0] = targets
        module.drive_reduced([kernel], 12, servos, q, v, status, 1)
        assert status[0] == 0
        # one engine alone, beside other loads, continues from there
        kernel.run(3, push, pull, servos._replace(targets=targets, state=servos.state[0]))
        found.append(np.concatenate([q[0], v[0], kernel.q, kernel.v, servos.state.ravel()]))
    # the same formulas; rank and factors are found in other ways
    assert found[0] == pytest.approx(found[1], rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("module", [_native, reference])
def test_motors_of_cut_joints_are_refused(module: Any) -> None:
    simulation = kg.Simulation(kg.load("five-bar"), hold=True, record=0)
    kernel, servos = bound(module, simulation, 0, 1e-3), arrays(simulation)
    cut = next(joint for joint in simulation.model.joints if joint.is_cut)
    servos.modes[cut.v] = 0
    with pytest.raises(UsageError, match="tree"):
        kernel.run(1, np.zeros(simulation.model.nv), None, servos)
