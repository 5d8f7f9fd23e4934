"""The journal: how long after `done` a change is on disk, with many sessions that edit at once.

Run ``python -m bench.studio.journal [--sessions N] [--seconds S]``. The studio runs in a process of
its own. Every session changes a number, waits for the answer, notes the time, and continues:
as many changes a second as the studio does. Another process looks at the journals themselves.
Then the same with one session in which a large text is being read. Timing decides nothing: the bar
(1 s) is printed as met or missed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

from bench.studio.studio import Client, bar, client, summary
from kinegen.studio.session.journals.log import read_log

_CRANK = re.compile(r"crank: *(?:{value: *)?([\d.]+) mm")


class Watcher:
    """Looks at the journals over and over: from when on each has a length of the crank."""

    def __init__(self, sessions: Path) -> None:
        self.seen: dict[str, list[tuple[float, int]]] = {}
        self._folder = sessions
        self._looks: dict[Path, int] = {}
        self._ends = False
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._ends:
            for file in self._folder.glob("*.journal"):
                with contextlib.suppress(OSError):
                    size = file.stat().st_size
                    if self._looks.get(file) == size:
                        continue
                    self._looks[file] = size
                    data = file.read_bytes()
                    now = time.perf_counter()  # it was there before it was read
                    record = read_log(data)
                    found = record and _CRANK.search(record.present.text)
                    if found:
                        number = round((float(found[1]) - 100) * 1000)
                        self.seen.setdefault(file.stem, []).append((now, number))
            time.sleep(0.005)

    def stop(self) -> None:
        """End it."""
        self._ends = True
        self._thread.join()

    def lag(self, session: str, number: int, done: float) -> float | None:
        """How long after ``done`` a change was on disk [s]; None when it never was."""
        for when, seen in self.seen.get(session, []):
            if seen >= number:
                return max(0.0, when - done)
        return None


async def edit(one: Client, first: int, until: float, pause: float) -> list[tuple[int, float]]:
    """Change a number again and again; each change and when it was acknowledged."""
    done = []
    number = first
    while time.perf_counter() < until:
        number += 1
        changes = [[None, "crank", 0.1 + number * 1e-6]]
        await one.ask(number, kind="set_numbers", changes=changes)
        done.append((number, time.perf_counter()))
        await asyncio.sleep(pause)
    return done


async def measure(address: str, state: Path, sessions: int, seconds: float, pause: float) -> None:
    """Edit in many sessions and look when it is on disk."""
    async with contextlib.AsyncExitStack() as stack:
        pages = [await stack.enter_async_context(client(address)) for _ in range(sessions)]
        first = 0
        for slow in (False, True):
            if slow:
                many = "".join(f"  p{n}: {n}\n" for n in range(20_000))
                text = f"raff: 1\nname: large\nparameters:\n{many}joints: []\n"
                large = await stack.enter_async_context(client(address))
                task = asyncio.create_task(large.ask(1, kind="edit_text", text=text))
            watcher = Watcher(state / "sessions")
            end = time.perf_counter() + seconds
            done = await asyncio.gather(*(edit(one, first, end, pause) for one in pages))
            await asyncio.sleep(3.0)
            watcher.stop()
            lags = [
                watcher.lag(one.welcome["session"], number, when)
                for one, changes in zip(pages, done, strict=True)
                for number, when in changes
            ]
            first = max(number for changes in done for number, _ in changes)
            missing = lags.count(None)
            known = [lag for lag in lags if lag is not None]
            beside = ", one session reads a large text" if slow else ""
            print(f"{sessions} sessions{beside}: {len(lags) / seconds:.0f} changes/s")
            print(f"  on disk after done: {summary(known)}, {missing} not within 3 s")
            slowest = max(known) if known and not missing else float("inf")
            bar(f"journal of {sessions} sessions{beside}", slowest, 1.0, "s")
            if slow:
                print(f"  the large text was {'read' if task.done() else 'still being read'}")
                task.cancel()


def main() -> None:
    """Start a studio and measure it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--pause", type=float, default=0.0, help="of a session between changes [s]")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state"
        arguments = ["studio", "four-bar", "--no-browser", "--port", "0", "--folder", folder]
        process = subprocess.Popen(
            [sys.executable, "-m", "kinegen", *arguments],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "KINEGEN_STATE": str(state), "PYTHONUNBUFFERED": "1"},
        )
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            link = urlsplit(line[line.index("http") :].strip())
            address = f"ws://{link.netloc}/ws?{link.query}"
            work = measure(address, state, options.sessions, options.seconds, options.pause)
            asyncio.run(work)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


if __name__ == "__main__":
    main()
