"""Which kernels run: the choice by environment variable, its errors, its warning."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from types import ModuleType

import pytest

import kinegen as kg
from kinegen.errors import KernelError
from kinegen.kernels import backend

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def fresh_choice() -> Iterator[None]:
    """The choice is made once per process: forget it before and after."""
    backend.module.cache_clear()
    yield
    backend.module.cache_clear()


@pytest.fixture
def no_native(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation without compiled kernels."""
    real = importlib.import_module

    def missing(name: str, package: str | None = None) -> ModuleType:
        if name == "kinegen.kernels._native":
            raise ImportError("no such file")
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", missing)


def test_reference_kernels_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINEGEN_KERNELS", "reference")
    assert backend.name() == "reference"
    model = kg.load("five-bar").compile()
    assert type(model.kernels).__module__ == "kinegen.kernels.reference.base.bound"
    assert (
        type(kg.kinematics.evaluator(model, "handle").fill).__module__
        == "kinegen.kernels.reference.base.bound"
    )


def test_an_unknown_choice_lists_the_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINEGEN_KERNELS", "nativ")
    with pytest.raises(KernelError, match="'nativ' is not valid; use native or reference"):
        backend.module()


@pytest.mark.usefixtures("no_native")
def test_missing_kernels_warn_and_say_how_to_be_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KINEGEN_KERNELS", raising=False)
    with pytest.warns(RuntimeWarning, match=r"not installed.*KINEGEN_KERNELS=reference to silence"):
        assert backend.name() == "reference"


@pytest.mark.usefixtures("no_native")
def test_missing_kernels_that_were_asked_for_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINEGEN_KERNELS", "native")
    with pytest.raises(
        KernelError, match=r"cannot be loaded \(no such file\); reinstall .*compiler"
    ):
        backend.module()


def test_missing_webassembly_is_an_error_that_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(resources, "files", lambda package: tmp_path)
    with pytest.raises(KernelError, match=r"no WebAssembly kernels; reinstall"):
        backend.wasm_bytes()
    (tmp_path / "kinegen.wasm").write_bytes(b"\0asm")
    assert backend.wasm_bytes() == b"\0asm"


def test_the_tests_of_the_middle_layers_pass_on_the_reference_kernels() -> None:
    """Everything runs on NumPy alone: the same tests, in a process that uses nothing else."""
    tests = (
        "tests/unit/kinematics/test_closure.py",
        "tests/unit/kinematics/test_configurations.py",
        "tests/unit/kinematics/test_jacobians.py",
        "tests/unit/kinematics/test_positions.py",
        "tests/unit/kernels/test_layout.py",
        "tests/unit/mechanism/compiling/test_compile.py",
        "tests/unit/mechanism/test_model.py",
        "tests/twins/base/test_closed_forms.py",
    )
    source = Path(kg.__file__).parents[1]
    environment = os.environ | {"KINEGEN_KERNELS": "reference", "PYTHONPATH": str(source)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
