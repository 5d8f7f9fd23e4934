"""Slow texts hold up nobody else; they are ended by the clock, by cancel and by leaving."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bench.support.large_texts import arm_text, loops_text
from kinegen.studio.server.serve import Running
from kinegen.studio.session.reading.readers import Readers
from tests.support.studio import Page, RefusedError, page, run, studio

SLOW_ROOMS = 7
"""More than the event loop has threads of its own on two processors."""
HANG = 120
"""[s] Only what never comes takes this long."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be held there")


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that are stopped here stay so; the watchdog would replace them after 2 s."""
    monkeypatch.setattr("kinegen.studio.session.reading.readers.STOPPED", 10**9)


def processes(readers: Readers) -> list[int]:
    """The processes that run."""
    found = [process._child for lane in (readers._first, readers._slow) for process in lane._all]
    return [child.pid for child in found if child is not None and child.poll() is None]


async def until(test: object) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(HANG):
        while not test():  # type: ignore[operator]
            await asyncio.sleep(0.01)


@contextlib.asynccontextmanager
async def held(running: Running, texts: list[str]) -> AsyncIterator[list[tuple[Page, int]]]:
    """Pages whose edits are stuck: all processes are stopped, and those behind wait for them."""
    readers = running.hub.readers = Readers(first=1)
    readers.brief = readers.longest = readers._first.share = 10_000.0
    async with contextlib.AsyncExitStack() as stack:
        pages = [await stack.enter_async_context(page(running)) for _ in texts]
        asked = []
        for one, text in zip(pages, texts, strict=True):
            asked.append((one, await one.start("edit_text", text=text)))
            await until(lambda: processes(readers))
            os.kill(processes(readers)[0], signal.SIGSTOP)
        await until(lambda: len(readers._first._waiting) == len(texts) - 1)
        yield asked


def test_seven_slow_rooms_do_not_delay_another_pages_commit(tmp_path: Path) -> None:
    """The commit is answered while all seven are still at it."""

    async def check() -> None:
        async with studio(tmp_path) as running:
            texts = [arm_text(3000 + i) for i in range(SLOW_ROOMS)]
            async with held(running, texts) as slow, page(running) as other:
                q = [value + 0.01 for value in other.snapshot["q"]]
                await other.ask("commit_pose", q=q, label="move")
                await other.ask("edit_text", text=other.snapshot["text"] + "\n# a comment\n")
                await other.ask("save", file="mine.raff")
                assert not [one for one, request in slow if one.find("done", request=request)]
                assert not [one for one, request in slow if one.find("refused", request=request)]

    run(check())


def test_a_slow_read_is_ended_by_cancel_and_the_session_continues(tmp_path: Path) -> None:
    async def check() -> None:
        async with studio(tmp_path) as running:
            async with held(running, [arm_text(3000), loops_text(6000)]) as slow:
                for one, request in reversed(slow):  # the one that waits, the one that runs
                    before = one.snapshot["text"]
                    await one.send("cancel", request=request)
                    with pytest.raises(RefusedError, match="cancelled"):
                        await one.answer(request)
                    await one.ask("edit_text", text=before + "\n# small again\n")
                    assert not one.snapshot["problems"]

    run(check())


def test_a_read_that_nobody_waits_for_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kinegen.studio.session.reading.readers.AFTER_LEAVING", 0.01)

    async def check() -> None:
        async with studio(tmp_path) as running:
            async with held(running, [arm_text(3000)]) as [(one, _)]:
                room = running.hub.rooms[one.welcome["session"]]
                await one.leave()
                await until(lambda: not room._is_changing)
                assert "four-bar" in room.session.present.text or not room.session.problems

    run(check())


def test_a_text_that_takes_too_long_is_refused(tmp_path: Path) -> None:
    """By the clock: a hundredth of a second is too short on any machine."""

    async def check() -> None:
        async with studio(tmp_path, reading=0.01) as running, page(running) as one:
            before = one.snapshot["text"]
            with pytest.raises(RefusedError, match=r"longer than 0.01 s"):
                await one.ask("edit_text", text=arm_text(20_000))
            with pytest.raises(RefusedError, match=r"longer than 0.01 s"):
                await one.ask("open_text", text=loops_text(20_000), q=None)
            assert one.snapshot["text"] == before
            await one.ask("commit_pose", q=one.snapshot["q"], label="still here")

    run(check())
