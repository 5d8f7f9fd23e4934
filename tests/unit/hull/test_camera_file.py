"""Camera files and the pictures that they name: read, carved, and refused with their lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinegen.errors import KinegenError
from kinegen.hull import ImageSource, PictureFolders, camera_ring, hulls, read_cameras
from kinegen.world.sensors.camera import png
from tests.support.silhouettes import silhouette, sphere

TEXT = """\
cameras:
  - {name: a, pixels: [64, 48], at: {xyz: [3 m, 0, 0], rpy: [0, 0, 180 deg]}, images: a,
     background: empty.png}
  - {name: b, pixels: [64, 48], position: [0, 300 cm, 0], look_at: [0, 0, 0], images: b,
     background: empty.png}
box: {lower: [-1, -1, -1], upper: [1, 1, 1]}
"""


def write(folder: Path, text: str = TEXT) -> Path:
    (folder / "cameras.yaml").write_text(text, encoding="utf-8")
    return folder / "cameras.yaml"


def fill(folder: Path) -> None:
    """Two frames of a grey sphere before black."""
    (folder / "empty.png").write_bytes(png(np.zeros((48, 64, 3), np.uint8)))
    ring = {one.name: one for one in read_cameras(write(folder)).cameras}
    for name, camera in ring.items():
        (folder / name).mkdir()
        for frame, radius in (("1", 0.5), ("2", 0.7)):
            seen = silhouette(camera, sphere((0, 0, 0), radius))
            picture = np.where(seen[..., None], 200, 0) * np.ones(3)
            (folder / name / f"{frame}.png").write_bytes(png(picture.astype(np.uint8)))


def test_pictures_of_folders_are_carved(tmp_path: Path) -> None:
    fill(tmp_path)
    file = read_cameras(tmp_path / "cameras.yaml")
    a, b = file.cameras
    # both look at the origin, from x and from y
    for camera in (a, b):
        u, v, depth = camera.projection @ [0, 0, 0, 1]
        assert np.allclose([u / depth, v / depth, depth], [32, 24, 3])
    source = PictureFolders(file)
    assert isinstance(source, ImageSource) and len(source) == 2
    found = list(hulls(source, file.box, 32))
    assert [frame.name for frame, _ in found] == ["1", "2"]
    small, large = (hull for _, hull in found)
    # two cylinders that cross have 16/3 r³; the cones towards the cameras widen it
    assert 16 / 3 * 0.5**3 * 0.9 < small.volume < 16 / 3 * 0.5**3 * 1.3
    assert large.volume > 2 * small.volume
    assert set(np.unique(small.colours)) == {160, 200}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("position: [0, 300 cm, 0], ", "", r"yaml:4:.*camera 'b' needs 'at', or 'position' and"),
        ("300 cm", "300 kg", r"yaml:4:.*'kg' is a unit of"),
        ("name: b", "name: a", r"yaml:4:.*'a' is the name of two cameras"),
        ("images: b", "folder: b", r"yaml:4:.*folder of its pictures is 'images'"),
        ("images: b", "images: b, distortion: [0]", "correct them first"),
        ("[64, 48], at", "[64.5, 48], at", "pixels must be whole numbers"),
        ("lower: [-1, -1, -1]", "lower: [-1, -1]", r"yaml:6:"),
        ("box:", "bx:", r"unknown key 'bx'.*box"),
        ("box:", "threshold: 999\nbox:", r"yaml:6:.*the threshold must be from 0 to 255, not 999"),
        (TEXT, "", "the file is empty"),
    ],
)
def test_problems_have_their_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(KinegenError, match=message):
        read_cameras(write(tmp_path, TEXT.replace(old, new)))


def test_pictures_that_do_not_fit(tmp_path: Path) -> None:
    fill(tmp_path)
    file = read_cameras(tmp_path / "cameras.yaml")
    (tmp_path / "b" / "3.png").write_bytes(b"")
    with pytest.raises(KinegenError, match=r"'3.png' is not in the folders of both 'a' and 'b'"):
        PictureFolders(file)
    (tmp_path / "b" / "3.png").unlink()
    (tmp_path / "b" / "2.png").write_bytes(png(np.zeros((48, 32, 3), np.uint8)))
    with pytest.raises(KinegenError, match=r"2.png' has 32 × 48 pixels; camera 'b' has 64 × 48"):
        PictureFolders(file).frame(1)
    (tmp_path / "b" / "2.png").write_bytes(b"no picture")
    with pytest.raises(KinegenError, match=r"2.png: it is not a PNG picture"):
        PictureFolders(file).frame(1)
    with pytest.raises(KinegenError, match="cannot be read"):
        read_cameras(tmp_path / "none.yaml")


def test_a_ring_sees_its_middle() -> None:
    for camera in camera_ring((1, 2, 3), 2.0, 5):
        u, v, depth = camera.projection @ [1, 2, 3, 1]
        assert np.allclose([u / depth, v / depth, depth], [160, 120, 2])
