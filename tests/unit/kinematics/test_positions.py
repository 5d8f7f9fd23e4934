"""Forward kinematics: rows, names, defaults."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import NameNotFoundError, UsageError


@pytest.fixture
def model() -> kg.Model:
    return kg.load("four-bar").compile()


def test_rows_belong_to_the_sites(model: kg.Model) -> None:
    rows = kg.forward(model)
    assert rows.shape == (5, 7)
    for name, X in kg.poses(model).items():
        np.testing.assert_allclose(X.pose, rows[model.site(name)], atol=1e-15)
        np.testing.assert_allclose(kg.pose(model, None, name).pose, X.pose, atol=1e-15)


def test_the_base_is_the_world(model: kg.Model) -> None:
    np.testing.assert_array_equal(kg.forward(model, [1, 2, 3, 4])[0], [1, 0, 0, 0, 0, 0, 0])


def test_without_a_name_the_last_frame_is_meant(model: kg.Model) -> None:
    np.testing.assert_array_equal(kg.pose(model).pose, kg.pose(model, None, "handle").pose)
    frameless = kg.load("raff: 1\njoints: [{name: A, parent: base}, {name: B, parent: A, d: 2}]\n")
    np.testing.assert_array_equal(kg.pose(frameless.compile()).translation, [2, 0, 0])


def test_every_call_gives_an_array_of_its_own(model: kg.Model) -> None:
    first = kg.forward(model)
    kept = first.copy()
    kg.forward(model, [1, 2, 3, 4])
    np.testing.assert_array_equal(first, kept)


def test_quaternions_come_with_length_one_and_w_not_negative() -> None:
    model = kg.load("puma560").compile()
    rng = np.random.default_rng(0)
    for _ in range(20):
        quats = kg.forward(model, rng.uniform(-4, 4, model.nq))[:, :4]
        np.testing.assert_allclose(np.linalg.norm(quats, axis=1), 1, atol=1e-14)
        assert (quats[:, 0] >= 0).all()


def test_unknown_frames_get_a_suggestion(model: kg.Model) -> None:
    with pytest.raises(NameNotFoundError, match=r"frame 'handel' .* did you mean 'handle'"):
        kg.pose(model, None, "handel")


def test_a_frame_given_for_q_is_recognised(model: kg.Model) -> None:
    with pytest.raises(UsageError, match=r"q takes numbers, got 'handle'"):
        kg.pose(model, "handle")  # type: ignore[arg-type]


def test_parameters_act_at_once(model: kg.Model) -> None:
    before = kg.pose(model, [0, 0, 0, 0], "handle").translation
    model.parameters["crank"] += 0.05
    after = kg.pose(model, [0, 0, 0, 0], "handle").translation
    np.testing.assert_allclose(after - before, [0.05, 0, 0], atol=1e-15)


def test_a_long_chain_keeps_its_digits() -> None:
    """Sixty quarter turns of unit bars walk a square fifteen times."""
    rows = "".join(
        f"- {{name: j{i}, parent: {f'j{i - 1}' if i else 'base'}, d: 1}}\n" for i in range(60)
    )
    model = kg.load("raff: 1\njoints:\n" + rows).compile()
    X = kg.pose(model, np.full(60, math.pi / 2))
    # 60 products of matrices that are exact to one rounding of 1.1e-16 each
    np.testing.assert_allclose(X.matrix, np.eye(4), atol=60 * 60 * 1.2e-16)
