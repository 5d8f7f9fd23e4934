"""The process of a live simulation: takes orders as lines of JSON, answers with frames.

An order is ``{"order": verb, "number": n, …}``. Answers are ``{"answer": n, "result": …}`` or
``{"answer": n, "error": text}`` to those with a number, ``{"state": {…}}`` when it starts, pauses
or ends, and ``{"frame": bytes}`` followed by as many bytes (see ``live_frames.py``).
"""

from __future__ import annotations

import contextlib
import importlib
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import IO, Any

import numpy as np
import orjson

from kinegen.errors import KinegenError, UsageError
from kinegen.studio.live.frames import pack_live
from kinegen.studio.live.settings import LiveSettings
from kinegen.studio.live.simulation import LiveSimulation
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.project import Project

__all__ = ["LiveLoop", "main"]

PERIOD = 1 / 75
"""[s] Between two frames: a little more often than pictures are drawn."""
REACTIONS = 1 / 15
"""[s] Forces in the joints are told at most this often."""

Answer = Callable[[dict[str, Any], bytes], None]


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


class LiveLoop:
    """Carries out orders and lets time pass; knows nothing of processes."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.live: LiveSimulation | None = None
        self.running = False
        self._settings = LiveSettings()
        self._job: dict[str, Any] = {}
        self._told = ("", "", "")
        self._reacted = 0.0

    def obey(self, order: dict[str, Any]) -> None:
        """Carry out one order."""
        number = order.get("number", 0)
        try:
            result = getattr(self, f"_order_{order.get('order')}")(order)
        except KinegenError as error:
            self._refuse(number, str(error))
        except (ArithmeticError, np.linalg.LinAlgError, MemoryError) as error:
            self._refuse(number, f"this could not be computed: {error}")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self._refuse(number, f"the command was not understood: {error!r}")
        except Exception as error:
            self._refuse(number, f"the simulation failed to do this ({type(error).__name__}: {error})")
        else:
            if number:
                self._answer({"answer": number, "result": result}, b"")
        if not self.running or number:  # else the next frame comes soon enough
            self.tell()

    def _refuse(self, number: int, words: str) -> None:
        if number:
            self._answer({"answer": number, "error": words}, b"")
        else:
            self._answer({"warning": words}, b"")

    def pass_time(self, seconds: float) -> None:
        """Let real time pass [s] and say how it stands."""
        if self.live is None or not self.running:
            return
        try:
            self.live.run(seconds)
        except Exception as error:
            self.live.simulation.stop(f"the engine failed: {error}")
        if self.live.is_done or self.live.reason:
            self.running = False
        self.tell()

    def tell(self) -> None:
        """Send a frame, and the state when it has changed."""
        live = self.live
        if live is None:
            return
        now = time.perf_counter()
        # a frame that has no successor says all
        due = not self.running or now - self._reacted >= REACTIONS
        wanted = live.settings.reactions and due
        if wanted:
            self._reacted = now
        body = pack_live(live.frame(reactions=wanted))
        self._answer({"frame": len(body)}, body)
        phase = "stopped" if live.reason else "running" if self.running else "paused"
        reason = live.reason or (live.ending if live.is_done else "")
        if (phase, reason, live.reactions_refused) != self._told:
            self._told = (phase, reason, live.reactions_refused)
            state = {"phase": phase, "reason": reason, "unknown": live.reactions_refused}
            self._answer({"state": state}, b"")

    # Orders

    def _order_start(self, order: dict[str, Any]) -> dict[str, Any]:
        """Begin at a pose: text, folder, file, q, settings, and whether it runs at once."""
        piece = _read(order)
        settings = LiveSettings().changed(order["settings"])
        self.live = LiveSimulation(piece, settings, piece.checked(order["q"]))
        self._settings, self._job = settings, order
        self.running = bool(order.get("run", False))
        self._told = ("", "", "")
        sim = self.live.simulation
        steering, clearance = self.live.steering, self.live.clearance
        refused = [clearance.refused] if clearance.refused else []
        return {
            "settings": settings.to_dict(),
            "remarks": [*sim.remarks, *refused],
            "plan": None if steering is None else clearance.of_plan(steering.plan),
            "objects": list(sim.system.object_names),
            "motors": sim.servos is not None,
        }

    def _order_play(self, order: dict[str, Any]) -> None:
        live = self._must()
        if live.reason:
            raise UsageError("the simulation has ended; reset it first")
        steering = live.steering
        if steering is not None and steering.is_resting:
            steering.go_on()
        elif live.is_done:
            self.live = LiveSimulation(
                live.piece, self._settings, live.piece.checked(self._job["q"])
            )
        self.running = True

    def _order_pause(self, order: dict[str, Any]) -> None:
        self.running = False
        self._must().release()

    def _order_step(self, order: dict[str, Any]) -> None:
        self.running = False
        self._must().step(max(1, min(100_000, int(order.get("count", 1)))))

    def _order_set(self, order: dict[str, Any]) -> dict[str, Any]:
        """Other settings; where they need another engine it goes on from where it is."""
        live = self._must()
        settings = self._settings.changed(order["settings"])
        if settings.same_engine(self._settings):
            live.set(settings)
        else:
            self.live = self._again(live.piece, settings)
        self._settings = settings
        return {"settings": settings.to_dict()}

    def _order_text(self, order: dict[str, Any]) -> None:
        """The mechanism's text has changed: continue with it from where it is."""
        live = self._must()
        piece = _read(order)
        if not piece.same_joints(live.piece):
            self.running = False
            raise UsageError("the joints of the mechanism have changed: restart the simulation")
        self.live = self._again(piece, self._settings)

    def _order_target(self, order: dict[str, Any]) -> None:
        self._must().target(str(order["joint"]), order["values"], order.get("what", "position"))

    def _order_touch(self, order: dict[str, Any]) -> None:
        self._must().touch(order)

    def _order_release(self, order: dict[str, Any]) -> None:
        hand = order.get("hand")
        self._must().release(None if hand is None else int(hand))

    def _order_undo(self, order: dict[str, Any]) -> bool:
        """A motion that is followed: back to before the last touch."""
        if not self._must().undo():
            raise UsageError("no hand has changed this motion yet")
        return True

    def _must(self) -> LiveSimulation:
        if self.live is None:
            raise UsageError("there is no simulation; start one")
        return self.live

    def _again(self, piece: CompiledText, settings: LiveSettings) -> LiveSimulation:
        old = self._must()
        q, v, places, at = old.moment()
        closed, complaint = piece.close(q)
        if complaint:
            raise UsageError(complaint)
        fresh = LiveSimulation(piece, settings, closed, v=v, places=places, at=at)
        fresh.tell_again(old)
        old.release()
        return fresh


