"""The number of a file that says how far a joint is from the origin of its link."""

from __future__ import annotations

from collections.abc import Mapping

from kinegen.mechanism.graph import Mechanism, Placement, PlacementKind

__all__ = ["placement_length", "placements_of"]


def placements_of(mechanism: Mechanism, joint: str) -> tuple[Placement | None, Placement | None]:
    """Where a joint is on its parent, and where a cut one lands; None where there is neither."""
    source = mechanism.joints.get(joint)
    if source is None:
        return None, None
    return source.placement, source.closes.placement if source.closes is not None else None


def placement_length(
    placement: Placement | None, distance: float, values: Mapping[str, float]
) -> str | None:
    """The one number that is a place's distance from the origin, as its file has it.

    Kleinfinger's ``d`` leads away from the axis z, and is the distance where nothing else does.

    Args:
        placement: The six numbers of the place.
        distance: What they come to [m].
        values: The parameters that formulas use.
    """
    if placement is None or distance == 0:
        return None
    numbers = placement.numbers
    if placement.kind is PlacementKind.KLEINFINGER:
        lengths = (numbers[1], numbers[3], numbers[5])
    else:
        lengths = numbers[:3]
    for number in lengths:
        if number.value == 0:
            continue
        value = number.evaluate(values)
        if abs(abs(value) - distance) > 1e-12 * max(distance, 1.0):
            continue
        if value >= 0:
            return number.text
        bare = number.text.removeprefix("-")
        return bare if bare.isidentifier() else f"abs({number.text})"
    return None
