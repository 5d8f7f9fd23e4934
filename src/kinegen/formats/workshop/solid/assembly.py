"""The solid parts of any mechanism: flat ones where it is planar, bars and bosses otherwise."""

from __future__ import annotations

from kinegen.errors import FormatError, UsageError
from kinegen.formats.workshop.flat.assembly import flat_assembly
from kinegen.formats.workshop.flat.plane import find_plane
from kinegen.formats.workshop.sizes import Sizes
from kinegen.formats.workshop.solid.display import display_solids
from kinegen.formats.workshop.solid.part import SolidAssembly
from kinegen.formats.workshop.solid.planar import flat_solids
from kinegen.formats.workshop.solid.spatial import space_solids
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model

__all__ = ["PRINTED", "SHAPES", "is_planar", "solid_assembly"]

SHAPES = ("bars", "display")
"""What parts are made as: bars with holes, or as pictures show them."""
PRINTED = Sizes(clearance=0.0003, thickness=0.006, spacer=0.0003)
"""Sizes of printed parts: printers are less exact than lasers."""


def solid_assembly(
    model: AnyModel,
    q: Configuration = None,
    *,
    sizes: Sizes | None = None,
    ground: bool = True,
    pins: bool = True,
    frames: str = "mark",
    shape: str = "bars",
) -> SolidAssembly:
    """Every part of a mechanism as a solid, at its position.

    Args:
        model: The mechanism or its model.
        q: The pose in which parts are placed; default: the file's start.
        sizes: Of bars, holes and clearances.
        ground: Whether the ground is a part.
        pins: Whether pins, caps and spacers are parts.
        frames: Whether flat parts reach out to named frames: 'mark', 'hole' or 'no'.
        shape: 'bars' with holes, or 'display': the shapes of pictures, without holes.
    """
    if shape not in SHAPES:
        raise UsageError(f"shape={shape}: use one of {', '.join(SHAPES)}")
    model = model_of(model)
    pose: Floats = configuration(model, q)
    sizes = sizes or PRINTED
    messages: list[str] | tuple[str, ...]
    if shape == "display":
        parts, messages = display_solids(model, pose, ground=ground)
    elif is_planar(model, pose):
        flat = flat_assembly(model, pose, sizes=sizes, frames=frames)
        parts, messages = flat_solids(flat, ground=ground, pins=pins), flat.messages
    else:
        parts, messages = space_solids(model, pose, sizes, ground=ground, pins=pins)
    if not parts:
        raise FormatError(f"mechanism '{model.name}' has no parts to make")
    remarks = [f"part '{part.name}' is {part.remark}" for part in parts if part.remark]
    return SolidAssembly(model.name, tuple(parts), (*messages, *remarks))


def is_planar(model: Model, q: Configuration = None) -> bool:
    """Whether all links move in one plane."""
    try:
        find_plane(model, q)
    except FormatError:
        return False
    return True
