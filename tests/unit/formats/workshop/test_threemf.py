"""3MF files: units, names and colours, read again."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
import zipfile

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.formats.workshop.solid.assembly import solid_assembly
from kinegen.formats.workshop.solid.mesh import mesh_of
from kinegen.formats.workshop.threemf import threemf_bytes

pytest.importorskip("manifold3d", reason="solids need manifold3d: pip install 'kinegen[workshop]'")
trimesh = pytest.importorskip("trimesh", reason="trimesh checks the meshes: pip install trimesh")

CORE = "{http://schemas.microsoft.com/3dmanufacturing/core/2015/02}"


@pytest.mark.parametrize("layout", ["bed", "assembled"])
def test_the_file_has_names_colours_units_and_the_same_bodies(layout: str) -> None:
    assembly = solid_assembly(kg.load("four-bar"))
    data, messages = threemf_bytes(assembly, layout=layout)
    assert messages == [] and data == threemf_bytes(assembly, layout=layout)[0]
    archive = zipfile.ZipFile(io.BytesIO(data))
    assert archive.namelist()[0] == "[Content_Types].xml"
    root = ET.fromstring(archive.read("3D/3dmodel.model"))
    assert root.attrib["unit"] == "millimeter"
    objects = {one.attrib["id"]: one for one in root.iter(f"{CORE}object")}
    assert [one.attrib["name"] for one in objects.values()] == [p.name for p in assembly.parts]
    colors = [one.attrib["displaycolor"] for one in root.iter(f"{CORE}base")]
    items = list(root.iter(f"{CORE}item"))
    boxes = []
    for part, item in zip(assembly.parts, items, strict=True):
        own = objects[item.attrib["objectid"]]
        assert colors[int(own.attrib["pindex"])] == part.color.upper() + "FF"
        vertices = np.array([[float(v.attrib[axis]) for axis in "xyz"]
                             for v in own.iter(f"{CORE}vertex")])  # fmt: skip
        faces = [
            [int(t.attrib[k]) for k in ("v1", "v2", "v3")] for t in own.iter(f"{CORE}triangle")
        ]
        mesh = trimesh.Trimesh(vertices, faces, process=False)
        assert mesh.is_watertight
        # seven digits of every coordinate
        assert mesh.volume / 1e9 == pytest.approx(mesh_of(part).volume, rel=1e-5)
        numbers = np.array([float(word) for word in item.attrib["transform"].split()])
        placed = vertices @ numbers[:9].reshape(3, 3) + numbers[9:]
        boxes.append((placed.min(axis=0), placed.max(axis=0)))
        if layout == "assembled":
            expected = vertices @ part.X_WS.so3.matrix.T + 1000 * part.X_WS.translation
            assert np.allclose(placed, expected, atol=1e-5)
    if layout == "bed":
        assert min(low[2] for low, _ in boxes) == pytest.approx(0, abs=1e-6)
        for k, (low, high) in enumerate(boxes):
            for low2, high2 in boxes[:k]:
                assert (np.maximum(low - high2, low2 - high)[:2] > 1).any()


def test_layouts_are_named() -> None:
    with pytest.raises(UsageError, match="use one of bed, assembled"):
        threemf_bytes(solid_assembly(kg.load("four-bar")), layout="pile")
