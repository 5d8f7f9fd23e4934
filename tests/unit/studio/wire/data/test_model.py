"""What the page receives of a model: names, blocks, numbers, parameters, shapes."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.data.model import model_data, shape_data
from kinegen.studio.wire.messages import ModelData

TEXT = """\
raff: 1
name: mix
parameters:
  a: {value: 100 mm, min: 0, max: 1, note: arm}
  b: 2*a
  turn: 0.5
  long: 0.25
joints:
  - {name: A, parent: base, d: a, theta: turn, limits: [-90 deg, 1.2], motor: true,
     shape: {box: [a, b, 0.1], xyz: [a/2, 0, 0]}}
  - {name: B, type: cylindrical, parent: A, xyz: [long, 0, 0], start: [0.1, 5 mm],
     shape: [auto, part.stl], motor: [{torque: 1}, none]}
  - {name: S, type: spherical, parent: B, r: b/4}
  - {name: C, type: screw, parent: S, pitch: 2 mm, color: teal, shape: none}
frames:
  - {name: tool, parent: C, rpy: [0, 90 deg, 0]}
robots:
  - {name: helper, include: four-bar, at: {xyz: [1, 0, 0]}}
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ModelData:
    project = Project(tmp_path_factory.mktemp("project"))
    return CompiledText.read(TEXT, project, "sub/mix.raff").data


def test_the_blocks_are_the_kernels_own() -> None:
    mechanism = kg.load("stewart")
    model = mechanism.compile()
    made = model_data(mechanism, model, model.start())
    ints = np.frombuffer(base64.b64decode(made.ints), dtype="<i4")
    reals = np.frombuffer(base64.b64decode(made.reals), dtype="<f8")
    assert np.array_equal(ints, model.ints) and np.array_equal(reals, model.reals)


@pytest.mark.parametrize("name", kg.library_names())
def test_numbers_and_parameters_lead_to_their_values(name: str) -> None:
    mechanism = kg.load(name)
    model = mechanism.compile()
    made = model_data(mechanism, model, model.start())
    assert [parameter.name for parameter in made.parameters] == list(model.parameters)
    for parameter in made.parameters:
        assert model.reals[parameter.index] == model.parameters[parameter.name]
    # every number that is written in the file can be set by its key, to what it is
    included = {one.name for one in (*made.joints, *made.frames) if not one.editable}
    for number in made.numbers:
        if number.text and not number.formula and number.owner not in included:
            mechanism.set_number(number.owner, number.key, float(model.reals[number.index]))
    again = mechanism.compile()
    assert np.allclose(again.reals, model.reals, rtol=1e-14, atol=1e-15)


def test_joints(data: ModelData) -> None:
    joints = {joint.name: joint for joint in data.joints}
    assert [(one.name, one.quantity, one.motor) for one in joints["B"].variables] == [
        ("theta", "angle", True),
        ("r", "length", False),
    ]
    assert joints["S"].variables == [] and joints["S"].nq == 4 and joints["S"].nv == 3
    assert joints["A"].editable and not joints["helper"].editable
    assert not joints["helper.crank"].editable and joints["helper.pin"].is_cut
    assert {frame.name: frame.editable for frame in data.frames} == {
        "tool": True,
        "helper.handle": False,
    }
    assert len(data.loops) == 1


def test_parameters(data: ModelData) -> None:
    found = {one.name: one for one in data.parameters}
    assert (found["a"].text, found["a"].quantity, found["a"].formula) == ("100 mm", "length", False)
    assert (found["a"].minimum, found["a"].maximum, found["a"].note) == (0.0, 1.0, "arm")
    assert found["b"].formula and found["b"].text == "2*a" and found["b"].quantity == "length"
    # plain numbers are what they are used for
    assert found["turn"].quantity == "angle" and found["long"].quantity == "length"


def test_numbers(data: ModelData) -> None:
    found = {(one.owner, one.key): one for one in data.numbers}
    d = found["A", "d"]
    assert (d.text, d.formula, d.quantity) == ("a", True, "length")
    assert found["A", "r"].text == "" and not found["A", "r"].formula
    assert found["A", "limits.0"].text == "-90 deg" and found["A", "limits.0"].quantity == "angle"
    assert found["B", "xyz.0"].text == "long" and found["B", "rpy.0"].text == ""
    assert found["B", "start.1"].text == "5 mm" and found["B", "start.1"].quantity == "length"
    assert found["C", "pitch"].text == "2 mm"
    assert found["helper.pin", "closes.d"].formula
    assert found["tool", "rpy.1"].text == "90 deg" and found["tool", "rpy.1"].quantity == "angle"


def test_shapes_have_their_numbers_worked_out(data: ModelData) -> None:
    shapes = dict(zip(data.links, data.link_shapes, strict=True))
    assert shapes["A"] == {"box": [0.1, 0.2, 0.1], "xyz": [0.05, 0.0, 0.0]}
    assert shapes["B"] == ["auto", "sub/part.stl"]
    assert shapes["C"] == "none" and shapes["base"] == "auto"
    assert dict(zip(data.links, data.link_colors, strict=True))["C"] == "teal"


def test_meshes_are_named_by_their_path_in_the_project() -> None:
    assert shape_data("x.stl", {}, "a/b") == "a/b/x.stl"
    assert shape_data({"mesh": "../x.stl", "scale": 2}, {}, "a/b") == {
        "mesh": "a/x.stl",
        "scale": 2,
    }


def test_planar_mechanisms_are_known() -> None:
    for name, planar in (("four-bar", True), ("stewart", False)):
        mechanism = kg.load(name)
        model = mechanism.compile()
        assert model_data(mechanism, model, model.start()).planar is planar


def test_the_start_has_closed_loops(tmp_path: Path) -> None:
    text = kg.load("four-bar").to_raff().replace("start: 90 deg, motor", "start: 60 deg, motor")
    compiled = CompiledText.read(text, Project(tmp_path))
    assert kg.kinematics.loop_gap(compiled.model, compiled.start).distance < 1e-9
    assert kg.kinematics.loop_gap(compiled.model, compiled.model.start()).distance > 1e-3
