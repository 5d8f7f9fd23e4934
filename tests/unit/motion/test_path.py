import csv
import io
import json

import numpy as np
import pytest

import kinegen as kg
from kinegen.curves import ellipse_by_corners
from kinegen.errors import FormatError, UsageError
from kinegen.mechanism.headings import v_headings
from kinegen.motion.follow import follow
from kinegen.motion.path import Path


@pytest.fixture(scope="module")
def path() -> Path:
    model = kg.load("five-bar").compile()
    return follow(model, ellipse_by_corners((0, 0.2, 0), (0.2, 0.45, 0)), frame="handle", points=60)


def test_a_run_becomes_a_motion(path: Path) -> None:
    for k, run in enumerate(path.runs):
        motion = path.recording(k)
        assert motion.times[0] == 0
        assert len(motion.times) == run.stop - run.start
        assert np.allclose(motion.at(0.0), path.q[run.start], atol=1e-9)
    with pytest.raises(UsageError, match="unbroken segment"):
        path.recording(len(path.runs))


def test_csv_has_a_row_per_point_and_says_why(path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(path.to_bytes("a.csv").decode())))
    assert len(rows) == 60
    for i, row in enumerate(rows):
        if path.reachable[i]:
            assert float(row["A [rad]"]) == path.q[i, 0]
            assert float(row["speed of A [rad/s]"]) == path.v[i, 0]
            assert row["acceleration of A [rad/s2]"]
            assert row["reason"] == ""
        else:
            assert row["A [rad]"] == ""
            assert "out of reach" in row["reason"]


def test_json_and_npz_hold_the_same(path: Path) -> None:
    data = json.loads(path.to_bytes("a.json"))
    arrays = np.load(io.BytesIO(path.to_bytes("a.npz")))
    assert np.array_equal(arrays["q"], path.q, equal_nan=True)
    assert arrays["columns"].tolist() == data["columns"]
    assert data["q"][int(np.argmin(path.reachable))] == [None] * 5


def test_suffixes_of_a_path(path: Path) -> None:
    assert {".json", ".npz", ".csv", ".mcap", ".gcode", ".ssc", ".svg"} <= set(path.suffixes())
    with pytest.raises(FormatError, match=r"a Path cannot be saved as 'a\.doc'; its files end in"):
        path.to_bytes("a.doc")


def test_data_are_plain(path: Path) -> None:
    data = path.to_dict()
    assert json.loads(json.dumps(data))["reachable"] == path.reachable_count
    assert len(data["columns"]) == path.q.shape[1]
    assert len(data["v_columns"]) == path.v.shape[1]
    assert str(path.reachable_count) in repr(path)
    assert len(path) == 60


def test_headings_of_every_kind_of_joint() -> None:
    model = kg.load("humanoid-30").compile()
    heads = v_headings(model)
    assert len(heads) == model.nv
    assert any("[m/s]" in head for head in heads)


def test_points_that_do_not_exist_are_a_gap_of_their_own() -> None:
    model = kg.load("five-bar").compile()
    curve = kg.curves.formula_curve("1 cm/t", "30 cm", "0", t=(-1, 1))
    reasons = [gap.reason for gap in kg.follow(model, curve, points=60).gaps()]
    assert any("pole" in why for why in reasons) and any("reach" in why for why in reasons)
