"""Hulls of known bodies: volume, colours, files, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import trimesh

import kinegen as kg
from kinegen.errors import FormatError, UsageError
from kinegen.hull import PinholeCamera, VirtualCameras, camera_ring, carve, hulls
from tests.support.silhouettes import Hits, any_of, box, capsule, hull_volume, silhouette, sphere

CAMERAS = camera_ring((0, 0, 0), 4.0, 8)
CUBE = [[-1, -1, -1], [1, 1, 1]]
BODIES = {
    "sphere": sphere((0.1, 0, 0), 0.7),
    "box": box((-0.6, -0.5, -0.4), (0.5, 0.6, 0.7)),
    "two capsules": any_of(
        capsule((-0.5, 0, -0.6), (-0.3, 0.1, 0.6), 0.2), capsule((0.4, 0, -0.6), (0.4, 0, 0.6), 0.2)
    ),
}


def views(body: Hits) -> list[np.ndarray]:
    return [silhouette(camera, body) for camera in CAMERAS]


@pytest.mark.parametrize("name", BODIES)
def test_volume_is_that_of_the_true_visual_hull(name: str) -> None:
    body = BODIES[name]
    hull = carve(CAMERAS, views(body), CUBE, 64)
    # pixels of 14 mm: a voxel at the surface is lost if one of eight pictures lacks its pixel,
    # which takes 2 % of the thin capsules
    true = hull_volume(CAMERAS, body, -1.0, 1.0)
    assert hull.volume == pytest.approx(true, rel=0.025)
    assert not hull.touches_box
    mesh = trimesh.Trimesh(hull.vertices, hull.triangles)
    assert mesh.volume == pytest.approx(hull.volume, rel=0.05)


def test_more_cameras_carve_more_and_never_into_the_body() -> None:
    body = BODIES["sphere"]
    few = carve(CAMERAS[::2], views(body)[::2], CUBE, 48)
    all_of_them = carve(CAMERAS, views(body), CUBE, 48)
    assert all_of_them.volume < few.volume
    # centres of voxels well inside the sphere are kept
    centres = [np.linspace(-1, 1, 48, endpoint=False) + 1 / 48] * 3
    x, y, z = np.meshgrid(*centres, indexing="ij")
    inside = np.sqrt((x - 0.1) ** 2 + y**2 + z**2) < 0.67
    assert all_of_them.voxels[inside].all()


def test_colours_of_a_body_of_two_halves() -> None:
    """Red for x < 0, blue for x > 0, as each pixel's ray meets the sphere."""
    body, pictures = sphere((0, 0, 0), 0.7), []
    for camera in CAMERAS:
        columns, rows = np.meshgrid(np.arange(320) + 0.5, np.arange(240) + 0.5)
        f, (cx, cy) = camera.focal[0], camera.centre
        rays = np.stack([np.ones_like(columns), (cx - columns) / f, (cy - rows) / f], -1)
        rays = rays @ camera.X_WC.rotation.T
        rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
        eye = camera.X_WC.translation
        along = rays @ eye
        far = -along - np.sqrt(np.maximum(along**2 - eye @ eye + 0.49, 0))
        is_red = (eye + far[..., None] * rays)[..., 0] < 0
        pictures.append(np.where(is_red[..., None], [255, 0, 0], [0, 0, 255]).astype(np.uint8))
    hull = carve(CAMERAS, views(body), CUBE, 64, pictures=pictures)
    away = np.abs(hull.vertices[:, 0]) > 0.15
    seen = (hull.colours != 160).any(axis=1)
    assert seen.mean() > 0.95
    red = hull.colours[:, 0] > hull.colours[:, 2]
    right = (red == (hull.vertices[:, 0] < 0))[away & seen]
    # the hull bulges beyond the sphere where no camera looks along its edge
    assert right.mean() > 0.98


def test_a_front_body_hides_one_behind_it_from_the_colours() -> None:
    """Both bodies are red; the pictures of the camera in front are green where it sees one."""
    front, back = sphere((0.6, 0, 0), 0.2), sphere((-0.6, 0, 0), 0.2)
    cameras = [
        PinholeCamera.looking_at(name, at, (0, 0, 0))
        for name, at in (("front", (4, 0, 0)), ("side", (0, 4, 0)), ("top", (0.001, 0, 4)))
    ]
    masks = [silhouette(camera, any_of(front, back)) for camera in cameras]
    pictures = np.zeros((3, 240, 320, 3), np.uint8)
    pictures[0, ..., 1], pictures[1:, ..., 0] = 255, 255
    hull = carve(cameras, masks, CUBE, 64, pictures=pictures)
    behind = hull.vertices[:, 0] < -0.3
    seen = (hull.colours != 160).any(axis=1)
    assert (hull.colours[~behind & seen, 1] > 0).any()
    assert not hull.colours[behind & seen, 1].any()


