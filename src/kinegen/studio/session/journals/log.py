"""Journal log: a session with its steps as lines of a file that is only ever added to.

A line is a checksum and a compressed JSON object; it holds the steps that no earlier line has, and
always the present one whole. So a line that is broken costs what it alone holds: a crash in the
middle of the last one, nothing that was written before.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from kinegen.kernels import Floats
from kinegen.studio.session.edits.history import Step
from kinegen.studio.wire.codec import decode_any, encode, kinds_of
from kinegen.studio.wire.message import Message

__all__ = ["LogWriter", "Record", "owner_line", "read_log"]

MOST_BYTES = 4 * 2**20
"""Of the steps that a line holds, before they are compressed; those far from the present go."""


@dataclass(frozen=True, slots=True)
class Record:
    """A session at one moment. Nothing in it changes, so that any thread may write it."""

    session: str
    secret: str
    name: str
    folder: str
    """The project folder that the paths of files belong to."""
    saved_at: float
    """[s since 1970]"""
    steps: tuple[Step, ...]
    at: int
    """Which of the steps is the present."""
    live: Floats
    """The pose, which may be between two steps."""
    saved: dict[str, str] = field(default_factory=dict)
    """What is in the files that were opened or saved."""
    server: str = ""
    """Who has it open; see `Journal`."""
    recordings: dict[str, dict[str, list[Any]]] = field(default_factory=dict)
    """Recordings that were not finished: times and values by name; kept in a file of their own."""

    @property
    def present(self) -> Step:
        """The state as it was at last."""
        return self.steps[self.at]

    @property
    def base(self) -> str:
        """What the text was on disk or in the library."""
        step = self.present
        return self.saved.get(step.file, "") if step.file else step.base

    @property
    def dirty(self) -> bool:
        """Whether it holds work that no file has."""
        return self.present.text != self.base or bool(self.recordings)


TextRow = tuple[int, int, int, str]
"""Number of the text that it is like (-1: none), how many letters it shares at the beginning and at
the end, and what is between."""


@dataclass(slots=True)
class StepRow:
    """A step; texts by their numbers."""

    n: int
    label: str
    text: int
    good: int
    base: int
    q: list[float]
    file: str | None
    document: int


@dataclass(slots=True)
class StateLine(Message):
    """A session, with the steps that no earlier line has."""

    KIND: ClassVar[str] = "state"
    server: str
    session: str
    secret: str
    name: str
    folder: str
    saved_at: float
    live: list[float]
    order: list[int]
    present: int
    steps: list[StepRow]
    texts: list[TextRow]
    saved: dict[str, int] | None
    """Texts of files; None where they are as before."""


@dataclass(slots=True)
class PoseLine(Message):
    """Only the pose is another."""

    KIND: ClassVar[str] = "pose"
    live: list[float]
    saved_at: float


@dataclass(slots=True)
class OwnerLine(Message):
    """Who has the session from now on."""

    KIND: ClassVar[str] = "owner"
    server: str


_LINES = kinds_of(StateLine, PoseLine, OwnerLine)


class LogWriter:
    """Makes the lines of one session's log, each with what the lines before do not have."""

    def __init__(self) -> None:
        self._numbers: dict[Step, int] = {}
        """The steps that are in the log, by identity."""
        self._next = 0
        self._saved: dict[str, str] | None = None
        self._last: tuple[object, ...] = ()
        self._made: tuple[dict[Step, int], dict[str, str], tuple[object, ...]] | None = None

    def line(self, record: Record, server: str, *, whole: bool) -> bytes:
        """The line of a record; a ``whole`` one needs no line before it.

        It counts as part of the log only after `written`.
        """
        self._made = None
        shown = (record.steps, record.at, record.saved, server, record.name)
        if not whole and shown == self._last:  # tuples of steps compare by identity
            return _pack(PoseLine(record.live.tolist(), record.saved_at))
        steps = _nearest(record.steps, record.at)
        numbers = {} if whole else dict(self._numbers)
        present = record.present
        fresh = []
        for step in steps:
            if step not in numbers:
                numbers[step] = self._next
                self._next += 1
                fresh.append(step)
            elif step is present:
                fresh.append(step)
        texts = _Texts()
        saved = None
        rows = [_step_row(numbers[step], step, texts) for step in fresh]
        if whole or record.saved != self._saved:
            saved = {file: texts.add(text) for file, text in record.saved.items()}
        line = StateLine(
            server=server,
            session=record.session,
            secret=record.secret,
            name=record.name,
            folder=record.folder,
            saved_at=record.saved_at,
            live=record.live.tolist(),
            order=[numbers[step] for step in steps],
            present=numbers[present],
            steps=rows,
            saved=saved,
            texts=texts.rows,
        )
        self._made = ({step: numbers[step] for step in steps}, record.saved, shown)
        return _pack(line)

    def written(self) -> None:
        """The line last made is in the log."""
        if self._made is not None:
            self._numbers, self._saved, self._last = self._made
            self._made = None


