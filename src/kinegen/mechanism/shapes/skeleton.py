"""What the automatic shapes read out of a model: who sits where, how big, in which limb."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinegen.joint_types import JointType
from kinegen.mechanism.shapes import proportions as proportion
from kinegen.mechanism.shapes.data import Array, JointLike, ModelLike

__all__ = ["Attachment", "Kind", "Plane", "Skeleton", "read_skeleton"]


class Kind(enum.Enum):
    """What is attached to a link."""

    JOINT = "joint"
    CLOSURE = "closure"
    FRAME = "frame"


@dataclass(slots=True)
class Attachment:
    """A frame A fixed on a link L where something else begins."""

    kind: Kind
    R_LA: Array
    p_LA: Array
    joint: int = -1
    """Index of the joint for joints and closures."""
    has_axis: bool = True
    """Whether z of A is an axis one sees."""

    @property
    def z_LA(self) -> Array:
        """Direction of z of A in L."""
        return np.asarray(self.R_LA[:, 2])


@dataclass(slots=True)
class Plane:
    """The plane in which every link of a flat mechanism moves."""

    normal: Array
    """Unit normal in the base frame."""
    height: float
    """Of the middle of the joints along the normal [m]."""


@dataclass(slots=True)
class Skeleton:
    """Lines and points of a mechanism, with every angle at zero."""

    attachments: list[list[Attachment]]
    """Of every link, without its own inboard joint."""
    inboard: list[int]
    """Index of the tree joint that carries each link; -1 for the base."""
    order: list[int]
    """Links, parents first."""
    Rs_WL: Array
    """Orientations with all angles at zero, shape (link_count, 3, 3)."""
    ps_WL: Array
    """Positions with all angles at zero and slides at their travel [m], shape (link_count, 3)."""
    unit: float
    """Typical distance between attachments [m]: sizes are fractions of it."""
    weight: list[float]
    """Of every link, 0..1: how much of the mechanism it carries; bars get thinner with it."""
    branch: list[int]
    tone: list[int]
    robot: list[int]
    """That each link belongs to: links that joints connect without the base; -1 for it."""
    places: set[int]
    """Fixed joints of the base that only say where one of several robots stands."""
    plane: Plane | None
    travels: Mapping[int, float]

    def own_axis(self, link: int, joints: tuple[JointLike, ...]) -> bool:
        """Whether z of the link's frame is the visible axis of the joint that carries it."""
        return self.inboard[link] >= 0 and joints[self.inboard[link]].type.info.has_axis

    @property
    def ground_links(self) -> list[int]:
        """The base, and what is fixed on it: the bases of other robots."""
        return [link for link in self.order if link == 0 or self.inboard[link] in self.places]

    def standing(self, joints: tuple[JointLike, ...], ground: int) -> list[list[Attachment]]:
        """Joints of a ground link, those of one robot together; robots side by side too."""
        groups: list[tuple[int, list[Attachment]]] = []
        for a in self.attachments[ground]:
            if a.kind is Kind.FRAME or a.joint in self.places:
                continue
            joint = joints[a.joint]
            met = joint.child if a.kind is Kind.JOINT else joint.parent
            robot = self.robot[met] if ground == 0 else 0
            for other, own in groups:
                near = (float(np.linalg.norm(a.p_LA - b.p_LA)) < self.unit for b in own)
                if other == robot or any(near):
                    own.append(a)
                    break
            else:
                groups.append((robot, [a]))
        return [own for _, own in groups]


