"""Messages between studio and page; ``web/src/wire/messages.ts`` is generated from them.

Text frames carry one message as JSON: ``{"kind": …, …}``. Binary frames carry poses, pieces
of results (`wire/frames.py`) and running simulations (`live/frames.py`).
A message is a *snapshot* (the latest wins; a newcomer gets it) or an *event* (ordered, never lost);
each class says which in ``DELIVERY``. Questions are in `wire/questions`.
"""

from kinegen.studio.wire.message import Message
from kinegen.studio.wire.messages.mechanism import (
    DeviceData,
    FrameData,
    JointData,
    LoopData,
    ModelData,
    MotorMode,
    NumberData,
    ObjectData,
    ParameterData,
    Quantity,
    VariableData,
)
from kinegen.studio.wire.messages.motion import ChangeMotion, MotionData, RecordSamples, StoreMotion
from kinegen.studio.wire.messages.session import (
    CommitPose,
    Dismiss,
    Hello,
    Keeping,
    LibraryEntry,
    Notice,
    OpenMechanism,
    RecoveredData,
    Redo,
    Snapshot,
    Undo,
    Watchers,
    Welcome,
)
from kinegen.studio.wire.messages.simulation import (
    Release,
    SetTarget,
    Simulate,
    Simulation,
    TargetKind,
    Touch,
)
from kinegen.studio.wire.messages.text import (
    ConflictData,
    Disk,
    EditStructure,
    EditText,
    Files,
    ProblemData,
    Save,
    SetNumbers,
    TakeFromDisk,
)
from kinegen.studio.wire.messages.work import Analyse, Cancel, Done, Export, Progress, Refused
from kinegen.studio.wire.questions import QUESTIONS

__all__ = [
    "FROM_PAGE",
    "TO_PAGE",
    "Analyse",
    "Cancel",
    "ChangeMotion",
    "CommitPose",
    "ConflictData",
    "DeviceData",
    "Disk",
    "Dismiss",
    "Done",
    "EditStructure",
    "EditText",
    "Export",
    "Files",
    "FrameData",
    "Hello",
    "JointData",
    "Keeping",
    "LibraryEntry",
    "LoopData",
    "Message",
    "ModelData",
    "MotionData",
    "MotorMode",
    "Notice",
    "NumberData",
    "ObjectData",
    "OpenMechanism",
    "ParameterData",
    "ProblemData",
    "Progress",
    "Quantity",
    "RecordSamples",
    "RecoveredData",
    "Redo",
    "Refused",
    "Release",
    "Save",
    "SetNumbers",
    "SetTarget",
    "Simulate",
    "Simulation",
    "Snapshot",
    "StoreMotion",
    "TakeFromDisk",
    "TargetKind",
    "Touch",
    "Undo",
    "VariableData",
    "Watchers",
    "Welcome",
]

TO_PAGE: tuple[type[Message], ...] = (
    Welcome, Snapshot, Refused, Disk, Files, Notice, Keeping, Progress, Done, Watchers,
    Simulation,
)  # fmt: skip
FROM_PAGE: tuple[type[Message], ...] = (
    Hello, Dismiss, OpenMechanism, EditText, SetNumbers, EditStructure, CommitPose, Undo, Redo,
    Save, TakeFromDisk, StoreMotion, ChangeMotion, RecordSamples, Export, Analyse, Simulate, Touch,
    Release, SetTarget, Cancel, *QUESTIONS,
)  # fmt: skip
