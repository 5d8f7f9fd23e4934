"""Files of runs: the log that robot viewers open, and runs read back."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

import numpy as np

from kinegen.dynamics.simulation.run import Run, rows_of
from kinegen.errors import FormatError, UsageError
from kinegen.mechanism.headings import q_headings, v_headings
from kinegen.mechanism.model import Model

__all__ = ["SUFFIXES", "mcap_log", "read_run", "to_mcap"]


def to_mcap(run: Run, name: str) -> bytes:
    """Joint states and the engine's reports, a message each per recorded moment."""
    number = {"type": "number"}
    numbers = {"type": "array", "items": number}
    names = {"type": "array", "items": {"type": "string"}}
    states = {"time": number, "name": names, "position": numbers, "velocity_name": names,
              "velocity": numbers, "effort": numbers}  # fmt: skip
    reported = ("kinetic", "potential", "work", "gap", "angle_gap", "velocity_gap", "contacts",
            "iterations")  # fmt: skip
    heads, speeds, arrays = q_headings(run.model), v_headings(run.model), rows_of(run)

    def state(i: int) -> dict[str, Any]:
        return {
            "time": float(run.times[i]),
            "name": heads,
            "position": run.q[i].tolist(),
            "velocity_name": speeds,
            "velocity": run.v[i].tolist(),
            "effort": run.efforts[i].tolist(),
        }

    def report(i: int) -> dict[str, Any]:
        return {"time": float(run.times[i]), **{name: arrays[name][i].item() for name in reported}}

    times = [round(float(time) * 1e9) for time in run.times]
    rows = range(len(run))
    reports = {"time": number, **dict.fromkeys(reported, number)}
    return mcap_log(
        {
            "/joint_states": ("JointState", states, zip(times, map(state, rows), strict=True)),
            "/simulation": ("StepReport", reports, zip(times, map(report, rows), strict=True)),
        }
    )


def mcap_log(
    channels: Mapping[str, tuple[str, Mapping[str, Any], Iterable[tuple[int, Any]]]],
) -> bytes:
    """A log of JSON messages: by topic the schema's title, its properties, (nanoseconds, value)."""
    try:
        from mcap.writer import Writer as McapWriter
    except ImportError:
        raise FormatError(
            "MCAP files need the package mcap: pip install 'kinegen[motion]', or pip install mcap"
        ) from None
    out = io.BytesIO()
    writer: Any = McapWriter(out)
    writer.start(library="kinegen")
    for topic, (title, properties, messages) in channels.items():
        schema = {"title": title, "type": "object", "properties": properties}
        number = writer.register_schema(
            f"kinegen.{title}", "jsonschema", json.dumps(schema).encode()
        )
        channel = writer.register_channel(topic, "json", number)
        for index, (time, message) in enumerate(messages):
            writer.add_message(channel, time, json.dumps(message).encode(), time, index)
    writer.finish()
    return out.getvalue()


SUFFIXES = (".csv", ".json", ".npz", ".mcap")
"""Of the files that a run can be saved to."""


def read_run(name: str, model: Model) -> Run:
    """A run from its .npz or .json file.

    Raises:
        FormatError: The file is no such run, or that of another mechanism.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix not in (".npz", ".json"):
        raise UsageError(f"'{name}' cannot be read back as a run; .npz and .json files can")
    try:
        if suffix == ".npz":
            with np.load(name, allow_pickle=False) as file:
                facts: dict[str, Any] = {key: file[key].tolist() for key in file.files}
        else:
            with open(name, encoding="utf-8") as text:
                facts = json.load(text)
            facts |= facts["rows"]
        if facts["columns"] != q_headings(model):
            raise FormatError(
                f"the run in '{name}' belongs to mechanism '{facts['mechanism']}', whose joints "
                f"differ from those of '{model.name}'"
            )
        counts: dict[str, Any] = {
            key: np.array(facts[key], dtype=np.int32) for key in ("contacts", "iterations")
        }
        arrays: dict[str, Any] = {
            key: np.array(facts[key], dtype=np.float64)
            for key in ("times", "q", "v", "efforts", "kinetic", "potential", "work", "gap",
                        "angle_gap", "velocity_gap")
        }  # fmt: skip
        return Run(
            model=model,
            engine=facts["engine"],
            step=facts["step"],
            steps=facts["steps"],
            complete=facts["complete"],
            reason=facts["reason"],
            remarks=tuple(facts["remarks"]),
            **arrays,
            **counts,
        )
    except (KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"'{name}' is not a run file: {error}") from error
