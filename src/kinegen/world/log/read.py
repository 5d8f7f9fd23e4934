"""Reading of logs: signals, events and motions of a world that has run."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinegen.errors import FormatError, unknown_name
from kinegen.kernels import Floats
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.motion.recording import Recording
from kinegen.results import Columns, Result
from kinegen.world.events import Event

__all__ = ["SignalTrace", "WorldLog", "read_log"]


@dataclass(frozen=True, slots=True, eq=False)
class SignalTrace(Result):
    """The values of a signal over the time of a log."""

    name: str
    times: Floats
    """[s], (n,)"""
    values: Floats
    """(n, …); NaN where there was no value."""

    def columns(self) -> Columns:
        """A row per time."""
        rows = self.values.reshape(len(self.times), -1)
        heads = (
            [self.name]
            if self.values.ndim == 1
            else [f"{self.name}[{i}]" for i in range(rows.shape[1])]
        )
        return {"time [s]": self.times, **dict(zip(heads, rows.T, strict=True))}


@dataclass(frozen=True, slots=True, eq=False)
class WorldLog(Result):
    """The contents of a log."""

    world: str
    """Name of the world."""
    facts: Mapping[str, str]
    """Seed, step and engine, as texts."""
    times: Floats
    """Times of the rows [s], (n,)."""
    joints: Mapping[str, Floats]
    """Positions of every joint, as in q, by name, (n, numbers)."""
    signals: Mapping[str, SignalTrace] = field(default_factory=dict)
    """Every signal by name."""
    events: tuple[Event, ...] = ()

    def signal(self, name: str) -> SignalTrace:
        """A signal by its name."""
        if name not in self.signals:
            raise unknown_name("signal", name, f"the log of '{self.world}'", self.signals)
        return self.signals[name]

    def recording(self, model: AnyModel) -> Recording:
        """The motion of a mechanism in this world, to play or to save.

        Args:
            model: The world's mechanism or its model.
        """
        model = model_of(model)
        moving = [joint.name for joint in model.joints if joint.q.stop > joint.q.start]
        missing = [name for name in moving if name not in self.joints]
        if missing:
            raise FormatError(
                f"the log of '{self.world}' has no joint '{missing[0]}' of '{model.name}'"
            )
        rows = np.hstack([self.joints[name] for name in moving])
        return Recording(model, tuple(moving), self.times, rows, name=self.world)


def read_log(path: str | os.PathLike[str]) -> WorldLog:
    """Read an .mcap log of a world.

    Raises:
        FormatError: The file is not such a log.
    """
    try:
        from mcap.exceptions import McapError
        from mcap.reader import make_reader
    except ImportError:
        raise FormatError(
            "MCAP logs need the package mcap: pip install 'kinegen[motion]', or pip install mcap"
        ) from None
    states: list[Mapping[str, Any]] = []
    found: dict[str, tuple[list[float], list[Any]]] = {}
    events: list[Event] = []
    facts: dict[str, str] = {}
    try:
        with open(path, "rb") as file:
            reader: Any = make_reader(file)
            for one in reader.iter_metadata():
                if one.name == "kinegen":
                    facts = dict(one.metadata)
            for schema, channel, message in reader.iter_messages():
                content, time = json.loads(message.data), message.log_time * 1e-9
                if channel.topic == "/state":
                    states.append(content)
                elif channel.topic == "/events":
                    is_problem = content["level"] > 2
                    events.append(Event(time, content["name"], content["message"], is_problem))
                elif channel.topic.startswith("/signals/"):
                    _collect(found, schema.name.removeprefix("kinegen."), time, content)
    except (McapError, ValueError, KeyError) as error:
        raise FormatError(f"'{os.fspath(path)}' is not a log of a world: {error}") from error
    if "layout" not in facts:
        raise FormatError(f"'{os.fspath(path)}' is an MCAP file, but not a log of a world")
    signals = {
        name: SignalTrace(name, np.array(at), _stacked(rows)) for name, (at, rows) in found.items()
    }
    layout = json.loads(facts.pop("layout"))
    times = np.array([state["time"] for state in states])
    return WorldLog(
        facts.pop("world"), facts, times, _joints(layout, states), signals, tuple(events)
    )


def _collect(
    found: dict[str, tuple[list[float], list[Any]]], name: str, time: float, content: Any
) -> None:
    for key, value in content.items():
        if key not in ("timestamp", "overridden"):
            times, rows = found.setdefault(f"{name}.{key}", ([], []))
            times.append(time)
            rows.append(value)


def _stacked(rows: list[Any]) -> Floats:
    """Values as one array, NaN where there are none."""
    return np.array(rows, dtype=np.float64)


def _joints(layout: Any, states: list[Mapping[str, Any]]) -> dict[str, Floats]:
    made: dict[str, Floats] = {}
    for number, joints in enumerate(layout):
        table = np.array([state[f"q{number}"] for state in states], dtype=np.float64)
        at = 0
        for name, width in joints:
            made[name] = table[:, at : at + width]
            at += width
    return made
