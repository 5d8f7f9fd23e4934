"""Joint types for the kernels and the page: ``python -m kinegen.studio.wire.tables ROOT``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from kinegen.joint_types import JointTraits, JointType

__all__ = ["TABLES", "cpp", "main", "typescript"]

HEAD = """\
// Generated from src/kinegen/joint_types.py; do not edit.
// To make it again: make tables
"""
PAGE_TRAITS = (
    "has_quaternion", "swings", "has_pitch", "moves", "is_hinge", "is_slide", "floats", "has_axis",
    "turns_about_axis", "slides_along_axis", "slides_across", "turns_in_place", "fits_plane",
)  # fmt: skip
"""Those that the page asks for, besides the variables."""


def cpp() -> str:
    """The header of the compiled kernels."""
    types = list(JointType)
    most = max(kind.info.nv for kind in types)

    def row(name: str, values: Iterable[object]) -> str:
        listed = ", ".join(str(value) for value in values)
        return f"constexpr {name}[JOINT_TYPE_COUNT] = {{{listed}}};"

    def lengths(info: JointTraits) -> str:
        padded = [*info.is_length, *[False] * (most - info.nv)]
        return "{" + ", ".join(str(one).lower() for one in padded) + "}"

    lines = [
        HEAD + "// clang-format off\n#pragma once\n\n#include <stdint.h>\n\nnamespace kinegen {\n",
        "enum JointType : int32_t {",
        *(f"    {kind.name} = {kind.info.code}," for kind in types),
        "};",
        f"constexpr int32_t JOINT_TYPE_COUNT = {len(types)};",
        row("int32_t JOINT_NQ", [kind.info.nq for kind in types]),
        row("int32_t JOINT_NV", [kind.info.nv for kind in types]),
        "// whether q begins with a quaternion",
        row("bool JOINT_QUATERNION", [str(k.info.has_quaternion).lower() for k in types]),
        "// whether a variable slides",
        f"constexpr bool JOINT_LENGTH[JOINT_TYPE_COUNT][{most}] = {{",
        *(f"    {lengths(kind.info)}," for kind in types),
        "};",
        "\n}  // namespace kinegen",
    ]
    return "\n".join(lines) + "\n"


def typescript() -> str:
    """The table of the page."""
    rows = []
    for kind in JointType:
        info = kind.info
        traits = {
            "lengths": list(info.is_length),
            **{_camel(name): getattr(info, name) for name in PAGE_TRAITS},
        }
        cells = [f"    {key}: {json.dumps(value)}," for key, value in traits.items()]
        rows.append("\n".join([f"  {kind.value}: {{", *cells, "  },"]))
    body = "\n".join(rows)
    return (
        f"{HEAD}\n/** What a joint type means; each trait is explained there. */\n"
        "export interface JointTraits {\n"
        "  /** For each variable, whether it slides. */\n"
        "  lengths: boolean[];\n"
        + "".join(f"  {_camel(name)}: boolean;\n" for name in PAGE_TRAITS)
        + "}\n\nconst TRAITS: Record<string, JointTraits> = {\n"
        + body
        + "\n};\n\n/** All types, in their order. */\n"
        "export const JOINT_TYPES = Object.keys(TRAITS);\n\n"
        "/** The traits of a type, which the studio names. */\n"
        "export const traitsOf = (type: string): JointTraits => TRAITS[type]!;\n"
    )


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


TABLES = {
    "native/kernel/base/joint_types.hpp": cpp,
    "web/src/kernel/joint-types.ts": typescript,
}
"""What makes each of the generated files."""


def main() -> None:
    """Write the files below the folder named on the command line."""
    for file, make in TABLES.items():
        (Path(sys.argv[1]) / file).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
