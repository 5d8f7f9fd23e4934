import csv
import io
import json
import sys

import numpy as np
import pytest

import kinegen as kg
from kinegen.curves import ellipse_by_corners
from kinegen.errors import FormatError, UsageError
from kinegen.formats.motions.joint_table import path_file, to_csv, to_json, to_mcap, to_npz
from kinegen.motion.follow import follow
from kinegen.motion.path import Path


@pytest.fixture(scope="module")
def path() -> Path:
    model = kg.load("five-bar").compile()
    return follow(model, ellipse_by_corners((0, 0.2, 0), (0.2, 0.45, 0)), "handle", points=40)


def test_csv_has_a_row_per_point_and_says_why(path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(path))))
    assert len(rows) == 40
    for i, row in enumerate(rows):
        if path.reachable[i]:
            assert abs(float(row["A [rad]"]) - path.q[i, 0]) < 1e-8
            assert abs(float(row["speed of A [rad/s]"]) - path.v[i, 0]) < 1e-6
            assert row["acceleration of A [rad/s2]"]
            assert row["reason"] == ""
        else:
            assert row["A [rad]"] == ""
            assert "out of reach" in row["reason"]


def test_json_and_npz_hold_the_same(path: Path) -> None:
    data = json.loads(to_json(path))
    arrays = np.load(io.BytesIO(to_npz(path)))
    assert np.array_equal(arrays["q"], path.q, equal_nan=True)
    assert arrays["columns"].tolist() == data["columns"]
    assert data["q"][int(np.argmin(path.reachable))] == [None] * 5


def test_mcap_is_read_back(path: Path) -> None:
    reader = pytest.importorskip("mcap.reader")
    log = reader.make_reader(io.BytesIO(to_mcap(path)))
    messages = [json.loads(message.data) for _, _, message in log.iter_messages()]
    assert len(messages) == path.reachable_count
    assert np.allclose([m["position"] for m in messages], path.q[path.reachable])


def test_a_missing_package_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcap.writer", None)
    with pytest.raises(FormatError, match="pip install"):
        to_mcap(path)


def test_suffixes_choose(path: Path) -> None:
    assert path_file(path, "a.CSV").startswith(b"time [s]")
    with pytest.raises(UsageError, match="csv"):
        path_file(path, "a.doc")
