"""Watchdog: notices worker processes that stand still, by what the system says about them.

A worker says nothing while it computes, and a heartbeat of its own would stop whenever a kernel
holds the interpreter: it would be taken for dead while it works. The system knows better: a process
that was stopped, or that sleeps without using the processor while an answer is due, is stuck; one
that uses any time at all, waits for a disk or only waits for its turn on the processor is not.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from asyncio.subprocess import Process
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["ProcessState", "Watchdog", "process_state"]

ROUND = 1.0
"""[s] Between two looks."""
STOPPED, STILL = 2, 4
"""Looks in a row after which a process that was stopped, or that sleeps, is given up."""


@dataclass(frozen=True, slots=True)
class ProcessState:
    """What the system says about a process."""

    stopped: bool
    sleeping: bool
    """Waits for something that is neither the processor nor a disk."""
    cpu: str
    """Processor time that it has used; only whether it changes matters."""


def process_state(pid: int) -> ProcessState | None:
    """How a process stands; None where the system does not say."""
    try:
        if sys.platform == "linux":
            with open(f"/proc/{pid}/stat", "rb") as file:
                # behind the name, which may hold anything
                fields = file.read().decode("ascii", "replace").rpartition(")")[2].split()
            state, cpu = fields[0], f"{fields[11]} {fields[12]}"
        elif os.name == "posix":
            command = ["ps", "-o", "state=,time=", "-p", str(pid)]
            said = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)
            state, cpu = said.stdout.split()[:2]
        else:
            return None
    except (OSError, ValueError, IndexError, subprocess.SubprocessError):
        return None
    return ProcessState(state[0] in "Tt", state[0] in "SI", cpu)


class Watchdog:
    """Looks at a process for as long as it lives, and ends it when it stands still.

    Args:
        process: The process.
        is_due: Whether something is expected of it.
    """

    def __init__(self, process: Process, is_due: Callable[[], bool]) -> None:
        self.reason = ""
        """Why the process was ended, in words; '' as long as it was not."""
        self._is_heard = False
        self._task = asyncio.create_task(self._watch(process, is_due))

    def heard(self) -> None:
        """It has said something: a process that waits for one of its own does not stand still."""
        self._is_heard = True

    def end(self) -> None:
        """Look no longer."""
        self._task.cancel()

    async def _watch(self, process: Process, is_due: Callable[[], bool]) -> None:
        stopped = still = 0
        cpu = ""
        while process.returncode is None:
            await asyncio.sleep(ROUND)
            found = await asyncio.to_thread(process_state, process.pid) if is_due() else None
            if found is None:
                stopped = still = 0
                continue
            stopped = stopped + 1 if found.stopped else 0
            is_still = found.sleeping and found.cpu == cpu and not self._is_heard
            still = still + 1 if is_still else 0
            cpu, self._is_heard = found.cpu, False
            if stopped >= STOPPED or still >= STILL:
                self.reason = "was stopped by another program" if stopped else "stopped responding"
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                return
