"""The polygon inequality: whether the bars of a loop are long enough to close it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import LinkIndex, ModelLoop

__all__ = ["Bar", "loop_bars", "polygon_shortage"]


@dataclass(frozen=True, slots=True)
class Bar:
    """One side of a loop's polygon: a link between two joints, or a joint's slide."""

    name: str
    shortest: float
    """[m]"""
    longest: float
    """[m]"""


def loop_bars(model: Model, loop: ModelLoop, q: Floats, locked: Sequence[str] = ()) -> list[Bar]:
    """The sides of a loop's polygon, joint centre to joint centre.

    A joint's centre is its frame's origin, which turning cannot move; so whatever the joints do,
    the sides keep their lengths and must close a polygon.
    """
    cut = model.joints[loop.joint]
    chains = _chains(model, cut.parent, cut.child)
    # points on each link of the loop where its two neighbours sit
    bars: list[Bar] = []
    ends = (cut.placement, loop.placement)
    tops: list[int] = []
    for chain, end in zip(chains, ends, strict=True):
        outer = end
        for index in chain:
            joint = model.joints[index]
            length = float(np.linalg.norm(model.transforms[outer, 9:]))
            bars.append(Bar(f"link '{model.link_names[joint.child]}'", length, length))
            bars += _slide(model, index, q, locked)
            outer = joint.placement
        tops.append(outer)
    bars += _slide(model, loop.joint, q, locked)
    between = model.transforms[tops[0], 9:] - model.transforms[tops[1], 9:]
    length = float(np.linalg.norm(between))
    common = model.joints[chains[0][-1]].parent if chains[0] else cut.parent
    bars.append(Bar(f"link '{model.link_names[common]}'", length, length))
    return bars


def polygon_shortage(model: Model, q: Floats, locked: Sequence[str] = ()) -> str:
    """The loop whose polygon cannot close, which bar is at fault and by how much; '' if none."""
    for loop in model.loops:
        bars = loop_bars(model, loop, q, locked)
        reach = sum(bar.longest for bar in bars)
        for bar in bars:
            lack = bar.shortest - (reach - bar.longest)
            if lack > 1e-12 * max(reach, 1.0) and math.isfinite(lack):
                others = ", ".join(
                    f"{other.name} {other.longest * 1000:.4g} mm"
                    for other in bars
                    if other is not bar and other.longest > 0
                )
                return (
                    f"in the loop closed by '{model.joints[loop.joint].name}' the {bar.name} "
                    f"({bar.shortest * 1000:.4g} mm) is longer than all others together ({others}):"
                    f" they are {lack * 1000:.4g} mm too short"
                )
    return ""


def _chains(model: Model, one: LinkIndex, other: LinkIndex) -> tuple[list[int], list[int]]:
    """Joints from two links down to the link that carries both, no further."""
    carries = model.blocks.int_part("link_joint")
    chains: tuple[list[int], list[int]] = ([], [])
    links = [one, other]
    met: tuple[dict[int, int], dict[int, int]] = ({one: 0}, {other: 0})
    # in turns, so that the way is no longer than the loop, however far the base is
    while one != other:
        for side, chain in enumerate(chains):
            index = int(carries[links[side]])
            if index < 0:
                continue
            chain.append(index)
            link = links[side] = model.joints[index].parent
            met[side][link] = len(chain)
            if link in met[1 - side]:
                del chains[1 - side][met[1 - side][link] :]
                return chains
    return chains


def _slide(model: Model, index: int, q: Floats, locked: Sequence[str]) -> list[Bar]:
    """What a joint's own motion can add to the polygon."""
    joint = model.joints[index]
    if joint.type.info.slides_across:
        return [Bar(f"joint '{joint.name}'", 0.0, math.inf)]
    if not joint.type.info.slides_along_axis:
        return []
    last = joint.v.stop - 1
    low, high = float(model.lower[last]), float(model.upper[last])
    if joint.name in locked:
        low = high = float(q[joint.q.stop - 1])
    if joint.type.info.has_pitch:
        lead = model.number(joint.name, "pitch") / math.tau
        low, high = sorted((low * lead, high * lead)) if lead else (0.0, 0.0)
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return [Bar(f"slide of joint '{joint.name}'", nearest, max(abs(low), abs(high)))]
