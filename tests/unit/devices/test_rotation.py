"""Incremental rotation."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.devices import IncrementalRotation
from kinegen.errors import KinegenError


def test_a_held_deflection_turns_on_and_on() -> None:
    wrist = IncrementalRotation(gain=2.0, dead=0.1)
    for _ in range(1000):
        turned = wrist.turn([0, 0, 0.35], 1e-3)
    assert turned.is_close(kg.SO3.exp([0, 0, 0.5]), tolerance=1e-9)


def test_a_trembling_hand_turns_nothing() -> None:
    wrist = IncrementalRotation(dead=0.1, start=kg.SO3.exp([0.2, 0, 0]))
    assert wrist.turn([0.06, 0.06, 0.0], 1.0) is wrist.orientation
    assert wrist.orientation.is_close(kg.SO3.exp([0.2, 0, 0]))


def test_turns_add_up_in_world_axes() -> None:
    wrist = IncrementalRotation(gain=1.0, dead=0.0)
    wrist.turn([np.pi / 2, 0, 0], 1.0)
    wrist.turn([0, 0, np.pi / 2], 1.0)
    assert wrist.orientation.apply([0, 1, 0]) == pytest.approx([0, 0, 1])


def test_a_gain_is_positive() -> None:
    with pytest.raises(KinegenError, match="gain must be positive"):
        IncrementalRotation(gain=0)
    for gain in (float("nan"), float("inf")):
        with pytest.raises(KinegenError, match="gain must be positive"):
            IncrementalRotation(gain=gain)


def test_a_deflection_is_a_number() -> None:
    wrist = IncrementalRotation()
    for bad in ([np.nan, 0, 0], [np.inf, 0, 0], [0, 0]):
        with pytest.raises(KinegenError, match="deflection"):
            wrist.turn(bad, 1e-3)
    assert np.isfinite(wrist.orientation.quat).all()
