"""Servos inside the steps: compiled and NumPy kernels give the same motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.simulation.batch import servo_arrays
from kinegen.errors import UsageError
from kinegen.kernels import _native, reference  # type: ignore[attr-defined]
from tests.unit.dynamics.simulation.test_batch import MIXED


def bound(module: Any, simulation: kg.Simulation, integrator: int, step: float) -> Any:
    model = simulation.model
    none, points = np.zeros(0, dtype=np.int32), np.zeros((0, 3))
    kernel = module.BoundReduced(
        model.ints, model.reals, none, points, none, points, np.zeros((3, 0))
    )
    kernel.set(integrator, step, 1e-9, True, True, 0.0, 1e9)
    kernel.start(simulation.engine.q, simulation.engine.v, 0.0)
    assert simulation.servos is not None
    kernel.mount_servos(*servo_arrays(simulation.servos))
    return kernel


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
    targets = np.zeros((1, nq + 2 * nv))
    targets[0, :nq] = simulation.engine.q + 0.2
    targets[0, nq:] = rng.uniform(-0.5, 0.5, 2 * nv)
    for module in (_native, reference):
        kernel = bound(module, simulation, integrator, step)
        q, v, efforts = np.zeros((1, nq)), np.zeros((1, nv)), np.zeros((1, nv))
        status = np.zeros(1, dtype=np.int32)
        module.drive_reduced([kernel], 12, targets, q, v, efforts, status, 1)
        assert status[0] == 0
        found.append(np.concatenate([q[0], v[0], efforts[0], kernel.temperatures]))
    # the same formulas; rank and factors are found in other ways
    assert found[0] == pytest.approx(found[1], rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("module", [_native, reference])
def test_engines_without_servos_and_motors_of_cut_joints_are_refused(module: Any) -> None:
    simulation = kg.Simulation(kg.load("five-bar"), hold=True, record=0)
    model = simulation.model
    kernel = bound(module, simulation, 0, 1e-3)
    assert simulation.servos is not None
    stiff, modes, rows = servo_arrays(simulation.servos)
    cut = next(joint for joint in model.joints if joint.is_cut)
    modes[cut.v] = 0
    with pytest.raises(UsageError, match="tree"):
        kernel.mount_servos(stiff, modes, rows)
    none, points = np.zeros(0, dtype=np.int32), np.zeros((0, 3))
    bare = module.BoundReduced(
        model.ints, model.reals, none, points, none, points, np.zeros((3, 0))
    )
    row, status = np.zeros((1, model.nq + 2 * model.nv)), np.zeros(1, dtype=np.int32)
    q, v = np.zeros((1, model.nq)), np.zeros((1, model.nv))
    with pytest.raises(UsageError, match="no servos"):
        module.drive_reduced([bare], 1, row, q, v, v.copy(), status, 1)
