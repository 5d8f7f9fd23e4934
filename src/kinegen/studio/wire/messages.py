"""Messages between studio and page; ``web/src/wire/messages.ts`` is generated from this file.

Text frames carry one message as JSON: ``{"kind": …, …}``. Binary frames carry poses, pieces
of results (`frames.py`) and running simulations (`live_frames.py`).
A message is a *snapshot* (the latest wins; a newcomer gets it) or an *event* (ordered, never lost);
each class says which in ``DELIVERY``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from kinegen.studio.wire.message import Delivery, Message
from kinegen.studio.wire.questions import QUESTIONS

__all__ = ["FROM_PAGE", "TO_PAGE", "Message"]

Quantity = Literal["angle", "length", "number"]
MotorMode = Literal["position", "velocity", "torque", "computed"]
TargetKind = Literal["position", "velocity", "effort"]


# What a mechanism is, for the page


@dataclass(slots=True)
class VariableData:
    """One freedom of a joint."""

    name: str
    """Such as 'theta' or 'r'."""
    quantity: Quantity
    motor: bool
    mode: MotorMode = "position"
    """What its motor follows in a simulation."""


@dataclass(slots=True)
class JointData:
    """A joint's place in the arrays, as in ``Model.joints``."""

    name: str
    type: str
    parent: int
    child: int
    q: int
    """First of its numbers in q."""
    nq: int
    v: int
    """First of its freedoms in v."""
    nv: int
    placement: int
    is_cut: bool
    variables: list[VariableData]
    """One per freedom; a spherical joint has none that a slider could move."""
    editable: bool
    """False for joints of an included robot: their rows are in another file."""


@dataclass(slots=True)
class LoopData:
    """A loop: its cut joint, and the placement of the frame where that joint lands."""

    joint: int
    placement: int


@dataclass(slots=True)
class FrameData:
    """A named frame on a link."""

    name: str
    link: int
    placement: int
    editable: bool


@dataclass(slots=True)
class ParameterData:
    """A parameter: a slider when it is free, a read-out when it follows a formula."""

    name: str
    index: int
    """For the kernels' ``kg_set_parameter``."""
    text: str
    """As written in the file."""
    formula: bool
    """Whether it follows other parameters."""
    quantity: Quantity
    minimum: float | None
    maximum: float | None
    note: str | None


@dataclass(slots=True)
class NumberData:
    """A number of a joint or frame, such as ``d`` of joint B or ``closes.d`` of joint C."""

    owner: str
    key: str
    index: int
    """For the kernels' ``kg_set_number``; its value is ``reals[index]``."""
    text: str
    """As written in the file, '' where it is left out."""
    formula: bool
    """Whether it follows parameters."""
    quantity: Quantity


@dataclass(slots=True)
class ModelData:
    """A compiled model: the kernels' two blocks and the names that lead into them."""

    name: str
    ints: str
    """int32, little endian, base64."""
    reals: str
    """float64, little endian, base64; parameters, numbers and transforms as they are now."""
    start: list[float]
    """The file's starting q, loops closed where they can be."""
    links: list[str]
    link_shapes: list[Any]
    """Per link as in the file, numbers worked out: 'auto', 'none', a mesh file, a mapping, …"""
    link_colors: list[str | None]
    joints: list[JointData]
    loops: list[LoopData]
    frames: list[FrameData]
    parameters: list[ParameterData]
    numbers: list[NumberData]
    planar: bool
    """Whether everything moves in one plane, so that a 2D view makes sense."""


@dataclass(slots=True)
class ObjectData:
    """A free object of the scene."""

    name: str
    shape: Any
    pose: list[float]
    """Quaternion wxyz, then xyz [m]."""
    color: str | None
    fixed: bool


@dataclass(slots=True)
class DeviceData:
    """An input device declared in the file."""

    name: str
    type: str
    moves: list[str]
    """Frames, links, joints or parameters."""
    mode: Literal["absolute", "incremental"]
    scale: float
    rotation_scale: float
    axes: dict[str, Any]


@dataclass(slots=True)
class MotionData:
    """A recorded motion: a table of joint values over time."""

    name: str
    joints: list[str]
    times: list[float]
    """[s]"""
    values: list[list[float]]
    """One row per time, the numbers of the joints in order."""
    interpolation: Literal["linear", "cubic"]
    note: str | None


@dataclass(slots=True)
class ProblemData:
    """Something wrong in the text, and what would be right."""

    line: int
    """From 1; 0 where it belongs to no place."""
    column: int
    """From 1."""
    message: str


