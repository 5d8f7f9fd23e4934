"""Names of a RAFF text: doubles, reserved words, references, and cycles of parents."""

from __future__ import annotations

import heapq
from collections.abc import Container, Iterable, Mapping

from kinegen.raff.formulas.operations import CONSTANTS, FUNCTIONS
from kinegen.raff.nodes import Node
from kinegen.raff.reader import Reader
from kinegen.raff.records import Row
from kinegen.raff.sections.guide import guide_parts, has_depth
from kinegen.raff.sections.joint import DEFAULT_TYPE, JOINT_TYPES
from kinegen.raff.sections.kinds import Name
from kinegen.raff.wording import short

__all__ = [
    "Names",
    "check_follows",
    "check_parents",
    "check_references",
    "collect_names",
    "find_cycle",
    "path_text",
    "rows_of",
]

_BASE = "base"
_PLACES = (
    "joints", "guides", "frames", "robots", "objects", "couplings", "lights", "people", "sensors",
    "agents", "pulls",
)  # fmt: skip
"""Sections whose names differ from each other: signals are called after them."""
_NAMED = (
    "joints", "guides", "frames", "robots", "couplings", "springs", "objects", "lights", "people",
    "sensors", "agents", "pulls", "devices", "motions",
)  # fmt: skip
"""Sections whose rows have names."""


class Names:
    """What the names of a mechanism stand for, parts of included robots too."""

    def __init__(self, base: str = _BASE) -> None:
        self.base = base
        """What the text calls the ground."""
        self.links: set[str] = {base}
        self.cuts: set[str] = set()
        self.joints: set[str] = set()
        self.variables: set[str] = set()
        """Variables that a coupling may name: joints with one, ``joint.variable`` of the others."""
        self.frames: set[str] = set()
        self.objects: set[str] = set()
        self.sensors: set[str] = set()
        self.parameters: set[str] = set()
        self.unread: set[str] = set()
        """Robots whose file could not be read: what they contain is not known."""

    def __len__(self) -> int:
        """How many names there are."""
        own = (self.links, self.cuts, self.frames, self.objects, self.sensors, self.parameters)
        return sum(map(len, own))

    def allowed(self, to: str) -> set[str]:
        """The names a reference of this kind may use."""
        if to == "link":
            return self.links
        if to == "frame":
            return self.frames
        if to == "place":
            return self.links | self.frames
        if to == "joint":
            return self.joints
        if to == "variable":
            return self.variables
        if to == "carrier":
            return self.links | self.frames | self.objects
        if to == "sensor":
            return self.sensors
        if to == "object":
            return self.objects
        things = self.links | self.joints | self.frames | self.objects
        return things | self.parameters if to == "movable" else things

    def include(self, robot: str, other: Names) -> None:
        """Add the names of an included robot, prefixed."""
        self.links.add(robot)
        for mine, theirs in (
            (self.links, other.links),
            (self.cuts, other.cuts),
            (self.joints, other.joints),
            (self.variables, other.variables),
            (self.frames, other.frames),
            (self.objects, other.objects),
            (self.sensors, other.sensors),
            (self.parameters, other.parameters),
        ):
            mine.update(f"{robot}.{name}" for name in theirs if name != other.base)

    def clashes(self, robot: str, other: Names) -> list[str]:
        """Names of an included robot that the text already has, such as a joint 'robot.A'."""
        own = self.links | self.cuts | self.frames | self.objects
        theirs = other.links | other.cuts | other.frames | other.objects
        dotted = {name for name in own if name.startswith(f"{robot}.")}
        return sorted(dotted & {f"{robot}.{name}" for name in theirs}) if dotted else []


def rows_of(root: Row, section: str) -> list[Row]:
    """The rows of a section that could be read."""
    rows: list[Row] = root.values.get(section, [])
    return rows


def collect_names(reader: Reader, root: Row) -> Names:
    """The names given in a text; doubles and reserved words are problems."""
    base = root.values.get("base")
    names = Names(base.values.get("name", _BASE) if base is not None else _BASE)
    places: dict[str, Node] = {}
    for section in _NAMED:
        seen = places if section in _PLACES else {}
        for row in rows_of(root, section):
            name = row.values.get("name")
            if name is not None and _is_new(reader, names, section, row, name, seen):
                seen[name] = row.place("name")
                _add(names, section, row, name)
    reader.indices = {}
    check_parameter_names(reader, root)
    table = root.values.get("parameters")
    if table is not None:
        names.parameters.update(key.text for key in table.node.keys)
    for key in {key.start: key for key in reader.index_keys}.values():
        if key.text in names.parameters:
            reader.problem(key, f"'{key.text}' is already a parameter; choose another index")
    return names


