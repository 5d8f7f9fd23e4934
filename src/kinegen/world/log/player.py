"""LogPlayer: a log of a world at any time, read piece by piece: long logs need no memory."""

from __future__ import annotations

import bisect
import csv
import json
import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, Self

import numpy as np

from kinegen.errors import FormatError
from kinegen.kernels import Floats
from kinegen.results import Result
from kinegen.world.log.log import check_suffix

__all__ = ["LogPlayer", "LogRow", "open_player"]

INDEXED = 256
"""Rows of a table between two whose places are known."""
FAR = 1.0
"""[s] A later time than this is jumped to."""
_HEADING = re.compile(r"(?P<name>\S+)(?: (?P<index>\d+))?(?: \[(?P<unit>[^\]]*)\])?$")


@dataclass(slots=True)
class LogRow(Result):
    """The contents of a log at one time."""

    time: float = 0.0
    """Time of the last row at or before the requested time [s]."""
    joints: dict[str, Floats] = field(default_factory=dict)
    """Positions of joints, as in q, by name."""
    values: dict[str, Floats] = field(default_factory=dict)
    """Numbers of signals by name; NaN where there are none."""
    overridden: frozenset[str] = frozenset()
    """Signals that were overridden."""


class LogPlayer:
    """Reads a log at any time. Use it in a ``with`` block, or :meth:`close` it."""

    world = ""
    """Name of the world; empty if the log does not contain it."""
    text = ""
    """Text of the world's file; empty if the log does not contain it."""
    start = end = 0.0
    """First and last time [s]."""
    units: dict[str, str]
    """Of all signals by name."""

    def at(self, time: float) -> LogRow:
        """The last row at or before a time [s]; before the start, the first row."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the file."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_player(path: str | os.PathLike[str]) -> LogPlayer:
    """Open a log for reading at any time; the suffix of its file determines the format.

    Raises:
        FormatError: The file is not a log of a world.
    """
    return McapPlayer(path) if check_suffix(path) == ".mcap" else CsvPlayer(path)


class McapPlayer(LogPlayer):
    """An ``.mcap`` log: only the chunks around a time are read."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            from mcap.exceptions import McapError
            from mcap.reader import make_reader
        except ImportError:
            raise FormatError(
                "MCAP logs need the package mcap: pip install 'kinegen[motion]'"
            ) from None
        self._names: dict[str, str] = {}
        self.units: dict[str, str] = {}
        self._file = open(path, "rb")
        try:
            self._reader: Any = make_reader(self._file)
            summary: Any = self._reader.get_summary()
            facts = {one.name: one.metadata for one in self._reader.iter_metadata()}["kinegen"]
            self.world, self.text = facts["world"], facts.get("text", "")
            self._layout: list[list[tuple[str, int]]] = json.loads(facts["layout"])
            statistics = summary.statistics
            self.start = statistics.message_start_time * 1e-9
            self.end = statistics.message_end_time * 1e-9
            self._topics, rows = ["/state"], 1
            for channel in summary.channels.values():
                if channel.topic == "/state":
                    rows = statistics.channel_message_counts[channel.id]
                if channel.topic.startswith("/signals/"):
                    schema = summary.schemas[channel.schema_id]
                    self._topics.append(channel.topic)
                    self._read_schema(channel.topic, schema.name, json.loads(schema.data))
        except (McapError, OSError, ValueError, KeyError, AttributeError) as error:
            self._file.close()
            raise FormatError(
                f"'{os.fspath(path)}' is not a complete log of a world "
                f"({type(error).__name__}: {error})"
            ) from None
        self._period = (self.end - self.start) / max(rows - 1, 1)
        self._messages: Iterator[Any] = iter(())
        self._next: Any = None
        self._now = math.inf
        self._row = LogRow()

    def _read_schema(self, topic: str, title: str, schema: Any) -> None:
        name = title.removeprefix("kinegen.")
        self._names[topic] = name
        for key, kind in schema["properties"].items():
            if key not in ("timestamp", "overridden"):
                self.units[f"{name}.{key}"] = kind.get("description", "[]")[1:-1]

    def at(self, time: float) -> LogRow:
        """The last row at or before a time [s]."""
        time = min(max(time, self.start), self.end)
        if time < self._now or time > self._now + FAR:
            first = max(0, round((time - 2.5 * self._period) * 1e9))
            ask = self._reader.iter_messages
            # older versions of mcap have another name for it
            key = "starting_at" if "starting_at" in signature(ask).parameters else "start_time"
            self._messages = ask(self._topics, **{key: first})
            self._next, self._row = next(self._messages, None), LogRow()
        self._now = time
        forced = set(self._row.overridden)
        while self._next is not None and self._next[2].log_time <= time * 1e9 + 1:
            _, channel, message = self._next
            content = json.loads(message.data)
            if channel.topic == "/state":
                self._row.time = content["time"]
                self._take_state(content)
            else:
                self._take_signals(self._names[channel.topic], content, forced)
            self._next = next(self._messages, None)
        self._row.overridden = frozenset(forced)
        return self._row

    def _take_state(self, content: Any) -> None:
        for number, joints in enumerate(self._layout):
            numbers, at = np.array(content[f"q{number}"]), 0
            for name, width in joints:
                self._row.joints[name] = numbers[at : at + width]
                at += width

    def _take_signals(self, name: str, content: Any, forced: set[str]) -> None:
        for key, value in content.items():
            if key == "overridden":
                mine = {f"{name}.{one}" for one in value}
                forced -= {one for one in forced if one.rpartition(".")[0] == name}
                forced |= mine
            elif key != "timestamp":
                self._row.values[f"{name}.{key}"] = np.array(value, dtype=np.float64)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class CsvPlayer(LogPlayer):
    """A ``.csv`` log: the places of some rows are known, the others are read from there."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = open(path, "rb")
        try:
            self._columns = self._read_head(os.fspath(path))
            self._look()
        except FormatError:
            self._file.close()
            raise
        self._row, self._next, self._now = LogRow(), b"", math.inf

    def _read_head(self, path: str) -> dict[str, list[int]]:
        """Columns of every signal."""
        head = next(csv.reader([self._file.readline().decode("utf-8-sig", "replace")]), [])
        if head[:1] != ["time [s]"]:
            raise FormatError(f"'{path}' is not a log of a world: its first column is not time [s]")
        columns: dict[str, list[int]] = {}
        self.units: dict[str, str] = {}
        for number, heading in enumerate(head[1:], 1):
            match = _HEADING.match(heading)
            if match is None:
                raise FormatError(f"'{path}': column {number + 1} does not name a signal")
            columns.setdefault(match["name"], []).append(number)
            self.units[match["name"]] = match["unit"] or ""
        self._width = len(head)
        return columns

    def _look(self) -> None:
        """Find the places of some rows, and the last time."""
        self._times: list[float] = []
        self._places: list[int] = []
        place, count, last = self._file.tell(), 0, b""
        for line in self._file:
            if count % INDEXED == 0:
                self._times.append(_time(line))
                self._places.append(place)
            place, count, last = place + len(line), count + 1, line
        if not count:
            raise FormatError("the log has no rows")
        self.start = self._times[0]
        self.end = max(self._times[-1], _time(last, cut_off=self._times[-1]))

    def at(self, time: float) -> LogRow:
        """The last row at or before a time [s]."""
        time = min(max(time, self.start), self.end)
        if time < self._now or time > self._now + FAR:
            block = max(0, bisect.bisect_right(self._times, time) - 1)
            self._file.seek(self._places[block])
            self._next = self._file.readline()
        self._now = time
        line = b""
        while self._next and _time(self._next, cut_off=math.inf) <= time + 1e-9:
            line, self._next = self._next, self._file.readline()
        if line:
            self._take(line)
        return self._row

    def _take(self, line: bytes) -> None:
        cells = line.decode("utf-8", "replace").rstrip("\r\n").split(",")
        if len(cells) != self._width:
            return  # cut off
        numbers = [_number(cell) for cell in cells]
        self._row = LogRow(numbers[0])
        for name, columns in self._columns.items():
            self._row.values[name] = np.array([numbers[i] for i in columns])
            if name.endswith(".position"):
                self._row.joints[name.removesuffix(".position")] = self._row.values[name]

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _time(line: bytes, cut_off: float | None = None) -> float:
    try:
        return float(line.partition(b",")[0])
    except ValueError:
        if cut_off is None:
            raise FormatError(f"a row of the log begins with {line[:20]!r}, not a time") from None
        return cut_off


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan
