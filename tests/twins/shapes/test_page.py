"""Link shapes and colours of the page (TypeScript, run by Node) against the Python ones."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.formats.drawing.pictures.theme import THEMES, fill_of
from kinegen.mechanism.shapes.shapes import MeshRef, Primitive, link_shapes
from kinegen.mechanism.shapes.travel import travels_of
from tests.support.mechanisms.random_mechanisms import random_mechanism

PLATFORMS = {"light": "#98a4b6", "dark": "#d5d9e0"}
"""Platforms alone have a colour of their own in the page: on a lit floor they need contrast."""
WEB = Path(__file__).parents[3] / "web"
NODE = shutil.which("node")
TOLERANCE = 1e-9
"""Outlines and normals are rounded to nine decimals on both sides, else only last digits differ."""

pytestmark = pytest.mark.skipif(
    NODE is None or not (WEB / "node_modules" / "vite").is_dir(),
    reason="node or the page's packages are not there: nothing runs TypeScript here",
)

ODD_TYPES = """
raff: 1
parameters: {side: 0.1}
base: {color: steelblue}
joints:
  - {name: slide, type: prismatic, parent: base, b: 0.2, motor: true, limits: [0, 0.4]}
  - {name: nut, type: screw, parent: slide, alpha: 90 deg, d: 0.3, pitch: 5 mm, motor: true}
  - {name: bush, type: cylindrical, parent: nut, alpha: -90 deg, d: 0.3, start: [0.2, -0.1]}
  - {name: table, type: planar, parent: bush, d: 0.2, motor: [true, false, false]}
  - {name: ball, type: spherical, parent: table, d: 0.2, alpha: 30 deg}
  - {name: cross, type: universal, parent: ball, d: 0.25, r: 0.1, motor: [true, true]}
  - {name: stiff, type: fixed, parent: cross, d: 0.2}
  - {name: arm, parent: stiff, d: 0.2, gamma: 0.3, r: 0.1, color: "#ff8800",
     shape: [auto, {box: [side, 0.2, 2*side], xyz: [0, 0, side], rpy: [0.1, 0.2, 0.3]}]}
  - {name: hand, parent: arm, d: 0.2, shape: [{cylinder: [0.02, 0.1]}, {capsule: [0.01, 0.2]},
     {sphere: side}, {mesh: hand.stl, scale: 0.001}, tool.obj]}
  - {name: bare, parent: hand, d: 0.1, shape: none}
"""

TWO_ARMS = """
raff: 1
joints:
  - {name: waist, parent: base, r: 0.6, motor: true}
  - {name: shoulder, parent: waist, alpha: 90 deg, d: 0.1}
robots:
  - {name: other, include: puma560, at: {xyz: [0, 1.5, 0]}}
  - {name: high, include: stewart, at: {xyz: [2, 0, 0.5], rpy: [0, 0, 30 deg]}}
"""
TWO_LINKAGES = """
raff: 1
joints:
  - {name: crank, parent: base, motor: true}
  - {name: rod, parent: crank, d: 0.1}
robots:
  - {name: one, include: four-bar, at: {xyz: [1, 0, 0]}}
  - {name: other, include: slider-crank, at: {xyz: [0, 1, 0], rpy: [0, 0, 20 deg]}}
