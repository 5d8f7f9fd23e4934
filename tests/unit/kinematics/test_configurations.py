"""Configurations and velocities: everything people hand over, and what is wrong with some of it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import NameNotFoundError, UsageError
from kinegen.kinematics.configurations import velocity

TEXT = """raff: 1
name: mixed
joints:
  - {name: A, parent: base, start: 0.5}
  - {name: ball, type: spherical, parent: A, d: 1, start: [0, 0, 90 deg]}
  - {name: knee, type: universal, parent: ball, d: 1, start: [0.1, 0.2]}
  - {name: weld, type: fixed, parent: knee, d: 1}
frames:
  - {name: tip, parent: weld, d: 1}
"""
Q = [0.5, 1.0, 0.0, 0.0, 0.0, 0.3, -0.4]


@pytest.fixture
def model() -> kg.Model:
    return kg.load(TEXT).compile()


# What is taken


def test_nothing_is_the_files_start(model: kg.Model) -> None:
    h = math.sqrt(0.5)
    np.testing.assert_allclose(kg.configuration(model), [0.5, h, 0, 0, h, 0.1, 0.2], atol=1e-15)


def test_names_change_only_what_they_name(model: kg.Model) -> None:
    q = kg.configuration(model, {"A": 2, "knee": [0.7, 0.8]})
    h = math.sqrt(0.5)
    np.testing.assert_allclose(q, [2, h, 0, 0, h, 0.7, 0.8], atol=1e-15)
    np.testing.assert_array_equal(kg.configuration(model, {}), model.start())
    np.testing.assert_array_equal(kg.configuration(model, {"weld": []}), model.start())


AS_GIVEN: dict[str, Callable[[], object]] = {
    "list": lambda: list(Q),
    "tuple": lambda: tuple(Q),
    "array": lambda: np.array(Q),
    "float32": lambda: np.array(Q, dtype=np.float32),
    "objects": lambda: np.array(Q, dtype=object),
    "every second": lambda: np.repeat(Q, 2)[::2],
    "backwards": lambda: np.array(Q[::-1])[::-1],
    "column": lambda: np.array([Q, Q]).T[:, 1],
    "fortran": lambda: np.asfortranarray([Q, Q])[0],
    "big endian": lambda: np.array(Q).astype(">f8"),
    "masked": lambda: np.ma.array(Q),
}


@pytest.mark.parametrize("form", AS_GIVEN)
def test_results_do_not_depend_on_the_form_of_q(model: kg.Model, form: str) -> None:
    q = AS_GIVEN[form]()
    tolerance = 1e-6 if form == "float32" else 0
    wanted = np.array(Q)
    np.testing.assert_allclose(kg.forward(model, q), kg.forward(model, wanted), atol=tolerance)
    np.testing.assert_allclose(
        kg.jacobian(model, q, "tip"), kg.jacobian(model, wanted, "tip"), atol=tolerance
    )
    np.testing.assert_allclose(
        kg.kinematics.integrate(model, q, np.ones(6)),
        kg.kinematics.integrate(model, wanted, np.ones(6)),
        atol=tolerance,
    )


def test_read_only_arrays_are_read_and_nothing_given_is_written(model: kg.Model) -> None:
    q, v = np.array(Q), np.ones(6)
    q.flags.writeable = v.flags.writeable = False
    kg.forward(model, q)
    kg.kinematics.link_twists(model, q, v)
    moved = kg.kinematics.integrate(model, q, v)
    assert moved.flags.writeable
    np.testing.assert_array_equal(q, Q)


def test_whole_numbers_and_truth_values_are_numbers(model: kg.Model) -> None:
    for q in ([1, 1, 0, 0, 0, 0, 1], np.array([1, 1, 0, 0, 0, 0, 1]), [True, 1, 0, 0, 0, 0, True]):
        made = kg.configuration(model, q)
        assert made.dtype == np.float64
        np.testing.assert_array_equal(made, [1, 1, 0, 0, 0, 0, 1])


def test_one_number_is_enough_for_one_joint() -> None:
    single = kg.load("raff: 1\njoints: [{name: A, parent: base, d: 1}]\n").compile()
    np.testing.assert_array_equal(kg.configuration(single, 0.25), [0.25])
    np.testing.assert_array_equal(velocity(single, 0.25), [0.25])


def test_quaternions_of_other_lengths_turn_alike(model: kg.Model) -> None:
    short, long = ({"ball": [s * 0.6, 0, s * 0.8, 0]} for s in (1e-3, 1e3))
    np.testing.assert_allclose(kg.forward(model, short), kg.forward(model, long), atol=1e-14)


@pytest.mark.parametrize("angle", [1e3, 1e6, -1e9])
def test_large_angles_are_angles(model: kg.Model, angle: float) -> None:
    wound = kg.forward(model, {"A": angle})
    near = kg.forward(model, {"A": math.remainder(angle, math.tau)})
    # an angle of 1e9 rad is itself known to 1e-7 rad only
    np.testing.assert_allclose(wound, near, atol=4e-16 * abs(angle) * 4)


def test_numbers_of_any_size_give_finite_places(model: kg.Model) -> None:
    for angle in (1e300, -1e308, 5e-324, 1e-300):
        assert np.isfinite(kg.forward(model, {"A": angle, "knee": [angle, -angle]})).all()


# What is refused


@pytest.mark.parametrize("size", [0, 6, 8, 100])
def test_the_wrong_count_lists_what_belongs_where(model: kg.Model, size: int) -> None:
    message = rf"q of mechanism 'mixed' has 7 numbers \(A, ball×4, knee×2\), got shape \({size},\)"
    with pytest.raises(UsageError, match=message):
        kg.configuration(model, np.zeros(size))
    if size != 6:
        with pytest.raises(UsageError, match=r"v .* has 6 numbers \(A, ball×3, knee×2\)"):
            velocity(model, np.zeros(size))


def test_the_list_of_joints_stays_short() -> None:
    chain = "raff: 1\njoints:\n" + "".join(
        f"- {{name: j{i}, parent: {f'j{i - 1}' if i else 'base'}}}\n" for i in range(50)
    )
    with pytest.raises(UsageError, match=r"50 numbers \(j0, .*, j11, …\)"):
        kg.configuration(kg.load(chain).compile(), [0.0])


def test_two_dimensions_are_not_one(model: kg.Model) -> None:
    with pytest.raises(UsageError, match=r"got shape \(1, 7\)"):
        kg.forward(model, [Q])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, None])
def test_numbers_that_are_not_finite_are_named(model: kg.Model, value: float) -> None:
    q = list(Q)
    q[5] = value
    with pytest.raises(UsageError, match=r"q\[5\] \(joint 'knee'\) is .*: use finite numbers"):
        kg.configuration(model, q)
    with pytest.raises(UsageError, match=r"q\[0\] \(joint 'A'\) is"):
        kg.configuration(model, {"A": value})
    with pytest.raises(UsageError, match=r"v\[3\] \(joint 'ball'\) is"):
        velocity(model, [0, 0, 0, value, 0, 0])


@pytest.mark.parametrize(
    "q", ["0 0 0", ["a"] * 7, [[1], [2, 3]], object(), 1j, np.full(7, 1j), {1, 2}],
    ids=["text", "texts", "ragged", "object", "complex", "complexes", "set"],
)  # fmt: skip
def test_what_is_no_number_is_refused(model: kg.Model, q: object) -> None:
    with pytest.raises(UsageError, match=r"q takes numbers, got"):
        kg.configuration(model, q)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"v takes numbers, got"):
        velocity(model, q)  # type: ignore[arg-type]


@pytest.mark.parametrize("quat", [[0, 0, 0, 0], [1e-9, 0, 0, 0], [1e160, 1e160, 0, 0]])
def test_a_quaternion_that_is_no_rotation_is_refused(model: kg.Model, quat: list[float]) -> None:
    with pytest.raises(UsageError, match=r"w x y z of joint 'ball' has length .*1 0 0 0"):
        kg.forward(model, {"ball": quat})
    # np.zeros(nq) is the usual way to get there
    with pytest.raises(UsageError, match=r"model.zero\(\)"):
        kg.forward(model, np.zeros(7))


def test_unknown_joints_get_a_suggestion(model: kg.Model) -> None:
    with pytest.raises(NameNotFoundError, match=r"joint 'bal' .* did you mean 'ball'"):
        kg.configuration(model, {"bal": 1.0})
    with pytest.raises(NameNotFoundError, match=r"joint 'tip'"):  # a frame has no values
        velocity(model, {"tip": 1.0})


def test_values_by_name_have_their_joints_size(model: kg.Model) -> None:
    with pytest.raises(
        UsageError, match=r"joint 'ball' of .*'mixed' takes 4 numbers in q, got 1.0"
    ):
        kg.configuration(model, {"ball": 1.0})
    with pytest.raises(UsageError, match=r"joint 'ball' of .* takes 3 numbers in v, got \[1, 2\]"):
        velocity(model, {"ball": [1, 2]})
    with pytest.raises(UsageError, match=r"joint 'weld' of .* takes 0 numbers"):
        kg.configuration(model, {"weld": 0.0})
    with pytest.raises(UsageError, match=r"joint 'A' takes numbers, got '30 deg'"):
        kg.configuration(model, {"A": "30 deg"})  # type: ignore[dict-item]
    with pytest.raises(UsageError, match=r"joint 'A' takes numbers"):
        kg.configuration(model, {"A": 1j})  # type: ignore[dict-item]


# Moving


def test_integrate_walks_and_difference_measures(model: kg.Model) -> None:
    q = kg.kinematics.integrate(model, Q, {"A": 2.0, "ball": [0, 0, math.pi]}, dt=0.5)
    h = math.sqrt(0.5)
    np.testing.assert_allclose(q, [1.5, h, 0, 0, h, 0.3, -0.4], atol=1e-15)
    np.testing.assert_allclose(
        kg.kinematics.difference(model, Q, q), [1, 0, 0, math.pi / 2, 0, 0], atol=1e-15
    )
    np.testing.assert_array_equal(kg.kinematics.difference(model, None, None), np.zeros(6))


def test_integrate_keeps_quaternions_at_length_one(model: kg.Model) -> None:
    q = np.array([0.5, 3.0, 0, 4.0, 0, 0, 0])
    for _ in range(100):
        q = kg.kinematics.integrate(model, q, np.full(6, 0.7), dt=0.1)
        assert np.linalg.norm(q[1:5]) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("dt", [math.nan, math.inf])
def test_a_time_that_is_not_finite_is_refused(model: kg.Model, dt: float) -> None:
    with pytest.raises(UsageError, match=r"v\[0\] .* is (nan|inf)"):
        kg.kinematics.integrate(model, None, np.ones(6), dt=dt)


def test_a_free_body_moves_along_its_own_axes() -> None:
    free = kg.load("raff: 1\njoints: [{name: body, type: free, parent: base}]\n").compile()
    h = math.sqrt(0.5)
    q = np.array([h, 0, 0, h, 1, 0, 0])  # turned to face y
    np.testing.assert_allclose(
        kg.kinematics.integrate(free, q, [2, 0, 0, 0, 0, 0]), [h, 0, 0, h, 1, 2, 0], atol=1e-15
    )
