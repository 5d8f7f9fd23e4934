"""State: small, frozen, checked against its model."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError


def test_the_starting_state_is_the_files_start_at_rest() -> None:
    model = kg.load("humanoid-30").compile()
    state = kg.State.start(model)
    np.testing.assert_array_equal(state.q, model.start())
    np.testing.assert_array_equal(state.v, np.zeros(model.nv))
    assert (state.time, state.assembly_mode) == (0.0, None)
    assert state.check(model) is state


def test_a_state_is_replaced_not_changed() -> None:
    state = kg.State(np.zeros(2))
    with pytest.raises(dataclasses.FrozenInstanceError):
        state.time = 1.0  # type: ignore[misc]
    later = dataclasses.replace(state, time=1.0, assembly_mode="elbow up")
    assert (state.time, later.time, later.assembly_mode) == (0.0, 1.0, "elbow up")


def test_a_state_that_does_not_fit_says_what_does_not() -> None:
    model = kg.load("five-bar").compile()
    with pytest.raises(
        UsageError, match=r"q of mechanism 'five-bar' has 5 numbers, got shape \(3,\)"
    ):
        kg.State(np.zeros(3), np.zeros(5)).check(model)
    with pytest.raises(
        UsageError, match=r"v of mechanism 'five-bar' has 5 numbers, got shape \(0,\)"
    ):
        kg.State(np.zeros(5)).check(model)
    with pytest.raises(UsageError, match=r"v of mechanism 'five-bar' is not finite"):
        kg.State(np.zeros(5), np.array([0, 0, np.nan, 0, 0])).check(model)


def test_a_list_is_checked_like_an_array() -> None:
    model = kg.load("five-bar").compile()
    assert kg.State([0.0] * 5, [0.0] * 5).check(model)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"shape \(4,\)"):
        kg.State([0.0] * 4, [0.0] * 5).check(model)  # type: ignore[arg-type]


def test_states_made_without_v_do_not_share_it() -> None:
    assert kg.State(np.zeros(1)).v is not kg.State(np.zeros(1)).v
