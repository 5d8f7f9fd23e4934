"""Changes of structure, as the methods of ``Mechanism`` make them: one step of undo each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from kinegen.studio.wire.message import Entry, Json, Message

__all__ = [
    "AddFrame",
    "AddJoint",
    "AddParameter",
    "RemoveFrame",
    "RemoveJoint",
    "RemoveParameter",
    "Rename",
    "RenameParameter",
    "Section",
    "SetSection",
    "SetValue",
    "StructureEdit",
    "WritePose",
]

Section = Literal["objects", "devices", "motions", "lights", "sensors", "agents", "robots"]
"""Those whose entries can be set as a whole."""


@dataclass(slots=True)
class StructureEdit(Message):
    """A change of structure."""

    request: int
    """The page's number for the answer."""


@dataclass(slots=True)
class AddJoint(StructureEdit):
    """Add a joint, and the link that it moves."""

    KIND: ClassVar[str] = "add_joint"
    name: str
    parent: str
    row: Entry = field(default_factory=dict)
    """Other keys of its row."""


@dataclass(slots=True)
class RemoveJoint(StructureEdit):
    """Remove a joint."""

    KIND: ClassVar[str] = "remove_joint"
    name: str


@dataclass(slots=True)
class AddFrame(StructureEdit):
    """Add a frame."""

    KIND: ClassVar[str] = "add_frame"
    name: str
    parent: str
    row: Entry = field(default_factory=dict)
    """Other keys of its row."""


@dataclass(slots=True)
class RemoveFrame(StructureEdit):
    """Remove a frame."""

    KIND: ClassVar[str] = "remove_frame"
    name: str


@dataclass(slots=True)
class AddParameter(StructureEdit):
    """Add a parameter."""

    KIND: ClassVar[str] = "add_parameter"
    name: str
    value: float | str
    """[SI] or a formula."""


@dataclass(slots=True)
class RemoveParameter(StructureEdit):
    """Remove a parameter."""

    KIND: ClassVar[str] = "remove_parameter"
    name: str


@dataclass(slots=True)
class Rename(StructureEdit):
    """Give a joint or frame another name, wherever it is named."""

    KIND: ClassVar[str] = "rename"
    old: str
    new: str


@dataclass(slots=True)
class RenameParameter(StructureEdit):
    """Give a parameter another name, wherever it is named."""

    KIND: ClassVar[str] = "rename_parameter"
    old: str
    new: str


@dataclass(slots=True)
class SetValue(StructureEdit):
    """Set a key of a joint's or frame's row; None removes it."""

    KIND: ClassVar[str] = "set_value"
    owner: str
    key: str
    value: Json


@dataclass(slots=True)
class SetSection(StructureEdit):
    """Set one entry of a section by its name, add it where there is none, or remove it."""

    KIND: ClassVar[str] = "set_section"
    section: Section
    entry: Entry
    """It replaces the one of its ``name``; with ``remove: true`` it goes; with ``update: true``
    null removes a key, and keys that are not given stay unchanged."""
    label: str = ""
    """What undo calls it."""


@dataclass(slots=True)
class WritePose(StructureEdit):
    """Make a pose the start of the file."""

    KIND: ClassVar[str] = "write_pose"
    q: list[float]
