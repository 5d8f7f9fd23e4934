"""Inverse kinematics in closed form: all branches at once, for the arms whose geometry allows it.

``solve_analytic`` answers for a pose, ``solve_wrist_angle`` for a position and the hand's angle to
the ground (3D-RAS), ``physical_reach`` says how far a point is beyond the arm's length.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.kernels.backend import analytic_arm
from kinegen.kernels.protocols.analytic import MAX_SOLUTIONS, AnalyticFlag
from kinegen.kernels.reference.base.transform import shift, turn
from kinegen.kinematics.analytic.chain import serial_chain
from kinegen.kinematics.analytic.geometry import AnalyticKind, ArmNumbers, recognise
from kinegen.kinematics.analytic.nearest import FAR, NearestBranch
from kinegen.kinematics.configurations import Configuration, configuration
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.headings import q_columns
from kinegen.mechanism.model import Model
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.results import Columns, Result, ResultList
from kinegen.spatial.pose import SE3

__all__ = [
    "AnalyticGeometry",
    "AnalyticKind",
    "AnalyticSolution",
    "AnalyticSolutions",
    "Reach",
    "analytic_geometry",
    "nearest_branch",
    "physical_reach",
    "solve_analytic",
    "solve_wrist_angle",
    "why_not_analytic",
]


@dataclass(frozen=True, slots=True, eq=False)
class AnalyticSolution(Result):
    """One branch of the answer."""

    model: Model
    q: Floats
    """The whole configuration, (nq,): joints off the chain as in the start."""
    distance: float
    """Left between the frame and its target [m]."""
    angle: float
    """Left between the frame and its target [rad]. For arms of three joints it is not asked for;
    for :func:`solve_wrist_angle` it is that of the wrist, 0."""
    exact: bool
    """Whether the target is met; if not, this is the nearest the arm comes."""
    within_limits: bool
    singular: tuple[str, ...]
    """Which of 'wrist', 'shoulder', 'elbow' is singular here."""
    branch: str
    """The branch in words, such as 'front, elbow up, wrist flipped'."""

    def columns(self) -> Columns:
        """One row: the branch, joints, what is left."""
        return {"branch": [self.branch], **q_columns(self.model, self.q), "exact": [self.exact],
                "within limits": [self.within_limits], "distance [m]": [self.distance],
                "angle [rad]": [self.angle]}  # fmt: skip


class AnalyticSolutions(ResultList[AnalyticSolution]):
    """All branches of an answer."""


@dataclass(frozen=True, slots=True)
class Reach(Result):
    """How a point lies against the arm's length [m]."""

    distance: float
    """From the foot of the waist axis to the point, in the arm's plane (3D-RAS eq. 19)."""
    longest: float
    """The arm's whole length from there (3D-RAS eq. 20)."""
    shortfall: float
    """Distance from the point to the nearest one the arm reaches, limits and orientation left
    aside; 0 within reach. Sharper than the two above, which a point too near always passes."""

    @property
    def beyond(self) -> float:
        """By how much the point is beyond the arm's length; negative when it is within it."""
        return self.distance - self.longest


