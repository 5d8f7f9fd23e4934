"""Following: every point of a curve solved in turn, branch kept, speeds and warnings worked out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from kinegen.curves.curve import Curve, CurvePoints
from kinegen.errors import AssemblyError, UsageError, whole_number
from kinegen.kernels import Floats
from kinegen.kinematics.collisions.checker import Avoid, CollisionChecker, avoided
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.kinematics.singular.branch_signs import BranchSigns
from kinegen.kinematics.solving.assembling.assembly import MOST_MODES, assemble, close
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.memory import names_memory
from kinegen.motion.crossings import crossings_of, distances_of, signs_for, signs_of
from kinegen.motion.path import Path
from kinegen.motion.rates import rates, unrolled
from kinegen.motion.runner import Runner
from kinegen.motion.targets import Tool, targets_of

__all__ = ["SPEED", "follow", "path_branches"]

SPEED = 0.1
"""Speed of the tool when none is given [m/s]."""
SLOWEST = 1e-12
"""Along a curve [m/s]: slower ones take longer than anything lasts."""
_PROBES = 33
"""Points that are tried when the first one is out of reach."""
_BRANCHES = 16
"""Branches that are tried in full where collisions are avoided."""
_BEHIND = 3
"""Starts in the search for a way on behind an obstacle, at each point."""
_LEAP = 0.5
"""A joint that moves further between neighbours [rad, or sizes] leaps, when this is also:"""
_LEAP_SHARE = 20.0
"""times its usual step."""


@names_memory("a path: use fewer points")
def follow(
    model: AnyModel,
    curve: Curve | CurvePoints,
    *,
    frame: str | None = None,
    points: int | None = None,
    step: float | None = None,
    speed: float = SPEED,
    tool: Tool = None,
    wrist_angle: float | None = None,
    start: Configuration = None,
    branch: int | None = None,
    limits: bool = True,
    locked: Sequence[str] = (),
    avoid: Avoid = False,
    clearance: float | None = None,
) -> Path:
    """Move a frame along a curve at constant speed, with closed loops, in one branch.

    Points that cannot be reached are skipped, with a reason for each. After such a gap, the path
    continues in the same branch if that branch reaches the curve again.

    Args:
        model: The mechanism or its model.
        curve: Where the frame should go.
        frame: A frame or link; default: the file's last frame.
        points: Number of points at equal distances; default: 200.
        step: Largest distance between points [m], instead of ``points``.
        speed: Speed of the frame along the curve [m/s].
        tool: Orientation of the frame. None: free; an SO3: constant; three numbers: the direction
            of its z axis; 'normal': its z axis points at the surface that the curve lies on.
        wrist_angle: Constant angle of the hand to the ground [rad], instead of ``tool``, for arms
            with waist, shoulder, elbow and wrist (3D-RAS eq. 3-9).
        start: Configuration at which the search for the first point begins; of several branches,
            the nearest one is taken.
        branch: Index of a branch of :func:`path_branches`, instead of ``start``.
        limits: Whether joint limits are kept.
        locked: Joints that stay fixed.
        avoid: Whether collisions are avoided: by the joints that the targets leave free, and by
            the branch, where none is given. Points without a free pose are skipped, and the reason
            names what touches. True: links and objects; or a checker, with a floor for example.
        clearance: Distance to keep [m]; default: a thousandth of the mechanism's size.
    """
    model = model_of(model)
    checker = None
    if avoid:
        checker, clearance = avoided(model, avoid, clearance)
    if branch is not None:
        branch = whole_number(branch, "a branch", 0, MOST_MODES)
    if not (math.isfinite(speed) and speed >= SLOWEST):
        raise UsageError(
            f"the speed along a curve must be finite and at least {SLOWEST:g} m/s, not {speed}"
        )
    runner, home = _runner(
        model, curve, frame, points, step, tool, start, limits, locked, wrist_angle,
        checker, clearance,
    )  # fmt: skip
    first = _begin(runner, home, branch)
    if first is None:
        found = _near(runner, home)
    else:
        found = _from(runner, first)
        if checker is not None and branch is None and not found.reachable.all():
            found = _clearest(runner, home, first, found)
    name = curve.name if isinstance(curve, Curve) else "points"
    return _path(runner, found, first, name, speed)


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """Poses along a curve."""

    q: Floats
    """(n, nq); NaN where a target is not met."""
    reachable: npt.NDArray[np.bool_]
    """Which targets are met, (n,)."""
    reasons: dict[int, str]
    """Why not, by target."""
    signs: BranchSigns | None = None

    @classmethod
    def none(cls, runner: Runner) -> _Found:
        """No target is met yet; why not where there is no place."""
        targets = runner.targets
        return cls(
            np.full((len(targets), runner.model.nq), np.nan),
            np.zeros(len(targets), dtype=bool),
            {i: targets.missing(i) for i in np.flatnonzero(~targets.exist).tolist()},
        )


def _from(runner: Runner, first: int) -> _Found:
    """Follow all targets, both ways, from one that is met."""
    begun = runner.q.copy()
    signs = signs_for(runner.model, runner.targets.handle(first), begun)
    found = replace(_Found.none(runner), signs=signs)
    _run(runner, range(first, len(found.q)), found)
    runner.place(begun)
    _run(runner, range(first - 1, -1, -1), found)
    return found


def _clearest(runner: Runner, home: Floats, first: int, found: _Found) -> _Found:
    """What another branch reaches, where it stays clear of obstacles for longer."""
    for begun in runner.branches(first, home)[:_BRANCHES]:
        runner.place(begun)
        other = _from(runner, first)
        if other.reachable.sum() > found.reachable.sum():
            found = other
        if found.reachable.all():
            break
    return found


def _near(runner: Runner, home: Floats) -> _Found:
    """Targets that are met from home one by one, where a search passed them by."""
    found = _Found.none(runner)
    for i in np.flatnonzero(runner.targets.exist).tolist():
        runner.place(home)
        if runner.go(i):
            found.q[i], found.reachable[i] = runner.q, True
        else:
            found.reasons[i] = runner.reason(i)
    return found


def _path(runner: Runner, found: _Found, first: int | None, name: str, speed: float) -> Path:
    """The path along what was found, with its speeds and singular poses."""
    model, targets, q, reachable = runner.model, runner.targets, found.q, found.reachable
    ways = targets.points.ways()
    times = ways / speed
    values = signs_of(found.signs, q, reachable)
    names: Sequence[str] = found.signs.names if found.signs else ()
    if first is not None and found.signs is None:
        # no sides to cross, but singular poses to come near to
        values = distances_of(model, targets.handle(first), q, reachable)[:, None]
        names = (targets.frame,)
    leaps = _leaps(model, q, reachable)
    runs = _runs(reachable, [i for i, _, _ in leaps])
    v, vdot = rates(model, times, q, runs)
    nearest = np.abs(values).min(axis=1) if values.shape[1] else np.full(len(q), np.nan)
    return Path(
        model=model,
        frame=targets.frame,
        name=name,
        times=times,
        ways=ways,
        xyz=targets.points.xyz,
        q=q,
        v=v,
        vdot=vdot,
        reachable=reachable,
        reasons=found.reasons,
        runs=runs,
        singular=nearest,
        crossings=crossings_of(model, names, values, runs, leaps, times),
        speed=speed,
    )


def path_branches(
    model: AnyModel,
    curve: Curve | CurvePoints,
    *,
    frame: str | None = None,
    tool: Tool = None,
    wrist_angle: float | None = None,
    start: Configuration = None,
    limits: bool = True,
    locked: Sequence[str] = (),
) -> Floats:
    """Configurations in which a curve can begin, (n, nq), the nearest to ``start`` first.

    If the targets of the frame leave degrees of freedom open, the solutions form continuous
    families, and these are samples. Arguments as for :func:`follow`.
    """
    model = model_of(model)
    runner, home = _runner(
        model, curve, frame, None, None, tool, start, limits, locked, wrist_angle
    )
    first = _begin(runner, home, None)
    found = [] if first is None else runner.branches(first, home)
    return np.array(found).reshape(len(found), model.nq)


def _runner(
    model: Model,
    curve: Curve | CurvePoints,
    frame: str | None,
    points: int | None,
    step: float | None,
    tool: Tool,
    start: Configuration,
    limits: bool,
    locked: Sequence[str],
    wrist_angle: float | None,
    avoid: CollisionChecker | None = None,
    clearance: float | None = None,
) -> tuple[Runner, Floats]:
    name = model.site_names[-1] if frame is None else frame
    model.site(name)
    targets = targets_of(curve, name, tool, points=points, step=step)
    if not targets.exist.any():
        raise UsageError(f"no point of the curve exists; the first: {targets.missing(0)}")
    home = configuration(model, start).copy()
    if model.constraint_count:
        try:
            home = assemble(model, start).q
        except AssemblyError:
            home = close(model, home)[0]
    made = Runner(
        model, targets, home, limits=limits, locked=locked, wrist_angle=wrist_angle, avoid=avoid,
        clearance=clearance,
    )  # fmt: skip
    return made, home


def _begin(runner: Runner, home: Floats, branch: int | None) -> int | None:
    """The first point that can be reached, the mechanism put there; None when none is found."""
    there = np.flatnonzero(runner.targets.exist)
    tries = np.unique(np.linspace(0, len(there) - 1, _PROBES).astype(int))
    for k, i in enumerate(there[tries].tolist()):
        runner.place(home)
        found = runner.search(i, 100 if k == 0 else 10)
        if found is None:
            continue
        runner.place(found)
        if branch is not None:
            branches = runner.branches(i, home)
            runner.place(branches[whole_number(branch, "a branch", 0, len(branches) - 1)])
        return int(i)
    return None


def _run(runner: Runner, order: range, found: _Found) -> None:
    """Meet targets in an order; fill what is met, and why not what is not."""
    q, reachable, reasons = found.q, found.reachable, found.reasons
    exist = runner.targets.exist.tolist()
    before: Floats | None = None
    was_met = True
    for i in order:
        if not exist[i]:
            was_met = False
            continue
        met = runner.go(i)
        if not met and not was_met and runner.avoids:
            # what stops the drag may leave room for the tool behind it
            beyond = runner.search(i, _BEHIND)
            if beyond is not None:
                runner.place(beyond)
                met = runner.go(i)
        if met and not was_met and before is not None:
            _keep_branch(runner, i, before, found.signs)
        if met:
            q[i], reachable[i] = runner.q, True
        else:
            reasons[i] = runner.reason(i)
            if was_met and before is not None:
                if runner.search(i) is not None:
                    reasons[i] += "; another branch reaches it"
        if was_met and not met:
            last = i - order.step
            before = q[last].copy() if 0 <= last < len(q) and reachable[last] else before
        was_met = met


def _keep_branch(runner: Runner, index: int, before: Floats, signs: BranchSigns | None) -> None:
    """Behind a gap: continue in the branch from before it, where that reaches the curve again."""
    if signs is None or signs.signs(runner.q) == signs.signs(before):
        return
    for other in runner.branches(index, before):
        if signs.signs(other) == signs.signs(before):
            runner.place(other)
            return


def _leaps(
    model: Model, q: Floats, reachable: npt.NDArray[np.bool_]
) -> list[tuple[int, int, float]]:
    """Where a joint moves much further between neighbours than it usually does."""
    both = np.flatnonzero(reachable[:-1] & reachable[1:])
    if not len(both):
        return []
    scale = np.ones(model.nv)
    for joint in model.joints:
        for k, (_, quantity) in enumerate(joint.type.info.variables):
            scale[joint.v.start + k] = 1.0 if quantity == "angle" else model.size
    if model.quaternion_joints:
        moves = np.array([unrolled(model, q[i : i + 2])[1] for i in both])
    else:
        moves = q[both + 1] - q[both]
    moves = np.abs(moves) / scale
    usual = np.median(moves.max(axis=1))
    found = []
    for row in np.flatnonzero(moves.max(axis=1) > max(_LEAP, _LEAP_SHARE * usual)).tolist():
        k = int(moves[row].argmax())
        found.append((int(both[row]), k, float(moves[row, k] * scale[k])))
    return found


def _runs(reachable: npt.NDArray[np.bool_], breaks: Sequence[int]) -> tuple[slice, ...]:
    """Stretches of reachable points, broken behind each of the given indices."""
    met = np.flatnonzero(reachable)
    if not len(met):
        return ()
    cuts = {int(i) for i in met[:-1][np.diff(met) > 1]} | set(breaks)
    ends = sorted({*cuts, int(met[-1])})
    starts = [int(met[0]), *(int(met[np.searchsorted(met, e + 1)]) for e in ends[:-1])]
    return tuple(slice(a, e + 1) for a, e in zip(starts, ends, strict=True))
