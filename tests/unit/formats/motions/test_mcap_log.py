import io
import json
import sys

import numpy as np
import pytest

import kinegen as kg
from kinegen.curves import ellipse_by_corners
from kinegen.errors import FormatError
from kinegen.formats.motions.mcap_log import to_mcap
from kinegen.motion.follow import follow
from kinegen.motion.path import Path


@pytest.fixture(scope="module")
def path() -> Path:
    model = kg.load("five-bar").compile()
    return follow(model, ellipse_by_corners((0, 0.2, 0), (0.2, 0.45, 0)), frame="handle", points=40)


def test_mcap_is_read_back(path: Path) -> None:
    reader = pytest.importorskip("mcap.reader")
    log = reader.make_reader(io.BytesIO(path.to_bytes("a.mcap")))
    messages = [json.loads(message.data) for _, _, message in log.iter_messages()]
    assert len(messages) == path.reachable_count
    assert np.allclose([m["position"] for m in messages], path.q[path.reachable])


def test_a_missing_package_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcap.writer", None)
    with pytest.raises(FormatError, match="pip install"):
        to_mcap(path)