def owner_line(server: str) -> bytes:
    """A line that says who has the session from now on."""
    return _pack(OwnerLine(server))


def read_log(data: bytes) -> Record | None:
    """What a log holds; None when there is no present to be found in it."""
    good: StateLine | None = None
    saved: dict[str, str] = {}
    steps: dict[int, Step] = {}
    for line in _unpacked(data.split(b"\n")):
        try:
            if isinstance(line, StateLine):
                texts = _texts(line.texts)
                for one in line.steps:
                    steps[one.n] = _step(one, texts)
                if line.saved is not None:
                    saved = {file: texts[at] for file, at in line.saved.items()}
                if line.present in steps:
                    good = line
            elif isinstance(line, PoseLine) and good is not None:
                good = replace(good, live=line.live, saved_at=line.saved_at)
            elif isinstance(line, OwnerLine) and good is not None:
                good = replace(good, server=line.server)
        except (IndexError, ValueError):
            continue  # a line that only looks whole
    if good is None:
        return None
    order = [n for n in dict.fromkeys(good.order) if n in steps]
    if good.present not in order:
        order.append(good.present)
    return Record(
        session=good.session,
        secret=good.secret,
        name=good.name,
        folder=good.folder,
        saved_at=good.saved_at,
        steps=tuple(steps[n] for n in order),
        at=order.index(good.present),
        live=np.array(good.live),
        saved=saved,
        server=good.server,
    )


def _nearest(steps: tuple[Step, ...], at: int) -> list[Step]:
    """The steps around the present that fit into the bound, in their order."""
    first, end, left = at, at + 1, MOST_BYTES - steps[at].size
    while first > 0 and steps[first - 1].size <= left:
        first -= 1
        left -= steps[first].size
    while end < len(steps) and steps[end].size <= left:
        left -= steps[end].size
        end += 1
    return list(steps[first:end])


# Steps and their texts


def _step_row(number: int, step: Step, texts: _Texts) -> StepRow:
    return StepRow(
        n=number,
        label=step.label,
        text=texts.add(step.text),
        good=texts.add(step.good_text),
        base=texts.add(step.base),
        q=step.q.tolist(),
        file=step.file,
        document=step.document,
    )


def _step(row: StepRow, texts: list[str]) -> Step:
    return Step(
        label=row.label,
        text=texts[row.text],
        good_text=texts[row.good],
        q=np.array(row.q),
        file=row.file,
        base=texts[row.base],
        document=row.document,
    )


class _Texts:
    """Texts that steps share, each as what differs from one before it."""

    def __init__(self) -> None:
        self.rows: list[TextRow] = []
        self._known: dict[str, int] = {}
        self._like = ""
        """What the next text is compared with: the last that is not much shorter than others."""

    def add(self, text: str) -> int:
        """The number of a text."""
        number = self._known.get(text)
        if number is None:
            number = len(self.rows)
            head, tail = _common(self._like, text)
            like = self._known[self._like] if self._like else -1
            self.rows.append((like, head, tail, text[head : len(text) - tail]))
            self._known[text] = number
            if 2 * len(text) > len(self._like):
                self._like = text
        return number


def _texts(rows: Iterable[TextRow]) -> list[str]:
    made: list[str] = []
    for like, head, tail, middle in rows:
        known = made[like] if like >= 0 else ""
        if not 0 <= head <= head + tail <= len(known):
            raise ValueError("no text")
        made.append(known[:head] + middle + known[len(known) - tail :])
    return made


def _common(a: str, b: str) -> tuple[int, int]:
    """Lengths of the beginning and of the end that two texts share."""
    shorter = min(len(a), len(b))
    head = _longest(shorter, lambda n: a[:n] == b[:n])
    tail = _longest(shorter - head, lambda n: a[len(a) - n :] == b[len(b) - n :])
    return head, tail


def _longest(limit: int, test: Callable[[int], bool]) -> int:
    """The largest length up to a limit for which a test, true for all shorter ones, is true."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if test(middle) else (low, middle - 1)
    return low


# Lines


def _pack(line: Message) -> bytes:
    packed = base64.b64encode(zlib.compress(encode(line).encode(), 1))
    return b"%08x %s\n" % (zlib.crc32(packed), packed)


def _unpacked(lines: Iterable[bytes]) -> Iterator[Message]:
    """What the lines say that are whole, and of this version."""
    for line in lines:
        check, _, packed = line.partition(b" ")
        try:
            if int(check, 16) != zlib.crc32(packed):
                continue
            text = zlib.decompress(base64.b64decode(packed, validate=True))
            yield decode_any(text, _LINES)
        except (ValueError, zlib.error, binascii.Error):
            continue
