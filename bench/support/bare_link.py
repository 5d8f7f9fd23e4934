"""The best possible on this machine: the way from a program to a picture without a studio.

A relay of a few lines in a process of its own, a blocking socket in the program, and a second
socket of the same page, whose messages ask for the same picture. Everything that this takes is the
machine, the browser and its processor-drawn picture; what the studio takes more is its own.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from websockets.sync.client import connect

__all__ = ["BARE_HOOK", "Bare", "bare_link", "lateness"]

RELAY = """
import asyncio
from websockets.asyncio.server import broadcast, serve

clients = set()

async def relay(one):
    clients.add(one)
    async for frame in one:
        broadcast(clients - {one}, frame)

async def main():
    async with serve(relay, "127.0.0.1", 0, compression=None) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

asyncio.run(main())
"""
BARE_HOOK = """(port) => new Promise((ready) => {
  const { viewer } = window.kinegen;
  const now = () => performance.timeOrigin + performance.now();
  let latest = null;
  window.bare = { got: new Map(), drawn: new Map() };
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  socket.binaryType = "arraybuffer";
  socket.onopen = ready;
  socket.onmessage = ({ data }) => {
    latest = new Float64Array(data)[0];
    bare.got.set(latest, now());
    viewer.invalidate();
  };
  const renderer = viewer.stage.renderer, render = renderer.render.bind(renderer);
  renderer.render = (scene, camera) => {
    render(scene, camera);
    if (latest !== null) bare.drawn.set(latest, now());
    latest = null;
  };
})"""
"""In the page: when each number came, and when the picture after it was handed over."""


class Bare:
    """A bare connection to the page: numbers are sent as views send poses."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._socket = connect(f"ws://127.0.0.1:{port}", compression=None)

    def send(self, number: float) -> None:
        """Send one number."""
        self._socket.send(np.float64(number).tobytes())


@contextlib.contextmanager
def bare_link(page: Any) -> Iterator[Bare]:
    """A relay between this program and the page."""
    command = [sys.executable, "-c", RELAY]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as relay:
        assert relay.stdout is not None
        try:
            bare = Bare(int(relay.stdout.readline()))
            page.evaluate(BARE_HOOK, bare.port)
            yield bare
        finally:
            relay.terminate()


class lateness:
    """How late a thread that does nothing but sleep wakes up while something runs [s]."""

    def __init__(self) -> None:
        self.late: list[float] = []
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self._end.is_set():
            start = time.perf_counter()
            time.sleep(0.002)
            self.late.append(time.perf_counter() - start - 0.002)

    def __enter__(self) -> list[float]:
        self._thread.start()
        return self.late

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
