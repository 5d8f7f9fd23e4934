"""Motions that were saved come back as they were."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import FormatError
from kinegen.formats.motions.read import read_motion

TEXT = """
raff: 1
name: two
joints:
  - {name: a, parent: base}
  - {name: b, type: prismatic, parent: a}
motions:
  - {name: wave, joints: [a], times: [0, 1], values: [[0], [0.5]]}
"""


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_a_recording_comes_back(tmp_path: Path, suffix: str) -> None:
    model = kg.load(TEXT).compile()
    made = kg.Recording.of(model, [[0, 0.1], [1, 0.2], [2, 0.3]], [0, 0.5, 2])
    made.save(tmp_path / f"m{suffix}")
    found = read_motion(model, str(tmp_path / f"m{suffix}"))
    assert found.joints == ("a", "b")
    assert np.array_equal(found.times, made.times) and np.array_equal(found.values, made.values)


def test_a_motion_of_the_file_by_name() -> None:
    assert read_motion(kg.load(TEXT), "wave").values.tolist() == [[0.0], [0.5]]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("waves", "", "did you mean 'wave'"),
        ("no.csv", None, "No such file"),
        ("m.csv", "x,y\n1,2\n", "needs a header with 'time"),
        ("m.csv", "time [s],c [rad]\n1,2\n", r"no column is a joint of 'two'.*'a \[rad\]'"),
        ("m.csv", "time [s],a [rad]\n0,1\n1,\n", "line 3: the value of a joint is missing"),
        ("m.json", "[1", "this is not a recording"),
        ("m.json", "{}", "it needs name, joints"),
    ],
)
def test_what_is_no_motion_is_named(
    tmp_path: Path, name: str, content: str | None, message: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(FormatError, match=message):
        read_motion(kg.load(TEXT), str(path) if "." in name else name)
