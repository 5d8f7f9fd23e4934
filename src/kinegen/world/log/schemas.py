"""Schemas of the messages in a log, by the names and fields that robot viewers know.

Names and fields are those of Foxglove's message schemas, which Lichtblick shares
(https://docs.foxglove.dev/docs/sdk/schemas).
"""

from __future__ import annotations

from typing import Any

__all__ = ["FLOAT32", "SCHEMAS", "pose_message", "time_message"]

Schema = dict[str, Any]

FLOAT32 = 7
"""Of the fields of grids and clouds of points."""

_NUMBER: Schema = {"type": "number"}
_WHOLE: Schema = {"type": "integer"}
_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_BYTES: Schema = {"type": "string", "contentEncoding": "base64"}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_TIME = _object(sec=_WHOLE, nsec=_WHOLE)
_XYZ = _object(x=_NUMBER, y=_NUMBER, z=_NUMBER)
_QUATERNION = _object(x=_NUMBER, y=_NUMBER, z=_NUMBER, w=_NUMBER)
_POSE = _object(position=_XYZ, orientation=_QUATERNION)
_COLOR = _object(r=_NUMBER, g=_NUMBER, b=_NUMBER, a=_NUMBER)
_BODY = _object(pose=_POSE, size=_XYZ, color=_COLOR)
_CYLINDER = _object(pose=_POSE, size=_XYZ, bottom_scale=_NUMBER, top_scale=_NUMBER, color=_COLOR)
_ARROW = _object(
    pose=_POSE, shaft_length=_NUMBER, shaft_diameter=_NUMBER, head_length=_NUMBER,
    head_diameter=_NUMBER, color=_COLOR,
)  # fmt: skip
_LINE = _object(
    type=_WHOLE, pose=_POSE, thickness=_NUMBER, scale_invariant=_FLAG, points=_list(_XYZ),
    color=_COLOR, colors=_list(_COLOR), indices=_list(_WHOLE),
)  # fmt: skip
_TRIANGLES = _object(
    pose=_POSE, points=_list(_XYZ), color=_COLOR, colors=_list(_COLOR), indices=_list(_WHOLE)
)
_WORDS = _object(
    pose=_POSE, billboard=_FLAG, font_size=_NUMBER, scale_invariant=_FLAG, color=_COLOR, text=_TEXT
)
_FIELDS = _list(_object(name=_TEXT, offset=_WHOLE, type=_WHOLE))
_ENTITY = _object(
    timestamp=_TIME, frame_id=_TEXT, id=_TEXT, lifetime=_TIME, frame_locked=_FLAG,
    metadata=_list(_object(key=_TEXT, value=_TEXT)), arrows=_list(_ARROW), cubes=_list(_BODY),
    spheres=_list(_BODY), cylinders=_list(_CYLINDER), lines=_list(_LINE),
    triangles=_list(_TRIANGLES), texts=_list(_WORDS), models=_list(_object()),
)  # fmt: skip

SCHEMAS: dict[str, Schema] = {
    "Grid": _object(
        timestamp=_TIME, frame_id=_TEXT, pose=_POSE, column_count=_WHOLE,
        cell_size=_object(x=_NUMBER, y=_NUMBER), row_stride=_WHOLE, cell_stride=_WHOLE,
        fields=_FIELDS, data=_BYTES,
    ),
    "FrameTransforms": _object(
        transforms=_list(
            _object(
                timestamp=_TIME, parent_frame_id=_TEXT, child_frame_id=_TEXT, translation=_XYZ,
                rotation=_QUATERNION,
            )
        )
    ),
    "JointStates": _object(
        timestamp=_TIME,
        joints=_list(_object(name=_TEXT, position=_NUMBER, velocity=_NUMBER, effort=_NUMBER)),
    ),
    "Log": _object(
        timestamp=_TIME, level=_WHOLE, message=_TEXT, name=_TEXT, file=_TEXT, line=_WHOLE
    ),
    "SceneUpdate": _object(
        deletions=_list(_object(timestamp=_TIME, type=_WHOLE, id=_TEXT)), entities=_list(_ENTITY)
    ),
    "kinegen.Contacts": _object(
        timestamp=_TIME,
        contacts=_list(_object(position=_XYZ, force=_XYZ, other=_TEXT)),
    ),
    "CompressedImage": _object(timestamp=_TIME, frame_id=_TEXT, data=_BYTES, format=_TEXT),
    "RawImage": _object(
        timestamp=_TIME, frame_id=_TEXT, width=_WHOLE, height=_WHOLE, encoding=_TEXT, step=_WHOLE,
        data=_BYTES,
    ),
    "CameraCalibration": _object(
        timestamp=_TIME, frame_id=_TEXT, width=_WHOLE, height=_WHOLE, distortion_model=_TEXT,
        D=_list(_NUMBER), K=_list(_NUMBER), R=_list(_NUMBER), P=_list(_NUMBER),
    ),
    "LaserScan": _object(
        timestamp=_TIME, frame_id=_TEXT, pose=_POSE, start_angle=_NUMBER, end_angle=_NUMBER,
        ranges=_list(_NUMBER), intensities=_list(_NUMBER),
    ),
    "PointCloud": _object(
        timestamp=_TIME, frame_id=_TEXT, pose=_POSE, point_stride=_WHOLE,
        fields=_list(_object(name=_TEXT, offset=_WHOLE, type=_WHOLE)), data=_BYTES,
    ),
}  # fmt: skip
"""By name behind ``foxglove.``; names with a dot are whole."""


def time_message(nanoseconds: int) -> dict[str, int]:
    """A time as messages have it."""
    return {"sec": nanoseconds // 1_000_000_000, "nsec": nanoseconds % 1_000_000_000}


def pose_message(pose: Any = (1, 0, 0, 0, 0, 0, 0)) -> dict[str, Any]:
    """A pose as messages have it, from its quaternion wxyz and its position."""
    w, x, y, z, a, b, c = (float(number) for number in pose)
    return {
        "position": {"x": a, "y": b, "z": c},
        "orientation": {"x": x, "y": y, "z": z, "w": w},
    }
