"""The assembly mode that a file names: by the signs of its branch, or by its number."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np

from kinegen.errors import AssemblyError, UsageError
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import difference
from kinegen.kinematics.singular.branch_signs import BranchSigns
from kinegen.kinematics.solving.assembling.assembly import (
    AssemblyMode,
    assemble,
    assembly_modes,
    closed_file_start,
    inputs_of,
)
from kinegen.kinematics.solving.assembling.order import Closing
from kinegen.mechanism.model import Model

__all__ = ["mode_keys", "mode_pose", "mode_signs"]

_MARKS = {-1: "-", 0: "0", 1: "+"}
_known: WeakKeyDictionary[Model, tuple[bytes, Floats]] = WeakKeyDictionary()
"""Poses found before, with the numbers that they belong to: a search takes its time."""


def mode_signs(model: Model, modes: Sequence[AssemblyMode]) -> list[str]:
    """On which side of each singularity of its loops a mode stands, with the motors held.

    One '+' or '-' per block of joints that determine each other: what stays the same when lengths
    change a little. Modes may have equal signs; a mechanism without such blocks has none.
    """
    if not modes:
        return []
    signs = BranchSigns(model, start=modes[0].q)
    return [_signs(signs, mode.q) for mode in modes]


def mode_keys(model: Model, modes: Sequence[AssemblyMode], attempts: int = 2000) -> list[str]:
    """What the key ``mode`` of a file says to name each of its modes, found with motors held.

    Signs where the mode is the first that has them, else its number, both counted from the starts
    of the joints.
    """
    counted = modes
    if model.mode is not None:  # these begin with the mode that is named
        counted = assembly_modes(model, assemble(model, model.start()).q, attempts=attempts)
    signs = mode_signs(model, counted)
    keys = []
    for mode in modes:
        away = [np.abs(difference(model, mode.q, one.q)).max(initial=0.0) for one in counted]
        at = int(np.argmin(away))
        keys.append(signs[at] if signs[at] and signs.index(signs[at]) == at else str(at + 1))
    return keys


def mode_pose(model: Model) -> Floats:
    """The closed start in the mode that the model's file names; its motors hold their starts.

    Raises:
        AssemblyError: When there is no such mode, with those that there are.
    """
    numbers = model.blocks.reals.tobytes()
    known = _known.get(model)
    if known is None or known[0] != numbers:
        known = numbers, _found(model)
        _known[model] = known
    return known[1]


def _found(model: Model) -> Floats:
    wanted = model.mode
    assert wanted is not None
    closing = Closing(model, None, limits=True, seed=0)
    near = closed_file_start(model, closing)
    if near is None:
        # with all the attempts, and the reason where they are in vain
        near = assemble(model, model.start()).q
    is_number = wanted[0] in "123456789"
    if wanted == "1" or (not is_number and _signs(BranchSigns(model, start=near), near) == wanted):
        return near
    held = ", ".join(inputs_of(model)) or "no joint"
    try:
        modes = assembly_modes(model, near)
    except UsageError as error:
        raise AssemblyError(f"the file names mode '{wanted}', but {error}", gap=0.0) from None
    signs = mode_signs(model, modes)
    at = int(wanted) - 1 if is_number else signs.index(wanted) if wanted in signs else len(modes)
    if at < len(modes):
        found = modes[at].q.copy()
        closing.unwind(near, found)
        return found
    listed = ", ".join(f'{n} "{one}"' if one else f"{n}" for n, one in enumerate(signs, start=1))
    raise AssemblyError(
        f"the file names mode '{wanted}', which mechanism '{model.name}' does not have with "
        f"{held} held; its modes: {listed}",
        gap=0.0,
    )


def _signs(signs: BranchSigns, q: Floats) -> str:
    return "".join(_MARKS[one] for one in signs.signs(q))
