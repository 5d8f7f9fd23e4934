"""Zones from coarse to fine."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.workspace.progressive.zone import (
    even_points,
    motion_through,
    propose_zone,
    zone_places,
)

pytestmark = pytest.mark.slow

FIVE_BAR = kg.load("five-bar").compile()
STEWART = kg.load("stewart").compile()


def test_a_zone_comes_coarse_first() -> None:
    plan = propose_zone(FIVE_BAR, step=0.1)
    zones = list(plan.finer())
    assert [round(zone.step, 9) for zone in zones] == [0.4, 0.2, 0.1]
    made = kg.zone(FIVE_BAR, step=0.1)
    assert zones[-1].measure == plan.finest().measure == made.measure
    assert [mode.name for mode in zones[0].modes] == ["home", "C flipped"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("eight-bar", "inputs"), ("3-rrr", "inputs"), ("delta", "inputs"), ("stewart", "place")],
)
def test_without_a_step_it_is_as_fine_as_is_useful(name: str, kind: str) -> None:
    plan = propose_zone(kg.load(name).compile())
    zones = list(plan.finer())
    assert plan.kind == kind
    counts = [sum(mode.count for mode in made.modes) for made in zones]
    assert counts == sorted(counts) and counts[0] < counts[-1] and counts[-1] > 200
    assert zones[-1].measure.value > zones[-1].measure.error > 0


def test_steps_are_round_numbers() -> None:
    steps = [zone.step for zone in propose_zone(FIVE_BAR).finer()]
    for degrees in np.degrees(steps):
        digit = degrees / 10 ** np.floor(np.log10(degrees) + 1e-9)
        assert min(abs(digit - k) for k in (1, 2, 5)) < 1e-6


def test_short_ranges_get_a_step_that_suits_them() -> None:
    short = {"A": (1.0, 1.2), "E": (0.8, 2.0)}
    assert sum(mode.count for mode in propose_zone(FIVE_BAR, ranges=short).finest().modes) > 20
    # a step that is asked for is refused where it is too coarse; only its overviews are left out
    with pytest.raises(UsageError, match="fewer than 3 values of input 'A'"):
        list(propose_zone(FIVE_BAR, ranges=short, step=0.5).finer())
    assert len(list(propose_zone(FIVE_BAR, ranges=short, step=0.05).finer())) < 3


def test_points_in_an_order_that_is_spread_over_all() -> None:
    made = propose_zone(FIVE_BAR, step=0.1).finest()
    total = sum(mode.count for mode in made.modes)
    order, modes = even_points(made, 10**9)
    assert sorted(order) == list(range(total))
    assert ((order >= made.modes[0].count) == (modes == 1)).all()
    few = made.points[even_points(made, total // 10)[0]]
    assert (np.ptp(few, axis=0)[:2] > 0.85 * np.ptp(made.points, axis=0)[:2]).all()


def test_turns_are_shown_as_a_ball() -> None:
    made = propose_zone(STEWART, kind="turn", step=0.5).finest()
    home = kg.pose(STEWART, kg.assemble(STEWART).q, "handle").translation
    far = np.linalg.norm(zone_places(STEWART, made) - home, axis=1)
    assert far.min() < 1e-6 and far.max() <= 0.5 * STEWART.size


def test_the_way_through_a_mode_goes_from_neighbour_to_neighbour() -> None:
    made = propose_zone(FIVE_BAR, step=0.2).finest()
    qs = motion_through(made.modes[0])
    assert 200 < len(qs) <= 600 and len(motion_through(made.modes[0], most=50)) == 50
    assert (
        max(kg.kinematics.loop_gap(FIVE_BAR, np.ascontiguousarray(q)).distance for q in qs[::50])
        < 1e-8
    )
    inputs = [FIVE_BAR.joint(name).q.start for name in ("A", "E")]
    steps = np.abs(np.remainder(np.diff(qs[:, inputs], axis=0) + np.pi, 2 * np.pi) - np.pi)
    # most of the way one motor makes one step; only at gaps of the zone it is more
    assert np.median(steps.sum(axis=1)) < 0.5
    with pytest.raises(UsageError, match="poses=True"):
        motion_through(kg.zone(FIVE_BAR, step=0.3).modes[0])


def test_bad_plans_are_refused() -> None:
    with pytest.raises(UsageError, match="one of inputs"):
        propose_zone(FIVE_BAR, kind="dance")
    with pytest.raises(UsageError, match="no loops"):
        propose_zone(kg.load("lynx6").compile())
    with pytest.raises(kg.errors.KinegenError, match="nobody"):
        propose_zone(FIVE_BAR, frame="nobody")
