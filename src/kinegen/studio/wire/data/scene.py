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
from kinegen.raff.sections.device import FORCE_DEVICES, HEADSET_DEVICES
from kinegen.spatial.pose import SE3
from kinegen.studio.wire.data.model import shape_data
from kinegen.studio.wire.messages import DeviceData, LightData, MotionData, ObjectData, WorldData
from kinegen.studio.wire.parts import RowValue
from kinegen.world.settings import STEP, Settings

__all__ = ["device_data", "light_data", "motion_data", "object_data", "world_data"]

Number = Formula | float
Written = Number | str | bool | Sequence["Written"] | Mapping[str, "Written"] | None
"""Anything of a file, its numbers as formulas."""


_MODES: dict[str, Literal["absolute", "incremental"]] = dict.fromkeys(
    (*HEADSET_DEVICES, *FORCE_DEVICES), "absolute"
)
"""Of devices that have no choice."""


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
    port: str
    moves: str | Sequence[str]
    mode: Literal["absolute", "incremental"]
    side: Literal["left", "right"]
    button: Literal["trigger", "grip"]
    holds: Literal["point", "pose"]
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
        axes = {key: _axis(one, values) for key, one in (entry.get("axes") or {}).items()}
        found.append(
            DeviceData(
                name=entry["name"],
                type=entry["type"],
                moves=[moves] if isinstance(moves, str) else list(moves),
                mode=entry.get("mode", _MODES.get(entry["type"], "incremental")),
                port=entry.get("port", ""),
                side=entry.get("side"),
                button=entry.get("button", "trigger"),
                holds=entry.get("holds", "point" if entry["type"] in FORCE_DEVICES else "pose"),
                scale=_number(entry.get("scale", 1.0), values),
                rotation_scale=_number(entry.get("rotation_scale", 1.0), values),
                axes={key: one for key, one in axes.items() if one is not None},
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
    """Sensors, agents and people of the file, and how they run; None where it has none."""
    sensors, agents, people = (
        [row["name"] for row in mechanism.scene.get(key, ())]
        for key in ("sensors", "agents", "people")
    )
    if not (sensors or agents or people or mechanism.world.get("engines")):
        return None
    try:
        settings = Settings.of(mechanism, dict(model.parameters))
    except KinegenError:  # which the start of a run reports
        return WorldData("reduced", STEP, sensors, agents, people=people)
    engines = dict(settings.engines)
    return WorldData(
        settings.engine, settings.step, sensors, agents, settings.seed, engines, people
    )


def _number(value: Number, values: Mapping[str, float]) -> float:
    return float(value.evaluate(values) if isinstance(value, Formula) else value)


def _axis(value: Written, values: Mapping[str, float]) -> RowValue | None:
    """What an axis of a device does; None for what cannot be said in numbers and words."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [one for one in (_word(one, values) for one in value) if one is not None]
    return _word(value, values)


def _word(value: Written, values: Mapping[str, float]) -> bool | float | str | None:
    if isinstance(value, Formula):
        try:
            return value.evaluate(values)
        except KinegenError:  # a name that is no parameter: a word
            return value.text
    return value if isinstance(value, bool | float | int | str) else None
