"""Camera files: where cameras are, how they see, and where their pictures are, as YAML or JSON."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kinegen.errors import KinegenError, Problem, RaffError, UsageError
from kinegen.hull.camera import PinholeCamera
from kinegen.kernels import Floats
from kinegen.kinematics.scene import placement_pose
from kinegen.raff.reader import Reader
from kinegen.raff.records import Row
from kinegen.raff.rules.numbers import Values, check_numbers
from kinegen.raff.sections.kinds import Key, ListOf, Number, Section, Text
from kinegen.raff.sections.parts import DH_HINTS, NAME_KEY, NOTE_KEY, PLACEMENT_KEYS, XYZ
from kinegen.raff.source import decode, parse_source

__all__ = ["CameraFile", "CameraRow", "read_cameras"]

_PIXELS = ListOf(Number("number", "positive"), (2,), hint="width, height")
_PAIR = ListOf(Number("number"), (2,), hint="x, y in pixels")
CAMERA = Section(
    "a camera",
    {
        "name": NAME_KEY,
        "pixels": Key(_PIXELS, "width and height of its pictures", "[320, 240]"),
        "field_of_view": Key(Number("angle", "positive"), "vertical opening angle", "45 deg"),
        "focal": Key(_PAIR, "fx, fy, instead of the field of view"),
        "centre": Key(_PAIR, "cx, cy: where its axis meets the picture", "the middle"),
        "at": Key(
            Section("at", PLACEMENT_KEYS, DH_HINTS),
            "its placement; it looks along its x axis, z is up",
        ),
        "position": Key(XYZ, "its position, with 'look_at'"),
        "look_at": Key(XYZ, "the point that it looks at, with 'position'"),
        "images": Key(Text(), "the folder of its pictures (PNG), relative to this file"),
        "background": Key(Text(), "a picture without the body (PNG), relative to this file"),
        "note": NOTE_KEY,
    },
    {"distortion": "pictures must be without distortion: correct them first",
     "center": "it is spelt 'centre' here", "fov": "the opening angle is 'field_of_view'",
     "width": "the size of a picture is 'pixels: [width, height]'",
     "xyz": "its placement is 'at: {xyz: […]}'", "rpy": "its placement is 'at: {rpy: […]}'",
     "folder": "the folder of its pictures is 'images'"},
)  # fmt: skip
FILE = Section(
    "a camera file",
    {
        "cameras": Key(ListOf(CAMERA), "the cameras", required=True),
        "box": Key(
            Section("box", {"lower": Key(XYZ, "lower corner", required=True),
                            "upper": Key(XYZ, "upper corner", required=True)}),
            "the space to carve",
            required=True,
        ),
        "threshold": Key(
            Number("number", "not negative"),
            "least difference of a colour between body and background, 0 to 255", "30",
        ),
        "note": NOTE_KEY,
    },
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class CameraRow:
    """One camera of a file, and its pictures."""

    camera: PinholeCamera
    images: Path | None
    background: Path | None


@dataclass(frozen=True, slots=True, eq=False)
class CameraFile:
    """What a camera file declares."""

    path: Path
    rows: tuple[CameraRow, ...]
    box: Floats
    """Lower and upper corner [m], (2, 3)."""
    threshold: float
    """Threshold of background subtraction, 0 to 255."""

    @property
    def cameras(self) -> tuple[PinholeCamera, ...]:
        """The cameras alone."""
        return tuple(row.camera for row in self.rows)


def read_cameras(path: str | os.PathLike[str]) -> CameraFile:
    """Read a camera file.

    Raises:
        RaffError: With every problem of the file, each with its line.
        UsageError: There is no such file.
    """
    file = Path(path)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UsageError(f"camera file '{file}' cannot be read: {error.strerror}") from None
    text, problems = decode(content, str(file))
    if problems:
        raise RaffError(problems)
    source, node, problems = parse_source(text, str(file))
    reader = Reader(source)
    reader.problems = problems
    if node is None:
        raise RaffError(
            problems or [Problem(str(file), 1, 1, "the file is empty; it needs 'cameras', 'box'")]
        )
    root = reader.section(FILE, node, "camera file")
    if isinstance(root, Row):
        check_numbers(reader, root, Values())
    if reader.problems:
        raise RaffError(dict.fromkeys(reader.problems))
    values = root.values
    rows = [_camera(reader, row, file.parent) for row in values["cameras"]]
    _check_rows(reader, values["cameras"], root)
    box = values["box"].values
    if reader.problems:
        raise RaffError(dict.fromkeys(reader.problems))
    corners = np.array([_numbers(box["lower"]), _numbers(box["upper"])])
    threshold = values["threshold"].evaluate({}) if "threshold" in values else 30.0
    if threshold > 255:
        reader.problem(
            root.place("threshold"), f"the threshold must be from 0 to 255, not {threshold:g}"
        )
        raise RaffError(reader.problems)
    return CameraFile(file, tuple(row for row in rows if row is not None), corners, threshold)


def _check_rows(reader: Reader, rows: list[Row], root: Row) -> None:
    if not rows:
        reader.problem(root.place("cameras"), "there must be at least one camera")
    seen: set[str] = set()
    for row in rows:
        if row.values["name"] in seen:
            reader.problem(row.place("name"), f"'{row.values['name']}' is the name of two cameras")
        seen.add(row.values["name"])


def _numbers(formulas: list[Any]) -> list[float]:
    return [float(one.evaluate({})) for one in formulas]


def _camera(reader: Reader, row: Row, folder: Path) -> CameraRow | None:
    values, name = row.values, row.values["name"]
    if ("at" in values) == ("position" in values) or ("position" in values) != (
        "look_at" in values
    ):
        reader.problem(row.node, f"camera '{name}' needs 'at', or 'position' and 'look_at'")
        return None
    if "focal" in values and "field_of_view" in values:
        reader.problem(row.place("focal"), "specify either 'focal' or 'field_of_view'")
        return None
    size = _numbers(values["pixels"]) if "pixels" in values else [320.0, 240.0]
    if any(side != int(side) for side in size):
        reader.problem(row.place("pixels"), "pixels must be whole numbers")
        return None
    width, height = int(size[0]), int(size[1])
    opening = values["field_of_view"].evaluate({}) if "field_of_view" in values else math.pi / 4
    try:
        if "at" in values:
            if not 0 < opening < math.pi:
                raise UsageError("the field of view must be between 0 and 180 deg")
            X_WC = placement_pose(values["at"].values, {})
        else:
            here, there = _numbers(values["position"]), _numbers(values["look_at"])
            X_WC = PinholeCamera.looking_at(name, here, there, field_of_view=opening).X_WC
        far = height / 2 / math.tan(opening / 2)
        fx, fy = _numbers(values["focal"]) if "focal" in values else (far, far)
        cx, cy = _numbers(values["centre"]) if "centre" in values else (width / 2, height / 2)
        camera = PinholeCamera(name, width, height, (fx, fy), (cx, cy), X_WC)
    except KinegenError as error:
        reader.problem(row.node, str(error))
        return None
    places = {key: folder / values[key] for key in ("images", "background") if key in values}
    return CameraRow(camera, places.get("images"), places.get("background"))
