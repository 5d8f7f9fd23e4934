"""The studio's server: many pages at once, a page that floods it, edits, autosave.

Run ``python -m bench.studio.studio [--clients N] [--seconds S]``. The studio runs in a process of
its own; the pages are this process, so that its own work is not in the server's figures. Measured
are: the server's CPU per pose with N pages that drag at 60 Hz each, all watched by one more; the
time from a pose that is sent to the same pose at the watcher; the same while one page sends 10,000
poses a second; the time of an edit of the text from the keystroke to the answer; and how long after
a change the journal has it. Timing decides nothing: bars are printed as met or missed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

from bench.support.notes import note
from kinegen.studio.session.journals.autosave import Journal
from kinegen.studio.wire.frames import pack_pose, unpack_pose
from kinegen.studio.wire.typescript import schema_hash

RATE = 60.0
"""Poses per second of a page that drags."""
FLOOD = 10_000.0
"""Poses per second of a page gone wild."""


class Client:
    """A page that measures."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.welcome: dict[str, Any] = {}
        self.snapshot: dict[str, Any] = {}
        self.sent: dict[float, float] = {}
        self.delays: list[float] = []
        self.waiting: dict[int, asyncio.Future[Any]] = {}
        self.ready = asyncio.Event()
        self.driver: Client | None = None
        self.reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        with contextlib.suppress(Exception):
            async for frame in self.socket:
                if isinstance(frame, bytes):
                    self._pose(frame)
                    continue
                message = json.loads(frame)
                kind = message["kind"]
                if kind == "welcome":
                    self.welcome = message
                elif kind == "snapshot":
                    self.snapshot = message
                    self.ready.set()
                elif kind in ("done", "refused"):
                    future = self.waiting.pop(message["request"], None)
                    if future is not None and not future.done():
                        future.set_result(message)

    def _pose(self, frame: bytes) -> None:
        if self.driver is not None:
            begun = self.driver.sent.get(float(unpack_pose(frame).q[0]))
            if begun is not None:
                self.delays.append(time.perf_counter() - begun)

    async def ask(self, number: int, **message: Any) -> Any:
        """Send a request and wait for its answer."""
        future = asyncio.get_running_loop().create_future()
        self.waiting[number] = future
        await self.socket.send(json.dumps({**message, "request": number}))
        return await future

    async def drag(self, seconds: float, rate: float) -> int:
        """Send poses for a while, at a rate as far as the studio takes them."""
        q = np.array(self.snapshot["q"])
        start, version, count = time.perf_counter(), self.snapshot["version"], 0
        while (now := time.perf_counter()) - start < seconds:
            count += 1
            q[0] += 1e-6
            self.sent[float(q[0])] = now
            await self.socket.send(pack_pose(count, version, q))
            if count / rate > now - start:
                await asyncio.sleep(start + count / rate - now)
        return count


@contextlib.asynccontextmanager
async def client(link: str, **hello: Any) -> AsyncIterator[Client]:
    """A page that has its first snapshot."""
    async with connect(link, compression=None, max_size=None) as socket:
        one = Client(socket)
        first = {"kind": "hello", "schema": schema_hash(), "session": None, "secret": None, **hello}
        await socket.send(json.dumps(first))
        await one.ready.wait()
        yield one
        one.reader.cancel()


def cpu(pid: int) -> float:
    """CPU time that a process has used [s]; only Linux reports it so simply."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """Memory that a process has in use [MB]."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return float("nan")


def summary(values: list[float]) -> str:
    """Times in words."""
    if not values:
        return "none came"
    ordered = sorted(values)
    p99 = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    return f"median {statistics.median(values) * 1e3:.1f} ms, 99 % {p99 * 1e3:.1f} ms"


def bar(what: str, value: float, limit: float, unit: str) -> None:
    """Say whether a bar is met."""
    verdict = "met" if value <= limit else "MISSED"
    note(what, value, unit)
    print(f"  bar: {what} {value:.3g} {unit}, at most {limit:g} {unit}: {verdict}")


