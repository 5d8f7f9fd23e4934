"""An SSC-32: groups that start and end together, queries, stops."""

from __future__ import annotations

import math

import pytest

from kinegen.bridges.transport.serial_wire import SerialWire
from kinegen.bridges.wires.ssc32 import VERSION
from tests.support.bridged import advance, arm, wire


def board() -> SerialWire:
    made = wire("ssc32", arm())
    made.robot.clock = "wall"
    return made


def test_version_and_speeds() -> None:
    one = board()
    assert one.answer(b"ver\r") == VERSION
    assert one.answer(b"VE") + one.answer(b"R\r") == VERSION
    assert one.answer(b"VER\r", 9600) == VERSION
    assert one.answer(b"VER\r", 1_000_000) == b""


def test_a_group_starts_and_ends_together_and_the_slowest_sets_the_time() -> None:
    one = board()
    one.answer(b"#1P1500#2P1500\r")
    advance(one, 1.0)
    assert one.answer(b"Q\r") == b"."
    start = [servo.position for servo in one.robot.servos]
    one.answer(b"#1 P1400 S100 #2 P1600 S1000\r")  # 1 s and 0.1 s
    advance(one, 0.5)
    assert one.answer(b"Q\rQP1\rQP2\r") == b"+" + bytes([145, 155])
    half = [servo.position for servo in one.robot.servos]
    advance(one, 0.7)
    assert one.answer(b"Q\r") == b"."
    end = [servo.position for servo in one.robot.servos]
    step = 100 * (math.pi / 2) / 1000
    for i, way in enumerate((-step, step)):
        assert end[i] - start[i] == pytest.approx(way, abs=0.02)
        assert half[i] - start[i] == pytest.approx(way / 2, abs=0.03)


def test_stop_holds_the_present_pulse() -> None:
    one = board()
    one.answer(b"#1P1500\r")
    advance(one, 0.5)
    one.answer(b"#1P1300T1000\r")
    advance(one, 0.5)
    one.answer(b"STOP 1\r")
    assert one.answer(b"QP1\r") == bytes([140])
    advance(one, 0.7)
    assert one.answer(b"Q\rQP1\r") == b"." + bytes([140])


def test_no_pulse_lets_go_and_nonsense_is_ignored() -> None:
    one = board()
    one.answer(b"#1P1500\r")
    assert one.robot.servos[0].on
    one.answer(b"#1P0\r")
    assert not one.robot.servos[0].on
    assert one.answer(b"hello\r#99P1500\r" + b"x" * 5000 + b"\r") == b""
    assert one.traffic.errors == 2
    assert one.answer(b"VER\r") == VERSION
