"""Shapes for parameters that are not yet in the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.data.model import drawn_data
from tests.unit.studio.workbench import put

GEARS = """raff: 1
name: pair
parameters: {far: 60 mm, twice: 2*far}
joints:
  - {name: a, parent: base, shape: [auto, {box: [twice, 10 mm, 10 mm]}]}
  - {name: b, parent: base, d: far}
couplings: [{name: mesh, gears: [a, b], teeth: [20, 40]}]
"""


def test_gears_and_boxes_follow_a_parameter() -> None:
    compiled = CompiledText.read(GEARS, Project(Path.cwd()))
    found, _ = put(compiled, "shapes", parameters={"far": 0.09, "twice": 7.0, "unknown": 1.0})
    discs = [part for part in found.drawn if part.kind == "cylinder"]
    # pitch radii share the distance as the teeth do; a disc reaches to the roots of its teeth
    assert [part.size[0] for part in discs] == pytest.approx(
        [0.03 - 1.1 * 0.003, 0.06 - 1.1 * 0.003]
    )
    assert found.link_shapes[1] == ["auto", {"box": [0.18, 0.01, 0.01]}]
    # the text's own model is as it was
    assert compiled.model.parameters["far"] == 0.06
    assert drawn_data(compiled.model)[0].size[0] == pytest.approx(0.02 - 1.1 * 0.002)