def read_skeleton(model: ModelLike, travels: Mapping[int, float]) -> Skeleton:
    """Attachments, sizes and limbs of a model.

    Args:
        model: The compiled model.
        travels: Displacement of sliding joints [m], by joint index; may be incomplete.
    """
    count = len(model.link_names)
    placements = np.asarray(model.transforms, dtype=float).reshape(-1, 12)
    attachments: list[list[Attachment]] = [[] for _ in range(count)]
    inboard = [-1] * count

    def attach(kind: Kind, link: int, placement: int, joint: int, has_axis: bool) -> None:
        row = placements[placement]
        attachments[link].append(
            Attachment(kind, row[:9].reshape(3, 3).copy(), row[9:].copy(), joint, has_axis)
        )

    for index, joint in enumerate(model.joints):
        attach(Kind.JOINT, joint.parent, joint.placement, index, joint.type.info.has_axis)
        if not joint.is_cut:
            inboard[joint.child] = index
    for loop in model.loops:
        joint = model.joints[loop.joint]
        has_axis = joint.type.info.has_axis
        attach(Kind.CLOSURE, joint.child, loop.placement, loop.joint, has_axis)
    for frame in model.frames:
        attach(Kind.FRAME, frame.link, frame.placement, -1, True)

    robot = _robots(model)
    places = _find_places(model, robot)
    unit, known_travels = _sizes(model, attachments, travels, places)
    order, Rs_WL, ps_WL = _stand(model, attachments, known_travels)
    plane = _find_plane(model, attachments, Rs_WL, ps_WL, unit)
    branch, tone = _limbs(model, attachments, order)
    weight = _weights(model, attachments, order, known_travels, places)
    return Skeleton(
        attachments, inboard, order, Rs_WL, ps_WL, unit, weight, branch, tone, robot, places, plane,
        known_travels,
    )  # fmt: skip


def _robots(model: ModelLike) -> list[int]:
    """A number for every link, the same for those that joints connect without the base."""
    robot = [link - 1 for link in range(len(model.link_names))]
    for joint in model.joints:
        if 0 not in (joint.parent, joint.child):
            low, high = sorted((robot[joint.parent], robot[joint.child]))
            robot = [low if one == high else one for one in robot]
    return robot


def _find_places(model: ModelLike, robot: list[int]) -> set[int]:
    """Fixed joints of the base that carry one of several robots which move."""
    moving = [joint for joint in model.joints if joint.type.info.moves]
    alive = {robot[link] for joint in moving for link in (joint.parent, joint.child)} - {-1}
    if len(alive) < 2:
        return set()
    return {
        index
        for index, joint in enumerate(model.joints)
        if not joint.type.info.moves and joint.parent == 0 and robot[joint.child] in alive
    }


def _stand(
    model: ModelLike, attachments: list[list[Attachment]], travels: Mapping[int, float]
) -> tuple[list[int], Array, Array]:
    """Links in an order with parents first; their poses with angles zero and slides at travel."""
    count = len(attachments)
    Rs_WL, ps_WL = np.tile(np.eye(3), (count, 1, 1)), np.zeros((count, 3))
    order = [0]
    for link in order:
        for a in attachments[link]:
            if a.kind is Kind.JOINT and not model.joints[a.joint].is_cut:
                child = model.joints[a.joint].child
                Rs_WL[child] = Rs_WL[link] @ a.R_LA
                p_LA = a.p_LA + travels.get(a.joint, 0.0) * a.z_LA
                ps_WL[child] = ps_WL[link] + Rs_WL[link] @ p_LA
                order.append(child)
    return order, Rs_WL, ps_WL


def _sizes(
    model: ModelLike,
    attachments: list[list[Attachment]],
    travels: Mapping[int, float],
    places: set[int],
) -> tuple[float, dict[int, float]]:
    """Typical distance between attachments, and a travel for every sliding joint [m]."""
    bridged = [a.p_LA for own in attachments for a in own if a.joint not in places]
    lengths = [float(np.linalg.norm(p_LA)) for p_LA in bridged]
    lengths += [abs(travel) for travel in travels.values()]
    longest = max(lengths, default=0.0)
    if longest <= 0.0:
        unit = 1.0
    else:
        seen = [length for length in lengths if length > proportion.SEEN_LENGTH * longest]
        # A few long bars must not make the joints of many short ones huge, nor the reverse.
        unit = float(
            np.clip(
                np.median(seen), proportion.LEAST_UNIT * longest, proportion.MOST_UNIT * longest
            )
        )
    known = {
        index: float(travels.get(index, unit))
        for index, joint in enumerate(model.joints)
        if joint.type.info.slides_along_axis
    }
    return unit, known


