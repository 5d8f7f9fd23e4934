"""Links that are fixed to each other: each group of them is one part."""

from __future__ import annotations

from kinegen.errors import FormatError
from kinegen.mechanism.model import Model

__all__ = ["MOST_PARTS", "rigid_groups"]

MOST_PARTS = 500
"""Of one mechanism: the time for the stack grows with their square."""


def rigid_groups(model: Model) -> list[list[int]]:
    """Link indices of every part, those of the ground first, each with its innermost link first.

    Raises:
        FormatError: There are more parts than anyone makes.
    """
    group = list(range(model.link_count))

    def root(link: int) -> int:
        while group[link] != link:
            link = group[link]
        return link

    for joint in model.joints:
        if not joint.type.info.moves:
            low, high = sorted((root(joint.parent), root(joint.child)))
            group[high] = low
    found: dict[int, list[int]] = {}
    for link in range(model.link_count):
        found.setdefault(root(link), []).append(link)
    if len(found) > MOST_PARTS:
        raise FormatError(
            f"mechanism '{model.name}' has {len(found)} parts; at most {MOST_PARTS} are made"
        )
    return list(found.values())
