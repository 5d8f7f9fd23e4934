"""The template of a plug-in package: installed as pip does it, its parts work in a world file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

TEMPLATE = Path(__file__).parents[2] / "examples" / "plug-in-template"
PROGRAM = """
import json, sys, kinegen as kg
with kg.World(sys.argv[1]) as world:
    world.run(0.3)
    picture = world.signals["eye"].value
    print(json.dumps({
        "trouble": [str(event) for event in world.events if event.is_trouble],
        "position": world.signals["shoulder.position"].value,
        "asked": abs(world.signals["shoulder.effort"].value),
        "elbow": world.signals["elbow.effort"].value,
        "speed": world.signals["speed"].value,
        "seen": world.signals["driver.speed_seen"].value,
        "dots": int((picture > 0).any(axis=2).sum()), "size": picture.shape,
    }))
"""


def install(folder: Path) -> None:
    """What pip leaves behind: the module, and metadata with the entry points."""
    project = tomllib.loads((TEMPLATE / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["setuptools"]["py-modules"] == ["my_plug_in"]
    info = folder / "my_plug_in-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-plug-in\nVersion: 0.1.0\n")
    groups = project["project"]["entry-points"]
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {to}\n" for name, to in rows.items())
        for group, rows in groups.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    (folder / "my_plug_in.py").write_text((TEMPLATE / "my_plug_in.py").read_text(encoding="utf-8"))


def test_every_kind_of_plug_in_works_in_a_world(tmp_path: Path) -> None:
    install(tmp_path)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, str(TEMPLATE / "arm.raff")],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["trouble"] == []
    assert found["asked"] <= 3 + 1e-9  # the controller's push
    assert found["elbow"] >= 0  # a muscle pulls in one direction
    assert found["speed"] > 0 and found["seen"] > 0
    assert found["size"] == [48, 64, 3] and 1 <= found["dots"] <= 3
    assert found["position"] != 0


def test_without_the_package_the_file_says_what_is_unknown() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kinegen", "check", str(TEMPLATE / "arm.raff")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode
    for word in ("bang-bang", "muscle", "speedometer", "dots"):
        assert f"'{word}'" in said
