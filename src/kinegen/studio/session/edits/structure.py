"""Changes of numbers and structure by name: what sliders, tables and menus do to a mechanism."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.tolerances import SHOWN_CLOSED
from kinegen.kinematics.configurations import configuration
from kinegen.kinematics.tolerances import is_closed
from kinegen.mechanism.editing.numbers import GUIDES, alone
from kinegen.mechanism.editing.starts import write_starts
from kinegen.mechanism.editing.structure import apply_change, as_text
from kinegen.mechanism.graph import Mechanism
from kinegen.raff.document import Document, Path
from kinegen.raff.emit import flow_text, name_text
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.message import Entry

__all__ = [
    "Change",
    "apply_numbers",
    "apply_structure",
    "describe",
    "describe_numbers",
    "set_entry",
    "write_pose",
]

_SAME = 1e-12
"""Joint values that differ by less are the same number in the file."""
_VERBS_OF_ENTRY = ("remove", "update")
"""Keys of an entry that say what is done with it; they never stand in a file."""

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
    row = None
    if document is not None:
        row = document.row(section, owner) or document.row(GUIDES, owner)
    absent = row is not None and document is not None and not document.find((*row, name))
    if absent and index in ("0", "1", "2"):
        three: list[float | str] = [0.0, 0.0, 0.0]
        three[int(index)] = value
        mechanism.set_value(owner, name, three)
    else:
        mechanism.set_number(owner, key, value)


def apply_structure(mechanism: Mechanism, edit: wire.StructureEdit) -> None:
    """Do one change."""
    match edit:
        case wire.AddJoint(name=name, parent=parent, row=row):
            mechanism.add_joint(name, parent, **_row(row))
        case wire.RemoveJoint(name=name):
            mechanism.remove_joint(name)
        case wire.AddFrame(name=name, parent=parent, row=row):
            mechanism.add_frame(name, parent, **_row(row))
        case wire.RemoveFrame(name=name):
            mechanism.remove_frame(name)
        case wire.AddParameter(name=name, value=number):
            mechanism.add_parameter(name, number)
        case wire.RemoveParameter(name=name):
            mechanism.remove_parameter(name)
        case wire.Rename(old=old, new=new):
            mechanism.rename(old, new)
        case wire.RenameParameter(old=old, new=new):
            mechanism.rename_parameter(old, new)
        case wire.SetValue(owner=owner, key=key, value=value):
            mechanism.set_value(owner, key, value)
        case wire.SetSection(section=section, entry=entry):
            set_entry(mechanism, section, entry)
        case wire.WritePose(q=q):
            write_pose(mechanism, q)
        case _:
            raise UsageError(f"{edit.KIND} is not a change of structure")


def _row(row: Entry) -> Entry:
    """The other keys of a row."""
    for key in ("name", "parent", "self"):
        if key in row:
            raise UsageError(f"'{key}' is given beside the row, not in it")
    return row


def write_pose(mechanism: Mechanism, q: Sequence[float]) -> None:
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


def set_entry(
    mechanism: Mechanism, section: wire.Section, entry: Entry, *, remove: str = ""
) -> None:
    """Set one entry of a section by its name, add it when there is none, or remove one.

    Args:
        mechanism: The mechanism.
        section: 'objects', 'devices', 'motions', …
        entry: The whole entry as in the file; ``{"name": …, "remove": True}`` removes it,
            with ``"update": True`` keys that are not given stay and those given as None go.
        remove: Name of the entry that it takes the place of, when it has another one.
    """
    own = entry.get("name")
    if not isinstance(own, str):
        raise UsageError(f"an entry of {section} is an object with a name, got {entry!r}")
    name = remove or own
    gone, updates = (bool(entry.get(verb, False)) for verb in _VERBS_OF_ENTRY)
    keys = {key: value for key, value in entry.items() if key not in _VERBS_OF_ENTRY}
    others = {key: as_text(value) for key, value in keys.items() if key != "name"}
    given = {key: value for key, value in others.items() if value is not None}
    text = f"{{name: {name_text(own)}{', ' if given else ''}{flow_text(given)[1:]}"

    def change(document: Document) -> None:
        at = document.row(section, name)
        if at is None and (gone or updates):
            raise UsageError(f"'{name}' is not in {section}")
        if at is None:
            document.append((section,), text)
        elif gone:
            document.remove(alone(document, section, name, "removed"))
        elif updates:
            renamed = {} if own == name else {"name": own}
            _update(document, at, {**renamed, **others})
        else:
            document.set(alone(document, section, name, "replaced"), text)

    apply_change(mechanism, change)


def _update(document: Document, row: Path, keys: Entry) -> None:
    """Set some keys of a row; what else it says stays as it is written."""
    for key, value in keys.items():
        path = (*row, key)
        if value is None:
            if document.find(path) is not None:
                document.remove(path)
        elif document.find(path) is not None:
            document.set(path, name_text(str(value)) if key == "name" else flow_text(value))
        else:
            document.add(row, key, flow_text(value))


def describe(edit: wire.StructureEdit) -> str:
    """A change in words, for the menu entry of undo."""
    match edit:
        case wire.SetSection(section=section, entry=entry, label=label):
            return label[:80] or f"change {section.rstrip('s')} {entry.get('name', '')}".strip()
        case wire.WritePose():
            return "write the pose as start"
        case wire.SetValue(owner=owner, key=key):
            return f"change {owner}.{key}"
        case wire.Rename(old=name) | wire.RenameParameter(old=name):
            pass
        case _:
            name = getattr(edit, "name", "")
    return f"{edit.KIND.replace('_', ' ')} {name}".strip()
