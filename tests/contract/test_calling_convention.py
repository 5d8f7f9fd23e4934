"""One calling convention: ``f(model, q, frame, …, *, options)``, named results, ``save(path)``.

It holds for the functions of all namespaces and for the methods of their classes. What functions
return is one of three things: a result, which has ``save``; a plain value (numbers, texts, arrays,
and lists or mappings of them); or one of the objects below, with which a program continues to work.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kinegen.results import Result
from tests.contract.test_public_names import LISTED

ORDER = ("model", "q", "frame")
"""Positional arguments that come first, in this order."""
SAME = {"qs": "q", "frames": "frame", "source": "model"}
"""Plurals; a source is a model, a mechanism, or what one is loaded from."""
OTHER_WORDS = {"mechanism": "model", "home": "q or start", "guess": "start", "tool_frame": "frame"}
POSES = {"q", "q0", "q1", "qs", "start", "posture"}
"""Names of arguments that take configurations: ``q`` is the pose that an answer is about, and
``start`` where a search begins that may end elsewhere."""

EDITS = {"drive.write_zeros"}
"""They change the text of a mechanism, which a model does not have."""
LEARNING = {"gym.Task.__init__", "gym.Reach.__init__"}
"""``mechanism`` is the keyword of ``gymnasium.make`` there."""
OF_GYMNASIUM = re.compile(r"gym\.\w+Env\.(reset|step)")
"""Their signatures are Gymnasium's."""

VALUES = {
    "AnalyticGeometry", "CameraFile", "Curve", "DeclaredDevice", "Frame", "Handle", "Inertia",
    "Loads", "PinholeCamera", "SE3", "SO3", "State", "Surface", "System", "Targets", "Twist",
    "Volume", "Wrench",
}  # fmt: skip
"""What functions take as arguments."""
LIVING = {
    "Device", "Evaluator", "HapticLink", "Log", "LogPlayer", "Model",
    "Node", "Person", "Pull", "Push", "Robot", "Servo", "Servos", "Signal", "SharedParameters",
    "Touch", "WorldHand", "CloudLook",
    "Arrow", "Button", "Checkbox", "Choice", "Label", "Line", "Mesh", "Plot", "Points", "Readout",
    "Slider", "Trace",
}  # fmt: skip
"""What a program moves, reads or draws with, time and again."""
PARTS = {
    "BacklashRotors", "BoundSolver", "CloudPart", "Counts", "Drag", "EvenPoses",
    "Events", "FlatPart", "Found", "JointTraits", "Look", "ModelJoint",
    "NumberSlot", "Output", "Picture", "Problem", "Reference", "Sample", "SerialPort",
    "Snapshot", "Suspect", "WireInfo", "WireTraffic",
}  # fmt: skip
"""Parts of a model, of a result or of a running object, which a program looks at or passes on."""

TUPLE = re.compile(r"\btuple\[(?![^][]*\.\.\.\])")
"""A tuple whose places mean different things; ``tuple[X, ...]`` is a list."""


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """All public functions by their public path."""
    for path, value in _public():
        if inspect.isfunction(value):
            yield path, value


def methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Public methods, properties and constructors of all public classes, by class and name."""
    for path, kind in _public():
        for one in kind.__mro__ if inspect.isclass(kind) else ():
            own = vars(one).items() if one.__module__.startswith("kinegen") else ()
            # the constructor of a dataclass names the fields of a record, and is no call
            is_record = dataclasses.is_dataclass(one)
            for key, value in own:
                plain = value.fget if isinstance(value, property) else value
                method = getattr(plain, "__func__", plain)
                if inspect.isfunction(method) and (
                    not key.startswith("_") or (key == "__init__" and not is_record)
                ):
                    yield f"{path}.{key}", method


def signatures() -> dict[str, inspect.Signature]:
    """Those of all public functions."""
    return {name: inspect.signature(function) for name, function in functions()}


def calls() -> dict[str, inspect.Signature]:
    """Those of all public functions and methods."""
    return signatures() | {name: inspect.signature(method) for name, method in methods()}


def test_positional_arguments_come_in_one_order() -> None:
    wrong = set()
    for name, signature in calls().items():
        positional = [
            SAME.get(one.name, one.name)
            for one in signature.parameters.values()
            if one.kind is one.POSITIONAL_OR_KEYWORD and one.name not in ("self", "cls")
        ]
        leading = [one for one in ORDER if one in positional]
        if positional[: len(leading)] != leading:
            wrong.add(name)
    refused("order", wrong)


def test_a_mechanism_is_taken_wherever_a_model_is() -> None:
    wrong = set()
    for name, signature in calls().items():
        for one in signature.parameters.values():
            given = str(one.annotation)
            one_alone = one.name != "other" and re.fullmatch(
                r"(.*\| )?(Model|Mechanism)\b.*", given
            )
            if one_alone or (one.name == "model" and "AnyModel" not in given):
                wrong.add(name)
    # made by Kinegen alone
    inner = {"Model.__init__", "kinematics.Solution.__init__"}
    refused("mechanism or model", wrong - EDITS - inner)


def test_one_word_for_each_thing() -> None:
    wrong = set()
    for name, signature in calls().items():
        for one in signature.parameters.values():
            is_pose = "Configuration" in str(one.annotation)
            is_other = one.name in OTHER_WORDS and name not in EDITS | LEARNING
            if is_other or (is_pose and one.name not in POSES):
                wrong.add(f"{name}({one.name})")
            is_number = re.fullmatch(r"int( \| None)?", str(one.annotation))
            if one.name == "seed" and not (is_number or OF_GYMNASIUM.fullmatch(name)):
                wrong.add(f"{name}({one.name})")
    refused("words", wrong)


def test_results_have_named_fields() -> None:
    refused("tuples", {
        name for name, signature in calls().items()
        if TUPLE.search(str(signature.return_annotation)) and not OF_GYMNASIUM.fullmatch(name)
    })  # fmt: skip


def test_every_result_can_be_saved() -> None:
    known, wrong, unused = VALUES | LIVING | PARTS, set(), VALUES | LIVING | PARTS
    for name, call in [*functions(), *methods()]:
        for kind in _returned(call):
            if issubclass(kind, enum.Enum) or _is_named_tuple(kind) or hasattr(kind, "save"):
                continue
            unused.discard(kind.__name__)
            if kind.__name__ not in known:
                wrong.add(f"{name} -> {kind.__name__}")
    refused("save", wrong)
    assert unused == set(), "nothing returns these any more"


def test_several_results_are_a_list_that_can_be_saved() -> None:
    several = re.compile(r"\b(list|tuple|Sequence)\[(\w+)")
    wrong = set()
    for name, call in [*functions(), *methods()]:
        for _, kind in several.findall(str(inspect.signature(call).return_annotation)):
            found = getattr(sys.modules[call.__module__], kind, None)
            if inspect.isclass(found) and issubclass(found, Result):
                wrong.add(name)
    refused("ResultList", wrong)


def refused(kind: str, found: set[str]) -> None:
    assert not found, f"{kind}: these do not follow the convention"


def _public() -> Iterator[tuple[str, Any]]:
    for package in LISTED:
        for name in package.__all__:
            path = f"{package.__name__}.{name}".removeprefix("kinegen.")
            yield path, getattr(package, name)


def _returned(call: Callable[..., Any]) -> Iterator[type]:
    """Kinegen's own classes in what a function is annotated to return."""
    names: Mapping[str, Any] = vars(sys.modules[call.__module__])
    annotation = re.sub(r"Literal\[.*?\]", "", str(inspect.signature(call).return_annotation))
    for word in re.findall(r"[A-Za-z_]\w*", annotation):
        kind = names.get(word)
        if inspect.isclass(kind) and kind.__module__.startswith("kinegen"):
            yield kind


def _is_named_tuple(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields")
