"""Analyses: what a page asks about a mechanism in a pose, answered as plain data."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.closure import loop_jacobian
from kinegen.kinematics.diagnosis.diagnosis import diagnose
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.jacobians import jacobian
from kinegen.kinematics.mobility.mobility import Mobility, mobility
from kinegen.kinematics.positions import poses
from kinegen.kinematics.singular.crossing import branches_beyond
from kinegen.kinematics.singular.singularity import singularities
from kinegen.kinematics.solving.assembly import assembly_modes
from kinegen.kinematics.solving.inverse import Solution, solve, solve_all
from kinegen.mechanism.model import Model
from kinegen.spatial import SO3
from kinegen.studio.session.compiled_text import CompiledText

__all__ = ["ANALYSES", "Progress", "handle_of"]

Arguments = Mapping[str, Any]


class Progress(Protocol):
    """Where an analysis says how far it is, and sends what it has so far."""

    def __call__(self, label: str, share: float | None) -> None:
        """Tell a label and a share of 0 … 1, None where it cannot be told."""

    def piece(self, head: dict[str, Any], data: bytes) -> None:
        """Send a piece of the result: what it is, and its numbers (little endian)."""


Analysis = Callable[[CompiledText, Floats, Arguments, Progress], Any]

_LONGEST_PATH = 400
"""Poses of a path that a page is sent; longer ones are thinned."""


def _mobility(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
    """Freedoms: text, counts, and the directions of each free motion over v."""
    report("counting freedoms", None)
    return _mobility_data(mobility(piece.model, q, locked=_names(arguments, "locked")))


def _mobility_data(found: Mobility) -> dict[str, Any]:
    return {
        "text": found.text,
        "instantaneous": found.instantaneous,
        "finite": found.finite,
        "gruebler": found.gruebler,
        "gruebler_planar": found.gruebler_planar,
        "redundant": found.redundant,
        "idle": found.idle,
        "directions": found.directions.T.tolist(),
        "is_closed": found.is_closed,
        "gap": list(found.gap),
        "q": found.q.tolist(),
    }


def _diagnosis(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
    """Findings in words, and the joints that may be placed wrongly."""
    report("looking for what is wrong", None)
    found = diagnose(piece.model, q)
    return {
        "text": found.text,
        "is_healthy": found.is_healthy,
        "mobility": _mobility_data(found.mobility),
        "findings": [
            {
                "kind": finding.kind.value,
                "is_fault": finding.kind.is_fault,
                "joints": list(finding.joints),
                "text": finding.text,
                "suspects": [_suspect(suspect) for suspect in finding.suspects.likely],
            }
            for finding in found.findings
        ],
    }


def _suspect(suspect: Any) -> dict[str, Any]:
    return {
        "joint": suspect.joint,
        "axis": suspect.axis.tolist(),
        "proposed_axis": suspect.proposed_axis.tolist(),
        "tilt": suspect.tilt,
        "shift": suspect.shift.tolist(),
        "freedoms": suspect.freedoms,
        "numbers": [str(number) for number in suspect.numbers],
    }


def _modes(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
    """All ways to close the loops while the inputs hold."""
    report("looking for assembly modes", None)
    inputs = _names(arguments, "inputs") if "inputs" in arguments else None
    attempts = int(_number(arguments, "attempts", 2000))
    found = assembly_modes(
        piece.model, q, inputs=inputs, limits=bool(arguments.get("limits", True)),
        attempts=max(1, min(attempts, 20000)),
    )  # fmt: skip
    return [
        {"name": mode.name, "q": mode.q.tolist(), "distance": mode.distance, "loose": mode.loose}
        for mode in found
    ]


def _branches_beyond(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
    """The singular pose ahead or nearby, and a phantom with the way there on each branch."""
    report("looking beyond the singular pose", None)
    model = piece.model
    heading = handle_of(model, arguments["handle"]) if arguments.get("handle") else None
    frame = arguments.get("frame")
    kind = arguments.get("kind")
    inputs = _names(arguments, "inputs") if "inputs" in arguments else None
    found = branches_beyond(
        model, q, frame if frame is None else str(frame), heading=heading, inputs=inputs,
        kind=None if kind is None else str(kind),
    )  # fmt: skip
    return {
        "kind": found.singular.kind,
        "text": found.singular.text,
        "q": found.singular.q.tolist(),
        "branch_point": found.singular.branch_point,
        "branches": [
            {
                "name": branch.name,
                "sign": branch.sign,
                "q": branch.q.tolist(),
                "path": [pose.tolist() for pose in _thinned(branch.path)],
                "crosses": branch.crosses,
                "beyond": list(branch.beyond),
            }
            for branch in found.branches
        ],
    }


def _solve(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
    """The pose that meets the handles, or the nearest one and why no better."""
    report("solving", None)
    found = solve(
        piece.model, _handles(piece.model, arguments), start=q,
        limits=bool(arguments.get("limits", True)), locked=_names(arguments, "locked"),
    )  # fmt: skip
    return _solution(found)


def _solve_all(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
    """Every different pose that meets the handles."""
    report("looking for all solutions", None)
    most = int(_number(arguments, "most", 64))
    found = solve_all(
        piece.model, _handles(piece.model, arguments), start=q,
        limits=bool(arguments.get("limits", True)), locked=_names(arguments, "locked"),
        most=max(1, min(most, 200)),
    )  # fmt: skip
    return [_solution(one) for one in found]


def _solution(found: Solution) -> dict[str, Any]:
    return {
        "q": found.q.tolist(),
        "reached": found.reached,
        "reason": found.reason,
        "limits": [str(limit) for limit in found.limits],
        "freedoms_left": found.freedoms_left,
    }


def _matrices(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
    """Homogeneous matrices of all links and frames; Jacobian and singular values of one."""
    model = piece.model
    frame = str(arguments.get("frame") or model.site_names[-1])
    J = jacobian(model, q, frame)
    J_phi = loop_jacobian(model, q)
    found = singularities(model, q, frame)
    return {
        "matrices": {name: X.matrix.tolist() for name, X in poses(model, q).items()},
        "frame": frame,
        "jacobian": J.tolist(),
        "singular_values": np.linalg.svd(J, compute_uv=False).tolist() if J.size else [],
        "loop_jacobian": J_phi.tolist(),
        "loop_singular_values": np.linalg.svd(J_phi, compute_uv=False).tolist()
        if J_phi.size
        else [],
        "singularity": {
            "kind": found.kind,
            "text": found.text,
            "task_distance": found.task_distance,
            "gain_distance": found.gain_distance,
            "task_values": found.task_values.tolist(),
            "passive_values": found.passive_values.tolist(),
        },
    }


def _later(module: str, name: str) -> Analysis:
    """An analysis whose module is imported when it is first asked for."""

    def analysis(piece: CompiledText, q: Floats, arguments: Arguments, report: Progress) -> Any:
        found: Analysis = getattr(importlib.import_module(f"kinegen.studio.jobs.{module}"), name)
        return found(piece, q, arguments, report)

    return analysis


ANALYSES: dict[str, Analysis] = {
    "mobility": _mobility,
    "diagnosis": _diagnosis,
    "modes": _modes,
    "branches_beyond": _branches_beyond,
    "solve": _solve,
    "solve_all": _solve_all,
    "matrices": _matrices,
    "grasp": _later("grasp", "grasp"),
    "cloud": _later("cloud", "cloud"),
    "zone": _later("zone", "zone"),
    "boundary": _later("body", "boundary"),
    "joint_map": _later("maps", "joint_map"),
    "backlash": _later("maps", "backlash"),
    "path": _later("path", "path"),
    "design": _later("design", "design"),
}


def handle_of(model: Model, data: Any) -> Handle:
    """A handle from plain data: frame, position, quat (wxyz), direction, point, axis, pin."""
    keys = ("frame", "position", "quat", "direction", "point", "axis", "pin", "weight",
            "rotation_weight")  # fmt: skip
    if not isinstance(data, Mapping):
        raise UsageError(f"a handle is an object with {', '.join(keys)}; got {data!r}")
    unknown = [key for key in data if key not in keys]
    if unknown:
        raise UsageError(f"a handle has no '{unknown[0]}'; it takes {', '.join(keys)}")
    frame = data.get("frame") or model.site_names[-1]
    if not isinstance(frame, str):
        raise UsageError(f"the frame of a handle is a name, got {frame!r}")
    model.site(frame)
    given = {key: data[key] for key in keys[3:] if data.get(key) is not None}
    rotation = None
    if data.get("quat") is not None:
        rotation = SO3(np.asarray(_floats(data["quat"], 4, "quat")))
    position = data.get("position")
    if position is not None:
        position = _floats(position, 3, "position")
    return Handle(frame, position, rotation, **given)


def _handles(model: Model, arguments: Arguments) -> list[Handle]:
    data = arguments.get("handles")
    if data is None:
        data = [
            {
                key: value
                for key, value in arguments.items()
                if key not in ("limits", "locked", "most")
            }
        ]
    if not isinstance(data, list) or not data:
        raise UsageError("give handles: a list of at least one")
    return [handle_of(model, one) for one in data]


def _names(arguments: Arguments, key: str) -> list[str]:
    names = arguments.get(key) or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise UsageError(f"{key} is a list of joint names, got {names!r}")
    return names


def _number(arguments: Arguments, key: str, default: float) -> float:
    value = arguments.get(key, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UsageError(f"{key} is a number, got {value!r}")
    return float(value)


def _floats(values: Any, count: int, what: str) -> list[float]:
    numbers = values if isinstance(values, list) else []
    if len(numbers) != count or any(
        isinstance(x, bool) or not isinstance(x, (int, float)) for x in numbers
    ):
        raise UsageError(f"{what} is {count} numbers, got {values!r}")
    return [float(x) for x in numbers]


def _thinned(path: Sequence[Floats]) -> list[Floats]:
    """A path of bearable length, its ends kept."""
    if len(path) <= _LONGEST_PATH:
        return list(path)
    return [path[int(i)] for i in np.linspace(0, len(path) - 1, _LONGEST_PATH).round()]
