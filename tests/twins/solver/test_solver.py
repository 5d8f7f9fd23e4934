"""The compiled solver against the NumPy one on recorded drags of the whole library."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels.backend import name as backend_name
from kinegen.kernels.reference.solver.bound import BoundSolver as ReferenceSolver
from kinegen.kinematics.handles import pack_handles
from kinegen.kinematics.solving.assembling.assembly import close
from tests.support.mechanisms.linkages import ladder

# Both stop when handles are met to 1e-9 m: answers may differ by that, divided by the smallest
# singular value of the task along the walk (a few per cent).
TOLERANCE = 1e-6


@pytest.mark.parametrize("name", kg.library_names())
def test_drags_agree_tick_by_tick(name: str) -> None:
    if backend_name() != "native":
        pytest.skip("KINEGEN_KERNELS=reference: there is no second solver to compare with")
    model = kg.load(name).compile()
    reference = ReferenceSolver(model.ints, model.reals)
    frame = model.site_names[-1]
    rng = np.random.default_rng(4)
    options = np.array([12, 0.3, 1e-10 / model.size, 1e-9 / model.size, 0.0, 1.0])
    held, held_reference = (np.zeros(model.nv, dtype=np.int32) for _ in range(2))
    q = model.start()
    for _ in range(6):
        # a target that the mechanism can reach: where a nearby closed pose has the frame
        nearby, _ = close(
            model, kg.kinematics.integrate(model, q, 0.03 * rng.normal(size=model.nv)), limits=False
        )
        handles = pack_handles(model, [kg.Handle(frame, kg.pose(model, nearby, frame).translation)])
        ours, theirs = q.copy(), q.copy()
        report = model.solver.run(ours, *handles, options, None, None, None, None, held)
        other = reference.run(theirs, *handles, options, None, None, None, None, held_reference)
        assert report[0] == other[0]
        assert report[2] == other[2]
        np.testing.assert_array_equal(held, held_reference)
        if report[0] == kg.kinematics.Outcome.REACHED:
            np.testing.assert_allclose(
                kg.kinematics.difference(model, ours, theirs), 0, atol=TOLERANCE
            )
        q = ours


@pytest.mark.parametrize("name", ["four-bar", "3-rrr", "puma560"])
def test_searches_draw_the_same_starts(name: str) -> None:
    if backend_name() != "native":
        pytest.skip("KINEGEN_KERNELS=reference: there is no second solver to compare with")
    model = kg.load(name).compile()
    reference = ReferenceSolver(model.ints, model.reals)
    frame = model.site_names[-1]
    X = kg.pose(model, None, frame)
    handles = pack_handles(model, [kg.Handle(frame, X.translation)])
    options = np.array([40, 1.0, 1e-10 / model.size, 1e-8 / model.size, 0.0, 1.0])
    locked = np.zeros(model.nv, dtype=np.int32)
    found = [
        solver.enumerate(model.start(), *handles, options, locked, 12, 3, 1e-3, True, 50)
        for solver in (model.solver, reference)
    ]
    assert found[0].shape == found[1].shape


@pytest.mark.parametrize("spatial", [False, True])
def test_one_closing_step_of_a_ladder_agrees(spatial: bool) -> None:
    """Its loops are open and written along each other's cut joints, whose gaps they pass."""
    if backend_name() != "native":
        pytest.skip("KINEGEN_KERNELS=reference: there is no second solver to compare with")
    model = ladder(6, spatial=spatial)
    reference = ReferenceSolver(model.ints, model.reals)
    none = np.zeros((0, 3), dtype=np.int32), np.zeros((0, 15))
    options = np.array([1, 10.0, 1e-12, 1e-12, 0.0, 0.0])
    held = np.zeros(model.nv, dtype=np.int32)
    rng = np.random.default_rng(8)
    assert kg.kinematics.loop_gap(model).distance < 1e-12
    for _ in range(5):
        q = kg.kinematics.integrate(model, None, 1e-3 * rng.normal(size=model.nv))
        ours, theirs = q.copy(), q.copy()
        model.solver.run(ours, *none, options, None, None, None, None, held)
        reference.run(theirs, *none, options, None, None, None, None, held)
        assert kg.kinematics.loop_gap(model, q).distance > 1e-4
        # the shortest move that closes the linearised loops: one answer, up to rounding
        np.testing.assert_allclose(kg.kinematics.difference(model, ours, theirs), 0, atol=1e-11)
        # what Newton's step leaves is of second order
        assert (
            kg.kinematics.loop_gap(model, ours).distance
            < 0.05 * kg.kinematics.loop_gap(model, q).distance
        )


