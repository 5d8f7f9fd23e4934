"""Outline: a mechanism in one pose as other programs describe robots, ready to be written.

The mirror of ``robots/robot.py``, which readers fill. A writer turns it into the text of its
format; what a format cannot hold it adds to ``notes``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from kinegen.formats.robots.transform import (
    IDENTITY,
    Transform,
    Vector,
    compose,
    from_quat,
    from_rpy,
)
from kinegen.joint_types import JointTraits, JointType
from kinegen.mechanism.shapes.shapes import Primitive

__all__ = [
    "OutCoupling",
    "OutFrame",
    "OutJoint",
    "OutLink",
    "OutLoop",
    "OutShape",
    "OutSpring",
    "OutVariable",
    "Outline",
    "Step",
]

Quat = tuple[float, float, float, float]
_AXES: dict[str, Vector] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True, slots=True)
class OutShape:
    """A solid S on a link."""

    solid: Primitive
    """Its kind and sizes; its own placement is not used."""
    X_LS: Transform
    color: str
    """``#rrggbb``"""

    @property
    def rgb(self) -> Vector:
        """Red, green and blue, each from 0 to 1."""
        red, green, blue = (round(int(self.color[i : i + 2], 16) / 255, 4) for i in (1, 3, 5))
        return red, green, blue


@dataclass(slots=True)
class OutLink:
    """A rigid part with its mass."""

    name: str
    mass: float = 0.0
    """[kg]"""
    centre: Vector = (0.0, 0.0, 0.0)
    """[m]"""
    inertia: tuple[float, ...] = (0.0,) * 6
    """xx yy zz xy xz yz about the centre, link axes [kg m²]."""
    shapes: tuple[OutShape, ...] = ()
    X_WL: Transform = IDENTITY
    """In the pose that is written."""
    is_object: bool = False
    """Whether it is an object of the scene."""
    friction: float | None = None
    """Coefficient of sliding friction; None: unknown."""


@dataclass(frozen=True, slots=True)
class OutVariable:
    """One variable of a joint [rad, m, N m, N]."""

    name: str
    slides: bool
    axis: str
    value: float = 0.0
    """In the pose that is written; 0 for the turns of a quaternion."""
    lower: float = -math.inf
    upper: float = math.inf
    effort: float = math.inf
    speed: float = math.inf
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    armature: float = 0.0
    """Rotor and gear, seen from the joint [kg m², kg]."""
    gear: float = 1.0
    has_motor: bool = False
    kp: float | None = None
    kd: float | None = None

    @property
    def has_limits(self) -> bool:
        """Whether it stops anywhere."""
        return math.isfinite(self.lower) or math.isfinite(self.upper)


@dataclass(frozen=True, slots=True)
class Step:
    """One motion of a joint: a hinge or a slide about or along an axis, or a ball."""

    kind: str
    """hinge, slide, ball, or free where a file has such"""
    axis: Vector
    variable: OutVariable | None
    """None for the advance of a screw, which follows the turn."""
    X: Transform
    """The motion in the pose that is written."""
    name: str
    """Of the joint that it becomes, where each step becomes one."""


@dataclass(slots=True)
class OutJoint:
    """A joint between two links: ``X_PF X_FM(q) X_MB`` is the child's pose in its parent."""

    name: str
    type: JointType
    parent: str
    child: str
    X_PF: Transform
    X_MB: Transform = IDENTITY
    variables: tuple[OutVariable, ...] = ()
    quat: Quat | None = None
    """Of a joint that has one, in the pose that is written."""
    lead: float = 0.0
    """Of a screw: advance per radian [m]."""
    swing: float = math.inf
    """Of a spherical joint: how far its z may swing [rad]."""
    raff: str = ""
    """Its name in the mechanism."""

    @property
    def info(self) -> JointTraits:
        """Traits of its type."""
        return self.type.info

    def steps(self) -> list[Step]:
        """The single motions that it consists of, from the parent to the child."""
        made = []
        quat = self.quat
        for one in self.variables:
            if quat is not None and not one.slides:
                continue
            name = self.name if len(self.variables) == 1 else f"{self.name}_{one.name}"
            if self.lead:
                name = self.name
            X = _slide(one.axis, one.value) if one.slides else _turn(one.axis, one.value)
            made.append(Step("slide" if one.slides else "hinge", _AXES[one.axis], one, X, name))
        if quat is not None:
            first = next(one for one in self.variables if not one.slides)
            name = f"{self.name}_turn" if made else self.name
            X = from_quat((0.0, 0.0, 0.0), quat)
            made.append(Step("ball", _AXES["z"], first, X, name))
        if self.lead:
            X = _slide("z", self.lead * self.variables[0].value)
            made.append(Step("slide", _AXES["z"], None, X, f"{self.name}_advance"))
        return made

    @property
    def X_FM(self) -> Transform:
        """Its motion in the pose that is written."""
        X = IDENTITY
        for step in self.steps():
            X = compose(X, step.X)
        return X


@dataclass(slots=True)
class OutLoop(OutJoint):
    """A joint that closes a loop: its frame M lies at K on the link it lands on, ``child``."""

    X_CK: Transform = IDENTITY
    """K on the child; ``X_MB`` is not used."""


@dataclass(frozen=True, slots=True)
class OutFrame:
    """A named place on a link."""

    name: str
    link: str
    X_LF: Transform
    joint: str = ""
    """Name of the fixed joint that holds it in files that have such."""


@dataclass(frozen=True, slots=True)
class OutSpring:
    """A spring and damper between two points."""

    name: str
    links: tuple[str, str]
    points: tuple[Vector, Vector]
    """Each in its link's frame [m]."""
    stiffness: float
    damping: float
    rest: float


