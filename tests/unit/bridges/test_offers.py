"""Which protocols a mechanism can have."""

from __future__ import annotations

import pytest

import kinegen as kg
from kinegen.bridges.offers import Offer, offers
from kinegen.bridges.registry import BRIDGES
from kinegen.bridges.wires.ros2 import Ros2Wire


def by_kind(source: str) -> dict[str, Offer]:
    return {one.kind: one for one in offers(kg.load(source))}


def test_an_arm_can_have_all() -> None:
    found = by_kind("so101")
    assert set(found) == set(BRIDGES.names())
    assert all(one.connects for one in found.values())
    assert {kind for kind, one in found.items() if one.trouble} == set()
    assert found["feetech"].port is None and found["rosbridge"].port == 9090
    assert found["rtde"].holds and not found["feetech"].holds


def test_what_does_not_fit_says_why() -> None:
    assert "six motors" in by_kind("four-bar")["rtde"].trouble
    bare = by_kind("raff: 1\nname: bare\njoints: [{name: a, parent: base}]")
    assert all("no motors" in one.trouble for one in bare.values())


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ros2Wire, "packages", ("not_a_package",))
    trouble = by_kind("so101")["ros2"].trouble
    assert "not_a_package is not installed" in trouble and "pip install" in trouble
