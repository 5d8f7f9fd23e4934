"""Heads that are measured: smooth, kept for a moment when lost, and gently back."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kinegen.devices.head.smoothing import OneEuro
from kinegen.devices.head.tracking import HOLD, RETURN, HeadTracking
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3

STEP = 1 / 30


def test_a_head_at_rest_is_calm_and_a_fast_one_does_not_lag() -> None:
    noise = np.random.default_rng(3).normal(0, 2e-3, (300, 3))
    calm = OneEuro()
    out = np.array([calm(STEP * k, np.array([0.1, 0.5, 1.6]) + row) for k, row in enumerate(noise)])
    # a low-pass filter of 1 Hz at 30 Hz passes a share of sqrt(a / (2 - a)) of white noise
    share = 1 / (1 + 1 / (2 * math.pi * STEP))
    expected = math.sqrt(share / (2 - share))
    assert out[100:].std(axis=0).max() / noise.std() < 1.35 * expected
    # a ramp is followed with the lag 1 / (2 pi cutoff), which falls with the speed
    lags = []
    for speed in (0.05, 1.0):
        fast = OneEuro()
        for k in range(200):
            there = np.array([speed * STEP * k, 0.0, 0.0])
            shown = fast(STEP * k, there)
        lags.append((there - shown)[0] / speed)
    assert lags[1] < lags[0] / 2
    assert lags[1] == pytest.approx(1 / (2 * math.pi * (1 + 4 * 1.0)), rel=0.02)


def test_the_first_measurement_and_one_out_of_order_are_taken_as_they_are() -> None:
    filter_ = OneEuro()
    assert filter_(1.0, np.array([3.0])) == [3.0]
    assert filter_(0.5, np.array([9.0])) == [9.0]


def test_a_lost_head_stays_then_returns_and_ends() -> None:
    rest = np.array([0.0, 0.0, 1.6])
    tracking = HeadTracking(rest)
    assert tracking(0.0, None) is None  # nobody was ever seen
    seen = SE3(SO3.exp([0.0, 0.2, 0.0]), np.array([0.4, 0.3, 1.5]))
    for k in range(30):
        head = tracking(STEP * k, seen)
    assert head is not None and np.allclose(head.translation, seen.translation)
    lost = STEP * 29
    held = tracking(lost + HOLD, None)
    assert held is not None and np.allclose(held.pose, head.pose)
    gone, time, before = None, lost + HOLD, np.linalg.norm(head.translation - rest)
    while (gone := tracking(time := time + STEP, None)) is not None:
        way = float(np.linalg.norm(gone.translation - rest))
        # never a jump: e falls by the same share in each step
        assert way == pytest.approx(before * math.exp(-STEP / RETURN))
        before = way
        assert time < 20
    # and a head that is found again is there at once
    assert np.allclose(tracking(time + STEP, seen).translation, seen.translation)  # type: ignore[union-attr]
