"""``KINEGEN_KERNELS`` chooses the kernels, and the two sides state one layout."""

from __future__ import annotations

import re

import pytest

from kinegen.kernels import backend, layout
from tests.support.processes import answer, run_python

pytestmark = pytest.mark.slow

NAME = "from kinegen.kernels import name; print(name())"
FK = ("-m", "kinegen", "fk", "puma560", "--json")
HIDE_NATIVE = "import sys; sys.modules['kinegen.kernels._native'] = None; "

needs_native = pytest.mark.skipif(
    backend.name() != "native", reason="the compiled kernels are not in use"
)


@needs_native
@pytest.mark.parametrize(
    ("choice", "name"), [(None, "native"), ("native", "native"), ("reference", "reference")]
)
def test_choices(choice: str | None, name: str) -> None:
    assert answer(NAME, environment={backend.VARIABLE: choice}) == name


@needs_native
def test_both_give_the_same_poses() -> None:
    done = [
        run_python(*FK, environment={backend.VARIABLE: choice})
        for choice in ("native", "reference")
    ]
    assert [run.returncode for run in done] == [0, 0]
    numbers = [[float(n) for n in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", run.stdout)] for run in done]
    assert len(numbers[0]) > 7
    assert numbers[0] == pytest.approx(numbers[1], abs=1e-9)


def test_nonsense_is_refused_with_the_choices() -> None:
    done = run_python(*FK, environment={backend.VARIABLE: "cuda"})
    assert done.returncode == 1
    assert "'cuda' is not valid; use native or reference" in done.stdout
    assert "Traceback" not in done.stderr


def test_missing_kernels_are_replaced_with_a_warning() -> None:
    done = run_python("-c", HIDE_NATIVE + NAME, environment={backend.VARIABLE: None})
    assert (done.returncode, done.stdout.strip()) == (0, "reference")
    assert "RuntimeWarning: the compiled kernels are not installed" in done.stderr


def test_missing_kernels_that_were_asked_for_are_an_error() -> None:
    code = HIDE_NATIVE + "from kinegen.cli import main; sys.exit(main(['fk', 'puma560']))"
    done = run_python("-c", code, environment={backend.VARIABLE: "native"})
    assert done.returncode == 1
    assert "the compiled kernels cannot be loaded" in done.stderr
    assert "KINEGEN_KERNELS=reference" in done.stderr
    assert "Traceback" not in done.stderr


@needs_native
def test_compiled_layout_is_this_one() -> None:
    assert backend.module().LAYOUT_VERSION == layout.LAYOUT_VERSION
