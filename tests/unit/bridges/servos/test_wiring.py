"""Ids, offsets, directions and ratios of servos, from the file."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.bridges.process.hub import Hub, HubOptions
from kinegen.errors import KinegenError, RaffError
from tests.support.bridged import client

HEAD = "raff: 1\nname: two\njoints:\n"


def two(first: str, second: str = "{}") -> kg.Mechanism:
    return kg.load(
        f"{HEAD}  - {{name: a, parent: base, motor: {first}, start: 0.2, mass: 1}}\n"
        f"  - {{name: b, parent: a, d: 0.1, motor: {second}, mass: 1}}\n"
    )


def test_ids_are_the_files_or_count_from_one() -> None:
    assert client("feetech", two("{id: 7}")).bus.facts()["servos"] == {"7": "a", "2": "b"}
    assert client("feetech", two("{}")).bus.facts()["servos"] == {"1": "a", "2": "b"}


def test_a_bus_has_the_servos_that_name_it() -> None:
    mixed = two("{bus: feetech, id: 4}", "{bus: dynamixel, id: 4}")
    assert client("feetech", mixed).bus.facts()["servos"] == {"4": "a"}
    assert client("dynamixel", mixed).bus.facts()["servos"] == {"4": "b"}


def test_position_follows_offset_direction_ratio_and_ticks() -> None:
    plain = client("feetech", two("{}")).read(1, "present_position")
    assert plain == 2048 + round(0.2 * 4096 / (2 * math.pi))
    turned = client("feetech", two("{direction: -1, offset: 0.1, ratio: 2}"))
    assert turned.read(1, "present_position") == 2048 - round(0.1 * 2 * 4096 / (2 * math.pi))
    coarse = client("feetech", two("{ticks: 1024}"))
    assert coarse.read(1, "present_position") == 2048 + round(0.2 * 1024 / (2 * math.pi))


def test_a_range_that_does_not_fit_is_centred() -> None:
    text = f"{HEAD}  - {{name: a, parent: base, motor: true, limits: [0, 270 deg], mass: 1}}\n"
    assert client("dynamixel1", kg.load(text)).bus.servos[0].wired.offset == pytest.approx(
        math.radians(135)
    )
    assert client("feetech", kg.load(text)).bus.servos[0].wired.offset != 0


def test_joints_that_slide_have_a_travel() -> None:
    text = HEAD + (
        "  - {name: s, type: prismatic, parent: base, start: 0.01, mass: 1, "
        "motor: {force: 9, travel: 40 mm}}\n"
    )
    assert client("feetech", kg.load(text)).read(1, "present_position") == 2048 + 1024


@pytest.mark.parametrize(
    ("motors", "message"),
    [
        (("{bus: feetech, id: 3}", "{bus: feetech, id: 3}"), "both have id 3 on bus 'feetech'"),
        (("{bus: feetch}", "{}"), "did you mean 'feetech'"),
        (("{id: 1.5}", "{}"), "whole number"),
        (("{id: 300}", "{}"), "whole number"),
        (("{direction: 2}", "{}"), "1 or -1"),
        (("{travel: 1}", "{}"), "specify 'ratio'"),
        (("{reverse: true}", "{}"), "direction: -1"),
    ],
)
def test_bad_wiring_is_named(motors: tuple[str, str], message: str) -> None:
    with pytest.raises(RaffError, match=message):
        two(*motors)


def test_robots_with_the_same_ids_have_a_bus_each(tmp_path: Path) -> None:
    arm = f"{HEAD}  - {{name: a, parent: base, motor: {{id: 5}}, mass: 1}}\n"
    (tmp_path / "one.raff").write_text(arm)
    both = (
        "raff: 1\nname: both\nrobots:\n  - {name: left, include: one.raff}\n"
        "  - {name: right, include: one.raff, at: {xyz: [1, 0, 0]}}\n"
    )
    hub = Hub(kg.load(both, folder=tmp_path), HubOptions(("feetech", "ssc32"), clock="client"))
    rows = [(one["bridge"], one["robot"], one["servos"]) for one in hub.rows()]
    assert rows == [
        (kind, who, {"5": f"{who}.a"}) for kind in ("feetech", "ssc32") for who in ("left", "right")
    ]
    hub.physics.close()


def test_ids_that_meet_only_on_this_bus_are_refused() -> None:
    with pytest.raises(KinegenError, match="'a' and 'b' both have id 2"):
        client("feetech", two("{id: 2}"))  # b counts to 2
