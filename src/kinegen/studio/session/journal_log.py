"""Journal log: a session with its steps as lines of a file that is only ever added to.

A line is a checksum and a compressed JSON object; it holds the steps that no earlier line has, and
always the present one whole. So a line that is broken costs what it alone holds: a crash in the
middle of the last one, nothing that was written before.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import orjson

from kinegen.kernels import Floats
from kinegen.studio.session.history import Step

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


class LogWriter:
    """Makes the lines of one session's log, each with what the lines before do not have."""

    def __init__(self) -> None:
        self._numbers: dict[Step, int] = {}
        """The steps that are in the log, by identity."""
        self._next = 0
        self._saved: dict[str, str] | None = None
        self._last: tuple[Any, ...] = ()
        self._made: tuple[dict[Step, int], dict[str, str], tuple[Any, ...]] | None = None

    def line(self, record: Record, server: str, *, whole: bool) -> bytes:
        """The line of a record; a ``whole`` one needs no line before it.

        It counts as part of the log only after `written`.
        """
        self._made = None
        shown = (record.steps, record.at, record.saved, server, record.name)
        if not whole and shown == self._last:  # tuples of steps compare by identity
            return _pack({"live": record.live.tolist(), "saved_at": record.saved_at})
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
        data: dict[str, Any] = {
            "server": server,
            "session": record.session,
            "secret": record.secret,
            "name": record.name,
            "folder": record.folder,
            "saved_at": record.saved_at,
            "live": record.live.tolist(),
            "order": [numbers[step] for step in steps],
            "present": numbers[present],
            "steps": [_step_data(numbers[step], step, texts) for step in fresh],
        }
        if whole or record.saved != self._saved:
            data["saved"] = {file: texts.add(text) for file, text in record.saved.items()}
        data["texts"] = texts.data
        self._made = ({step: numbers[step] for step in steps}, record.saved, shown)
        return _pack(data)

    def written(self) -> None:
        """The line last made is in the log."""
        if self._made is not None:
            self._numbers, self._saved, self._last = self._made
            self._made = None


def owner_line(server: str) -> bytes:
    """A line that says who has the session from now on."""
    return _pack({"server": server})


def read_log(data: bytes) -> Record | None:
    """What a log holds; None when there is no present to be found in it."""
    good: dict[str, Any] = {}
    saved: dict[str, str] = {}
    steps: dict[int, Step] = {}
    for line in _unpacked(data.split(b"\n")):
        try:
            if "steps" in line:
                texts = _texts(line["texts"])
                for one in line["steps"]:
                    steps[one["n"]] = _step(one, texts)
                if "saved" in line:
                    saved = {str(file): texts[at] for file, at in line["saved"].items()}
                if line["present"] not in steps:
                    continue
            good = _checked(good | line)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            continue  # a line of another version, or one that only looks whole
    if not good:
        return None
    order = [n for n in dict.fromkeys(good["order"]) if n in steps]
    if good["present"] not in order:
        order.append(good["present"])
    return Record(
        session=good["session"],
        secret=good["secret"],
        name=good["name"],
        folder=good["folder"],
        saved_at=good["saved_at"],
        steps=tuple(steps[n] for n in order),
        at=order.index(good["present"]),
        live=good["live"],
        saved=saved,
        server=good["server"],
    )


def _checked(head: dict[str, Any]) -> dict[str, Any]:
    live = np.array(head["live"], dtype=float)
    words = [head[key] for key in ("session", "secret", "name", "folder", "server")]
    if live.ndim != 1 or not all(isinstance(word, str) for word in words):
        raise TypeError("no state")
    order = [int(n) for n in head["order"]]
    return {**head, "live": live, "saved_at": float(head["saved_at"]), "order": order}


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


def _step_data(number: int, step: Step, texts: _Texts) -> dict[str, Any]:
    return {
        "n": number,
        "label": step.label,
        "text": texts.add(step.text),
        "good": texts.add(step.good_text),
        "base": texts.add(step.base),
        "q": step.q.tolist(),
        "file": step.file,
        "document": step.document,
    }


def _step(data: dict[str, Any], texts: list[str]) -> Step:
    q = np.array(data["q"], dtype=float)
    file = data["file"]
    if q.ndim != 1 or not isinstance(file, str | None):
        raise TypeError("no step")
    return Step(
        label=str(data["label"]),
        text=texts[data["text"]],
        good_text=texts[data["good"]],
        q=q,
        file=file,
        base=texts[data["base"]],
        document=int(data["document"]),
    )


class _Texts:
    """Texts that steps share, each as what differs from one before it."""

    def __init__(self) -> None:
        self.data: list[list[Any]] = []
        self._known: dict[str, int] = {}
        self._like = ""
        """What the next text is compared with: the last that is not much shorter than others."""

    def add(self, text: str) -> int:
        """The number of a text."""
        number = self._known.get(text)
        if number is None:
            number = len(self.data)
            head, tail = _common(self._like, text)
            like = self._known[self._like] if self._like else -1
            self.data.append([like, head, tail, text[head : len(text) - tail]])
            self._known[text] = number
            if 2 * len(text) > len(self._like):
                self._like = text
        return number


def _texts(data: Iterable[list[Any]]) -> list[str]:
    made: list[str] = []
    for like, head, tail, middle in data:
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


def _longest(limit: int, test: Any) -> int:
    """The largest length up to a limit for which a test, true for all shorter ones, is true."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if test(middle) else (low, middle - 1)
    return low


# Lines


def _pack(data: dict[str, Any]) -> bytes:
    packed = base64.b64encode(zlib.compress(orjson.dumps(data), 1))
    return b"%08x %s\n" % (zlib.crc32(packed), packed)


def _unpacked(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The objects of the lines that are whole."""
    for line in lines:
        check, _, packed = line.partition(b" ")
        try:
            if int(check, 16) != zlib.crc32(packed):
                continue
            data = orjson.loads(zlib.decompress(base64.b64decode(packed, validate=True)))
        except (ValueError, zlib.error, binascii.Error):
            continue
        if isinstance(data, dict):
            yield data
