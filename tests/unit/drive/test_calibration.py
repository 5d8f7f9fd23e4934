"""Offsets and directions that a hand shows, written into the file."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.bridges.servos.table import servo_table
from kinegen.bridges.servos.wiring import Shaft, shafts_of
from kinegen.bridges.wires.feetech import FeetechBus
from kinegen.cli import main
from kinegen.drive.calibration import ServoZero, find_zero, write_zeros
from kinegen.errors import UsageError

TEXT = """
raff: 1
name: one   # of its kind
joints:
  - {name: a, parent: base, limits: [-2, 2], mass: 1, motor: MOTOR}   # the only one
"""


def shaft(motor: str) -> Shaft:
    mechanism = kg.load(TEXT.replace("MOTOR", motor))
    model = mechanism.compile()
    (one,) = shafts_of(mechanism, model, servo_table(mechanism, model), FeetechBus.MAKER)
    return one


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("offset", [0.0, 0.3])
@pytest.mark.parametrize("wrong", ["true", "{direction: -1, offset: 0.5}"])
def test_true_wiring_is_found_whatever_the_file_has(
    direction: int, offset: float, wrong: str
) -> None:
    file = shaft(wrong)
    true = replace(file, offset=offset, per_unit=float(direction))
    seen = [file.from_ticks(true.to_ticks(true.to_angle(value))) for value in (0.1, 0.6)]
    found = find_zero(file, seen[0], 0.1, seen[1])
    assert found.direction == direction
    assert found.offset == pytest.approx(offset)


def test_a_joint_that_was_not_moved_is_named() -> None:
    with pytest.raises(UsageError, match=r"'a' has turned its servo by 0.6° only: move it by"):
        find_zero(shaft("true"), 0.0, 0.0, 0.01)


@pytest.mark.parametrize("motor", ["true", "{torque: 2, id: 3}"])
def test_what_was_found_is_written_and_comments_stay(tmp_path: Path, motor: str) -> None:
    mechanism = kg.load(TEXT.replace("MOTOR", motor))
    write_zeros(mechanism, [ServoZero("a", 0.25, -1)])
    mechanism.save(tmp_path / "one.raff")
    text = (tmp_path / "one.raff").read_text()
    assert "# of its kind" in text and "# the only one" in text
    (row,) = kg.load(tmp_path / "one.raff").joints["a"].motors
    assert row is not None
    assert row["offset"].evaluate({}) == 0.25 and row["direction"].evaluate({}) == -1
    assert ("torque" in row) == ("torque" in motor)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
def test_the_command_asks_and_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("scservo_sdk", reason="feetech-servo-sdk is not installed")
    pytest.importorskip("dynamixel_sdk", reason="dynamixel-sdk is not installed")
    monkeypatch.setattr("kinegen.drive.register_port.WAIT", 20_000)
    true = kg.load(TEXT.replace("MOTOR", "{torque: 2, direction: -1, offset: 0.2}"))
    file = tmp_path / "one.raff"
    file.write_text(TEXT.replace("MOTOR", "{torque: 2}"))
    with kg.bridges.Bridge(true, ["feetech", "dynamixel"], gravity=[0, 0, 0]) as bridge:
        with kg.drive.Drive(true, bridge.endpoints["dynamixel"], "dynamixel", patience=60) as hand:
            places = iter([0.0, 0.5])

            def lead() -> str:
                hand.start()
                target = next(places)
                hand.move({"a": target})
                while abs(hand.positions["a"] - target) > 0.005:
                    hand.heartbeat()
                return ""

            monkeypatch.setattr("builtins.input", lead)
            words = ["calibrate", str(file), "--to", bridge.endpoints["feetech"], "--as", "feetech"]
            assert main([*words, "--zero", "--yes"]) == 0, capsys.readouterr()
    (row,) = kg.load(file).joints["a"].motors
    assert row is not None
    assert row["direction"].evaluate({}) == -1
    assert row["offset"].evaluate({}) == pytest.approx(0.2, abs=math.radians(1))
