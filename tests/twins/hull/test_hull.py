"""Visual hulls: compiled, NumPy and WebAssembly kernels agree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinegen.hull import camera_ring
from kinegen.kernels import backend, reference, wasm_bytes
from tests.support.silhouettes import any_of, capsule, silhouette, sphere
from tests.support.wasm.program import BAD_INDEX, BAD_SIZE, NEEDS_WASM, Program

pytestmark = NEEDS_WASM

BOX = np.array([[-0.8, -0.7, -0.9], [0.8, 0.9, 0.7]])
SHAPE = np.array([22, 17, 24], dtype=np.int32)
VOXEL = 0.12
BODY = any_of(sphere((0.2, 0, 0.1), 0.3), capsule((-0.5, -0.4, -0.3), (0.3, 0.5, 0.4), 0.15))
# the same operations in the same order; normals and means are sums of a few numbers
TOLERANCE = 1e-12


def arrays() -> dict[str, np.ndarray]:
    """Five cameras, of which two are so near that they see only a part."""
    rng = np.random.default_rng(1)
    cameras = (*camera_ring((0, 0, 0), 3.0, 3, pixels=(64, 48)),
               *camera_ring((0.1, 0, 0), 1.3, 2, pixels=(64, 48)))  # fmt: skip
    return {
        "masks": np.array([silhouette(one, BODY) for one in cameras]).astype(np.uint8),
        "P": np.array([one.projection for one in cameras]),
        "centres": np.array([one.X_WC.translation for one in cameras]),
        "pictures": rng.integers(0, 256, (5, 48, 64, 3)).astype(np.uint8),
    }


def results(kernels: Any, given: dict[str, np.ndarray]) -> list[np.ndarray]:
    masks, P = given["masks"], given["P"]
    voxels = kernels.hull_carve(masks, P, BOX, SHAPE)
    vertices, triangles = kernels.hull_surface(voxels, BOX, 3)
    colours = kernels.hull_colours(
        masks, given["pictures"], P, given["centres"], VOXEL, vertices, triangles
    )
    return [voxels, vertices, triangles, colours]


def test_compiled_numpy_and_wasm_agree(tmp_path: Path) -> None:
    given = arrays()
    ours = results(backend.module(), given)
    voxels, vertices, triangles, colours = ours
    assert 100 < voxels.sum() < voxels.size / 2 and len(np.unique(colours)) > 100
    for mine, other in zip(ours, results(reference, given), strict=True):
        assert mine.shape == other.shape and mine.dtype == other.dtype
        np.testing.assert_allclose(mine, other, atol=TOLERANCE, rtol=0)

    program, room = Program(), np.zeros_like
    masks, P, size = given["masks"], given["P"], (48, 64)
    carved = program.call("kg_hull_carve", masks, P, *size, BOX, SHAPE, room(voxels))
    counted = program.call("kg_hull_counts", voxels, BOX, SHAPE, np.zeros(2, np.int32))
    meshed = program.call("kg_hull_surface", voxels, BOX, SHAPE, 3, room(vertices), room(triangles))
    painted = program.call(
        "kg_hull_colours", masks, given["pictures"], P, given["centres"], *size, VOXEL, vertices,
        triangles, room(colours),
    )  # fmt: skip
    short = program.call("kg_hull_carve", masks[1:], P, *size, BOX, SHAPE, room(voxels))
    flat = program.call("kg_hull_counts", voxels, BOX[::-1].copy(), SHAPE, np.zeros(2, np.int32))
    small = program.call(
        "kg_hull_surface", voxels, BOX, SHAPE, 3, room(vertices[1:]), room(triangles)
    )
    wrong = program.call(
        "kg_hull_colours", masks, given["pictures"], P, given["centres"], *size, VOXEL, vertices,
        triangles + 1, room(colours),
    )  # fmt: skip
    program.run(wasm_bytes(), tmp_path)
    assert carved.returned == voxels.sum()
    np.testing.assert_array_equal(carved.arrays[-1], voxels)
    assert counted.arrays[-1].tolist() == [len(vertices), len(triangles)]
    np.testing.assert_allclose(meshed.arrays[-2], vertices, atol=TOLERANCE, rtol=0)
    np.testing.assert_array_equal(meshed.arrays[-1], triangles)
    np.testing.assert_array_equal(painted.arrays[-1], colours)
    assert [one.returned for one in (short, flat, small)] == [BAD_SIZE] * 3
    assert wrong.returned == BAD_INDEX


@pytest.mark.parametrize("name", ["native", "reference"])
def test_the_surface_is_closed_and_faces_outwards(name: str) -> None:
    kernels: Any = backend.module() if name == "native" else reference
    voxels = np.zeros((6, 5, 4), np.uint8)
    voxels[1:5, 1:4, 1:4] = 1  # up to the end of z
    box = np.array([[0.0, 0, 0], [6, 5, 4]])
    vertices, triangles = kernels.hull_surface(voxels, box, 0)
    edges = {(int(a), int(b)) for t in triangles for a, b in zip(t, np.roll(t, -1), strict=True)}
    assert len(edges) == 3 * len(triangles) and all((b, a) in edges for a, b in edges)
    a, b, c = (vertices[one] for one in triangles.T)
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
    # a box of voxels without its edges and corners, which surface nets cut off
    assert 0.75 * voxels.sum() < volume < voxels.sum()
