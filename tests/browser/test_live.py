"""A Python program and a real page in one session."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.live.notebook import frame
from tests.browser.studio import HANG, Studio

Opener = Callable[..., Studio]


def until(test: Callable[[], Any], what: str) -> None:
    end = time.monotonic() + HANG
    while not test():
        assert time.monotonic() < end, f"{what} never came true"
        time.sleep(0.01)


@pytest.fixture
def shared(pages: Opener, address: str) -> Iterator[tuple[Studio, kg.live.View]]:
    """A page on a five-bar, and a program in its session."""
    page = pages()
    page.open("five-bar")
    session = page.value("s.welcome.session")
    with kg.connect(address, session=session, name="lesson.py") as view:
        yield page, view


def test_a_program_moves_draws_and_listens(shared: tuple[Studio, kg.live.View]) -> None:
    page, view = shared
    view.q = {"A": 1.3}
    page.wait_pose(view.q.tolist())
    # what it draws is in the picture
    view.label("<b>tip</b>", frame="handle")
    view.arrow([0, 0, 0], [0, 0.05, 0], frame="handle", color="red")
    view.points(np.zeros((100_000, 3)))
    view.trace("handle")
    page.wait("s.programs.drawn.length === 4")
    page.page.get_by_text("<b>tip</b>").wait_for()  # as text
    assert view.screenshot(320, 240)[:4] == b"\x89PNG"
    # a person drags: the hand wins, and the program hears of it
    drags: list[kg.live.Drag] = []
    view.on_drag(drags.append)
    with Grab(page):
        until(lambda: view.dragging, "the hand")
        view.q = {"A": 1.6}
    until(lambda: drags and drags[-1].phase == "end", "the end of the drag")
    page.wait("Math.abs(s.q[0] - 1.6) < 1e-6")
    # motions are played by the page
    qs = [kg.assemble(view.model, {"A": 1.6 - i / 50}, locked=["A"]).q for i in range(5)]
    view.play(np.array(qs), times=np.arange(5) / 10, wait=True)
    page.wait("Math.abs(s.q[0] - a[0]) < 1e-6", float(qs[-1][0]))


class Grab:
    """Holds the handle for as long as the block lasts."""

    def __init__(self, page: Studio) -> None:
        self._page = page

    def __enter__(self) -> None:
        page = self._page
        x, y = page.value(
            """(() => {
              const i = s.model.siteNames.lastIndexOf('handle');
              const [x, y] = v.onScreen([...s.poses.slice(7 * i + 4, 7 * i + 7)]);
              const box = v.canvas.getBoundingClientRect();
              return [box.left + x, box.top + y];
            })()"""
        )
        page.page.mouse.move(x, y)
        page.page.mouse.down()
        page.page.mouse.move(x + 12, y + 12, steps=4)

    def __exit__(self, *_: object) -> None:
        self._page.page.mouse.up()


def test_controls_and_the_end_of_a_program(shared: tuple[Studio, kg.live.View]) -> None:
    page, view = shared
    k = view.slider("stiffness", 0, 10, value=3, unit="N/m")
    go = view.button("Go")
    hold, mode = view.checkbox("Hold still"), view.choice("Way", ["follow", "teach"])
    view.readout("error", 0.5, unit="m")
    for i in range(20):
        view.plot("force", i, -i, names=["a", "b"])
    panel = page.page.get_by_role("tabpanel", name="Program")
    panel.get_by_role("slider", name="stiffness").focus()
    page.page.keyboard.press("ArrowRight")
    panel.get_by_role("button", name="Go").click()
    panel.get_by_label("Hold still").check()
    panel.get_by_label("Way").select_option("teach")
    until(lambda: k.value == pytest.approx(3.1), "the slider")
    until(lambda: go.presses == 1 and hold.value and mode.value == "teach", "the others")
    panel.get_by_text("0.5 m").wait_for()
    panel.get_by_label("Chart of force").locator("canvas").wait_for()
    view.close()
    page.page.get_by_text("The program 'lesson.py' has disconnected").first.wait_for()
    panel.get_by_role("button", name="Remove the items of lesson.py").click()
    page.wait("s.programs.list.length === 0")


def test_a_notebook_that_is_only_read_can_be_dragged(
    shared: tuple[Studio, kg.live.View], context: Any, tmp_path: Path
) -> None:
    _, view = shared
    file = tmp_path / "notebook.html"
    file.write_text(f"<!doctype html><body>{frame(view._core, 'key')}", encoding="utf-8")
    reader = context.new_page()
    heard: list[Any] = []
    reader.expose_function("heard", lambda data: heard.append(data))
    reader.add_init_script("window.addEventListener('message', (e) => window.heard(e.data))")
    reader.goto(file.as_uri())
    inside = reader.frame_locator("iframe")
    inside.locator("canvas").first.wait_for()
    within = next(one for one in reader.frames if one.parent_frame is not None)
    ready = "!!window.kinegen?.viewer && window.kinegen.viewer.frames > 0"
    until(lambda: within.evaluate(ready), "the page")
    before = within.evaluate("[...window.kinegen.studio.q]")
    box = reader.locator("iframe").bounding_box()
    x, y = within.evaluate(
        """(() => {
          const { studio: s, viewer: v } = window.kinegen;
          const i = s.model.siteNames.lastIndexOf('handle');
          const [x, y] = v.onScreen([...s.poses.slice(7 * i + 4, 7 * i + 7)]);
          const at = v.canvas.getBoundingClientRect();
          return [at.left + x, at.top + y];
        })()"""
    )
    reader.mouse.move(box["x"] + x, box["y"] + y)
    reader.mouse.down()
    reader.mouse.move(box["x"] + x + 25, box["y"] + y + 25, steps=5)
    until(lambda: within.evaluate("[...window.kinegen.studio.q]") != before, "the drag")
    reader.mouse.up()
    # what a kernel would hear, and say
    until(lambda: {"pose", "hand"} <= {one.get("kinegen") for one in heard}, "the messages")
    reader.evaluate("(q) => frames[0].postMessage({ kinegen: 'pose', q }, '*')", before)
    until(lambda: np.allclose(within.evaluate("[...window.kinegen.studio.q]"), before), "the pose")
    reader.close()
