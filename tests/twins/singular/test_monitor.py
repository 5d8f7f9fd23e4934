"""The singularity monitor, compiled and in NumPy, on the same questions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.kernels import reference
from kinegen.kernels.protocols.singular import BoundMonitor, MonitorStatus, SearchEnd
from kinegen.kinematics.solving.assembling.assembly import close
from tests.support.mechanisms.singular_questions import (
    AXIS,
    QUESTIONS,
    Question,
    aims,
    general_pose,
    inputs,
)

native = pytest.importorskip("kinegen.kernels._native")

# Both round at 1e-16; closed poses are exact to 1e-13, and singular vectors lose a digit or two to
# the gaps between singular values.
TOLERANCE = 1e-10
# A singular pose is found where a value of 1e-12 is zero: by a fold's square root, 1e-6 in joints.
FOUND = 3e-6
SETS = (native, reference)
# NumPy takes seconds to find the structure of most: one of each sort is enough.
SIGNED = ["five-bar", "four-bar", "peaucellier", "3-rrr", "arm-6", "serial-5", "tricept", "bricard"]


def monitors(model: kg.Model, q: np.ndarray, frame: str) -> list[BoundMonitor]:
    """One of each set, watching; they agree about what is usual."""
    made, results = [], []
    for each in SETS:
        monitor = each.BoundMonitor(model.blocks.ints, model.blocks.reals)
        chosen = aims(model, frame)
        ranks = monitor.watch(q, chosen, AXIS, inputs(model))
        made.append(monitor)
        results.append((ranks, chosen.tolist()))
    assert results[0] == results[1]
    return made


def assert_same(ours: Any, theirs: Any) -> None:
    for a, b in zip(ours, theirs, strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(
            np.asarray(a, dtype=float), np.asarray(b, dtype=float), atol=TOLERANCE, rtol=0
        )


@pytest.mark.parametrize("name", kg.library_names())
def test_measures_of_every_library_mechanism(name: str) -> None:
    model = kg.load(name).compile()
    q = general_pose(model)
    ours, theirs = monitors(model, q, model.site_names[-1])
    assert_same(ours.measure(q), theirs.measure(q))
    examined = ours.examine(q), theirs.examine(q)
    assert_same(*(each[:6] for each in examined))
    # directions of equal values, as a cart on its wheels always has, are a matter of choice
    task, gain = (len(values) < 2 or values[-2] - values[-1] > 1e-4 for values in examined[0][4:6])
    compared = [*([6, 7] if task else []), *([8] if gain else [])]
    assert_same(*([each[i] for i in compared] for each in examined))


@pytest.mark.parametrize("name", SIGNED)
def test_the_signs_of_branches(name: str) -> None:
    model = kg.load(name).compile()
    q = general_pose(model)
    both = monitors(model, q, model.site_names[-1])
    blocks = [[(held, list(block)) for held, block in each.blocks()] for each in both]
    assert blocks[0] == blocks[1]
    # a block's sign is free, but the same in every pose
    here = [each.signs(q) for each in both]
    there = [each.signs(close(model, model.start())[0]) for each in both]
    np.testing.assert_allclose(*np.abs(here), atol=TOLERANCE)
    np.testing.assert_allclose(here[0] * there[0], here[1] * there[1], atol=TOLERANCE)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_the_singular_pose_ahead(question: Question) -> None:
    model = question.model()
    q, heading = question.start(model), question.heading(model)
    if heading[0][0] < 0:
        pytest.skip("this question has no heading")
    both = monitors(model, q, question.watched(model))
    ours, theirs = (each.ahead(q, *heading, -1.0, False, 0.03, 0.02) for each in both)
    assert ours[:3] == theirs[:3] and ours[1] == SearchEnd.FOUND
    assert ours[3] == pytest.approx(theirs[3], abs=FOUND)
    assert len(ours[6]) == len(theirs[6])
    np.testing.assert_allclose(ours[6][:-1], theirs[6][:-1], atol=1e-7)
    np.testing.assert_allclose(ours[6][-1], theirs[6][-1], atol=FOUND)
    assert max(kg.kinematics.loop_gap(model, pose).largest for pose in ours[6]) < 1e-9


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_the_sides_of_a_singular_pose(question: Question) -> None:
    model = question.model()
    q, heading = question.start(model), question.heading(model)
    both = monitors(model, q, question.watched(model))
    ours, theirs = (each.branches_beyond(q, *heading, question.kind, 0.5) for each in both)
    assert ours[:3] == theirs[:3] and ours[0] == MonitorStatus.DONE
    np.testing.assert_allclose(ours[3][-1], theirs[3][-1], atol=FOUND)
    # ways out of a pose that is known to 1e-6 end that far apart, times a little
    assert [branch[:8] for branch in ours[4]] == [branch[:8] for branch in theirs[4]]
    for a, b in zip(ours[4], theirs[4], strict=True):
        np.testing.assert_allclose(a[8][-1], b[8][-1], atol=10 * FOUND)
        np.testing.assert_allclose(a[8][0], q, atol=1e-12)
    # in small steps
    bounds = np.full(model.nv, 0.02)
    for a in ours[4]:
        ways = [each.refine(a[8], bounds) for each in both]
        assert ways[0] is not None and ways[1] is not None
        np.testing.assert_allclose(*ways, atol=1e-9)
        steps = [
            kg.kinematics.difference(model, x, y)
            for x, y in zip(ways[0], ways[0][1:], strict=False)
        ]
        assert 0 < np.abs(steps).max() <= 0.02
        assert max(kg.kinematics.loop_gap(model, pose).largest for pose in ways[0]) < 1e-9


@pytest.mark.parametrize("which", SETS, ids=["native", "reference"])
def test_what_makes_no_sense_is_refused(which: Any) -> None:
    model = kg.load("five-bar").compile()
    q, name = model.start(), "handle"
    monitor = which.BoundMonitor(model.blocks.ints, model.blocks.reals)
    heading = QUESTIONS[2].heading(model)
    with pytest.raises(UsageError, match="call watch first"):
        monitor.measure(q)
    nowhere = aims(model, name)
    nowhere[0, 0] = 99
    with pytest.raises(UsageError, match="names no link or frame"):
        monitor.watch(q, nowhere, AXIS, inputs(model))
    monitor.watch(q, aims(model, name), AXIS, inputs(model))
    with pytest.raises(UsageError, match="q"):
        monitor.measure(q[1:])
    with pytest.raises(UsageError, match="q contains NaN"):
        monitor.measure(np.full(model.nq, np.nan))
    lost = heading[0].copy()
    lost[1] = 99
    with pytest.raises(UsageError, match="a heading names no link"):
        monitor.ahead(q, lost, heading[1], -1.0, True, 0.03, 0.0)
    still = np.zeros_like(heading[1])
    found = monitor.ahead(q, heading[0], still, -1.0, True, 0.03, 0.0)
    assert found[0] == MonitorStatus.HEADING_IS_ZERO and len(found[6]) == 0
    gain = monitor.branches_beyond(q, *heading, 1, 0.5)
    assert gain[0] == MonitorStatus.WRONG_KIND and gain[4] == []


@pytest.mark.parametrize("which", SETS, ids=["native", "reference"])
def test_changed_numbers_are_read_again(which: Any) -> None:
    model = kg.load("five-bar").compile()
    monitor = which.BoundMonitor(model.blocks.ints, model.blocks.reals)
    q = model.start()
    monitor.watch(q, aims(model, "handle"), AXIS, inputs(model))
    before = monitor.measure(q)[1]
    for name in ("ground", "crank", "coupler"):
        model.parameters[name] *= 3
    assert monitor.measure(q)[1] == pytest.approx(before, abs=1e-12)  # the same shape
