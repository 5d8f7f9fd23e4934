"""A studio's memory: what it takes while many work in it, and what it gives back when they left.

Run ``python -m bench.endurance.studio [--sessions N] [--seconds S]``. A studio in a process of its
own is warmed up; then sessions come and go, some at a time: they open mechanisms, edit texts and
numbers, undo, store poses, ask for analyses and exports. At the end all have left. Printed is the
memory of the studio's own process at the start, once a minute, at its highest, and afterwards.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from kinegen.studio.wire.typescript import schema_hash

MECHANISMS = ("stewart", "delta", "four-bar", "puma560", "humanoid-30", "3-rrr")
AT_A_TIME = 20
MOST = 30.0
"""[MB] What may be left above the start."""
PATIENCE = 60.0
"""[s] Within which it is given back once the sessions are closed."""
REST = 2.0
"""[s] In which the studio closes what was left."""
_STUDIO = """
import sys
from pathlib import Path
from kinegen.studio.session import hub
from kinegen.studio.server import serve
hub.KEEP = float(sys.argv[2])
settings = serve.Settings(folder=Path(sys.argv[1]), state=Path(sys.argv[1]) / "state", port=0)
serve.run(settings, browser=False, say=lambda line: print(line, flush=True))
"""


@dataclass(frozen=True)
class Soaked:
    """Memory [MB] of a studio before, at its highest, and after."""

    start: float
    highest: float
    end: float


def memory(pid: int) -> float:
    """Memory of its own that a process has in use [MB]."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Rss:"):
            return int(line.split()[1]) / 1024
    raise OSError("the system does not say")


@contextlib.contextmanager
def studio(keep: float) -> Iterator[tuple[int, str]]:
    """A studio in a process of its own: its number and the address of its socket."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [sys.executable, "-c", _STUDIO, folder, str(keep)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        try:
            page, _, query = process.stdout.readline().split()[-1].partition("?")
            yield process.pid, f"{page.replace('http', 'ws', 1)}ws{'?' if query else ''}{query}"
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()


class Page:
    """A page that works."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._number = 0
        self.snapshot: dict[str, Any] = {}

    async def read(self, *kinds: str) -> dict[str, Any]:
        """The next message of one of these kinds."""
        while True:
            frame = await self._socket.recv()
            message = json.loads(frame) if isinstance(frame, str) else {"kind": "frame"}
            if message["kind"] == "snapshot":
                self.snapshot = message
            if message["kind"] in kinds:
                return message

    async def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        self._number += 1
        await self._socket.send(json.dumps({"kind": kind, "request": self._number, **fields}))
        while True:
            answer = await self.read("done", "refused")
            if answer["request"] == self._number:
                return answer


async def session(link: str, chance: random.Random, edits: int, jobs: bool) -> None:
    """One that comes, works and leaves."""
    async with connect(link, compression=None, max_size=None) as socket:
        page = Page(socket)
        hello = {"schema": schema_hash(), "session": None, "secret": None}
        hello["open"] = chance.choice(MECHANISMS)
        await socket.send(json.dumps({"kind": "hello", **hello}))
        await page.read("snapshot")
        for number in range(edits):
            await page.ask("edit_text", text=page.snapshot["text"] + f"# {number}\n")
            q = [value + 1e-3 * chance.random() for value in page.snapshot["q"]]
            await page.ask("commit_pose", q=q, label="move")
            name, parent = f"f{number}", page.snapshot["model"]["links"][-1]
            await page.ask("add_frame", name=name, parent=parent, row={"d": chance.random()})
            await page.ask("undo")
        if not jobs:
            return
        q = page.snapshot["q"]
        await page.ask("mobility", q=q)
        await page.ask("export", format="svg", q=q, motion=None)


async def soak(
    sessions: int,
    seconds: float = 0.0,
    *,
    keep: float = 2.0,
    edits: int = 5,
    jobs: bool = True,
    say: Callable[[str], None] = lambda line: None,
) -> Soaked:
    """Let sessions come and go.

    Args:
        sessions: How many, at least.
        seconds: For how long, at least.
        keep: How long the studio keeps a session that everybody left [s].
        edits: Rounds of edits in each.
        jobs: Whether each asks for heavy work too.
        say: Hears of the memory at the start and once a minute.
    """
    chance = random.Random(1)
    with studio(keep) as (pid, link):
        highest = 0.0

        async def work(count: int, until: float) -> None:
            nonlocal highest
            done, begun, minutes = 0, time.monotonic(), 0
            while done < count or time.monotonic() < until:
                some = min(AT_A_TIME, max(count - done, 1))
                await asyncio.gather(*(session(link, chance, edits, jobs) for _ in range(some)))
                done += some
                highest = max(highest, memory(pid))
                if time.monotonic() - begun >= 60 * (minutes + 1):
                    minutes += 1
                    say(f"minute {minutes}: {memory(pid):.0f} MB, {done} sessions so far")

        # each kind of work once: what is imported and set up stays
        await asyncio.gather(*(session(link, chance, 1, jobs) for _ in range(len(MECHANISMS))))
        await asyncio.sleep(keep + REST)
        start = memory(pid)
        say(f"start: {start:.0f} MB")
        await work(sessions, time.monotonic() + seconds)
        end = time.monotonic() + keep + PATIENCE
        await asyncio.sleep(keep + REST)
        while (left := memory(pid)) > start + MOST and time.monotonic() < end:
            await asyncio.sleep(0.5)
        return Soaked(start, highest, left)


def main() -> None:
    """Print what a studio took and gave back."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--keep", type=float, default=60.0, help="[s] left sessions stay that long")
    arguments = parser.parse_args()
    found = asyncio.run(
        soak(
            arguments.sessions,
            arguments.seconds,
            keep=arguments.keep,
            say=lambda line: print(line, flush=True),
        )
    )
    print(f"start {found.start:.0f} MB, highest {found.highest:.0f} MB, end {found.end:.0f} MB")
    left = found.end - found.start
    verdict = "met" if left <= MOST else "MISSED"
    print(f"  bar: {left:.0f} MB left above the start, at most {MOST:g} MB: {verdict}")


if __name__ == "__main__":
    main()
