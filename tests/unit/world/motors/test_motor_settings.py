"""Motors that are changed while a world runs."""

from __future__ import annotations

import pytest

import kinegen as kg
from kinegen.errors import KinegenError
from tests.support.bridged import arm


def world() -> kg.World:
    return kg.World(arm(), step=2e-3, keyframes=0)


def test_a_motor_that_is_off_lets_go_and_holds_again() -> None:
    one = world()
    one.run(0.2)
    held = one.signals["lift.position"].value
    one.set_motor("lift", on=False)
    one.run(0.3)
    assert one.signals["lift.position"].value > held + 0.2
    assert one.signals["lift.effort"].value == 0
    one.set_motor("lift", on=True)
    one.run(2.0)
    assert one.signals["lift.position"].value == pytest.approx(held, abs=0.01)  # its last target


def test_a_mode_changes_the_unit_of_the_target() -> None:
    one = world()
    one.set_motor("lift", mode="torque")
    assert (one.signals["lift.target"].unit, one.signals["lift.target"].value) == ("N m", 0)
    one.command({"lift": -1.5})
    one.run(0.01)
    assert one.signals["lift.effort"].value == pytest.approx(-1.5)
    one.set_motor("lift", mode="position")
    assert one.signals["lift.target"].unit == "rad"
    assert one.signals["lift.target"].value == one.signals["lift.position"].value


def test_speed_effort_and_gains() -> None:
    one = world()
    one.run(0.5)
    start = one.signals["lift.position"].value
    one.set_motor("lift", speed=0.4, acceleration=10.0)
    one.command({"lift": -1.0})
    one.run(0.5)
    one.run(0.5)
    assert one.signals["lift.velocity"].value == pytest.approx(-0.4, abs=0.02)
    assert start - one.signals["lift.position"].value == pytest.approx(0.4, abs=0.05)
    one.set_motor("lift", effort=0.1)
    one.run(0.1)
    assert abs(one.signals["lift.effort"].value) <= 0.1
    stiff = one.set_motor("lift", kp=40.0)
    assert (stiff.kp, stiff.effort, stiff.speed) == (40.0, 0.1, 0.4)


def test_a_world_that_goes_back_has_its_motors_back() -> None:
    one = kg.World(arm(), step=2e-3)
    one.run(0.1)
    moment = one.snapshot()
    one.set_motor("lift", on=False, mode="velocity")
    one.run(0.1)
    one.restore(moment)
    one.run(0.1)
    assert one.signals["lift.effort"].value < 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"onn": True}, "did you mean 'on'"),
        ({"on": 1}, "True or False"),
        ({"kp": -1}, "a number, at least 0"),
        ({"speed": "fast"}, "a number, at least 0"),
        ({"mode": "sideways"}, "position, velocity, torque, computed"),
    ],
)
def test_bad_settings_are_named(changes: dict[str, object], message: str) -> None:
    with pytest.raises(KinegenError, match=message):
        world().set_motor("lift", **changes)


def test_an_unknown_motor_is_named() -> None:
    with pytest.raises(KinegenError, match="did you mean 'lift'"):
        world().set_motor("left")
    with pytest.raises(KinegenError, match="motors: none"):
        kg.World("raff: 1\njoints: [{name: A, parent: base}]\n").set_motor("A")
