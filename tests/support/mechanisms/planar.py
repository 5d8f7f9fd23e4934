"""Constructions of library linkages, for tests of the triangle method."""

from __future__ import annotations

import numpy as np

import kinegen as kg
from kinegen.workspace.zones.planar import planar_linkage
from kinegen.workspace.zones.triangles import Construction, construct

# linkage: driven joints, frame whose tilt is an input, frame whose place is
CONSTRUCTIONS: dict[str, tuple[list[str], str | None, str | None]] = {
    "four-bar": (["crank"], None, None),
    "five-bar": (["A", "E"], None, None),
    "five-bar-b": (["O", "D"], None, None),
    "eight-bar": (["O", "B"], "handle", None),
    "eight-bar-b": (["O", "forearm", "wrist"], None, None),
    "peaucellier": (["PB"], None, None),
    "3-rrr": ([], "handle", "handle"),
}


def construction(name: str) -> Construction:
    model = kg.load(name).compile()
    linkage = planar_linkage(model, kg.assemble(model).q)
    assert linkage is not None
    driven, tilt, place = CONSTRUCTIONS[name]
    built = construct(linkage, driven=driven, tilt=tilt, place=place)
    assert built is not None
    return built


def home_inputs(built: Construction, frame: str) -> np.ndarray:
    """The inputs of the home pose, (inputs, 1)."""
    model, q = built.linkage.model, built.linkage.q
    _, point, _ = built.linkage.point(frame)
    known = {"tilt": built.linkage.tilt(frame), "x": point.real, "y": point.imag}
    return np.array([[known[n] if n in known else q[model.joint(n).q.start]] for n in built.inputs])


def some_inputs(built: Construction, frame: str, count: int, seed: int = 0) -> np.ndarray:
    """Inputs around the home pose, some of which cannot be built."""
    wide = np.array([[0.2 if name in {"x", "y"} else 1.5] for name in built.inputs])
    rng = np.random.default_rng(seed)
    return home_inputs(built, frame) + wide * rng.uniform(-1, 1, (len(built.inputs), count))
