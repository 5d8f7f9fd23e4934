"""Recordings in progress: kept here sample by sample, so that a page that is lost loses nothing."""

from __future__ import annotations

import contextlib
from array import array
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from kinegen.errors import UsageError
from kinegen.studio.wire.messages import MotionData, RecordSamples

__all__ = ["Recordings"]

MOST_TAKES = 32
"""Recordings of a session that are no motions yet."""
MOST_NUMBERS = 2_000_000
"""Numbers in all recordings of a session: ten minutes at 60 Hz of 55 joints."""
MOST_WRITTEN = 2 * MOST_NUMBERS
"""Numbers that a session has in the journal, those of recordings begun again included."""
MOST_OF_ALL = 40_000_000
"""Numbers that all sessions together have in the journal, some 800 MB."""
_LONGEST_NAME = 200


@dataclass(slots=True)
class _Take:
    width: int
    times: array[float] = field(default_factory=lambda: array("d"))
    values: array[float] = field(default_factory=lambda: array("d"))
    """All rows, one after the other: a list of lists takes five times the memory."""

    def rows(self) -> list[list[float]]:
        """One row of numbers per time."""
        numbers = self.values.tolist()
        return [numbers[i : i + self.width] for i in range(0, len(numbers), self.width or 1)]


class Recordings:
    """The recordings of a session that no motion holds yet, by name."""

    def __init__(self) -> None:
        self._takes: dict[str, _Take] = {}
        self.written = 0
        """Numbers that came since the session had no recordings."""
        self.tried: int | None = None
        """Version of the session into which they could not be stored."""

    def __len__(self) -> int:
        return len(self._takes)

    def add(self, part: RecordSamples, nq: int) -> None:
        """Take a part of a recording; refused when it cannot belong to one."""
        if len(part.times) != len(part.values) or any(len(row) != nq for row in part.values):
            raise UsageError(
                f"a recording needs one row of {nq} numbers per time; got {len(part.times)} times "
                f"and {len(part.values)} rows"
            )
        known = self._takes.get(part.name)
        take = _Take(nq) if part.start or known is None else known
        if take.width != nq:
            raise UsageError(
                f"the recording has rows of {take.width} numbers, got {nq}: start a new recording"
            )
        last = take.times[-1] if take.times else float("-inf")
        for time in part.times:
            if time <= last:
                raise UsageError(f"times of a recording must increase; {time} comes after {last}")
            last = time
        self._check_room(part, len(part.times) * nq)
        self.written += len(part.times) * nq
        self._takes[part.name] = take
        take.times.extend(part.times)
        for row in part.values:
            take.values.extend(row)

    def _check_room(self, part: RecordSamples, more: int) -> None:
        """Refuse a part that would make the recordings too many or too long."""
        if len(part.name) > _LONGEST_NAME:
            raise UsageError(f"names of recordings may have at most {_LONGEST_NAME} characters")
        if part.name not in self._takes and len(self._takes) >= MOST_TAKES:
            raise UsageError(
                f"{MOST_TAKES} recordings are unsaved, which is the limit; save one as a motion "
                "first"
            )
        kept = sum(
            len(take.values)
            for name, take in self._takes.items()
            if not (part.start and name == part.name)
        )
        if kept + more > MOST_NUMBERS or self.written + more > MOST_WRITTEN:
            raise UsageError(
                f"the recordings of a session can hold at most {MOST_NUMBERS:,} numbers; save them "
                "as motions"
            )

    def drop(self, name: str) -> None:
        """Forget a recording: it was stored, or thrown away."""
        self._takes.pop(name, None)
        if not self._takes:
            self.written = 0

    def restore(self, takes: dict[str, dict[str, list[Any]]]) -> None:
        """Take over recordings of the journal, as far as they make sense."""
        for name, found in takes.items():
            rows = zip(found["times"], found["values"], strict=False)
            kept = [(t, row) for t, row in rows if isinstance(row, list)]
            take = _Take(len(kept[0][1]) if kept else 0)
            with contextlib.suppress(TypeError):  # what is no number ends it
                for t, row in kept:
                    if len(row) == take.width:
                        values = array("d", row)
                        take.times.append(t)
                        take.values.extend(values)
            self._takes[name] = take
            self.written += len(take.values)

    def clear(self) -> None:
        """Forget all."""
        self._takes.clear()
        self.written = 0

    def put_back(self, others: Recordings) -> None:
        """Take over recordings that could not be stored; those that were begun again stay."""
        self._takes = {**others._takes, **self._takes}
        self.written += others.written

    def motions(self, joints: list[tuple[str, int]], taken: set[str]) -> dict[str, MotionData]:
        """The recordings as motions of a mechanism, by the recordings' names.

        Args:
            joints: Name and count of numbers of each joint, in the order of q.
            taken: Names that motions and others already have.
        """
        names = [name for name, size in joints if size]
        width = sum(size for _, size in joints)
        made = {}
        for name, take in self._takes.items():
            if take.width != width or len(take.times) < 2:
                continue  # of another mechanism, or nothing but a pose
            free = _plain(name)
            numbers = count(2)
            while free in taken:
                free = f"{_plain(name)}-{next(numbers)}"
            taken = taken | {free}
            made[name] = MotionData(
                free,
                names,
                take.times.tolist(),
                take.rows(),
                "linear",
                "recovered from a closed page",
            )
        return made


def _plain(name: str) -> str:
    """A name as RAFF allows it."""
    text = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "-" for c in name)
    return text if text[:1].isalpha() else f"recording-{text}".rstrip("-")
