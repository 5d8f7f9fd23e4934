import math
import re

import pytest

import kinegen as kg
from kinegen.curves import ellipse_by_corners, segment
from kinegen.errors import FormatError
from kinegen.formats.motions.gcode import to_gcode
from kinegen.motion.follow import follow


def test_moves_arrive_in_time() -> None:
    model = kg.load("five-bar").compile()
    path = follow(model, segment((0.05, 0.3, 0), (0.15, 0.3, 0)), frame="handle", points=20)
    text = to_gcode(path).decode()
    assert "(X = A, degrees)" in text
    moves = re.findall(r"G1 X([-\d.]+) Y([-\d.]+) F([\d.]+)", text)
    assert len(moves) == 20
    assert abs(math.radians(float(moves[7][0])) - path.q[7, 0]) < 1e-5
    seconds = sum(60 / float(feed) for _, _, feed in moves[1:])
    assert abs(seconds - path.duration) < 1e-3


def test_gaps_stop_the_machine() -> None:
    model = kg.load("five-bar").compile()
    path = follow(model, ellipse_by_corners((0, 0.2, 0), (0.2, 0.45, 0)), frame="handle", points=40)
    assert to_gcode(path).count(b"M0") == len(path.runs) - 1 == 1


def test_too_many_motors_are_refused() -> None:
    rows = [f"  - {{name: J{i}, parent: {f'J{i - 1}' if i else 'base'}, d: 0.1, motor: true}}"
            for i in range(10)]  # fmt: skip
    model = kg.load("raff: 1\njoints:\n" + "\n".join(rows)).compile()
    path = follow(model, segment((0.9, 0, 0), (0.8, 0, 0)), frame="J9", points=2)
    with pytest.raises(FormatError, match="motors"):
        to_gcode(path)
