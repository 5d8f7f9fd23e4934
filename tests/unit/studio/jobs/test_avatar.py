"""Camera files and their pictures as a page asks for them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError
from kinegen.hull import camera_ring
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files import camera_files
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.questions.avatar import CameraPicturePiece
from kinegen.world.sensors.camera import png
from tests.unit.studio.workbench import put

TEXT = """
cameras:
  - {name: front, pixels: [8, 6], position: [3, 0, 1], look_at: [0, 0, 1], images: front,
     background: front.png}
  - {name: left, pixels: [8, 6], position: [0, 3, 1], look_at: [0, 0, 1], images: left,
     background: left.png}
box: {lower: [-1, -1, 0], upper: [1, 1, 2]}
threshold: 25
"""


@pytest.fixture
def compiled(tmp_path: Path) -> CompiledText:
    (tmp_path / "film").mkdir()
    (tmp_path / "film" / "cameras.yaml").write_text(TEXT, encoding="utf-8")
    (tmp_path / "notes.yaml").write_text("title: none\n", encoding="utf-8")
    for index, name in enumerate(("front", "left")):
        (tmp_path / "film" / name).mkdir()
        empty = np.full((6, 8, 3), 7, dtype=np.uint8)
        (tmp_path / "film" / f"{name}.png").write_bytes(png(empty))
        for frame in range(2):
            empty[1:5, 2:6] = 100 + 10 * index + frame
            (tmp_path / "film" / name / f"{frame}.png").write_bytes(png(empty))
    return CompiledText.read(kg.load("four-bar").to_raff(), Project(tmp_path))


def test_a_camera_file_is_found_and_read_as_python_reads_it(compiled: CompiledText) -> None:
    assert put(compiled, "camera_files")[0].files == ["film/cameras.yaml"]
    found, _ = put(compiled, "camera_file", file="film/cameras.yaml")
    assert (found.frames, found.trouble, found.threshold) == (2, "", 25)
    assert found.lower == (-1, -1, 0) and found.upper == (1, 1, 2)
    twin = kg.hull.read_cameras(Path(compiled.root) / "film" / "cameras.yaml").cameras
    for one, camera in zip(found.cameras, twin, strict=True):
        assert (one.name, one.width, one.height) == (camera.name, 8, 6)
        assert one.pose[:9] == camera.X_WC.rotation.ravel().tolist()
        assert one.pose[9:] == camera.X_WC.translation.tolist()
        assert one.focal == camera.focal and one.centre == camera.centre


def test_pictures_come_with_their_silhouettes_as_opacity(compiled: CompiledText) -> None:
    found, pieces = put(compiled, "camera_pictures", file="film/cameras.yaml", frame=1)
    assert found.name == "1"
    twin = kg.hull.PictureFolders(
        kg.hull.read_cameras(Path(compiled.root) / "film" / "cameras.yaml")
    ).frame(1)
    for index, (head, data) in enumerate(pieces.kind(CameraPicturePiece)):
        assert head.camera == index
        pixels = np.frombuffer(data, np.uint8).reshape(6, 8, 4)
        assert (pixels[..., :3] == twin.pictures[index]).all()
        assert (pixels[..., 3] == 255 * twin.silhouettes[index]).all()
        assert pixels[2, 3].tolist() == [101 + 10 * index] * 3 + [255]


def test_a_file_without_pictures_can_place_webcams(compiled: CompiledText) -> None:
    text = TEXT.replace(", images: front", "").replace(", images: left", "")
    (Path(compiled.root) / "webcams.yaml").write_text(text, encoding="utf-8")
    found, _ = put(compiled, "camera_file", file="webcams.yaml")
    assert found.frames == 0 and "'front' has no 'images'" in found.trouble
    assert len(found.cameras) == 2


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"file": "../elsewhere.yaml"}, "not a path in the project folder"),
        ({"file": "/etc/passwd"}, "not a path in the project folder"),
        ({"file": "none.yaml"}, "cannot be read"),
        ({"file": "arm.raff"}, "not a camera file"),
        ({"file": "notes.yaml"}, "cameras"),
        ({"file": "film/cameras.yaml", "frame": 7}, "has 2 frames"),
        ({"file": "film/cameras.yaml", "frame": -1}, "frame must be a whole number"),
    ],
)
def test_bad_questions(compiled: CompiledText, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(KinegenError, match=message) as raised:
        put(compiled, "camera_pictures", **{"frame": 0, **fields})
    assert compiled.root not in str(raised.value)


def test_pictures_outside_the_project_folder_are_refused(
    compiled: CompiledText, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    root = Path(compiled.root)
    escape = os.path.relpath(other, root)
    (root / "out.yaml").write_text(TEXT.replace("images: front", f"images: {escape}"), "utf-8")
    for kind, more in (("camera_file", {}), ("camera_pictures", {"frame": 0})):
        with pytest.raises(KinegenError, match="not in the project folder"):
            put(compiled, kind, file="out.yaml", **more)
    # neither by a link
    secret = other / "1.png"
    secret.write_bytes((root / "film" / "left" / "1.png").read_bytes())
    (root / "film" / "left" / "1.png").unlink()
    try:
        (root / "film" / "left" / "1.png").symlink_to(secret)
    except OSError:
        pytest.skip("this system makes no symbolic links")
    with pytest.raises(KinegenError, match="not in the project folder"):
        put(compiled, "camera_pictures", file="film/cameras.yaml", frame=1)


def test_too_many_pixels_are_refused(
    compiled: CompiledText, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(camera_files, "MOST_PIXELS", 2 * 48 - 1)
    with pytest.raises(KinegenError, match="96 pixels together"):
        put(compiled, "camera_file", file="film/cameras.yaml")


def test_rings_of_the_page_have_these_angles() -> None:
    # web/tests/kernel/hull.test.ts compares the page's ring with this one
    ring = camera_ring((0, 0, 0), 2.0, 4)
    heights = [one.X_WC.translation[2] for one in ring]
    assert heights[0] == heights[2] < 0 < heights[1] == heights[3]
