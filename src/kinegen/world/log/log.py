"""Log: what all logs of a world have in common: a rate, and that they are written through."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import TYPE_CHECKING

from kinegen.errors import FormatError, UsageError
from kinegen.world.clock.schedule import Schedule
from kinegen.world.events import Event

if TYPE_CHECKING:
    from kinegen.world.world import World

__all__ = ["SUFFIXES", "Log", "check_suffix", "open_log"]

RATE = 100.0
"""Rows per second of a log [Hz]."""
SUFFIXES = (".mcap", ".csv")
"""Of the files that a log can be."""


class Log:
    """Watches a world and writes what it sees to a file, row by row; memory stays flat."""

    def __init__(self, world: World, rate: float | None) -> None:
        wanted = RATE if rate is None else rate
        if not wanted > 0:
            raise UsageError(f"the rate of a log must be positive, got {rate!r}")
        if rate is None:
            wanted = min(wanted, 1 / world.step_length)
        self.schedule = Schedule(wanted, world.step_length, "the log")
        self.rows = 0
        """Rows that were written."""
        world.events.listeners.append(self.note)

    def __call__(self, world: World) -> None:
        """Look at the world after a step."""
        if self.schedule.is_due(world.count):
            self.write(world)
            self.rows += 1

    def write(self, world: World) -> None:
        """Write one row."""
        raise NotImplementedError

    def note(self, event: Event) -> None:
        """Write that something happened, where the format has a place for it."""

    def close(self) -> None:
        """Finish the file."""
        raise NotImplementedError


def check_suffix(path: str | os.PathLike[str]) -> str:
    """The suffix of a log file; FormatError where it is none."""
    suffix = PurePath(os.fspath(path)).suffix.lower()
    if suffix not in SUFFIXES:
        raise FormatError(f"'{os.fspath(path)}': a log of a world is one of {', '.join(SUFFIXES)}")
    return suffix


def open_log(world: World, path: str | os.PathLike[str], rate: float | None) -> Log:
    """Open a log by the suffix of its file."""
    suffix = check_suffix(path)
    if suffix == ".csv":
        from kinegen.world.log.csv_log import CsvLog

        return CsvLog(world, path, rate)
    from kinegen.world.log.mcap_log import McapLog

    return McapLog(world, path, rate)
