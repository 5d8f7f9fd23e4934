"""Changes of structure, as the methods of ``Mechanism`` make them: one step of undo each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from kinegen.studio.wire.message import Message
from kinegen.studio.wire.parts import ObjectKeys, PlacementData, RowValue, Shape

__all__ = [
    "AddDevice",
    "AddFrame",
    "AddJoint",
    "AddObject",
    "AddParameter",
    "AddRobot",
    "CloseLoop",
    "PlaceRobot",
    "RemoveEntry",
    "RemoveFrame",
    "RemoveJoint",
    "RemoveParameter",
    "Rename",
    "RenameParameter",
    "Section",
    "SetShape",
    "SetValue",
    "StructureEdit",
    "UpdateObject",
    "WritePose",
]

Section = Literal["objects", "devices", "robots"]
"""Those from which a page removes entries."""


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
    row: dict[str, RowValue] = field(default_factory=dict)
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
    row: dict[str, RowValue] = field(default_factory=dict)
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
    value: RowValue | None


@dataclass(slots=True)
class SetShape(StructureEdit):
    """Draw the link that a joint moves in another way; None: automatically."""

    KIND: ClassVar[str] = "set_shape"
    owner: str
    shape: Shape | None


@dataclass(slots=True)
class CloseLoop(StructureEdit):
    """Have a joint close a loop onto a link or frame; None opens the loop."""

    KIND: ClassVar[str] = "close_loop"
    joint: str
    onto: str | None


@dataclass(slots=True)
class AddObject(StructureEdit):
    """Add an object to the scene."""

    KIND: ClassVar[str] = "add_object"
    name: str
    shape: Shape
    at: PlacementData


@dataclass(slots=True)
class UpdateObject(StructureEdit):
    """Change some keys of an object of the scene."""

    KIND: ClassVar[str] = "update_object"
    name: str
    keys: ObjectKeys
    label: str = ""
    """What undo calls it."""


@dataclass(slots=True)
class AddRobot(StructureEdit):
    """Put another robot into the scene."""

    KIND: ClassVar[str] = "add_robot"
    name: str
    include: str
    """Name of a library mechanism, or path of a file relative to this one."""
    at: PlacementData


@dataclass(slots=True)
class PlaceRobot(StructureEdit):
    """Put a robot of the scene somewhere else."""

    KIND: ClassVar[str] = "place_robot"
    name: str
    at: PlacementData


@dataclass(slots=True)
class AddDevice(StructureEdit):
    """Declare an input device."""

    KIND: ClassVar[str] = "add_device"
    name: str
    type: str
    moves: list[str]
    """Frames, links, joints or parameters."""
    mode: Literal["absolute", "incremental"] | None = None
    """None: as devices of its type are."""


@dataclass(slots=True)
class RemoveEntry(StructureEdit):
    """Remove an object, a device or a robot."""

    KIND: ClassVar[str] = "remove_entry"
    section: Section
    name: str


@dataclass(slots=True)
class WritePose(StructureEdit):
    """Make a pose the start of the file."""

    KIND: ClassVar[str] = "write_pose"
    q: list[float]
