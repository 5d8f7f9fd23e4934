from __future__ import annotations

import math

import numpy as np
import pytest

from kinegen.errors import UsageError
from kinegen.world.signalling.signal import Signal
from kinegen.world.signalling.signals import Signals


@pytest.fixture
def signal() -> Signal:
    made = Signals(3).add("eye.distance", "m", writer="eye")
    made.write(2.0)
    return made


def test_before_the_first_value_it_is_not_known() -> None:
    fresh = Signals().add("eye.distance", "m")
    assert math.isnan(fresh.value) and not fresh.is_known


def test_a_forced_value_acts_at_once_and_stays_until_released(signal: Signal) -> None:
    signal.force(0.05)
    assert signal.value == 0.05
    signal.write(3.0)
    assert (signal.value, signal.written) == (0.05, 3.0)
    assert "forced to 0.05" in repr(signal)
    signal.release()
    assert signal.value == 3.0 and signal.override is None


def test_frozen_scaled_noisy_and_cut(signal: Signal) -> None:
    signal.freeze()
    signal.write(5.0)
    assert signal.value == 2.0
    signal.scale(2, offset=1)
    assert signal.value == 11.0  # of what was written, not of what was read
    signal.noise(0.1)
    signal.write(5.0)
    first = signal.value
    signal.write(5.0)
    assert first != signal.value and abs(first - 5) < 1
    signal.cut()
    assert math.isnan(signal.value) and not signal.is_known
    signal.release()
    assert signal.value == 5.0


def test_noise_has_the_deviation_that_was_asked_for(signal: Signal) -> None:
    signal.noise(0.1)
    found = []
    for _ in range(4000):
        signal.write(1.0)
        found.append(signal.value)
    # the standard error of a deviation of 4000 samples is 1.1 %: five of them
    assert np.std(found) == pytest.approx(0.1, rel=0.055)
    assert np.mean(found) == pytest.approx(1.0, abs=5 * 0.1 / math.sqrt(4000))


def test_a_delay_gives_what_was_written_before() -> None:
    signals = Signals()
    signal = signals.add("x")
    signal.write(0.0)
    signal.delay(0.003)
    read = []
    for n in range(1, 8):
        signals.time = n * 1e-3
        signal.write(float(n))
        read.append(signal.value)
    assert read == [0, 0, 0, 1, 2, 3, 4]


@pytest.mark.parametrize("value", [math.nan, math.inf, "near", [1, 2], None])
def test_what_is_no_number_cannot_be_forced(signal: Signal, value: object) -> None:
    with pytest.raises(UsageError, match=r"'eye\.distance'"):
        signal.force(value)  # type: ignore[arg-type]
    assert signal.value == 2.0


def test_vectors_are_forced_whole_or_by_one_number() -> None:
    signal = Signals().add("imu.rate", "rad/s", shape=(3,))
    signal.force([1, 2, 3])
    assert signal.value.tolist() == [1, 2, 3]
    signal.force(0)
    assert signal.value.tolist() == [0, 0, 0]


def test_a_picture_can_be_frozen_but_not_scaled() -> None:
    signal = Signals().add("camera.color", shape=None)
    signal.write(np.zeros((2, 2, 3), np.uint8))
    signal.freeze()
    signal.write(np.ones((2, 2, 3), np.uint8))
    assert signal.value.max() == 0
    with pytest.raises(UsageError, match="is not a number"):
        signal.scale(2)
    signal.cut()
    assert signal.value is None


def test_what_readers_get_is_their_own() -> None:
    signal = Signals().add("v", shape=(2,))
    signal.write([1, 2])
    signal.value[0] = 9
    assert signal.value.tolist() == [1, 2]
