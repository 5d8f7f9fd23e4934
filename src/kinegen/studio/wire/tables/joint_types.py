"""Joint types for the kernels and the page."""

from __future__ import annotations

import json
from collections.abc import Iterable

from kinegen.joint_types import JointTraits, JointType
from kinegen.studio.wire.tables.text import camel, head

__all__ = ["cpp", "typescript"]

HEAD = head("joint_types.py")
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
            **{camel(name): getattr(info, name) for name in PAGE_TRAITS},
        }
        cells = [f"    {key}: {json.dumps(value)}," for key, value in traits.items()]
        rows.append("\n".join([f"  {kind.value}: {{", *cells, "  },"]))
    body = "\n".join(rows)
    return (
        f"{HEAD}\n/** What a joint type means; each trait is explained there. */\n"
        "export interface JointTraits {\n"
        "  /** For each variable, whether it slides. */\n"
        "  lengths: boolean[];\n"
        + "".join(f"  {camel(name)}: boolean;\n" for name in PAGE_TRAITS)
        + "}\n\nconst TRAITS: Record<string, JointTraits> = {\n"
        + body
        + "\n};\n\n/** All types, in their order. */\n"
        "export const JOINT_TYPES = Object.keys(TRAITS);\n\n"
        "/** The traits of a type, which the studio names. */\n"
        "export const traitsOf = (type: string): JointTraits => TRAITS[type];\n"
    )