def test_files(tmp_path: Path) -> None:
    hull = carve(CAMERAS, views(BODIES["box"]), CUBE, 24)
    for suffix in (".ply", ".glb", ".stl"):
        hull.save(tmp_path / f"body{suffix}")
        mesh = trimesh.load(tmp_path / f"body{suffix}", force="mesh")
        assert len(mesh.faces) == len(hull.triangles)
    coloured = trimesh.load(tmp_path / "body.ply", force="mesh")
    np.testing.assert_array_equal(coloured.visual.vertex_colors[:, :3], hull.colours)
    hull.save(tmp_path / "body.npz")
    with np.load(tmp_path / "body.npz") as arrays:
        np.testing.assert_array_equal(arrays["voxels"], hull.voxels)
    with pytest.raises(FormatError, match=r"\.ply"):
        hull.save(tmp_path / "body.obj")


def test_a_box_that_cuts_the_body_is_reported() -> None:
    hull = carve(CAMERAS, views(BODIES["box"]), [[-1, -1, 0], [1, 1, 1]], 32)
    assert hull.touches_box
    assert hull.voxels.shape == (32, 32, 16)


def test_nothing_inside_all_silhouettes() -> None:
    masks = np.zeros((8, 240, 320), bool)
    masks[:4, :10], masks[4:, -10:] = True, True
    hull = carve(CAMERAS, masks, CUBE, 16)
    assert hull.volume == 0 and len(hull.triangles) == 0
    with pytest.raises(UsageError, match="hull is empty"):
        hull.to_bytes("a.ply")


def test_what_is_refused() -> None:
    good = views(BODIES["sphere"])
    inside = PinholeCamera.looking_at("near", (0.5, 0, 0), (0, 0, 0))
    odd = PinholeCamera.looking_at("small", (4, 0, 0), (0, 0, 0), pixels=(160, 120))
    bad_number = np.where(good[1], np.nan, 0.0)
    for cameras, masks, space, resolution, message in (
        ((), (), CUBE, 64, "needs 1 to 256 cameras, got 0"),
        ((inside,), good[:1], CUBE, 64, r"camera 'near' is inside the box, at \(0.5, 0, 0\) m"),
        ((CAMERAS[0], odd), good[:2], CUBE, 64, "'small' has pictures of 160 × 120 pixels and 'ca"),
        (CAMERAS, good[:3], CUBE, 64, "3 silhouettes for 8 cameras"),
        (CAMERAS[:1], [good[0][:100]], CUBE, 64, "240 rows and 320 columns, got 100 × 320"),
        (CAMERAS[:1], [0 * good[0]], CUBE, 64, "silhouette of camera 'camera1' is empty"),
        (CAMERAS[:2], [good[0], bad_number], CUBE, 64, "'camera2' must be made of finite numbers"),
        (CAMERAS, good, [[0, 0, 0], [1, math.nan, 1]], 64, "box must be two corners"),
        (CAMERAS, good, [[0, 0, 0], [1, -1, 1]], 64, "along y it goes from 0 to -1 m"),
        (CAMERAS, good, CUBE, 1000, "resolution must be .*256"),
        (CAMERAS, good, "box", 64, "two corners of three finite numbers .* got 'box'"),
        (CAMERAS, good, [[0, 1], [1]], 64, "two corners of three finite numbers"),
        (["a"], good[:1], CUBE, 64, "must be kinegen.hull.PinholeCamera objects, got str"),
        (CAMERAS[:1], [[[1], [1, 2]]], CUBE, 64, "must have 240 rows and 320 columns"),
    ):
        with pytest.raises(UsageError, match=message):
            carve(cameras, masks, space, resolution)
    with pytest.raises(UsageError, match=r"picture of camera 'camera1' must be uint8 of 240 × 320"):
        carve(CAMERAS[:1], good[:1], CUBE, pictures=np.zeros((1, 240, 320, 3)))
    with pytest.raises(UsageError, match="focal lengths must be greater than 0"):
        PinholeCamera("c", 4, 4, (0.0, 1.0), (2, 2), kg.SE3.identity())
    with pytest.raises(UsageError, match=r"pose must be a kinegen\.SE3, got NoneType"):
        PinholeCamera("c", 4, 4, (1.0, 1.0), (2, 2), None)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="two focal lengths"):
        PinholeCamera("c", 4, 4, 1.0, (2, 2), kg.SE3.identity())  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="look at three finite numbers"):
        camera_ring("middle", 1.0)
    with pytest.raises(UsageError, match=r"has 'cameras' and 'frames\(\)'; str lacks one"):
        next(hulls("cameras.yaml", CUBE))  # type: ignore[arg-type]
    for options, message in (
        ({"field_of_view": 0.0}, "between 0 and 180°"),
        ({"pixels": (0, 0)}, "side of a picture must be a whole number"),
    ):
        with pytest.raises(UsageError, match=message):
            VirtualCameras(kg.load("four-bar"), **options)  # type: ignore[arg-type]
