"""Both plug-ins in the programs they are for, without windows: `make test-plugins`."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import kinegen as kg
from kinegen.mechanism.load import library_file

PLUGINS = Path(__file__).resolve().parent.parent
CLOSED = 1e-9
"""Loops count as closed below this gap [m]: as everywhere in Kinegen."""
SINGLE = 1e-6
"""Blender keeps places in single precision [m]."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the steps read: mechanisms, a robot with a mesh, a motion, the zips."""
    folder = tmp_path_factory.mktemp("steps")
    for name in ("five-bar", "four-bar"):
        shutil.copy(library_file(name), folder)
    corners = [(0, 0, 0), (0, 0, -0.5), (0.1, 0, -0.5), (0, 0.1, -0.5)]
    faces = [(0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2)]
    rows = [struct.pack("<12fH", 0, 0, 0, *sum((corners[i] for i in f), ()), 0) for f in faces]
    (folder / "bar.stl").write_bytes(b"\0" * 80 + struct.pack("<I", 4) + b"".join(rows))
    (folder / "pendulum.urdf").write_text(
        '<robot name="pendulum"><link name="ground"/><link name="bar"><visual><geometry>'
        '<mesh filename="bar.stl"/></geometry></visual></link><joint name="hinge" '
        'type="continuous"><parent link="ground"/><child link="bar"/><axis xyz="0 1 0"/></joint>'
        "</robot>"
    )
    kg.simulate(kg.load("four-bar"), time=1.0).save(folder / "fall.json")
    subprocess.run([sys.executable, str(PLUGINS / "make_zips.py"), str(folder)], check=True)
    return folder


def steps(folder: Path, program: str, *arguments: str, **environment: str) -> dict[str, Any]:
    """Run the steps inside a program; what they saw."""
    if shutil.which(program) is None:
        pytest.fail(f"{program} is not installed: run make test-plugins, which installs it")
    script = PLUGINS / "tests" / f"{arguments[0]}_steps.py"
    # a Python of its own: what is installed for the tests must not help
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        [program, *arguments[1:], str(script)],
        env={**kept, "KINEGEN_STEPS": str(folder), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    report = folder / f"{arguments[0]}.json"
    assert report.exists(), done.stdout[-3000:] + done.stderr[-3000:]
    seen: dict[str, Any] = json.loads(report.read_text())
    assert "error" not in seen, seen["error"]
    seen["printed"] = done.stdout + done.stderr
    return seen


def test_freecad(folder: Path) -> None:
    home = folder / "freecad-home"
    with zipfile.ZipFile(folder / "kinegen-freecad.zip") as archive:
        archive.extractall(home / "Mod")
    seen = steps(folder, "freecadcmd", "freecad", FREECAD_USER_HOME=str(home))
    assert seen["links"] == ["A", "B", "D", "E", "base"]
    assert seen["valid"] and min(seen["volumes"]) > 0
    assert seen["reached"] and seen["off"] < 1e-6
    assert seen["placed"] < 1e-9 and seen["gap"] < CLOSED
    assert not seen["far"] and seen["far_gap"] < CLOSED
    # a length edited as a property moves the parts and is written into the text
    assert "Length" in seen["unit"]
    assert seen["crank"] == pytest.approx(0.12, abs=1e-12)
    assert seen["grew"] and seen["edited_gap"] < CLOSED and seen["edited_placed"] < 1e-9
    assert kg.load(seen["text"]).compile().parameters["crank"] == pytest.approx(0.12, abs=1e-12)
    assert seen["ground"] == 0.2, "a ground that cannot be assembled must be refused"
    assert seen["kept"] == 0 and seen["drags_again"]
    sketch = seen["sketch"]
    assert len(sketch["joints"]) == 4, "the triangle of three lines must be one link"
    assert sketch["E"] == pytest.approx([150, 250, 0], abs=1e-5)
    assert sketch["upright"] == [0, 0, 50]
    assert sketch["gap"] < CLOSED
    assert "not a straight line" in sketch["refused"]
    assert seen["ray"] == [0, 8, 1]
    assert seen["meshes"] == [4]


def test_blender(folder: Path) -> None:
    home = str(folder / "blender-home")
    seen = steps(
        folder, "blender", "blender", "--background", "--factory-startup", "--python",
        BLENDER_USER_SCRIPTS=os.path.join(home, "scripts"),
        BLENDER_USER_CONFIG=os.path.join(home, "config"),
    )  # fmt: skip
    assert seen["links"] == ["A", "B", "D", "E", "base"] and seen["faces"] > 100
    assert seen["moved"] > 0.05 and seen["gap"] < CLOSED
    assert seen["off"] < SINGLE and seen["placed"] < SINGLE
    assert seen["far_gap"] < CLOSED
    assert seen["grip_off"] < SINGLE
    assert seen["animated_gap"] < CLOSED and seen["animated_off"] < SINGLE
    assert seen["keys"] == 25 and seen["motion_off"] < SINGLE
    assert seen["opened_gap"] < CLOSED
    assert seen["meshes"] == [4]
    assert "bad.raff:4:23" in seen["refused"]
    assert "Traceback" not in seen["printed"]
