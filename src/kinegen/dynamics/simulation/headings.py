"""Headings of tables: a name with its unit per number of q, v and efforts."""

from __future__ import annotations

from collections.abc import Mapping

from kinegen.mechanism.model import Model, ModelJoint

__all__ = ["effort_headings", "joint_headings", "q_headings", "v_headings"]


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
