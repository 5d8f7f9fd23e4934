"""Changes of numbers and structure by name: what sliders, tables and menus do to a mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
from kinegen.studio.wire.data.wall import wall_text
from kinegen.studio.wire.parts import PlacementData, RowValue, WallEntry

__all__ = [
    "Change",
    "Entry",
    "add_entry",
    "apply_numbers",
    "apply_structure",
    "describe",
    "describe_numbers",
    "remove_entry",
    "set_entry",
    "set_wall",
    "update_entry",
    "write_pose",
]

_SAME = 1e-12
"""Joint values that differ by less are the same number in the file."""
Entry = Mapping[str, object]
"""Keys of an entry of a section, as in the file."""
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
        case wire.SetShape(owner=owner, shape=shape):
            mechanism.set_value(owner, "shape", shape)
        case wire.CloseLoop(joint=joint, onto=onto):
            _close_loop(mechanism, joint, onto)
        case wire.AddObject(name=name, shape=shape, at=at):
            add_entry(mechanism, "objects", {"name": name, "shape": shape, **_at(at)})
        case wire.UpdateObject(name=name, keys=keys):
            update_entry(mechanism, "objects", name, keys)
        case wire.AddRobot(name=name, include=include, at=at):
            add_entry(mechanism, "robots", {"name": name, "include": include, **_at(at)})
        case wire.PlaceRobot(name=name, at=at):
            update_entry(mechanism, "robots", name, {"at": at or None})
        case wire.AddDevice():
            add_entry(mechanism, "devices", _device(edit))
        case wire.RemoveEntry(section=section, name=name):
            remove_entry(mechanism, section, name)
        case wire.SetWall(wall=wall):
            set_wall(mechanism, wall)
        case wire.WritePose(q=q):
            write_pose(mechanism, q)
        case _:
            raise UsageError(f"{edit.KIND} is not a change of structure")


def _row(row: dict[str, RowValue]) -> dict[str, RowValue]:
    """The other keys of a row."""
    for key in ("name", "parent", "self"):
        if key in row:
            raise UsageError(f"'{key}' is given beside the row, not in it")
    return row


def _at(at: PlacementData) -> Entry:
    """A placement as a key; the world's origin is left out."""
    return {"at": at} if at else {}


def _device(edit: wire.AddDevice) -> Entry:
    moves = edit.moves[0] if len(edit.moves) == 1 else edit.moves
    given = {"moves": moves or None, "mode": edit.mode}
    others = {key: value for key, value in given.items() if value is not None}
    return {"name": edit.name, "type": edit.type, **others}


def _close_loop(mechanism: Mechanism, joint: str, onto: str | None) -> None:
    closes = mechanism.joints[joint].closes if joint in mechanism.joints else None
    if onto is not None and closes is not None:
        mechanism.set_value(joint, "closes.onto", onto)  # where it lands there stays
    else:
        mechanism.set_value(joint, "closes", None if onto is None else {"onto": onto})


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


def set_wall(mechanism: Mechanism, wall: WallEntry | None) -> None:
    """Set the wall of the file as a whole, or remove it."""
    text = None if wall is None else wall_text(wall)

    def change(document: Document) -> None:
        if document.find(("wall",)) is not None:
            document.remove(("wall",))
        elif text is None:
            raise UsageError("the file has no wall that could be removed")
        if text is not None:
            document.add((), "wall", text)

    apply_change(mechanism, change)


def add_entry(mechanism: Mechanism, section: str, entry: Entry) -> None:
    """Add an entry to a section.

    Args:
        mechanism: The mechanism.
        section: 'objects', 'devices', 'motions', …
        entry: The whole entry as in the file.
    """
    name, text = _named(section, entry)

    def change(document: Document) -> None:
        if document.row(section, name) is not None:
            raise UsageError(f"'{name}' is in {section} already: choose another name")
        document.append((section,), text)

    apply_change(mechanism, change)


def set_entry(
    mechanism: Mechanism, section: str, entry: Entry, *, instead: str | None = None
) -> None:
    """Set an entry of a section: it replaces the one of its name, or is added.

    Args:
        mechanism: The mechanism.
        section: As for :func:`add_entry`.
        entry: The whole entry as in the file.
        instead: Name of the entry that it takes the place of, when it has another one.
    """
    name, text = _named(section, entry)
    before = name if instead is None else instead

    def change(document: Document) -> None:
        if document.row(section, before) is None:
            document.append((section,), text)
        else:
            document.set(alone(document, section, before, "replaced"), text)

    apply_change(mechanism, change)


def update_entry(mechanism: Mechanism, section: str, name: str, keys: Entry) -> None:
    """Set some keys of an entry; None removes one, keys that are not given stay as written."""
    written = as_text(dict(keys))

    def change(document: Document) -> None:
        _update(document, _entry(document, section, name), written)

    apply_change(mechanism, change)


def remove_entry(mechanism: Mechanism, section: str, name: str) -> None:
    """Remove an entry of a section."""

    def change(document: Document) -> None:
        _entry(document, section, name)
        document.remove(alone(document, section, name, "removed"))

    apply_change(mechanism, change)


def _entry(document: Document, section: str, name: str) -> Path:
    """Where an entry is in the text; UsageError where there is none."""
    found = document.row(section, name)
    if found is None:
        raise UsageError(f"'{name}' is not in {section}")
    return found


def _named(section: str, entry: Entry) -> tuple[str, str]:
    """The name of an entry, and all of it as text."""
    name = entry.get("name")
    if not isinstance(name, str):
        raise UsageError(
            f"an entry of {section} must be an object with a name, got {dict(entry)!r}"
        )
    others = {
        key: as_text(value) for key, value in entry.items() if key != "name" and value is not None
    }
    return name, f"{{name: {name_text(name)}{', ' if others else ''}{flow_text(others)[1:]}"


def _update(document: Document, row: Path, keys: Entry) -> None:
    """Set some keys of a row; what else it says stays as it is written."""
    for key, value in keys.items():
        path = (*row, key)
        if value is None:
            if document.find(path) is not None:
                document.remove(path)
        elif document.find(path) is not None:
            document.set(path, flow_text(value))
        else:
            document.add(row, key, flow_text(value))


def describe(edit: wire.StructureEdit) -> str:
    """A change in words, for the menu entry of undo."""
    match edit:
        case wire.UpdateObject(name=name, label=label):
            return label[:80] or f"Change {name}"
        case wire.AddObject(name=name) | wire.AddRobot(name=name):
            return f"Add {name}"
        case wire.AddDevice(name=name):
            return f"Declare {name}"
        case wire.PlaceRobot(name=name):
            return f"Move {name}"
        case wire.RemoveEntry(name=name):
            return f"Remove {name}"
        case wire.SetShape(owner=owner):
            return f"change {owner}.shape"
        case wire.CloseLoop(joint=joint, onto=onto):
            return f"change {joint}.closes" if onto else f"open the loop at {joint}"
        case wire.SetWall(wall=wall, label=label):
            return label[:80] or ("remove the wall" if wall is None else "change the wall")
        case wire.WritePose():
            return "write the pose as start"
        case wire.SetValue(owner=owner, key=key):
            return f"change {owner}.{key}"
        case wire.Rename(old=name) | wire.RenameParameter(old=name):
            pass
        case _:
            name = getattr(edit, "name", "")
    return f"{edit.KIND.replace('_', ' ')} {name}".strip()
