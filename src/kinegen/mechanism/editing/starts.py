"""Where joints start, written back into a mechanism's text."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.editing.numbers import GUIDES, part_of, robot_of
from kinegen.mechanism.editing.structure import set_key, set_values
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.raff.document import Document, Path

__all__ = ["write_starts"]


def write_starts(
    mechanism: Mechanism, model: Model, q: Floats, joints: Iterable[str] | None = None
) -> None:
    """Make a configuration the file's start: ``start`` of these joints, or of all, is set to it.

    Angles are written in degrees, with all the digits that closed loops need. A mode that the
    file names is removed: the starts say it now.
    """
    names = {joint.name for joint in model.joints} if joints is None else set(joints)
    values: list[tuple[str, str, Any]] = []
    own = mechanism.document
    written = own.names("joints") if own is not None else set()
    guides = own.names(GUIDES) if own is not None else set()
    for joint in model.joints:
        if joint.name not in names or joint.q.stop == joint.q.start:
            continue
        guide, start = part_of(joint.name, guides), _start(joint, q[joint.q].tolist())
        if guide:
            _add_guide(values, guide, joint.name.removeprefix(f"{guide}."), start, q, model)
            continue
        if own is not None and joint.name not in written:
            robot = robot_of(own, joint.name)
            raise UsageError(
                f"joint '{joint.name}' belongs to the included robot '{robot}': write its start in "
                "its own file"
            )
        values.append((joint.name, "start", start))
    if own is not None:
        _check_repeated(own, values)
    if values:
        set_values(mechanism, values)
    if mechanism.mode is not None:
        set_key(mechanism, "mode", None)


def _add_guide(
    values: list[tuple[str, str, Any]], guide: str, part: str, start: Any, q: Floats, model: Model
) -> None:
    """The start of one joint of a guide, by the keys of the guide's row."""
    if part == "point":
        values.append((guide, "turn", start))
    elif part == "s":
        values.append((guide, "start", start))
    elif f"{guide}.s" in model.link_names:
        return  # x, y and z of a curve follow from the place along it
    elif not any(one[:2] == (guide, "start") for one in values):  # x and y together
        both = [float(q[model.joint(f"{guide}.{axis}").q][0]) for axis in "xy"]
        values.append((guide, "start", [_written(x, "length") for x in both]))


def _check_repeated(document: Document, values: list[tuple[str, str, Any]]) -> None:
    """Joints that are written once have one start."""
    written = {
        name: path
        for section in ("joints", GUIDES)
        for path, name, _, _ in document.named_rows(section)
    }
    starts: dict[Path, tuple[str, Any]] = {}
    for name, key, start in values:
        other, known = starts.setdefault((*written[name], key), (name, start))
        if known != start:
            raise UsageError(
                f"joints '{other}' and '{name}' would start differently, but are written once "
                f"(repeat: {document.repeats(written[name])}): write them out first"
            )


def _start(joint: ModelJoint, values: list[float]) -> Any:
    if joint.type.info.floats:
        return {"quat": values[:4], "xyz": values[4:]}
    if joint.type.info.has_quaternion:
        return values
    kinds = [kind for _, kind in joint.type.info.variables]
    texts = [_written(x, kind) for x, kind in zip(values, kinds, strict=True)]
    return texts[0] if len(texts) == 1 else texts


def _written(value: float, kind: str) -> float | str:
    """Degrees with 13 digits: a billionth of a millimetre on an arm of a metre."""
    if kind != "angle":
        return float(f"{value:.13g}") + 0.0
    return f"{math.degrees(value) + 0.0:.13g} deg"
