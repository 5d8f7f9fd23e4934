"""CsvLog: a table with a row per moment and a column per number of every signal."""

from __future__ import annotations

import csv
import math
import os
from typing import TYPE_CHECKING

import numpy as np

from kinegen.world.log.log import Log
from kinegen.world.signalling.signal import Signal

if TYPE_CHECKING:
    from kinegen.world.world import World

__all__ = ["CsvLog"]

WIDEST = 64
"""Numbers that a signal may have to be in the table."""


class CsvLog(Log):
    """Columns are the signals that exist when the log is opened; empty cells: no value yet."""

    def __init__(self, world: World, path: str | os.PathLike[str], rate: float | None) -> None:
        super().__init__(world, rate)
        self._signals = [one for one in world.signals.values() if _fits(one)]
        self._known = {*world.signals}
        left_out = [one.name for one in world.signals.values() if not _fits(one)]
        if left_out:
            world.stage.notify(
                "log", f"not in the table, but in .mcap logs: {', '.join(left_out)}", good=True
            )
        self._file = open(path, "w", newline="", encoding="utf-8")
        self._writer = csv.writer(self._file, lineterminator="\n")
        heads = [head for signal in self._signals for head in _headings(signal)]
        self._writer.writerow(["time [s]", *heads])
        self._row(world)

    def write(self, world: World) -> None:
        """One row."""
        new = [name for name in world.signals if name not in self._known]
        if new:
            self._known.update(new)
            world.stage.notify("log", f"added too late for the table: {', '.join(new)}", good=True)
        self._row(world)

    def _row(self, world: World) -> None:
        numbers = [x for one in self._signals for x in np.ravel(one.value).tolist()]
        cells = [repr(x) if math.isfinite(x) else "" for x in numbers]
        self._writer.writerow([repr(world.time), *cells])

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


def _fits(signal: Signal) -> bool:
    return signal.shape is not None and math.prod(signal.shape) <= WIDEST


def _headings(signal: Signal) -> list[str]:
    unit = f" [{signal.unit}]" if signal.unit else ""
    if signal.shape == ():
        return [f"{signal.name}{unit}"]
    assert signal.shape is not None
    return [f"{signal.name} {i}{unit}" for i in range(math.prod(signal.shape))]
