"""Importing is free: nothing heavy is loaded before it is used.

Seconds differ from machine to machine (``bench/files/import.py`` measures them); which modules are
loaded does not.
"""

from __future__ import annotations

import pytest

from tests.support.processes import answer, run_python

LOADED = "import sys; before = set(sys.modules); {}; print(*(set(sys.modules) - before))"
HEAVY = {"numpy", "yaml", "asyncio", "http", "multiprocessing", "unittest"}


def loaded(code: str) -> set[str]:
    """The modules that a piece of code loads into a fresh process."""
    return set(answer(LOADED.format(code)).splitlines()[-1].split())


def test_importing_kinegen_loads_only_itself() -> None:
    modules = loaded("import kinegen")
    assert {name for name in modules if name.startswith("kinegen")} == {
        "kinegen",
        "kinegen.lazy",
    }
    assert not modules & HEAVY


@pytest.mark.parametrize("room", ["kinegen.raff", "kinegen.errors", "kinegen.cli"])
def test_rooms_without_arrays_load_no_numpy(room: str) -> None:
    assert not loaded(f"import {room}") & HEAVY


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], []])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    modules = loaded(f"from kinegen.cli import main; assert main({arguments!r}) == 0")
    assert not modules & HEAVY


def test_the_first_result_needs_numpy_and_yaml_alone() -> None:
    code = "import kinegen as kg; kg.forward(kg.load('puma560').compile())"
    ours = (
        f"{code}; import sys; print(*{{n.partition('.')[0] for n in set(sys.modules) - before}} "
        "- sys.stdlib_module_names)"
    )
    done = answer(f"import sys; before = set(sys.modules); {ours}")
    # PyYAML's compiled half brings its own names
    foreign = {name for name in done.split() if "cython" not in name}
    assert foreign <= {"kinegen", "numpy", "yaml", "_yaml"}


def test_the_first_result_loads_no_solver() -> None:
    modules = loaded("import kinegen as kg; kg.pose(kg.load('puma560').compile())")
    assert "kinegen.kinematics.positions" in modules
    unused = {"assembly", "dragging", "inverse", "jacobians"}
    assert not modules & {f"kinegen.kinematics.{name}" for name in unused}
    if "kinegen.kernels._native" in modules:
        assert "kinegen.kernels.reference.base.bound" not in modules


def test_nothing_warns() -> None:
    code = "import kinegen as kg; kg.forward(kg.load('stewart').compile())"
    done = run_python("-W", "error", "-c", code)
    assert done.returncode == 0, done.stderr
