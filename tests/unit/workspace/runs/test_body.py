from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError, UsageError
from kinegen.workspace import boundary, run, voxels_of_run

pytest.importorskip("zarr", reason="needs kinegen[cluster]")
LYNX = kg.load("lynx6")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_cells_of_pieces_are_those_of_all_points(tmp_path: Path, dtype: str) -> None:
    stored = run(LYNX, tmp_path / "a.zarr", count=20_000, chunk=3000, dtype=dtype)
    whole = kg.cloud(LYNX.compile(), count=20_000)
    points = whole.points.astype(dtype).astype(float)
    for frame, index in ((None, -1), ("elbow", 2)):
        streamed = voxels_of_run(stored, cell=0.02, frame=frame)
        together = kg.workspace.voxels_of(points[:, index], 0.02)
        assert streamed.first == together.first
        np.testing.assert_array_equal(streamed.filled, together.filled)


def test_a_body_of_a_store(tmp_path: Path) -> None:
    stored = run(LYNX, tmp_path / "a.zarr", count=20_000, chunk=3000)
    body = boundary(voxels_of_run(stored))
    direct = boundary(kg.cloud(LYNX.compile(), count=20_000).points[:, -1])
    assert body.measure.value == pytest.approx(direct.measure.value, rel=1e-6)
    with pytest.raises(UsageError, match="positive length"):
        voxels_of_run(stored, cell=-1.0)
    with pytest.raises(KinegenError, match="frame 'nose' is not in"):
        voxels_of_run(stored, frame="nose")
    with pytest.raises(UsageError, match="cells, more than"):
        voxels_of_run(stored, cell=1e-5)
