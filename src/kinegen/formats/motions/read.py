"""Reading of motions: of the file itself, tables of joint values, and logs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np

from kinegen.errors import FormatError, did_you_mean
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.headings import joint_headings
from kinegen.motion.recording import Recording
from kinegen.world.log.read import read_log

__all__ = ["read_motion"]

SUFFIXES = (".csv", ".json", ".mcap")


def read_motion(model: AnyModel, source: str) -> Recording:
    """A motion of a mechanism.

    Args:
        model: The mechanism or its model.
        source: Name of a motion in its file; a table as recordings, paths and runs are saved
            (``.csv``); a recording (``.json``); a log of a world (``.mcap``).

    Raises:
        FormatError: There is no such motion, or the file is none.
    """
    model = model_of(model)
    kept = {row["name"]: row for row in model.compiled_from.scene.get("motions", [])}
    if source in kept:
        return Recording.from_dict(model, kept[source])
    path = Path(source)
    if path.suffix.lower() not in SUFFIXES:
        names = f"; motions of '{model.name}': {', '.join(kept)}" if kept else ""
        raise FormatError(
            f"'{source}' is not a motion of '{model.name}'{did_you_mean(source, kept)}; specify a "
            f"file ({', '.join(SUFFIXES)}){names}"
        )
    if path.suffix.lower() == ".mcap":
        return read_log(path).recording(model)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FormatError(f"{source}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise FormatError(f"{source}: this is not a text file") from None
    return (_of_json if path.suffix.lower() == ".json" else _of_csv)(model, source, text)


def _of_json(model: AnyModel, source: str, text: str) -> Recording:
    try:
        return Recording.from_dict(model, json.loads(text))
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise FormatError(
            f"{source}: this is not a recording ({type(error).__name__}: {error}); it needs name, "
            "joints, times and values"
        ) from None


def _of_csv(model: AnyModel, source: str, text: str) -> Recording:
    model = model_of(model)
    rows = [row for row in csv.reader(text.splitlines()) if row]
    if len(rows) < 2 or "time [s]" not in rows[0]:
        raise FormatError(f"{source}: a motion needs a header with 'time [s]', and rows")
    head = rows[0]
    moving = {
        joint.name: joint_headings(joint)
        for joint in model.joints
        if joint.q.stop > joint.q.start and all(one in head for one in joint_headings(joint))
    }
    if not moving:
        wanted = next(
            (one for joint in model.joints for one in joint_headings(joint)), "joint [rad]"
        )
        raise FormatError(
            f"{source}: no column is a joint of '{model.name}'; a column is named like '{wanted}'"
        )
    columns = [head.index(one) for headings in moving.values() for one in headings]
    at, table = head.index("time [s]"), []
    for number, row in enumerate(rows[1:], start=2):
        try:
            table.append([float(row[i]) for i in (at, *columns)])
        except (ValueError, IndexError):
            raise FormatError(
                f"{source}, line {number}: the value of a joint is missing; a path can be played "
                "only if all of its points are reached"
            ) from None
    numbers = np.array(table)
    name = Path(source).stem
    return Recording(model, tuple(moving), numbers[:, 0], numbers[:, 1:], name)
