"""The layout of a model's two blocks for the kernels and the page."""

from __future__ import annotations

from kinegen.kernels import layout
from kinegen.kernels.layout import HEADER, INT_PARTS, OPERATIONS, REAL_PARTS, Part
from kinegen.studio.wire.tables.text import head

__all__ = ["cpp", "typescript"]

HEAD = head("kernels/layout.py")
SIZES = ("LAYOUT_VERSION", "HEADER_SIZE", "TRANSFORM_SIZE", "INERTIA_SIZE")


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
        *(f"constexpr int32_t {name} = {getattr(layout, name)};" for name in SIZES),
        "",
        "// Operations of a formula's code.",
        "enum Operation : int32_t {",
        *(f"    OP_{name.upper()}," for name in OPERATIONS),
        "    OP_COUNT,",
        "};",
        "",
        "// Counts of a model, and pointers into its blocks.",
        "struct Layout {",
        *(f"    int32_t {_count(name)};" for name in HEADER),
        "",
        *(f"    const int32_t* {part.name};  // {_note(part)}" for part in INT_PARTS),
        "",
        "    double* values;  // all from the parameters up to the constants",
        *(f"    {_real(part)} {part.name};  // {_note(part)}" for part in REAL_PARTS),
        "",
        "    int32_t value_count() const { return (int32_t)(constants - values); }",
        "",
        "    void read_header(const int32_t* ints) {",
        *(f"        {_count(name)} = ints[{i}];" for i, name in enumerate(HEADER, start=1)),
        "    }",
        "    int64_t int_size() const {",
        "        int64_t size = HEADER_SIZE;",
        *(f"        size += {_size(part)};" for part in INT_PARTS),
        "        return size;",
        "    }",
        "    int64_t real_size() const {",
        "        int64_t size = 0;",
        *(f"        size += {_size(part)};" for part in REAL_PARTS),
        "        return size;",
        "    }",
        "    void point_into(const int32_t* ints, double* reals) {",
        "        ints += HEADER_SIZE;",
        *(f"        {part.name} = ints, ints += {_size(part)};" for part in INT_PARTS),
        "        values = reals;",
        *(f"        {part.name} = reals, reals += {_size(part)};" for part in REAL_PARTS),
        "    }",
        "};",
        "",
        "}  // namespace kinegen",
        "",
    ]
    return "\n".join(lines)


def typescript() -> str:
    """The module of the page."""
    lines = [
        HEAD,
        *(f"export const {name} = {getattr(layout, name)};" for name in SIZES),
        "",
        "/** How many of each thing a model has. */",
        "export interface Counts {",
        *(f"  {name}: number;" for name in HEADER),
        "}",
        "",
        "export function readCounts(ints: Int32Array): Counts {",
        "  return {",
        *(f"    {name}: ints[{i}]," for i, name in enumerate(HEADER, start=1)),
        "  };",
        "}",
        "",
        "/** A part of the float block: [first, end). */",
        "export type Part = readonly [number, number];",
        "",
        "export type RealPart = keyof ReturnType<typeof realParts>;",
        "",
        "export function realParts(counts: Counts) {",
        "  let at = 0;",
        "  const take = (size: number): Part => [at, (at += size)];",
        "  return {",
        *(f"    {part.name}: take({_page_size(part)})," for part in REAL_PARTS),
        "  };",
        "}",
        "",
    ]
    return "\n".join(lines)


def _count(name: str) -> str:
    return name if name.startswith("n") else f"{name}_count"


def _note(part: Part) -> str:
    if not part.of or part.of in ("tree", "code", "dependent", "parameter", "constant"):
        return part.note
    return f"per {part.of.removeprefix('n')}: {part.note}"


def _real(part: Part) -> str:
    return "const double*" if part.name == "constants" else "double*"


def _size(part: Part) -> str:
    if not part.of:
        return str(part.width)
    each = _count(part.of) if part.width == 1 else f"{part.width} * (int64_t){_count(part.of)}"
    return f"{each} + {part.more}" if part.more else each


def _page_size(part: Part) -> str:
    if not part.of:
        return str(part.width)
    each = f"counts.{part.of}"
    wide = each if part.width == 1 else f"{part.width} * {each}"
    return f"{wide} + {part.more}" if part.more else wide
