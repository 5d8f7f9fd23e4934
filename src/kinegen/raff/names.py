"""Names of a RAFF text: doubles, reserved words, references, and cycles of parents."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping

from kinegen.raff.grammar_joint import DEFAULT_TYPE, JOINT_TYPES
from kinegen.raff.nodes import Node
from kinegen.raff.operations import CONSTANTS, FUNCTIONS
from kinegen.raff.reader import Reader, Row
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

_RESERVED = ("base", "world")
_PLACES = ("joints", "frames", "robots", "objects", "couplings")


class Names:
    """What the names of a mechanism stand for, parts of included robots too."""

    def __init__(self) -> None:
        self.links: set[str] = {"base"}
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
        if to == "sensor":
            return self.sensors
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
            mine.update(f"{robot}.{name}" for name in theirs if name != "base")


def rows_of(root: Row, section: str) -> list[Row]:
    """The rows of a section that could be read."""
    rows: list[Row] = root.values.get(section, [])
    return rows


def collect_names(reader: Reader, root: Row) -> Names:
    """The names given in a text; doubles and reserved words are problems."""
    names = Names()
    places: dict[str, Node] = {}
    for section in (
        "joints",
        "frames",
        "robots",
        "couplings",
        "springs",
        "objects",
        "sensors",
        "agents",
        "devices",
        "motions",
    ):
        seen = places if section in _PLACES else {}
        for row in rows_of(root, section):
            name = row.values.get("name")
            if name is None:
                continue
            node = row.place("name")
            if section in _PLACES and name in _RESERVED:
                reader.problem(node, f"the name '{name}' is reserved: it is the ground itself")
                continue
            if name in seen:
                line, _ = reader.source.position(seen[name].start)
                reader.problem(node, f"the name '{name}' is already used in line {line}")
                continue
            seen[name] = node
            if section == "joints":
                names.joints.add(name)
                names.variables.update(_variables(name, row))
                (names.cuts if "closes" in row.node.table else names.links).add(name)
            elif section == "frames":
                names.frames.add(name)
            elif section == "objects":
                names.objects.add(name)
            elif section == "sensors":
                names.sensors.add(name)
    check_parameter_names(reader, root)
    table = root.values.get("parameters")
    if table is not None:
        names.parameters.update(key.text for key in table.node.keys)
    return names


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
            reader.good_name(key)


def check_references(reader: Reader, names: Names) -> None:
    """Every reference names something that is there."""
    cache: dict[str, set[str]] = {}
    lists: dict[str, str] = {}
    for use in reader.references:
        if use.to not in cache:
            cache[use.to] = names.allowed(use.to)
        allowed = cache[use.to]
        if use.name in allowed or use.name.split(".", 1)[0] in names.unread:
            continue
        name = short(use.name)
        if use.to not in lists:
            lists[use.to] = _listed(allowed)
        if use.to in ("link", "place") and use.name in names.cuts:
            message = (
                f"'{name}' is a cut joint (it has 'closes') and carries no link, "
                f"so it cannot be {_role(use.label)}"
            )
        elif use.to == "frame" and use.name in names.links:
            message = f"'{name}' is a link; write 'link: {name}'"
        elif use.to == "link" and use.name in names.frames and use.label == "link":
            message = f"'{name}' is a frame; write 'frame: {name}'"
        elif use.to == "link" and use.name in names.frames:
            message = f"'{name}' is a frame; {use.label} must be a link: {lists[use.to]}"
        elif use.to == "variable" and use.name in names.joints:
            several = sorted(one for one in allowed if one.rpartition(".")[0] == use.name)
            message = (
                f"joint '{name}' has several variables: name one of {', '.join(several)}"
                if several
                else f"joint '{name}' has no single variable that could be coupled"
            )
        elif name in ("world", "ground"):
            message = f"{use.label} '{name}' is not known; the ground is called 'base'"
        else:
            kinds = {
                "place": "links and frames",
                "thing": "links, frames, joints",
                "movable": "links, frames, joints, parameters",
                "variable": "joints that turn or slide",
            }
            listed = f"; {kinds.get(use.to, use.to + 's')}: {lists[use.to] or 'none'}"
            label = "joint" if use.label == "relation" else use.label
            message = f"{label} '{name}' is not known{reader.hint(name, allowed) or listed}"
        reader.problem(use.node, message)


def _role(label: str) -> str:
    return {"parent": "a parent", "onto": "what another joint closes onto"}.get(label, f"'{label}'")


def _listed(names: Iterable[str]) -> str:
    """Up to a dozen names in a message."""
    ordered = heapq.nsmallest(13, names)
    return ", ".join(ordered[:12]) + (", …" if len(ordered) > 12 else "")


def check_parents(reader: Reader, root: Row) -> None:
    """No joint may be carried by itself, over whatever detour."""
    parents: dict[str, list[str]] = {}
    rows: dict[str, Row] = {}
    for row in rows_of(root, "joints"):
        if row.values.get("name", "base") not in _RESERVED and "parent" in row.values:
            parents.setdefault(row.values["name"], [row.values["parent"]])
            rows.setdefault(row.values["name"], row)
    for row in rows_of(root, "robots"):
        at = row.values.get("at")
        if at is not None and "name" in row.values and "parent" in at.values:
            # What stands on a part of a robot stands on the robot.
            parents.setdefault(row.values["name"], [at.values["parent"]])
            rows.setdefault(row.values["name"], at)
    frames = {
        row.values["name"]: row.values["parent"]
        for row in rows_of(root, "frames")
        if "name" in row.values and "parent" in row.values
    }
    for name, [parent] in list(parents.items()):
        link = frames.get(parent, parent)
        parents[name] = [link if link in parents else link.split(".", 1)[0]]
    cycle = find_cycle(parents)
    if cycle:
        place = rows[cycle[0]].place("parent")
        if len(cycle) == 2:
            reader.problem(place, f"'{cycle[0]}' is its own parent")
        else:
            reader.problem(
                place,
                f"the parents form a cycle: {path_text(cycle)}; close a loop with 'closes' instead",
            )


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
        path = f"joints follow each other in a circle: {path_text(cycle)}"
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