def _read(order: dict[str, Any]) -> CompiledText:
    return CompiledText.read(order["text"], Project.again(order["folder"]), order["file"])


def main() -> None:
    """Serve orders until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    np.seterr(all="ignore")  # what grows beyond all bounds is told as the simulation's end
    answers: IO[bytes] = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # whatever else is printed must not mix with the answers
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def answer(data: dict[str, Any], more: bytes) -> None:
        answers.write(orjson.dumps(data) + b"\n" + more)
        answers.flush()

    orders: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin.buffer:
            orders.put(orjson.loads(line))
        orders.put(None)

    threading.Thread(target=listen, daemon=True).start()
    if "spare" in sys.argv[1:]:
        # there is time for what only some simulations need
        with contextlib.suppress(ImportError):
            importlib.import_module("mujoco")
        _rehearse()
    try:
        _serve(LiveLoop(answer), orders)
    except BrokenPipeError:
        # the studio is gone: nobody is left to tell, and nothing to be written at the end
        os._exit(0)


def _rehearse() -> None:
    """Simulate something small for nobody: what is imported and compiled on the way stays."""
    loop = LiveLoop(lambda data, more: None)
    folder = os.path.dirname(os.path.abspath(__file__))
    piece = CompiledText.read(_REHEARSAL, Project.again(folder), None)
    order = {"order": "start", "text": _REHEARSAL, "folder": folder, "file": None, "run": True}
    loop.obey({"number": 0, **order, "q": piece.start.tolist(), "settings": {}})
    loop.pass_time(PERIOD)
    loop.tell()


def _serve(loop: LiveLoop, orders: queue.SimpleQueue[dict[str, Any] | None]) -> None:
    before = time.perf_counter()
    while True:
        wait = max(0.0, before + PERIOD - time.perf_counter()) if loop.running else None
        order: dict[str, Any] | None = {}
        try:
            order = orders.get(timeout=wait)
        except queue.Empty:
            pass
        if order is None:
            return
        was = loop.running
        if order:
            loop.obey(order)
        now = time.perf_counter()
        if not was:
            before = now
        elif now - before >= PERIOD:  # time passes also while orders keep coming
            loop.pass_time(now - before)
            before = now


if __name__ == "__main__":
    main()
