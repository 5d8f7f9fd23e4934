"""The engine impulse, after Visum: free bodies, and impulses that keep the joints together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegen.dynamics.contact.contacts import MARGIN, Collisions
from kinegen.dynamics.engines.engine import MOST_STEPS, Loads, StepReport
from kinegen.dynamics.engines.impulse.bodies import LUMP, bodies_of, world_of
from kinegen.dynamics.engines.impulse.world import Impulses
from kinegen.dynamics.simulation.starts import closed_start
from kinegen.dynamics.simulation.system import System
from kinegen.errors import AssemblyError, UsageError, whole_number
from kinegen.kernels import Floats, Ints
from kinegen.kernels.protocols.impulse import TOUCH_SIZE
from kinegen.kernels.turn import Turn, in_turn
from kinegen.kinematics.configurations import Configuration, Velocity
from kinegen.mechanism.model import Model

__all__ = ["ContactSource", "Contacts", "ImpulseEngine"]

MOST_ITERATIONS = 1_000_000
"""In one step."""


@dataclass(frozen=True, slots=True, eq=False)
class Contacts:
    """Places where links touch, or are about to."""

    links: Ints
    """(n, 2): the link that is pushed along the normal, and the other; 0 is the ground."""
    points: Floats
    """Midway between the two surfaces, world axes [m], (n, 3)."""
    normals: Floats
    """From the second link to the first, (n, 3)."""
    depths: Floats
    """How deep they are in each other [m], negative while apart, (n,)."""
    friction: Floats
    """Coulomb's coefficient, (n,)."""
    restitution: Floats
    """0 inelastic, 1 elastic, (n,)."""


ContactSource = Callable[["ImpulseEngine"], Contacts | None]
"""What finds contacts: asked before every step."""