# From the studio to the page


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
    files: list[str]
    """RAFF files of the project folder, by path."""
    folder: str
    """Name of the project folder."""
    recovered: list[RecoveredData]
    watch_link: str
    """Path and query under which others can watch this session."""


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


@dataclass(slots=True)
class ConflictData:
    """What somebody else made of the text that the page has."""

    where: Literal["disk", "session"]
    """In the file, or in the session by another page."""
    file: str | None
    theirs: str | None
    """The other text; None where the file is gone, or is no text."""
    version: str
    """Names it: sent back to replace it, or to take it over, knowingly."""


@dataclass(slots=True)
class Refused(Message):
    """A request was not carried out; nothing has changed."""

    KIND: ClassVar[str] = "refused"
    request: int
    message: str
    conflict: ConflictData | None = None
    """Why, where somebody else was faster: the user has to choose."""


@dataclass(slots=True)
class Disk(Message):
    """Whether the session's file holds something that neither was read nor written here."""

    KIND: ClassVar[str] = "disk"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    conflict: ConflictData | None


@dataclass(slots=True)
class Files(Message):
    """RAFF files of the project folder, by path, after some appeared or went."""

    KIND: ClassVar[str] = "files"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    files: list[str]


@dataclass(slots=True)
class Notice(Message):
    """Something to tell the user."""

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
class Progress(Message):
    """How far a long piece of work is."""

    KIND: ClassVar[str] = "progress"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    request: int
    label: str
    share: float | None
    """0 … 1, None where it cannot be told."""


@dataclass(slots=True)
class Done(Message):
    """A request was carried out."""

    KIND: ClassVar[str] = "done"
    request: int
    result: Any
    """What was asked for, as the request describes it; null where nothing was."""


@dataclass(slots=True)
class Watchers(Message):
    """Who else is in the session."""

    KIND: ClassVar[str] = "watchers"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    count: int
    driver: int
    """Client that moves the mechanism now, 0 for nobody."""


@dataclass(slots=True)
class Simulation(Message):
    """How the live simulation of the session stands; its numbers come as binary frames."""

    KIND: ClassVar[str] = "simulation"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    phase: Literal["off", "starting", "running", "paused", "stopped"]
    """'stopped': it ended by itself, for the reason given."""
    reason: str
    settings: dict[str, Any]
    """As in ``LiveSettings``."""
    remarks: list[str]
    """What is doubtful about the mechanism's masses."""
    objects: list[str]
    """Objects of the scene that move by themselves, in the order of the frames."""
    owner: int
    """Client that gets the frames, 0 for nobody; others follow by poses."""
    plan: dict[str, Any] | None = None
    """Of a motion that is followed, what it would hit: ``distance`` [m] or None, ``link``,
    ``object``, and the times ``from`` and ``to`` [s] or None."""
    unknown: str = ""
    """Why forces in the joints cannot be told, in words; '' where they can."""


# From the page to the studio. `request` is the page's number for the answer.


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


@dataclass(slots=True)
class Dismiss(Message):
    """Throw away the unsaved work of a session that `Welcome.recovered` lists."""

    KIND: ClassVar[str] = "dismiss"
    request: int
    session: str


@dataclass(slots=True)
class OpenMechanism(Message):
    """Load a mechanism: a library name, a file of the project folder, or a text."""

    KIND: ClassVar[str] = "open"
    request: int
    source: Literal["library", "file", "text"]
    value: str
    q: list[float] | None = None


@dataclass(slots=True)
class EditText(Message):
    """The whole text as it is in the editor now."""

    KIND: ClassVar[str] = "edit_text"
    request: int
    text: str
    base: int | None = None
    """Version of the snapshot whose text it was made from; what others changed since is merged, or
    the edit refused with a conflict. None: that of this page's own last change."""


@dataclass(slots=True)
class SetNumbers(Message):
    """Numbers of parameters, joints and frames, set in the text: one step of undo."""

    KIND: ClassVar[str] = "set_numbers"
    request: int
    changes: list[tuple[str | None, str, float | str]]
    """(owner or None for a parameter, key, value [SI] or formula)."""
    label: str = ""


