"""Headings of tables: one per number of q or v, with the joint's name and the unit."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint

__all__ = [
    "effort_headings",
    "joint_headings",
    "q_columns",
    "q_headings",
    "v_headings",
    "variable_headings",
]

_Q_UNITS = {"angle": " [rad]", "length": " [m]", "number": ""}


def q_headings(model: Model) -> list[str]:
    """A heading per number of q: joint, which number, unit."""
    return [heading for joint in model.joints for heading in joint_headings(joint)]


def joint_headings(joint: ModelJoint) -> list[str]:
    """A heading per number of a joint's part of q."""
    variables = joint.type.info.q_variables
    return [
        f"{joint.name}{f' {variable}' if len(variables) > 1 else ''}{_Q_UNITS[quantity]}"
        for variable, quantity in variables
    ]


def v_headings(model: Model) -> list[str]:
    """A heading per number of v."""
    return variable_headings(model, {"angle": "rad/s", "length": "m/s"})


def effort_headings(model: Model) -> list[str]:
    """A heading per number of an effort on the joints."""
    return variable_headings(model, {"angle": "N m", "length": "N"})


def variable_headings(model: Model, units: Mapping[str, str]) -> list[str]:
    """A heading per number of v, with the units of an 'angle' and a 'length'."""
    return [
        f"{joint.name}{f' {variable}' if len(joint.type.info.variables) > 1 else ''} "
        f"[{units[quantity]}]"
        for joint in model.joints
        for variable, quantity in joint.type.info.variables
    ]


def q_columns(model: Model, qs: npt.NDArray[np.float64]) -> dict[str, npt.NDArray[np.float64]]:
    """A table of configurations, (n, nq) or one of (nq,): a column per number of q."""
    return dict(zip(q_headings(model), np.atleast_2d(qs).T, strict=True))