@pytest.mark.parametrize("name", ["four-bar", "five-bar", "3-rrr", "slider-crank"])
def test_searches_for_modes_find_the_same(name: str) -> None:
    if backend_name() != "native":
        pytest.skip("KINEGEN_KERNELS=reference: there is no second solver to compare with")
    model = kg.load(name).compile()
    reference = ReferenceSolver(model.ints, model.reals)
    none = np.zeros((0, 3), dtype=np.int32), np.zeros((0, 15))
    options = np.array([60, 0.6, 1e-10 / model.size, 1e-10 / model.size, 0.0, 1.0])
    locked = np.zeros(model.nv, dtype=np.int32)
    for joint in kg.kinematics.inputs_of(model):
        locked[model.joint(joint).v] = 1
    ours, theirs = (
        solver.enumerate(model.start(), *none, options, locked, 12, 3, 1e-4, False, 50)
        for solver in (model.solver, reference)
    )
    assert len(ours) == len(theirs) > 1
    # in the same order, so each start led both to the same mode
    for q, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(kg.kinematics.difference(model, q, other), 0, atol=TOLERANCE)


@pytest.mark.parametrize("ask", ["pose", "point", "direction", "rotation"])
@pytest.mark.parametrize("name", ["puma560", "franka", "redundant-7"])
def test_quick_searches_agree(name: str, ask: str) -> None:
    """The same starts, given up or followed to the same answer."""
    if backend_name() != "native":
        pytest.skip("KINEGEN_KERNELS=reference: there is no second solver to compare with")
    model = kg.load(name).compile()
    reference = ReferenceSolver(model.ints, model.reals)
    rng = np.random.default_rng(6)
    low, high = np.maximum(model.lower, -np.pi), np.minimum(model.upper, np.pi)
    options = np.array([40, 1.0, 1e-10 / model.size, 1e-8 / model.size, 0.0, 1.0])
    locked = np.zeros(model.nv, dtype=np.int32)
    locked[0] = 1
    restarts = 0
    for n in range(12):
        wanted, start = rng.uniform(low, high), rng.uniform(low, high)
        hold = n % 3 == 0  # every third with the first joint locked where it is right
        if hold:
            start[0] = wanted[0]
        X = kg.pose(model, wanted, "tool")
        handle = {
            "pose": kg.Handle("tool", X.translation, X.so3),
            "point": kg.Handle("tool", X.translation, point=(0.1, 0.0, 0.2)),
            "direction": kg.Handle("tool", X.translation, direction=X.rotation[:, 2]),
            "rotation": kg.Handle("tool", None, X.so3),
        }[ask]
        handles = pack_handles(model, [handle])
        found = []
        for solver in (model.solver, reference):
            q, held = start.copy(), np.ones(model.nv, dtype=np.int32)
            made, report = solver.search(
                q, *handles, options, None, None, locked if hold else None, 40, 5, held
            )
            assert not hold or q[0] == start[0]
            found.append((made, report[0], q))
        assert found[0][:2] == found[1][:2]
        np.testing.assert_allclose(found[0][2], found[1][2], atol=TOLERANCE)
        restarts += found[0][0] > 1
    assert restarts or ask != "pose"  # not every answer came from the first start
