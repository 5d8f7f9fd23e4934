"""The parts list of a mechanism: every part with its holes and mass, every joint with its pin."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import combinations, pairwise
from typing import Any

from kinegen.errors import FormatError
from kinegen.formats.workshop.flat.assembly import FlatAssembly, flat_assembly
from kinegen.formats.workshop.flat.part import FlatPart, Hole
from kinegen.formats.workshop.materials import Material, material_named
from kinegen.formats.workshop.placement_length import placement_length, placements_of
from kinegen.formats.workshop.sizes import Sizes, plain_mm
from kinegen.formats.workshop.solid.assembly import is_planar, solid_assembly
from kinegen.formats.workshop.solid.hardware import screw_size
from kinegen.formats.workshop.solid.part import SolidPart
from kinegen.formats.workshop.solid.printing import printed_parts
from kinegen.kinematics.configurations import Configuration
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.results import Columns, Result

__all__ = ["HoleDistance", "JointRow", "PartRow", "PartsList", "parts_list"]


@dataclass(frozen=True, slots=True)
class HoleDistance:
    """How far two holes of a part are apart."""

    first: str
    second: str
    """Joints or frames of the two holes."""
    formula: str | None
    """As the file gives it; None where several numbers of it do."""
    value: float
    """[m]"""

    def __str__(self) -> str:
        """For people: ``A–B: crank = 150 mm``."""
        exact = f"{self.formula} = " if self.formula is not None else ""
        return f"{self.first}–{self.second}: {exact}{plain_mm(self.value)} mm"


@dataclass(frozen=True, slots=True)
class PartRow:
    """A part, or several equal ones."""

    names: tuple[str, ...]
    kind: str
    holes: tuple[HoleDistance, ...]
    size: tuple[float, ...]
    """Length, width and height of the box around it [m]."""
    level: int | None
    """In the stack of a planar mechanism, that of the first one; None elsewhere."""
    material: str
    density: float
    """[kg/m³]"""
    volume: float | None
    """Of one [m³]; None where it could not be computed."""
    mass: float | None
    """Of one [kg]."""
    mass_in_file: float | None
    """As the mechanism's file gives it [kg]."""
    remark: str = ""

    @property
    def count(self) -> int:
        """How many are needed."""
        return len(self.names)


@dataclass(frozen=True, slots=True)
class JointRow:
    """A joint with what holds it together."""

    names: tuple[str, ...]
    """Joints that share the pin."""
    type: str
    parts: tuple[str, ...]
    """That it connects, from the lowest to the highest."""
    pin: float | None
    """Diameter of its pin [m]; None where it has none."""
    hole: float | None
    """Diameter of its holes [m]."""
    length: float | None
    """What the pin clamps [m]."""
    count: int
    """Pins that it needs."""

    @property
    def screw(self) -> str:
        """The screw or pin to take."""
        if self.pin is None or self.length is None:
            return ""
        return screw_size(self.pin, self.length)


@dataclass(frozen=True, slots=True)
class PartsList(Result):
    """Parts and joints of a mechanism [m, kg]."""

    mechanism: str
    parts: tuple[PartRow, ...]
    joints: tuple[JointRow, ...]
    notes: tuple[str, ...]

    @property
    def mass(self) -> float | None:
        """Total mass of all parts [kg]; None if one is not known."""
        masses = [row.mass for row in self.parts]
        if any(mass is None for mass in masses):
            return None
        return sum(row.count * row.mass for row in self.parts if row.mass is not None)

    def to_dict(self) -> dict[str, Any]:
        """All fields, with the units of their numbers."""
        units = {"length": "m", "volume": "m³", "mass": "kg", "density": "kg/m³"}
        plain = Result.to_dict(self)
        for row, own in zip(plain["joints"], self.joints, strict=True):
            row["screw"] = own.screw
        for row, part in zip(plain["parts"], self.parts, strict=True):
            row["count"] = part.count
        return {"units": units, **plain, "mass": self.mass}

    def columns(self) -> Columns:
        """One row per kind of part [mm, g]."""
        rows = self.parts
        return {
            "part": [", ".join(row.names) for row in rows],
            "kind": [row.kind for row in rows],
            "count": [row.count for row in rows],
            "holes": ["; ".join(map(str, row.holes)) for row in rows],
            "size [mm]": [" × ".join(plain_mm(side) for side in row.size) for row in rows],
            "level": ["" if row.level is None else row.level for row in rows],
            "material": [row.material for row in rows],
            "density [kg/m³]": [row.density for row in rows],
            "mass [g]": ["" if row.mass is None else round(1000 * row.mass, 4) for row in rows],
            "mass in the file [g]": [
                "" if row.mass_in_file is None else round(1000 * row.mass_in_file, 4)
                for row in rows
            ],
            "remark": [row.remark for row in rows],
        }

    def joint_columns(self) -> Columns:
        """One row per pin, or joint without one [mm]."""
        rows = self.joints
        return {
            "joint": [", ".join(row.names) for row in rows],
            "type": [row.type for row in rows],
            "parts, from below": [", ".join(row.parts) for row in rows],
            "pins": [row.count for row in rows],
            "pin [mm]": ["" if row.pin is None else plain_mm(row.pin) for row in rows],
            "hole [mm]": ["" if row.hole is None else plain_mm(row.hole) for row in rows],
            "screw": [row.screw for row in rows],
        }


