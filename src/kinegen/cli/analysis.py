"""What the solver says of a mechanism, for ``kinegen info``."""

from __future__ import annotations

import textwrap
from typing import Any

from kinegen.errors import AssemblyError, UsageError
from kinegen.kinematics.diagnosis.diagnosis import diagnose
from kinegen.kinematics.singular.singularity import singularities
from kinegen.kinematics.solving.assembling.assembly import assemble, assembly_modes
from kinegen.mechanism.model import Model

__all__ = ["analyse", "analysis_text"]

ATTEMPTS = 400
"""Random starts in search of assembly modes: quick; `kinegen assemble --modes` looks longer."""


def analyse(model: Model) -> dict[str, Any]:
    """Mobility, assembly and singular values at the assembled pose, for programs."""
    try:
        assembly = assemble(model)
    except AssemblyError as error:
        found = diagnose(model)
        return {
            "assembled": False,
            "reason": str(error),
            "gap": error.gap,
            "mobility": None,
            "mobility_gruebler": found.mobility.gruebler,
            "diagnosis": found.text,
            "suspects": [suspect.joint for suspect in found.suspects],
        }
    # near the file's own start a fault shows best, even where assembly leads far away
    found = diagnose(model)
    frame = model.site_names[-1]
    near = singularities(model, assembly.q, frame) if model.nv else None
    return {
        "assembled": True,
        "mobility": found.mobility.finite,
        "mobility_instantaneous": found.mobility.instantaneous,
        "mobility_gruebler": found.mobility.gruebler,
        "mobility_gruebler_planar": found.mobility.gruebler_planar,
        "redundant": found.mobility.redundant,
        "idle": found.mobility.idle,
        "gap": assembly.gap,
        "assembly_modes": _modes(model, assembly.q),
        "singular_values": [] if near is None else near.task_values,
        "singular_values_frame": frame,
        "passive_singular_values": [] if near is None else near.passive_values,
        "singularity": None if near is None else near.text,
        "diagnosis": found.text,
        "suspects": [suspect.joint for suspect in found.suspects],
    }


def analysis_text(model: Model) -> str:
    """The same in sentences."""
    about = analyse(model)
    lines = [
        textwrap.fill(line, 88, subsequent_indent="  ") for line in about["diagnosis"].splitlines()
    ]
    if not about["assembled"]:
        reason = about["reason"].removeprefix(f"mechanism '{model.name}' cannot be assembled: ")
        return "\n".join([f"It cannot be assembled: {reason}.", *lines])
    modes = about["assembly_modes"]
    if modes:
        count = f"{len(modes)} assembly mode{'s' if len(modes) > 1 else ''}"
        lines.append(f"With its motors held, it has {count}.")
    if about["singularity"]:
        said, frame = about["singularity"], about["singular_values_frame"]
        is_never = said.startswith("this mechanism has")
        is_singular = not is_never and not said.startswith("not singular")
        begin = "" if is_never else "this pose is "
        lines.append(f"For '{frame}' {begin}{'singular: ' if is_singular else ''}{said}.")
    return "\n".join(lines)


def _modes(model: Model, q: Any) -> list[str] | None:
    """Names of the modes with the motors held; None when these leave a degree of freedom."""
    if not model.constraint_count:
        return []
    try:
        return [mode.name for mode in assembly_modes(model, q, attempts=ATTEMPTS)]
    except UsageError:
        return None
