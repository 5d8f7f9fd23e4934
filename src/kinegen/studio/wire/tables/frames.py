"""The page's reader of binary frames, written from their dataclasses."""

from __future__ import annotations

from typing import NamedTuple

from kinegen.kernels.records import places, size_of
from kinegen.studio.live.frames import (
    COUNTS,
    PARTS,
    WORDS_SIZE,
    LiveFacts,
    LiveFrame,
    LiveHand,
    LiveTip,
    Rows,
)
from kinegen.studio.wire.frames import HEAD_SIZE, HEADS, LARGEST_BODY, FrameKind
from kinegen.studio.wire.tables.text import doc, field_notes, head

__all__ = ["typescript"]

NUMBERS_AT = HEAD_SIZE + WORDS_SIZE
"""Where the numbers of a live frame begin: behind its counts and flags."""
FROM_PAGE = (FrameKind.POSE, FrameKind.BODY)
"""Frames that pages send too."""


def typescript() -> str:
    """The module of the page."""
    kinds = "\n".join(_head(kind, record) for kind, record in HEADS.items())
    return "\n".join(
        [
            head("studio/wire/frames.py and studio/live/frames.py").rstrip(),
            "",
            "/** Bytes in front of what a frame holds. */",
            f"export const HEAD_SIZE = {HEAD_SIZE};",
            "/** [bytes] A larger body of a person is refused. */",
            f"export const LARGEST_BODY = {LARGEST_BODY};",
            "",
            kinds,
            _interface(LiveFacts),
            "",
            _interface(LiveHand),
            "",
            _interface(LiveTip),
            "",
            _live_interface(),
            "",
            _live_reader(),
            "",
        ]
    )


def _head(kind: FrameKind, record: type[NamedTuple]) -> str:
    name = record.__name__
    words = [(4 * i, place.name) for i, place in enumerate(places(record), start=1)]
    lines = [
        _interface(record),
        "",
        "/** The head of such a frame, null when it is none. */",
        f"export function read{name}(view: DataView): {name} | null {{",
        "  if (view.byteLength < HEAD_SIZE) return null;",
        f"  if (view.getUint32(0, true) !== {kind:d}) return null;",
        "  return {",
        *(f"    {one}: view.getUint32({at}, true)," for at, one in words),
        "  };",
        "}",
        "",
    ]
    if kind in FROM_PAGE:
        lines += [
            f"export function write{name}(view: DataView, head: {name}): void {{",
            f"  view.setUint32(0, {kind:d}, true);",
            *(f"  view.setUint32({at}, head.{one}, true);" for at, one in words),
            "}",
            "",
        ]
    return "\n".join(lines)


def _interface(record: type) -> str:
    notes = field_notes(record)
    lines = [*doc(_summary(record)), f"export interface {record.__name__} {{"]
    for place in places(record):
        kind = "number" if place.size == 1 else f"[{', '.join(['number'] * place.size)}]"
        lines += [*doc(notes[place.name], "  "), f"  {place.name}: {kind};"]
    return "\n".join([*lines, "}"])


def _summary(record: type) -> str:
    return " ".join((record.__doc__ or "").replace("``", "`").split())


def _live_interface() -> str:
    notes = field_notes(LiveFrame)
    lines = [*doc(_summary(LiveFrame)), "export interface LiveFrame extends LiveFacts {"]
    head_notes = field_notes(HEADS[FrameKind.LIVE])
    for name in ("sequence", "version"):
        lines += [*doc(head_notes[name], "  "), f"  {name}: number;"]
    for name, part in PARTS.items():
        kind = "Float64Array" if isinstance(part.width, int) else f"{part.width.__name__}[]"
        lines += [*doc(notes[name], "  "), f"  {name}: {kind};"]
    lines += [*doc(notes["is_led"], "  "), "  is_led: boolean;", "}"]
    return "\n".join(lines)


def _live_reader() -> str:
    counts = [_count(name) for name in COUNTS]
    words = [
        f"  const {name} = view.getUint32({HEAD_SIZE + 4 * i}, true);"
        for i, name in enumerate([*counts, "flags"])
    ]
    facts = [f"    {place.name}: numbers[{place.first}]," for place in places(LiveFacts)]
    finite = [
        f"  if (!{name}.every(Number.isFinite)) return null;"
        for name, part in PARTS.items()
        if part.finite
    ]
    return "\n".join(
        [
            "/** The state that a frame holds, null when it is none. */",
            "export function unpackLive(buffer: ArrayBuffer): LiveFrame | null {",
            "  const view = new DataView(buffer);",
            "  const head = readLiveHead(view);",
            f"  if (head === null || buffer.byteLength < {NUMBERS_AT}) return null;",
            *words,
            f"  let size = {size_of(LiveFacts)};",
            *(f"  size += {_size(part)};" for part in PARTS.values()),
            f"  const bytes = {NUMBERS_AT} + 8 * size;",
            "  if (buffer.byteLength !== bytes) return null;",
            "  if (head.body_size !== bytes - HEAD_SIZE) return null;",
            f"  const numbers = new Float64Array(buffer, {NUMBERS_AT}, size);",
            f"  let at = {size_of(LiveFacts)};",
            "  const take = (count: number): Float64Array => numbers.subarray(at, (at += count));",
            *(line for name, part in PARTS.items() for line in _read(name, part)),
            *finite,
            "  return {",
            "    sequence: head.sequence,",
            "    version: head.version,",
            *facts,
            *(f"    {name}," for name in PARTS),
            "    is_led: (flags & 1) === 1,",
            "  };",
            "}",
        ]
    )


def _count(name: str) -> str:
    return name if name.startswith("n") else f"{name}Count"


def _size(part: Rows) -> str:
    return _count(part.count) if part.size == 1 else f"{part.size} * {_count(part.count)}"


def _read(name: str, part: Rows) -> list[str]:
    if isinstance(part.width, int):
        return [f"  const {name} = take({_size(part)});"]
    row = []
    for place in places(part.width):
        indices = range(place.first, place.first + place.size)
        values = ", ".join(f"row[{i}]" for i in indices)
        row.append(f"      {place.name}: {values if place.size == 1 else f'[{values}]'},")
    return [
        f"  const {name}: {part.width.__name__}[] = [];",
        f"  for (let i = 0; i < {_count(part.count)}; ++i) {{",
        f"    const row = take({part.size});",
        f"    {name}.push({{",
        *row,
        "    });",
        "  }",
    ]
