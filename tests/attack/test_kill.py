"""Studios that are killed: everything that was acknowledged a second before is there again."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from websockets.asyncio.client import connect

from tests.support.studio import HANG, Page, greeting, page, run, studio

LATER = 1.0
"""[s] What was acknowledged this long ago is on disk."""
PROGRAM = """
import sys, time
from kinegen.cli.main import main
from kinegen.studio.session.session import Session

real = Session.edit_text

def edit_text(self, text, *rest, **keys):
    if "# slow" in text:
        time.sleep(3600)
    return real(self, text, *rest, **keys)

Session.edit_text = edit_text
sys.exit(main(sys.argv[1:]))
"""
"""A studio in which one kind of change never ends."""


@contextmanager
def process(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A studio in a process of its own, and the address of its socket."""
    (folder / "project").mkdir(exist_ok=True)
    started = subprocess.Popen(
        [
            sys.executable, "-c", PROGRAM, "studio", "four-bar", "--no-browser", "--port", "0",
            "--folder", str(folder / "project"),
        ],
        stdout=subprocess.PIPE, text=True,
        env={**os.environ, "KINEGEN_STATE": str(folder / "state"), "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert started.stdout is not None
    try:
        line = next(line for line in started.stdout if "://" in line)
        link = urlsplit(line[line.index("http") :].strip())
        yield started, f"ws://{link.netloc}/ws?{link.query}"
    finally:
        started.kill()
        started.wait(HANG)
        started.stdout.close()


def crank(one: Page) -> float:
    """The length that a page has for the crank [mm]."""
    found = re.search(r"crank: *(?:{value: *)?([\d.]+) mm", one.snapshot["text"])
    assert found, one.snapshot["text"]
    return float(found[1])


def test_one_slow_room_costs_no_other_a_change(tmp_path: Path, effort: int) -> None:
    """Neither what it did itself before the change that takes so long."""
    rooms = 3 + effort
    edits = 6

    async def work(studio: subprocess.Popen[str], address: str) -> list[dict[str, str]]:
        async with AsyncExitStack() as stack:
            pages = []
            for _ in range(rooms):
                socket = await stack.enter_async_context(
                    connect(address, open_timeout=HANG, compression=None)
                )
                pages.append(Page(socket))
                await greeting(pages[-1])
            await pages[0].ask("set_numbers", changes=[[None, "crank", 0.099]])
            await pages[0].start("edit_text", text=pages[0].snapshot["text"] + "# slow\n")
            for n in range(edits):
                await asyncio.gather(
                    *(
                        one.ask("set_numbers", changes=[[None, "crank", 0.1 + n / 1000]])
                        for one in pages[1:]
                    )
                )
            await asyncio.sleep(LATER)
            studio.kill()
            for one in pages:
                await one.until(lambda one=one: one.closed)
            return [{key: one.welcome[key] for key in ("session", "secret")} for one in pages]

    with process(tmp_path) as (killed, address):
        known = run(work(killed, address))

    async def again() -> None:
        async with studio(tmp_path) as running:
            async with page(running) as other:
                offered = {one["session"] for one in other.welcome["recovered"]}
                assert offered == {one["session"] for one in known}
            for n, mine in enumerate(known):
                async with page(running, **mine) as back:
                    last = 99 if n == 0 else 100 + edits - 1
                    assert crank(back) == last, n
                    # and all its steps
                    for _ in range(1 if n == 0 else edits):
                        await back.ask("undo")
                    assert back.snapshot["undo"] is None and not back.snapshot["dirty"]

    run(again())


def test_a_studio_killed_at_any_moment_leaves_a_journal_that_is_good(
    tmp_path: Path, effort: int
) -> None:
    """Killed while it writes: nothing is broken, and no step before the last is missing."""
    for trial in range(effort):
        folder = tmp_path / str(trial)
        folder.mkdir()

        async def work(
            studio: subprocess.Popen[str], address: str, moment: float
        ) -> tuple[str, int]:
            async with connect(address, open_timeout=HANG, compression=None) as socket:
                one = Page(socket)
                await greeting(one)
                asyncio.get_running_loop().call_later(moment, studio.kill)
                for n in range(100_000):
                    await one.start("set_numbers", changes=[[None, "crank", 0.1 + n * 1e-6]])
                    await one.until(lambda n=n: one.find("done", request=n + 1))
                    if one.closed:
                        return one.welcome["session"], n
                raise AssertionError("it was never killed")

        with process(folder) as (killed, address):
            session, _ = run(work(killed, address, 0.3 + 0.137 * (trial % 7)))

        async def again(session: str = session, folder: Path = folder) -> None:
            async with studio(folder) as running, page(running, recover=session) as back:
                if back.snapshot["undo"] is None:
                    return  # killed before its first change was on disk
                last = round((crank(back) - 100) * 1000)
                await back.ask("undo")
                assert last == 0 or round((crank(back) - 100) * 1000) == last - 1

        run(again())
