"""Options of the files with solid parts, which STL, 3MF and STEP share."""

from __future__ import annotations

from collections.abc import Mapping

from kinegen.formats.workshop.flat.assembly import FRAMES
from kinegen.formats.workshop.sizes import SIZE_OPTIONS, parse_sizes, parse_switch, parse_word
from kinegen.formats.workshop.solid.assembly import PRINTED, SHAPES, solid_assembly
from kinegen.formats.workshop.solid.part import SolidAssembly
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism

__all__ = ["SOLID_OPTIONS", "solids_asked"]

SOLID_OPTIONS: Mapping[str, str] = {
    **SIZE_OPTIONS,
    "ground": "yes (default) or no: whether the ground is a part",
    "pins": "yes (default) or no: whether pins, caps and spacers are parts",
    "frames": "mark (default), hole or no: whether flat parts extend to named frames",
    "shape": "bars (default) with holes, or display: as pictures show them",
}


def solids_asked(
    mechanism: Mechanism, q: Floats | None, options: Mapping[str, str]
) -> SolidAssembly:
    """The parts that the options of a format ask for."""
    return solid_assembly(
        mechanism,
        q,
        sizes=parse_sizes(options, PRINTED),
        ground=parse_switch(options, "ground", True),
        pins=parse_switch(options, "pins", True),
        frames=parse_word("frames", options.get("frames", "mark"), FRAMES),
        shape=parse_word("shape", options.get("shape", "bars"), SHAPES),
    )
