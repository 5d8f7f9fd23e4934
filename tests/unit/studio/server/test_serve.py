"""Serving: ports, links, a clean end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from kinegen.errors import UsageError
from kinegen.studio.server.serve import _listen
from tests.support.studio import HANG, page, run, studio


def test_a_port_in_use_is_reported() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port} of 127.0.0.1 cannot be used"):
            _listen("127.0.0.1", port)


def test_small_answers_are_sent_at_once() -> None:
    """asyncio switches Nagle's delay off where the socket names its protocol."""
    with _listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP


@pytest.mark.parametrize("port", [70000, -1])
def test_a_port_that_is_none_is_reported(port: int) -> None:
    with pytest.raises(UsageError, match="cannot be used"):
        _listen("127.0.0.1", port)


def test_an_address_that_is_not_ours_is_reported() -> None:
    with pytest.raises(UsageError):
        _listen("nowhere.invalid", None)


def test_two_studios_find_ports_of_their_own(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path, port=None) as one, studio(tmp_path, port=None) as other:
            assert one.port != other.port
            async with page(one), page(other):
                pass

    run(work())


def test_the_first_mechanism_is_the_one_asked_for(tmp_path: Path) -> None:
    async def work() -> None:
        (tmp_path / "project").mkdir()
        (tmp_path / "project/own.raff").write_text("raff: 1\nname: own\njoints: []\n")
        async with studio(tmp_path, first="own.raff") as running:
            async with page(running) as one:
                assert one.snapshot["model"]["name"] == "own"
                assert one.snapshot["file"] == "own.raff" and not one.snapshot["dirty"]
                assert one.welcome["files"] == ["own.raff"]
            async with page(running, open="stewart") as one:
                assert one.snapshot["model"]["name"] == "stewart"
            async with page(running, open="nothing") as one:
                assert one.snapshot["model"]["name"] == "own"
                await one.wait("notice", level="error")

    run(work())


def test_a_broken_first_file_leads_to_something_to_see(tmp_path: Path) -> None:
    async def work() -> None:
        (tmp_path / "project").mkdir()
        (tmp_path / "project/bad.raff").write_text("raff: 1\njoints: 5\n")
        async with studio(tmp_path, first="bad.raff") as running, page(running) as one:
            assert one.snapshot["model"]["name"] == "stewart"
            notice = await one.wait("notice", level="error")
            assert "bad.raff" in notice["message"]

    run(work())


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to one process there")
def test_ctrl_c_ends_it_cleanly(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "kinegen", "studio", "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "KINEGEN_STATE": str(tmp_path / "state")},
    )
    assert process.stdout is not None
    link = process.stdout.readline().rpartition(" ")[2].strip()
    with urllib.request.urlopen(link.replace("?", "kinegen.wasm?"), timeout=HANG) as answer:
        assert answer.read(4) == b"\0asm"
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=HANG)
    assert process.returncode == 0 and "Studio stopped." in out
    assert "Traceback" not in error
