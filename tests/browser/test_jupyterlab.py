"""A view in JupyterLab itself, and in the HTML of a notebook; ``make test-notebook`` runs it.

JupyterLab is installed into an environment of its own, which KINEGEN_JUPYTER names.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.studio import HANG

JUPYTER = os.environ.get("KINEGEN_JUPYTER", "")
pytestmark = pytest.mark.skipif(not JUPYTER, reason="needs JupyterLab: make test-notebook")

CELLS = [
    """import kinegen as kg
view = kg.show("five-bar", browser=False)
drags = []
view.on_drag(drags.append)
view.arrow([0.1, 0.32, 0], [0, 0.05, 0], label="pull up")
view.trace("handle")
view""",
    """view.q = {"A": 1.8, "E": 1.5}
view.label("moved", [0, 0.1, 0])
view.flush()""",
    """print([drag.phase for drag in (drags[0], drags[-1])], len(drags[0].frames))""",
]
HANDLE = """(() => {
  const { studio: s, viewer: v } = window.kinegen;
  const i = s.model.siteNames.lastIndexOf('handle');
  const [x, y] = v.onScreen([...s.poses.slice(7 * i + 4, 7 * i + 7)]);
  const at = v.canvas.getBoundingClientRect();
  return [at.left + x, at.top + y];
})()"""
READY = "!!window.kinegen?.viewer && window.kinegen.viewer.frames > 0"
IFRAME = "iframe[data-kinegen]"


def until(test: Callable[[], Any], what: str) -> Any:
    end = time.monotonic() + HANG
    while not (found := test()):
        assert time.monotonic() < end, f"{what} never came true"
        time.sleep(0.05)
    return found


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A running JupyterLab with one notebook: its address, and the notebook."""
    cells = [
        {"cell_type": "code", "id": f"c{i}", "source": source, "metadata": {}, "outputs": [],
         "execution_count": None}
        for i, source in enumerate(CELLS)
    ]  # fmt: skip
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = tmp_path / "files" / "demo.ipynb"
    notebook.parent.mkdir()
    content = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4}
    notebook.write_text(json.dumps({**content, "nbformat_minor": 5}), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {
        "KINEGEN_STATE": "state", "JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime", "IPYTHONDIR": "ipython",
    }  # fmt: skip
    environment = {**os.environ, **{name: str(tmp_path / one) for name, one in own.items()}}
    command = [
        JUPYTER, "lab", "--no-browser", f"--ServerApp.port={port}", "--ServerApp.token=",
        "--ServerApp.password=", "--allow-root", f"--ServerApp.root_dir={notebook.parent}",
        "--LabApp.news_url=None", "--ServerApp.port_retries=0",
        "--LabApp.expose_app_in_browser=True",
    ]  # fmt: skip
    with (tmp_path / "lab.log").open("wb") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        assert server.poll() is None, (tmp_path / "lab.log").read_text()
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{address}/api").close()
            return True
        return False

    try:
        until(answers, "JupyterLab")
        yield address, notebook
    finally:
        server.terminate()
        server.wait(HANG)


def drag(page: Any, inside: Any) -> None:
    """Pull the handle of the page in an iframe."""
    box = page.locator(IFRAME).bounding_box()
    x, y = inside.evaluate(HANDLE)
    before = inside.evaluate("[...window.kinegen.studio.q]")
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    page.mouse.move(box["x"] + x + 25, box["y"] + y + 25, steps=8)
    until(lambda: inside.evaluate("[...window.kinegen.studio.q]") != before, "the drag")
    page.mouse.up()


def content_of(page: Any) -> Any:
    """The page of the mechanism within another, once it is drawn."""
    page.locator(IFRAME).wait_for(timeout=1000 * HANG)
    inside = page.locator(IFRAME).element_handle().content_frame()
    until(lambda: inside.evaluate(READY), "the picture")
    return inside


def test_a_view_in_jupyterlab(lab: tuple[str, Path], context: Any) -> None:
    address, notebook = lab
    page = context.new_page()
    page.set_viewport_size({"width": 1300, "height": 1400})
    page.goto(f"{address}/lab/tree/demo.ipynb?reset")
    page.locator(".jp-CodeCell .cm-content").nth(len(CELLS) - 1).wait_for(timeout=1000 * HANG)
    # a cell that is run before the kernel has answered is forgotten
    page.evaluate(
        """async () => {
          const { sessionContext } = jupyterapp.shell.currentWidget;
          await sessionContext.ready;
          await sessionContext.session.kernel.info;
        }"""
    )

    def run(cell: int) -> None:
        page.locator(".jp-CodeCell .cm-content").nth(cell).click()
        page.evaluate("jupyterapp.commands.execute('notebook:run-cell')")
        number = f"[{cell + 1}]:"
        prompt = page.locator(".jp-InputPrompt").nth(cell)
        until(lambda: prompt.inner_text() == number, f"the end of cell {cell + 1}")

    run(0)
    inside = content_of(page)
    until(lambda: inside.evaluate("window.kinegen.studio.programs.drawn.length") == 2, "the items")
    run(1)
    q = "window.kinegen.studio.q"
    until(lambda: inside.evaluate(f"Math.abs({q}[0] - 1.8) + Math.abs({q}[2] - 1.5) < 1e-6"), "q")
    until(lambda: inside.evaluate("window.kinegen.studio.programs.drawn.length") == 3, "the label")
    drag(page, inside)
    run(2)
    shown = page.locator(".jp-OutputArea-output").last
    assert shown.inner_text().strip() == "['start', 'end'] 1"
    page.evaluate("jupyterapp.commands.execute('docmanager:save')")
    until(lambda: "iframe" in notebook.read_text(encoding="utf-8"), "the saved notebook")
    page.close()
    # the notebook as a file, for a reader without a kernel
    command = [JUPYTER, "nbconvert", "--to", "html", str(notebook)]
    subprocess.run(command, check=True, capture_output=True, timeout=HANG)
    reader = context.new_page()
    reader.goto(notebook.with_suffix(".html").as_uri())
    inside = content_of(reader)
    assert inside.evaluate("window.kinegen.studio.programs.drawn.length") == 2
    reader.locator(IFRAME).scroll_into_view_if_needed()
    drag(reader, inside)
    reader.close()