class ImpulseEngine:
    """Maximal coordinates: each link a body in free flight, joined by impulses at every step.

    Steps are of second order and hold the joints within a gap (Dmax) that is looked ahead for; the
    corrections of all joints are solved together, or in the paper's sweeps, joint by joint, which
    may be stopped at any time.
    """

    name = "impulse"
    title = "Impulse"
    note = "Free bodies, held together by impulses; fast."
    touches = True
    opens_joints = True

    def __init__(
        self,
        system: System,
        step: float,
        *,
        gap: float = 1e-7,
        velocity_gap: float = 1e-4,
        iterations: int = 20,
        sweeps: int = 0,
        stops: bool = True,
        friction: bool = True,
        restitution: float = 0.0,
        contacts: ContactSource | None = None,
    ) -> None:
        """Make bodies of a system's links.

        Args:
            system: The system.
            step: [s]
            gap: Widest gap of a joint after a step, Dmax [m, rad]; down to 1e-9.
            velocity_gap: Fastest opening of a joint after a step, Vmax [m/s].
            iterations: Most corrections of all joints in a step.
            sweeps: 0: solve all corrections together. Otherwise at most so many Gauss-Seidel
                sweeps per step, however wide the gaps are then.
            stops: Whether ends of travel stop joints.
            friction: Whether joints have their dry friction.
            restitution: How joints bounce off their ends: 0 not, 1 wholly.
            contacts: What finds contacts between links instead of the kernels, from Python.
        """
        for what, value in (("gap", gap), ("velocity_gap", velocity_gap)):
            if not (math.isfinite(value) and value > 0):
                raise UsageError(f"{what} is {value!r}: use a positive number, such as 1e-6")
        whole_number(iterations, "iterations", 1, MOST_ITERATIONS)
        whole_number(sweeps, "sweeps", 0, MOST_ITERATIONS)
        self._lock = Turn()
        self.system = system
        self.model: Model = system.model
        self.step = step
        self.contacts = contacts
        self.collisions = Collisions(system, step=step) if system.contacts.enabled else None
        self._options = Impulses(
            step, gap, velocity_gap, iterations, sweeps, stops, friction, restitution
        )
        self.reset(None, system.start_v)

    def __getstate__(self) -> dict[str, Any]:
        """All but the kernel, and what that is at."""
        with self._lock:
            return {**vars(self), "_bound": self._bound.snapshot()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._bound = self._world.bind(self._options)
        self._let_touch()
        self._bound.resume(*state["_bound"])

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self._time

    @property
    def q(self) -> Floats:
        """Configuration (nq,), read off the bodies; angles are counted over turns."""
        return self._bound.q[: self.model.nq]

    @property
    def v(self) -> Floats:
        """Velocity (nv,)."""
        return self._bound.v[: self.model.nv]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a user should know of the set-up."""
        mounted = () if self.collisions is None else self.collisions.mounted
        if not self.lumped:
            return mounted
        return (*mounted, f"{self._massless} and gets {LUMP:g} of the mass of the lightest link")

    @property
    def _massless(self) -> str:
        """The links that were given a little mass, as a subject with its verb."""
        names = " and ".join(f"'{name}'" for name in self.lumped)
        return (
            f"link {names} has no mass" if len(self.lumped) == 1 else f"each of {names} has no mass"
        )

    @property
    def lumped(self) -> tuple[str, ...]:
        """Links without mass that were given a little."""
        return self._bodies.lumped

    @property
    def link_transforms(self) -> Floats:
        """Where the links' bodies are, X_WL (link_count, 12): joints may be open by the gap."""
        out = np.zeros((self.model.link_count, 12))
        poses = self._bound.poses
        for link, body in enumerate(self._bodies.body):
            X_BL = self._bodies.X_BL[link]
            R = _rotation(poses[body, :4])
            out[link, :9] = (R @ X_BL[:3, :3]).ravel()
            out[link, 9:] = R @ X_BL[:3, 3] + poses[body, 4:]
        return out

    @in_turn
    def reset(self, q: Configuration = None, v: Velocity | None = None, time: float = 0.0) -> None:
        """Start from q and v, loops closed; numbers of the model are read again."""
        closed, speed = closed_start(self.model, q, v)
        if self.collisions is not None:
            closed = self.collisions.lifted(closed)
        self._bodies = bodies_of(self.model)
        self._world = world = world_of(self.system, self._bodies)
        self._bonds = [
            j for j, joint in enumerate(self.model.joints)
            if joint.is_cut or joint.type.name != "FIXED"
        ]  # fmt: skip
        self._bound = world.bind(self._options)
        self._let_touch()
        transforms = np.zeros((self.model.link_count, 12))
        twists = np.zeros((self.model.link_count, 6))
        self.model.kernels.forward_links(closed, transforms)
        self.model.kernels.link_twists(closed, speed, twists)
        poses, speeds = self._bodies.start(transforms, twists)
        # springs between points follow the joints, and read their lengths themselves
        self._springs = len(world.bonds) - len(self._bonds)
        closed = np.concatenate((closed, np.zeros(self._springs)))
        self._bound.start(poses, speeds, closed, np.zeros(len(world.bonds)), float(time))
        self._time = float(time)
        self._corrections = 0

    @in_turn
    def advance(self, loads: Loads | None = None, steps: int = 1) -> StepReport:
        """Run steps under constant loads."""
        steps = whole_number(steps, "steps", 0, MOST_STEPS)
        given = Loads.of(self.model) if loads is None else loads
        body = self._bodies.body[given.links].astype(np.int32)
        points = self._bodies.X_BL[given.links][:, :3, 3]
        numbers = np.ascontiguousarray(np.hstack((points, given.wrenches)))
        efforts = np.concatenate((given.efforts, np.zeros(self._springs)))
        if self.contacts is None or steps == 0:
            return self._report([self._bound.run(steps, efforts, body, numbers)])
        results = []
        for _ in range(steps):
            self._find_contacts(self.contacts)
            results.append(self._bound.run(1, efforts, body, numbers))
            if results[-1][1]:
                break
        return self._report(results)

    @in_turn
    def reactions(self) -> Floats:
        """Mean wrenches of the last step, parents on children, about F, (joint_count, 6).

        Joints that weld links into one body have none that could be known: nan.
        """
        out = np.full((len(self.model.joints), 6), np.nan)
        places = self.link_transforms
        rows = self._bound.reactions()[: len(self._bonds)]
        for row, j in zip(rows, self._bonds, strict=True):
            joint = self.model.joints[j]
            X = places[joint.parent]
            F = X[:9].reshape(3, 3) @ self.model.transforms[joint.placement][9:] + X[9:]
            M = places[joint.child]
            at = M[9:]
            if joint.is_cut:
                loop = next(loop for loop in self.model.loops if loop.joint == j)
                at = M[:9].reshape(3, 3) @ self.model.transforms[loop.placement][9:] + M[9:]
            out[j, :3] = row[:3]
            out[j, 3:] = row[3:] + np.cross(at - F, row[:3])
        return out

    @in_turn
    def coupling_efforts(self) -> Floats:
        """What each coupling transmitted on average over the last step, (coupling_count,)."""
        return self._bound.coupling_efforts()

    # Inside

    def _let_touch(self) -> None:
        """Give the kernel what touches, unless others find contacts."""
        if self.collisions is None or self.contacts is not None:
            return
        X_BL = np.array([[*X[:3, :3].ravel(), *X[:3, 3]] for X in self._bodies.X_BL])
        self._bound.touch(
            self.collisions.arrays, self._bodies.body.astype(np.int32), X_BL,
            self.collisions.reach, MARGIN,
        )  # fmt: skip

    def _find_contacts(self, source: ContactSource) -> None:
        """Ask for contacts; each is a point of one body before a plane of the other."""
        found = source(self)
        if found is None or not len(found.links):
            self._bound.set_touches(np.zeros((0, 3), np.int32), np.zeros((0, TOUCH_SIZE)))
            return
        poses = self._bound.poses
        bodies = self._bodies.body[found.links]
        half = 0.5 * found.depths[:, None] * found.normals
        pairs = np.zeros((len(bodies), 3), np.int32)
        pairs[:, 1:] = bodies
        numbers = np.zeros((len(pairs), TOUCH_SIZE))
        numbers[:, :3] = _into(poses[bodies[:, 0]], found.points - half)
        on_b = poses[bodies[:, 1]]
        numbers[:, 4:7] = _into(on_b, found.points + half)
        numbers[:, 7:10] = _into(on_b, on_b[:, 4:] + found.normals)
        numbers[:, 11], numbers[:, 12] = found.friction, found.restitution
        self._bound.set_touches(pairs, numbers)

    def _report(self, results: Sequence[tuple[float, ...]]) -> StepReport:
        last = results[-1]
        self._time = float(last[2])
        if last[1]:
            help_ = f"; {self._massless}: specify its mass" if self.lumped else ""
            raise AssemblyError(
                f"the joints of mechanism '{self.model.name}' cannot be kept closed at "
                f"{self._time:g} s: the step of {self.step:g} s is too large{help_}",
                gap=max(r[3] for r in results),
            )
        return StepReport(
            self._time,
            max(r[3] for r in results),
            max(r[4] for r in results),
            max(r[5] for r in results),
            last[6],
            last[7],
            last[8],
            int(last[9]),
            int(sum(r[10] for r in results)),
        )


def _into(poses: Floats, points: Floats) -> Floats:
    """Points of the world in the axes of bodies, (n, 3)."""
    d, w, u = points - poses[:, 4:], poses[:, :1], poses[:, 1:4]
    twice = 2 * np.cross(d, u)
    return np.asarray(d + w * twice + np.cross(twice, u))


def _rotation(quat: Floats) -> Floats:
    w, x, y, z = quat
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
