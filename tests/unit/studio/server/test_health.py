"""How the studio is, in numbers."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from pathlib import Path

import pytest

from kinegen.studio.server.health import memory
from tests.support.studio import HANG, page, run, studio
from tests.unit.studio.server.test_app import fetch


def test_anybody_may_ask_whether_it_lives_and_nothing_more(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            status, _, body = await fetch(running, "/health", known=False)
            assert status == 200 and body == b"ok"
            token = one.welcome["watch_link"].partition("token=")[2]
            assert (await fetch(running, f"/health?token={token}", known=False))[2] == b"ok"
            assert (await fetch(running, "/health", method="POST", known=False))[0] == 403
            assert (await fetch(running, "/metrics", known=False))[0] == 403
            found = json.loads((await fetch(running, "/health"))[2])
            assert found["status"] == "ok" and found["sessions"] == found["pages"] == 1

    run(work())


def test_metrics_are_what_prometheus_reads(tmp_path: Path) -> None:
    line = re.compile(r"kinegen_[a-z_]+ -?[0-9.e+-]+\Z")

    async def work() -> None:
        async with studio(tmp_path) as running, page(running):
            running.hub.gauges["journal_lag_seconds"] = lambda: 0.25
            async with page(running, session=next(iter(running.hub.rooms))):
                status, headers, body = await fetch(running, "/metrics")
            assert status == 200 and headers["content-type"].startswith("text/plain; version=0.0.4")
            rows = body.decode().splitlines()
            values = dict(row.split(" ") for row in rows if not row.startswith("#"))
            assert all(line.match(row) for row in rows if not row.startswith("#"))
            names = [row.split(" ")[2] for row in rows if row.startswith("# TYPE")]
            assert names == list(values) and len(set(names)) == len(names)
            assert values["kinegen_pages"] == "2" and values["kinegen_watchers"] == "1"
            assert values["kinegen_journal_lag_seconds"] == "0.25"
            if sys.platform == "linux":
                assert float(values["kinegen_memory_bytes"]) > 10**7

    run(work())


def test_a_busy_event_loop_is_noticed(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running:

            async def worst() -> float:
                return float(
                    json.loads((await fetch(running, "/health"))[2])["loop_lag_max_seconds"]
                )

            time.sleep(0.5)
            async with asyncio.timeout(HANG):
                while await worst() < 0.2:
                    await asyncio.sleep(0.05)

    run(work())


@pytest.mark.skipif(sys.platform != "linux", reason="reported on Linux alone")
def test_memory() -> None:
    before = memory()
    held = bytearray(b"x" * 50_000_000)
    assert memory() - before > 30_000_000
    del held
