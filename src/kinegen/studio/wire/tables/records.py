"""Rows of numbers of the kernels' calls, and enums in them, for C++ and the page."""

from __future__ import annotations

import enum
from typing import NamedTuple

from kinegen.kernels import call_records
from kinegen.kernels.call_records import (
    BranchInts,
    HandleInts,
    HandleReals,
    HeadingInts,
    HeadingReals,
    OutlookInts,
    Ranks,
    SolverNumbers,
    SolverReport,
)
from kinegen.kernels.protocols.base import TaskKind
from kinegen.kernels.protocols.singular import (
    AIM_LIMIT,
    BRANCH_LIMIT,
    BranchKind,
    HeadingType,
    MonitorStatus,
    SearchEnd,
    SingularKind,
)
from kinegen.kernels.protocols.solver import HandleKind, Outcome
from kinegen.kernels.records import places, size_of
from kinegen.mechanism.graph import PlacementKind
from kinegen.studio.wire.tables.text import field_notes, head

__all__ = ["Enum", "cpp", "enum_lines", "typescript"]

HEAD = head("kernels/call_records.py") + "// Enums are those of the protocols beside it.\n"


class Enum(NamedTuple):
    """An enum as C++ has it."""

    kind: type[enum.Enum]
    prefix: str = ""
    more: tuple[str, ...] = ()
    """Members that only compiled kernels know."""
    size: str = ""
    """What the number of its members is called, if that is a member too."""


ENUMS = (
    Enum(PlacementKind),
    Enum(TaskKind, "TASK_"),
    Enum(HandleKind, "HANDLE_"),
    Enum(Outcome, more=("NEED_MEMORY = -10,  // the elimination's terms did not fit",)),
    Enum(SingularKind, "KIND_"),
    Enum(HeadingType, "HEADING_"),
    Enum(SearchEnd, "END_"),
    Enum(BranchKind, "BRANCH_"),
    Enum(MonitorStatus, more=("MORE_MEMORY = 5,  // to be tried again with more of it",)),
)
RECORDS: tuple[type, ...] = tuple(
    getattr(call_records, name) for name in call_records.__all__ if name != "Three"
)
PAGE_ENUMS: tuple[type[enum.Enum], ...] = (
    HandleKind, Outcome, SingularKind, HeadingType, BranchKind, MonitorStatus,
)  # fmt: skip
PAGE_RECORDS: tuple[type, ...] = (
    HandleInts, HandleReals, SolverNumbers, SolverReport, Ranks, HeadingInts, HeadingReals,
    OutlookInts, BranchInts,
)  # fmt: skip
"""Those that the page reads or writes."""


def cpp() -> str:
    """The header of the compiled kernels."""
    lines = [
        f"{HEAD}// clang-format off",
        "#pragma once",
        "",
        "#include <stdint.h>",
        "",
        "namespace kinegen {",
        "",
        f"constexpr int32_t HANDLE_KIND_COUNT = {len(HandleKind)};",
        f"constexpr int32_t AIM_LIMIT = {AIM_LIMIT};",
        f"constexpr int32_t BRANCH_LIMIT = {BRANCH_LIMIT};",
        "",
    ]
    for one in ENUMS:
        lines += enum_lines(one)
    lines += ["// Places of the fields in rows of numbers.", "namespace record {", ""]
    for record in RECORDS:
        notes = field_notes(record)
        lines += [f"// {_summary(record)}", f"struct {record.__name__} {{"]
        for name, first, _ in places(record):
            place = f"static constexpr int32_t {name.upper()} = {first};"
            lines.append(f"    {place}{_note(notes, name)}")
        lines += [f"    static constexpr int32_t COUNT = {size_of(record)};", "};", ""]
    lines += ["}  // namespace record", "", "}  // namespace kinegen", ""]
    return "\n".join(lines)


def enum_lines(one: Enum) -> list[str]:
    """An enum for the compiled kernels."""
    kind, prefix = one.kind, one.prefix
    notes = field_notes(kind)
    return [
        f"// {_summary(kind)}",
        f"enum {kind.__name__} : int32_t {{",
        *(f"    {prefix}{each.name} = {each.value},{_note(notes, each.name)}" for each in kind),
        *(f"    {line}" for line in one.more),
        *([f"    {one.size} = {len(kind)},"] if one.size else []),
        "};",
        "",
    ]


def typescript() -> str:
    """The module of the page."""
    lines = [HEAD, f"export const BRANCH_LIMIT = {BRANCH_LIMIT};", ""]
    for kind in PAGE_ENUMS:
        members = [f"  {member.name.lower()}: {member.value}," for member in kind]
        lines += _table(kind, members)
    for record in PAGE_RECORDS:
        fields = [f"  {name}: {first}," for name, first, _ in places(record)]
        lines += _table(record, [*fields, f"  count: {size_of(record)},"])
    return "\n".join(lines)


def _table(kind: type, rows: list[str]) -> list[str]:
    name = "".join(f"_{c}" if c.isupper() else c.upper() for c in kind.__name__).lstrip("_")
    return [f"/** {_summary(kind)} */", f"export const {name} = {{", *rows, "} as const;", ""]


def _note(notes: dict[str, str], name: str) -> str:
    return f"  // {notes[name]}" if name in notes else ""


def _summary(kind: type) -> str:
    return (kind.__doc__ or "").split("\n", maxsplit=1)[0]
