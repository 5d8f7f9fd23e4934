"""Joint tables: a followed path as a file for programs, logs and real arms."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

import numpy as np

from kinegen.dynamics.simulation.run_files import mcap_log
from kinegen.errors import UsageError
from kinegen.formats.motions.gcode import to_gcode
from kinegen.formats.motions.servo import to_ssc32
from kinegen.motion.path import Path, v_headings

__all__ = ["SUFFIXES", "path_file", "to_csv", "to_json", "to_mcap", "to_npz"]


def to_csv(path: Path) -> str:
    """One row per point: time, way, place, joint values, speeds, accelerations, the reason.

    Where the curve is not reached the joint columns are empty and the last one says why.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    speeds = v_headings(path.model)
    rises = [f"{head.removesuffix('/s]')}/s2]" for head in speeds]
    writer.writerow(
        ["time [s]", "way [m]", "x [m]", "y [m]", "z [m]", *path.columns(),
         *(f"speed of {head}" for head in speeds), *(f"acceleration of {head}" for head in rises),
         "singular", "reason"]
    )  # fmt: skip
    for i in range(len(path)):
        numbers = np.concatenate([path.q[i], path.v[i], path.vdot[i], path.singular[i : i + 1]])
        writer.writerow(
            [f"{path.times[i]:.6g}", f"{path.ways[i]:.9g}", *map(_text, path.xyz[i]),
             *map(_text, numbers), path.reasons.get(i, "")]
        )  # fmt: skip
    return out.getvalue()


def to_json(path: Path) -> str:
    """Everything the path has, as JSON; null where there is no number."""
    return json.dumps(_plain(path.to_data()), ensure_ascii=False, allow_nan=False)


def to_npz(path: Path) -> bytes:
    """The arrays, as NumPy's ``load`` reads them."""
    data = path.to_data()
    arrays = {key: value for key, value in data.items() if isinstance(value, np.ndarray)}
    texts = {key: np.array(data[key]) for key in ("mechanism", "frame", "curve", "columns")}
    out = io.BytesIO()
    texts["v_columns"] = np.array(data["v_columns"])
    everything: dict[str, Any] = {**arrays, **texts}
    np.savez_compressed(out, **everything)
    return out.getvalue()


def to_mcap(path: Path) -> bytes:
    """A log that robot viewers open: a message per reached point, JSON with its schema inside."""
    number = {"type": "number"}
    numbers = {"type": "array", "items": number}
    properties = {
        "time": number,
        "name": {"type": "array", "items": {"type": "string"}},
        "position": numbers,
        "velocity": numbers,
        "acceleration": numbers,
        "target": numbers,
    }
    names = path.columns()

    def message(i: int) -> tuple[int, Any]:
        content = {
            "time": float(path.times[i]),
            "name": names,
            "position": path.q[i],
            "velocity": path.v[i],
            "acceleration": path.vdot[i],
            "target": path.xyz[i],
        }
        return round(float(path.times[i]) * 1e9), _plain(content)

    rows = map(message, np.flatnonzero(path.reachable).tolist())
    return mcap_log({"/joint_states": ("JointState", properties, rows)})


SUFFIXES: dict[str, tuple[Callable[[Path], str | bytes], str]] = {
    ".csv": (to_csv, "table with positions, speeds, accelerations and reasons"),
    ".json": (to_json, "the same for programs"),
    ".npz": (to_npz, "NumPy arrays"),
    ".mcap": (to_mcap, "log for robot viewers (needs the package mcap)"),
    ".gcode": (to_gcode, "G-code with inverse-time feeds, one axis per motor"),
    ".ssc": (to_ssc32, "SSC-32 servo commands for a real Lynx 6"),
}
"""Kinds of files by suffix: what writes them, and what they are."""


def path_file(path: Path, name: str) -> bytes:
    """The content of a file for a path, by the suffix of its name."""
    suffix = PurePath(name).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(
            f"'{name}' has no suffix for a joint table; suffixes: {', '.join(SUFFIXES)}"
        )
    content = SUFFIXES[suffix][0](path)
    return content if isinstance(content, bytes) else content.encode()


def _text(value: float) -> str:
    return f"{value:.9g}" if math.isfinite(value) else ""


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
