from __future__ import annotations

import base64
import dataclasses
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.codec import WireError
from kinegen.studio.wire.questions.body import BodyResult
from tests.unit.studio.workbench import Pieces, compiled_of, put

LYNX = compiled_of("lynx6")


def cells_of(result: BodyResult, pieces: Pieces) -> dict[str, Any]:
    """A body as a page sends it back."""
    bits = pieces.of("cells")[0][1]
    return {"grid": dataclasses.asdict(result.grid), "bits": base64.b64encode(bits).decode()}


def quick(compiled: CompiledText, against: dict[str, Any] | None = None) -> tuple[Any, Pieces]:
    return put(compiled, "cloud_body", cloud={}, detail="quick", against=against)


def test_the_body_of_an_arm_has_no_holes_by_chance() -> None:
    result, pieces = quick(LYNX)
    assert (result.pieces, result.voids, result.tunnels) == (1, 0, 0)
    made = kg.cloud(LYNX.model, count=200_000, frames=["tool"])
    body = kg.workspace.boundary(made.points[:, 0], result.grid.cell)
    assert abs(result.measure.value - body.measure.value) < body.measure.error
    head, data = pieces.of("surface")[0]
    corners = np.frombuffer(data, "<f4", 3 * head.vertices).reshape(-1, 3)
    faces = np.frombuffer(data, "<u4", -1, 12 * head.vertices).reshape(-1, head.sides)
    assert head.sides == 3 and len(faces) == head.faces and faces.max() < len(corners)
    # smoothing moves no corner further than a cell, and the size stays
    bounds = np.array([corners.min(axis=0), corners.max(axis=0)])
    ends = [body.vertices.min(axis=0), body.vertices.max(axis=0)]
    assert np.abs(bounds - ends).max() < 2 * result.grid.cell
    a, b, c = corners[faces.T]
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
    filled = result.measure.value + result.measure.error
    assert volume == pytest.approx(filled, rel=0.1)


def test_cells_are_sent_as_bits() -> None:
    result, pieces = quick(LYNX)
    bits = np.frombuffer(pieces.of("cells")[0][1], np.uint8)
    count = int(np.prod(result.grid.shape))
    filled = np.unpackbits(bits, count=count, bitorder="little")
    one = result.grid.cell**3
    value, error = result.measure.value, result.measure.error
    assert filled.sum() * one == pytest.approx(value + error, rel=1e-9)


def test_two_designs_are_compared_on_the_same_cells() -> None:
    first, pieces = quick(LYNX)
    same, _ = quick(LYNX, cells_of(first, pieces))
    assert same.comparison.overlap == 1.0 and same.comparison.only_first == 0
    longer, _ = quick(compiled_of("lynx6", a2=0.16), cells_of(first, pieces))
    found = longer.comparison
    assert longer.grid.cell == first.grid.cell
    assert found.only_second > 5 * found.only_first and 0.5 < found.overlap < 0.9


def test_a_zone_in_a_plane_has_an_outline() -> None:
    compiled = compiled_of("five-bar")
    result, pieces = put(compiled, "zone_body", zone={"step": 0.05})
    made = kg.zone(compiled.model, step=0.05)
    assert result.measure.value == pytest.approx(made.measure.value, abs=made.measure.error)
    assert result.measure.unit == "m²" and len(result.grid.shape) == 2
    head, data = pieces.of("surface")[0]
    corners = np.frombuffer(data, "<f4", 3 * head.vertices).reshape(-1, 3)
    assert head.sides == 2 and np.abs(corners[:, 2]).max() < 1e-9
    assert np.ptp(corners[:, 0]) == pytest.approx(
        np.ptp(made.points[:, 0]), abs=2 * result.grid.cell
    )
    home, _ = put(compiled, "zone_body", zone={"step": 0.05}, shown=["home"])
    assert home.measure.value < result.measure.value


def test_a_zone_in_space_is_made_of_the_cells_that_were_tried() -> None:
    compiled = compiled_of("stewart")
    result, pieces = put(compiled, "zone_body", zone={"step": 0.5})
    made = kg.workspace.zone_slice(compiled.model, step=0.5)
    assert result.measure.value == pytest.approx(made.measure.value)
    # the lattice goes through the start of the mechanism, which moves with its numbers
    other = cells_of(result, pieces)
    other["grid"]["origin"] = [x + 0.1 for x in result.grid.origin]
    again, _ = put(compiled, "zone_body", zone={"step": 0.5}, against=other)
    assert again.comparison.overlap > 0.5


def test_the_surface_as_a_file() -> None:
    found, _ = put(LYNX, "cloud_surface_file", cloud={}, detail="quick", format="glb")
    assert found.data[:4] == b"glTF"
    assert found.name == "lynx6-surface.glb"
    with pytest.raises(UsageError, match="has no surface"):
        put(compiled_of("five-bar"), "zone_surface_file", zone={"step": 0.3}, format="glb")


def test_bad_goals_are_refused() -> None:
    line = compiled_of("slider-crank")
    with pytest.raises(UsageError, match="along a line"):
        put(line, "zone_body", zone={"step": 0.3})
    with pytest.raises(UsageError, match="no volume"):
        put(compiled_of("stewart"), "zone_body", zone={"kind": "turn", "step": 0.5})
    result, pieces = quick(LYNX)
    right = cells_of(result, pieces)
    flat = {"shape": [8, 8], "first": [0, 0], "origin": [0, 0]}
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({}, "AAAA", "bytes"),
        ({}, "§§§§", "base64"),
        ({"shape": [3]}, "", "shape must be a list of 2 to 3"),
        ({"shape": [3, 3]}, "", "as many numbers as axes"),
        ({"shape": [10**4, 10**4, 10**4]}, "", "1 to 30,000,000 cells"),
        ({"cell": 0}, "", "cell must be a number"),
        (flat, "AAAAAAAAAAA=", "plane"),
    ]
    for grid, bits, words in cases:
        with pytest.raises((UsageError, WireError), match=words):
            quick(LYNX, {"grid": {**right["grid"], **grid}, "bits": bits or right["bits"]})
