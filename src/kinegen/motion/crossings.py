"""Crossings: singular poses along a path, seen before it is run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kinegen.errors import KinegenError
from kinegen.kernels import Floats
from kinegen.kinematics.handles import Handle
from kinegen.kinematics.singular.branch_signs import BranchSigns
from kinegen.kinematics.singular.singularity import Probe
from kinegen.mechanism.model import Model
from kinegen.motion.path import Crossing

__all__ = ["crossings_of", "distances_of", "signs_for", "signs_of"]

NEAR = 0.02
"""A path is near a singular pose where a scaled singular value dips below this."""
MEASURED = 200
"""Points at which the distance is measured where there are no signs: each costs some 50 µs."""


def signs_for(model: Model, handle: Handle, q: Floats) -> BranchSigns | None:
    """What distinguishes the branches of a mechanism for one handle; None where nothing does."""
    try:
        found = BranchSigns(model, [handle], start=q)
    except KinegenError:
        return None
    return found if found.names else None


def distances_of(
    model: Model, handle: Handle, qs: Floats, reachable: npt.NDArray[np.bool_]
) -> Floats:
    """Distances from singular poses where no signs distinguish branches, (n,): redundant arms.

    Long paths are measured at every so many points, and between them by straight lines.
    """
    found = np.full(len(qs), np.nan)
    met = np.flatnonzero(reachable)
    if not len(met):
        return found
    try:
        probe = Probe(model, qs[met[0]], [handle])
    except KinegenError:
        return found
    at = met[np.unique(np.linspace(0, len(met) - 1, MEASURED).astype(int))]
    values = np.array([min(probe.monitor.measure(qs[i])[1:3]) for i in at])
    if np.isfinite(values).all():
        found[met] = np.interp(met, at, values)
    return found


def signs_of(signs: BranchSigns | None, qs: Floats, reachable: npt.NDArray[np.bool_]) -> Floats:
    """Signed distances from singular poses, (n, count); NaN where the path is not reached."""
    if signs is None:
        return np.full((len(qs), 0), np.nan)
    values = np.full((len(qs), len(signs.names)), np.nan)
    read = signs.probe.monitor.signs
    for i in np.flatnonzero(reachable).tolist():
        values[i] = read(qs[i])
    return values


def crossings_of(
    model: Model,
    names: Sequence[str],
    values: Floats,
    runs: Sequence[slice],
    jumps: Sequence[tuple[int, int, float]],
    times: Floats,
) -> tuple[Crossing, ...]:
    """Changes of sign within a run, dips towards zero, and leaps of joints, in their order.

    Args:
        model: The compiled mechanism.
        names: What each column of values belongs to.
        values: Signed distances, (n, count).
        runs: Unbroken stretches.
        jumps: Index, v index and size [rad, m] of leaps.
        times: [s]
    """
    found: list[Crossing] = []
    for k, name in enumerate(names):
        kind = "gain" if name.startswith("held: ") else "task"
        joints = tuple(name.removeprefix("held: ").split("+"))
        for run in runs:
            column = values[run, k]
            change = np.flatnonzero(np.sign(column[:-1]) * np.sign(column[1:]) < 0)
            zero = np.flatnonzero(np.abs(column) < 1e-9)
            crossed = sorted({*change.tolist(), *zero.tolist()})
            for i in crossed:
                at = run.start + i
                found.append(_crossing(at, times, kind, joints))
            found += [
                _near(run.start + i, times, joints, abs(float(column[i])))
                for i in _dips(np.abs(column))
                if not any(abs(i - other) <= 1 for other in crossed)
            ]
    for index, variable, size in jumps:
        joint = next(j for j in model.joints if j.v.start <= variable < j.v.stop)
        slides = joint.type.info.is_length[variable - joint.v.start]
        far = f"{size * 1000:.4g} mm" if slides else f"{np.degrees(size):.4g}°"
        text = (
            f"joint '{joint.name}' jumps by {far} between points {index} and {index + 1}: the "
            "branch ends here"
        )
        found.append(Crossing(index, float(times[index]), "jump", (joint.name,), text))
    return tuple(sorted(found, key=lambda crossing: crossing.index))


def _crossing(index: int, times: Floats, kind: str, joints: tuple[str, ...]) -> Crossing:
    who = ", ".join(joints)
    if kind == "gain":
        text = (
            f"the motors lose control of {who} after point {index}: the mechanism gains a degree "
            "of freedom there"
        )
        return Crossing(index, float(times[index]), "gain", joints, text)
    text = f"a singular pose of {who} is crossed after point {index}: the branch changes"
    return Crossing(index, float(times[index]), "task", joints, text)


def _near(index: int, times: Floats, joints: tuple[str, ...], value: float) -> Crossing:
    text = f"near a singular pose of {', '.join(joints)} at point {index} (distance {value:.2g})"
    return Crossing(index, float(times[index]), "near", joints, text)


def _dips(values: Floats) -> list[int]:
    """Lowest points of the stretches below the threshold."""
    low = np.flatnonzero(values < NEAR)
    parts = np.split(low, np.flatnonzero(np.diff(low) > 1) + 1) if len(low) else []
    return [int(part[np.argmin(values[part])]) for part in parts]
