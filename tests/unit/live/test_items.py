"""What programs draw: as the page gets it, changed, removed, and refused."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from tests.unit.live.conftest import Pair
from tests.unit.live.test_controls import shown


def places(data: dict[str, Any]) -> Any:
    return np.frombuffer(base64.b64decode(data["places"]), "<f4").reshape(-1, 3)


def test_an_arrow_is_shown_moved_and_removed(pair: Pair) -> None:
    page, view = pair
    arrow = view.arrow([0, 0, 0], [1, 2, 3], frame="handle", color="red", label="<b>f</b>")
    assert shown(pair, arrow.name) == {
        "kind": "arrow", "start": [0, 0, 0], "vector": [1, 2, 3], "frame": "handle",
        "color": "red", "label": "<b>f</b>",
    }  # fmt: skip
    for i in range(500):
        arrow.update(vector=[i, 0, 0])
    page.until(lambda: page.one.find("item_shown", item=arrow.name)[-1]["data"]["vector"][0] == 499)
    assert len(page.one.find("item_shown", item=arrow.name)) < 400  # the latest wins
    arrow.color = (0, 0.5, 1)
    assert arrow.color == "#0080ff"
    arrow.remove()
    page.wait("item_hidden", item=arrow.name)


def test_a_hundred_thousand_points(pair: Pair) -> None:
    _, view = pair
    xyz = np.random.default_rng(1).random((100_000, 3))
    points = view.points(xyz, color=xyz)
    assert np.allclose(places(shown(pair, points.name)), xyz, atol=1e-6)
    with pytest.raises(UsageError, match="at most 333,333 can be shown, got 400,000"):
        points.update(np.zeros((400_000, 3)))


def test_lines_meshes_labels_and_traces(pair: Pair) -> None:
    _, view = pair
    line = view.line([[0, 0], [1, 1]], width=3)
    assert places(shown(pair, line.name)).shape == (2, 3)
    line.update(np.eye(3))
    mesh = view.mesh(np.eye(3), [[0, 1, 2]], opacity=0.5)
    assert shown(pair, mesh.name)["opacity"] == 0.5
    mesh.update(2 * np.eye(3))
    label = view.label("here", [0, 0, 1])
    label.text = "there"
    assert shown(pair, label.name)["text"] in ("here", "there")
    trace = view.trace("handle", length=100)
    assert shown(pair, trace.name)["length"] == 100
    view.clear()
    pair[0].wait("item_hidden", item=trace.name)


def test_a_new_page_sees_what_there_is(served: Any, pair: Pair) -> None:
    page, view = pair
    view.arrow([0, 0, 0], [0, 0, 1], name="up")
    view.flush()
    page.wait("item_shown", item="up")
    late = served.page_of(page.session)
    assert late.wait("item_shown", item="up")["data"]["vector"] == [0, 0, 1]
    late.leave()


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (lambda v: v.arrow([0, 0], [1, 0, 0]), "three finite numbers"),
        (lambda v: v.arrow([0, 0, 0], [float("nan"), 0, 0]), "three finite numbers"),
        (lambda v: v.arrow([0, 0, 0], [1, 0, 0], frame="handel"), "did you mean 'handle'"),
        (lambda v: v.arrow([0, 0, 0], [1, 0, 0], color="orenge"), "did you mean 'orange'"),
        (lambda v: v.arrow([0, 0, 0], [1, 0, 0], color=(1, 2, 3)), "three numbers from 0 to 1"),
        (lambda v: v.points([[0, 0, 0], [0, float("inf"), 0]]), "row 1 is not finite"),
        (lambda v: v.points(np.zeros((2, 5))), r"shape \(n, 3\)"),
        (lambda v: v.points(np.zeros((2, 3)), color=np.zeros((3, 3))), r"\(2, 3\)"),
        (lambda v: v.line([[0, 0, 0]]), "at least 2"),
        (lambda v: v.mesh(np.eye(3), [[0, 1, 9]]), "from 0 to 2, got 9"),
        (lambda v: v.mesh(np.eye(3), [[0.5, 1, 2]]), "whole numbers"),
        (lambda v: v.label(5), "a label must be a string"),
        (lambda v: v.label("x" * 5000), "2000 characters"),
        (lambda v: v.trace("handle", length=1), "length of a trace"),
        (lambda v: v.label("x", name=""), "name of an item"),
    ],
)
def test_bad_items_are_refused(pair: Pair, work: Any, words: str) -> None:
    with pytest.raises(kg.errors.KinegenError, match=words):
        work(pair[1])


def test_what_was_removed_cannot_be_changed(pair: Pair) -> None:
    _, view = pair
    arrow, plot = view.arrow([0, 0, 0], [0, 0, 1], name="up"), view.plot("force", 1.0)
    view.clear()
    with pytest.raises(UsageError, match=r"Arrow\('up'\) was removed"):
        arrow.update(label="x")
    with pytest.raises(UsageError, match="was removed"):
        plot.add(2.0)
    view.plot("force", 1.0)  # by its label it is created again


def test_there_is_a_limit_of_items(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kinegen.live.core.MOST_ITEMS", 3)
    for _ in range(3):
        pair[1].label("x")
    with pytest.raises(UsageError, match="at most 3 items"):
        pair[1].label("x")
