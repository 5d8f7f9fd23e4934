"""Pictures of couplings: toothed gears, belts, racks, threads, profiles of cams, curves of guides.

They are drawn only: nothing weighs or touches by them. Everything is placed at the mechanism's
start, in the world, and then fixed on its link; teeth mesh there, so they mesh everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kinegen.errors import KinegenError
from kinegen.formats.drawing.coupling_parts.cams import draw_cam, draw_curve
from kinegen.formats.drawing.coupling_parts.painter import Painter
from kinegen.formats.drawing.coupling_parts.slides import draw_rack, draw_screw
from kinegen.formats.drawing.coupling_parts.wheels import draw_belt, draw_gears
from kinegen.mechanism.couplings.gear_axes import AxisError
from kinegen.mechanism.graph import CouplingKind
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelCoupling
from kinegen.mechanism.shapes.data import (
    ModelLike,
    Primitive,
    Role,
)

__all__ = ["coupling_shapes", "with_couplings"]


def coupling_shapes(
    model: Model, shapes: Sequence[Sequence[Primitive]]
) -> tuple[tuple[Primitive, ...], ...]:
    """What is drawn for couplings on every link, in link order, each in its link's frame.

    Args:
        model: The compiled mechanism.
        shapes: The links' own shapes, which lend their colours.
    """
    painter = Painter(model)
    for coupling in model.couplings:
        _draw(painter, coupling)
    return tuple(
        tuple(_coloured(part, own) for part in parts)
        for parts, own in zip(painter.parts, shapes, strict=True)
    )


def with_couplings(
    model: ModelLike, shapes: Sequence[Sequence[Primitive]]
) -> Sequence[Sequence[Primitive]]:
    """The links' shapes with what is drawn for couplings."""
    if not isinstance(model, Model) or not model.couplings:
        return shapes
    pairs = zip(shapes, coupling_shapes(model, shapes), strict=True)
    return [(*own, *parts) for own, parts in pairs]


def _coloured(part: Primitive, own: Sequence[Primitive]) -> Primitive:
    """A solid in the colour of its link."""
    first = next((one for one in own if one.role in (Role.BAR, Role.GROUND)), None)
    if first is None or part.color is not None:
        return part
    return replace(
        part, role=first.role, branch=first.branch, tone=1 - first.tone, color=first.color
    )


def _draw(painter: Painter, coupling: ModelCoupling) -> None:
    row = painter.mechanism.couplings.get(coupling.name)
    if row is None:
        return  # a joint that follows another shows nothing
    try:
        if row.kind is CouplingKind.GEARS:
            draw_gears(painter, row)
        elif row.kind.joins_links:
            draw_belt(painter, row)
        elif row.kind is CouplingKind.RACK:
            draw_rack(painter, row, coupling)
        elif row.kind is CouplingKind.SCREW:
            draw_screw(painter, row, coupling)
        elif coupling.guide:
            draw_curve(painter, coupling)
        elif row.kind is CouplingKind.CAM:
            draw_cam(painter, row, coupling)
    except (AxisError, KinegenError):
        return  # numbers with which nothing can be drawn
