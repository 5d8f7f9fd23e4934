"""Options of the drawings of flat parts, which DXF and SVG share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kinegen.formats.workshop.flat.assembly import FRAMES, FlatAssembly, flat_assembly
from kinegen.formats.workshop.flat.layout import LAYOUTS, SPACING, Layout, arrange, parse_sheet
from kinegen.formats.workshop.sizes import (
    SIZE_OPTIONS,
    parse_length,
    parse_sizes,
    parse_switch,
    parse_word,
)
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism

__all__ = ["FLAT_OPTIONS", "FlatDrawing", "flat_drawing"]

FLAT_OPTIONS: Mapping[str, str] = {
    **SIZE_OPTIONS,
    "kerf": "width of the cut: outlines grow and holes shrink by half of it",
    "layout": "nested (default) side by side for cutting, or assembled",
    "ground": "yes or no (default): whether the ground is a part",
    "frames": "mark (default), hole or no: how named frames are shown",
    "labels": "yes (default) or no: names and levels, on a layer that is not cut",
    "sheet": "size of the material, such as 600x400mm",
    "spacing": "distance between parts, and from the edges of a sheet",
}


@dataclass(frozen=True, slots=True)
class FlatDrawing:
    """Parts and where they lie."""

    assembly: FlatAssembly
    layout: Layout
    labels: bool
    notes: tuple[str, ...]


def flat_drawing(mechanism: Mechanism, q: Floats | None, options: Mapping[str, str]) -> FlatDrawing:
    """What the options of a format ask for."""
    frames = parse_word("frames", options.get("frames", "mark"), FRAMES)
    assembly = flat_assembly(mechanism, q, sizes=parse_sizes(options), frames=frames)
    ground = parse_switch(options, "ground", False)
    layout = arrange(
        assembly,
        layout=parse_word("layout", options.get("layout", "nested"), LAYOUTS),
        ground=ground,
        sheet=parse_sheet(options["sheet"]) if "sheet" in options else None,
        spacing=parse_length("spacing", options["spacing"]) if "spacing" in options else SPACING,
    )
    notes = list(assembly.messages)
    slots = [slot.joint for slot in assembly.parts[0].slots]
    if slots and not ground:
        listed = ", ".join(f"'{name}'" for name in slots)
        notes.append(f"the slot of {listed} is in the ground, which ground=yes adds")
    notes.append(_stack(assembly))
    labels = parse_switch(options, "labels", True)
    return FlatDrawing(assembly, layout, labels, tuple(notes))


def _stack(assembly: FlatAssembly) -> str:
    """Which part lies above which."""
    levels: dict[int, list[str]] = {}
    for part in assembly.parts:
        levels.setdefault(part.level, []).append(part.name)
    listed = [f"{level}: {', '.join(names)}" for level, names in sorted(levels.items())]
    return f"levels of the stack from below: {'; '.join(listed)}"
