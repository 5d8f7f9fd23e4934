"""What stands around a mechanism, as the page takes it: objects, devices, recorded motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kinegen.errors import KinegenError
from kinegen.kernels import Floats
from kinegen.kinematics.scene import object_poses
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.studio.wire.messages import DeviceData, MotionData, ObjectData
from kinegen.studio.wire.model_data import shape_data

__all__ = ["device_data", "motion_data", "object_data"]

Entry = Mapping[str, Any]


def object_data(
    mechanism: Mechanism, model: Model, q: Floats | None = None, folder: str = ""
) -> list[ObjectData]:
    """The objects of the scene where they are at the start, in the world."""
    values = dict(model.parameters)
    places = object_poses(mechanism, model, q)
    found = []
    for entry in _entries(mechanism, "objects"):
        found.append(
            ObjectData(
                name=entry["name"],
                shape=shape_data(entry["shape"], values, folder),
                pose=places[entry["name"]].pose.tolist(),
                color=entry.get("color"),
                fixed=bool(entry.get("fixed", False)),
            )
        )
    return found


def device_data(mechanism: Mechanism, model: Model) -> list[DeviceData]:
    """The input devices that the file declares."""
    values = dict(model.parameters)
    found = []
    for entry in _entries(mechanism, "devices"):
        moves = entry.get("moves", [])
        found.append(
            DeviceData(
                name=entry["name"],
                type=entry["type"],
                moves=[moves] if isinstance(moves, str) else list(moves),
                mode="absolute" if entry.get("mode") == "absolute" else "incremental",
                scale=float(_number(entry.get("scale", 1.0), values)),
                rotation_scale=float(_number(entry.get("rotation_scale", 1.0), values)),
                axes=_plain(entry.get("axes") or {}, values),
            )
        )
    return found


def motion_data(mechanism: Mechanism, model: Model) -> list[MotionData]:
    """The recorded motions."""
    values = dict(model.parameters)
    found = []
    for entry in _entries(mechanism, "motions"):
        found.append(
            MotionData(
                name=entry["name"],
                joints=list(entry["joints"]),
                times=[float(_number(time, values)) for time in entry["times"]],
                values=[[float(_number(x, values)) for x in row] for row in entry["values"]],
                interpolation="cubic" if entry.get("interpolation") == "cubic" else "linear",
                note=entry.get("note"),
            )
        )
    return found


def _entries(mechanism: Mechanism, section: str) -> Sequence[Entry]:
    entries: Sequence[Entry] = mechanism.scene.get(section, ())
    return entries


def _number(value: Any, values: Mapping[str, float]) -> Any:
    evaluate = getattr(value, "evaluate", None)
    return value if evaluate is None else evaluate(values)


def _plain(value: Any, values: Mapping[str, float]) -> Any:
    """Anything of a file as JSON takes it."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner, values) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(inner, values) for inner in value]
    try:
        return _number(value, values)
    except KinegenError:
        return getattr(value, "text", None)
