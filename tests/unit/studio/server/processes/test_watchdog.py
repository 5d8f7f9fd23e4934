"""Processes that stand still."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from kinegen.studio.jobs.processes.pool import JobError, Workers
from kinegen.studio.server.processes import watchdog as module
from kinegen.studio.server.processes.watchdog import Watchdog, process_state
from tests.support.studio import HANG, RefusedError, page, run, studio
from tests.unit.studio.jobs.processes.test_pool import Heard, job

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="processes cannot be stopped there"),
]


async def started(code: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(sys.executable, "-c", code)


async def until(test: Any) -> None:
    async with asyncio.timeout(HANG):
        while not test():
            await asyncio.sleep(0.02)


def test_what_the_system_says() -> None:
    async def work() -> None:
        process = await started("import time; time.sleep(1000)")
        try:
            await until(lambda: (process_state(process.pid) or own).sleeping)
            process.send_signal(signal.SIGSTOP)
            await until(lambda: (process_state(process.pid) or own).stopped)
        finally:
            process.kill()
            await process.wait()
        assert process_state(process.pid) is None

    own = process_state(os.getpid())
    assert own is not None and not own.stopped
    run(work())


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import time; time.sleep(1000)", "stopped responding"),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
            "was stopped by another program",
        ),
    ],
)
def test_it_ends_what_stands_still(code: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROUND", 0.1)

    async def work() -> None:
        process = await started(code)
        watchdog = Watchdog(process, lambda: True)
        async with asyncio.timeout(HANG):
            await process.wait()
        assert watchdog.reason == reason
        watchdog.end()

    run(work())


def test_it_leaves_alone_what_computes_or_has_nothing_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A process that holds its interpreter for long cannot say anything, but it uses time."""
    monkeypatch.setattr(module, "ROUND", 0.05)

    async def work() -> None:
        busy = await started("pow(3, 10**7, 10**9); sum(range(10**9))")
        idle = await started("import time; time.sleep(1000)")
        dogs = [Watchdog(busy, lambda: True), Watchdog(idle, lambda: False)]
        await until(lambda: (process_state(idle.pid) or process_state(os.getpid())).sleeping)  # type: ignore[union-attr]
        await asyncio.sleep(20 * module.ROUND)
        assert [busy.returncode, idle.returncode] == [None, None]
        for process, dog in zip((busy, idle), dogs, strict=True):
            dog.end()
            process.kill()
            await process.wait()

    run(work())


def test_it_leaves_alone_what_says_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROUND", 0.05)

    async def work() -> None:
        # asleep for ever, as one that waits for a process of its own
        process = await started("import time; time.sleep(1000)")
        rounds: list[int] = []

        def is_due() -> bool:
            rounds.append(1)
            dog.heard()
            return True

        dog = Watchdog(process, is_due)
        try:
            await until(lambda: len(rounds) > 3 * module.STILL)
            assert dog.reason == "" and process.returncode is None
        finally:
            dog.end()
            process.kill()
            await process.wait()

    asyncio.run(work())


def test_a_stopped_worker_is_replaced_within_five_seconds(tmp_path: Path) -> None:
    async def work() -> None:
        workers = Workers(1)
        heard = Heard()
        try:
            await workers.warm()
            process = workers._all[0]._process
            assert process is not None
            long = job("stewart", "cloud", tmp_path, frame="platform", count=10**7)
            task = asyncio.create_task(workers.run(long, heard))
            await asyncio.sleep(0.2)
            process.send_signal(signal.SIGSTOP)
            begun = time.monotonic()
            with pytest.raises(
                JobError, match="was stopped by another program; the studio continues"
            ):
                await task
            # two looks, a second apart; the machine may be busy
            assert time.monotonic() - begun < 5
            assert await workers.run(job("four-bar", "mobility", tmp_path), Heard())
        finally:
            await workers.close()

    run(work())


def test_a_stopped_simulation_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROUND", 0.2)

    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            await one.ask("start_simulation")
            (room,) = running.hub.rooms.values()
            process = room.live._process
            assert process is not None
            process.send_signal(signal.SIGSTOP)
            state = await one.wait("simulation", phase="stopped")
            assert "was stopped by another program" in state["reason"]
            # and again from the start, though an order waits meanwhile
            await one.ask("start_simulation")
            process = room.live._process
            assert process is not None
            process.send_signal(signal.SIGSTOP)
            with pytest.raises(RefusedError, match="was stopped by another program"):
                await one.ask("pause_simulation")
            await one.ask("start_simulation")

    run(work())