@dataclass(slots=True)
class EditStructure(Message):
    """A change of structure, as the methods of ``Mechanism`` do it."""

    KIND: ClassVar[str] = "edit_structure"
    request: int
    verb: Literal[
        "add_joint",
        "remove_joint",
        "add_frame",
        "remove_frame",
        "add_parameter",
        "remove_parameter",
        "rename",
        "rename_parameter",
        "set_value",
        "set_section",
        "write_pose",
    ]
    arguments: dict[str, Any]


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


@dataclass(slots=True)
class Save(Message):
    """Write the text to a file of the project folder."""

    KIND: ClassVar[str] = "save"
    request: int
    file: str
    overwrite: str | None = None
    """Version of a file with other content that is to be replaced, as `ConflictData` names it."""


@dataclass(slots=True)
class TakeFromDisk(Message):
    """Take over the text of the session's file as it is on disk: one step of undo."""

    KIND: ClassVar[str] = "take_from_disk"
    request: int
    version: str
    """As `ConflictData` names it; refused when it has changed again."""


@dataclass(slots=True)
class StoreMotion(Message):
    """Keep a motion in the mechanism's text, in place of one of the same name."""

    KIND: ClassVar[str] = "store_motion"
    request: int
    motion: MotionData


@dataclass(slots=True)
class ChangeMotion(Message):
    """Remove, rename, trim, smooth or resample a stored motion."""

    KIND: ClassVar[str] = "change_motion"
    request: int
    name: str
    verb: Literal["remove", "rename", "trim", "smooth", "resample", "speed"]
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class RecordSamples(Message):
    """Part of a recording in progress, so that a lost page loses nothing."""

    KIND: ClassVar[str] = "record_samples"
    name: str
    start: bool
    times: list[float]
    values: list[list[float]]


@dataclass(slots=True)
class Export(Message):
    """Make a file for download, such as page, gltf, csv, json, svg or raff."""

    KIND: ClassVar[str] = "export"
    request: int
    format: str
    q: list[float]
    motion: str | None = None


@dataclass(slots=True)
class Analyse(Message):
    """Work that the studio does for the page."""

    KIND: ClassVar[str] = "analyse"
    request: int
    what: Literal["cloud", "zone", "boundary", "path"]
    q: list[float]
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Simulate(Message):
    """An order to the live simulation; 'start' makes one, with settings, at a pose."""

    KIND: ClassVar[str] = "simulate"
    request: int
    verb: Literal["start", "play", "pause", "step", "set", "undo", "end"]
    settings: dict[str, Any] = field(default_factory=dict)
    """For start and set: as in ``LiveSettings``."""
    q: list[float] | None = None
    run: bool = True
    """For start: whether it runs at once."""
    count: int = 1
    """For step."""


@dataclass(slots=True)
class Touch(Message):
    """A hand on the running simulation: takes hold or has moved; no answer."""

    KIND: ClassVar[str] = "touch"
    hand: int
    """The page's number for it."""
    site: str
    """Link, frame or object."""
    point: tuple[float, float, float]
    """In its axes [m]."""
    target: tuple[float, float, float]
    """Where the hand or the tip is [m]."""
    normal: tuple[float, float, float] | None = None
    """Of the surface, world axes: a push; None: a pull."""
    quat: tuple[float, float, float, float] | None = None
    """How the site should be turned, wxyz: a pull that holds the whole pose; None: its place."""


@dataclass(slots=True)
class Release(Message):
    """A hand lets go of the running simulation; no answer."""

    KIND: ClassVar[str] = "release"
    hand: int


@dataclass(slots=True)
class SetTarget(Message):
    """Where a motor of the running simulation should be, how fast or how hard; no answer."""

    KIND: ClassVar[str] = "set_target"
    joint: str
    values: list[float]
    """Numbers of q for a position [rad, m], of v else [rad/s, m/s; N m, N]."""
    what: TargetKind = "position"


@dataclass(slots=True)
class Cancel(Message):
    """Stop a request that is still at work."""

    KIND: ClassVar[str] = "cancel"
    request: int


TO_PAGE: tuple[type[Message], ...] = (
    Welcome, Snapshot, Refused, Disk, Files, Notice, Keeping, Progress, Done, Watchers,
    Simulation,
)  # fmt: skip
FROM_PAGE: tuple[type[Message], ...] = (
    Hello, Dismiss, OpenMechanism, EditText, SetNumbers, EditStructure, CommitPose, Undo, Redo,
    Save, TakeFromDisk, StoreMotion, ChangeMotion, RecordSamples, Export, Analyse, Simulate, Touch,
    Release, SetTarget, Cancel, *QUESTIONS,
)  # fmt: skip
