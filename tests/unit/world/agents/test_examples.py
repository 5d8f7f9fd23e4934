"""The programs of ``examples/agents`` drive their cart, in every language installed here."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kinegen as kg

EXAMPLES = Path(__file__).parents[4] / "examples" / "agents"


def stops(command: str, folder: Path) -> None:
    text = (folder / "cart.raff").read_text(encoding="utf-8")
    (folder / "w.raff").write_text(text.replace("command: [python3, driver.py]", command))
    with kg.World(folder / "w.raff") as one:
        one.run(0.5)
        assert [str(event) for event in one.events] == []
        assert one.signals["cart.wheel_rear_left.target"].value == 8.0
        one.signals["nose"].force(0.1)
        one.run(0.1)
        assert one.signals["cart.wheel_rear_left.target"].value == 0.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for file in EXAMPLES.iterdir():
        if file.is_file():
            shutil.copy(file, tmp_path)
    return tmp_path


def test_python(folder: Path) -> None:
    stops(f"command: ['{sys.executable}', driver.py]", folder)


def test_javascript(folder: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    stops("command: [node, driver.js]", folder)


def test_c(folder: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    subprocess.run(
        [compiler, "-Wall", "-Werror", "-o", "driver", "driver.c"], cwd=folder, check=True
    )
    stops("command: ./driver", folder)


def test_agents_of_the_library_can_be_loaded() -> None:
    from kinegen.world.agents.load import AGENTS

    assert {name for name in AGENTS.built_in if callable(AGENTS.named(name))} == set(
        AGENTS.built_in
    )
