"""McapLog: a log that Foxglove, Lichtblick and other robot viewers open, streamed to its file."""

from __future__ import annotations

import base64
import json
import math
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from kinegen.errors import FormatError
from kinegen.kinematics.positions import forward
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.write import write
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from kinegen.world.bodies.touching import has_touching, touching
from kinegen.world.events import Event
from kinegen.world.log.log import Log
from kinegen.world.log.markers import bodies, force_arrows, people_markers
from kinegen.world.log.schemas import FLOAT32, SCHEMAS, pose_message, time_message
from kinegen.world.signalling.signal import Signal

if TYPE_CHECKING:
    from kinegen.world.people.body_mesh import BodyMesh
    from kinegen.world.world import World

__all__ = ["McapLog"]

GROUND = "world"
"""Frame that all others are in."""
CONTACTS = "/contacts"
PEOPLE = "/people"
PEOPLE_PERIOD = 40_000_000
"""[ns] Between two messages with people."""
CONTACT_PERIOD = 40_000_000
"""[ns] Between two messages with all contacts: arrows that change faster cannot be followed."""
WARNING, INFO = 3, 2
"""Levels of log messages."""


class McapLog(Log):
    """Joint states, transforms, bodies, events, and the signals of every joint, sensor and agent.

    =====================  ===========================  ==========================================
    topic                  schema                       contents
    =====================  ===========================  ==========================================
    ``/tf``                ``foxglove.FrameTransforms``  every link in the world
    ``/joint_states``      ``foxglove.JointStates``      joints with one variable
    ``/state``             ``kinegen.State``             q and v of every engine, for replay
    ``/bodies``            ``foxglove.SceneUpdate``      shapes, once
    ``/contacts``          ``foxglove.SceneUpdate``      arrows of all contact forces
    ``/people``            ``foxglove.SceneUpdate``      bodies of people, with names and gestures
    ``/events``            ``foxglove.Log``              what happened
    ``/map/NAME``          ``foxglove.Grid``             maps that agents draw
    ``/signals/NAME``      ``kinegen.NAME``              all signals of one joint, sensor, agent
    =====================  ===========================  ==========================================

    Sensors that have messages of their own (pictures, scans) add their topics.
    """

    def __init__(self, world: World, path: str | os.PathLike[str], rate: float | None) -> None:
        try:
            from mcap.writer import Writer
        except ImportError:
            raise FormatError(
                "MCAP logs need the package mcap: pip install 'kinegen[motion]', or "
                "pip install mcap; .csv logs need nothing"
            ) from None
        super().__init__(world, rate)
        self._file = open(path, "wb")
        # with little buffered, a log that is cut off still holds almost everything
        self._writer: Any = Writer(self._file, chunk_size=256 * 1024)
        self._writer.start(profile="", library="kinegen")
        self._channels: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._written: dict[str, float] = {}
        self._there: set[str] = set()
        self._meshes: dict[str, BodyMesh] = {}
        """Of people, as they were written last."""
        """People in the log's last message about them."""
        self._time = 0
        self._look(world)
        self.send("/bodies", "SceneUpdate", bodies(world))
        facts = {"world": world.name, "seed": str(world.settings.seed),
                 "step": repr(world.step_length), "engine": world.settings.engine}  # fmt: skip
        layout = [
            [(joint.name, joint.q.stop - joint.q.start) for joint in island.model.joints]
            for island in world.islands
        ]
        self._writer.add_metadata(
            "kinegen", facts | {"layout": json.dumps(layout), "text": _text(world.mechanism)}
        )
        self._row(world)

    def write(self, world: World) -> None:
        """The messages of one moment."""
        self._look(world)
        self._row(world)

    def note(self, event: Event) -> None:
        """An event, at once."""
        now = round(event.time * 1e9)
        level = WARNING if event.is_problem else INFO
        message = {"timestamp": time_message(now), "level": level, "message": event.message,
                   "name": event.source, "file": "", "line": 0}  # fmt: skip
        self.send("/events", "Log", message, now)

    def send(self, topic: str, schema: str, message: Any, now: int | None = None) -> None:
        """One message of a schema that viewers know."""
        if topic not in self._channels:
            whole = schema if "." in schema else f"foxglove.{schema}"
            title = schema.rpartition(".")[2]
            self._open(topic, whole, {"title": title, **SCHEMAS[schema]})
        self._put(topic, message, now)

    def close(self) -> None:
        """Finish the file."""
        self._writer.finish()
        self._file.close()

    # Inside

    def _look(self, world: World) -> None:
        self._time = round(world.time * 1e9)

    def _row(self, world: World) -> None:
        now = time_message(self._time)
        transforms, joints = [], []
        state: dict[str, Any] = {"time": world.time}
        for number, island in enumerate(world.islands):
            model, last = island.model, island.state
            rows = forward(model, last.q)[: model.link_count]
            for name, row in zip(model.link_names, rows.tolist(), strict=True):
                if name != model.link_names[0] or number == 0:
                    transforms.append(_transform(now, name, row))
            efforts = island.simulation.efforts
            for joint in model.joints:
                if joint.q.stop - joint.q.start == 1 == joint.v.stop - joint.v.start:
                    joints.append(
                        {"name": joint.name, "position": float(last.q[joint.q.start]),
                         "velocity": float(last.v[joint.v.start]),
                         "effort": float(efforts[joint.v.start])}
                    )  # fmt: skip
            state[f"q{number}"], state[f"v{number}"] = last.q.tolist(), last.v.tolist()
        self.send("/tf", "FrameTransforms", {"transforms": transforms})
        self.send("/joint_states", "JointStates", {"timestamp": now, "joints": joints})
        if "/state" not in self._channels:
            numbers = {"type": "array", "items": {"type": "number"}}
            keys = {key: numbers if key != "time" else {"type": "number"} for key in state}
            schema = {"title": "State", "type": "object", "properties": keys}
            self._open("/state", "kinegen.State", schema)
        self._put("/state", state)
        self._signals(world, now)
        self._contacts(world)
        self._people(world)
        for sensor in world.sensors.values():
            moment = max((one.time for one in sensor.signals if one.is_known), default=-1.0)
            if moment > self._written.get(sensor.name, -1.0):
                self._written[sensor.name] = moment
                for one in sensor.messages(round(moment * 1e9)):
                    self.send(one.topic, one.schema, one.content)

    def _contacts(self, world: World) -> None:
        """Where bodies press on each other, as arrows, where the engines report it."""
        felt = [island.simulation for island in world.islands if has_touching(island.simulation)]
        if not felt or self._time < self._written.get(CONTACTS, 0):
            return
        self._written[CONTACTS] = self._time + CONTACT_PERIOD
        found = [touching(one) for one in felt]
        points = np.concatenate([one.points for one in found])
        forces = np.concatenate([one.forces for one in found])
        arrows = force_arrows("contacts", self._time, points, forces, felt[0].model)
        self.send(CONTACTS, "SceneUpdate", arrows)

    def _people(self, world: World) -> None:
        """Everybody's body; those who left are deleted."""
        found = world.people.found()
        names = {one.person.name for one in found}
        gone = sorted(self._there - names)
        if not (gone or names) or (not gone and self._time < self._written.get(PEOPLE, 0)):
            return
        self._written[PEOPLE], self._there = self._time + PEOPLE_PERIOD, names
        message = people_markers(found, gone, self._time, self._meshes)
        self._meshes = {
            one.person.name: one.person.mesh for one in found if one.person.mesh is not None
        }
        self.send(PEOPLE, "SceneUpdate", message)

    def _signals(self, world: World, now: dict[str, int]) -> None:
        groups: dict[str, list[Signal]] = {}
        for signal in world.signals.values():
            if len(signal.shape or ()) == 2 and f"{signal.name}_cell" in world.signals:
                self._map(world, signal, now)
            elif signal.shape is not None:
                groups.setdefault(signal.name.rpartition(".")[0], []).append(signal)
        for name, signals in groups.items():
            keys = [one.name.rpartition(".")[2] for one in signals]
            # a group that has grown needs another schema
            topic = f"/signals/{name.replace('.', '/')}"
            if self._counts.get(topic) != len(keys):
                self._counts[topic] = len(keys)
                self._open(topic, f"kinegen.{name}", _signal_schema(name, keys, signals))
            forced = [key for key, one in zip(keys, signals, strict=True) if one.override]
            values = {key: _value(one) for key, one in zip(keys, signals, strict=True)}
            self._put(topic, {"timestamp": now, **values, "overridden": forced})

    def _map(self, world: World, signal: Signal, now: dict[str, int]) -> None:
        """A map of the floor, whenever it has changed: viewers draw it in its place."""
        if self._written.get(signal.name) == signal.version:
            return
        self._written[signal.name] = signal.version
        cell = float(world.signals[f"{signal.name}_cell"].value)
        values = np.ascontiguousarray(signal.value, "<f4")
        rows, columns = values.shape
        X = SE3(SO3.identity(), np.array([-columns * cell / 2, -rows * cell / 2, 0.0]))
        self.send(f"/map/{signal.name.replace('.', '/')}", "Grid", {
            "timestamp": now, "frame_id": GROUND, "pose": pose_message(X.pose),
            "column_count": columns, "cell_size": {"x": cell, "y": cell}, "row_stride": 4 * columns,
            "cell_stride": 4, "fields": [{"name": "value", "offset": 0, "type": FLOAT32}],
            "data": base64.b64encode(values.tobytes()).decode(),
        })  # fmt: skip

    def _open(self, topic: str, title: str, schema: dict[str, Any]) -> None:
        number = self._writer.register_schema(title, "jsonschema", json.dumps(schema).encode())
        self._channels[topic] = self._writer.register_channel(topic, "json", number)

    def _put(self, topic: str, message: Any, now: int | None = None) -> None:
        time = self._time if now is None else now
        data = json.dumps(message, separators=(",", ":")).encode()
        self._writer.add_message(self._channels[topic], time, data, time)


