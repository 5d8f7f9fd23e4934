"""Meshes as convex parts: divided once, kept, and their hull where coacd is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kinegen.curves.mesh_seam import TriangleMesh
from kinegen.errors import FormatError
from kinegen.kinematics.collisions import meshes
from kinegen.mechanism.shapes.shapes import MeshRef

needs_coacd = pytest.mark.skipif(
    not meshes.has_coacd(), reason="coacd is not installed: pip install 'kinegen[contacts]'"
)


def angle() -> TriangleMesh:
    """An L of 1 m, 1 m long, each leg 0.2 m thick: 0.36 m³."""
    ring = [(0, 0), (1, 0), (1, 0.2), (0.2, 0.2), (0.2, 1), (0, 1)]
    corners = np.array([(x, y, z) for z in (0.0, 1.0) for x, y in ring])
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    faces = [f[::-1] for f in caps] + [tuple(6 + k for k in f) for f in caps]
    for a in range(6):
        b = (a + 1) % 6
        faces += [(a, b, 6 + b), (a, 6 + b, 6 + a)]
    return TriangleMesh(corners, np.array(faces, dtype=np.int32))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KINEGEN_CACHE", str(tmp_path))
    return tmp_path / "convex-parts"


@needs_coacd
def test_an_angle_becomes_two_legs_and_is_divided_once(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    content = angle().to_bytes("a.stl")
    shape = MeshRef(file="angle.stl", scale=(2.0, 2.0, 2.0))
    hulls, remark = meshes.mesh_parts(shape, lambda file: content)
    assert len(hulls) == 2 and remark == ""
    said = capsys.readouterr().err
    assert "dividing mesh 'angle.stl', 20 triangles" in said and "2 convex parts" in said
    # each leg reaches 2 m and is 0.4 m thick; the inner corner is empty
    for hull in hulls:
        assert max(np.ptp(hull.corners, axis=0)[:2]) > 1.5
        assert min(np.ptp(hull.corners, axis=0)[:2]) == pytest.approx(0.4, abs=0.05)
    assert len(list(cache.iterdir())) == 1
    monkeypatch.setattr(meshes, "_divide", lambda *given: pytest.fail("divided again"))
    again, _ = meshes.mesh_parts(shape, lambda file: content)
    for hull, kept in zip(hulls, again, strict=True):
        np.testing.assert_array_equal(hull.corners, kept.corners)


@needs_coacd
def test_a_damaged_file_of_the_cache_is_made_again(cache: Path) -> None:
    first = meshes.convex_parts(angle())
    kept = next(cache.iterdir())
    kept.write_bytes(kept.read_bytes()[:100])
    again = meshes.convex_parts(angle())
    assert [len(part) for part in first] == [len(part) for part in again]


def test_without_coacd_the_hull_counts_and_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(meshes, "has_coacd", lambda: False)
    content = angle().to_bytes("a.stl")
    hulls, remark = meshes.mesh_parts(MeshRef(file="angle.stl"), lambda file: content)
    assert len(hulls) == 1
    assert "pip install 'kinegen[contacts]'" in remark and "angle.stl" in remark


def test_a_failure_names_the_mesh(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(program: list[str], **more: object) -> object:
        return popen([sys.executable, "-c", "raise SystemExit('no memory')"], **more)

    popen = subprocess.Popen
    monkeypatch.setattr(meshes.subprocess, "Popen", start)
    with pytest.raises(FormatError, match=r"angle could not be divided into .*: no memory"):
        meshes.convex_parts(angle(), "angle")
    assert not cache.exists()


def test_who_listens_hears_what_is_divided_and_for_how_long(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def start(program: list[str], **more: object) -> object:
        return popen([sys.executable, "-c", "import time; time.sleep(0.1); raise SystemExit(1)"])

    popen = subprocess.Popen
    monkeypatch.setattr(meshes.subprocess, "Popen", start)
    monkeypatch.setattr(meshes, "PERIOD", 0.01)
    heard: list[str] = []
    with meshes.report_dividing(heard.append), pytest.raises(FormatError, match="no message"):
        meshes.convex_parts(angle(), "mesh 'angle.stl'")
    # at once, and again while it takes long
    first = "dividing mesh 'angle.stl', 20 triangles, into convex parts, 0 s"
    assert heard[0] == first and len(heard) > 1
    assert capsys.readouterr().err == ""
