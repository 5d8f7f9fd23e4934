"""What a sweep may cost: work that cannot end well is refused before it starts, with the reason."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

from kinegen.errors import UsageError
from kinegen.memory import NotEnoughMemoryError, available_memory, byte_text

__all__ = ["MOST_POSES", "check_budget", "check_disk", "check_work", "free_disk", "free_memory"]

MOST_POSES = 2_000_000_000
"""Poses of one call; more are a job for a stream of chunks."""
RATE = 20e6
"""Points per second that a laptop makes, roughly: for the estimate in words only."""


SOLVED = 15e3
"""Poses per second whose loops a laptop closes, roughly: for the estimate in words only."""


def free_memory() -> int:
    """Memory that a result may fill [bytes]: half of what there is, the rest is for the work."""
    return available_memory() // 2


def check_budget(poses: int, numbers: int, *, what: str, remedy: str) -> None:
    """Refuse a sweep whose result cannot be kept.

    Args:
        poses: How many poses.
        numbers: Numbers kept per pose, eight bytes each.
        what: The sweep in words.
        remedy: What to do instead.
    """
    needed, room = 8 * poses * max(numbers, 1), free_memory()
    if poses <= MOST_POSES and needed <= room:
        return
    error = UsageError if poses > MOST_POSES else NotEnoughMemoryError
    raise error(
        f"{what} has {_rounded(poses)} poses: about {byte_text(needed)} and "
        f"{_seconds(poses / RATE)}; the available memory is {byte_text(room)}. {remedy}"
    )


def check_work(cells: int, step: float, dimension: int, *, most: int, what: str, unit: str) -> None:
    """Refuse an exploration that would take too long, with the step that would do.

    Args:
        cells: About how many cells there are.
        step: Side of a cell [rad, m].
        dimension: Axes along which there are cells.
        most: How many are solved at most.
        what: The exploration in words.
        unit: Unit of the step in messages: 'deg' or 'mm'.
    """
    if cells <= most:
        return
    times = math.degrees(1.0) if unit == "deg" else 1000.0
    # two digits, rounded up
    enough = 1.05 * step * times * (cells / most) ** (1 / dimension)
    digit = 10.0 ** (math.floor(math.log10(enough)) - 1)
    enough = math.ceil(enough / digit - 1e-9) * digit
    raise UsageError(
        f"{what} has about {_rounded(cells)} cells of {step * times:.4g} {unit}: about "
        f"{_seconds(cells / SOLVED)}; at most {most:,} can be solved. Use a step of at least "
        f"{enough:.4g} {unit}."
    )


def free_disk(folder: Path) -> int:
    """Room on the disk where a folder is, or will be [bytes]."""
    there = folder.absolute()
    while not there.exists():
        there = there.parent
    return shutil.disk_usage(there).free


def check_disk(poses: int, each: int, folder: Path, *, what: str, remedy: str) -> None:
    """Refuse a sweep that the disk cannot take.

    Args:
        poses: How many poses are still to be written.
        each: Bytes per pose.
        folder: Where they go.
        what: The sweep in words.
        remedy: What to do instead.
    """
    needed, room = poses * each, free_disk(folder)
    if needed <= room:
        return
    raise UsageError(
        f"{what} has {_rounded(poses)} poses to write: about {byte_text(needed)} and "
        f"{_seconds(poses / RATE)}; the disk of '{folder.name}' has room for {byte_text(room)}. "
        f"{remedy}"
    )


def _rounded(number: int) -> str:
    return f"{number:,}" if number < 10**9 else f"{float(number):.3g}"


def _seconds(seconds: float) -> str:
    for size, unit in ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{math.ceil(seconds)} s"
