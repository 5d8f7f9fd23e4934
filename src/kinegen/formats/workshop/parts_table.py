"""Parts lists as files: Markdown for people, CSV and JSON for programs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from kinegen.errors import UsageError
from kinegen.formats.format import Format, Written
from kinegen.formats.workshop.materials import MATERIAL_OPTIONS, parse_material
from kinegen.formats.workshop.parts_list import PartsList, parts_list
from kinegen.formats.workshop.sizes import SIZE_OPTIONS, parse_sizes
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism
from kinegen.results import Columns, csv_table

__all__ = ["FORMAT", "markdown"]


def markdown(listed: PartsList) -> str:
    """The list as two tables for people."""
    lines = [f"# Parts of {listed.mechanism}", ""]
    lines += _table(listed.columns())
    if listed.mass is not None:
        lines += ["", f"All parts together weigh {1000 * listed.mass:.4g} g."]
    if listed.joints:
        lines += ["", "## Joints", "", *_table(listed.joint_columns())]
    if listed.notes:
        lines += ["", "## Notes", "", *(f"- {note}" for note in listed.notes)]
    return "\n".join(lines) + "\n"


def _table(columns: Columns) -> list[str]:
    """A table without the columns that are empty."""
    used: Mapping[str, list[str]] = {
        head: [str(cell).replace("|", "\\|") for cell in cells]
        for head, cells in columns.items()
        if any(str(cell) for cell in cells)
    }
    rows = [list(row) for row in zip(*used.values(), strict=True)]
    return [
        f"| {' | '.join(used)} |",
        f"|{'---|' * len(used)}",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]


def _write(
    mechanism: Mechanism,
    *,
    options: Mapping[str, str],
    file: str = "",
    q: Floats | None = None,
    motion: str | None = None,
) -> Written:
    FORMAT.check_options(options)
    listed = parts_list(
        mechanism,
        q,
        sizes=parse_sizes(options),
        material=parse_material(options, "acrylic"),
        frames=options.get("frames", "mark"),
    )
    path = PurePath(file or "parts.md")
    match path.suffix.lower():
        case ".json":
            return Written(listed.to_bytes("parts.json"), listed.notes)
        case ".csv":
            joints = b"".join(csv_table(listed.joint_columns()))
            beside = {f"{path.stem}-joints.csv": joints} if listed.joints else {}
            return Written(listed.to_bytes("parts.csv"), listed.notes, beside)
        case ".md":
            return Written(markdown(listed), listed.notes)
        case suffix:
            raise UsageError(f"a parts list is written as .md, .csv or .json, not '{suffix}'")


FORMAT = Format(
    "parts",
    "parts list with hole distances, masses, pins and screws",
    (".md", ".csv", ".json"),
    write=_write,
    options={
        **SIZE_OPTIONS,
        **MATERIAL_OPTIONS,
        "frames": "mark (default), hole or no: whether flat parts extend to named frames",
    },
    media_type="text/markdown; charset=utf-8",
)