def kept_text(journal: Journal, session: str) -> str:
    """The text that a session's journal has."""
    record = journal.load(session)
    return record.present.text if record else ""


async def flood(link: str, seconds: float) -> None:
    """Send ten thousand poses a second; run in a process of its own."""
    async with client(link) as one:
        print(await one.drag(seconds, FLOOD), flush=True)


async def measure(link: str, pid: int, state: Path, clients: int, seconds: float) -> None:
    """All that is measured, one after the other."""
    async with contextlib.AsyncExitStack() as stack:
        begun = time.perf_counter()
        pages = await asyncio.gather(
            *(stack.enter_async_context(client(link)) for _ in range(clients))
        )
        print(f"{clients} pages welcomed in {time.perf_counter() - begun:.2f} s")
        driver = pages[0]
        watcher = await stack.enter_async_context(client(link, session=driver.welcome["session"]))
        watcher.driver = driver

        used, begun = cpu(pid), time.perf_counter()
        counts = await asyncio.gather(*(one.drag(seconds, RATE) for one in pages))
        used, took = cpu(pid) - used, time.perf_counter() - begun
        print(f"{clients} pages at {RATE:g} Hz: {sum(counts) / took:.0f} poses/s came")
        print(f"  server: {used / took:.0%} of a core, {used / sum(counts) * 1e6:.0f} us per pose, "
              f"{memory(pid):.0f} MB")  # fmt: skip
        print(f"  pose to watcher: {summary(watcher.delays)}")

        watcher.delays.clear()
        command = ["-m", "bench.studio.studio", "--flood", link, "--seconds", str(seconds)]
        flooding = await asyncio.create_subprocess_exec(
            sys.executable, *command, stdout=asyncio.subprocess.PIPE
        )
        await asyncio.sleep(1.5)  # until it has begun
        used, begun = cpu(pid), time.perf_counter()
        await driver.drag(seconds - 1, RATE)
        used, took = cpu(pid) - used, time.perf_counter() - begun
        out, _ = await flooding.communicate()
        print(f"one page floods with {int(out) / seconds:.0f} poses/s while another drags")
        print(f"  server: {used / took:.0%} of a core; pose to watcher: {summary(watcher.delays)}")

        text = driver.snapshot["text"]
        times = []
        for n in range(40):
            begun = time.perf_counter()
            await driver.ask(1000 + n, kind="edit_text", text=f"{text}# {n}\n")
            times.append(time.perf_counter() - begun)
        print(f"edit of the text of {driver.snapshot['model']['name']}: {summary(times)}")
        bar("edit", statistics.median(times) * 1e3, 100, "ms")

        lags = []
        journal = Journal(state)
        for n in range(6):
            await driver.ask(2000 + n, kind="edit_text", text=f"{text}# journal {n} end\n")
            begun = time.perf_counter()
            while f"# journal {n} end" not in kept_text(journal, driver.welcome["session"]):
                await asyncio.sleep(0.005)
            lags.append(time.perf_counter() - begun)
        journal.close()
        print(f"journal after a change: {summary(lags)}")
        bar("journal", max(lags), 1, "s")


def main() -> None:
    """Start a studio and measure it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--flood", metavar="LINK", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.flood:
        asyncio.run(flood(options.flood, options.seconds))
        return
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state"
        arguments = ["studio", "stewart", "--no-browser", "--port", "0", "--folder", folder]
        process = subprocess.Popen(
            [sys.executable, "-m", "kinegen", *arguments],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "KINEGEN_STATE": str(state)},
        )
        assert process.stdout is not None
        try:
            link = process.stdout.readline().split()[-1]
            link = link.replace("http", "ws", 1).replace("/?token=", "/ws?token=")
            work = measure(link, process.pid, state, options.clients, options.seconds)
            asyncio.run(work)
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()


if __name__ == "__main__":
    main()
