from __future__ import annotations

import base64

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from tests.unit.studio.workbench import Pieces, ask, piece_of

LYNX = piece_of("lynx6")


def cells_of(told: dict[str, object], pieces: Pieces) -> dict[str, object]:
    bits = pieces.of("cells")[0][1]
    keys = ("first", "shape", "cell", "outside", "origin")
    return {**{key: told[key] for key in keys}, "bits": base64.b64encode(bits).decode()}


def test_the_body_of_an_arm_has_no_holes_by_chance() -> None:
    told, pieces = ask(LYNX, "boundary", detail="quick")
    assert (told["pieces"], told["voids"], told["tunnels"]) == (1, 0, 0)
    made = kg.cloud(LYNX.model, count=200_000, frames=["tool"])
    body = kg.workspace.boundary(made.points[:, 0], told["cell"])
    assert abs(told["measure"]["value"] - body.measure.value) < body.measure.error
    head, data = pieces.of("surface")[0]
    corners = np.frombuffer(data, "<f4", 3 * head["vertices"]).reshape(-1, 3)
    faces = np.frombuffer(data, "<u4", -1, 12 * head["vertices"]).reshape(-1, head["sides"])
    assert head["sides"] == 3 and len(faces) == head["faces"] and faces.max() < len(corners)
    # smoothing moves no corner further than a cell, and the size stays
    bounds = np.array([corners.min(axis=0), corners.max(axis=0)])
    ends = [body.vertices.min(axis=0), body.vertices.max(axis=0)]
    assert np.abs(bounds - ends).max() < 2 * told["cell"]
    a, b, c = corners[faces.T]
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
    filled = told["measure"]["value"] + told["measure"]["error"]
    assert volume == pytest.approx(filled, rel=0.1)


def test_cells_are_sent_as_bits() -> None:
    told, pieces = ask(LYNX, "boundary", detail="quick")
    bits = np.frombuffer(pieces.of("cells")[0][1], np.uint8)
    count = int(np.prod(told["shape"]))
    filled = np.unpackbits(bits, count=count, bitorder="little")
    one = told["cell"] ** 3
    value, error = told["measure"]["value"], told["measure"]["error"]
    assert filled.sum() * one == pytest.approx(value + error, rel=1e-9)


def test_two_designs_are_compared_on_the_same_cells() -> None:
    first, pieces = ask(LYNX, "boundary", detail="quick")
    same, _ = ask(LYNX, "boundary", detail="quick", against=cells_of(first, pieces))
    assert same["comparison"]["overlap"] == 1.0 and same["comparison"]["only_first"] == 0
    longer, _ = ask(
        piece_of("lynx6", a2=0.16), "boundary", detail="quick", against=cells_of(first, pieces)
    )
    found = longer["comparison"]
    assert longer["cell"] == first["cell"]
    assert found["only_second"] > 5 * found["only_first"] and 0.5 < found["overlap"] < 0.9


def test_a_zone_in_a_plane_has_an_outline() -> None:
    piece = piece_of("five-bar")
    told, pieces = ask(piece, "boundary", of="zone", step=0.05)
    made = kg.zone(piece.model, step=0.05)
    assert told["measure"]["value"] == pytest.approx(made.measure.value, abs=made.measure.error)
    assert told["measure"]["unit"] == "m²" and len(told["shape"]) == 2
    head, data = pieces.of("surface")[0]
    corners = np.frombuffer(data, "<f4", 3 * head["vertices"]).reshape(-1, 3)
    assert head["sides"] == 2 and np.abs(corners[:, 2]).max() < 1e-9
    assert np.ptp(corners[:, 0]) == pytest.approx(np.ptp(made.points[:, 0]), abs=2 * told["cell"])
    home, _ = ask(piece, "boundary", of="zone", step=0.05, shown=["home"])
    assert home["measure"]["value"] < told["measure"]["value"]


def test_a_zone_in_space_is_made_of_the_cells_that_were_tried() -> None:
    piece = piece_of("stewart")
    told, pieces = ask(piece, "boundary", of="zone", step=0.5)
    made = kg.workspace.zone_slice(piece.model, step=0.5)
    assert told["measure"]["value"] == pytest.approx(made.measure.value)
    # the lattice goes through the start of the mechanism, which moves with its numbers
    other = cells_of(told, pieces)
    other["origin"] = [x + 0.1 for x in told["origin"]]
    again, _ = ask(piece, "boundary", of="zone", step=0.5, against=other)
    assert again["comparison"]["overlap"] > 0.5


def test_the_surface_as_a_file() -> None:
    found, _ = ask(LYNX, "boundary", detail="quick", file="glb")
    assert base64.b64decode(found["download"]["data"])[:4] == b"glTF"
    assert found["download"]["name"] == "lynx6-surface.glb"
    with pytest.raises(UsageError, match="has no surface"):
        ask(piece_of("five-bar"), "boundary", of="zone", step=0.3, file="glb")


def test_bad_goals_are_refused() -> None:
    line = piece_of("slider-crank")
    with pytest.raises(UsageError, match="along a line"):
        ask(line, "boundary", of="zone", step=0.3)
    with pytest.raises(UsageError, match="no volume"):
        ask(piece_of("stewart"), "boundary", of="zone", kind="turn", step=0.5)
    told, pieces = ask(LYNX, "boundary", detail="quick")
    right = cells_of(told, pieces)
    for change, words in (
        ({"bits": "AAAA"}, "bytes"),
        ({"bits": "§"}, "base64"),
        ({"bits": None}, "has cell"),
        ({"shape": [3]}, "2 or 3 numbers"),
        ({"shape": [10**4, 10**4, 10**4]}, "bearable"),
        ({"shape": [8, 8], "first": [0, 0], "origin": [0, 0], "bits": "AAAAAAAAAAA="}, "plane"),
    ):
        with pytest.raises(UsageError, match=words):
            ask(LYNX, "boundary", detail="quick", against={**right, **change})