def _text(mechanism: Mechanism) -> str:
    """The file of the world, so that its log can be shown without it."""
    return mechanism.document.text if mechanism.document is not None else write(mechanism)


def _transform(now: dict[str, int], name: str, row: list[float]) -> dict[str, Any]:
    w, x, y, z, a, b, c = row
    return {
        "timestamp": now, "parent_frame_id": GROUND, "child_frame_id": name,
        "translation": {"x": a, "y": b, "z": c}, "rotation": {"x": x, "y": y, "z": z, "w": w},
    }  # fmt: skip


def _value(signal: Signal) -> Any:
    value = signal.value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    known = np.isfinite(value)
    return value.tolist() if known.all() else _holes(value.tolist())


def _holes(numbers: Any) -> Any:
    """Lists of numbers with None for those that are none."""
    if isinstance(numbers, list):
        return [_holes(one) for one in numbers]
    return numbers if math.isfinite(numbers) else None


def _signal_schema(name: str, keys: list[str], signals: list[Signal]) -> dict[str, Any]:
    def kind(signal: Signal) -> dict[str, Any]:
        shape: dict[str, Any] = {"type": ["number", "null"]}
        for _ in signal.shape or ():
            shape = {"type": "array", "items": shape}
        return shape | ({"description": f"[{signal.unit}]"} if signal.unit else {})

    stamp = {"sec": {"type": "integer"}, "nsec": {"type": "integer"}}
    own = {key: kind(one) for key, one in zip(keys, signals, strict=True)}
    words = {"type": "array", "items": {"type": "string"}}
    properties = {"timestamp": {"type": "object", "properties": stamp}, **own, "overridden": words}
    return {"title": name, "type": "object", "properties": properties}
