"""Trajectories between the points of messages, and messages that cannot be followed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinegen.bridges.process.physics import local_robot
from kinegen.bridges.ros.trajectory import Trajectory, TrajectoryError
from kinegen.bridges.servos.servo import Servo
from tests.support.bridged import arm

NAMES = ["lift", "hand"]


@pytest.fixture(scope="module")
def servos() -> dict[str, Servo]:
    return {one.name: one for one in local_robot(arm()).servos}


def read(servos: dict[str, Servo], *points: dict[str, Any], **more: Any) -> Trajectory:
    message = {"joint_names": NAMES, "points": list(points), **more}
    found = Trajectory.read(message, servos, 5.0, dict.fromkeys(servos, (0.1, 0.2, 0.0)))
    assert found is not None
    return found


def point(time: float, *positions: float, **more: list[float]) -> dict[str, Any]:
    return {
        "positions": list(positions),
        "time_from_start": {"sec": 0, "nanosec": time * 1e9},
    } | more


def test_positions_alone_are_joined_by_lines(servos: dict[str, Servo]) -> None:
    made = read(servos, point(1, 0.5, 0.3), point(2, 0.7, -0.1))
    assert made.end == 7.0
    for time, wanted in [(4, (0.1, 0.1)), (5.5, (0.3, 0.2)), (6.5, (0.6, 0.1)), (9, (0.7, -0.1))]:
        assert made.sample(time)[0] == pytest.approx(wanted)
    assert made.sample(6.5)[1] == pytest.approx([0.2, -0.4])


def test_velocities_and_accelerations_are_met_at_all_points(servos: dict[str, Servo]) -> None:
    rates = {"velocities": [0.3, -0.2]}
    bends = {"accelerations": [0.5, -0.5]}
    ends = {"velocities": [0.0, 0.0]}, {"accelerations": [0.0, 0.0]}
    for more, last in [(rates, ends[0]), (rates | bends, ends[0] | ends[1])]:
        made = read(servos, point(1, 0.5, 0.3, **more), point(2, 0.7, -0.1, **last))
        # the state before is where it begins, with its velocity
        assert made.sample(5 + 1e-9)[0] == pytest.approx([0.1, 0.1], abs=1e-6)
        assert made.sample(5 + 1e-9)[1] == pytest.approx([0.2, 0.2], abs=1e-6)
        for side in (-1e-9, 1e-9):
            p, v, a = made.sample(6 + side)
            assert p == pytest.approx([0.5, 0.3], abs=1e-6)
            assert v == pytest.approx([0.3, -0.2], abs=1e-6)
            if "accelerations" in more:
                assert a == pytest.approx([0.5, -0.5], abs=1e-6)
        # velocities are the slope of positions
        h = 1e-6
        slope = (made.sample(5.4 + h)[0] - made.sample(5.4 - h)[0]) / (2 * h)
        assert slope == pytest.approx(made.sample(5.4)[1], abs=1e-6)


def test_a_stamp_says_when_it_begins(servos: dict[str, Servo]) -> None:
    stamp = {"stamp": {"secs": 6, "nsecs": 500_000_000}}
    assert read(servos, point(1, 0, 0), header=stamp).start == 6.5
    with pytest.raises(TrajectoryError, match=r"before the present time 5\.000 s") as caught:
        read(servos, point(1, 0, 0), header={"stamp": {"sec": 1, "nanosec": 0}})
    assert caught.value.code == -3


@pytest.mark.parametrize(
    ("message", "code", "words"),
    [
        ({"joint_names": ["lfit"], "points": [{"positions": [0]}]}, -2, "did you mean 'lift'"),
        ({"joint_names": ["lift", "lift"], "points": [{"positions": [0, 0]}]}, -2, "twice"),
        ({"joint_names": [], "points": [{"positions": []}]}, -2, "joint_names is empty"),
        ({"joint_names": NAMES, "points": [{"positions": [0]}]}, -1, "1 positions for 2 joints"),
        ({"joint_names": NAMES, "points": [{"positions": [3, 0]}]}, -1, "limits are"),
        ({"joint_names": NAMES, "points": [point(1, 0, 0), point(1, 0, 0)]}, -1, "greater"),
        ({"joint_names": NAMES, "points": [7]}, -1, "point 0 is not an object"),
        ([], -1, "object"),
    ],
)
def test_what_cannot_be_followed_is_named(
    servos: dict[str, Servo], message: Any, code: int, words: str
) -> None:
    with pytest.raises(TrajectoryError, match=words) as caught:
        Trajectory.read(message, servos, 0.0, dict.fromkeys(servos, (0.0, 0.0, 0.0)))
    assert caught.value.code == code


def test_values_that_are_no_numbers_are_refused(servos: dict[str, Servo]) -> None:
    for bad in (float("nan"), "1", None, True, 10**400):
        message = {"joint_names": ["lift"], "points": [{"positions": [bad]}]}
        with pytest.raises(ValueError, match="finite number"):
            Trajectory.read(message, servos, 0.0, {"lift": (0.0, 0.0, 0.0)})


def test_rounding_beyond_a_limit_is_brought_back(servos: dict[str, Servo]) -> None:
    upper = servos["lift"].data.upper
    made = read(servos, point(1, upper + 5e-4, 0))
    assert np.max(made.positions) == upper
