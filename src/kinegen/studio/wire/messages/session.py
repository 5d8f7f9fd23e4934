"""A session: its people, what is open, the steps of undo."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from kinegen.studio.wire.message import Delivery, Message
from kinegen.studio.wire.messages.mechanism import (
    DeviceData,
    LightData,
    ModelData,
    ObjectData,
    WorldData,
)
from kinegen.studio.wire.messages.motion import MotionData
from kinegen.studio.wire.messages.program import ProgramHello
from kinegen.studio.wire.messages.text import ProblemData
from kinegen.studio.wire.messages.wall import WallData

__all__ = [
    "CommitPose",
    "Dismiss",
    "DownloadData",
    "EngineData",
    "Hello",
    "ImportData",
    "Keeping",
    "LibraryEntry",
    "Notice",
    "OpenFile",
    "OpenLibrary",
    "OpenText",
    "OptionData",
    "RecoveredData",
    "Redo",
    "RemarkData",
    "Snapshot",
    "Undo",
    "Watchers",
    "Welcome",
]


@dataclass(slots=True)
class LibraryEntry:
    """A ready mechanism."""

    name: str
    title: str
    joints: int
    loops: int
    family: str
    """Heading it stands under: 'Linkages', 'Parallel robots', 'Arms', …"""
    figure: str
    """Its bars as an SVG path, in a field of 44 × 34."""
    description: str = ""
    sensors: int = 0
    agents: int = 0


@dataclass(slots=True)
class EngineData:
    """An engine that can simulate, a plug-in's too."""

    name: str
    title: str
    note: str
    """One line on what it is good for."""
    touches: bool
    """Whether it lets bodies touch each other and the floor."""
    opens_joints: bool
    """Whether every joint opens a little in its steps, not loops alone."""


@dataclass(slots=True)
class OptionData:
    """An option of a format."""

    name: str
    help: str
    """One line."""


@dataclass(slots=True)
class DownloadData:
    """A format in which the mechanism can be downloaded, a plug-in's too."""

    name: str
    title: str
    """One line for people."""
    suffix: str
    """Of its files, with the dot."""
    group: str
    """Heading it stands under."""
    options: list[OptionData]
    needs: str
    """The command that installs what is missing for it; empty where nothing is."""
    has_motions: bool
    """Whether its files hold recorded motions."""


@dataclass(slots=True)
class RecoveredData:
    """Work of a session that ended without being saved."""

    session: str
    name: str
    saved_at: float
    """[s since 1970]"""
    file: str | None


@dataclass(slots=True)
class Welcome(Message):
    """The first answer: who you are and what is there."""

    KIND: ClassVar[str] = "welcome"
    schema: str
    """Hash of these messages; a page built from others must be reloaded."""
    version: str
    client: int
    session: str
    secret: str | None
    """Proves, in a later `Hello`, that this page may change the session; None for watchers."""
    read_only: bool
    library: list[LibraryEntry]
    engines: list[EngineData]
    downloads: list[DownloadData]
    """Formats in which the mechanism can be downloaded, by heading."""
    suffixes: list[str]
    """Of files that can be opened, with the dot."""
    files: list[str]
    """RAFF files of the project folder, by path."""
    folder: str
    """Name of the project folder."""
    recovered: list[RecoveredData]
    watch_link: str
    """Path and query under which others can watch this session."""
    replay: str | None = None
    """A log of the project folder that the studio was started with."""


@dataclass(slots=True)
class RemarkData:
    """Something that a file of another format says and the mechanism does not."""

    file: str
    line: int
    """From 1."""
    column: int
    message: str
    is_mesh: bool
    """Whether it is a mesh that was not found."""


@dataclass(slots=True)
class ImportData:
    """What a mechanism was before it became RAFF."""

    file: str
    format: str
    """The format's title."""
    remarks: list[RemarkData]
    """The first of them."""
    remark_count: int
    missing_meshes: int


