"""Cameras draw meshes of people: silhouettes, depths and colours, compared with the mesh itself."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import kinegen as kg
from kinegen.world.drawing import painter
from kinegen.world.people.body_mesh import BodyMesh, body_mesh
from kinegen.world.people.triangles import Triangles
from tests.unit.world.people.support import figure

pytestmark = pytest.mark.usefixtures("drawing")

WIDTH, HEIGHT, OPENING = 120, 150, math.radians(60)
EYE = np.array([-0.5, 0.0, 1.0])
ROOM = f"""raff: 1
world: {{floor: -2, step: 10 ms}}
joints: [{{name: arm, parent: base, motor: true, shape: {{box: [0.1, 0.1, 0.1]}}}}]
sensors:
  - {{name: eye, type: camera, rate: 50, pixels: [{WIDTH}, {HEIGHT}], field_of_view: 60 deg,
     images: [color, depth, segmentation], at: {{xyz: [-0.5, 0, 1]}}, range: [0.1, 20]}}
"""


def pictures(world: kg.World) -> tuple[Any, Any, Any]:
    world.run(0.02)
    return tuple(world.signals[f"eye.{one}"].value for one in ("color", "depth", "segmentation"))  # type: ignore[return-value]


def number(world: kg.World, name: str) -> int:
    return int(world.sensors["eye"].names.index(name))  # type: ignore[attr-defined]


def pixels_of(mesh: BodyMesh) -> npt.NDArray[np.bool_]:
    """Pixels whose middles are inside a projected triangle: the silhouette of the mesh."""
    focal = HEIGHT / 2 / math.tan(OPENING / 2)
    # the camera looks along x: pixels to the right are along -y, downwards along -z
    away = mesh.corners - EYE
    u = WIDTH / 2 - focal * away[..., 1] / away[..., 0]
    v = HEIGHT / 2 - focal * away[..., 2] / away[..., 0]
    found = np.zeros((HEIGHT, WIDTH), dtype=bool)
    middles = np.stack(np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5), axis=-1)
    for corners in np.stack([u, v], axis=-1):
        low = np.maximum(np.floor(corners.min(axis=0)).astype(int) - 1, 0)
        high = np.ceil(corners.max(axis=0)).astype(int) + 1
        part = np.s_[low[1] : high[1], low[0] : high[0]]
        sides = []
        for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            (x, y), to = end - start, middles[part] - start
            sides.append(x * to[..., 1] - y * to[..., 0])
        inside = np.all(np.array(sides) >= 0, axis=0) | np.all(np.array(sides) <= 0, axis=0)
        found[part] |= inside
    return found


def ahead(mesh: BodyMesh) -> Any:
    """The depth of each pixel, by a ray through its middle."""
    focal = HEIGHT / 2 / math.tan(OPENING / 2)
    u, v = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
    rays = np.stack([np.ones_like(u), (WIDTH / 2 - u) / focal, (HEIGHT / 2 - v) / focal], axis=-1)
    sizes = np.linalg.norm(rays, axis=-1, keepdims=True)
    tree = Triangles(mesh.vertices, mesh.triangles)
    found = tree.cast(EYE, (rays / sizes).reshape(-1, 3)).reshape(HEIGHT, WIDTH)
    return found / sizes[..., 0]


def test_a_segmentation_shows_the_silhouette_and_the_depth_is_that_of_the_mesh() -> None:
    with kg.World(ROOM) as world:
        pictures(world)
        for place in ((2.0, 0.2, 0.0), (1.6, -0.3, 0.1)):
            mesh = body_mesh(figure(place), "ada")
            world.people.place("ada", mesh=mesh)
            _, depth, numbers = pictures(world)
            seen = numbers == number(world, "ada")
            expected = pixels_of(mesh)
            assert expected.sum() > 1500
            # an edge through a pixel may count either way: fewer than half of its outline
            outline = expected ^ (
                np.roll(expected, 1, 0) & np.roll(expected, -1, 0)
                & np.roll(expected, 1, 1) & np.roll(expected, -1, 1) & expected
            )  # fmt: skip
            assert (seen != expected).sum() < 0.1 * outline.sum()
            assert not (seen & ~expected)[1:-1, 1:-1].sum() > 0.05 * outline.sum()
            inner = seen & expected & ~outline
            assert depth[inner] == pytest.approx(ahead(mesh)[inner], abs=5e-3)
            # between the legs the floor behind is seen, which capsules or a hull would hide
            column, row = (int(one) for one in _pixel(np.array(place) + [0, 0, 0.4]))
            assert not seen[row, column]
        world.people.remove("ada")
        assert not (pictures(world)[2] == number(world, "ada")).any()


def _pixel(place: Any) -> tuple[float, float]:
    focal = HEIGHT / 2 / math.tan(OPENING / 2)
    x, y, z = place - EYE
    return WIDTH / 2 - focal * y / x, HEIGHT / 2 - focal * z / x


def test_colours_are_those_of_the_mesh_where_they_are() -> None:
    with kg.World(ROOM) as world:
        world.people.place("ada", mesh=figure((2, 0, 0)))
        color, _, _ = pictures(world)

        def shade(z: float) -> Any:
            column, row = (int(one) for one in _pixel(np.array([1.9, 0.0, z])))
            return color[row, column].astype(int)

        trunk, head = shade(1.2), shade(1.65)
        assert trunk[0] > 2 * trunk[1] and trunk[0] > 2 * trunk[2]  # red
        assert head[0] > head[1] > head[2] > 0.4 * head[0]  # a skin
        column, row = (int(one) for one in _pixel(np.array([1.9, 0.15, 0.5])))
        blue = color[row, column].astype(int)
        assert blue[2] > 2 * blue[0]
        # a mesh without colours has that of its person
        world.people.place("ada", mesh=figure((2, 0, 0), colour=False), color="lime")
        color, _, _ = pictures(world)
        green = shade(1.2)
        assert green[1] > 2 * green[0] and green[1] > 2 * green[2]


def test_several_people_and_larger_meshes_find_room(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    original = painter.Painter._open

    def counted(self: painter.Painter) -> None:
        opened.append(1)
        original(self)

    monkeypatch.setattr(painter.Painter, "_open", counted)
    with kg.World(ROOM) as world:
        pictures(world)
        names = ("ada", "ben")
        for i in range(4):
            for name, y in zip(names, (0.5, -0.5), strict=True):
                world.people.place(name, mesh=figure((2 + 0.05 * i, y, 0)))
            seen = pictures(world)[2]
            for name, y in zip(names, (0.5, -0.5), strict=True):
                mask = seen == number(world, name)
                expected = pixels_of(body_mesh(figure((2 + 0.05 * i, y, 0)), name))
                assert abs(int(mask.sum()) - int(expected.sum())) < 0.06 * expected.sum()
                assert (mask & expected).sum() > 0.94 * expected.sum()
        # once for the world, and once for two people: their next meshes need no other model
        assert len(opened) <= 3
        # one that has more triangles than there is room for
        whole = figure((2, 0.5, 0))
        whole.triangles = np.concatenate([whole.triangles] * 3)
        assert len(whole.triangles) > 4096
        world.people.place("ada", mesh=whole)
        seen = pictures(world)[2]
        assert (seen == number(world, "ada")).sum() > 1000
        assert (seen == number(world, "ben")).sum() > 1000
        before = len(opened)
        world.people.stand("ada", (2, 0.5, 0))  # capsules again, and back
        pictures(world)
        world.people.place("ada", mesh=whole)
        assert (pictures(world)[2] == number(world, "ada")).sum() > 1000
        assert len(opened) == before
