"""Model: names, arrays, and numbers that change in place or not at all."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import weakref
from collections.abc import Callable

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError, NameNotFoundError, NumberError, UsageError

SPREAD = """raff: 1
name: spread
parameters:
  half: 0.5
  whole: 2*half
  lean: acos(half)
  inverse: 1/half
joints:
  - {name: A, parent: base, limits: [-lean, lean]}
  - {name: B, parent: A, d: whole, alpha: lean, r: 0.1}
  - {name: C, type: spherical, parent: base, d: sqrt(1 - half)}
  - {name: D, parent: B, d: 0.3, closes: {onto: C, d: inverse, r: 0.2}}
frames:
  - {name: tool, parent: B, d: whole + half, r: 0.4}
  - {name: eye, parent: A, xyz: [0.1, half, 0], rpy: [0, 0.2, 0]}
"""


@pytest.fixture
def model() -> kg.Model:
    return kg.load(SPREAD).compile()


# Parameters


def test_parameters_read_like_a_mapping(model: kg.Model) -> None:
    parameters = model.parameters
    assert list(parameters) == ["half", "whole", "lean", "inverse"]
    assert len(parameters) == 4
    assert dict(parameters) == {
        "half": 0.5,
        "whole": 1.0,
        "lean": pytest.approx(math.pi / 3),
        "inverse": 2.0,
    }
    assert "half" in parameters
    assert "hlaf" not in parameters
    assert parameters.get("hlaf", 7.0) == 7.0
    assert repr(parameters) == repr(dict(parameters))
    assert parameters.formula("half") is None
    assert parameters.formula("whole") == "2*half"


def test_setting_a_parameter_moves_everything_that_follows_it(model: kg.Model) -> None:
    model.parameters["half"] = 0.25
    changed = kg.load(SPREAD.replace("half: 0.5", "half: 0.25")).compile()
    np.testing.assert_allclose(model.reals, changed.reals, rtol=0, atol=1e-15)
    np.testing.assert_allclose(kg.forward(model), kg.forward(changed), atol=1e-15)
    np.testing.assert_allclose(
        kg.kinematics.loop_residual(model), kg.kinematics.loop_residual(changed), atol=1e-15
    )


def test_numbers_of_numpy_and_whole_numbers_are_numbers(model: kg.Model) -> None:
    for value in (np.float64(0.75), np.float32(0.75), np.int64(1), 1, True):
        model.parameters["half"] = value
        assert model.parameters["half"] == float(value)
        model.set_number("B", "r", value)
        assert model.number("B", "r") == float(value)


def test_unknown_parameters_get_a_suggestion(model: kg.Model) -> None:
    message = "parameter 'hlaf' is not in mechanism 'spread'; did you mean 'half'. parameters: half"
    with pytest.raises(NameNotFoundError, match=message) as caught:
        model.parameters["hlaf"]
    assert caught.value.allowed == ("half", "whole", "lean", "inverse")
    with pytest.raises(KeyError):  # as of any mapping
        model.parameters["hlaf"] = 1.0
    with pytest.raises(NameNotFoundError):
        model.parameters.formula("hlaf")


def test_a_parameter_that_follows_a_formula_cannot_be_set(model: kg.Model) -> None:
    before = model.reals.copy()
    with pytest.raises(
        NumberError, match=r"'whole' follows the formula '2\*half'; set the parameters that it uses"
    ):
        model.parameters["whole"] = 3.0
    np.testing.assert_array_equal(model.reals, before)


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, -math.inf, "0.2", None, [0.2], 1j, pytest.param(10**400, id="huge")],
)
def test_only_finite_numbers_are_taken(model: kg.Model, value: object) -> None:
    before = model.reals.copy()
    with pytest.raises(NumberError, match=r"parameter 'half' cannot be .*: use a finite number"):
        model.parameters["half"] = value  # type: ignore[assignment]
    with pytest.raises(NumberError, match=r"'r' of 'B' cannot be .*: use a finite number"):
        model.set_number("B", "r", value)  # type: ignore[arg-type]
    np.testing.assert_array_equal(model.reals, before)


@pytest.mark.parametrize(
    ("value", "formula"),
    [(-1.5, r"acos\(half\)"), (2.0, r"acos\(half\)"), (0.0, "1/half"), (1e-320, "1/half")],
)
def test_a_value_that_leaves_a_formula_without_result_changes_nothing(
    model: kg.Model, value: float, formula: str
) -> None:
    model.parameters["half"] = 0.3  # not the compiled state: what it is now must stay
    before = model.reals.copy()
    with pytest.raises(
        NumberError, match=rf"'{formula}' in mechanism 'spread' has no finite value"
    ):
        model.parameters["half"] = value
    np.testing.assert_array_equal(model.reals, before)
    model.parameters["half"] = 0.4  # and it still works
    assert model.number("B", "d") == 0.8


def test_the_error_names_the_number_whose_formula_refuses() -> None:
    model = kg.load("raff: 1\nparameters: {p: 1}\njoints: [{name: A, parent: base, d: sqrt(p)}]\n")
    with pytest.raises(NumberError, match=r"'d' of 'A' = 'sqrt\(p\)'"):
        model.compile().parameters["p"] = -1


@pytest.mark.parametrize(
    ("formula", "value"),
    [("atan(1/p)*1 m", 0.0), ("1/exp(p)", 1e4), ("1/(p*p)", 1e200), ("min(p*p, 3)", 1e200)],
)
def test_an_overflow_on_the_way_is_refused_as_when_the_file_is_read(
    formula: str, value: float
) -> None:
    text = f"raff: 1\nparameters: {{p: 1}}\njoints: [{{name: A, parent: base, d: '{formula}'}}]\n"
    model = kg.load(text).compile()
    before = model.reals.copy()
    with pytest.raises(NumberError, match=r"'d' of 'A' = .* has no finite value"):
        model.parameters["p"] = value
    np.testing.assert_array_equal(model.reals, before)


def test_parameters_cannot_be_removed(model: kg.Model) -> None:
    with pytest.raises(UsageError, match=r"parameter 'half' belongs to the structure of the model"):
        del model.parameters["half"]
    with pytest.raises(UsageError):
        model.parameters.clear()
    assert len(model.parameters) == 4


def test_many_parameters_are_set_at_once() -> None:
    model = kg.load("five-bar").compile()
    model.parameters.update(crank=0.1, ground=0.3)
    assert (model.parameters["crank"], model.parameters["ground"]) == (0.1, 0.3)


# Numbers


@pytest.mark.parametrize(
    ("owner", "key"),
    [("B", "r"), ("A", "gamma"), ("D", "d"), ("D", "closes.r"), ("tool", "r"), ("eye", "pitch")],
)
def test_a_number_set_in_place_is_the_number_of_the_file(
    model: kg.Model, owner: str, key: str
) -> None:
    text = SPREAD
    edits = {
        ("B", "r"): ("lean, r: 0.1", "lean, r: 0.7"),
        ("A", "gamma"): ("{name: A, ", "{name: A, gamma: 0.7, "),
        ("D", "d"): ("d: 0.3", "d: 0.7"),
        ("D", "closes.r"): ("r: 0.2", "r: 0.7"),
        ("tool", "r"): ("r: 0.4", "r: 0.7"),
        ("eye", "pitch"): ("[0, 0.2, 0]", "[0, 0.7, 0]"),
    }
    old, new = edits[owner, key]
    assert text.count(old) == 1
    changed = kg.load(text.replace(old, new)).compile()
    model.set_number(owner, key, 0.7)
    assert model.number(owner, key) == 0.7
    np.testing.assert_allclose(model.reals, changed.reals, rtol=0, atol=1e-15)


def test_limits_start_and_mass_are_numbers_too(model: kg.Model) -> None:
    model.set_number("B", "upper", 1.5)
    model.set_number("B", "start", 0.25)
    model.set_number("B", "mass", 2.0)
    model.set_number("base", "mass", 3.0)
    assert model.upper[model.joint("B").v].tolist() == [1.5]
    assert model.start()[model.joint("B").q].tolist() == [0.25]
    assert model.inertia[[0, 2], 0].tolist() == [3, 2]


def test_numbers_that_follow_a_formula_cannot_be_set(model: kg.Model) -> None:
    before = model.reals.copy()
    for owner, key, formula in (
        ("B", "d", "whole"), ("D", "closes.d", "inverse"), ("tool", "d", r"whole \+ half"),
        ("eye", "y", "half"), ("A", "upper", "lean"),
    ):  # fmt: skip
        with pytest.raises(NumberError, match=rf"'{key}' of '{owner}' follows the .* '{formula}'"):
            model.set_number(owner, key, 1.0)
    np.testing.assert_array_equal(model.reals, before)


def test_unknown_numbers_and_owners_are_named_with_what_there_is(model: kg.Model) -> None:
    with pytest.raises(
        NameNotFoundError, match=r"number 'alpah' is not in 'B'; did you mean 'alpha'"
    ):
        model.set_number("B", "alpah", 1.0)
    with pytest.raises(
        NameNotFoundError, match=r"number 'closes.d' is not in 'A'.* numbers: gamma, b"
    ):
        model.number("A", "closes.d")
    with pytest.raises(NameNotFoundError) as caught:
        model.number("tol", "d")
    assert str(caught.value).startswith(
        "joint or frame 'tol' is not in mechanism 'spread'; did you mean 'tool'? "
        "joints and frames: A, B, C, D, tool, eye"
    )


# Names


def test_joints_and_sites_are_found_by_name(model: kg.Model) -> None:
    assert [model.joint(name).name for name in "ABCD"] == list("ABCD")
    assert model.joint_index("C") == 2
    assert model.site_names == ("base", "A", "B", "C", "tool", "eye")
    assert [model.site(name) for name in model.site_names] == list(range(6))


def test_unknown_joints_and_sites_get_a_suggestion(model: kg.Model) -> None:
    with pytest.raises(
        NameNotFoundError, match=r"joint 'X' is not in .*'spread'; joints: A, B, C, D"
    ):
        model.joint("X")
    with pytest.raises(
        NameNotFoundError, match=r"frame 'tol' .*did you mean 'tool'. frames: tool, eye"
    ):
        model.site("tol")
    # a cut joint is a joint but no place
    with pytest.raises(NameNotFoundError, match=r"frame 'D'"):
        model.site("D")


def test_an_index_where_a_name_belongs_is_an_error_with_names(model: kg.Model) -> None:
    with pytest.raises(NameNotFoundError, match=r"joint '2' is not in .*; joints: A, B, C, D"):
        model.joint(2)  # type: ignore[arg-type]


def test_repr_counts_in_plain_english(model: kg.Model) -> None:
    assert repr(model) == "Model('spread', 4 joints, 1 loop, nq=7, nv=6)"
    one = kg.load("raff: 1\nname: one\njoints: [{name: A, parent: base}]\n").compile()
    assert repr(one) == "Model('one', 1 joint, 0 loops, nq=1, nv=1)"


# Arrays and configurations


def test_arrays_have_the_shapes_they_promise(model: kg.Model) -> None:
    assert model.transforms.shape == (4 + 1 + 2, 12)
    assert model.lower.shape == model.upper.shape == model.speed.shape == (6,)
    assert model.effort.shape == (6,)
    assert model.inertia.shape == (4, 10)
    assert model.counts.joint == 4
    placement = model.transforms[model.frames[0].placement]
    np.testing.assert_allclose(placement[9:], [1.5, 0, 0.4])
    cut = model.joints[model.loops[0].joint]
    assert cut.name == "D"
    assert (model.link_names[cut.parent], model.link_names[cut.child]) == ("B", "C")
    np.testing.assert_allclose(model.transforms[model.loops[0].placement][9:], [2, 0, 0.2])


def test_structure_cannot_be_written(model: kg.Model) -> None:
    with pytest.raises(ValueError, match=r"read-only"):
        model.ints[5] = 1
    with pytest.raises(AttributeError):
        model.joints[0].name = "Z"  # type: ignore[misc]


def test_zero_and_start_are_copies(model: kg.Model) -> None:
    for make in (model.zero, model.start):
        q = make()
        q[:] = 9
        assert (make() != 9).all()
    assert model.zero().tolist() == [0, 0, 1, 0, 0, 0, 0]


def test_a_start_quaternion_is_of_length_one_or_an_error(model: kg.Model) -> None:
    model.set_number("C", "start.0", 0.6)
    model.set_number("C", "start.3", -0.8e5)
    assert np.linalg.norm(model.start()[model.joint("C").q]) == pytest.approx(1, abs=1e-15)
    for i in range(4):
        model.set_number("C", f"start.{i}", 0.0)
    with pytest.raises(NumberError, match=r"start of joint 'C' .* length 0.*1 0 0 0"):
        model.start()


def test_a_model_lets_go_of_its_memory() -> None:
    model = kg.load(SPREAD).compile()
    evaluate = kg.kinematics.evaluator(model, "tool")
    gone = weakref.ref(model)
    q = model.start()
    del model
    gc.collect()
    assert gone() is None
    assert np.isfinite(evaluate(q).pose).all()  # an evaluator holds what it needs


def test_every_error_here_is_a_kinegen_error(model: kg.Model) -> None:
    for call in (
        lambda: model.joint("x"),
        lambda: model.site("x"),
        lambda: model.number("x", "d"),
        lambda: model.parameters["x"],
        lambda: model.raise_for(-3),
        lambda: model.raise_for(1),
    ):
        with pytest.raises(KinegenError, match=r"'spread'"):
            call()


@pytest.mark.parametrize("name", ["stewart", "five-bar", "humanoid-30", SPREAD])
def test_a_model_passes_between_processes(name: str) -> None:
    model = kg.load(name).compile()
    free = [one for one in model.parameters if model.parameters.formula(one) is None]
    for one in free[:1]:
        model.parameters[one] *= 0.9
    other = pickle.loads(pickle.dumps(model))
    assert other.name == model.name and dict(other.parameters) == dict(model.parameters)
    np.testing.assert_array_equal(other.reals, model.reals)
    places = [np.array([X.translation for X in kg.poses(one).values()]) for one in (model, other)]
    np.testing.assert_array_equal(*places)
    for one in free[:1]:  # and is its own
        other.parameters[one] *= 0.9
        assert other.parameters[one] != model.parameters[one]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_shares_nothing_that_changes(copied: Callable[[kg.Model], kg.Model]) -> None:
    """Neither numbers nor the note of which masses the file gives."""
    text = "raff: 1\njoints:\n  - {name: A, parent: base, d: 1 m, density: 1000}\n"
    model = kg.load(text).compile()
    before = model.inertia.copy()
    other = copied(model)
    other.set_number("A", "mass", 7.0)
    other.set_number("A", "d", 2.0)
    assert other.inertia[1, 0] == 7.0
    np.testing.assert_array_equal(copied(model).inertia, before)
    assert not other.ints.flags.writeable


def test_a_varied_model_has_other_parameters_and_what_follows_from_them() -> None:
    model = kg.load(SPREAD).compile()
    other = model.varied({"half": 0.4, "whole": 9.0, "nobody": 1.0})
    assert other.parameters["half"] == 0.4 and other.parameters["whole"] == pytest.approx(0.8)
    assert model.parameters["half"] == 0.5 and "nobody" not in other.parameters