def _find_plane(
    model: ModelLike,
    attachments: list[list[Attachment]],
    Rs_WL: Array,
    ps_WL: Array,
    unit: float,
) -> Plane | None:
    """The common plane of all joints, if they share one."""
    axes: list[tuple[JointType, Array]] = []
    points: list[Array] = []
    for link, own in enumerate(attachments):
        for a in own:
            points.append(ps_WL[link] + Rs_WL[link] @ a.p_LA)
            if a.joint >= 0:
                axes.append((model.joints[a.joint].type, Rs_WL[link] @ a.z_LA))
    turning = [z for kind, z in axes if kind.info.turns_about_axis]
    if not turning or any(not kind.info.fits_plane for kind, _ in axes):
        return None
    normal = turning[0]
    for kind, z in axes:
        along = abs(float(z @ normal))
        wanted = 0.0 if kind.info.is_slide else 1.0
        if kind.info.moves and abs(along - wanted) > 1e-6:
            return None
    heights = np.array(points) @ normal
    if float(np.ptp(heights)) > proportion.FLAT_HEIGHT * unit:
        return None
    # Of the two normals take the one that a viewer in front or above would see.
    if normal[2] < -1e-9 or (abs(normal[2]) <= 1e-9 and normal[1] > 1e-9):
        normal, heights = -normal, -heights
    return Plane(np.round(normal, 12), float(np.median(heights)))


def _limbs(
    model: ModelLike, attachments: list[list[Attachment]], order: list[int]
) -> tuple[list[int], list[int]]:
    """Colour index and tone of every link: one index per limb, 0 for ground and platforms."""
    count = len(attachments)
    touching: list[set[int]] = [set() for _ in range(count)]
    for joint in model.joints:
        touching[joint.parent].add(joint.child)
        touching[joint.child].add(joint.parent)

    def is_platform(link: int) -> bool:
        return len(model.loops) > 1 and len(touching[link]) > 2 and 0 not in touching[link]

    branch, tone, used = [0] * count, [0] * count, 0
    for link in order:
        continued = link == 0 or is_platform(link)
        for a in attachments[link]:
            if a.kind is not Kind.JOINT or model.joints[a.joint].is_cut:
                continue
            child = model.joints[a.joint].child
            rigid = not model.joints[a.joint].type.info.moves
            tone[child] = tone[link] if rigid else 1 - tone[link]
            if is_platform(child):
                continue
            if continued and not (rigid and link != 0):
                used += 1
                branch[child] = used
            else:
                branch[child], continued = branch[link], True
    return branch, tone


def _weights(
    model: ModelLike,
    attachments: list[list[Attachment]],
    order: list[int],
    travels: Mapping[int, float],
    places: set[int],
) -> list[float]:
    """How far each link still reaches beyond its own joint, as a part of the whole reach."""
    reach = [0.0] * len(attachments)
    for link in reversed(order):
        for a in attachments[link]:
            length = abs(travels.get(a.joint, 0.0))
            if a.joint not in places:
                length += float(np.linalg.norm(a.p_LA))
            if a.kind is Kind.JOINT and not model.joints[a.joint].is_cut:
                length += reach[model.joints[a.joint].child]
            reach[link] = max(reach[link], length)
    # The limbs of a closed mechanism are all alike: there a taper would look like a mistake.
    longest = max(reach)
    if model.loops or longest <= 0.0:
        return [proportion.EVEN_WEIGHT] * len(attachments)
    return [length / longest for length in reach]
