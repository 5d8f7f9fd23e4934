"""Recordings in progress: kept here sample by sample, so that a page that is lost loses nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from kinegen.errors import UsageError
from kinegen.studio.wire import MotionData, RecordSamples

__all__ = ["Recordings"]

_MOST_NUMBERS = 20_000_000
"""Numbers of all recordings of a session: ten minutes at 60 Hz of a thousand joints."""


@dataclass(slots=True)
class _Take:
    times: list[float] = field(default_factory=list)
    values: list[list[float]] = field(default_factory=list)


class Recordings:
    """The recordings of a session that no motion holds yet, by name."""

    def __init__(self) -> None:
        self._takes: dict[str, _Take] = {}
        self._size = 0

    def __len__(self) -> int:
        return len(self._takes)

    def add(self, part: RecordSamples, nq: int) -> None:
        """Take a part of a recording; refused when it cannot belong to one."""
        if len(part.times) != len(part.values) or any(len(row) != nq for row in part.values):
            raise UsageError(
                f"a recording has one row of {nq} numbers per time; got {len(part.times)} times "
                f"and {len(part.values)} rows"
            )
        take = _Take() if part.start else self._takes.setdefault(part.name, _Take())
        last = take.times[-1] if take.times else float("-inf")
        for time in part.times:
            if time <= last:
                raise UsageError(f"times of a recording increase; {time} comes after {last}")
            last = time
        if self._size + len(part.times) * nq > _MOST_NUMBERS:
            raise UsageError("the recording is too long; store what there is as a motion")
        self._size += len(part.times) * nq
        self._takes[part.name] = take
        take.times += part.times
        take.values += part.values

    def drop(self, name: str) -> None:
        """Forget a recording: it was stored, or thrown away."""
        take = self._takes.pop(name, None)
        if take is not None:
            self._size -= sum(map(len, take.values))

    def restore(self, takes: dict[str, dict[str, list[Any]]]) -> None:
        """Take over recordings of the journal, as far as they make sense."""
        for name, take in takes.items():
            rows = zip(take["times"], take["values"], strict=False)
            kept = [(t, row) for t, row in rows if isinstance(row, list)]
            self._takes[name] = _Take([t for t, _ in kept], [row for _, row in kept])

    def clear(self) -> None:
        """Forget all."""
        self._takes.clear()
        self._size = 0

    def motions(self, joints: list[tuple[str, int]], taken: set[str]) -> list[MotionData]:
        """The recordings as motions of a mechanism.

        Args:
            joints: Name and count of numbers of each joint, in the order of q.
            taken: Names that motions and others already have.
        """
        names = [name for name, size in joints if size]
        width = sum(size for _, size in joints)
        made = []
        for name, take in self._takes.items():
            rows = [row for row in take.values if len(row) == width]
            if len(rows) != len(take.values) or len(rows) < 2:
                continue  # of another mechanism, or nothing but a pose
            free = _plain(name)
            numbers = count(2)
            while free in taken:
                free = f"{_plain(name)}-{next(numbers)}"
            taken = taken | {free}
            made.append(
                MotionData(free, names, take.times, rows, "linear", "kept from a lost page")
            )
        return made


def _plain(name: str) -> str:
    """A name as RAFF allows it."""
    text = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "-" for c in name)
    return text if text[:1].isalpha() else f"recording-{text}".rstrip("-")