class AnalyticGeometry:
    """An arm that has a closed form, with the numbers the model had when it was recognised."""

    def __init__(self, model: Model, joints: tuple[ModelJoint, ...], numbers: ArmNumbers) -> None:
        self.kind = numbers.kind
        self.reason = numbers.reason
        """What was recognised, in words."""
        self.joints = tuple(joint.name for joint in joints)
        """The joints that are solved for, from the base on."""
        self.numbers = numbers
        self.q_index = np.array([joint.q.start for joint in joints])
        self._model = model
        count = len(joints)
        self._q = np.empty((MAX_SOLUTIONS, count))
        self._residuals = np.empty((MAX_SOLUTIONS, 2))
        self._flags = np.empty(MAX_SOLUTIONS, dtype=np.int32)
        self.kernel = analytic_arm(
            numbers.ints, numbers.reals, self._q, self._residuals, self._flags
        )
        """The bound kernel: answers go into arrays that the next call fills again."""

    def __repr__(self) -> str:
        return f"AnalyticGeometry({self.kind.name}, {', '.join(self.joints)}: {self.reason})"

    def solve(self, target: SE3, *, start: Configuration = None) -> AnalyticSolutions:
        """All branches for a pose of the frame in the world, as :func:`solve_analytic`."""
        if not isinstance(target, SE3):
            raise UsageError(f"the target must be an SE3, got {target!r}")
        self.check_distance(target.translation)
        q, near = self._start(start)
        count = self.kernel.solve_pose(np.asarray(target.pose), q[self.q_index], near)
        return self._solutions(count, q, start is not None)

    def solve_wrist_angle(
        self, xyz: npt.ArrayLike, wrist_angle: float, *, start: Configuration = None
    ) -> AnalyticSolutions:
        """Both elbows, front and back, as :func:`solve_wrist_angle`."""
        if self.kind is not AnalyticKind.PITCH_ARM:
            raise UsageError(
                f"a wrist angle needs an arm with {AnalyticKind.PITCH_ARM.value}; this one has "
                f"{self.kind.value}"
            )
        if not math.isfinite(wrist_angle):
            raise UsageError(f"a wrist angle must be a finite number [rad], got {wrist_angle}")
        point = _point(xyz)
        self.check_distance(point)
        q, near = self._start(start)
        on_chain = q[self.q_index]
        roll = float(on_chain[4]) if len(on_chain) == 5 else 0.0
        count = self.kernel.solve_wrist_angle(point, float(wrist_angle), roll, on_chain, near)
        return self._solutions(count, q, start is not None)

    def check_distance(self, point: Floats) -> None:
        """Refuse a point [m] that is too far away to compute with."""
        if math.hypot(*point.tolist()) > FAR * self.numbers.size:
            raise UsageError(
                f"the target {point.tolist()} m is too far away: more than {FAR:.0e} times the "
                f"arm's size of {self.numbers.size:.3g} m"
            )

    def _start(self, start: Configuration) -> tuple[Floats, Floats]:
        """The start's q, and what angles come near by whole turns: the start, or else zero."""
        q = configuration(self._model, start)
        return q, np.zeros(len(self.joints)) if start is None else q[self.q_index]

    def _solutions(self, count: int, q: Floats, started: bool) -> AnalyticSolutions:
        rows = self._q[:count]
        whole = np.tile(q, (count, 1))
        whole[:, self.q_index] = rows
        away = np.abs(rows - q[self.q_index]).max(axis=1).tolist() if started else [0.0] * count
        found = []
        for i, ((distance, angle), flags) in enumerate(
            zip(self._residuals[:count].tolist(), self._flags[:count].tolist(), strict=True)
        ):
            exact, within, singular, branch = _words(flags)
            solution = AnalyticSolution(
                self._model, whole[i], distance, angle, exact, within, singular, branch
            )
            found.append((not within, away[i], i, solution))
        return AnalyticSolutions(row[3] for row in sorted(found, key=lambda row: row[:3]))


def analytic_geometry(model: AnyModel, frame: str) -> AnalyticGeometry | None:
    """The closed form of the chain from the base to a frame, for the model's current numbers.

    None if there is no closed form; :func:`why_not_analytic` gives the reason.
    """
    model = model_of(model)
    found = _recognised(model, frame)
    return None if isinstance(found, str) else found


def why_not_analytic(model: Model, frame: str) -> str:
    """Why the chain to a frame has no closed form here, in words; empty when it has one."""
    found = _recognised(model, frame)
    return found if isinstance(found, str) else ""


