"""What every set of kernels offers for mechanisms with loops: the reduced engine.

A cut joint is known by the forces that it transmits, one row each, about the frame K where it
lands; rows that no degree of freedom of the mechanism moves are left out.
"""

from __future__ import annotations

import enum
from typing import Any, NamedTuple, Protocol

from kinegen.joint_types import JointTraits, JointType
from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.contact import ShapeArrays

__all__ = [
    "CUT_ROWS",
    "BoundReduced",
    "Integrator",
    "Method",
    "ReducedReport",
    "RowKind",
    "RunStatus",
    "ServoArrays",
    "ServoMode",
    "ServoRow",
    "ServoState",
]


class Integrator(enum.IntEnum):
    """How steps are made."""

    RK4 = 0
    SEMI_IMPLICIT = 1
    IMPLICIT = 2
    ADAPTIVE = 3


class Method(enum.IntEnum):
    """How masses and loops are solved for; all give the same motion."""

    AUTO = -1
    """What takes the least work."""
    MATRICES = 0
    """A mass matrix and the rows of the loops: cubic in the joints on a way to the base."""
    BODIES = 1
    """Articulated bodies: linear; trees without loops."""
    GRAPH = 2
    """Elimination link by link: linear where few loops are open at any link."""
    EARS = 3
    """The same along another tree than the file's, one with short loops."""


class RunStatus(enum.IntEnum):
    """How a run ended."""

    OK = 0
    NOT_FINITE = 1
    OPEN = 2
    MASSLESS = 3
    SMALL = 4


class RowKind(enum.IntEnum):
    """What a row of a cut joint, a spring or a coupling holds, about the frame K of a joint."""

    FORCE_X = 0
    """Along an axis of K, as FORCE_Y and FORCE_Z."""
    FORCE_Y = 1
    FORCE_Z = 2
    MOMENT_X = 3
    """About an axis of K, as MOMENT_Y and MOMENT_Z."""
    MOMENT_Y = 4
    MOMENT_Z = 5
    THREAD = 6
    """A screw's slide follows its turn."""
    CROSS = 7
    """The two axes of a universal joint stay perpendicular."""
    SPRING = 8
    """Along a spring, or a variable of a cut joint with one."""
    SLIDES = 9
    """A relation between variables that is one of lengths, as TURNS is one of angles."""
    TURNS = 10


def _cut_rows(info: JointTraits) -> tuple[RowKind, ...]:
    rows = [RowKind[f"FORCE_{axis.upper()}"] for axis in info.holds_along]
    rows += [RowKind[f"MOMENT_{axis.upper()}"] for axis in info.holds_about]
    rows += [RowKind.THREAD] * info.has_pitch + [RowKind.CROSS] * info.holds_cross
    return tuple(rows)


CUT_ROWS = tuple(_cut_rows(kind.info) for kind in JointType)
"""Rows of a cut joint, by the number of its type: they follow from its traits."""


class ServoMode(enum.IntEnum):
    """What the target of a servo inside the steps is."""

    NONE = -1
    POSITION = 0
    VELOCITY = 1
    TORQUE = 2


class ServoRow(enum.IntEnum):
    """Rows of the numbers of motors, one number per v each; SI units, seen from the joint."""

    KP = 0
    KD = 1
    SPEED = 2
    """Largest, as EFFORT is."""
    EFFORT = 3
    STALL = 4
    """Effort at rest, and NO_LOAD the speed without effort."""
    NO_LOAD = 5
    INERTIA = 6
    """What the motor moves."""
    HALF = 7
    """Of the backlash; 0: none."""
    ROTOR = 8
    FLANK_STIFFNESS = 9
    FLANK_DAMPING = 10
    PER_AMPERE = 11
    """Effort; infinite: no thermal data."""
    RESISTANCE = 12
    """Of the winding at 25 °C."""
    TO_AIR = 13
    """Thermal resistance."""
    CAPACITY = 14
    """Of heat."""
    AMBIENT = 15
    DERATE = 16
    """Temperature from which on the effort falls, to 0 at LIMIT."""
    LIMIT = 17


class ServoState(enum.IntEnum):
    """Rows of what servos leave after a step, one number per v each; the next one begins there."""

    ANGLE = 0
    """Of the rotor in its backlash, and its SPEED."""
    SPEED = 1
    TEMPERATURE = 2
    """Of the winding, and the CURRENT through it."""
    CURRENT = 3
    WANTED = 4
    """What the servo asked of its motor."""
    EFFORT = 5
    """What reached the joint."""
    SATURATED = 6
    """1 where the motor was at its limit, and in how many steps it was."""
    SATURATIONS = 7
    LOAD = 8
    """What a motor with a speed limit pushes against."""
    BEFORE = 9
    """Speed of the joint when the step began; infinite: its motor did not push in it."""


class ServoArrays(NamedTuple):
    """Servos for the steps of one engine, or of n engines of one mechanism."""

    is_stiff: bool
    """Whether gains act on the state after a step."""
    modes: Ints
    """:class:`ServoMode` of each v, (nv,); motors of cut joints are refused."""
    rows: Floats
    """Numbers of the motors by :class:`ServoRow`, (rows, nv)."""
    targets: Floats
    """Positions, velocities and efforts, (nq + 2 nv,) or (n, nq + 2 nv)."""
    state: Floats
    """By :class:`ServoState`, (rows, nv) or (n, rows, nv): written after every step."""