def parts_list(
    model: AnyModel,
    q: Configuration = None,
    *,
    sizes: Sizes | None = None,
    material: str | Material = "acrylic",
    frames: str = "mark",
) -> PartsList:
    """The parts of a mechanism with their lengths and masses, and its joints with their pins.

    Args:
        model: The mechanism or its model.
        q: The pose in which parts are placed; default: the file's start.
        sizes: Of bars, holes and clearances.
        material: Of parts whose density is not in the file.
        frames: Whether flat parts reach out to named frames: 'mark', 'hole' or 'no'.
    """
    model = model_of(model)
    made_of = material_named(material) if isinstance(material, str) else material
    if is_planar(model, q):
        assembly = flat_assembly(model, q, sizes=sizes, frames=frames)
        return _flat(model, assembly, made_of)
    return _spatial(model, q, sizes or Sizes(), made_of)


def _flat(model: Model, assembly: FlatAssembly, material: Material) -> PartsList:
    sizes = assembly.sizes

    def row(part: FlatPart, names: tuple[str, ...]) -> PartRow:
        volume = part.volume(sizes)
        density = material.density if part.density is None else part.density
        return PartRow(
            names, part.kind, _distances(part), (*part.size(sizes), sizes.thickness), part.level,
            material.name if part.density is None else "as in the file", density, volume,
            volume * density, part.mass_in_file,
        )  # fmt: skip

    rows = [row(group[0], tuple(one.name for one in group))
            for group in _groups(assembly.parts, _flat_key)]  # fmt: skip
    parts = {part.name: part for part in assembly.parts}
    joints: dict[tuple[str, ...], JointRow] = {}
    for pin in assembly.pins:
        through = sorted({name for name, _ in pin.parts}, key=lambda name: parts[name].level)
        known = joints.get(pin.joints)
        joints[pin.joints] = JointRow(
            pin.joints, pin.type, tuple(through), sizes.hole, sizes.drilled,
            pin.length(parts, sizes), 1 if known is None else known.count + 1,
        )  # fmt: skip
    others = _without_pins(model, {name for names in joints for name in names})
    notes = (*assembly.messages, *_spacers(assembly))
    return PartsList(model.name, tuple(rows), (*joints.values(), *others), notes)


def _spatial(model: Model, q: Configuration, sizes: Sizes, material: Material) -> PartsList:
    assembly = solid_assembly(model, q, sizes=sizes, pins=False)
    notes = list(assembly.messages)
    meshes = {}
    try:
        printed, notes = printed_parts(assembly)
        meshes = {one.part.name: one for one in printed}
    except FormatError as error:
        notes.append(f"masses are unknown: {error}")
    rows = []
    for group in _groups(assembly.parts, _solid_key):
        part = group[0]
        mesh = meshes.get(part.name)
        density = material.density if part.density is None else part.density
        volume = None if mesh is None else mesh.mesh.volume
        size: tuple[float, ...] = ()
        if mesh is not None:
            low, high = mesh.bounds
            size = tuple(float(side) / 1000 for side in high - low)
        rows.append(
            PartRow(
                tuple(one.name for one in group), part.kind, _apart(model, part), size, None,
                material.name if part.density is None else "as in the file", density, volume,
                None if volume is None else volume * density, part.mass_in_file, part.remark,
            )
        )  # fmt: skip
    joints = [
        JointRow(
            (joint.name,), joint.type.value,
            (model.link_names[joint.parent], model.link_names[joint.child]),
            sizes.hole, sizes.drilled, 2 * sizes.thickness + sizes.spacer, 1,
        )
        for joint in model.joints
        if joint.type.info.is_hinge
    ]  # fmt: skip
    others = _without_pins(model, {row.names[0] for row in joints})
    return PartsList(model.name, tuple(rows), (*joints, *others), tuple(notes))