"""
SCENES = {"odd types": ODD_TYPES, "two arms": TWO_ARMS, "two linkages": TWO_LINKAGES}

PROGRAM = """
import { text } from "node:stream/consumers";
import { runnerImport } from "vite";
const quiet = { configFile: false, logLevel: "error" };
const { module } = await runnerImport("./src/shapes/index.ts", quiet);
const { module: view } = await runnerImport("./src/view/links/palette.ts", quiet);
const answers = JSON.parse(await text(process.stdin)).map((model) => {
  const travels = new Map(model.travels);
  const fills = (theme) =>
    module.linkShapes(model).map((own) =>
      own.map((shape) => view.fillOf(shape, view.PALETTES[theme])),
    );
  return {
    light: fills("light"),
    dark: fills("dark"),
    travels: [...module.posedTravels(model, model.poses)],
    plain: module.linkShapes(model),
    posed: module.linkShapes(model, travels),
  };
});
process.stdout.write(JSON.stringify(answers));
"""


def models() -> dict[str, kg.Model]:
    found = {name: kg.load(name).compile() for name in kg.library_names()}
    found |= {name: kg.load(text).compile() for name, text in SCENES.items()}
    for seed in range(12):
        found[f"random {seed}"] = random_mechanism(seed).compile()
    return found


def worked_out(spec: Any, values: Any) -> Any:
    """A shape of the file with its formulas replaced by numbers, as the wire carries it."""
    if isinstance(spec, list | tuple):
        return [worked_out(part, values) for part in spec]
    if isinstance(spec, dict):
        return {key: worked_out(part, values) for key, part in spec.items()}
    evaluate = getattr(spec, "evaluate", None)
    return spec if evaluate is None else float(evaluate(values))


def travels(model: kg.Model, Xs: np.ndarray) -> dict[int, float]:
    placed = [kg.SE3.from_pose(X) for X in Xs]
    return travels_of(model, [X.so3.matrix for X in placed], [X.translation for X in placed])


def page_model(model: kg.Model, Xs: np.ndarray) -> dict[str, Any]:
    """What the page knows of a model, as in ``ModelData``."""
    return {
        "data": {
            "links": list(model.link_names),
            "link_shapes": [worked_out(spec, model.parameters) for spec in model.link_shapes],
            "link_colors": list(model.link_colors),
            "joints": [
                {
                    "name": joint.name,
                    "type": joint.type.value,
                    "parent": joint.parent,
                    "child": joint.child,
                    "placement": joint.placement,
                    "is_cut": joint.is_cut,
                    "v": joint.v.start,
                    "variables": [{"motor": joint.has_motor}],
                }
                for joint in model.joints
            ],
            "loops": [{"joint": one.joint, "placement": one.placement} for one in model.loops],
            "frames": [
                {"name": one.name, "link": one.link, "placement": one.placement}
                for one in model.frames
            ],
        },
        "travels": [*travels(model, Xs).items()],
        "transforms": model.transforms.ravel().tolist(),
        "poses": Xs.ravel().tolist(),
    }


@pytest.fixture(scope="module")
def pairs() -> dict[str, tuple[kg.Model, np.ndarray, dict[str, Any]]]:
    """By name: the model, its starting poses and the page's answer."""
    found = models()
    poses = {
        name: kg.forward(model, model.start())[: model.link_count] for name, model in found.items()
    }
    asked = [page_model(model, poses[name]) for name, model in found.items()]
    run = subprocess.run(
        [str(NODE), "--input-type=module", "-e", PROGRAM],
        cwd=WEB,
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    answers = json.loads(run.stdout)
    return {
        name: (model, poses[name], answer)
        for (name, model), answer in zip(found.items(), answers, strict=True)
    }


def plain(shape: Primitive) -> dict[str, Any]:
    """A primitive with the names and the layout of the page."""
    kind = "mesh" if isinstance(shape, MeshRef) else type(shape).__name__.lower()
    own = {field.name: getattr(shape, field.name) for field in fields(shape)}
    own["rotation"] = [number for row in own["rotation"] for number in row]
    own["role"] = str(own["role"])
    return {"kind": kind, **own}


def assert_same(page: Any, python: Any, where: str) -> None:
    if isinstance(python, float):
        assert page == pytest.approx(python, abs=TOLERANCE), where
    elif isinstance(python, list | tuple):
        assert len(page) == len(python), where
        for i, (one, other) in enumerate(zip(page, python, strict=True)):
            assert_same(one, other, f"{where}[{i}]")
    elif isinstance(python, dict):
        assert sorted(page) == sorted(python), where
        for key in python:
            assert_same(page[key], python[key], f"{where}.{key}")
    else:
        assert page == python, where


NAMES = [*kg.library_names(), *SCENES, *(f"random {seed}" for seed in range(12))]


@pytest.mark.parametrize("name", NAMES)
def test_primitives_are_the_same(name: str, pairs: Any) -> None:
    model, Xs, answer = pairs[name]
    posed = travels(model, Xs)
    assert_same(dict(answer["travels"]), posed, f"{name}: travels")
    for key, known in (("plain", {}), ("posed", posed)):
        shapes = link_shapes(
            model, travels=known, values=model.parameters, colors=model.link_colors
        )
        wanted = [[plain(shape) for shape in own] for own in shapes]
        assert_same(answer[key], wanted, f"{name}: {key}")


@pytest.mark.parametrize("name", NAMES)
def test_colours_are_those_of_the_pictures(name: str, pairs: Any) -> None:
    model, _, answer = pairs[name]
    shapes = link_shapes(model, values=model.parameters, colors=model.link_colors)
    for theme in ("light", "dark"):
        colours = replace(THEMES[theme], platform=PLATFORMS[theme])
        assert answer[theme] == [[fill_of(shape, colours) for shape in own] for own in shapes]


def test_all_kinds_and_roles_are_compared(pairs: Any) -> None:
    shapes = [shape for _, _, answer in pairs.values() for own in answer["posed"] for shape in own]
    assert {shape["kind"] for shape in shapes} == {
        "box", "capsule", "cylinder", "mesh", "plate", "sphere",
    }  # fmt: skip
    assert {shape["role"] for shape in shapes} == {"bar", "ground", "joint", "motor", "tool"}
    assert any(shape["color"] for shape in shapes)