def _is_new(
    reader: Reader, names: Names, section: str, row: Row, name: str, seen: dict[str, Node]
) -> bool:
    """Whether nothing else has a name; a problem if something does."""
    node = row.place("name")
    reader.indices = row.indices
    if section in _PLACES and name == names.base:
        reader.problem(
            node,
            f"the name '{name}' is that of the ground; name the ground otherwise with "
            "'base: {name: …}'",
        )
        return False
    if name in seen:
        line, _ = reader.source.position(seen[name].start)
        what = f"the name '{name}' is already used in line {line}"
        if seen[name] is node:
            index = list(row.indices)[-1]
            what = f"the name '{name}' is used again: put {{{index}}} into it"
        reader.problem(node, what)
        return False
    return True


def _add(names: Names, section: str, row: Row, name: str) -> None:
    """What a row is called, and its parts."""
    if section == "joints":
        names.joints.add(name)
        names.variables.update(_variables(name, row))
        (names.cuts if "closes" in row.node.table else names.links).add(name)
    elif section == "guides":
        curve = row.values.get("curve")
        depth = has_depth(curve.values) if isinstance(curve, Row) else False
        slides, point = guide_parts(name, row.values.get("type", "line"), depth)
        names.joints.update((name, *slides, point))
        names.links.update((name, *slides))
        names.variables.update(slides)
        names.cuts.add(point)
    elif section == "frames":
        names.frames.add(name)
    elif section == "objects":
        names.objects.add(name)
    elif section == "sensors":
        names.sensors.add(name)


def _variables(name: str, row: Row) -> list[str]:
    """What a coupling may call the variables of a joint."""
    info = JOINT_TYPES.get(row.values.get("type", DEFAULT_TYPE))
    if info is None or info.has_quaternion:
        return []
    own = [f"{name}.{variable}" for variable, _ in info.variables]
    return [name, *own] if len(own) == 1 else own


def check_parameter_names(reader: Reader, root: Row) -> None:
    """Parameter names must be usable in formulas."""
    table = root.values.get("parameters")
    if table is None:
        return
    for key in table.node.keys:
        name = key.text
        if name in FUNCTIONS or name in CONSTANTS:
            what = "a function" if name in FUNCTIONS else "a constant"
            reader.problem(key, f"'{name}' is {what} of formulas; choose another name")
        elif "-" in name and name.replace("-", "_").isidentifier():
            other = name.replace("-", "_")
            reader.problem(key, f"'{name}': a formula would subtract; name the parameter '{other}'")
        elif name and name != "<<":
            reader.good_name(key, Name())


def check_references(reader: Reader, names: Names) -> None:
    """Every reference names something that is there."""
    cache: dict[str, set[str]] = {}
    lists: dict[str, str] = {}
    for use in reader.references:
        reader.indices = use.indices
        if use.to not in cache:
            cache[use.to] = names.allowed(use.to)
        allowed = cache[use.to]
        if use.name in allowed or use.name.split(".", 1)[0] in names.unread:
            continue
        name = short(use.name)
        if use.to not in lists:
            lists[use.to] = _listed(allowed)
        if use.to in ("link", "place", "carrier") and use.name in names.cuts:
            message = (
                f"'{name}' is a cut joint (it has 'closes') and carries no link, "
                f"so it cannot be {_role(use.label)}"
            )
        elif use.to == "frame" and use.name in names.links:
            message = f"'{name}' is a link; write 'link: {name}'"
        elif use.to == "link" and use.name in names.frames and use.label == "link":
            message = f"'{name}' is a frame; write 'frame: {name}'"
        elif use.to == "object" and use.name in names.links | names.frames:
            key = "frame" if use.name in names.frames else "link"
            message = f"'{name}' is a {key}; write '{key}: {name}'"
        elif use.to == "variable" and use.name in names.joints:
            several = sorted(one for one in allowed if one.rpartition(".")[0] == use.name)
            message = (
                f"joint '{name}' has several variables: name one of {', '.join(several)}"
                if several
                else f"joint '{name}' has no single variable that could be coupled"
            )
        elif name in ("world", "ground", _BASE):
            message = f"{use.label} '{name}' is not known; the ground is called '{names.base}'"
        else:
            kinds = {
                "place": "links and frames",
                "carrier": "links, frames and objects",
                "thing": "links, frames, joints",
                "movable": "links, frames, joints, parameters",
                "variable": "joints that turn or slide",
            }
            listed = f"; {kinds.get(use.to, use.to + 's')}: {lists[use.to] or 'none'}"
            label = "joint" if use.label == "relation" else use.label
            message = f"{label} '{name}' is not known{reader.hint(name, allowed) or listed}"
        reader.problem(use.node, message)
    reader.indices = {}


def _role(label: str) -> str:
    return {"parent": "a parent", "onto": "what another joint closes onto"}.get(label, f"'{label}'")


