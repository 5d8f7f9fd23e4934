"""A mechanism may stand for its model."""

from __future__ import annotations

import pytest

import kinegen as kg
from kinegen.mechanism.any_model import model_of


def test_a_model_is_itself_and_a_mechanism_is_compiled_as_it_is_now() -> None:
    mechanism = kg.load("five-bar")
    model = mechanism.compile()
    assert model_of(model) is model
    mechanism.set_parameter("crank", 0.2)
    assert model_of(mechanism).parameters["crank"] == 0.2


def test_anything_else_is_refused() -> None:
    with pytest.raises(kg.errors.KinegenError, match=r"got str; kg\.load\('ur5e'\) returns one"):
        model_of("ur5e")
    with pytest.raises(kg.errors.KinegenError, match="expected a mechanism or a model, got int"):
        model_of(3)
