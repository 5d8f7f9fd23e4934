"""A checked RAFF reading to a Mechanism: rows become joints, included robots are flattened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinegen.errors import Problem
from kinegen.joint_types import JointType
from kinegen.mechanism.build_rows import RowBuilder
from kinegen.mechanism.graph import (
    Frame,
    Joint,
    Mechanism,
    Parameter,
)
from kinegen.raff.reading import Reading
from kinegen.raff.records import Row
from kinegen.raff.sections.file import FILE

__all__ = ["build_frame", "build_joint", "build_mechanism"]

_SCENE = (
    "springs", "objects", "lights", "people", "sensors", "agents", "pulls", "devices", "motions",
)  # fmt: skip


def build_mechanism(reading: Reading, name: str, *, home: str = "") -> Mechanism:
    """The mechanism of a checked reading.

    Args:
        reading: The reading.
        name: Used when the text gives none.
        home: Real folder of the text; mesh files of included robots are named relative to it.
    """
    values = reading.root.values
    mechanism = Mechanism(
        name=values.get("name", name),
        title=values.get("title"),
        description=values.get("description"),
        source=values.get("source"),
        mode=values.get("mode"),
        base_name=reading.names.base,
    )
    builder = _Builder(mechanism, reading.values.values, home=home)
    mechanism.base = builder.link(values["base"].values if "base" in values else {})
    if "gravity" in values:
        mechanism.gravity = tuple(values["gravity"])
    builder.add(reading)
    return mechanism


def build_joint(row: Row, values: Mapping[str, float]) -> Joint:
    """The joint of one checked row; ``values`` are those of the parameters [SI]."""
    return RowBuilder(values).joint(row)


def build_frame(row: Row) -> Frame:
    """The frame of one checked row."""
    return RowBuilder({}).frame(row)


class _Builder(RowBuilder):
    """Adds one reading to a mechanism, its names prefixed."""

    def __init__(
        self,
        mechanism: Mechanism,
        values: Mapping[str, float],
        prefix: str = "",
        folder: str = "",
        home: str = "",
    ) -> None:
        super().__init__(values, prefix, folder, home)
        self.mechanism = mechanism

    def add(self, reading: Reading) -> None:
        """Everything of a reading."""
        root, mechanism = reading.root.values, self.mechanism
        self.base = reading.names.base
        self.add_parameters(root)
        for row in root.get("joints", ()):
            joint = self.joint(row)
            mechanism.joints[joint.name] = joint
        for row in root.get("guides", ()):
            joints, couplings = self.guide(row)
            mechanism.joints.update({joint.name: joint for joint in joints})
            mechanism.couplings.update({coupling.name: coupling for coupling in couplings})
        for row in root.get("frames", ()):
            frame = self.frame(row)
            mechanism.frames[frame.name] = frame
        for row in root.get("couplings", ()):
            coupling = self.coupling(row)
            mechanism.couplings[coupling.name] = coupling
        for row in root.get("robots", ()):
            self.add_robot(row, reading)
        for section in ("world", "wall", "people") if self.prefix else ():
            if root.get(section):
                entry = root[section][0] if section == "people" else root[section]
                line, column = reading.source.position(entry.node.start)
                verb, whose = ("is", "that") if section != "people" else ("are", "those")
                message = (
                    f"the {section} of an included file {verb} not used: only {whose} of the "
                    f"outermost file {verb}"
                )
                self.mechanism.remarks += (Problem(reading.source.file, line, column, message),)
        if "wall" in root and not self.prefix:
            mechanism.wall = self.plain(root["wall"], FILE.keys["wall"].kind)
        if "world" in root and not self.prefix:
            table = root["world"].values
            self.mechanism.world.update(self.plain(root["world"], FILE.keys["world"].kind))
            for key in ("engines", "modes"):
                if key in table:
                    self.mechanism.world[key] = dict(table[key].values)
        for row in root.get("robots", ()):
            if "engine" in row.values:
                engines = self.mechanism.world.setdefault("engines", {})
                engines[self.name(row.values["name"])] = row.values["engine"]
        if "collisions" in root:
            found = self.plain(root["collisions"], FILE.keys["collisions"].kind)
            # what a file says of its own links counts for the robot that it becomes
            if not self.prefix and "self" in found:
                mechanism.collisions["self"] = found["self"]
            pairs = mechanism.collisions.get("except", []) + found.get("except", [])
            mechanism.collisions |= {"except": pairs} if pairs else {}
        for section in _SCENE:
            if section in root and not (section == "people" and self.prefix):
                kind = FILE.keys[section].kind
                entries = self.plain(root[section], kind)
                for entry in entries:
                    entry["name"] = self.name(entry["name"])
                    if self.prefix:
                        self.stand_on_robot(section, entry)
                mechanism.scene.setdefault(section, []).extend(entries)

    def stand_on_robot(self, section: str, entry: dict[str, Any]) -> None:
        """What stands on its own file's base where nothing is said stands on the robot's link."""
        if section == "objects":
            entry["at"] = {"parent": self.prefix, **entry.get("at", {})}
        elif section == "springs":
            for end in (entry["from"], entry["to"]):
                if "frame" not in end and "object" not in end:
                    end.setdefault("link", self.prefix)
        elif section in ("lights", "sensors"):
            entry.setdefault("parent", self.prefix)
        elif section == "agents":
            file, colon, name = str(entry.get("program", "")).rpartition(":")
            if colon and file.endswith(".py"):
                entry["program"] = f"{self.mesh(file)}:{name}"
            if "fmu" in entry:
                entry["fmu"] = self.mesh(entry["fmu"])
            if "command" in entry:
                entry["folder"] = self.mesh(entry.get("folder", "."))

    def add_parameters(self, root: Mapping[str, Any]) -> None:
        table = root.get("parameters")
        for name, value in table.values.items() if table is not None else ():
            keys = value.values if isinstance(value, Row) else {"value": value}
            optional = {key: self.formula(keys[key]) for key in ("min", "max") if key in keys}
            self.mechanism.parameters[self.name(name)] = Parameter(
                self.name(name),
                self.formula(keys["value"]),
                optional.get("min"),
                optional.get("max"),
                keys.get("note"),
            )

    def add_robot(self, row: Row, outer: Reading) -> None:
        """An included robot: its base becomes a fixed link, its parts get its name in front."""
        robot, reading = row.values["name"], outer.robots[row.values["name"]]
        full = self.name(robot)
        at = row.values["at"].values if "at" in row.values else {}
        parent, placement = self.name(at.get("parent", self.base)), self.placement(at)
        mechanism = self.mechanism
        values = reading.values.values
        inner = _Builder(mechanism, values, full, reading.folder, self.home)
        base = reading.root.values.get("base")
        mechanism.joints[full] = Joint(
            full,
            JointType.FIXED,
            parent,
            placement,
            link=inner.link(base.values if base is not None else {}),
            note=row.values.get("note"),
        )
        inner.add(reading)
        overrides = row.values.get("parameters")
        for name, formula in overrides.values.items() if overrides is not None else ():
            mechanism.parameters[inner.name(name)].formula = self.formula(formula)
