"""A mechanism as a fresh RAFF text that a person likes to read: one line per joint, aligned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinegen.mechanism.graph import (
    BASE,
    PLACEMENT_KEYS,
    Coupling,
    CouplingKind,
    Follows,
    Frame,
    Joint,
    LinkProperties,
    Mechanism,
    Parameter,
    Placement,
    PlacementKind,
)
from kinegen.raff.axis import IN_PLANE, axis_word
from kinegen.raff.emit import angle_text, flow_text, name_text, paragraph, scalar_text
from kinegen.raff.formulas.formula import Formula

__all__ = ["joint_cells", "row_text", "wall_lines", "write"]

Cells = dict[str, str]
"""The keys of one row with their values as text."""

_LEADING = ("name", "type", "parent", *PLACEMENT_KEYS[PlacementKind.KLEINFINGER], "xyz", "rpy")
_WIDTH = 100
_ALIGNED = 80
"""Columns are aligned up to here; beyond, the blanks would cost more than they help."""
_SCENE = (
    "springs", "objects", "lights", "people", "sensors", "agents", "pulls", "devices", "motions",
)  # fmt: skip


def write(mechanism: Mechanism) -> str:
    """The RAFF text of a mechanism, written from its graph alone.

    Formulas stay as they were written; zeros and defaults are left out; angles read in
    degrees where that is short and exact. Loading the text gives an equal mechanism. (Parts
    of included robots become ordinary rows with their full names; the dot in the names of
    parameters becomes ``_``.)
    """
    mechanism = _without_dots(mechanism)
    lines = ["raff: 1", f"name: {scalar_text(mechanism.name)}"]
    if mechanism.document is None:  # else they are about its own text
        lines = [*_remarks(mechanism), *lines]
    for key in ("title", "description", "source"):
        text = getattr(mechanism, key)
        if text is not None:
            lines.append(f"{key}: {paragraph(text)}")
    if mechanism.gravity is not None:
        lines.append(f"gravity: {flow_text(mechanism.gravity)}")
    if mechanism.mode is not None:
        lines.append(f'mode: "{mechanism.mode}"')  # a lone '-' would begin a list
    if mechanism.world:
        lines.append(f"world: {flow_text(mechanism.world)}")
    base = {} if mechanism.base_name == BASE else {"name": name_text(mechanism.base_name)}
    base |= _link_cells(mechanism.base)
    if base:
        lines.append(f"base: {row_text(base)}")
    if mechanism.parameters:
        lines += ["", "parameters:"]
        lines += [f"  {p.name}: {_parameter(p)}" for p in mechanism.parameters.values()]
    if mechanism.joints:
        lines += ["", "joints:"]
        lines += _table([joint_cells(joint) for joint in mechanism.joints.values()])
    if mechanism.frames:
        lines += ["", "frames:"]
        lines += _table([_frame_cells(frame) for frame in mechanism.frames.values()])
    if mechanism.couplings:
        lines += ["", "couplings:"]
        lines += _table([_coupling_cells(one) for one in mechanism.couplings.values()])
    if mechanism.collisions:
        lines += ["", f"collisions: {flow_text(mechanism.collisions)}"]
    for section in _SCENE:
        if mechanism.scene.get(section):
            lines += ["", f"{section}:"]
            for entry in mechanism.scene[section]:
                cells = {
                    key: f"{key}: {name_text(value) if key == 'name' else flow_text(value)}"
                    for key, value in entry.items()
                }
                lines.append(_line(cells, {}))
    if mechanism.wall:
        lines += ["", "wall:", *wall_lines(mechanism.wall)]
    return "\n".join(lines) + "\n"


def _remarks(mechanism: Mechanism) -> list[str]:
    """What another format said and RAFF does not, as comments."""
    return ["# " + one.brief.replace("\n", " ") for one in mechanism.remarks]


def wall_lines(wall: Mapping[str, Any]) -> list[str]:
    """The section of a wall: one line per screen and key."""
    lines = []
    for key, value in wall.items():
        if key != "screens":
            lines.append(f"  {key}: {flow_text(value)}")
            continue
        lines.append("  screens:")
        for row in value:
            rest = {key: one for key, one in row.items() if key != "name"}
            name = "" if "name" not in row else f"name: {name_text(str(row['name']))}, "
            lines.append(f"    - {{{name}{flow_text(rest)[1:]}")
    return lines


def row_text(cells: Cells) -> str:
    """A row in flow style."""
    return "{" + ", ".join(f"{key}: {text}" for key, text in cells.items()) + "}"


def joint_cells(joint: Joint) -> Cells:
    """A joint's keys as text, defaults left out."""
    info = joint.type.info
    cells = {"name": name_text(joint.name)}
    if not joint.type.info.is_hinge:
        cells["type"] = joint.type.value
    cells["parent"] = flow_text(joint.parent)
    cells |= _placement_cells(joint.placement, info.has_axis)
    if joint.pitch is not None:
        cells["pitch"] = _number(joint.pitch)
    quantities = [quantity for _, quantity in info.variables]
    if joint.start:
        cells["start"] = _start(joint, quantities)
    if any(joint.limits):
        cells["limits"] = _limits(joint, quantities)
    if joint.has_motor:
        motors = ["none" if motor is None else flow_text(motor or True) for motor in joint.motors]
        cells["motor"] = motors[0] if len(set(motors)) == 1 else _list(motors)
    if joint.friction is not None:
        viscous = set(joint.friction) == {"viscous"}
        cells["friction"] = flow_text(joint.friction["viscous"] if viscous else joint.friction)
    if joint.backlash is not None:
        cells["backlash"] = _number(joint.backlash, quantities[0] if quantities else "")
    if joint.armature is not None:
        cells["armature"] = _number(joint.armature)
    if joint.spring is not None:
        cells["spring"] = flow_text(joint.spring)
    if joint.follows is not None:
        cells["follows"] = _follows(joint.follows, quantities)
    if joint.closes is not None:
        target = {"onto": flow_text(joint.closes.onto)}
        target |= _placement_cells(joint.closes.placement, info.has_axis)
        cells["closes"] = row_text(target)
    cells |= _link_cells(joint.link)
    if joint.called is not None:
        cells["called"] = flow_text(joint.called)
    if joint.note is not None:
        cells["note"] = flow_text(joint.note)
    return cells


