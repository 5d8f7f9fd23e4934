"""Plans of clouds that are worth looking at."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.workspace.progressive.plan import SPREAD, propose_cloud

LYNX = kg.load("lynx6").compile()
PUMA = kg.load("puma560").compile()


def test_the_plan_of_the_papers_arm_is_the_papers() -> None:
    plan = propose_cloud(LYNX)
    assert [one.count for one in plan.sweep.ranges] == [12, 6, 6, 12]
    assert (plan.sweep.count, plan.factor) == (5184, 15.0)
    assert plan.frames[-1] == "tool" and plan.point_count == 5184 * len(plan.frames)


def test_a_grid_that_would_be_coarse_gives_way_to_spread_poses() -> None:
    plan = propose_cloud(PUMA)
    assert plan.factor is None and plan.sweep.count == SPREAD
    assert propose_cloud(PUMA, how="grid").factor is not None
    assert propose_cloud(LYNX, how="spread").factor is None
    assert propose_cloud(LYNX, count=77).sweep.count == 77


def test_dexterity_is_that_of_the_tool() -> None:
    plan = propose_cloud(LYNX, layer="dexterity")
    assert plan.frames == ("tool",) and plan.is_by_place
    assert np.isnan(plan.values(LYNX.start()[None])).all()
    assert propose_cloud(LYNX).values(LYNX.start()[None]) is None


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"how": "random"}, "must be 'grid'"),
        ({"layer": "beauty"}, "no layer"),
        ({"frame": "x"}, "'x'"),
    ],
)
def test_bad_plans_are_refused(settings: dict[str, str], words: str) -> None:
    with pytest.raises(kg.errors.KinegenError, match=words):
        propose_cloud(LYNX, **settings)


def test_loops_have_zones_instead() -> None:
    with pytest.raises(UsageError, match="zone"):
        propose_cloud(kg.load("five-bar").compile())
