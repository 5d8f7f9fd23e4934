"""Drags that avoid collisions: nothing ever passes through anything, whatever is asked."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.kinematics import CollisionChecker
from kinegen.kinematics.collisions.checker import CLEARANCE

THIN = """raff: 1
name: slide
joints:
  - {name: x, type: prismatic, parent: base, axis: x, shape: none}
  - {name: y, type: prismatic, parent: x, axis: y, shape: {box: [40 mm, 40 mm, 40 mm]}}
frames:
  - {name: tool, parent: y}
objects:
  - {name: sheet, shape: {box: [0.1 mm, 1, 1]}, at: {xyz: [0.5, 0, 0]}, fixed: true}
"""


@pytest.mark.parametrize(
    ("name", "frame", "floor"),
    [("so101", "tool", -0.02), ("arm-and-wall", "tool", None), ("delta", "tool", None)],
)
def test_a_drag_to_anywhere_ends_and_stays_clear(
    name: str, frame: str, floor: float | None
) -> None:
    model = kg.load(name).compile()
    checker = CollisionChecker(model, floor=floor)
    home = kg.assemble(model).q
    at = kg.pose(model, home, frame).translation
    rng = np.random.default_rng(5)
    dragger = kg.Dragger(model, home, [kg.Handle(frame, position=at)], avoid=checker)
    stopped = 0
    for _ in range(12):
        # one drag after the other, each target far away at once
        dragger.move(0, at + rng.normal(size=3) * 2.5 * model.size)
        for _ in range(15):
            report = dragger.tick()
            found = checker.measure(dragger.q, margin=0.0)
            assert not found.touching.any(), (found.a, found.b, found.distances)
            assert report.gap < 1e-9
            if not report.moving:
                break
        stopped += dragger.result(report).obstacle is not None
    assert stopped > 0


@pytest.mark.parametrize("step", [0.01, 0.3, 5.0])
def test_a_sheet_of_a_tenth_of_a_millimetre_stops_a_drag_of_any_speed(step: float) -> None:
    model = kg.load(THIN).compile()
    dragger = kg.Dragger(model, None, [kg.Handle("tool", position=[0, 0, 0])], avoid=True)
    x = 0.0
    while x < 2.0:
        x += step
        dragger.move(0, [x, 0.1, 0.0])
        report = dragger.tick()
        assert dragger.q[0] < 0.48
    for _ in range(40):
        report = dragger.tick()
    # it slides along the sheet to where it is nearest to the target
    keep = CLEARANCE * model.size
    at = kg.pose(model, dragger.q, "tool").translation
    np.testing.assert_allclose(at, [0.48 - 0.05e-3 - keep, 0.1, 0.0], atol=keep)
    result = dragger.result(report)
    assert result.obstacle == ("y", "sheet") and "'y' is stopped by 'sheet'" in result.reason
    # without it, nothing stops the drag
    free = kg.drag(model, None, kg.Handle("tool", position=[2.0, 0.1, 0.0]))
    assert free.reached and free.clearance == math.inf and free.obstacle is None


def test_what_overlaps_already_can_leave_but_comes_no_deeper() -> None:
    model = kg.load(THIN.replace("parent: base, axis: x,", "parent: base, axis: x, start: 0,"))
    model = model.compile()
    inside = [0.49, 0.0]
    depth = kg.collisions(model, inside).distances[0]
    assert depth < 0
    deeper = kg.drag(model, inside, kg.Handle("tool", position=[0.5, 0, 0]), avoid=True)
    assert kg.collisions(model, deeper.q).distances[0] >= depth - 1e-9
    out = kg.drag(model, inside, kg.Handle("tool", position=[0.3, 0, 0]), avoid=True)
    assert out.reached and len(kg.collisions(model, out.q)) == 0


def test_the_clearance_is_kept_and_copies_continue_alike() -> None:
    model = kg.load(THIN).compile()
    handle = kg.Handle("tool", position=[2, 0, 0])
    result = kg.drag(model, None, handle, avoid=True, clearance=0.05)
    assert result.clearance == pytest.approx(0.05, rel=0.05)
    one = kg.Dragger(model, None, [handle], avoid=True)
    one.tick()
    other = copy.deepcopy(one)
    one.tick()
    other.tick()
    np.testing.assert_array_equal(one.q, other.q)


def test_bad_input_is_named() -> None:
    model = kg.load(THIN).compile()
    handle = [kg.Handle("tool", position=[2, 0, 0])]
    with pytest.raises(UsageError, match="clearance must be 0 or more"):
        kg.Dragger(model, None, handle, avoid=True, clearance=-1)
    with pytest.raises(UsageError, match="another model"):
        kg.Dragger(model, None, handle, avoid=CollisionChecker(kg.load("so101")))
