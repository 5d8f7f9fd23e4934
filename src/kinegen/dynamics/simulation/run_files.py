"""A run as a file: table, arrays, or a log that robot viewers open."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from typing import Any

import numpy as np

from kinegen.dynamics.simulation.run import Run, rows_of
from kinegen.errors import FormatError, UsageError
from kinegen.mechanism.model import Model, ModelJoint

__all__ = [
    "SUFFIXES",
    "effort_headings",
    "joint_headings",
    "mcap_log",
    "q_headings",
    "read_run",
    "run_file",
    "v_headings",
]


def q_headings(model: Model) -> list[str]:
    """A heading per number of q: joint, which number, unit."""
    return [heading for joint in model.joints for heading in joint_headings(joint)]


def joint_headings(joint: ModelJoint) -> list[str]:
    """A heading per number of a joint's part of q."""
    units = {"angle": " [rad]", "length": " [m]", "number": ""}
    variables = joint.type.info.q_variables
    return [
        f"{joint.name}{f' {variable}' if len(variables) > 1 else ''}{units[quantity]}"
        for variable, quantity in variables
    ]


def v_headings(model: Model) -> list[str]:
    """A heading per number of v."""
    units = {"angle": "rad/s", "length": "m/s"}
    return [head for joint in model.joints for head in _variables(model, joint.name, units)]


def effort_headings(model: Model) -> list[str]:
    """A heading per number of an effort on the joints."""
    units = {"angle": "N m", "length": "N"}
    return [head for joint in model.joints for head in _variables(model, joint.name, units)]


def _variables(model: Model, name: str, units: Mapping[str, str]) -> list[str]:
    variables = model.joint(name).type.info.variables
    return [
        f"{name}{f' {variable}' if len(variables) > 1 else ''} [{units[quantity]}]"
        for variable, quantity in variables
    ]


def to_csv(run: Run) -> str:
    """One row per recorded moment: time, joints, speeds, efforts, energies, gaps, contacts."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["time [s]", *q_headings(run.model), *(f"speed of {h}" for h in v_headings(run.model)),
         *(f"effort on {h}" for h in effort_headings(run.model)), "kinetic [J]", "potential [J]",
         "work [J]", "gap [m]", "angle gap [rad]", "velocity gap [m/s]", "contacts", "iterations"]
    )  # fmt: skip
    arrays = rows_of(run)
    table = np.column_stack([arrays[name] for name in arrays])
    for row in table.tolist():
        writer.writerow([f"{x:.12g}" for x in row])
    return out.getvalue()


def to_json(run: Run) -> str:
    """Summary and every row."""
    content = {**run.summary(), "columns": q_headings(run.model), "rows": rows_of(run)}
    content["v_columns"] = v_headings(run.model)
    return json.dumps(content, ensure_ascii=False, default=_plain)


def to_npz(run: Run) -> bytes:
    """The arrays, as NumPy's ``load`` reads them."""
    out = io.BytesIO()
    texts = {
        "mechanism": run.model.name,
        "engine": run.engine,
        "reason": run.reason,
        "columns": q_headings(run.model),
        "v_columns": v_headings(run.model),
        "remarks": list(run.remarks),
        "step": run.step,
        "steps": run.steps,
        "complete": run.complete,
    }
    facts = {k: np.array(x, dtype=str if k == "remarks" else None) for k, x in texts.items()}
    everything: dict[str, Any] = {**rows_of(run), **facts}
    np.savez_compressed(out, **everything)
    return out.getvalue()


def to_mcap(run: Run) -> bytes:
    """Joint states and the engine's reports, a message each per recorded moment."""
    number = {"type": "number"}
    numbers = {"type": "array", "items": number}
    names = {"type": "array", "items": {"type": "string"}}
    states = {"time": number, "name": names, "position": numbers, "velocity_name": names,
              "velocity": numbers, "effort": numbers}  # fmt: skip
    told = ("kinetic", "potential", "work", "gap", "angle_gap", "velocity_gap", "contacts",
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
        return {"time": float(run.times[i]), **{name: arrays[name][i].item() for name in told}}

    times = [round(float(time) * 1e9) for time in run.times]
    rows = range(len(run))
    reports = {"time": number, **dict.fromkeys(told, number)}
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


SUFFIXES: dict[str, tuple[Callable[[Run], str | bytes], str]] = {
    ".csv": (to_csv, "table"),
    ".json": (to_json, "the same for programs"),
    ".npz": (to_npz, "NumPy arrays"),
    ".mcap": (to_mcap, "log for robot viewers (needs the package mcap)"),
}
"""Kinds of files by suffix: what writes them, and what they are."""


def run_file(run: Run, name: str) -> bytes:
    """The content of a file for a run, by the suffix of its name."""
    suffix = PurePath(name).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(f"'{name}' has no suffix for a run; suffixes: {', '.join(SUFFIXES)}")
    content = SUFFIXES[suffix][0](run)
    return content if isinstance(content, bytes) else content.encode()


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


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else str(value)
