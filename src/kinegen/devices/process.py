"""HapticProcess: a haptic thread in a process of its own, away from Python's other work."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from collections.abc import Mapping
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

from kinegen.devices.device import Trouble
from kinegen.devices.haptic import HapticReport, HapticThread
from kinegen.devices.key import key_of
from kinegen.devices.registry import make_device
from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import HapticSettings

__all__ = ["HapticProcess"]

PATIENCE = 50.0
"""A process that has not begun or ended by then is taken for dead [s]."""


class HapticProcess:
    """A device by name and its haptic thread, in a separate process on this machine."""

    def __init__(
        self,
        device: str = "hand",
        options: Mapping[str, Any] | None = None,
        *,
        dynamics: str,
        settings: HapticSettings | None = None,
        key: bytes | str | None = None,
    ) -> None:
        """Start it; errors of the device and of addresses are raised here.

        Args:
            device: One of ``device_names()``.
            options: What the device takes.
            dynamics: Where the mechanism is, "host:port".
            settings: Rate, deadline, limits.
            key: What both ends of the link to the mechanism know; see :class:`HapticThread`.
        """
        # a fresh interpreter: what this process holds (threads, sockets) is not copied
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        numbers = tuple((settings or HapticSettings()).checked())
        self._process = context.Process(
            target=_serve,
            args=(theirs, device, dict(options or {}), dynamics, numbers, key_of(key)),
            daemon=True,
        )
        self._process.start()
        theirs.close()
        self._report: HapticReport | None = None
        self._trouble, self._has_asked = Trouble.FINE, False
        word, value = self._answer()
        if word == "error":
            self._process.join(PATIENCE)
            raise UsageError(value)
        self.device_port: int = value
        """Where the device is heard; 0 when it sends no packets."""

    def trouble(self) -> Trouble:
        """What is wrong with the device or the link, if anything, as last reported.

        It never waits: it returns the last answer and sends the next question.
        """
        try:
            if self._has_asked and self._pipe.poll():
                _, self._trouble = self._pipe.recv()
                self._has_asked = False
            if not self._has_asked:
                self._pipe.send("trouble")
                self._has_asked = True
        except (EOFError, OSError):
            self._trouble = Trouble.BROKEN
        return self._trouble

    def stop(self) -> HapticReport:
        """Stop it and return the report of the thread, see :meth:`HapticThread.report`."""
        if self._report is None:
            with contextlib.suppress(OSError):
                self._pipe.send("stop")
            word, value = self._answer()
            if word == "trouble":  # asked for before, and not read
                word, value = self._answer()
            self._report = value
            self._process.join(PATIENCE)
            self._pipe.close()
        return self._report

    def __enter__(self) -> HapticProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.stop()

    def _answer(self) -> tuple[str, Any]:
        try:
            if self._pipe.poll(PATIENCE):
                answer: tuple[str, Any] = self._pipe.recv()
                return answer
        except (EOFError, OSError):
            pass
        self._process.kill()
        self._process.join(PATIENCE)
        self._pipe.close()
        raise KinegenError("the haptic process ended unexpectedly")


def _serve(
    pipe: Connection,
    device: str,
    options: dict[str, Any],
    dynamics: str,
    numbers: tuple[float, ...],
    key: bytes,
) -> None:
    """What the other process does: run until it is stopped, or its parent is gone."""
    # Ctrl-C reaches both; the parent decides
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        made = make_device(device, **options)
        thread = HapticThread(made, settings=HapticSettings(*numbers), dynamics=dynamics, key=key)
    except KinegenError as error:
        pipe.send(("error", str(error)))
        return
    pipe.send(("ready", getattr(made, "port", 0)))
    with thread:
        with contextlib.suppress(EOFError, OSError):
            while pipe.recv() == "trouble":
                pipe.send(("trouble", thread.trouble))
        report = thread.report()  # with the force that there was
    with contextlib.suppress(OSError):
        pipe.send(("report", report))