class ReducedReport(NamedTuple):
    """What ``BoundReduced.run`` returns."""

    steps: int
    status: int
    time: float
    gap: float
    angle_gap: float
    velocity_gap: float
    kinetic: float
    potential: float
    work: float
    stops: int
    closings: int
    evaluations: int
    refined: int
    """Steps that were repeated in halves."""
    left_out: int
    """Rows that follow from the others."""
    weakest: float
    """Smallest pivot against its diagonal: near 0 the loops are near a singular place."""
    culprit: int
    """v without mass, -1: none."""


class BoundReduced(Protocol):
    """The reduced engine of a model and springs between its points."""

    def set(
        self, integrator: int, step: float, tolerance: float, stops: bool, friction: bool,
        restitution: float, refine: float, /,
    ) -> None:  # fmt: skip
        """Choose how steps are made; one that opens loops beyond ``refine`` is made in halves."""
        ...

    def choose(self, method: int, /) -> None:
        """Solve for masses and loops by one :class:`Method`."""
        ...

    @property
    def method(self) -> int:
        """The one in use; GRAPH for both kinds of tree."""
        ...

    def set_springs(self, numbers: Floats, /) -> None:
        """Stiffness, damping and rest length of the springs again, (3, n)."""
        ...

    def start(self, q: Floats, v: Floats, time: float, /) -> tuple[bool, float, float]:
        """Begin at q and v: closes the loops, projects v. Closed?, gap [m], angle gap [rad]."""
        ...

    def stiffness(self) -> float:
        """Largest h c / m and h² k / m of springs and dampers: beyond 2 a step is too long."""
        ...

    def run(
        self, steps: int, tau: Floats, wrenches: Floats | None, servos: ServoArrays | None = None, /
    ) -> Any:
        """Run steps under loads, and under servos that push before every step on top of them.

        Returns a tuple as :class:`ReducedReport`.
        """
        ...

    def meet_later(self, later: bool, /) -> None:
        """Whether stops and dry friction wait for :meth:`meet` after each step."""
        ...

    def touch(self, arrays: ShapeArrays, reach: Floats, margin: float) -> None:
        """Let bodies touch in all steps from now on.

        ``reach`` (link_count,): how far each link's shapes reach from its origin [m]; ``margin``:
        least distance from which on bodies count as near [m].
        """
        ...

    def ease(self, eases: bool, refine: float, /) -> None:
        """Whether calm steps that begin with bodies pressing on each other are semi-implicit.

        Contacts are of second order whatever makes the step. ``refine``: opening of the loops [m,
        rad] at which such a step is made in halves.
        """
        ...

    @property
    def contacts(self) -> tuple[Ints, Floats, Floats, Floats, Floats]:
        """Contacts of the last step: as ``BoundShapes.find``, and what they did to links b.

        That is (n, 6), world axes: impulse [N s], and its moment beside that of its arm [N m s].
        """
        ...

    def meet(
        self, link_a: Ints, link_b: Ints, points: Floats, normals: Floats, distances: Floats,
        surfaces: Floats, v_start: Floats, /,
    ) -> tuple[Any, Floats, int]:  # fmt: skip
        """Let bodies push and rub after a step; normals lead from link a to link b, world axes.

        ``surfaces`` (n, 4): friction, restitution, torsional and rolling friction; ``v_start``
        (nv,): velocity when the step began, from which bounces know how they fell. Returns the
        report as :class:`ReducedReport`, what happens to links b (n, 6) as in ``contacts``, and
        the sweeps that were needed.
        """
        ...

    def accelerations(self, tau: Floats, wrenches: Floats | None, /) -> tuple[Floats, Floats]:
        """Accelerations of the tree (nv,) at the present state, and the forces in the rows."""
        ...

    def snapshot(self) -> tuple[Any, ...]:
        """All that the next steps depend on, beside the model and the ways to run."""
        ...

    def resume(self, *state: Any) -> None:
        """Continue from a state, bit for bit."""
        ...

    def rows(self, q: Floats, /) -> tuple[Floats, Floats, Floats, Ints]:
        """J (rows, nv), C (nv, nv), T (rows, 6) and the rows' loops.

        J gives the rows' speeds, C those of the cut joints, both by those of the tree; T are the
        rows' forces on the link with K: force, moment about K's origin, world axes.
        """
        ...

    def targets(self, q: Floats, v: Floats, /) -> Floats:
        """-J̇ v, (rows,)."""
        ...

    def reactions(
        self, q: Floats, v: Floats, vdot: Floats, forces: Floats, tau: Floats,
        wrenches: Floats | None, /,
    ) -> Floats:  # fmt: skip
        """Wrenches of parents on children (joints, 6), about the joints' frames F, world axes.

        ``forces`` are those in the rows, for accelerations vdot of the tree.
        """
        ...

    @property
    def held(self) -> Floats:
        """Mean efforts of stops and dry friction over the last step, (nv,)."""
        ...

    @property
    def q(self) -> Floats:
        """The present configuration, (nq,)."""
        ...

    @property
    def v(self) -> Floats:
        """The present velocity, (nv,)."""
        ...
