"""MCAP: a followed path as a log that robot viewers open."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinegen.dynamics.simulation.run_files import mcap_log
from kinegen.mechanism.headings import q_headings
from kinegen.motion.path import Path
from kinegen.results import plain

__all__ = ["to_mcap"]


def to_mcap(path: Path, name: str = "path.mcap") -> bytes:
    """A message per reached point, JSON with its schema inside; needs the package mcap."""
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
    names = q_headings(path.model)

    def message(i: int) -> tuple[int, Any]:
        content = {
            "time": float(path.times[i]),
            "name": names,
            "position": path.q[i],
            "velocity": path.v[i],
            "acceleration": path.vdot[i],
            "target": path.xyz[i],
        }
        return round(float(path.times[i]) * 1e9), plain(content)

    rows = map(message, np.flatnonzero(path.reachable).tolist())
    return mcap_log({"/joint_states": ("JointState", properties, rows)})
