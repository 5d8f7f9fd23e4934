from __future__ import annotations

import json

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.mechanism.model import Model
from kinegen.motion.recording import Recording


@pytest.fixture(scope="module")
def five_bar() -> Model:
    return kg.load("five-bar").compile()


@pytest.fixture(scope="module")
def shaky(five_bar: Model) -> Recording:
    """The handle drawn along a line by a hand that trembles."""
    rng = np.random.default_rng(1)
    start = kg.assemble(five_bar).q
    home = kg.pose(five_bar, start, "handle").translation
    dragger = kg.Dragger(five_bar, start, [kg.Handle("handle", position=home)])
    times = np.arange(0, 2, 0.02)
    qs = []
    for t in times:
        dragger.move(
            0, home + np.array([0.02 * t, 0.0, 0.0]) + 1e-3 * rng.normal(size=3) * (1, 1, 0)
        )
        dragger.tick()
        qs.append(dragger.q.copy())
    return Recording.of(five_bar, qs, times, name="line")


def largest_gap(recording: Recording) -> float:
    times = np.linspace(recording.times[0], recording.times[-1], 57)
    return max(kg.kinematics.loop_gap(recording.model, recording.at(t)).distance for t in times)


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_between_rows_loops_are_closed(shaky: Recording, interpolation: str) -> None:
    data = shaky.to_dict() | {"interpolation": interpolation}
    assert largest_gap(Recording.from_dict(shaky.model, data)) < 1e-9


def test_rows_are_met_and_ends_held(shaky: Recording) -> None:
    np.testing.assert_allclose(
        shaky.at(shaky.times[17])[shaky.variables], shaky.values[17], atol=1e-9
    )
    np.testing.assert_allclose(shaky.at(-5.0), shaky.at(shaky.times[0]))
    np.testing.assert_allclose(shaky.at(99.0), shaky.at(shaky.times[-1]))


def test_smooth_calms_and_keeps_ends_and_loops(shaky: Recording) -> None:
    calm = shaky.smooth(0.1)
    assert np.abs(calm.accelerations()).max() < 0.5 * np.abs(shaky.accelerations()).max()
    np.testing.assert_allclose(calm.values[[0, -1]], shaky.values[[0, -1]], atol=1e-9)
    assert largest_gap(calm) < 1e-9


def test_trim_starts_at_zero(shaky: Recording) -> None:
    part = shaky.trim(0.5, 1.25)
    assert part.times[0] == 0 and part.duration == pytest.approx(0.75)
    np.testing.assert_allclose(part.at(0.25), shaky.at(0.75), atol=1e-9)


def test_speed_and_reversed(shaky: Recording) -> None:
    fast = shaky.speed(2)
    assert fast.duration == pytest.approx(shaky.duration / 2)
    np.testing.assert_allclose(fast.velocities(), 2 * shaky.velocities(), rtol=1e-9)
    back = shaky.reversed()
    np.testing.assert_allclose(back.values[0], shaky.values[-1])


def test_resample(shaky: Recording) -> None:
    fine = shaky.resample(0.005)
    assert np.diff(fine.times).max() == pytest.approx(0.005)
    assert fine.times[-1] == pytest.approx(shaky.times[-1])
    with pytest.raises(UsageError, match=r"more than 1,000,000 rows"):
        shaky.resample(1e-7)


def test_velocities_of_a_steady_turn() -> None:
    model = kg.load("puma560").compile()
    times = np.array([0.0, 0.1, 0.3, 0.6])
    qs = np.outer(times, [1.0, 0, 0, 0, 0, -2.0])
    recording = Recording.of(model, qs, times)
    np.testing.assert_allclose(recording.velocities(), np.tile([1.0, 0, 0, 0, 0, -2.0], (4, 1)))
    np.testing.assert_allclose(recording.accelerations(), 0, atol=1e-12)


def test_quaternions_take_the_short_way() -> None:
    model = kg.load("humanoid-30").compile()
    ball = next(joint for joint in model.joints if joint.type is kg.JointType.FREE)
    a, b = model.start(), model.start()
    b[ball.q.start : ball.q.start + 4] *= -1  # the same rotation
    recording = Recording.of(model, [a, b], [0, 1])
    np.testing.assert_allclose(recording.at(0.5), a, atol=1e-12)


def test_text_forms(shaky: Recording) -> None:
    head, first, *_ = shaky.to_bytes("a.csv").decode().splitlines()
    assert head.startswith("time [s],A [rad],B [rad]")
    assert [float(x) for x in first.split(",")][1:] == list(shaky.values[0])
    content = json.loads(shaky.to_bytes("a.json"))
    assert content["mechanism"] == "five-bar" and content["columns"][0] == "A [rad]"
    again = Recording.from_dict(shaky.model, content)
    np.testing.assert_allclose(again.values, shaky.values, atol=1e-8)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"joints": ["A", "A"]}, "names a joint twice"),
        ({"joints": ["A", "X"]}, "joint 'X' is not in"),
        ({"times": [0.0, 0.0]}, "times must increase"),
        ({"times": [0.0]}, "one row of 2 numbers per time"),
        ({"values": [[0, float("nan")], [0, 0]]}, "finite"),
        ({"values": [[0, "x"], [0, 0]]}, "consists of numbers"),
        ({"interpolation": "quintic"}, "'linear' or 'cubic'"),
    ],
)
def test_bad_tables(five_bar: Model, change: dict[str, object], says: str) -> None:
    row = {"name": "m", "joints": ["A", "B"], "times": [0.0, 1.0], "values": [[0, 0], [1, 1]]}
    with pytest.raises(kg.errors.KinegenError, match=says):
        Recording.from_dict(five_bar, row | change)


@pytest.mark.parametrize(
    "call", [lambda r: r.trim(1, 1), lambda r: r.trim(5, 9), lambda r: r.speed(0),
             lambda r: r.smooth(-1), lambda r: r.resample(float("nan"))],
)  # fmt: skip
def test_bad_requests(shaky: Recording, call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError):
        call(shaky)
