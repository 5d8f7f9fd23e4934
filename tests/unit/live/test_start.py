"""Starting a studio for a program: it outlives the program, and ends when all have left."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.live import start
from kinegen.live.address import Address
from kinegen.live.requests import Requests
from kinegen.studio.server.serve import open_browser
from tests.support.live import until

pytestmark = pytest.mark.slow

PROGRAM = """
import sys, kinegen as kg
view = kg.show("four-bar", browser=False, name="again.py")
view.slider("k", 0, 1)
print(view.session, view._core.link.address.port, flush=True)
sys.stdin.readline()
"""


@pytest.mark.slow
def test_a_studio_is_started_found_again_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KINEGEN_STATE", str(tmp_path / "state"))
    monkeypatch.setattr(start, "LINGER", 5.0)
    file = tmp_path / "own.raff"
    file.write_text("raff: 1\nname: own\njoints: [{name: A, parent: base, d: 1}]\n")
    with kg.show(file, browser=False) as view:
        assert view.model.name == "own" and view.pages == 0
        port = view._core.link.address.port
        link = start.page_link(view._core, Requests(view._core))
        assert "once=" in link and view._core.link.address.token not in link
        # the view's own link is for browsers elsewhere and for other programs
        with kg.connect(view.link) as joined:
            assert joined.session == view.session and joined.link == view.link
        # another program of this folder, in a session of its own
        env = {**os.environ, "KINEGEN_STATE": str(tmp_path / "state")}
        other = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=env, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert other.stdout is not None and other.stdin is not None
        session, found = other.stdout.readline().split()
        assert int(found) == port and session != view.session
        other.kill()  # dies without a word
        other.communicate()
        assert view.state == "open"
    until(lambda: _is_closed(port), "the studio's end")


def test_where_no_browser_opens_the_link_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []
    for opened in (True, False):
        monkeypatch.setattr("webbrowser.open", lambda link, opened=opened: opened)
        open_browser("http://127.0.0.1:1/", "the page is at X")
        for thread in threading.enumerate():
            if thread.name.endswith("(attempt)"):
                thread.join()
        said.append(capsys.readouterr().err)
    assert said == ["", "the page is at X\n"]


def test_a_link_leads_to_a_session() -> None:
    link = Address("::1", 8137, True, "a/b").to_session("S1", "key")
    assert link == "https://[::1]:8137/?session=S1&token=a%2Fb#secret=key"
    assert Address.parse(link) == Address("::1", 8137, True, "a/b", "S1")
    watch = "http://127.0.0.1:8137/?watch=S1&token=S1.proof"
    assert Address.parse(watch).to_session("S1", None) == watch


def _is_closed(port: int) -> bool:
    import socket

    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (5, "expected a mechanism"),
        ("four-bra", "did you mean 'four-bar'"),
        (Path("nowhere.raff"), "nowhere.raff"),
    ],
)
def test_what_cannot_be_shown_is_refused_before_anything_starts(source: object, words: str) -> None:
    with pytest.raises(kg.errors.KinegenError, match=words):
        kg.show(source)  # type: ignore[arg-type]


def test_a_file_outside_the_project_folder_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "own.raff"
    file.write_text("raff: 1\njoints: []\n")
    (tmp_path / "other").mkdir()
    with pytest.raises(UsageError, match="is not in the project folder"):
        kg.show(file, folder=tmp_path / "other")
    with pytest.raises(UsageError, match="there is no folder"):
        kg.show("four-bar", folder=tmp_path / "none")


def test_sources() -> None:
    mechanism = kg.load("four-bar")
    assert start._source(mechanism, None)[::2] == ("text", Path.cwd())
    assert start._source("four-bar", None) == ("library", "four-bar", Path.cwd())
    assert start._source("raff: 1\njoints: []\n", None)[0] == "text"