@dataclass(slots=True)
class Snapshot(Message):
    """All of a session that is not the pose: replaces what the page had."""

    KIND: ClassVar[str] = "snapshot"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    version: int
    """Grows with every change."""
    author: int
    """Client whose message caused it, 0 for the studio itself."""
    text: str
    file: str | None
    """Path in the project folder, None where it was never saved."""
    dirty: bool
    title: str
    description: str
    model: ModelData
    """Of the last text without problems."""
    q: list[float]
    pose_changed: bool
    """Whether the page must take over q; else it keeps its own pose."""
    problems: list[ProblemData]
    complaint: str | None
    """Why the loops of this model cannot be closed, in words; None where they can."""
    undo: str | None
    """What undo would take back, in words; None where there is nothing."""
    redo: str | None
    motions: list[MotionData]
    objects: list[ObjectData]
    devices: list[DeviceData]
    world: WorldData | None = None
    """Where the file has sensors or agents."""
    lights: list[LightData] = field(default_factory=list)
    wall: WallData | None = None
    """The screens of a room that show it together."""
    imported: ImportData | None = None
    """What it was, where it was opened from a file of another format."""


@dataclass(slots=True)
class Notice(Message):
    """A notice for the user."""

    KIND: ClassVar[str] = "notice"
    level: Literal["info", "warning", "error"]
    message: str


@dataclass(slots=True)
class Keeping(Message):
    """Whether changes reach the disk; shown until it is well again."""

    KIND: ClassVar[str] = "keeping"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    trouble: str | None
    """Why they do not, None when they do."""


@dataclass(slots=True)
class Watchers(Message):
    """Who else is in the session."""

    KIND: ClassVar[str] = "watchers"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    count: int
    driver: int
    """Client that moves the mechanism now, 0 for nobody."""


@dataclass(slots=True)
class Hello(Message):
    """The first message."""

    KIND: ClassVar[str] = "hello"
    schema: str
    session: str | None
    """Session to continue with after a lost connection, or to watch; None for a new one."""
    secret: str | None
    """Proves that this page may change the session; without it, it watches."""
    recover: str | None = None
    """Session whose unsaved work to take over."""
    open: str | None = None
    """Library name or file to begin with."""
    program: ProgramHello | None = None
    """For a program, which is no page. Without a session it joins the one that was used last."""


@dataclass(slots=True)
class Dismiss(Message):
    """Throw away the unsaved work of a session that `Welcome.recovered` lists."""

    KIND: ClassVar[str] = "dismiss"
    request: int
    session: str


@dataclass(slots=True)
class OpenLibrary(Message):
    """Load a mechanism of the library."""

    KIND: ClassVar[str] = "open_library"
    request: int
    name: str
    q: list[float] | None = None
    """The pose it is shown in; None: its start."""


@dataclass(slots=True)
class OpenFile(Message):
    """Load a file of the project folder; those of other formats become RAFF."""

    KIND: ClassVar[str] = "open_file"
    request: int
    file: str


@dataclass(slots=True)
class OpenText(Message):
    """Load a text; those of other formats become RAFF."""

    KIND: ClassVar[str] = "open_text"
    request: int
    text: str
    q: list[float] | None = None
    """The pose it is shown in; None: its start."""
    name: str = ""
    """Of the file that it comes from."""


@dataclass(slots=True)
class CommitPose(Message):
    """The pose where a drag, slider or replay ended: one step of undo."""

    KIND: ClassVar[str] = "commit_pose"
    request: int
    q: list[float]
    label: str
    version: int | None = None
    """Of the snapshot that it belongs to: poses of what was open before come too late."""


@dataclass(slots=True)
class Undo(Message):
    """Take back the last step."""

    KIND: ClassVar[str] = "undo"
    request: int


@dataclass(slots=True)
class Redo(Message):
    """Do again what was taken back."""

    KIND: ClassVar[str] = "redo"
    request: int
