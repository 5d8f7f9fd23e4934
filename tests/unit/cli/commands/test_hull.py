"""``kinegen hull``: camera files and mechanisms."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run
from tests.unit.hull.test_camera_file import fill


def test_all_frames_of_a_camera_file(run: Run, tmp_path: Path) -> None:
    fill(tmp_path)
    file = tmp_path / "cameras.yaml"
    found = run("hull", file, "--all", "--resolution", "24", "--out", tmp_path / "b.ply", "--json")
    assert found.code == 0
    first, second = found.found["frames"]
    assert 0 < first["volume"] < second["volume"]
    assert (tmp_path / "b-1.ply").is_file() and (tmp_path / "b-2.ply").is_file()
    code, out, _ = run("hull", file)
    assert code == 0 and "litres" in out and "Hz, 2 cameras" in out


def test_what_is_refused(run: Run, tmp_path: Path) -> None:
    fill(tmp_path)
    file = tmp_path / "cameras.yaml"
    assert "is for mechanisms" in run("hull", file, "--cameras", "3").err
    assert "is for camera files" in run("hull", "puma560", "--all").err
    assert "no folder" in run("hull", file, "--out", tmp_path / "none" / "a.ply").err


def test_a_mechanism(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    code, out, _ = run("hull", "puma560", "--cameras", "4", "--out", tmp_path / "a.glb")
    assert code == 0 and "4 cameras" in out
    assert (tmp_path / "a.glb").stat().st_size > 10_000
