"""Worker processes whose studio is gone."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from kinegen.studio.server.uploading.worker import Upload
from kinegen.studio.wire.codec import encode
from kinegen.studio.wire.messages import PlaySimulation
from tests.support.processes import HANG
from tests.support.studio import Page, greeting, printed_address, run

pytestmark = pytest.mark.slow

WORKERS = {
    "session.reading.worker": b"",  # it reports without a question that it is ready
    "jobs.processes.worker": b"{}\n",
    "server.uploading.worker": encode(Upload("/", "x.stl", "/")).encode() + b"\n",
    "live.worker": encode(PlaySimulation(0)).encode() + b"\n",
}
"""What makes each of them answer."""


@pytest.mark.parametrize("module", WORKERS)
def test_a_worker_without_a_studio_ends_in_silence(module: str) -> None:
    command = [sys.executable, "-P", "-m", f"kinegen.studio.{module}"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as worker:
        assert worker.stdin is not None and worker.stdout is not None
        worker.stdout.close()
        _, errors = worker.communicate(WORKERS[module], timeout=HANG)
    assert errors == b""
    assert worker.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups there")
@pytest.mark.parametrize("wait", [0.0, 0.3, 0.9])
def test_ctrl_c_ends_a_studio_in_silence(tmp_path: Path, wait: float) -> None:
    """Whatever its workers are doing: starting, importing, waiting."""

    async def work() -> None:
        pipe = asyncio.subprocess.PIPE
        started = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "kinegen", "studio", "four-bar", "--no-browser", "--port", "0",
            "--folder", str(tmp_path), stdout=pipe, stderr=pipe, start_new_session=True,
            env={**os.environ, "KINEGEN_STATE": str(tmp_path), "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        assert started.stdout is not None
        link = printed_address((await started.stdout.readline()).decode())
        async with connect(link, compression=None, max_size=None) as channel:
            await greeting(Page(channel))
            await asyncio.sleep(wait)
            os.killpg(started.pid, signal.SIGINT)  # as a terminal does
            _, errors = await started.communicate()
        assert errors == b""

    run(work())
