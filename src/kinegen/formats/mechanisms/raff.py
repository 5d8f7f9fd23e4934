"""RAFF itself as one of the formats, so that anything converts to anything."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from kinegen.errors import UsageError
from kinegen.formats.export import export_pose
from kinegen.formats.format import Format
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import load_document, name_of
from kinegen.mechanism.mesh_names import mesh_names, move_meshes
from kinegen.mechanism.write import write
from kinegen.raff.document import Document
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.opener import Opener

__all__ = ["FORMAT", "with_start"]


def _read(
    text: str, *, file: str, values: Mapping[str, Formula], options: Mapping[str, str],
    opener: Opener | None = None,
) -> Mechanism:  # fmt: skip
    FORMAT.check_options(options)
    if values:
        raise UsageError(f"{file} is a RAFF file: it contains the values of its parameters")
    return load_document(Document(text, file, opener=opener), name=name_of(file))


def _write(
    mechanism: Mechanism,
    *,
    options: Mapping[str, str],
    file: str = "",
    q: Floats | None = None,
    motion: str | None = None,
) -> str:
    FORMAT.check_options(options)
    mechanism = with_start(_with_meshes(mechanism, file), q)
    return write(mechanism)


def _with_meshes(mechanism: Mechanism, file: str) -> Mechanism:
    """The mechanism with its meshes named from the folder of a file."""
    home = mechanism.opener.folder if mechanism.opener is not None else None
    if not file or home is None or not any(mesh_names(mechanism)):
        return mechanism
    moved = _copy(mechanism)
    move_meshes(moved, home, os.path.dirname(file) or ".")
    return moved


def with_start(mechanism: Mechanism, q: Floats | None) -> Mechanism:
    """The mechanism with another start, where it was asked for."""
    if q is None:
        return mechanism
    model = mechanism.compile()
    if np.array_equal(q, export_pose(model)):
        return mechanism
    moved = _copy(mechanism)
    for joint in model.joints:
        moved.joints[joint.name].start = tuple(map(Formula.constant, q[joint.q].tolist()))
    moved.mode = None  # the starts say it now
    return moved


def _copy(mechanism: Mechanism) -> Mechanism:
    copy = mechanism.snapshot()
    copy.document, copy.remarks = mechanism.document, mechanism.remarks
    return copy


FORMAT = Format("raff", "Robot Arm File Format, Kinegen's own", (".raff",), _read, _write)
