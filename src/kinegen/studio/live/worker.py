"""The process of a live simulation: takes orders as lines of JSON, answers with frames."""

from __future__ import annotations

import contextlib
import importlib
import os
import queue
import sys
import threading
import time
from typing import TypeAlias

import numpy as np

from kinegen.studio.live.loop import LiveLoop
from kinegen.studio.live.orders import ORDERS, PersonBody, Source, Start
from kinegen.studio.server.processes.worker_process import worker_process
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire.codec import decode_any, encode
from kinegen.studio.wire.message import Message
from kinegen.studio.wire.messages import LiveSettings

__all__ = ["main"]

Orders: TypeAlias = queue.SimpleQueue[tuple[Message, bytes] | None]

PERIOD = 1 / 75
"""[s] Between two frames: a little more often than pictures are drawn."""
WIRED = 1 / 250
"""[s] Between two turns of a robot with wires: other programs read it and move it in between."""
RESTING = 0.25
"""[s] What rests shows so often what goes over its wires, and how its force devices are."""

_REHEARSAL = """raff: 1
joints:
  - {name: A, parent: base, start: 90 deg, motor: true, mass: 1, shape: {box: [0.3, 0.1, 0.1]}}
  - {name: B, parent: A, d: 0.3, start: -90 deg, mass: 1}
  - {name: D, parent: base, d: 0.4, start: 90 deg, mass: 1}
  - {name: C, parent: B, d: 0.4, start: 90 deg, closes: {onto: D, d: 0.3}}
objects:
  - {name: ball, shape: {sphere: 0.05}, at: {xyz: [0, 2, 0]}, mass: 1}
"""
"""A linkage and an object: nearly all that a simulation begins with."""


def main() -> None:
    """Serve orders until the input ends."""
    np.seterr(all="ignore")  # what grows beyond all bounds ends the simulation with a reason
    orders: Orders = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin.buffer:
            order = decode_any(line, ORDERS)
            size = order.size if isinstance(order, PersonBody) else 0
            orders.put((order, sys.stdin.buffer.read(size)))
        orders.put(None)

    with worker_process() as answers:

        def answer(message: Message, more: bytes) -> None:
            answers.write(encode(message).encode() + b"\n" + more)
            answers.flush()

        threading.Thread(target=listen, daemon=True).start()
        if "spare" in sys.argv[1:]:
            # there is time for what only some simulations need
            with contextlib.suppress(ImportError):
                importlib.import_module("mujoco")
            _rehearse()
        loop = LiveLoop(answer)
        try:
            _serve(loop, orders)
        finally:
            with contextlib.suppress(OSError):  # nobody may listen any more
                loop.close()


def _rehearse() -> None:
    """Simulate something small for nobody: what is imported and compiled on the way stays."""
    loop = LiveLoop(lambda message, more: None)
    folder = os.path.dirname(os.path.abspath(__file__))
    compiled = CompiledText.read(_REHEARSAL, Project.again(folder), None)
    source = Source(_REHEARSAL, folder, None)
    loop.obey(Start(0, source, compiled.start.tolist(), LiveSettings(), run=True))
    loop.pass_time(PERIOD)
    loop.report()


def _serve(loop: LiveLoop, orders: Orders) -> None:
    before = framed = time.perf_counter()
    while True:
        period = WIRED if loop.wires.is_on or loop.devices.is_on else PERIOD
        wait = max(0.0, before + period - time.perf_counter()) if loop.running else None
        if wait is None and (loop.wires.is_on or loop.devices.is_on):
            wait = RESTING
        was = loop.running
        try:
            order = orders.get(timeout=wait)
        except queue.Empty:
            loop.send_news()
        else:
            if order is None:
                return
            loop.obey(*order)
        now = time.perf_counter()
        if not was:
            before = now
        elif now - before >= period:  # time passes also while orders keep coming
            is_due = now - framed >= PERIOD
            loop.pass_time(now - before, report=is_due)
            before, framed = now, now if is_due else framed


if __name__ == "__main__":
    main()
