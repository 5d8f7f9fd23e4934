"""What acts on a simulation: a controller, servos, hands; asked, checked and summed."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.engines.engine import Loads
from kinegen.dynamics.motors.servos import Servos
from kinegen.dynamics.touch.touch import Touch
from kinegen.kernels import Floats, ServoArrays
from kinegen.mechanism.model import Model

__all__ = ["Control", "Efforts", "LoadSource", "sum_loads"]

Efforts: TypeAlias = npt.ArrayLike | Mapping[str, float | Sequence[float]] | Loads | None
"""nv numbers, or values by joint name (others 0), or full loads, or None for none."""
Control: TypeAlias = Callable[[float, Floats, Floats], Efforts]
"""A controller: time [s], q and v to efforts [N m, N]."""
LoadSource: TypeAlias = Callable[[float, Floats, Floats], Loads | None]
"""Something else that acts: a servo, a hand."""

_OURS = str(Path(__file__).parents[2])
"""This package: errors are reported at the place in the user's code."""


def sum_loads(
    model: Model,
    control: Control | None,
    sources: Sequence[LoadSource],
    time: float,
    q: Floats,
    v: Floats,
) -> tuple[Loads | None, str]:
    """What acts now, summed, and why the run cannot continue; '' when it can."""
    asked: list[tuple[str, Control | LoadSource]] = [(_who(source), source) for source in sources]
    if control is not None:
        asked.insert(0, ("the controller", control))
    found: list[Loads] = []
    inside: ServoArrays | None = None
    for who, source in asked:
        try:
            ours = isinstance(source, Servos | Touch)  # others may write into what they get
            given = _loads_of(model, source(time, *((q, v) if ours else (q.copy(), v.copy()))))
        except Exception as error:
            return None, (
                f"{who} failed at {time:g} s: {type(error).__name__}: {error}{_place(error)}"
            )
        if given is None:
            continue
        if given.servos is not None:
            if len(asked) == 1:
                return given, ""
            inside = given.servos
        if not given.is_finite:
            bad = ~np.isfinite(given.efforts)
            joints = [joint.name for joint in model.joints if bad[joint.v].any()]
            what = f"effort on {', '.join(joints)}" if joints else "wrench"
            return None, f"{who} returned a value that is not finite for {what} at {time:g} s"
        found.append(given)
    if len(found) < 2:
        return (found[0] if found else None), ""
    return Loads(
        np.sum([one.efforts for one in found], axis=0),
        np.vstack([one.wrenches for one in found]),
        np.concatenate([one.links for one in found]),
        inside,
    ), ""


def _who(source: LoadSource) -> str:
    if isinstance(source, Servos):
        return "the targets of the motors"
    return "a hand" if isinstance(source, Touch) else "a source of loads"


def _place(error: Exception) -> str:
    """Where in the user's own code an error arose, if it did."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(_OURS)
    ]
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""


def _loads_of(model: Model, given: Efforts) -> Loads | None:
    if given is None or isinstance(given, Loads):
        return given
    if isinstance(given, Mapping):
        efforts = np.zeros(model.nv)
        for name, value in given.items():
            efforts[model.joint(name).v] = value
        return Loads.of(model, efforts=efforts)
    return Loads.of(model, efforts=np.asarray(given, dtype=np.float64))
