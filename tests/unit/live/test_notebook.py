"""A view in a notebook: a page that needs no kernel, and one that follows the session."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import RefusedError
from kinegen.live import notebook
from tests.support.live import StudioThread, until


class FakeWidget:
    """What anywidget is for the bridge."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.sent: list[dict[str, Any]] = []
        self.heard: Any = None

    def send(self, content: dict[str, Any]) -> None:
        self.sent.append(content)

    def on_msg(self, function: Any) -> None:
        self.heard = function


def test_the_output_is_a_page_of_its_own(served: StudioThread) -> None:
    page = served.page(open="four-bar")
    with kg.connect(served.link, session=page.session) as view:
        view.label("in the file", [0, 0, 0])
        shown = view._repr_mimebundle_()
    assert shown["text/plain"].startswith("View('four-bar'")
    found = re.fullmatch(
        r'<iframe title="four-bar" .*srcdoc="(.*)"></iframe>', shown["text/html"], re.S
    )
    assert found is not None and '"' not in found[1]
    inside = html.unescape(found[1])
    assert inside.startswith("<!doctype html>") and "KinegenPage.start" in inside
    # the items are in the file, for readers without a kernel
    (packed,) = re.findall(r'id="mechanism">([^<]*)<', inside)
    (item,) = json.loads(gzip.decompress(base64.b64decode(packed)))["items"]
    assert item["data"]["text"] == "in the file" and item["program"] == 0
    page.leave()


def test_the_page_of_a_notebook_is_one_of_the_session(served: StudioThread) -> None:
    page = served.page(open="four-bar")
    with kg.connect(served.link, session=page.session) as view:
        drags: list[kg.live.Drag] = []
        view.on_drag(drags.append)
        view.arrow([0, 0, 0], [0, 0, 1], name="up")
        bridge = notebook.Bridge(view._core, FakeWidget)
        widget: FakeWidget = bridge._widget
        until(lambda: view.pages == 2, "the notebook's page")
        until(lambda: [one for one in widget.sent if one["kinegen"] == "message"], "the arrow")
        # the program moves it
        view.q = {"crank": 1.3}
        until(
            lambda: [one for one in widget.sent if one["kinegen"] == "pose"
                     and one["q"][0] == pytest.approx(1.3)],
            "the pose",
        )  # fmt: skip
        # a browser that begins to listen later gets everything again
        widget.sent.clear()
        widget.heard(widget, {"kinegen": "ready"}, [])
        arrow, pose = widget.sent[:2]
        assert arrow["message"]["item"] == "up" and pose["q"][0] == pytest.approx(1.3)
        # a person drags it in the notebook
        there = kg.assemble(view.model, {"crank": 0.9}, locked=["crank"]).q
        widget.heard(widget, {"kinegen": "hand", "active": True, "sites": ["handle"]}, [])
        widget.heard(widget, {"kinegen": "pose", "q": there.tolist()}, [])
        widget.heard(widget, {"kinegen": "pose", "q": [1.0]}, [])  # not one of this mechanism
        widget.heard(widget, {"kinegen": "hand", "active": False, "sites": []}, [])
        until(lambda: drags and drags[-1].phase == "end", "the drag")
        assert np.allclose(drags[-1].q, there) and drags[0].frames == ("handle",)
        with pytest.raises(RefusedError, match=r"view\.open_page"):
            view.screenshot()
    assert bridge._link.state == "closed"
    page.leave()
