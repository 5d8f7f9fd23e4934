"""Checked rows of a RAFF reading as parts of a mechanism: joints, guides, couplings, frames."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

from kinegen.joint_types import JointType
from kinegen.mechanism.couplings.guide_curves import GuideCurve, curve_couplings, guide_curve
from kinegen.mechanism.couplings.guides import guide_joints
from kinegen.mechanism.graph import (
    BASE,
    PLACEMENT_KEYS,
    Closure,
    Coupling,
    CouplingKind,
    Follows,
    Frame,
    Joint,
    LinkProperties,
    Placement,
    PlacementKind,
)
from kinegen.raff.axis import axis_turn
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.records import Row
from kinegen.raff.sections.coupling import CAM_VARIABLE
from kinegen.raff.sections.guide import CURVE_VARIABLE
from kinegen.raff.sections.joint import DEFAULT_TYPE
from kinegen.raff.sections.kinds import Axis, Either, Kind, ListOf, Maybe, Reference, Section

__all__ = ["RowBuilder"]

_ZERO, _ONE = Formula.constant(0.0), Formula.constant(1.0)
_SIX = PLACEMENT_KEYS[PlacementKind.KLEINFINGER]


class RowBuilder:
    """Makes parts of the rows of one file, its names prefixed."""

    def __init__(
        self,
        values: Mapping[str, float],
        prefix: str = "",
        folder: str = "",
        home: str = "",
    ) -> None:
        self.values = values
        self.prefix = prefix
        self.base = BASE
        """Name of this file's base."""
        self.folder = folder
        """Where this file is."""
        self.home = home
        """Where the outermost file is: mesh names become relative to it."""

    def name(self, name: str) -> str:
        """A name of this file as the mechanism knows it; its base is the robot's own link."""
        if not self.prefix:
            return name
        return self.prefix if name == self.base else f"{self.prefix}.{name}"

    def formula(self, formula: Formula) -> Formula:
        """A formula of this file, its parameters named as the mechanism knows them."""
        return formula.renamed(self.name) if self.prefix and formula.names else formula

    def frame(self, row: Row) -> Frame:
        """The frame of a row."""
        return Frame(
            self.name(row.values["name"]),
            self.name(row.values["parent"]),
            self.placement(row.values),
            row.values.get("note"),
            bool(row.values.get("link", False)),
            row.values.get("joint"),
            row.values.get("called"),
        )

    def guide(self, row: Row) -> tuple[list[Joint], list[Coupling]]:
        """The joints and couplings that a guide stands for."""
        values, point = row.values, row.values["point"].values
        plain = ("type", "pin", "color", "note")
        keys: dict[str, Any] = {key: values[key] for key in plain if key in values}
        keys["onto"] = self.name(point.get("frame") or point.get("link", self.base))
        keys["point"] = self.placement({"xyz": (_ZERO,) * 3, **point})
        for key in ("start", "limits", "size", "radius"):
            if key in values:
                given = values[key]
                is_list = isinstance(given, list)
                keys[key] = [self.formula(one) for one in given] if is_list else self.formula(given)
        if "turn" in values:
            turn = values["turn"]
            kind = JointType.SPHERICAL if isinstance(turn, list) else JointType.REVOLUTE
            keys["turn"] = self.start(kind, turn)
        parent, name = self.name(values["parent"]), self.name(values["name"])
        curve = self.curve(values["curve"].values) if "curve" in values else None
        if curve is not None:
            keys["curve"] = curve
        joints = guide_joints(name, parent, self.placement(values), keys)
        return joints, [] if curve is None else curve_couplings(name, curve)

    def curve(self, keys: Mapping[str, Any]) -> GuideCurve:
        """The curve of a guide."""
        made = {key: keys[key] for key in ("u", "closed") if key in keys}
        for key in ("x", "y", "z"):
            if key in keys:  # u is no parameter: a cam calls it x
                made[key] = keys[key].renamed(
                    lambda n: CAM_VARIABLE if n == CURVE_VARIABLE else self.name(n)
                )
        for key in ("points", "bezier"):
            if key in keys:
                made[key] = [[self.formula(number) for number in place] for place in keys[key]]
        return guide_curve(made)

    def joint(self, row: Row) -> Joint:
        """The joint of a row."""
        keys = row.values
        joint_type = JointType(keys.get("type", DEFAULT_TYPE))
        joint = Joint(
            self.name(keys["name"]), joint_type, self.name(keys["parent"]), self.placement(keys)
        )
        if "closes" in keys:
            target = keys["closes"].values
            joint.closes = Closure(self.name(target["onto"]), self.placement(target))
        if "pitch" in keys:
            joint.pitch = self.formula(keys["pitch"])
        if "limits" in keys and keys["limits"] is not None:
            joint.limits = self.limits(joint_type, keys["limits"])
        if "start" in keys:
            joint.start = self.start(joint_type, keys["start"])
        if "motor" in keys:
            joint.motors = self.motors(joint_type, keys["motor"])
        if "friction" in keys:
            friction = keys["friction"]
            joint.friction = (
                self.formulas(friction.values)
                if isinstance(friction, Row)
                else {"viscous": self.formula(friction)}
            )
        if "spring" in keys:
            joint.spring = self.formulas(keys["spring"].values)
        if "backlash" in keys:
            joint.backlash = self.formula(keys["backlash"])
        if "armature" in keys:
            joint.armature = self.formula(keys["armature"])
        if "follows" in keys:
            joint.follows = self.follows(keys["follows"].values)
        joint.link = self.link(keys)
        joint.called = keys.get("called")
        joint.note = keys.get("note")
        return joint

    def follows(self, keys: Mapping[str, Any]) -> Follows:
        """What a joint follows."""
        ratio, offset = keys.get("ratio", _ONE), keys.get("offset", _ZERO)
        leader = self.name(keys["joint"])
        return Follows(leader, self.formula(ratio), self.formula(offset), keys.get("variable"))

    def coupling(self, row: Row) -> Coupling:
        """The coupling of a row."""
        keys = row.values
        kind = next(one for one in CouplingKind if one.value in keys)
        named = keys[kind.value]
        if kind is CouplingKind.RELATION:
            members, numbers = list(named.values), tuple(named.values.values())
        elif kind.joins_links:
            members, numbers = named, tuple(keys.get("teeth") or keys["radii"])
        else:
            partner = {"rack": "pinion", "screw": "nut", "cam": "follower"}[kind.value]
            members = [named, keys[partner]]
            if kind is not CouplingKind.RACK:
                members.reverse()  # what slides or follows comes first
            size = keys.get("radius") or keys.get("lead")
            numbers = () if size is None else (size,)
        measures = ("relation", "teeth", "radii", "radius", "lead")
        profile = keys.get("profile")
        if isinstance(profile, Formula):
            # the cam's variable is no parameter: it keeps its name
            profile = profile.renamed(lambda n: n if n == CAM_VARIABLE else self.name(n))
        elif profile is not None:
            profile = tuple((self.formula(x), self.formula(y)) for x, y in profile)
        return Coupling(
            self.name(keys["name"]),
            kind,
            tuple(map(self.name, members)),
            tuple(map(self.formula, numbers)),
            next((one for one in measures if one in keys), ""),
            self.formula(keys["module"]) if "module" in keys else None,
            keys.get("internal", False),
            keys.get("crossed", False),
            self.name(keys["carrier"]) if "carrier" in keys else None,
            profile,
            self.formula(keys["offset"]) if "offset" in keys else None,
            keys.get("note"),
        )

    def formulas(self, keys: Mapping[str, Any]) -> dict[str, Any]:
        """Keys with their formulas, as plain mappings."""
        return {
            key: self.formula(value)
            if isinstance(value, Formula)
            else self.formulas(value.values)
            if isinstance(value, Row)
            else value
            for key, value in keys.items()
        }

    def placement(self, keys: Mapping[str, Any]) -> Placement:
        """The placement among a row's keys."""
        if "xyz" in keys or "rpy" in keys or "axis" in keys:
            zeros = (_ZERO,) * 3
            turn = axis_turn(keys["axis"]) if "axis" in keys else keys.get("rpy", zeros)
            six = (*keys.get("xyz", zeros), *turn)
            return Placement(PlacementKind.POSE, tuple(map(self.formula, six)))  # type: ignore[arg-type]
        get = keys.get
        gamma, b, alpha, d, theta, r = _SIX
        numbers = (
            get(gamma, _ZERO),
            get(b, _ZERO),
            get(alpha, _ZERO),
            get(d, _ZERO),
            get(theta, _ZERO),
            get(r, _ZERO),
        )
        if self.prefix:
            numbers = tuple(map(self.formula, numbers))  # type: ignore[assignment]
        return Placement(PlacementKind.KLEINFINGER, numbers)

    def limits(self, kind: JointType, limits: Any) -> tuple[tuple[Formula, Formula] | None, ...]:
        """The limits of each variable of a joint."""
        if kind.info.swings:
            return ((_ZERO, self.formula(limits)),)
        pairs = [limits] if kind.info.nv == 1 else limits
        return tuple(
            pair if pair is None else (self.formula(pair[0]), self.formula(pair[1]))
            for pair in pairs
        )

    def start(self, kind: JointType, start: Any) -> tuple[Formula, ...]:
        """The numbers of q with which a joint starts."""
        if kind.info.floats:
            keys = start.values
            turn = self.turn(keys["rpy"]) if "rpy" in keys else self.quaternion(keys.get("quat"))
            return (*turn, *map(self.formula, keys.get("xyz", (_ZERO,) * 3)))
        if kind.info.is_ball:
            return self.turn(start) if len(start) == 3 else self.quaternion(start)
        return tuple(map(self.formula, start if isinstance(start, list) else [start]))

    def turn(self, rpy: list[Formula]) -> tuple[Formula, ...]:
        """The quaternion wxyz of constant roll, pitch, yaw."""
        angles = [formula.value or 0.0 for formula in rpy]
        (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a / 2), math.sin(a / 2)) for a in angles)
        numbers = (
            cy * cp * cr + sy * sp * sr,
            cy * cp * sr - sy * sp * cr,
            cy * sp * cr + sy * cp * sr,
            sy * cp * cr - cy * sp * sr,
        )
        return tuple(Formula.constant(number) for number in numbers)

    def quaternion(self, numbers: list[Formula] | None) -> tuple[Formula, ...]:
        """A quaternion wxyz; one given in rounded decimals is brought to length 1."""
        if numbers is None:
            return (Formula.constant(1.0), _ZERO, _ZERO, _ZERO)
        constants = [formula.value for formula in numbers if formula.value is not None]
        length = math.sqrt(sum(value * value for value in constants))
        if len(constants) < 4 or abs(length - 1) < 1e-12:
            return tuple(map(self.formula, numbers))
        return tuple(Formula.constant(value / length) for value in constants)

    def motors(self, kind: JointType, motor: Any) -> tuple[Mapping[str, Any] | None, ...]:
        """The motor of each variable of a joint; empty where none has one."""
        motors = motor if isinstance(motor, list) else [motor] * kind.info.nv
        made = tuple(
            self.formulas(one.values) if isinstance(one, Row) else {} if one else None
            for one in motors
        )
        return made if any(one is not None for one in made) else ()

    def link(self, keys: Mapping[str, Any]) -> LinkProperties:
        """The properties of a link among a row's keys."""
        link = LinkProperties(color=keys.get("color"))
        if "mass" in keys:
            link.mass = self.formula(keys["mass"])
        if "density" in keys:
            link.density = self.formula(keys["density"])
        if "centre" in keys:
            link.centre = tuple(map(self.formula, keys["centre"]))  # type: ignore[assignment]
        if "inertia" in keys:
            numbers = [*map(self.formula, keys["inertia"]), _ZERO, _ZERO, _ZERO]
            link.inertia = tuple(numbers[:6])  # type: ignore[assignment]
        if "shape" in keys:
            link.shape = self.shape(keys["shape"])
        if "collision" in keys:
            link.collision = self.shape(keys["collision"])
        if "surface" in keys:
            link.surface = self.formulas(keys["surface"].values)
        return link

    def shape(self, shape: Any) -> Any:
        """A shape as in the file, mesh names relative to the outermost file."""
        if isinstance(shape, list):
            return [self.shape(one) for one in shape]
        if isinstance(shape, str):
            return shape if shape in ("auto", "none") else self.mesh(shape)
        made = {key: self.numbers(value) for key, value in shape.values.items()}
        if "mesh" in made:
            made["mesh"] = self.mesh(made["mesh"])
        return made

    def numbers(self, value: Any) -> Any:
        """Formulas in the file's names, in lists of lists too; all else as it is."""
        if isinstance(value, list):
            return [self.numbers(one) for one in value]
        return self.formula(value) if isinstance(value, Formula) else value

    def mesh(self, file: str) -> str:
        """The name of a mesh file, relative to the outermost file."""
        if not self.prefix or os.path.isabs(file):
            return file
        try:
            folder = os.path.relpath(self.folder or ".", self.home or ".")
        except ValueError:  # another drive
            folder = self.folder
        return os.path.normpath(os.path.join(folder, file)).replace(os.sep, "/")

    def plain(self, value: Any, kind: Kind) -> Any:
        """A value of the scene as plain lists, mappings, text and formulas; names prefixed."""
        match kind:
            case Section(keys=keys):
                return {
                    key: self.shape(inner) if key == "shape" else self.plain(inner, keys[key].kind)
                    for key, inner in value.values.items()
                }
            case ListOf(item=item):
                return [self.plain(one, item) for one in value]
            case Axis():
                return (
                    [self.formula(one) for one in value]
                    if isinstance(value, list)
                    else (value if isinstance(value, str) else self.formula(value))
                )
            case Maybe(kind=inner):
                return value if value is None else self.plain(value, inner)
            case Either(scalar=scalar, listing=listing, mapping=mapping):
                chosen = (
                    listing
                    if isinstance(value, list)
                    else mapping
                    if isinstance(value, Row)
                    else scalar
                )
                return value if chosen is None else self.plain(value, chosen)
            case Reference():
                return self.name(value)
        return self.formula(value) if isinstance(value, Formula) else value
