"""Drags that avoid collisions end alike with compiled and NumPy kernels."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import reference
from kinegen.kernels.call_records import SolverNumbers, SolverReport
from kinegen.kernels.tolerances import CLOSED, MET
from kinegen.kinematics.collisions.checker import CollisionChecker
from kinegen.kinematics.handles import pack_handles

native = pytest.importorskip("kinegen.kernels._native")

TARGETS = [(0.9, 0.0, 0.5), (0.7, 0.5, 0.2), (0.4, -0.6, 0.1)]


@pytest.mark.parametrize("target", TARGETS)
def test_compiled_and_numpy_drags_stop_at_the_same_places(target: tuple[float, ...]) -> None:
    model = kg.load("arm-and-wall").compile()
    checker = CollisionChecker(model, floor=0.05)
    arrays = checker.bodies.arrays(checker.meets, model.link_count)
    ints, reals = pack_handles(model, [kg.Handle("tool", position=target)])
    options = np.array(SolverNumbers(12, 0.3, CLOSED, MET, 0.0, True))
    ends = []
    for kernels in (native, reference):
        bodies = kernels.BoundClearance(model.ints, model.reals, checker.body, *arrays)
        q, held = model.start(), np.zeros(model.nv, np.int32)
        tick = kernels.Ticker(
            kernels.BoundSolver(model.ints, model.reals), q, ints, reals, options, None, None, None,
            None, held, bodies, 1e-3,
        )  # fmt: skip
        for _ in range(12):
            report = SolverReport(*tick())
        ends.append((q, report))
    (ours, a), (theirs, b) = ends
    assert a.outcome == b.outcome
    # both minimise the same thing; where they slide, the way there differs in rounding
    assert a.handle_error == pytest.approx(b.handle_error, abs=2e-3)
    assert a.clearance >= 0 and b.clearance >= 0
    assert (a.obstacle >= 0) == (b.obstacle >= 0)
    np.testing.assert_allclose(
        kg.pose(model, ours, "tool").translation, kg.pose(model, theirs, "tool").translation,
        atol=2e-3,
    )  # fmt: skip
