"""Changes of structure: joints, frames and names added, removed, renamed; checked as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kinegen.errors import UsageError, unknown_name
from kinegen.mechanism.editing.numbers import (
    GUIDES,
    Value,
    alone,
    key_path,
    new_text,
    part_of,
    row_of,
)
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import load_document
from kinegen.mechanism.write import write
from kinegen.raff.document import Document, Path
from kinegen.raff.emit import flow_text, name_text, scalar_text
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.nodes import Mapping, Node
from kinegen.raff.reader import Reader
from kinegen.raff.records import NumberUse
from kinegen.raff.sections.file import FILE

__all__ = [
    "add_frame",
    "add_joint",
    "add_parameter",
    "apply_change",
    "as_text",
    "remove_frame",
    "remove_joint",
    "remove_parameter",
    "rename",
    "rename_parameter",
    "set_key",
    "set_value",
    "set_values",
]


def set_value(mechanism: Mechanism, owner: str, key: str, value: Any) -> None:
    """Set, add or (with None) remove any key of a joint or frame.

    Args:
        mechanism: The mechanism.
        owner: A joint's or frame's name.
        key: As in the file, dots lead inside: ``"parent"``, ``"limits"``, ``"closes.onto"``.
        value: A number, text, list or mapping as in the file.
    """
    set_values(mechanism, [(owner, key, value)])


def set_values(mechanism: Mechanism, values: Sequence[tuple[str, str, Any]]) -> None:
    """Set, add or remove keys of joints and frames, (owner, key, value) each: all or none."""
    for owner, _, _ in values:
        if owner not in mechanism.joints and owner not in mechanism.frames:
            where = f"mechanism '{mechanism.name}'"
            raise unknown_name("joint", owner, where, [*mechanism.joints, *mechanism.frames])

    def change(document: Document) -> None:
        for owner, key, value in values:
            section = "frames" if owner in mechanism.frames else "joints"
            path = (*row_of(document, section, owner), *key_path(key))
            _set(document, path, value)

    apply_change(mechanism, change)


def set_key(mechanism: Mechanism, key: str, value: Any) -> None:
    """Set, add or (with None) remove a key at the top of the file that is not a table of names."""
    apply_change(mechanism, lambda document: _set(document, (key,), value))


def _set(document: Document, path: Path, value: Any) -> None:
    if value is None:
        document.remove(path)
        return
    is_name = path[-1] == "name" and isinstance(value, str)
    text = name_text(value) if is_name else flow_text(as_text(value))
    if document.find(path) is not None:
        document.set(path, text)
    else:
        document.add(path[:-1], str(path[-1]), text)


def add_parameter(mechanism: Mechanism, name: str, value: Value, **keys: Any) -> None:
    """Add a parameter; keys as in the file: ``min``, ``max``, ``note``."""
    text = scalar_text(new_text(value, ""))
    if keys:
        text = flow_text({"value": parse_formula(new_text(value, "")), **as_text(keys)})

    def change(document: Document) -> None:
        if document.find(("parameters",)) is None:
            document.add((), "parameters", "{" + f"{name}: {text}" + "}")
        else:
            document.add(("parameters",), name, text)

    apply_change(mechanism, change)


def remove_parameter(mechanism: Mechanism, name: str) -> None:
    """Remove a parameter; RaffError when a formula still needs it."""
    if name not in mechanism.parameters:
        raise unknown_name("parameter", name, f"mechanism '{mechanism.name}'", mechanism.parameters)
    apply_change(mechanism, lambda document: document.remove(("parameters", name)))


def add_joint(mechanism: Mechanism, name: str, parent: str, **keys: Any) -> None:
    """Add a joint and the link it carries, as a new last row.

    Args:
        mechanism: The mechanism.
        name: Its name.
        parent: The link or frame it sits on.
        keys: As in the file: ``d=0.2``, ``alpha="90 deg"``, ``limits=["-1", "1"]``,
            ``closes={"onto": "D", "d": "coupler"}``.
    """
    _add_row(mechanism, "joints", name, {"parent": parent, **as_text(keys)})


def add_frame(mechanism: Mechanism, name: str, parent: str, **keys: Any) -> None:
    """Add a frame, as a new last row; keys as in the file."""
    _add_row(mechanism, "frames", name, {"parent": parent, **as_text(keys)})


def _add_row(mechanism: Mechanism, section: str, name: str, keys: dict[str, Any]) -> None:
    row = f"{{name: {name_text(name)}, {flow_text(keys)[1:]}"
    apply_change(mechanism, lambda document: document.append((section,), row))


def remove_joint(mechanism: Mechanism, name: str) -> None:
    """Remove a joint; UsageError when something still stands on its link."""
    if name not in mechanism.joints:
        raise unknown_name("joint", name, f"mechanism '{mechanism.name}'", mechanism.joints)
    own = mechanism.document
    is_guide = own is not None and name in own.names(GUIDES)
    users = [one for one in _users(mechanism, name) if not (is_guide and part_of(one, {name}))]
    coupled = [
        one.name
        for one in mechanism.couplings.values()
        if one.guide != name
        and any(name in (member, member.rpartition(".")[0]) for member in one.members)
    ]
    for joint in mechanism.joints.values():
        leader = joint.follows.joint if joint.follows is not None else ""
        if name in (leader, leader.rpartition(".")[0]):
            coupled.append(joint.name)
    if coupled:
        raise UsageError(f"joint '{name}' is coupled by {', '.join(coupled)}; remove these first")
    if users:
        raise UsageError(f"joint '{name}' carries {', '.join(users)}; remove these first")
    _remove_row(mechanism, "joints", name)


def _users(mechanism: Mechanism, name: str) -> list[str]:
    """Joints and frames that sit on a link or frame, or close onto it."""
    users = [joint.name for joint in mechanism.joints.values() if joint.parent == name]
    users += [frame.name for frame in mechanism.frames.values() if frame.parent == name]
    for joint in mechanism.joints.values():
        if joint.closes is not None and joint.closes.onto == name:
            users.append(joint.name)
    return users


def remove_frame(mechanism: Mechanism, name: str) -> None:
    """Remove a frame; UsageError when something still sits on it."""
    if name not in mechanism.frames:
        raise unknown_name("frame", name, f"mechanism '{mechanism.name}'", mechanism.frames)
    users = _users(mechanism, name)
    if users:
        sits = "sits" if len(users) == 1 else "sit"
        what = "it" if len(users) == 1 else "these"
        raise UsageError(f"{', '.join(users)} {sits} on frame '{name}'; remove {what} first")
    _remove_row(mechanism, "frames", name)


def _remove_row(mechanism: Mechanism, section: str, name: str) -> None:
    def change(document: Document) -> None:
        document.remove(alone(document, section, name, "removed"))

    apply_change(mechanism, change)


def rename(mechanism: Mechanism, old: str, new: str) -> None:
    """Rename a joint, a frame or the base everywhere it is mentioned."""
    is_base = old == mechanism.base_name
    if not is_base and old not in mechanism.joints and old not in mechanism.frames:
        where = f"mechanism '{mechanism.name}'"
        known = [*mechanism.joints, *mechanism.frames, mechanism.base_name]
        raise unknown_name("joint", old, where, known)
    section = "joints" if old in mechanism.joints else "frames"

    def change(document: Document) -> None:
        reader = Reader(document.source)
        reader.section(FILE, document.root, "file")
        edits: set[tuple[int, int, str]] = set()
        nodes: list[Node] = []
        is_guide = old in document.names(GUIDES)
        for use in reader.references:
            # a variable of a joint is named behind it: 'slider.r'
            whole, dot, variable = use.name.rpartition(".")
            if use.to == "variable" and whole == old and use.node.text == use.name and not is_guide:
                text = flow_text(new + dot + variable)
                edits.add((use.node.start, use.node.end, text))
            if is_guide and use.name != old and part_of(use.name, {old}):
                text = flow_text(new + use.node.text[len(old) :])
                edits.add((use.node.start, use.node.end, text))
            if use.name == old and use.node.text != old:
                raise UsageError(
                    f"'{old}' cannot be renamed: a repeated row calls it '{use.node.text}'"
                )
            if use.name == old:
                nodes.append(use.node)
        if not is_base:
            path = alone(document, section, old, "renamed")
            nodes.append(document.need((*path, "name")))
        document.replace(edits | {(node.start, node.end, name_text(new)) for node in nodes})
        if is_base and document.find(("base",)) is None:
            document.add((), "base", f"{{name: {name_text(new)}}}")
        elif is_base:
            _set(document, ("base", "name"), new)

    apply_change(mechanism, change)


def rename_parameter(mechanism: Mechanism, old: str, new: str) -> None:
    """Rename a parameter in every formula."""
    if old not in mechanism.parameters:
        raise unknown_name("parameter", old, f"mechanism '{mechanism.name}'", mechanism.parameters)

    def change(document: Document) -> None:
        reader = Reader(document.source)
        reader.section(FILE, document.root, "file")
        table = document.root.get("parameters")
        edits = set()
        if isinstance(table, Mapping) and old in table.table:
            key = table.key(old)
            edits.add((key.start, key.end, new))
        for use in reader.numbers:
            if old in use.formula.names:
                edits |= _exchanged(document, use, old, new)
        document.replace(edits)

    apply_change(mechanism, change)


def _exchanged(document: Document, use: NumberUse, old: str, new: str) -> set[tuple[int, int, str]]:
    """The edits that exchange a parameter's name in one formula of the text."""
    node = use.node
    formula = parse_formula(node.text)  # as written: indices are not filled in
    lead = 0 if node.plain else 1
    if document.text[node.start + lead : node.end - lead] != node.text:
        # Escapes or line breaks inside: the whole value is written again.
        text = formula.renamed(lambda name: new if name == old else name).text
        return {(node.start, node.end, scalar_text(text))}
    starts = [node.start + lead + at for name, at in formula.name_places() if name == old]
    return {(start, start + len(old), new) for start in starts}


def apply_change(mechanism: Mechanism, change: Callable[[Document], None]) -> None:
    """Change the text, read it again as a whole and take over what it says.

    Nothing has changed when the new text has problems, which are raised.
    """
    own = mechanism.document
    trial = own.trial() if own else Document(write(mechanism))
    change(trial)
    fresh = load_document(trial, name=mechanism.name)
    for key in Mechanism.__dataclass_fields__:
        if key not in ("document", "topology_version"):
            setattr(mechanism, key, getattr(fresh, key))
    mechanism.document = trial if own else None
    mechanism.topology_version += 1


def as_text(value: Any) -> Any:
    """Python numbers, and texts of numbers, as formulas: written shortest, without quotes."""
    if isinstance(value, dict):
        return {key: as_text(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_text(inner) for inner in value]
    if isinstance(value, float):
        return Formula.constant(value)
    if isinstance(value, str) and value[:1] in "+-.0123456789":
        try:
            return parse_formula(value)
        except FormulaError:
            return value  # a text after all; if not, the reader will say so
    return value
