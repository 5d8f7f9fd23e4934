from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError
from kinegen.world.sensors.camera import png
from tests.support.worlds import world

STUDIO = """raff: 1
base: {shape: none}
joints: [{name: A, parent: base, motor: true, mass: 1, shape: {box: [0.02, 0.02, 0.02]}}]
gravity: [0, 0, 0]
objects:
  - {name: wall, shape: {box: [0.1, 8, 8]}, fixed: true, color: red, at: {xyz: [2.05, 0, 0]}}
  - {name: ball, shape: {sphere: 0.2}, fixed: true, color: blue, at: {xyz: [1.2, 0, 0]}}
sensors:
  - {name: cam, type: camera, parent: A, rate: 50, images: [color, depth, segmentation],
     pixels: [65, 49], field_of_view: 60 deg, range: [0.05, 20]}
"""


pytestmark = pytest.mark.usefixtures("drawing")


@pytest.fixture(scope="module")
def taken(drawing: None) -> Iterator[kg.World]:
    try:
        one = kg.World(STUDIO)
    except KinegenError as error:
        pytest.skip(f"nothing to draw with here: {error}")
    one.run(0.01)
    yield one
    one.close()


def test_the_depth_of_a_plane_is_its_distance_everywhere(taken: kg.World) -> None:
    depth = taken.signals["cam.depth"].value
    assert depth.shape == (49, 65)
    # single precision between 5 cm and 20 m, not along rays but along the axis
    edges = np.concatenate([depth[0], depth[-1], depth[:, 0], depth[:, -1]])
    assert edges == pytest.approx(2.0, abs=1e-3)


def test_a_ball_is_as_large_as_its_angle(taken: kg.World) -> None:
    depth = taken.signals["cam.depth"].value
    assert depth[24, 32] == pytest.approx(1.0, abs=1e-3)
    ball = taken.sensors["cam"].names.index("ball")  # type: ignore[attr-defined]
    seen = taken.signals["cam.segmentation"].value == ball
    focal = taken.sensors["cam"].intrinsics[0]  # type: ignore[attr-defined]
    assert focal == pytest.approx(49 / 2 / math.tan(math.radians(30)))
    # its edge is seen at asin(r/d)
    radius = focal * math.tan(math.asin(0.2 / 1.2))
    assert seen.sum() == pytest.approx(math.pi * radius**2, rel=0.1)
    assert abs(int(np.flatnonzero(seen.any(axis=0)).mean()) - 32) <= 1


def test_colours_and_segments_are_those_of_the_objects(taken: kg.World) -> None:
    color = taken.signals["cam.color"].value
    assert color.dtype == np.uint8 and color.shape == (49, 65, 3)
    red, blue = color[5, 5].astype(int), color[24, 32].astype(int)
    assert red[0] > 2 * red[2] and blue[2] > 2 * blue[0]
    segments, names = taken.signals["cam.segmentation"].value, taken.sensors["cam"].names  # type: ignore[attr-defined]
    assert names[segments[5, 5]] == "wall"


def test_the_same_world_gives_the_same_pictures(taken: kg.World) -> None:
    with kg.World(STUDIO) as again:
        again.run(0.01)
        for key in ("color", "depth", "segmentation"):
            one, other = (w.signals[f"cam.{key}"].value for w in (taken, again))
            assert np.array_equal(one, other)


def test_a_camera_turns_with_its_joint(taken: kg.World) -> None:
    with kg.World(STUDIO, {"A": math.pi}) as turned:
        turned.run(0.01)
        assert np.isinf(turned.signals["cam.depth"].value).all()


def test_a_picture_is_written_as_png() -> None:
    image = pytest.importorskip("PIL.Image")
    picture = np.random.default_rng(1).integers(0, 256, (7, 5, 3), np.uint8)
    assert np.array_equal(np.array(image.open(io.BytesIO(png(picture)))), picture)
    gray = picture[:, :, 0]
    assert np.array_equal(np.array(image.open(io.BytesIO(png(gray)))), gray)


def test_without_a_renderer_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    mujoco = pytest.importorskip("mujoco")

    def fails(*_: Any) -> None:
        raise RuntimeError("no display")

    monkeypatch.setattr(mujoco, "Renderer", fails)
    with pytest.raises(
        KinegenError, match=r"'cam' cannot draw \(RuntimeError: no display\): .*apt"
    ):
        world(STUDIO)


def test_noise_of_a_picture_is_refused() -> None:
    with pytest.raises(KinegenError, match="which has no noise: remove it"):
        world(STUDIO.replace("rate: 50", "rate: 50, noise: 1"))


def test_a_mesh_file_is_seen_and_logged(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    mcap = pytest.importorskip("mcap.reader")
    trimesh.creation.box((200.0, 400.0, 400.0)).export(tmp_path / "block.stl")  # in millimetres
    (tmp_path / "mesh.raff").write_text(
        """raff: 1
base: {shape: none}
gravity: [0, 0, 0]
joints: [{name: A, parent: base, xyz: [1.1, 0, 0], mass: 1, inertia: [1, 1, 1], centre: [0, 0, 0],
          shape: {mesh: block.stl, scale: 0.001}}]
sensors:
  - {name: cam, type: camera, parent: base, rate: 50, pixels: [65, 49],
     images: [depth, segmentation]}
""",
        encoding="utf-8",
    )
    try:
        one = kg.World(tmp_path / "mesh.raff")
    except KinegenError as error:
        pytest.skip(f"nothing to draw with here: {error}")
    with one:
        one.log(tmp_path / "mesh.mcap")
        one.run(0.03)
        assert one.signals["cam.depth"].value[24, 32] == pytest.approx(1.0, abs=1e-3)
        names = one.sensors["cam"].names  # type: ignore[attr-defined]
        assert names[one.signals["cam.segmentation"].value[24, 32]] == "A"
    with open(tmp_path / "mesh.mcap", "rb") as file:
        ((_, _, message),) = mcap.make_reader(file).iter_messages(["/bodies"])
    (body,) = json.loads(message.data)["entities"]
    assert len(body["triangles"][0]["indices"]) == 36
