"""What stands around a mechanism, as the page takes it: objects, devices, recorded motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kinegen.errors import KinegenError
from kinegen.kernels import Floats
from kinegen.kinematics.positions import forward
from kinegen.mechanism.graph import PLACEMENT_KEYS, Mechanism, PlacementKind
from kinegen.mechanism.model import Model
from kinegen.spatial import SE3, SO3
from kinegen.studio.wire.messages import DeviceData, MotionData, ObjectData
from kinegen.studio.wire.model_data import shape_data

__all__ = ["device_data", "motion_data", "object_data"]

Entry = Mapping[str, Any]


def object_data(
    mechanism: Mechanism, model: Model, q: Floats | None = None, folder: str = ""
) -> list[ObjectData]:
    """The objects of the scene where they are at the start, in the world."""
    values = dict(model.parameters)
    places = {
        name: SE3.from_pose(row)
        for name, row in zip(model.site_names, forward(model, q), strict=True)
    }
    found = []
    for entry in _entries(mechanism, "objects"):
        at = entry.get("at", {})
        X_WO = places.get(at.get("parent", "base")) or SE3.identity()
        if len(at) > ("parent" in at):
            X_WO = X_WO @ _placement(at, values)
        found.append(
            ObjectData(
                name=entry["name"],
                shape=shape_data(entry["shape"], values, folder),
                pose=X_WO.pose.tolist(),
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


def _placement(at: Entry, values: Mapping[str, float]) -> SE3:
    """The pose that the keys of a row give, in Kleinfinger numbers or as xyz and rpy."""
    if "xyz" in at or "rpy" in at:
        xyz = np.array([_number(x, values) for x in at.get("xyz", (0, 0, 0))], dtype=float)
        roll, pitch, yaw = (float(_number(x, values)) for x in at.get("rpy", (0, 0, 0)))
        return SE3(SO3.from_rpy(roll, pitch, yaw), xyz)
    keys = PLACEMENT_KEYS[PlacementKind.KLEINFINGER]
    gamma, b, alpha, d, theta, r = (float(_number(at.get(key, 0.0), values)) for key in keys)
    turned = SE3(SO3.from_rpy(0, 0, gamma), np.array([0, 0, b]))
    tilted = SE3(SO3.from_rpy(alpha, 0, 0)) @ SE3(SO3.identity(), np.array([d, 0, 0]))
    return turned @ tilted @ SE3(SO3.from_rpy(0, 0, theta), np.array([0, 0, r]))


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
