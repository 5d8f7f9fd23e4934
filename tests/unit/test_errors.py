"""Errors: one base, messages that help, hints that are right."""

from __future__ import annotations

import inspect
import pickle
from pathlib import Path

import pytest

from kinegen import errors
from kinegen.errors import (
    KinegenError,
    NameNotFoundError,
    Problem,
    RaffError,
    UsageError,
    did_you_mean,
    reason,
    unknown_name,
)

CLASSES = [c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, Exception)]


@pytest.mark.parametrize("error", CLASSES)
def test_every_error_has_the_one_base(error: type[Exception]) -> None:
    assert issubclass(error, KinegenError)
    assert error.__name__ in errors.__all__


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        ("UsageError", ValueError),
        ("NameNotFoundError", KeyError),
        ("NumberError", ValueError),
        ("CompileError", ValueError),
        ("KernelError", RuntimeError),
        ("FormatError", ValueError),
        ("RaffError", ValueError),
    ],
)
def test_errors_are_caught_by_the_builtin_people_expect(error: str, builtin: type) -> None:
    assert issubclass(getattr(errors, error), builtin)


def test_a_name_error_reads_as_a_sentence() -> None:
    error = unknown_name("joint", "crnak", "mechanism 'four-bar'", ["crank", "rocker"])
    assert str(error) == (
        "joint 'crnak' is not in mechanism 'four-bar'; did you mean 'crank'? joints: crank, rocker"
    )
    assert (error.name, error.allowed) == ("crnak", ("crank", "rocker"))


def test_a_name_error_lists_what_there_is() -> None:
    far = unknown_name("joint", "xyz", "'m'", ["crank"])
    assert str(far) == "joint 'xyz' is not in 'm'; joints: crank"
    none = unknown_name("joint", "xyz", "'m'", [])
    assert str(none) == "joint 'xyz' is not in 'm'; joints: none"
    many = unknown_name("joint", "xyz", "'m'", (f"n{i}" for i in range(100)))
    assert str(many).endswith("n10, n11, …")
    assert len(many.allowed) == 100
    assert "axes: a" in str(unknown_name("axis", "b", "'m'", ["a"], plural="axes"))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Crank", "; did you mean 'crank'?"),
        ("CRNAK", "; did you mean 'crank'?"),
        ("crank ", "; did you mean 'crank'?"),
        ("zzz", ""),
        ("", ""),
        ("x" * 100_000, ""),
    ],
)
def test_hints_find_the_nearest_name_or_none(name: str, hint: str) -> None:
    assert did_you_mean(name, ["crank", "rocker"]) == hint


def test_a_hint_keeps_the_names_own_spelling() -> None:
    assert did_you_mean("a255", ["A255"]) == "; did you mean 'A255'?"
    assert did_you_mean("a", []) == ""


def test_hints_take_what_is_no_text() -> None:
    assert did_you_mean(3, ["crank"]) == ""  # type: ignore[arg-type]


def test_a_raff_error_has_all_its_problems_in_reading_order() -> None:
    later, first = Problem("a.raff", 10, 1, "later"), Problem("a.raff", 2, 30, "first")
    error = RaffError([later, first])
    assert error.problems == (first, later)
    assert str(error) == "a.raff:2:30: first\na.raff:10:1: later"


def test_errors_survive_a_process_pool() -> None:
    """What a worker raises must reach its parent: multiprocessing pickles it."""
    raised = [
        errors.UsageError("u"),
        unknown_name("joint", "x", "'m'", ["y"]),
        RaffError([Problem("f", 1, 2, "m")]),
    ]
    for error in raised:
        back = pickle.loads(pickle.dumps(error))
        assert type(back) is type(error)
        assert str(back) == str(error)
    back = pickle.loads(pickle.dumps(raised[1]))
    assert isinstance(back, NameNotFoundError)
    assert (back.name, back.allowed) == ("x", ("y",))
    back = pickle.loads(pickle.dumps(raised[2]))
    assert isinstance(back, RaffError)
    assert back.problems == (Problem("f", 1, 2, "m"),)


def test_reasons_for_others_have_no_paths(tmp_path: Path) -> None:
    with pytest.raises(OSError) as caught:
        (tmp_path / "none").read_bytes()
    assert reason(caught.value) == "No such file or directory"
    assert reason(OSError()) == "OSError"
    assert reason(UsageError("so")) == "so"