def _without_pins(model: Model, known: set[str]) -> list[JointRow]:
    """Joints that move and have no pin: balls, slides in space."""
    return [
        JointRow(
            (joint.name,), joint.type.value,
            (model.link_names[joint.parent], model.link_names[joint.child]), None, None, None, 0,
        )
        for joint in model.joints
        if joint.name not in known and joint.type.info.moves
    ]  # fmt: skip


def _distances(part: FlatPart) -> tuple[HoleDistance, ...]:
    """Of all pairs of holes; the file's own number where one says it."""
    holes = list(part.holes) + [Hole(mark.at, (), frame=mark.name) for mark in part.marks]
    found = []
    for one, other in combinations(holes, 2):
        formula = None
        if one.of_origin:
            formula = other.formula
        elif other.of_origin:
            formula = one.formula
        first, second = (", ".join(hole.joints) or hole.frame for hole in (one, other))
        found.append(HoleDistance(first, second, formula, math.dist(one.at, other.at)))
    return tuple(found)


def _apart(model: Model, part: SolidPart) -> tuple[HoleDistance, ...]:
    """The same for the joints of a part in space: from origin to origin."""
    values = dict(model.parameters)
    found = []
    for (one, a), (other, b) in combinations(part.places, 2):
        distance = math.dist(a, b)
        formula = None
        for name, place in ((one, b), (other, a)):
            if math.hypot(*place) < 1e-12:
                for placement in placements_of(model.compiled_from, name):
                    formula = formula or placement_length(placement, distance, values)
        found.append(HoleDistance(one, other, formula, distance))
    return tuple(found)


def _spacers(assembly: FlatAssembly) -> list[str]:
    """Where a pin passes a level without a part of its own: what keeps the others apart."""
    parts = {part.name: part for part in assembly.parts}
    notes = []
    for pin in assembly.pins:
        levels = sorted({parts[name].level for name, _ in pin.parts})
        for low, high in pairwise(levels):
            if high > low + 1:
                gap = (high - low) * assembly.sizes.step - assembly.sizes.thickness
                notes.append(
                    f"the pin of '{pin.name}' needs a spacer of {plain_mm(gap)} mm between levels "
                    f"{low} and {high}"
                )
    return list(dict.fromkeys(notes))


def _groups(parts: Sequence[Any], key: Callable[[Any], Any]) -> list[list[Any]]:
    """Equal parts together, in the order of the first ones."""
    found: dict[Any, list[Any]] = {}
    for part in parts:
        found.setdefault(key(part), []).append(part)
    return list(found.values())


def _flat_key(part: FlatPart) -> Any:
    """What two flat parts have in common if one fits on the other, turned or flipped."""
    holes = [hole.at for hole in part.holes]
    ends = [end for slot in part.slots for end in (slot.start, slot.end)]
    marks = [mark.at for mark in part.marks]
    every = [(at, "hole") for at in holes] + [(at, "slot") for at in ends]
    every += [(at, "mark") for at in marks]
    pairs = sorted(
        (round(math.dist(a, b), 9), *sorted((kind, other)))
        for (a, kind), (b, other) in combinations(every, 2)
    )
    return part.is_ground, len(holes), len(ends), len(marks), tuple(pairs), part.density


def _solid_key(part: SolidPart) -> Any:
    """What two solid parts have in common if they are made of the same bodies."""
    bodies = (part.added, part.kept_out, part.bodies, part.cut)
    return part.kind, part.density, _rounded(bodies)


def _rounded(value: Any) -> Any:
    """Numbers without the last digits; colours of bodies do not count."""
    if isinstance(value, float):
        return round(value, 9) + 0.0
    if isinstance(value, tuple):
        return tuple(_rounded(one) for one in value)
    if is_dataclass(value):
        skipped = ("role", "branch", "tone", "color")
        names = [field.name for field in fields(value) if field.name not in skipped]
        return (type(value).__name__, *(_rounded(getattr(value, name)) for name in names))
    return value