def _follows(follows: Follows, quantities: list[str]) -> str:
    cells = {"joint": flow_text(follows.joint)}
    if follows.variable is not None:
        cells["variable"] = follows.variable
    if follows.ratio.value != 1:
        cells["ratio"] = _number(follows.ratio)
    if not _is_zero(follows.offset):
        cells["offset"] = _number(follows.offset, quantities[0] if len(quantities) == 1 else "")
    return row_text(cells)


def _coupling_cells(coupling: Coupling) -> Cells:
    """A coupling's keys as text, defaults left out."""
    kind, members = coupling.kind, coupling.members
    cells = {"name": name_text(coupling.name)}
    if kind is CouplingKind.RELATION:
        numbers = dict(zip(members, coupling.numbers, strict=True))
        cells[kind.value] = flow_text(numbers)
    elif kind.joins_links:
        cells[kind.value] = flow_text(list(members))
        cells[coupling.measured_by] = flow_text(list(coupling.numbers))
    elif kind is CouplingKind.RACK:
        cells |= {"rack": flow_text(members[0]), "pinion": flow_text(members[1])}
    else:
        partner = "nut" if kind is CouplingKind.SCREW else "follower"
        cells |= {kind.value: flow_text(members[1]), partner: flow_text(members[0])}
    if coupling.measured_by in ("radius", "lead"):
        cells[coupling.measured_by] = _number(coupling.numbers[0])
    if coupling.module is not None:
        cells["module"] = _number(coupling.module)
    cells |= {key: "true" for key in ("internal", "crossed") if getattr(coupling, key)}
    if coupling.carrier is not None:
        cells["carrier"] = flow_text(coupling.carrier)
    if isinstance(coupling.profile, Formula):
        cells["profile"] = _number(coupling.profile)
    elif coupling.profile is not None:
        cells["profile"] = flow_text([list(knot) for knot in coupling.profile])
    if coupling.offset is not None:
        cells["offset"] = _number(coupling.offset)
    if coupling.note is not None:
        cells["note"] = flow_text(coupling.note)
    return cells


