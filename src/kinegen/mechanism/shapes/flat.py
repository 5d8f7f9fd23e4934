"""Automatic shapes of mechanisms that move in one plane: flat bars in layers, and pins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from kinegen.mechanism.shapes import proportions as proportion
from kinegen.mechanism.shapes.data import Array, Box, Cylinder, ModelLike, Primitive, Role
from kinegen.mechanism.shapes.skeleton import Attachment, Kind, Plane, Skeleton
from kinegen.mechanism.shapes.solid import (
    convex_hull,
    matrix,
    plate_around,
    rotation_with_z,
    vector,
)

__all__ = ["flat_shapes"]

_STEPS = tuple(product((-1, 0, 1), repeat=3))
"""From a cell to itself and its neighbours."""
_SAME = 1e-3
"""Points nearer than this share of the least distance of two pins need not be kept both."""


def flat_shapes(model: ModelLike, skeleton: Skeleton) -> list[list[Primitive]]:
    """Primitives of every link of a plane mechanism, in the link's frame."""
    if skeleton.plane is None:
        raise ValueError("flat shapes need a planar mechanism")
    return _FlatShapes(model, skeleton, skeleton.plane).build()


@dataclass(slots=True, eq=False)
class _Pin:
    """A place where links turn about each other."""

    points: dict[int, Array]
    """The place in the frame of every link that meets there [m]."""
    joints: list[int]
    cut: int = -1
    """The cut joint whose half it is, -1 for none: both halves are one place."""


class _Places:
    """Pins that are joined as they are found: a grid finds those nearby, whatever their number."""

    def __init__(self, near: float) -> None:
        self._near = near
        self._found: list[_Pin] = []
        self._into: list[int] = []
        """Which one each was joined to; itself where it was not."""
        self._cells: dict[tuple[int, ...], list[tuple[Array, int]]] = {}
        """Points in a cell of a link's frame, with the pin that they are of."""
        self._halves: dict[int, int] = {}

    def add(self, pin: _Pin) -> None:
        """Add a pin; it becomes one with all that share a point of a link, or a cut joint."""
        own = len(self._found)
        self._found.append(pin)
        self._into.append(own)
        if pin.cut >= 0:
            self._join(self._halves.setdefault(pin.cut, own), own)
        for link, p in pin.points.items():
            cell = np.floor(p / self._near).astype(int).tolist()
            is_known = False
            for step in _STEPS:
                key = (link, *(c + s for c, s in zip(cell, step, strict=True)))
                for other, index in self._cells.get(key, ()):
                    apart = math.dist(p, other)
                    if apart < self._near:
                        self._join(index, own)
                    is_known = is_known or apart < _SAME * self._near
            if not is_known:
                self._cells.setdefault((link, *cell), []).append((p, own))

    def joined(self) -> list[_Pin]:
        """Each place once, in the order in which the last that meets there was found."""
        members: dict[int, list[_Pin]] = {}
        for index in reversed(range(len(self._found))):
            members.setdefault(self._root(index), []).append(self._found[index])
        pins = []
        for group in members.values():
            points = {link: p for pin in group for link, p in pin.points.items()}
            pins.append(_Pin(points, [joint for pin in group for joint in pin.joints]))
        return pins[::-1]

    def _root(self, index: int) -> int:
        while self._into[index] != index:
            self._into[index] = self._into[self._into[index]]
            index = self._into[index]
        return index

    def _join(self, one: int, other: int) -> None:
        self._into[self._root(other)] = self._root(one)