@dataclass(frozen=True, slots=True)
class OutCoupling:
    """A relation between joint variables: the sum of factors times variables is constant."""

    name: str
    text: str
    """What it is, for a sentence."""
    terms: tuple[tuple[float, OutJoint, OutVariable], ...]
    """Factor, joint and variable of each; the variable that follows is the first."""
    constant: float
    """What the sum is [rad, m]."""
    is_linear: bool
    """Whether the factors are the same in every pose."""
    polynomial: tuple[float, ...] = ()
    """Of a cam that is one of degree 4 at most: the change of the first variable from this pose, as
    factors of the powers 0 to 4 of the change of the second."""

    @property
    def ratio(self) -> float:
        """Of two variables: change of the first per change of the second."""
        return -self.terms[1][0] / self.terms[0][0]

    @property
    def offset(self) -> float:
        """Of two variables: the first where the second is 0."""
        return self.constant / self.terms[0][0]


@dataclass(slots=True)
class Outline:
    """A mechanism in one pose."""

    name: str
    title: str
    gravity: Vector
    root: OutLink
    """The ground, whose frame is the world's but for ``X_WL``."""
    links: dict[str, OutLink] = field(default_factory=dict)
    """All but the root, each after the link that carries it."""
    joints: dict[str, OutJoint] = field(default_factory=dict)
    """Of the tree, by the link that they carry, in the order of ``links``."""
    loops: list[OutLoop] = field(default_factory=list)
    frames: list[OutFrame] = field(default_factory=list)
    springs: list[OutSpring] = field(default_factory=list)
    objects: list[OutLink] = field(default_factory=list)
    """Objects of the scene that never move; ``X_WL`` is where they are."""
    notes: list[str] = field(default_factory=list)
    """What the file does not say, or says in another way, by name."""
    size: float = 1.0
    """Of the mechanism [m]."""
    is_open: bool = False
    """Whether its loops do not meet in the pose that is written."""
    fastest: float = 0.0
    """How fast springs, dampers and servos act at most, each alone [rad/s]."""
    couplings: list[OutCoupling] = field(default_factory=list)

    def mimics(self) -> dict[int, OutCoupling]:
        """Relations of two variables of the tree, by the identity of the one that follows.

        Each variable follows one other at most, so in each group of coupled variables one leads
        and the relations are turned away from it; a relation that closes a circle is left out.
        """
        cut = {loop.name for loop in self.loops}
        pairs = [
            one
            for one in self.couplings
            if one.is_linear
            and len(one.terms) == 2
            and not any(joint.name in cut for _, joint, _ in one.terms)
        ]
        found: dict[int, OutCoupling] = {}
        for group in _groups(pairs):
            reached = [id(_leader(group))]
            for at in reached:  # grows
                for one in group:
                    follower, other = (id(variable) for _, _, variable in one.terms)
                    if at == follower and other not in reached:
                        found[other] = replace(one, terms=one.terms[::-1])
                        reached.append(other)
                    elif at == other and follower not in reached:
                        found[follower] = one
                        reached.append(follower)
        return found

    def leave_out_couplings(self, kept: Collection[str]) -> None:
        """Add a note for each coupling that a file does not hold."""
        notes = (f"{one.text} is left out" for one in self.couplings if one.name not in kept)
        self.notes += dict.fromkeys(notes)  # both coordinates of a curve are one sentence

    def link(self, name: str) -> OutLink:
        """A link by name, the root included."""
        return self.root if name == self.root.name else self.links[name]

    def all_links(self) -> Iterator[OutLink]:
        """The root and all others."""
        yield self.root
        yield from self.links.values()

    def outboard(self, link: str) -> Iterator[OutJoint]:
        """Joints that sit on a link."""
        return (joint for joint in self.joints.values() if joint.parent == link)

    def note(self, names: list[str], one: str, several: str) -> None:
        """Add a note about some parts, unless there are none: names go where ``{}`` is."""
        if names:
            listed = ", ".join(f"'{name}'" for name in names)
            self.notes.append((one if len(names) == 1 else several).replace("{}", listed))


def _groups(pairs: list[OutCoupling]) -> list[list[OutCoupling]]:
    """Relations of two variables, those together that share variables."""
    groups: list[tuple[set[int], list[OutCoupling]]] = []
    for one in pairs:
        ends = {id(variable) for _, _, variable in one.terms}
        met = [group for group in groups if ends & group[0]]
        groups = [group for group in groups if not ends & group[0]]
        variables = ends.union(*(group[0] for group in met))
        groups.append((variables, [*(pair for group in met for pair in group[1]), one]))
    return [group for _, group in groups]


def _leader(group: list[OutCoupling]) -> OutVariable:
    """The variable that the others follow: the only motor, else one that follows no other."""
    variables = {id(variable): variable for one in group for _, _, variable in one.terms}
    followers = {id(one.terms[0][2]) for one in group}
    driven = [variable for variable in variables.values() if variable.has_motor]
    free = [variable for key, variable in variables.items() if key not in followers]
    if len(driven) == 1:
        return driven[0]
    return (free or driven or list(variables.values()))[0]


def _turn(axis: str, angle: float) -> Transform:
    rpy = {"x": (angle, 0.0, 0.0), "y": (0.0, angle, 0.0), "z": (0.0, 0.0, angle)}[axis]
    return from_rpy((0.0, 0.0, 0.0), rpy)


def _slide(axis: str, length: float) -> Transform:
    x, y, z = (length * one for one in _AXES[axis])
    return from_rpy((x, y, z), (0.0, 0.0, 0.0))
