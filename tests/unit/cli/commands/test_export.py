"""``kinegen export``."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import kinegen as kg
from tests.unit.cli.conftest import Run

WAVING = """\
raff: 1
name: waving
joints:
  - {name: A, parent: base}
  - {name: B, parent: A, d: 0.3}
motions:
  - {name: wave, joints: [A, B], times: [0, 1], values: [[0, 0], [90 deg, 0.5]]}
"""


@pytest.fixture
def waving(tmp_path: Path) -> Path:
    file = tmp_path / "waving.raff"
    file.write_text(WAVING, encoding="utf-8")
    return file


@pytest.mark.parametrize("suffix", ["glb", "gltf", "svg", "csv", "json"])
def test_by_suffix(run: Run, tmp_path: Path, waving: Path, suffix: str) -> None:
    target = tmp_path / f"out.{suffix}"
    data = run("export", waving, target, "--json").found
    assert data == {
        "file": str(target),
        "format": suffix,
        "files": [str(target)],
        "bytes": target.stat().st_size,
        "notes": [],
    }


def test_a_motion_as_a_table(run: Run, tmp_path: Path, waving: Path) -> None:
    run("export", waving, tmp_path / "wave.csv", "--motion", "wave")
    head, *rows = (tmp_path / "wave.csv").read_text("utf-8").splitlines()
    assert head == "time [s],A [rad],B [rad]"
    assert rows[-1].startswith("1.0,1.570796")


def test_motions_become_animations(run: Run, tmp_path: Path, waving: Path) -> None:
    run("export", waving, tmp_path / "wave.gltf")
    content = json.loads((tmp_path / "wave.gltf").read_text("utf-8"))
    assert [animation["name"] for animation in content["animations"]] == ["wave"]


def test_a_pose_as_a_table(run: Run, tmp_path: Path) -> None:
    run("export", "puma560", tmp_path / "pose.csv", "--q", "elbow=0.5")
    _, row = (tmp_path / "pose.csv").read_text("utf-8").splitlines()
    assert row.split(",")[3] == "0.5"


def test_unknown_suffix_and_motion(run: Run, tmp_path: Path, waving: Path) -> None:
    code, _, err = run("export", waving, tmp_path / "out.xyz")
    assert code == 1 and "no format writes '.xyz' files" in err and "glb (.glb)" in err
    code, _, err = run("export", waving, tmp_path / "out.svg", "--motion", "wave")
    assert code == 1 and "format 'svg' cannot contain recorded motions" in err
    code, _, err = run("export", waving, tmp_path / "out.csv", "--motion", "wvae")
    assert code == 1 and "motion 'wvae' is not in" in err and "wave" in err


@pytest.mark.parametrize("suffix", ["glb", "html", "svg", "csv"])
def test_a_mode_that_does_not_exist_is_refused(run: Run, tmp_path: Path, suffix: str) -> None:
    text = kg.load("four-bar").to_raff().replace("raff: 1", "raff: 1\nmode: 3", 1)
    (tmp_path / "bars.raff").write_text(text, encoding="utf-8")
    answer = run("export", tmp_path / "bars.raff", tmp_path / f"out.{suffix}")
    assert answer.code == 1 and "names mode '3'" in answer.err
    assert not (tmp_path / f"out.{suffix}").exists()


def test_units_of_both_versions(run: Run, tmp_path: Path) -> None:
    for flags, version in ((), "2.0"), (("--fmi", "3"), "3.0"):
        target = tmp_path / f"bars{version}.fmu"
        assert run("export", "five-bar", target, *flags).code == 0
        with zipfile.ZipFile(target) as unit:
            assert f'fmiVersion="{version}"' in unit.read("modelDescription.xml").decode()
    code, _, err = run("export", "five-bar", tmp_path / "bars.urdf", "--fmi", "3")
    assert code == 1 and "--fmi is for .fmu files" in err
