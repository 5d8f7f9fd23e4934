"""ProgramRunner: a program in any language as an agent, by JSON lines on its standard streams.

One line per question on its standard input, one line per answer on its standard output; what it
writes to standard error is shown when it ends. ``docs/how-to/world.md`` has the protocol.
"""

from __future__ import annotations

import base64
import contextlib
import json
import math
import os
import queue
import signal
import subprocess
import threading
import time as clock
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from kinegen.errors import UsageError
from kinegen.world.agents import guardian
from kinegen.world.agents.runner import AgentError, LateError

__all__ = ["PROTOCOL", "ProgramRunner"]

PROTOCOL = 1
"""Version of the protocol."""
LONGEST = 1_000_000
"""Characters that a line of a program may have."""
MOST_LINES = 256
"""Lines that wait to be read; the others are dropped."""
PATIENCE = 1.0
"""How long a program may take to end by itself [s]."""


class ProgramRunner:
    """Asks a program for commands; it is started at the first question."""

    def __init__(self, name: str, words: list[str], folder: Path, options: dict[str, Any]) -> None:
        """Remember what to start.

        Args:
            name: Of the agent.
            words: Of the command.
            folder: Where it runs.
            options: For its first line.
        """
        if not words:
            raise UsageError(f"the command of agent '{name}' is empty")
        self.name, self.words, self.folder = name, words, folder
        self.facts: dict[str, Any] = {"agent": name, "options": options}
        """What its first line says; the agent adds signals and rates."""
        self.dropped = 0
        """Lines that nobody asked for."""
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue(MOST_LINES)
        self._to_write: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._said: deque[str] = deque(maxlen=20)
        self._step = -1
        self._threads: list[threading.Thread] = []

    def learn(self, facts: Mapping[str, Any]) -> None:
        """Take what the world offers: its step, the rate, signals and commands."""
        self.facts |= facts

    def ask(self, count: int, time: float, seen: Mapping[str, Any]) -> None:
        """Send one question."""
        while not self._lines.empty():
            line = self._lines.get_nowait()
            if line is None:
                self._lines.put(None)
                break
            self.dropped += 1
        if self._process is None:
            self._start()  # what it prints from now on is looked at, however early it comes
        self._step = count
        self._send({"type": "step", "step": count, "time": time, "signals": plain(seen)})

    def answer(self, wait: float | None) -> Mapping[str, Any]:
        """The command of its answer to the last question."""
        until = None if wait is None else clock.perf_counter() + wait
        while True:
            left = None if until is None else max(0.0, until - clock.perf_counter())
            try:
                block = left is None or left > 0
                line = self._lines.get(block, left if left else None)
            except queue.Empty:
                raise LateError("has not answered") from None
            if line is None:
                self._lines.put(None)  # it stays ended
                raise AgentError(self._ending())
            found = self._parsed(line)
            if found is not None:
                return found

    def reset(self, time: float) -> None:
        """Send it word that the world has gone to another time."""
        if self._process is not None:
            self._send({"type": "reset", "time": time})

    def keep(self) -> Any:
        """What a program knows is not known here."""
        return None

    def bring_back(self, kept: Any) -> None:
        """A program gets a line from :meth:`reset` instead."""

    def close(self) -> None:
        """End the program: by a line, then by closing its input, then by force."""
        if self._process is None:
            return
        self._send({"type": "end"})
        self._to_write.put(None)
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            _kill(self._process)
            self._process.wait()
        guardian.release(self._process.pid)
        for thread in self._threads:
            thread.join(PATIENCE)
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    # Inside

    def _start(self) -> None:
        try:
            self._process = subprocess.Popen(
                self.words, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace",
                start_new_session=os.name != "nt",
            )  # fmt: skip
        except OSError as error:
            self._lines.put(None)
            raise AgentError(
                f"cannot be started: {error.strerror or error} ({self.words[0]})"
            ) from None
        process = self._process
        guardian.guard(process.pid)
        assert process.stdin and process.stdout and process.stderr
        for work in (
            lambda: self._write(process.stdin),
            lambda: self._read(process.stdout),
            lambda: self._listen(process.stderr),
        ):
            self._threads.append(threading.Thread(target=work, daemon=True))
            self._threads[-1].start()
        self._send({"type": "hello", "protocol": PROTOCOL, **plain(self.facts)})

    def _send(self, message: Mapping[str, Any]) -> None:
        self._to_write.put(json.dumps(message, allow_nan=False) + "\n")

    def _write(self, stream: IO[str] | None) -> None:
        assert stream is not None
        try:
            while (line := self._to_write.get()) is not None:
                stream.write(line)
                stream.flush()
        except (OSError, ValueError):
            pass  # it has ended: whoever reads its answers learns that
        finally:
            with contextlib.suppress(OSError, ValueError):
                stream.close()

    def _read(self, stream: IO[str] | None) -> None:
        assert stream is not None
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(LONGEST):
                try:
                    self._lines.put_nowait(line)
                except queue.Full:
                    self.dropped += 1
        self._lines.put(None)

    def _listen(self, stream: IO[str] | None) -> None:
        assert stream is not None
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(LONGEST):
                self._said.append(line.rstrip())

    def _parsed(self, line: str) -> Mapping[str, Any] | None:
        """The command of a line; None where it answers an earlier question."""
        try:
            found = json.loads(line)
        except ValueError:
            raise AgentError(f"printed {line.strip()[:60]!r}, which is not JSON") from None
        if not isinstance(found, dict) or not isinstance(found.get("command", {}), dict):
            raise AgentError(
                f'printed {line.strip()[:60]!r}; an answer is {{"command": {{name: value}}}}'
            )
        unknown = set(found) - {"command", "step"}
        if unknown:
            raise AgentError(f"answered with '{unknown.pop()}'; an answer has 'command' and 'step'")
        if found.get("step", self._step) != self._step:
            self.dropped += 1
            return None
        command: Mapping[str, Any] = found.get("command", {})
        return command

    def _ending(self) -> str:
        assert self._process is not None
        try:
            code: int | None = self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            code = None
        else:
            self._threads[-1].join(PATIENCE)  # what it said last
        last = f": {self._said[-1][:120]}" if self._said else ""
        if code is None:
            return f"closed its output{last}"
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        return f"ended {how}{last}"


def plain(value: Any) -> Any:
    """A value as JSON has it: null for what is no number, pictures in base 64."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        if value.dtype != np.float64:
            content = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
            return {"shape": list(value.shape), "type": str(value.dtype), "base64": content}
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, np.generic):
        return plain(value.item())
    return value


def _kill(process: subprocess.Popen[str]) -> None:
    """End a program and what it has started."""
    with contextlib.suppress(OSError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