def solve_analytic(
    model: AnyModel, frame: str, target: SE3, *, start: Configuration = None
) -> AnalyticSolutions:
    """All branches that bring a frame to a pose X_WF, in closed form.

    Exact solutions if there are any, otherwise the nearest ones: for a target out of reach, with
    the correct orientation; for an orientation that fewer than six joints cannot produce, with the
    correct position if possible. Solutions within the joint limits come first, then the others, by
    distance from the start.

    Args:
        model: the compiled mechanism.
        frame: name of a frame or link on a serial chain of revolute joints.
        target: the target pose X_WF; arms of three joints use its position only.
        start: determines the joint values that singular poses leave open, and the whole turns that
            are added to angles; default: the file's start, and angles near zero.

    Raises:
        UsageError: the chain has no closed form; the message says why.
    """
    model = model_of(model)
    return _required(model, frame).solve(target, start=start)


def solve_wrist_angle(
    model: AnyModel,
    frame: str,
    xyz: npt.ArrayLike,
    wrist_angle: float,
    *,
    start: Configuration = None,
) -> AnalyticSolutions:
    """All branches for a position and the wrist's angle to the ground (3D-RAS eq. 3-9).

    For arms with a waist, three parallel axes and optionally a roll, which keeps its value of the
    start. The bars may differ in length, and the result has both elbow positions, in front and over
    the back.

    Args:
        model: the compiled mechanism.
        frame: name of the frame or link.
        xyz: p_WF [m].
        wrist_angle: of the hand (its roll axis, or the line from the wrist to the frame) above the
            horizontal that points away from the waist [rad].
        start: as for :func:`solve_analytic`.
    """
    model = model_of(model)
    return _required(model, frame).solve_wrist_angle(xyz, wrist_angle, start=start)


def physical_reach(model: AnyModel, frame: str, xyz: npt.ArrayLike) -> Reach:
    """Whether a point p_WF [m] is within the arm's length (3D-RAS eq. 19-20)."""
    model = model_of(model)
    geometry, given = _required(model, frame), _point(xyz)
    geometry.check_distance(given)
    numbers = geometry.numbers
    shape, X_AW = numbers.shape, numbers.X_AW
    point = X_AW[:3, :3] @ given + X_AW[:3, 3]
    foot = float(X_AW[2, 3])  # height of the base's origin in A, whose own is at the shoulder's
    level = math.hypot(point[0], point[1])
    level = math.sqrt(max(0.0, level**2 - shape["side"] ** 2))
    distance = math.hypot(level, point[2] - foot)
    bars = [shape["upper"], shape["fore"], shape["hand"]]
    whole = abs(foot) + sum(bars) + numbers.tool_reach
    left = _left_to_centre(numbers, point)
    return Reach(distance, math.hypot(whole, shape["waist"]), max(0.0, left - numbers.tool_reach))


# Inside

_SINGULAR = {
    AnalyticFlag.SINGULAR_WRIST: "wrist",
    AnalyticFlag.SINGULAR_SHOULDER: "shoulder",
    AnalyticFlag.SINGULAR_ELBOW: "elbow",
}


@dataclass(slots=True, eq=False)
class _Known:
    """What was recognised, and from which numbers: those may change at any time.

    Nothing in here refers to the model, so that it can go.
    """

    reals: bytes
    joints: tuple[ModelJoint, ...]
    numbers: ArmNumbers | str
    nearest: NearestBranch | None = None


_known: WeakKeyDictionary[Model, dict[str, _Known]] = WeakKeyDictionary()


def _knowledge(model: Model, frame: str) -> _Known:
    frames = _known.get(model)
    if frames is None:
        frames = _known[model] = {}
    known, reals = frames.get(frame), model.reals.tobytes()
    if known is None or known.reals != reals:
        chain = serial_chain(model, frame)
        if isinstance(chain, str):
            known = _Known(reals, (), chain)
        else:
            q = [joint.q.start for joint in chain.joints]
            v = [joint.v.start for joint in chain.joints]
            numbers = recognise(chain, model.start()[q], model.lower[v], model.upper[v])
            known = _Known(reals, chain.joints, numbers)
        frames[frame] = known
    return known


