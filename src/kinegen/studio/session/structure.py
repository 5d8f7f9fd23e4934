"""Changes of numbers and structure by name: what sliders, tables and menus do to a mechanism."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kinegen.errors import UsageError, unknown_name
from kinegen.kernels.tolerances import SHOWN_CLOSED
from kinegen.kinematics.configurations import configuration
from kinegen.kinematics.tolerances import is_closed
from kinegen.mechanism.edit import apply_change, as_text
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.starts import write_starts
from kinegen.raff.document import Document, Path
from kinegen.raff.emit import flow_text

__all__ = [
    "SECTIONS",
    "Change",
    "apply_numbers",
    "apply_structure",
    "describe",
    "describe_numbers",
    "set_entry",
    "write_pose",
]

SECTIONS = ("objects", "devices", "motions", "sensors", "agents", "robots")
"""Sections whose entries can be set as a whole."""
_SAME = 1e-12
"""Joint values that differ by less are the same number in the file."""
_VERBS_OF_ENTRY = ("remove", "update")
"""Keys of an entry that say what is done with it; they never stand in a file."""

_ARGUMENTS: dict[str, tuple[tuple[str, ...], bool]] = {
    # verb: (needed arguments, whether others are keys of the row)
    "add_joint": (("name", "parent"), True),
    "remove_joint": (("name",), False),
    "add_frame": (("name", "parent"), True),
    "remove_frame": (("name",), False),
    "add_parameter": (("name", "value"), False),
    "remove_parameter": (("name",), False),
    "rename": (("old", "new"), False),
    "rename_parameter": (("old", "new"), False),
    "set_value": (("owner", "key", "value"), False),
    "set_section": (("section", "entry"), False),
    "write_pose": (("q",), False),
}


Change = tuple[str | None, str, float | str]
"""Owner or None for a parameter, key, value [SI] or formula."""


def apply_numbers(mechanism: Mechanism, changes: Sequence[Change]) -> None:
    """Set numbers of parameters, joints and frames."""
    if not changes:
        raise UsageError("set_numbers needs at least one change")
    for owner, key, value in changes:
        if owner is None:
            mechanism.set_parameter(key, value)
        elif key.split(".")[0] in ("xyz", "rpy") and key.count(".") == 1:
            _set_coordinate(mechanism, owner, key, value)
        else:
            mechanism.set_number(owner, key, value)


def describe_numbers(changes: Sequence[Change]) -> str:
    """Changes of numbers in words."""
    names = [key if owner is None else f"{owner}.{key}" for owner, key, _ in changes]
    return f"change {', '.join(names[:3])}{', …' if len(names) > 3 else ''}"


def _set_coordinate(mechanism: Mechanism, owner: str, key: str, value: float | str) -> None:
    """One of the three numbers of xyz or rpy, which the row may not have yet."""
    name, index = key.split(".")
    section = "joints" if owner in mechanism.joints else "frames"
    document = mechanism.document
    row = document.row(section, owner) if document is not None else None
    absent = row is not None and document is not None and not document.find((section, row, name))
    if absent and index in ("0", "1", "2"):
        three: list[float | str] = [0.0, 0.0, 0.0]
        three[int(index)] = value
        mechanism.set_value(owner, name, three)
    else:
        mechanism.set_number(owner, key, value)


def apply_structure(mechanism: Mechanism, verb: str, arguments: Mapping[str, Any]) -> None:
    """Do one change; arguments by name, as the method of ``Mechanism`` calls them."""
    needed, takes_keys = _ARGUMENTS[verb]
    missing = [name for name in needed if name not in arguments]
    # what undo calls it may be given where one verb stands for many deeds
    known = (*needed, "label") if verb == "set_section" else needed
    extra = [name for name in arguments if name not in known]
    if missing or (extra and not takes_keys):
        takes = ", ".join(needed) + (" and keys of the row" if takes_keys else "")
        given = ", ".join(arguments) or "nothing"
        raise UsageError(f"{verb} takes {takes}; got {given}")
    for name in needed:
        if name not in ("value", "entry", "q") and not isinstance(arguments[name], str):
            raise UsageError(f"{name} of {verb} is a text, got {arguments[name]!r}")
    if verb == "set_section":
        set_entry(mechanism, arguments["section"], arguments["entry"])
        return
    if verb == "write_pose":
        write_pose(mechanism, arguments["q"])
        return
    method: Callable[..., None] = getattr(mechanism, verb)
    method(**arguments)


def write_pose(mechanism: Mechanism, q: Any) -> None:
    """Make a pose the start of the file, where a joint is not there already.

    Raises:
        UsageError: When its loops are open, or all of it is in the file already.
    """
    model = mechanism.compile()
    pose = configuration(model, q)
    if not is_closed(model, pose, SHOWN_CLOSED):
        raise UsageError("the loops of this pose are open: a start must close them")
    start = model.start()
    moved = [
        joint.name
        for joint in model.joints
        if np.abs(pose[joint.q] - start[joint.q]).max(initial=0.0) > _SAME
    ]
    if not moved and mechanism.mode is None:
        raise UsageError("this pose is already the start of the file")
    write_starts(mechanism, model, pose, moved)


def set_entry(mechanism: Mechanism, section: str, entry: Any, *, remove: str = "") -> None:
    """Set one entry of a section by its name, add it when there is none, or remove one.

    Args:
        mechanism: The mechanism.
        section: 'objects', 'devices', 'motions', …
        entry: The whole entry as in the file; ``{"name": …, "remove": True}`` removes it,
            with ``"update": True`` keys that are not given stay and those given as None go.
        remove: Name of the entry that it takes the place of, when it has another one.
    """
    if section not in SECTIONS:
        raise unknown_name("section", section, "the fields that can be set", SECTIONS)
    if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str):
        raise UsageError(f"an entry of {section} is an object with a name, got {entry!r}")
    name = remove or entry["name"]
    gone, updates = (bool(entry.get(verb, False)) for verb in _VERBS_OF_ENTRY)
    keys = {key: value for key, value in entry.items() if key not in _VERBS_OF_ENTRY}
    text = flow_text(as_text({key: value for key, value in keys.items() if value is not None}))

    def change(document: Document) -> None:
        at = document.row(section, name)
        if at is None and (gone or updates):
            raise UsageError(f"'{name}' is not in {section}")
        if at is None:
            document.append((section,), text)
        elif gone:
            document.remove((section, at))
        elif updates:
            _update(document, (section, at), keys)
        else:
            document.set((section, at), text)

    apply_change(mechanism, change)


def _update(document: Document, row: Path, keys: Mapping[str, Any]) -> None:
    """Set some keys of a row; what else it says stays as it is written."""
    for key, value in keys.items():
        path = (*row, key)
        if value is None:
            if document.find(path) is not None:
                document.remove(path)
        elif document.find(path) is not None:
            document.set(path, flow_text(as_text(value)))
        else:
            document.add(row, key, flow_text(as_text(value)))


def describe(verb: str, arguments: Mapping[str, Any]) -> str:
    """A change in words, for the menu entry of undo."""
    name = arguments.get("name") or arguments.get("owner") or arguments.get("old") or ""
    if verb == "set_section":
        if isinstance(arguments.get("label"), str) and arguments["label"]:
            return str(arguments["label"])[:80]
        entry = arguments.get("entry")
        inner = entry.get("name", "") if isinstance(entry, Mapping) else ""
        return f"change {str(arguments.get('section', '')).rstrip('s')} {inner}".strip()
    if verb == "write_pose":
        return "write the pose as start"
    if verb == "set_value":
        return f"change {name}.{arguments.get('key', '')}"
    return f"{verb.replace('_', ' ')} {name}".strip()