class _FlatShapes:
    """Builder: links that meet in a joint lie in different layers, so that none cut each other."""

    def __init__(self, model: ModelLike, skeleton: Skeleton, plane: Plane) -> None:
        self.model, self.skeleton, self.plane = model, skeleton, plane
        self.joints = tuple(model.joints)
        self.shapes: list[list[Primitive]] = [[] for _ in model.link_names]
        self.half = proportion.FLAT_BAR_WIDTH * skeleton.unit
        self.thickness = proportion.FLAT_BAR_THICKNESS * self.half
        self.pins = self._find_pins()
        self.layer = self._layers()
        self.grounds = skeleton.ground_links

    def build(self) -> list[list[Primitive]]:
        """All links."""
        for link in self.skeleton.order:
            self._plate(link)
        for index, joint in enumerate(self.joints):
            if joint.type.info.is_slide:
                self._slider(index)
        for pin in self.pins:
            self._pin(pin)
        return self.shapes

    def _find_pins(self) -> list[_Pin]:
        """Places where revolute joints coincide, with all the links that meet there."""
        places = _Places(proportion.SAME_PLACE * self.half)
        for link, own in enumerate(self.skeleton.attachments):
            for a in own:
                if a.joint < 0 or not self.joints[a.joint].type.info.is_hinge:
                    continue
                place = _Pin({link: a.p_LA}, [])
                if a.kind is Kind.JOINT:
                    place.joints.append(a.joint)
                    if not self.joints[a.joint].is_cut:
                        place.points[self.joints[a.joint].child] = np.zeros(3)
                if self.joints[a.joint].is_cut:
                    place.cut = a.joint
                places.add(place)
        return places.joined()

    def _layers(self) -> list[int]:
        """Layer of every link: the base lowest, links that meet in a pin in different ones."""
        count = len(self.shapes)
        meeting: list[set[int]] = [set() for _ in range(count)]
        for pin in self.pins:
            for link in pin.points:
                meeting[link] |= set(pin.points) - {link}
        for joint in self.joints:
            if joint.type.info.moves:
                meeting[joint.parent].add(joint.child)
                meeting[joint.child].add(joint.parent)
        layer = [-1] * count
        layer[0] = 0
        for link in self.skeleton.order[1:]:
            inboard = self.joints[self.skeleton.inboard[link]]
            if not inboard.type.info.moves:
                layer[link] = layer[inboard.parent]
                continue
            taken = {layer[other] for other in meeting[link]}
            layer[link] = next(i for i in range(1, count + 1) if i not in taken)
        return layer

    def _look(self, link: int) -> dict[str, Any]:
        return {"branch": self.skeleton.branch[link], "tone": self.skeleton.tone[link]}

    def _normal(self, link: int) -> Array:
        """Normal of the plane in the link's frame."""
        return np.asarray(self.skeleton.Rs_WL[link].T @ self.plane.normal)

    def _lifted(self, link: int, p: Array, layer: float) -> Array:
        """The point of the link's frame over p in a layer."""
        normal = self.plane.normal
        p_W = self.skeleton.ps_WL[link] + self.skeleton.Rs_WL[link] @ p
        # The stack lies around the plane, so that frames drawn in it are near their links.
        middle = max(self.layer) / 2
        height = self.plane.height + (layer - middle) * proportion.LAYER_STEP * self.thickness
        return np.asarray(p + (height - float(p_W @ normal)) * self._normal(link))

    def _plate(self, link: int) -> None:
        """The flat body of a link around all that is attached to it."""
        own = self.skeleton.attachments[link]
        if link in self.grounds:
            for one in self.skeleton.standing(self.joints, link):
                self._ground(link, one)
            return
        points = [self._lifted(link, a.p_LA, self.layer[link]) for a in own]
        points.append(self._lifted(link, np.zeros(3), self.layer[link]))
        inboard = self.joints[self.skeleton.inboard[link]]
        slides = inboard.type.info.is_slide
        if slides and max(np.linalg.norm(p - points[-1]) for p in points) < self.half:
            return
        self.shapes[link].append(
            plate_around(
                points,
                self._normal(link),
                self.half,
                self.thickness,
                role=Role.BAR,
                **self._look(link),
            )
        )

    def _ground(self, link: int, own: Sequence[Attachment]) -> None:
        """Feet under the joints of a robot on the ground, and bars between them."""
        normal = self._normal(link)
        pins = [a for a in own if self.joints[a.joint].type.info.is_hinge]
        points = [self._lifted(link, a.p_LA, 0) for a in pins]
        for point in points:
            self.shapes[link].append(
                plate_around([point], normal, proportion.GROUND_PAD * self.half, self.thickness,
                             role=Role.GROUND)
            )  # fmt: skip
        R = rotation_with_z(normal)
        flat = [R.T @ p for p in points]
        hull = convex_hull([(float(p[0]), float(p[1])) for p in flat])
        if len(hull) < 2:
            return
        height = float(np.mean([p[2] for p in flat]))
        corners = [R @ np.array([x, y, height]) for x, y in hull]
        edges = list(zip(corners, corners[1:] + corners[:1], strict=True))
        for one, other in edges[: 1 if len(corners) == 2 else None]:
            self.shapes[link].append(
                plate_around([one, other], normal, proportion.GROUND_BAR * self.half,
                             proportion.GROUND_BAR_THICKNESS * self.thickness, role=Role.GROUND)
            )  # fmt: skip

    def _pin(self, pin: _Pin) -> None:
        """A pin through all layers that meet; with a motor a drum on top of it."""
        link = min(pin.points, key=lambda link: (self.layer[link], link))
        p = pin.points[link]
        layers = [self.layer[other] for other in pin.points]
        self._post(
            link,
            p,
            min(layers) - proportion.PIN_BELOW,
            max(layers) + proportion.PIN_ABOVE,
            proportion.PIN_RADIUS * self.half,
            Role.JOINT,
        )
        if any(self.joints[joint].has_motor for joint in pin.joints):
            top = max(layers) + proportion.MOTOR_BASE
            self._post(
                link,
                p,
                top,
                top + proportion.MOTOR_HEIGHT,
                proportion.MOTOR_RADIUS * self.half,
                Role.JOINT,
            )
            self._post(
                link,
                p,
                top + proportion.MOTOR_RING_START,
                top + proportion.MOTOR_RING_END,
                proportion.MOTOR_RING_RADIUS * self.half,
                Role.MOTOR,
            )

    def _post(
        self, link: int, p: Array, bottom: float, top: float, radius: float, role: Role
    ) -> None:
        """A round pin from one layer height to another."""
        self.shapes[link].append(
            Cylinder(
                radius=radius,
                length=(top - bottom) * proportion.LAYER_STEP * self.thickness,
                rotation=matrix(rotation_with_z(self._normal(link))),
                translation=vector(self._lifted(link, p, (top + bottom) / 2)),
                role=role,
                **self._look(link),
            )
        )

    def _slider(self, index: int) -> None:
        """A rail on the parent along the joint's axis, and the carriage on the child."""
        joint, half = self.joints[index], self.half
        link, child = joint.parent, joint.child
        a = self._attachment(link, Kind.JOINT, index)
        travel = self.skeleton.travels.get(index, 0.0)
        normal = self._normal(link)
        middle = self._lifted(link, a.p_LA + 0.5 * travel * a.z_LA, self.layer[link])
        R = np.column_stack([np.cross(normal, a.z_LA), normal, a.z_LA])
        length = abs(travel) + proportion.OVERRUN * half
        role = Role.GROUND if link in self.grounds else Role.BAR
        self._box(
            link, R, middle, (proportion.FLAT_RAIL_WIDTH * half, self.thickness, length), role
        )
        for side in (-1.0, 1.0):
            with_motor = joint.has_motor and side < 0
            self._box(
                link,
                R,
                middle + side * 0.5 * length * a.z_LA,
                (
                    proportion.FLAT_STOP_WIDTH * half,
                    proportion.FLAT_STOP_THICKNESS * self.thickness,
                    proportion.FLAT_STOP_LENGTH * half,
                ),
                Role.MOTOR if with_motor else role,
            )
        if joint.is_cut:
            landing = self._attachment(child, Kind.CLOSURE, index)
            self._carriage(child, landing.R_LA, landing.p_LA)
        else:
            self._carriage(child, np.eye(3), np.zeros(3))

    def _attachment(self, link: int, kind: Kind, joint: int) -> Attachment:
        own = self.skeleton.attachments[link]
        return next(a for a in own if a.kind is kind and a.joint == joint)

    def _carriage(self, child: int, R_LM: Array, p_LM: Array) -> None:
        normal, z = self._normal(child), R_LM[:, 2]
        R = np.column_stack([np.cross(normal, z), normal, z])
        middle = self._lifted(child, p_LM, self.layer[child] - proportion.SLIDER_LAYER)
        box = (
            proportion.SLIDER_WIDTH * self.half,
            proportion.SLIDER_THICKNESS * self.thickness,
            proportion.SLIDER_LENGTH * self.half,
        )
        self._box(child, R, middle, box, Role.JOINT)

    def _box(
        self, link: int, R: Array, p: Array, size: tuple[float, float, float], role: Role
    ) -> None:
        self.shapes[link].append(
            Box(
                size=size,
                rotation=matrix(R),
                translation=vector(p),
                role=role,
                **self._look(link),
            )
        )
