"""What a motion would hit."""

from __future__ import annotations

import pytest

import kinegen as kg
from kinegen.motion.clearance import motion_clearance
from kinegen.motion.recording import Recording

BALL = """
raff: 1
name: slider
joints:
  - {name: rail, type: prismatic, parent: base, alpha: 90 deg, motor: true, shape: {sphere: 50 mm}}
objects:
  - {name: ball, shape: {sphere: 30 mm}, at: {xyz: [0, -0.3, 0]}}
"""


def test_a_motion_reports_what_it_hits_and_when() -> None:
    model = kg.load(BALL).compile()
    found = motion_clearance(Recording.of(model, [[0.0], [0.6]], [0, 2]))
    assert found.nearest.distance == pytest.approx(-0.08, abs=2e-3)
    assert (found.nearest.link, found.nearest.object) == ("rail", "ball")
    assert found.start is not None and found.end is not None
    # a smooth start and end: the middle is at 1 s
    assert 0.6 < found.start < 1.0 < found.end < 1.4
    assert found.start + found.end == pytest.approx(2.0, abs=0.02)
    short = motion_clearance(Recording.of(model, [[0.0], [0.2]], [0, 2]))
    assert short.start is None and short.nearest.distance == pytest.approx(0.02, abs=1e-6)
    with pytest.raises(kg.errors.UsageError, match="number of samples must be a whole number"):
        motion_clearance(Recording.of(model, [[0.0], [0.2]], [0, 2]), samples=1)
