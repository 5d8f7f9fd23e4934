import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.curves import segment
from kinegen.errors import FormatError, UsageError
from kinegen.formats.motions.servo import Servo, servos_of, to_ssc32
from kinegen.motion.follow import follow
from kinegen.motion.path import Path


@pytest.fixture(scope="module")
def path() -> Path:
    model = kg.load("lynx6").compile()
    return follow(model, segment((0.15, 0.12, 0.15), (0.1, 0.18, 0.15)), frame="tool", points=6)


def test_pulses_turn_back_into_angles(path: Path) -> None:
    lines = to_ssc32(path).decode().split("\r")[:-1]
    assert len(lines) == 6
    assert lines[0].endswith("T2000")
    assert lines[1].endswith(f"T{round((path.times[1] - path.times[0]) * 1000)}")
    total = sum(int(line.rpartition("T")[2]) for line in lines[1:])
    assert abs(total - path.duration * 1000) <= 1
    for i, line in enumerate(lines):
        words = line.split()
        pulses = {int(a[1:]): int(b[1:]) for a, b in zip(words[0:-1:2], words[1::2], strict=True)}
        assert sorted(pulses) == [0, 1, 2, 3, 4, 5]
        waist = math.pi / 2 + (pulses[0] - 1500) * math.pi / 2000
        # a pulse is a whole number of microseconds: 0.09 degrees
        assert abs(waist - path.q[i, 0]) < math.radians(0.05)


def test_middles_are_those_of_the_limits(path: Path) -> None:
    servos = servos_of(path.model)
    assert servos["shoulder"].middle == pytest.approx(math.pi / 4)
    assert servos["wrist"].middle == 0


def test_a_servo_of_ones_own_may_be_out_of_range(path: Path) -> None:
    backwards = {"waist": Servo(7, float(path.q[0, 0]), -600.0)}
    assert path.to_bytes("a.ssc", servos=backwards).startswith(b"#7 P1500 T2000")
    with pytest.raises(FormatError, match="'waist' at point 0"):
        to_ssc32(path, servos={"waist": Servo(7, 100.0)})


def test_a_mechanism_without_motors_is_refused() -> None:
    model = kg.load("raff: 1\njoints:\n  - {name: A, parent: base}\n").compile()
    with pytest.raises(UsageError, match="no motors"):
        servos_of(model)
    assert np.isfinite(model.size)


def test_wiring_of_the_file_comes_first() -> None:
    text = (
        "raff: 1\njoints:\n  - {name: waist, parent: base, limits: [0, 180 deg], "
        "motor: {id: 9, offset: 10 deg, direction: -1}}\n"
    )
    servo = servos_of(kg.load(text).compile())["waist"]
    assert servo == Servo(9, math.radians(10), -1000 / (math.pi / 2))