def _listed(names: Iterable[str]) -> str:
    """Up to a dozen names in a message."""
    ordered = heapq.nsmallest(13, names)
    return ", ".join(ordered[:12]) + (", …" if len(ordered) > 12 else "")


def check_parents(reader: Reader, root: Row, names: Names) -> None:
    """Nothing may be carried by itself, over whatever detour; a loop has two different ends."""
    parents: dict[str, list[str]] = {}
    rows: dict[str, Row] = {}
    tables = ("joints", "guides", "frames", "robots")
    for row in (row for section in tables for row in rows_of(root, section)):
        placed = row.values.get("at") if "include" in row.node.table else row
        name = row.values.get("name", names.base)
        if placed is not None and name != names.base and "parent" in placed.values:
            parents.setdefault(name, [placed.values["parent"]])
            rows.setdefault(name, placed)
    # what stands on a part of a robot or guide stands on that
    whole = {row.values.get("name") for s in ("robots", "guides") for row in rows_of(root, s)}
    cycle = find_cycle(
        {
            name: [parent if parent in parents else _carrier(parent, whole)]
            for name, [parent] in parents.items()
        }
    )
    if cycle:
        place, reader.indices = rows[cycle[0]].place("parent"), rows[cycle[0]].indices
        if len(cycle) == 2:
            reader.problem(place, f"'{cycle[0]}' is its own parent")
        else:
            reader.problem(
                place,
                f"the parents form a cycle: {path_text(cycle)}; close a loop with 'closes' instead",
            )
        reader.indices = {}
        return
    for row in (*rows_of(root, "joints"), *rows_of(root, "guides")):
        closes, parent = row.values.get("closes"), row.values.get("parent")
        if "point" in row.values:
            closes = row.values["point"]
        onto = None if closes is None else _end_of(closes, names)
        if closes is None or onto is None or parent is None:
            continue
        link, reader.indices = _link(onto, parents, names), row.indices
        if link == _link(parent, parents, names):
            is_guide = "point" in row.values
            message = (
                f"both ends of this joint are on the same link '{link}'; 'closes' needs another one"
            )
            if is_guide:
                message = f"the guide and its point are on the same link '{link}'"
            reader.problem(closes.node if is_guide else closes.place("onto"), message)
    reader.indices = {}


def _end_of(closes: Row, names: Names) -> str | None:
    """Where a cut joint lands, or where the point of a guide is."""
    if "onto" in closes.node.table:
        onto: str | None = closes.values.get("onto")
        return onto
    place: str = closes.values.get("frame") or closes.values.get("link", names.base)
    return place


def _carrier(part: str, whole: Container[str | None]) -> str:
    """The robot or guide that something is a part of, else that itself."""
    at = part.find(".")
    while at >= 0:
        if part[:at] in whole:
            return part[:at]
        at = part.find(".", at + 1)
    return part


def _link(place: str, parents: Mapping[str, list[str]], names: Names) -> str:
    """The link that a frame of the text is on; parents form no cycle."""
    while place in names.frames and place in parents:
        [place] = parents[place]
    return place


def check_follows(reader: Reader, root: Row) -> None:
    """No joint may follow itself, over whatever detour."""
    rows = {
        row.values["name"]: row.values["follows"]
        for row in rows_of(root, "joints")
        if "name" in row.values and isinstance(row.values.get("follows"), Row)
    }

    def leader(follows: Row) -> str:
        name: str = follows.values.get("joint", "")
        return name if name in rows else name.rpartition(".")[0]

    cycle = find_cycle({name: [leader(follows)] for name, follows in rows.items()})
    if cycle:
        place = rows[cycle[0]].place("joint")
        itself = f"joint '{cycle[0]}' cannot follow itself"
        path = f"joints follow each other in a cycle: {path_text(cycle)}"
        reader.problem(place, itself if len(cycle) == 2 else path)


def path_text(cycle: list[str]) -> str:
    """A cycle as text, the middle of a long one left out."""
    shown = cycle if len(cycle) <= 12 else [*cycle[:6], "…", *cycle[-5:]]
    return " -> ".join(shown)


def find_cycle(edges: Mapping[str, Iterable[str]]) -> list[str]:
    """One cycle of a graph as [a, b, …, a], or an empty list. Not recursive."""
    done: set[str] = set()
    for start in edges:
        if start in done:
            continue
        path = [start]
        on_path = {start: 0}
        todo = [iter(edges[start])]
        while todo:
            following = next(todo[-1], None)
            if following is None:
                todo.pop()
                last = path.pop()
                del on_path[last]
                done.add(last)
            elif following in on_path:
                return [*path[on_path[following] :], following]
            elif following in edges and following not in done:
                on_path[following] = len(path)
                path.append(following)
                todo.append(iter(edges[following]))
    return []
