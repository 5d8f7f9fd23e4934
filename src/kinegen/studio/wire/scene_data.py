"""What stands around a mechanism, as the page takes it: objects, lights, devices, motions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, Required, TypedDict, cast

from kinegen.errors import KinegenError
from kinegen.kernels import Floats
from kinegen.kinematics.positions import poses
from kinegen.kinematics.scene import object_poses, placement_pose
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.model import Model
from kinegen.raff.formulas.formula import Formula
from kinegen.spatial.pose import SE3
from kinegen.studio.wire.message import Json
from kinegen.studio.wire.messages import DeviceData, LightData, MotionData, ObjectData, WorldData
from kinegen.studio.wire.model_data import shape_data
from kinegen.world.settings import STEP, Settings

__all__ = ["device_data", "light_data", "motion_data", "object_data", "world_data"]

Number = Formula | float
Written = Number | str | bool | Sequence["Written"] | Mapping[str, "Written"] | None
"""Anything of a file, its numbers as formulas."""


class ObjectEntry(TypedDict, total=False):
    """A row of ``objects``, as the grammar lets it pass."""

    name: Required[str]
    shape: Required[Written]
    color: str
    fixed: bool


class LightEntry(TypedDict, total=False):
    """A row of ``lights``."""

    name: Required[str]
    type: Required[Literal["directional", "point"]]
    parent: str
    at: Mapping[str, Written]
    direction: Sequence[Number]
    color: str
    intensity: Number


class DeviceEntry(TypedDict, total=False):
    """A row of ``devices``."""

    name: Required[str]
    type: Required[str]
    moves: str | Sequence[str]
    mode: Literal["absolute", "incremental"]
    scale: Number
    rotation_scale: Number
    axes: Mapping[str, Written] | None


class MotionEntry(TypedDict, total=False):
    """A row of ``motions``."""

    name: Required[str]
    joints: Required[Sequence[str]]
    times: Required[Sequence[Number]]
    values: Required[Sequence[Sequence[Number]]]
    interpolation: Literal["cubic", "linear"]
    note: str


def object_data(
    mechanism: Mechanism, model: Model, q: Floats | None = None, folder: str = ""
) -> list[ObjectData]:
    """The objects of the scene where they are at the start, in the world."""
    values = dict(model.parameters)
    places = object_poses(mechanism, model, q)
    return [
        ObjectData(
            name=entry["name"],
            shape=shape_data(entry["shape"], values, folder),
            pose=places[entry["name"]].pose.tolist(),
            color=entry.get("color"),
            fixed=bool(entry.get("fixed", False)),
        )
        for entry in cast(Sequence[ObjectEntry], mechanism.scene.get("objects", ()))
    ]


def light_data(mechanism: Mechanism, model: Model) -> list[LightData]:
    """The lights that the file declares, on the links and objects that carry them."""
    values = dict(model.parameters)
    entries = cast(Sequence[LightEntry], mechanism.scene.get("lights", ()))
    there = poses(model, model.zero()) if entries else {}
    found = []
    for entry in entries:
        node, X_NL = entry.get("parent", model.link_names[0]), SE3.identity()
        if node in model.site_names:
            link = mechanism.link_of(node)
            node, X_NL = link, there[link].inverse() @ there[node]
        if "at" in entry:
            X_NL = X_NL @ placement_pose(entry["at"], values)
        along = [_number(one, values) for one in entry.get("direction", (0.0, 0.0, -1.0))]
        found.append(
            LightData(
                name=entry["name"],
                type=entry["type"],
                node=node,
                place=X_NL.pose.tolist(),
                direction=[one / (math.hypot(*along) or 1.0) for one in along],
                color=entry.get("color", "white"),
                intensity=_number(entry.get("intensity", 1.0), values),
            )
        )
    return found


def device_data(mechanism: Mechanism, model: Model) -> list[DeviceData]:
    """The input devices that the file declares."""
    values = dict(model.parameters)
    found = []
    for entry in cast(Sequence[DeviceEntry], mechanism.scene.get("devices", ())):
        moves = entry.get("moves", [])
        axes = entry.get("axes") or {}
        found.append(
            DeviceData(
                name=entry["name"],
                type=entry["type"],
                moves=[moves] if isinstance(moves, str) else list(moves),
                mode=entry.get("mode", "incremental"),
                scale=_number(entry.get("scale", 1.0), values),
                rotation_scale=_number(entry.get("rotation_scale", 1.0), values),
                axes={key: _plain(value, values) for key, value in axes.items()},
            )
        )
    return found


def motion_data(mechanism: Mechanism, model: Model) -> list[MotionData]:
    """The recorded motions."""
    values = dict(model.parameters)
    return [
        MotionData(
            name=entry["name"],
            joints=list(entry["joints"]),
            times=[_number(time, values) for time in entry["times"]],
            values=[[_number(x, values) for x in row] for row in entry["values"]],
            interpolation=entry.get("interpolation", "linear"),
            note=entry.get("note"),
        )
        for entry in cast(Sequence[MotionEntry], mechanism.scene.get("motions", ()))
    ]


def world_data(mechanism: Mechanism, model: Model) -> WorldData | None:
    """Sensors and agents of the file, and how they run; None where it has none."""
    sensors, agents = (
        [row["name"] for row in mechanism.scene.get(key, ())] for key in ("sensors", "agents")
    )
    if not (sensors or agents or mechanism.world.get("engines")):
        return None
    try:
        settings = Settings.of(mechanism, dict(model.parameters))
    except KinegenError:  # which the start of a run reports
        return WorldData("reduced", STEP, sensors, agents)
    engines = dict(settings.engines)
    return WorldData(settings.engine, settings.step, sensors, agents, settings.seed, engines)


def _number(value: Number, values: Mapping[str, float]) -> float:
    return float(value.evaluate(values) if isinstance(value, Formula) else value)


def _plain(value: Written, values: Mapping[str, float]) -> Json:
    """Anything of a file as JSON takes it."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner, values) for key, inner in value.items()}
    if isinstance(value, Formula):
        try:
            return value.evaluate(values)
        except KinegenError:  # a name that is no parameter: a word
            return value.text
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(inner, values) for inner in value]
    return value
