"""Virtual cameras: pictures of a mechanism carve a body of its size."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.hull import ImageSource, VirtualCameras, WorldCameras, hulls
from tests.support.silhouettes import box, hull_volume

pytest.importorskip("mujoco")

BAR = """\
raff: 1
name: bar
base: {shape: {sphere: 0.01}}
joints: [{name: A, parent: base, shape: {box: [0.4, 0.2, 0.3]}, color: red}]
"""
SENSORS = """\
world: {floor: -1}
sensors:
  - {name: front, type: camera, at: {xyz: [2, 0, 0], rpy: [0, 0, 180 deg]}, rate: 50,
     images: [color, segmentation]}
  - {name: side, type: camera, at: {xyz: [0, 2, 0], rpy: [0, 0, -90 deg]}, rate: 50,
     images: [color, segmentation]}
  - {name: other, type: camera, at: {xyz: [0, -2, 0]}}
"""


def test_a_box_is_carved_as_it_is() -> None:
    mechanism = kg.load(BAR)
    with VirtualCameras(mechanism, [None, {"A": np.pi / 2}], body=["A"], count=12) as source:
        assert isinstance(source, ImageSource)
        (_, first), (_, turned) = hulls(source, [[-0.5] * 3, [0.5] * 3], 80)
    for hull, (x, y, z) in ((first, (0.2, 0.1, 0.15)), (turned, (0.1, 0.2, 0.15))):
        # voxels of 12.5 mm and pixels of 3 mm
        true = hull_volume(source.cameras, box((-x, -y, -z), (x, y, z)), -0.5, 0.5)
        assert hull.volume == pytest.approx(true, rel=0.03)
    red = first.colours[(first.colours != 160).any(axis=1)]
    assert (red[:, 0] > 2 * red[:, 1].astype(int)).mean() > 0.95


def test_camera_sensors_of_a_world() -> None:
    with kg.World(BAR + SENSORS) as world:
        source = WorldCameras(world, ["A"], sensors=["front", "side"])
        assert isinstance(source, ImageSource)
        frame, hull = next(hulls(source, [[-0.5] * 3, [0.5] * 3], 40))
        assert frame.silhouettes.any(axis=(1, 2)).all()
        assert np.ptp(hull.vertices, axis=0) == pytest.approx((0.4, 0.2, 0.3), abs=0.06)
        with pytest.raises(UsageError, match=r"camera 'other' takes color; a hull needs"):
            WorldCameras(world, ["A"])
        with pytest.raises(kg.errors.KinegenError, match="'B' is not"):
            WorldCameras(world, ["B"], sensors=["front"])
