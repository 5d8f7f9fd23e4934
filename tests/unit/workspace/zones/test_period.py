"""Zones of geared mechanisms: an input turns until all that is geared to it is where it was."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.workspace.clouds.ranges import joint_ranges
from kinegen.workspace.zones.period import whole_period

TEXT = """raff: 1
name: geared
joints:
  - {{name: A, parent: base, motor: {{torque: 2, speed: 6}}}}
  - {{name: B, parent: A, d: 50 mm}}
  - {{name: E, parent: base, d: 200 mm}}
  - {{name: D, parent: E, d: 50 mm}}
  - {{name: C, parent: B, d: 250 mm, closes: {{onto: D, d: 250 mm}}}}
frames:
  - {{name: handle, parent: B, d: 250 mm}}
couplings:
  - {{name: g, relation: {{A: 1, E: {ratio}}}}}
"""


@pytest.mark.parametrize(
    ("ratio", "turns"), [("1", 1), ("0.5", 1), ("2", 2), ("1.5", 3), ("-2.4", 12)]
)
def test_the_input_turns_until_all_is_where_it_was(ratio: str, turns: int) -> None:
    model = kg.load(TEXT.format(ratio=ratio)).compile()
    (one,) = joint_ranges(model, None, joints=("A",))
    assert whole_period(model, one).width == pytest.approx(turns * math.tau)


def test_ratios_without_a_period_need_a_range() -> None:
    model = kg.load(TEXT.format(ratio="sqrt(2)")).compile()
    with pytest.raises(UsageError, match="within 24 turns of it: specify the range of 'A'"):
        kg.zone(model, frame="handle", step=0.1)


def test_a_zone_has_what_the_second_turn_reaches() -> None:
    model = kg.load(TEXT.format(ratio="2")).compile()
    (home,) = kg.zone(model, frame="handle", step=0.05).modes
    # a turn of A is half a turn of E: what is reached there is not reached in the first turn
    q = kg.assemble(model, {"A": math.tau - 0.5, "E": -(math.tau - 0.5) / 2}).q
    place = kg.pose(model, q, "handle").translation
    assert np.linalg.norm(home.points - place, axis=1).min() < 5e-3
