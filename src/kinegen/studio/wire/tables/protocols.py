"""What the compiled kernels of a room share with Python: enums, sizes and rows, in a header."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from kinegen.joint_types import JointType
from kinegen.kernels.protocols import analytic, contact, dyads, dynamics, haptic, impulse, reduced
from kinegen.studio.wire.tables.constants import Constant, read_constants
from kinegen.studio.wire.tables.records import Enum, enum_lines
from kinegen.studio.wire.tables.text import field_notes, head

__all__ = ["ROOMS", "cpp"]


class Room(NamedTuple):
    """What a header contains."""

    module: Any
    """The protocol whose constants are written."""
    enums: tuple[Enum, ...]
    includes: tuple[str, ...] = ()
    namespace: str = "kinegen"
    more: Callable[[], Iterable[str]] = tuple
    """Tables of other kinds."""


def _reals(numbers: Iterable[float]) -> str:
    return ", ".join("INFINITY" if math.isinf(one) else repr(float(one)) for one in numbers)


def _settings() -> list[str]:
    """The settings of a touched point as a struct with defaults, and their ranges."""
    notes = field_notes(haptic.HapticSettings)
    settings = haptic.HapticSettings()
    lines = ["// How a touched point is run.", "struct HapticSettings {"]
    for name, value in settings._asdict().items():
        lines.append(f"    double {name} = {_reals([value])};  // {notes[name]}")
    count = len(settings)
    lines += ["};", f"constexpr int32_t HAPTIC_SETTINGS = {count};", ""]
    lines += ["// Least and most of each setting."]
    lines += ["constexpr double HAPTIC_RANGES[HAPTIC_SETTINGS][2] = {"]
    lines += [f"    {{{_reals(pair)}}}," for pair in haptic.HAPTIC_RANGES]
    return [*lines, "};", ""]


def _bonds() -> list[str]:
    """What each type of bond holds and leaves free."""
    names = [kind.name.lower() for kind in impulse.BondType]

    def row(name: str, numbers: Iterable[int]) -> str:
        listed = ", ".join(str(one) for one in numbers)
        return f"constexpr int32_t {name}[BOND_TYPE_COUNT] = {{{listed}}};"

    def table(name: str, rows: Iterable[tuple[impulse.BondRow, ...]]) -> list[str]:
        lines = [f"constexpr BondRow {name}[BOND_TYPE_COUNT][6] = {{"]
        for kind, some in zip(names, rows, strict=True):
            cells = ", ".join(f"{{{one.action.name}, {one.axis.name}}}" for one in some)
            lines.append(f"    {{{cells}}},  // {kind}")
        return [*lines, "};"]

    return [
        "// Types beyond those of joints.",
        *(
            f"constexpr int32_t {kind.name} = {kind.value};"
            for kind in impulse.BondType
            if kind.value >= len(JointType)
        ),
        f"constexpr int32_t BOND_TYPE_COUNT = {len(impulse.BondType)};",
        row("BOND_NQ", [bond.nq for bond in impulse.BONDS]),
        row("BOND_NV", [bond.nv for bond in impulse.BONDS]),
        "",
        "// A direction along which, or an axis about which, two bodies act on each other.",
        "struct BondRow {",
        "    int8_t action, axis;",
        "};",
        "// Rows that a bond holds, and how many of them act along a direction: those come first.",
        row("HELD_ROWS", [len(bond.held) for bond in impulse.BONDS]),
        row("ALONG_ROWS", [bond.along for bond in impulse.BONDS]),
        *table("HELD", [bond.held for bond in impulse.BONDS]),
        "// Rows along and about which it is free, one per v; three of a spring.",
        *table("FREED", [bond.freed for bond in impulse.BONDS]),
        "",
    ]


def _cut_rows() -> list[str]:
    """The rows of a cut joint, as a bit per kind."""
    lines = ["// Kinds of rows of a cut joint, a bit each, by the number of its type."]
    lines.append("constexpr int32_t CUT_ROWS[JOINT_TYPE_COUNT] = {")
    for kind, rows in zip(JointType, reduced.CUT_ROWS, strict=True):
        mask = sum(1 << row for row in rows)
        lines.append(f"    0b{mask:08b},  // {kind.value}")
    return [*lines, "};", ""]


ROOMS = {
    "analytic": Room(
        analytic,
        (
            Enum(analytic.ArmFamily),
            Enum(
                analytic.AnalyticFlag,
                more=(
                    "// inside the solver only: branch and twin are one; the seed decides the",
                    "// first wrist axis",
                    "MERGED_SIDE = 256,",
                    "MERGED_ELBOW = 512,",
                    "MERGED_FLIP = 1024,",
                    "FREE_WRIST = 2048,",
                ),
            ),
        ),
        namespace="kinegen::analytic",
    ),
    "contact": Room(contact, (Enum(contact.ShapeKind, "SHAPE_"),)),
    "dyads": Room(dyads, (Enum(dyads.DyadKind, "DYAD_", size="DYAD_KIND_COUNT"),)),
    "dynamics": Room(
        dynamics,
        (
            Enum(dynamics.DynamicsTask, "TASK_", size="TASK_COUNT"),
            Enum(dynamics.Measure, "MEASURE_"),
        ),
    ),
    "haptic": Room(
        haptic,
        (
            Enum(haptic.TouchMode, "TOUCH_"),
            Enum(haptic.HapticState, "STATE_"),
            Enum(haptic.Heard, "HEARD_", size="HEARD_COUNT"),
            Enum(haptic.WrongField, "FIELD_"),
            Enum(haptic.GateReason, "GATE_"),
            Enum(haptic.PacketKind, "PACKET_"),
            Enum(haptic.Trouble, "TROUBLE_"),
        ),
        includes=("<math.h>",),
        more=_settings,
    ),
    "impulse": Room(
        impulse,
        (Enum(impulse.AxisNumber), Enum(impulse.RowAction), Enum(impulse.RowAxis)),
        includes=('"kernel/base/joint_types.hpp"',),
        namespace="kinegen::impulse",
        more=_bonds,
    ),
    "reduced": Room(
        reduced,
        (
            Enum(reduced.Integrator),
            Enum(reduced.Method, "BY_"),
            Enum(reduced.RunStatus, "RUN_"),
            Enum(reduced.RowKind),
            Enum(reduced.ServoMode, "SERVO_"),
            Enum(reduced.ServoRow, "SERVO_", size="SERVO_ROWS"),
            Enum(reduced.ServoState, "SERVO_STATE_", size="SERVO_STATE_ROWS"),
        ),
        includes=('"kernel/base/joint_types.hpp"',),
        more=_cut_rows,
    ),
}
"""The headers by their rooms."""


def cpp(name: str) -> str:
    """The header of a room."""
    room = ROOMS[name]
    lines = [
        head(f"kernels/protocols/{name}.py") + "// clang-format off",
        "#pragma once",
        "",
        "#include <stdint.h>",
        *(f"#include {one}" for one in room.includes),
        "",
        f"namespace {room.namespace} {{",
        "",
        *_constants(read_constants(room.module)),
    ]
    for one in room.enums:
        lines += enum_lines(one)
    lines += room.more()
    return "\n".join([*lines, f"}}  // namespace {room.namespace}", ""])


def _constants(table: dict[str, Constant]) -> list[str]:
    """Each with its reason above it."""
    lines: list[str] = []
    for name, (value, reason) in table.items():
        kind = "double" if "." in value or "e" in value.lower().removeprefix("0x") else "int32_t"
        lines += textwrap.wrap(reason, 97, initial_indent="// ", subsequent_indent="// ")
        lines.append(f"constexpr {kind} {name} = {value};")
    return [*lines, ""] if lines else []
