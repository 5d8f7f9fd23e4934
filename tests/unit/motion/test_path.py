import json

import numpy as np
import pytest

import kinegen as kg
from kinegen.curves import ellipse_by_corners
from kinegen.dynamics.simulation.run_files import v_headings
from kinegen.errors import UsageError
from kinegen.motion.follow import follow
from kinegen.motion.path import Path


@pytest.fixture(scope="module")
def path() -> Path:
    model = kg.load("five-bar").compile()
    return follow(model, ellipse_by_corners((0, 0.2, 0), (0.2, 0.45, 0)), "handle", points=60)


def test_a_run_becomes_a_motion(path: Path) -> None:
    for k, run in enumerate(path.runs):
        motion = path.recording(k)
        assert motion.times[0] == 0
        assert len(motion.times) == run.stop - run.start
        assert np.allclose(motion.at(0.0), path.q[run.start], atol=1e-9)
    with pytest.raises(UsageError, match="stretch"):
        path.recording(len(path.runs))


def test_data_are_plain(path: Path) -> None:
    data = path.to_data()
    plain = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in data.items()}
    assert json.loads(json.dumps(plain))["reachable"] == path.reachable_count
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