def nearest_branch(model: Model, frame: str) -> NearestBranch | None:
    """The closed form of the chain to a frame for one answer at a time; None when there is none.

    One per model, like its solver: not to be shared between threads.
    """
    known = _knowledge(model, frame)
    if known.nearest is None and not isinstance(known.numbers, str):
        known.nearest = NearestBranch(known.joints, known.numbers)
    return known.nearest


def _recognised(model: Model, frame: str) -> AnalyticGeometry | str:
    known = _knowledge(model, frame)
    if isinstance(known.numbers, str):
        return known.numbers
    return AnalyticGeometry(model, known.joints, known.numbers)


def _required(model: Model, frame: str) -> AnalyticGeometry:
    found = _recognised(model, frame)
    if isinstance(found, str):
        raise UsageError(
            f"the chain to '{frame}' of mechanism '{model.name}' has no closed-form inverse: "
            f"{found}"
        )
    return found


@functools.cache
def _words(number: int) -> tuple[bool, bool, tuple[str, ...], str]:
    """Flags as exact, within limits, singular parts, branch in words."""
    flags = AnalyticFlag(number)
    words = [
        "back" if AnalyticFlag.BACK in flags else "front",
        "elbow down" if AnalyticFlag.DOWN in flags else "elbow up",
    ]
    if AnalyticFlag.FLIPPED in flags:
        words.append("wrist flipped")
    singular = tuple(word for flag, word in _SINGULAR.items() if flag in flags)
    exact, within = AnalyticFlag.EXACT in flags, AnalyticFlag.OUTSIDE not in flags
    return exact, within, singular, ", ".join(words)


def _left_to_centre(numbers: ArmNumbers, point: Floats) -> float:
    """Distance from a point in A to the nearest one that waist, shoulder and elbow reach with C.

    The bars reach a ring about the shoulder; two bars of its mean radius and half width have the
    same ring, and the kernel knows how near an arm of two bars comes.
    """
    shape = numbers.shape
    bars = (shape["upper"], shape["fore"], shape["hand"])
    longest = sum(bars)
    shortest = max(0.0, 2 * max(bars) - longest)
    upper, fore = (longest + shortest) / 2, (longest - shortest) / 2
    fixed = [
        np.eye(4),
        shift(0, shape["waist"]) @ turn(0, math.pi / 2),
        shift(0, upper),
        shift(0, fore) @ shift(2, -shape["side"]),
    ]
    reals = np.concatenate(
        [
            _twelve(np.eye(4)),
            [shape["waist"], shape["side"], upper, fore, 0, 0, 0, 0],
            np.ones(6),
            np.eye(3).ravel(),
            np.eye(3).ravel(),
            [0, 1, 0, 1, 0],
            np.zeros(3),
            np.zeros(9),
            [0, numbers.size, 0],
            *map(_twelve, fixed),
            np.full(3, -np.inf),
            np.full(3, np.inf),
        ]
    )
    residuals = np.empty((MAX_SOLUTIONS, 2))
    arm = analytic_arm(
        np.array([0, 0, 3], dtype=np.int32),
        reals,
        np.empty((MAX_SOLUTIONS, 3)),
        residuals,
        np.empty(MAX_SOLUTIONS, dtype=np.int32),
    )
    arm.solve_pose(np.concatenate([[1.0, 0, 0, 0], point]), np.zeros(3), np.zeros(3))
    return float(residuals[0, 0]) if residuals[0, 0] > 1e-9 * numbers.size else 0.0


def _twelve(X: Floats) -> Floats:
    return np.concatenate([X[:3, :3].ravel(), X[:3, 3]])


def _point(xyz: npt.ArrayLike) -> Floats:
    try:
        point = np.ascontiguousarray(xyz, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"a position must be 3 numbers [m], got {xyz!r}") from error
    if point.shape != (3,) or not np.isfinite(point).all():
        raise UsageError(f"a position must be 3 finite numbers [m], got {xyz!r}")
    return point
