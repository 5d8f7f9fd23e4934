"""A guide as joints: light carriers that move over it, and one that holds the point there."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

from kinegen.joint_types import JointType
from kinegen.mechanism.couplings.guide_curves import GuideCurve
from kinegen.mechanism.graph import Closure, Joint, LinkProperties, Placement, PlacementKind
from kinegen.raff.axis import axis_turn
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.sections.guide import guide_parts

__all__ = ["guide_joints"]

_ZERO: Final = Formula.constant(0.0)
_NOWHERE: Final = (_ZERO, _ZERO, _ZERO)
_MASS: Final = Formula.constant(1e-6)
_INERTIA: Final = (*(Formula.constant(1e-9),) * 3, _ZERO, _ZERO, _ZERO)
"""Of a carrier [kg, kg m²]: simulations need some, and this little does not show."""
_RING_PIECES: Final = 36
_RING_SHARE: Final = 60
"""A ring is as thin as this share of its radius."""
_SLOT_WIDTH: Final = 12
_SLOT_RIM: Final = 80
"""A slot is as narrow to either side as this share of its length, its rim as thin as that."""
_QUARTER: Final = math.pi / 2
_LAST_TURN: Final = {
    "y": (Formula.constant(_QUARTER), _ZERO, _ZERO),
    "z": (_ZERO, _ZERO, Formula.constant(-_QUARTER)),
}
"""Roll, pitch and yaw from the last slide of a curve, along y or z, back to the guide's axes."""
_PLATE_SHARE: Final = 200
"""A plate is as thin as this share of its edge."""


def guide_joints(name: str, parent: str, placement: Placement, keys: dict[str, Any]) -> list[Joint]:
    """The joints of a guide, names and formulas as the mechanism knows them.

    Args:
        name: The guide's: its own link is fixed on the parent.
        parent: The link or frame it is fixed to.
        placement: Where, z being the normal of a plane, the line, or the axis of a circle.
        keys: ``onto`` and ``point`` of the point, and what else its row gives.
    """
    curve: GuideCurve | None = keys.get("curve")
    slides, point = guide_parts(name, keys["type"], curve is not None and "z" in curve.profiles)
    if curve is not None and curve.ends is not None:
        keys = {"limits": curve.ends, **keys}
    fixed = Joint(name, JointType.FIXED, parent, placement, link=_body(keys))
    fixed.note = keys.get("note")
    return [fixed, *_carriers(name, slides, keys), _holder(point, slides[-1], keys)]


def _carriers(name: str, slides: list[str], keys: dict[str, Any]) -> Iterator[Joint]:
    """What moves over the guide."""
    if keys["type"] == "curve":
        yield from _curve_carriers(name, slides, keys)
        return
    start = keys.get("start")
    starts: list[Any] = start if isinstance(start, list) else [start]
    turns: tuple[str, ...] = ("z",)
    parents: tuple[str, ...] = (name,)
    form = keys["type"]
    if form == "plane":
        # z along x of the plane, x along its normal; then z along y of the plane
        turns, parents = ("x", "-y"), (name, slides[0])
    kind = JointType.REVOLUTE if form == "circle" else JointType.PRISMATIC
    for i, slide in enumerate(slides):
        joint = Joint(slide, kind, parents[i], _turned(turns[i]), link=_nothing())
        if i < len(starts) and starts[i] is not None:
            joint.start = (starts[i],)
        if "limits" in keys:
            joint.limits = (tuple(keys["limits"]),)
        yield joint


def _holder(point: str, carrier: str, keys: dict[str, Any]) -> Joint:
    """The joint at the point, which closes the loop."""
    form = keys["type"]
    xyz = (keys["radius"], _ZERO, _ZERO) if form == "circle" else _NOWHERE
    # the last carrier of a plane has its normal along -y; a pin on a line turns about x
    axis = {"plane": "-y", "line": "x"}.get(form, "z") if keys.get("pin") else "z"
    turn = axis_turn(axis)
    if form == "curve":  # the guide's own axes, whatever the carriers slide along
        turn = _LAST_TURN[carrier.rpartition(".")[2]]
    placed = Placement(PlacementKind.POSE, (*xyz, *turn))
    joint = Joint(
        point, JointType.REVOLUTE if keys.get("pin") else JointType.SPHERICAL, carrier, placed
    )
    joint.closes = Closure(keys["onto"], keys["point"])
    joint.start = keys.get("turn", ())
    return joint