def _frame_cells(frame: Frame) -> Cells:
    cells = {"name": name_text(frame.name), "parent": flow_text(frame.parent)}
    cells |= _placement_cells(frame.placement)
    if frame.is_link:
        cells["link"] = "true"
    if frame.joint is not None:
        cells["joint"] = flow_text(frame.joint)
    if frame.called is not None:
        cells["called"] = flow_text(frame.called)
    if frame.note is not None:
        cells["note"] = flow_text(frame.note)
    return cells


def _parameter(parameter: Parameter) -> str:
    extra = {"min": parameter.minimum, "max": parameter.maximum, "note": parameter.note}
    given = {key: value for key, value in extra.items() if value is not None}
    if not given:
        return scalar_text(parameter.formula.text)
    return flow_text({"value": parameter.formula, **given})


def _number(formula: Formula, quantity: str = "") -> str:
    return scalar_text(angle_text(formula) if quantity == "angle" else formula.text)


def _is_zero(formula: Formula) -> bool:
    return formula.value == 0


def _list(texts: list[str]) -> str:
    return "[" + ", ".join(texts) + "]"


def _placement_cells(placement: Placement, has_axis: bool = False) -> Cells:
    numbers = placement.numbers
    if placement.kind is PlacementKind.POSE:
        if has_axis and numbers[3:5] == IN_PLANE:
            yaw = numbers[5]
            word = axis_word(yaw.value) if yaw.value is not None else ""
            cells = {"xyz": _list([_number(number) for number in numbers[:3]])}
            if all(map(_is_zero, numbers[:3])):
                cells = {}
            return {**cells, "axis": word or _number(yaw, "angle")}
        cells = {
            "xyz": _list([_number(number) for number in numbers[:3]]),
            "rpy": _list([_number(number, "angle") for number in numbers[3:]]),
        }
        zero = {"xyz": all(map(_is_zero, numbers[:3])), "rpy": all(map(_is_zero, numbers[3:]))}
        # One of them stays even when all is zero: the kind of placement shows in the keys.
        if zero["rpy"]:
            del cells["rpy"]
        elif zero["xyz"]:
            del cells["xyz"]
        return cells
    keys = PLACEMENT_KEYS[PlacementKind.KLEINFINGER]
    return {
        key: _number(number, "angle" if key in ("gamma", "alpha", "theta") else "")
        for key, number in zip(keys, numbers, strict=True)
        if not _is_zero(number)
    }


def _start(joint: Joint, quantities: list[str]) -> str:
    start = joint.start
    if joint.type.info.floats:
        parts: Cells = {}
        if [number.value for number in start[:4]] != [1, 0, 0, 0]:
            parts["quat"] = flow_text(list(start[:4]))
        if not all(map(_is_zero, start[4:])) or not parts:
            parts["xyz"] = flow_text(list(start[4:]))
        return row_text(parts)
    if joint.type.info.is_ball:
        return flow_text(list(start))
    texts = [_number(number, quantity) for number, quantity in zip(start, quantities, strict=True)]
    return texts[0] if len(texts) == 1 else _list(texts)


def _limits(joint: Joint, quantities: list[str]) -> str:
    if joint.type.info.swings:
        pair = joint.limits[0]
        assert pair is not None
        return _number(pair[1], "angle")
    texts = [
        _list([_number(end, quantity) for end in pair]) if pair is not None else "none"
        for pair, quantity in zip(joint.limits, quantities, strict=True)
    ]
    return texts[0] if len(texts) == 1 else _list(texts)


