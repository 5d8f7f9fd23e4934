"""What is logged, and what is not."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

import pytest

from kinegen.studio.server import access_log as module
from kinegen.studio.server.access_log import AccessLog
from tests.support.studio import page, run, studio
from tests.unit.studio.server.test_app import fetch


def test_lines_cannot_be_forged_and_keys_are_left_out(tmp_path: Path) -> None:
    log = AccessLog(tmp_path / "log/studio.log")
    log.request("::1", "GET", "/a\n2026 forged \x1b[31m \ud800é/" + "x" * 1000, 200, 0.1)
    log.request("-", "GET", "/download/SECRET/name.svg", 200, 0.1)
    log.change("127.0.0.1", 3, "abc", "save", "my arm\r\n.raff")
    log.close()
    log.change("127.0.0.1", 3, "abc", "too late")
    first, second, third = (tmp_path / "log/studio.log").read_text().splitlines()
    assert first.isascii() and first.isprintable() and len(first) < 400
    assert first.split()[1:3] == ["::1", "GET"] and len(first.split()) == 6
    assert "SECRET" not in second and "/download/-/name.svg 200" in second
    assert third.endswith("127.0.0.1 page=3 session=abc save file=my%20arm%0D%0A.raff")


@pytest.mark.skipif(os.name == "nt", reason="rights are of another kind there")
def test_it_is_for_its_owner_alone_and_is_put_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST", 1000)
    log = AccessLog(tmp_path / "log/studio.log")
    for n in range(200):
        log.request("127.0.0.1", "GET", f"/{n}", 200, 0.0)
    log.close()
    files = sorted((tmp_path / "log").iterdir())
    assert len(files) == 1 + module.KEPT
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)
    assert sum(file.stat().st_size for file in files) < 5000


def test_a_place_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file/x.log", tmp_path, None):
        log = AccessLog(place)
        log.request("-", "GET", "/", 200, 0.0)
        log.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_costs_lines_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    handler = logging.StreamHandler(open("/dev/full", "w"))
    monkeypatch.setattr(handler, "handleError", lambda record: None)
    monkeypatch.setattr(handler, "close", handler.stream.close)
    monkeypatch.setattr(module, "_handler", lambda place: handler)
    log = AccessLog("anywhere")
    log.request("-", "GET", "/", 200, 0.0)
    thread = log._thread
    assert thread is not None
    log.close()
    thread.join(60)
    assert not thread.is_alive() and capfd.readouterr().err == ""


def test_requests_and_writes_of_a_studio(tmp_path: Path) -> None:
    async def work() -> tuple[str, str, int]:
        async with studio(tmp_path) as running:
            async with page(running) as one:
                await one.ask("set_numbers", changes=[[None, "crank", 0.0771]])
                await one.ask("save", file="mine.raff")
                await one.ask("edit_text", text=one.snapshot["text"] + "# private words\n")
                await one.ask("mobility", q=one.snapshot["q"])
                number, secret = one.welcome["client"], one.welcome["secret"]
                session = one.welcome["session"]
            await fetch(running, "/upload?file=a.obj", method="POST", body=b"v 0 0 0\n")
            await fetch(running, f"/files/a.obj?token={running.guard.token}", known=False)
            await fetch(running, "/metrics", known=False)
            token, port = running.guard.token, running.port
        text = (tmp_path / f"state/log/studio-{port}.log").read_text()
        for hidden in (token, secret, "private", "771"):
            assert hidden not in text
        return text, session, number

    text, session, number = run(work())
    who = f"127.0.0.1 page={number} session={session}"
    for line in (
        "127.0.0.1 SOCKET /ws 101", f"{who} set_numbers\n", f"{who} save file=mine.raff\n",
        f"{who} edit_text\n", "127.0.0.1 page=0 session=- upload file=a.obj\n",
        "POST /upload 200", "GET /files/a.obj 200", "GET /metrics 403",
    ):  # fmt: skip
        assert line in text, line