def _curve_carriers(name: str, slides: list[str], keys: dict[str, Any]) -> Iterator[Joint]:
    """The place along a curve, which moves nothing, and slides that follow it by couplings."""
    along, *axes = slides
    kind = JointType.REVOLUTE if keys["curve"].by_angle else JointType.PRISMATIC
    place = Joint(along, kind, name, _turned("z"), link=_nothing())
    if keys.get("start") is not None:
        place.start = (keys["start"],)
    if "limits" in keys:
        place.limits = (tuple(keys["limits"]),)
    yield place
    parent = name
    # each slide's z along the next axis of the guide
    for slide, turn in zip(axes, ("x", "-y", "-y"), strict=False):
        yield Joint(slide, JointType.PRISMATIC, parent, _turned(turn), link=_nothing())
        parent = slide


def _turned(axis: str) -> Placement:
    return Placement(PlacementKind.POSE, (*_NOWHERE, *axis_turn(axis)))


def _nothing(shape: Any = "none") -> LinkProperties:
    """A link that is next to nothing."""
    return LinkProperties(mass=_MASS, centre=_NOWHERE, inertia=_INERTIA, shape=shape)


def _body(keys: dict[str, Any]) -> LinkProperties:
    """What shows the guide: a plate, a ring, a slot; a line without ends is drawn as a slider."""
    form = keys["type"]
    link = _nothing("auto" if form == "line" else "none")
    if form == "circle":
        link.shape = list(_ring(keys["radius"]))
    elif form == "line" and "limits" in keys:
        link.shape = list(_slot(*keys["limits"]))
    elif form == "plane" and "size" in keys:
        edge: Formula = keys["size"]
        link.shape = {"box": [edge, edge, parse_formula(f"({edge.text})/{_PLATE_SHARE}")]}
    link.color = keys.get("color")
    return link


def _slot(lower: Formula, upper: Formula) -> Iterator[dict[str, Any]]:
    """The rim of a slot along z, in its yz plane."""
    long, middle = f"(({upper.text}) - ({lower.text}))", f"(({upper.text}) + ({lower.text}))/2"
    thin = parse_formula(f"{long}/{_SLOT_RIM}")
    for side in ("", "-"):
        yield {
            "capsule": [thin, parse_formula(long)],
            "xyz": [_ZERO, parse_formula(f"{side}{long}/{_SLOT_WIDTH}"), parse_formula(middle)],
        }
    for end in (lower, upper):
        yield {
            "capsule": [thin, parse_formula(f"2*{long}/{_SLOT_WIDTH}")],
            "xyz": [_ZERO, _ZERO, end],
            "rpy": [Formula.constant(math.pi / 2), _ZERO, _ZERO],
        }


def _ring(radius: Formula) -> Iterator[dict[str, Any]]:
    """A thin ring about z, piece by piece."""
    r, step = f"({radius.text})", 2 * math.pi / _RING_PIECES
    chord = 2 * math.sin(step / 2)
    for i in range(_RING_PIECES):
        angle = (i + 0.5) * step
        reach = math.cos(step / 2)
        yield {
            "capsule": [parse_formula(f"{r}/{_RING_SHARE}"), parse_formula(f"{r}*{chord:.12g}")],
            "xyz": [
                parse_formula(f"{r}*({reach * math.cos(angle):.12g})"),
                parse_formula(f"{r}*({reach * math.sin(angle):.12g})"),
                _ZERO,
            ],
            # z of the capsule along the tangent
            "rpy": [Formula.constant(math.pi / 2), _ZERO, Formula.constant(angle)],
        }