def _link_cells(link: LinkProperties) -> Cells:
    cells: Cells = {}
    if link.shape != "auto":
        cells["shape"] = flow_text(link.shape)
    if link.collision is not None:
        cells["collision"] = flow_text(link.collision)
    if link.color is not None:
        cells["color"] = flow_text(link.color)
    if link.mass is not None:
        cells["mass"] = _number(link.mass)
    if link.centre is not None:
        cells["centre"] = flow_text(link.centre)
    if link.inertia is not None:
        diagonal = all(map(_is_zero, link.inertia[3:]))
        cells["inertia"] = flow_text(link.inertia[:3] if diagonal else link.inertia)
    if link.density is not None:
        cells["density"] = _number(link.density)
    if link.surface is not None:
        cells["surface"] = flow_text(link.surface)
    return cells


def _table(rows: list[Cells]) -> list[str]:
    """Rows as lines, the keys that most rows share aligned in columns."""
    entries = [{key: f"{key}: {text}" for key, text in cells.items()} for cells in rows]
    widths: dict[str, int] = {}
    for key in _LEADING:
        lengths = [len(cells[key]) for cells in entries if key in cells]
        if 2 * len(lengths) < len(rows) or sum(widths.values()) + max(lengths) > _ALIGNED:
            continue
        widths[key] = max(lengths) + 2
    return [_line(cells, widths) for cells in entries]


def _line(cells: Cells, widths: Mapping[str, int]) -> str:
    """One row: aligned columns first, then the rest, folded when it gets too long."""
    done, line = "", "  - {"
    pending = ""  # the comma and blanks owed by what was written last
    for key, width in widths.items():
        if key in cells:
            line += pending + cells[key]
            pending = ",".ljust(width - len(cells[key]))
        else:
            pending += " " * width
    for key, text in cells.items():
        if key in widths:
            continue
        if len(line) + len(pending) + len(text) + 1 > _WIDTH:
            done += line + ",\n"
            line, pending = "     ", ""
        if len(line) + len(text) + 1 > _WIDTH:
            *lines, line = _folded(text, line)
            done += "".join(one + "\n" for one in lines)
        else:
            line += pending + text
        pending = ", "
    return done + line + "}"


def _folded(text: str, indent: str) -> list[str]:
    """A value too long for one line: a table with one line per row, else as much as fits."""
    lines = [indent]
    rows = text.split("], [")
    inner = indent + "  "
    for i, row in enumerate(rows):
        piece = ("[" if i else "") + row + ("]," if i + 1 < len(rows) else "")
        if i:
            lines.append(inner)
        for word in piece.replace(", ", ",\n").split("\n"):
            gap = " " if lines[-1].strip() else ""
            if gap and len(lines[-1]) + len(word) + 2 > _WIDTH:
                lines.append(inner)
                gap = ""
            lines[-1] += gap + word
    return lines


def _without_dots(mechanism: Mechanism) -> Mechanism:
    """The same mechanism with parameters that formulas of one file can name."""
    dotted = [name for name in mechanism.parameters if "." in name]
    if not dotted:
        return mechanism
    taken = {*mechanism.parameters}
    fresh: dict[str, str] = {}
    for name in dotted:
        plain = name.replace(".", "_").replace("-", "_")
        while plain in taken:
            plain += "_"
        taken.add(plain)
        fresh[name] = plain
    things = {*mechanism.joints, *mechanism.frames}
    words = {name: plain for name, plain in fresh.items() if name not in things}
    renamed = _renamed(mechanism, fresh, words)
    assert isinstance(renamed, Mechanism)
    return renamed


def _renamed(value: Any, fresh: Mapping[str, str], words: Mapping[str, str]) -> Any:
    """A copy of any part of a mechanism with parameters' names exchanged.

    Args:
        value: The part.
        fresh: New names by the old ones.
        words: Those that are meant where a text stands alone, as in what a device moves.
    """
    if isinstance(value, Formula):
        return value.renamed(lambda name: fresh.get(name, name))
    if isinstance(value, str):
        return words.get(value, value)
    if isinstance(value, dict):
        return {key: _renamed(inner, fresh, words) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_renamed(inner, fresh, words) for inner in value)
    if hasattr(value, "__dataclass_fields__"):
        fields = value.__dataclass_fields__
        made = {key: _renamed(getattr(value, key), fresh, words) for key in fields}
        if isinstance(value, Parameter):
            made["name"] = fresh.get(value.name, value.name)
        return type(value)(**made)
    return value
