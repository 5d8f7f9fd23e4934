"""Pictures of couplings: toothed gears, belts, racks, threads, profiles of cams, curves of guides.

They are drawn only: nothing weighs or touches by them. Everything is placed at the mechanism's
start, in the world, and then fixed on its link; teeth mesh there, so they mesh everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from kinegen.errors import KinegenError
from kinegen.kernels import Floats
from kinegen.kernels.layout import TRANSFORM_SIZE
from kinegen.mechanism.gear_axes import AxisError, GearAxes, Wheel, gear_axes
from kinegen.mechanism.graph import Coupling, CouplingKind, Mechanism
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelCoupling
from kinegen.mechanism.shapes.data import (
    Box,
    Cylinder,
    Matrix3,
    ModelLike,
    Plate,
    Primitive,
    Role,
    Vector3,
)

__all__ = ["coupling_shapes", "with_couplings"]

MOST_TEETH = 120
"""Gears with more are drawn with so many: finer ones look smooth."""
THICKNESS = 0.16
"""Of gears, by the smaller pitch radius of a pair."""
ADDENDUM, DEDENDUM = 0.95, 1.1
"""Of teeth beyond and below the pitch circle, by the module."""
ROOT_SHARE, TIP_SHARE = 0.72, 0.34
"""Widths of a tooth at its root and tip, by the pitch on the pitch circle."""
CAM_STEPS = 120
"""Places around a cam."""
CURVE_STEPS = 96
"""Pieces of the curve of a guide."""
CURVE_SHARE = 80
"""A curve is as thin as this share of its extent."""


def coupling_shapes(
    model: Model, shapes: Sequence[Sequence[Primitive]]
) -> tuple[tuple[Primitive, ...], ...]:
    """What is drawn for couplings on every link, in link order, each in its link's frame.

    Args:
        model: The compiled mechanism.
        shapes: The links' own shapes, which lend their colours.
    """
    painter = _Painter(model)
    for coupling in model.couplings:
        painter.draw(coupling)
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


@dataclass(slots=True)
class _Gear:
    """A gear that is drawn already."""

    centre: Floats
    axis: Floats
    radius: float
    teeth: float
    phase: float
    """Angle of a tooth's middle about the axis, from the painter's first direction across it."""
    inside: bool = False


@dataclass(slots=True)
class _Painter:
    model: Model
    parts: list[list[Primitive]] = field(init=False)
    poses: Floats = field(init=False)
    mechanism: Mechanism = field(init=False)
    gears: dict[str, list[_Gear]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.parts = [[] for _ in self.model.link_names]
        if self.model.couplings:
            self.mechanism = self.model.compiled_from
            self.poses = np.empty((self.model.link_count, TRANSFORM_SIZE))
            self.model.kernels.forward_links(self.model.start(), self.poses)

    def draw(self, coupling: ModelCoupling) -> None:
        row = self.mechanism.couplings.get(coupling.name)
        if row is None:
            return  # a joint that follows another shows nothing
        try:
            if row.kind is CouplingKind.GEARS:
                self.pair(row)
            elif row.kind.joins_links:
                self.belt(row)
            elif row.kind is CouplingKind.RACK:
                self.rack(row, coupling)
            elif row.kind is CouplingKind.SCREW:
                self.screw(row, coupling)
            elif coupling.guide:
                self.curve(coupling)
            elif row.kind is CouplingKind.CAM:
                self.cam(row, coupling)
        except (AxisError, KinegenError):
            return  # numbers with which nothing can be drawn

    # Placing

    def values(self) -> dict[str, float]:
        return dict(self.model.parameters)

    def put(
        self, link: int, shape: type[Primitive], R_W: Floats, p_W: Floats, **keys: object
    ) -> None:
        """Fix a solid on a link, from its place in the world at the start."""
        R, p = self.poses[link, :9].reshape(3, 3), self.poses[link, 9:]
        local, place = R.T @ R_W, R.T @ (p_W - p)
        rotation: Matrix3 = tuple(tuple(float(x) for x in row) for row in local)  # type: ignore[assignment]
        translation: Vector3 = tuple(float(x) for x in place)  # type: ignore[assignment]
        role = Role.GROUND if link == 0 else Role.BAR
        made = shape(rotation=rotation, translation=translation, role=role, branch=link, **keys)  # type: ignore[arg-type]
        self.parts[link].append(made)

    def link(self, name: str) -> int:
        return self.model.link_names.index(name)

    # Gears

    def pair(self, row: Coupling) -> None:
        values = self.values()
        axes = gear_axes(self.mechanism, row, values)
        teeth = [number.evaluate(values) for number in row.numbers]
        a, b = axes.first, axes.second
        normal = a.axis
        radii = _pitch_radii(axes, teeth, row.internal)
        thickness = THICKNESS * min(radii)
        centres = [a.point, _beside(b.point, a.point, normal)] if axes.are_parallel else [
            a.point, b.point,
        ]  # fmt: skip
        sides = [a.axis, a.axis if axes.are_parallel else b.axis]
        rings = [row.internal and radii[i] == max(radii) for i in (0, 1)]
        known = [self.known(wheel.link, centres[i], radii[i]) for i, wheel in enumerate((a, b))]
        order = (1, 0) if known[0] is None and known[1] is not None else (0, 1)
        done: list[_Gear | None] = list(known)
        for i in order:
            if done[i] is not None:
                continue
            other = done[1 - i]
            toward = centres[1 - i] - centres[i]
            gear = _Gear(centres[i], sides[i], radii[i], teeth[i], 0.0, rings[i])
            gear.phase = _meshed(gear, other, toward, rings[1 - i])
            done[i] = gear
            wheel = (a, b)[i]
            self.gears.setdefault(wheel.link, []).append(gear)
            self.gear(self.link(wheel.link), gear, thickness)

    def known(self, link: str, centre: Floats, radius: float) -> _Gear | None:
        for gear in self.gears.get(link, ()):
            near = float(np.linalg.norm(gear.centre - centre)) < 1e-6 + 1e-3 * radius
            if near and abs(gear.radius - radius) < 1e-3 * radius:
                return gear
        return None

    def gear(self, link: int, gear: _Gear, thickness: float) -> None:
        """A disc, or a ring, with its teeth."""
        count = max(3, min(round(gear.teeth), MOST_TEETH))
        module = 2 * gear.radius / count
        x, y = _across(gear.axis)
        R = np.column_stack([x, y, gear.axis])
        inward = -1.0 if gear.inside else 1.0
        root = gear.radius - inward * DEDENDUM * module
        tip = gear.radius + inward * ADDENDUM * module
        pitch = math.tau * gear.radius / count
        if gear.inside:
            self.rim(link, R, gear.centre, root, root + 2.2 * module, thickness)
        else:
            self.put(link, Cylinder, R, gear.centre, radius=root, length=thickness)
        foot, head = ROOT_SHARE * pitch / 2, TIP_SHARE * pitch / 2
        deep = 0.3 * module * inward  # into the body, so that no gap shows
        for i in range(count):
            angle = gear.phase + math.tau * i / count
            turned = R @ _turn(angle)
            low, high = sorted((root - deep, tip))
            ends = (foot, head) if not gear.inside else (head, foot)
            outline = ((low, -ends[0]), (high, -ends[1]), (high, ends[1]), (low, ends[0]))
            self.put(link, Plate, turned, gear.centre, outline=outline, thickness=thickness)

    def rim(
        self, link: int, R: Floats, centre: Floats, inner: float, outer: float, thickness: float
    ) -> None:
        """A ring of short straight pieces."""
        count = 36
        half = math.pi / count
        for i in range(count):
            turned = R @ _turn(math.tau * i / count)
            near, far = inner * math.tan(half) * 1.002, outer * math.tan(half) * 1.002
            outline = ((inner, -near), (outer, -far), (outer, far), (inner, near))
            self.put(link, Plate, turned, centre, outline=outline, thickness=thickness)

    # Belts

    def belt(self, row: Coupling) -> None:
        values = self.values()
        axes = gear_axes(self.mechanism, row, values)
        sizes = [number.evaluate(values) for number in row.numbers]
        if row.measured_by == "teeth":
            # of wheels only the teeth are known: drawn in proportion
            most = 0.22 * axes.distance
            sizes = [most * size / max(sizes) for size in sizes]
        a, b = axes.first, axes.second
        normal, first = a.axis, a.point
        second = _beside(b.point, first, normal)
        width = 0.5 * min(sizes)
        for wheel, centre, radius in ((a, first, sizes[0]), (b, second, sizes[1])):
            self.pulley(self.link(wheel.link), wheel, normal, centre, radius, width, row)
        # straight runs between points of contact, on the link that carries both axes
        along = (second - first) / np.linalg.norm(second - first)
        across = np.cross(normal, along)
        distance = float(np.linalg.norm(second - first))
        thin = 0.08 * min(sizes)
        for side in (1.0, -1.0):
            other = -side if row.crossed else side
            lean = (sizes[0] * side - sizes[1] * other) / distance
            lean = max(-0.99, min(0.99, lean))
            n = lean * along + math.sqrt(1 - lean * lean) * across * 1.0
            n = n if side > 0 else lean * along - math.sqrt(1 - lean * lean) * across
            start = first + (sizes[0] + thin / 2) * n
            m = n if not row.crossed else -n
            end = second + (sizes[1] + thin / 2) * m
            way = end - start
            length = float(np.linalg.norm(way))
            R = np.column_stack([way / length, np.cross(normal, way / length), normal])
            size = (length, thin, 0.8 * width)
            self.put(self.link(axes.carrier), Box, R, (start + end) / 2, size=size, color="#3b3b3b")

    def pulley(
        self, link: int, wheel: Wheel, normal: Floats, centre: Floats, radius: float,
        width: float, row: Coupling,
    ) -> None:  # fmt: skip
        x, y = _across(normal)
        R = np.column_stack([x, y, normal])
        if row.kind is CouplingKind.CHAIN:
            teeth = row.numbers[row.members.index(wheel.link)].evaluate(self.values())
            self.gear(link, _Gear(centre, normal, radius, teeth, 0.0), 0.5 * width)
            return
        self.put(link, Cylinder, R, centre, radius=radius, length=width)
        for side in (-1, 1):  # flanges
            place = centre + side * 0.5 * width * normal
            self.put(link, Cylinder, R, place, radius=1.12 * radius, length=0.12 * width)

    # Racks, screws and cams

    def axis_of(self, name: str) -> tuple[int, Floats, Floats]:
        """The link that a variable moves, and the place and axis of its joint at the start."""
        joints = self.model.joints
        index = next(
            (
                i
                for i, joint in enumerate(joints)
                if name in (joint.name, *_names(joint.name, name))
            ),
            None,
        )
        if index is None or joints[index].is_cut:
            raise AxisError(name)
        joint = joints[index]
        R, p = self.poses[joint.parent, :9].reshape(3, 3), self.poses[joint.parent, 9:]
        placed = self.model.transforms[joint.placement]
        return int(joint.child), p + R @ placed[9:], (R @ placed[:9].reshape(3, 3))[:, 2]

    def rack(self, row: Coupling, coupling: ModelCoupling) -> None:
        radius = row.numbers[0].evaluate(self.values())
        slider, _, along = self.axis_of(coupling.members[0])
        pinion, centre, axis = self.axis_of(coupling.members[1])
        side = np.cross(along, axis)
        if np.linalg.norm(side) < 0.999:
            raise AxisError("a rack slides across its pinion's axis")
        contact = math.copysign(1.0, radius) * side
        size = abs(radius)
        teeth = 20
        module = 2 * size / teeth
        x, y = _across(axis)
        phase = math.atan2(float(contact @ y), float(contact @ x))
        thickness = 0.35 * size
        self.gear(pinion, _Gear(centre, axis, size, teeth, phase), thickness)
        # the rack's teeth stand in the pinion's gaps at the start
        pitch = math.pi * module
        joint = self.model.joints[coupling.joints[0]]
        low, high = (float(part[joint.v][0]) for part in (self.model.lower, self.model.upper))
        travel = high - low if math.isfinite(high - low) else 4 * math.pi * size
        half = max(6, math.ceil((travel / 2 + 1.2 * size) / pitch))
        middle = centre + size * contact
        start = float(self.model.start()[joint.q][0])
        if math.isfinite(high - low):
            middle = middle + (start - (low + high) / 2) * along * -1.0
        R = np.column_stack([along, np.cross(axis, along), axis])
        outward = float(R[:, 1] @ contact)
        body = middle + (DEDENDUM + 0.9) * module * contact
        self.put(slider, Box, R, body, size=(2 * half * pitch, 1.8 * module, thickness))
        for i in range(-half, half):
            place = middle + (i + 0.5) * pitch * along
            tip, foot = -ADDENDUM * module * outward, (DEDENDUM + 0.1) * module * outward
            corners = [
                (-ROOT_SHARE * pitch / 2, foot), (ROOT_SHARE * pitch / 2, foot),
                (TIP_SHARE * pitch / 2, tip), (-TIP_SHARE * pitch / 2, tip),
            ]  # fmt: skip
            outline = tuple(corners if tip > foot else corners[::-1])
            self.put(slider, Plate, R, place, outline=outline, thickness=thickness)

    def screw(self, row: Coupling, coupling: ModelCoupling) -> None:
        lead = abs(row.numbers[0].evaluate(self.values()))
        nut, at, along = self.axis_of(coupling.members[0])
        turning, centre, axis = self.axis_of(coupling.members[1])
        if np.linalg.norm(np.cross(along, axis)) > 1e-3:
            raise AxisError("a nut slides along its screw")
        joint = self.model.joints[coupling.joints[0]]
        low, high = (float(part[joint.v][0]) for part in (self.model.lower, self.model.upper))
        if not math.isfinite(high - low):
            low, high = -0.5 * self.model.size, 0.5 * self.model.size
        radius = max(0.04 * (high - low), 0.8 * lead)
        x, y = _across(axis)
        R = np.column_stack([x, y, axis])
        from_nut = float((at - centre) @ axis)
        sense = float(np.sign(axis @ along))
        first, last = sorted((from_nut + sense * low, from_nut + sense * high))
        first, last = first - 2 * radius, last + 2 * radius
        length = last - first
        middle = centre + (first + last) / 2 * axis
        self.put(turning, Cylinder, R, middle, radius=0.8 * radius, length=length)
        pitch = max(lead, length / 60)
        for i in range(int(length / pitch)):
            place = centre + (first + (i + 0.5) * pitch) * axis
            self.put(turning, Cylinder, R, place, radius=radius, length=0.35 * pitch)
        start = float(self.model.start()[joint.q][0])
        place = centre + axis * (from_nut + sense * start)
        self.put(nut, Box, R, place, size=(4 * radius, 4 * radius, 3 * radius))

    def cam(self, row: Coupling, coupling: ModelCoupling) -> None:
        follower, at, along = self.axis_of(coupling.members[0])
        cam, centre, axis = self.axis_of(coupling.members[1])
        if abs(float(along @ axis)) > 1e-3 or not coupling.is_length:
            raise AxisError("only plate cams with sliding followers are drawn")
        joints = [self.model.joints[i] for i in coupling.joints]
        q = self.model.start()
        lift, turn = float(q[joints[0].q][0]), float(q[joints[1].q][0])
        heights = np.array([self.height(coupling, turn + a) for a in _round()]) - lift
        # the roller's middle is the follower's own frame, or as far out as the lift needs
        there = at + lift * along - centre
        there = there - axis * float(axis @ there)
        offset = float(np.cross(along, there) @ axis)
        reach = float(there @ along)
        base = max(reach, 1.6 * float(np.ptp(heights)) - float(heights.min()))
        roller = 0.21 * base if reach < base else 0.21 * reach
        side = np.cross(axis, along)
        # where the roller's middle goes, as the cam sees it
        points = []
        for a, height in zip(_round(), heights, strict=True):
            x, y = base + float(height), -offset
            points.append((x * math.cos(a) + y * math.sin(a), -x * math.sin(a) + y * math.cos(a)))
        outline = _shrunk(np.array(points)[::-1], roller)
        R = np.column_stack([along, side, axis])
        thickness = 0.3 * base
        for piece in _convex_sectors(outline):
            self.put(cam, Plate, R, centre, outline=piece, thickness=thickness)
        middle = centre + base * along - offset * side
        self.put(follower, Cylinder, R, middle, radius=roller, length=1.15 * thickness)
        stem = 1.6 * base
        turned = np.column_stack([side, axis, along])
        place = middle + (stem / 2) * along
        self.put(follower, Box, turned, place, size=(0.7 * roller, 0.7 * roller, stem))

    # Guides

    def curve(self, coupling: ModelCoupling) -> None:
        """The curve of a guide as a thin tube on its link, and the pin that runs in it."""
        own = {
            one.members[0].rpartition(".")[2]: one
            for one in self.model.couplings
            if one.guide == coupling.guide
        }
        if coupling is not own["x"]:
            return  # drawn with the first coordinate
        along = self.model.joint(f"{coupling.guide}.s")
        low, high = (float(part[along.v][0]) for part in (self.model.lower, self.model.upper))
        turn = math.pi if along.type.info.is_hinge else self.model.size
        low = low if math.isfinite(low) else -turn
        high = high if math.isfinite(high) else turn
        places = np.zeros((CURVE_STEPS + 1, 3))
        for i, u in enumerate(np.linspace(low, high, CURVE_STEPS + 1)):
            for k, axis in enumerate("xyz"):
                if axis in own:
                    places[i, k] = self.height(own[axis], float(u))
        if not np.isfinite(places).all():
            raise AxisError("the curve has no place somewhere")
        link = self.link(coupling.guide)
        R, p = self.poses[link, :9].reshape(3, 3), self.poses[link, 9:]
        size = float(np.ptp(places, axis=0).max())
        thin = size / CURVE_SHARE
        for a, b in pairwise(places @ R.T + p):
            way = b - a
            length = float(np.linalg.norm(way))
            if length < 1e-3 * thin:
                continue
            x, y = _across(way / length)
            turned = np.column_stack([x, y, way / length])
            self.put(link, Cylinder, turned, (a + b) / 2, radius=thin, length=length + thin)
        carrier = self.model.joint(f"{coupling.guide}.point")
        place = self.poses[carrier.parent, 9:]
        self.put(
            int(carrier.child), Cylinder, R, place, radius=2.2 * thin, length=6 * thin,
            color="#3b3b3b",
        )  # fmt: skip

    def height(self, coupling: ModelCoupling, x: float) -> float:
        """The profile of a cam, by the kernels: what its equation lacks with the follower at 0."""
        q = self.model.start()
        for index, value in zip(coupling.joints, (0.0, x), strict=True):
            q[self.model.joints[index].q] = value
        phi = np.empty(6 * self.model.constraint_count)
        self.model.kernels.loop_residual(q, phi)
        return -float(phi[coupling.row])


def _names(joint: str, name: str) -> Iterator[str]:
    if name.startswith(joint + "."):
        yield name


def _round() -> list[float]:
    return [math.tau * i / CAM_STEPS for i in range(CAM_STEPS)]


def _pitch_radii(axes: GearAxes, teeth: list[float], internal: bool) -> list[float]:
    if axes.are_parallel:
        total = abs(teeth[0] - teeth[1]) if internal else teeth[0] + teeth[1]
        return [axes.distance * count / total for count in teeth]
    reach = float(np.linalg.norm(axes.second.point - axes.first.point))
    return [0.7 * reach * count / math.hypot(*teeth) for count in teeth]


def _beside(point: Floats, other: Floats, normal: Floats) -> Floats:
    """A point moved along an axis into the plane of another one."""
    return np.asarray(point - normal * float(normal @ (point - other)))


def _across(axis: Floats) -> tuple[Floats, Floats]:
    """Two directions across an axis: the same for every gear about it."""
    helper = np.eye(3)[int(np.abs(axis).argmin())]
    x = np.cross(helper, axis)
    x = x / np.linalg.norm(x)
    return x, np.cross(axis, x)


def _turn(angle: float) -> Floats:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _meshed(gear: _Gear, other: _Gear | None, toward: Floats, other_inside: bool) -> float:
    """The phase with which a gear meshes with one that is drawn, or with a tooth towards it."""
    x, y = _across(gear.axis)
    sign = -1.0 if other_inside else 1.0  # a pinion touches its ring on the far side
    angle = math.atan2(sign * float(toward @ y), sign * float(toward @ x))
    if other is None:
        return angle
    back = -toward if not gear.inside else toward * -1.0
    u, v = _across(other.axis)
    flip = -1.0 if gear.inside else 1.0
    met = math.atan2(flip * float(back @ v), flip * float(back @ u))
    pitch = math.tau / other.teeth
    ahead = ((met - other.phase) % pitch) * other.radius  # how far the contact is past a tooth
    turning = float(np.sign(gear.axis @ other.axis)) or 1.0
    sense = -1.0 if gear.inside or other_inside else 1.0
    # rolling on each other, outer gears turn opposite ways; the gap faces the tooth
    return angle + sense * turning * ahead / gear.radius + math.pi / gear.teeth


def _shrunk(points: Floats, by: float) -> Floats:
    """A closed curve, counter-clockwise, moved inwards by the roller's radius."""
    before, after = np.roll(points, 1, axis=0), np.roll(points, -1, axis=0)
    along = after - before
    along = along / np.linalg.norm(along, axis=1, keepdims=True)
    return np.asarray(points + by * np.column_stack([-along[:, 1], along[:, 0]]))


def _convex_sectors(outline: Floats) -> Iterator[tuple[tuple[float, float], ...]]:
    """Convex pieces of what lies around the origin: sectors, as wide as they can be."""
    count, first = len(outline), 0
    while first < count:
        last = first + 1
        while last < count and _is_convex(outline, first, last + 1):
            last += 1
        chain = [outline[i % count] for i in range(first, last + 1)]
        yield tuple((float(x), float(y)) for x, y in ((0.0, 0.0), *chain))
        first = last


def _is_convex(outline: Floats, first: int, last: int) -> bool:
    count = len(outline)
    points = [np.zeros(2), *(outline[i % count] for i in range(first, last + 1))]
    for i in range(len(points)):
        a, b, c = points[i], points[(i + 1) % len(points)], points[(i + 2) % len(points)]
        if (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) < -1e-15:
            return False
    return True
