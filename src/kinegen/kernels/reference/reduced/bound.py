"""The reduced engine by dense matrices: the compiled one's method without its factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.contact import ShapeArrays
from kinegen.kernels.protocols.reduced import (
    Integrator,
    Method,
    ReducedReport,
    RunStatus,
    ServoArrays,
)
from kinegen.kernels.reference.contact.find import find_contacts
from kinegen.kernels.reference.contact.shapes import Shapes, join_surfaces
from kinegen.kernels.reference.reduced.contacts import (
    fastest_point,
    meet_contacts,
)
from kinegen.kernels.reference.reduced.engine import bind_engine, loop_rows, loop_targets, read_cuts
from kinegen.kernels.reference.reduced.implicit import stiffness_of_step
from kinegen.kernels.reference.reduced.reactions import reactions_of
from kinegen.kernels.reference.reduced.run import run_reduced
from kinegen.kernels.reference.reduced.servos import Servos
from kinegen.kernels.reference.reduced.step import accelerate
from kinegen.kernels.reference.reduced.stops import keep_stops
from kinegen.kernels.reference.reduced.system import settle

__all__ = ["BoundReduced", "drive_reduced"]


CALM = 1e-3
"""Way of any variable in a step [rad, m] below which mechanisms move calmly."""
_NONE = (
    np.zeros((0, 2), np.int32), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros((0, 6)),
)  # fmt: skip


class BoundReduced:
    """The reduced engine of a model and springs between its points; see the protocol."""

    def __init__(
        self, ints: Ints, reals: Floats, link_a: Ints, point_a: Floats, link_b: Ints,
        point_b: Floats, numbers: Floats, /,
    ) -> None:  # fmt: skip
        self._engine = bind_engine(ints, reals, link_a, point_a, link_b, point_b, numbers)
        self._shapes: Shapes | None = None
        self._contacts = _NONE
        self._eased: float | None = None

    def set(
        self, integrator: int, step: float, tolerance: float, stops: bool, friction: bool,
        restitution: float, refine: float, /,
    ) -> None:  # fmt: skip
        e = self._engine
        e.integrator, e.step = Integrator(integrator), step
        e.tolerance, e.refine, e.trial = tolerance, refine, 0.0
        e.with_stops, e.with_friction = stops, friction
        e.restitution = restitution

    def choose(self, method: int, /) -> None:
        """All methods give the same motion: here it is always dense matrices."""

    @property
    def method(self) -> int:
        return Method.MATRICES

    def set_springs(self, numbers: Floats, /) -> None:
        self._engine.numbers = np.array(numbers).reshape(3, -1)

    def start(self, q: Floats, v: Floats, time: float, /) -> tuple[bool, float, float]:
        e = self._engine
        e.cuts.sift(q)
        e.status, e.trial = RunStatus.OK, 0.0
        q, v, linear, angular = settle(e, np.array(q), np.array(v))
        e.q, e.v, _ = read_cuts(e, q, v)
        e.time, e.work = time, 0.0
        e.held_impulse = np.zeros(e.nv)
        self._contacts = _NONE
        return e.status == RunStatus.OK, linear, angular

    def stiffness(self) -> float:
        return stiffness_of_step(self._engine)

    def run(
        self, steps: int, tau: Floats, wrenches: Floats | None, servos: ServoArrays | None = None, /
    ) -> ReducedReport:
        own = None if servos is None else Servos.of(self._engine, servos, tau)
        if self._shapes is None or steps == 0:
            return run_reduced(self._engine, steps, tau, wrenches, own)
        reports = []
        for done in range(steps):
            e, start = self._engine, self._engine.v.copy()
            usual = e.integrator, e.refine
            pressed = bool(self._contacts[4][:, :3].any())
            calm = float(np.abs(e.v).max(initial=0.0)) * e.step < CALM
            if self._eased is not None and pressed and calm:
                e.integrator, e.refine = Integrator.SEMI_IMPLICIT, max(e.refine, self._eased)
            last = run_reduced(e, 1, tau, wrenches, own)
            e.integrator, e.refine = usual
            if last.status == RunStatus.OK:
                last = self._meet_found(self._shapes, start)
            reports.append(last._replace(steps=done + 1))
            if last.status != RunStatus.OK:
                break
        return reports[-1]._replace(
            gap=max(r.gap for r in reports), angle_gap=max(r.angle_gap for r in reports)
        )

    def touch(self, arrays: ShapeArrays, reach: Floats, margin: float) -> None:
        self._shapes = Shapes(ShapeArrays(*arrays))
        self._surfaces, self._margin = arrays[2], margin
        self._reach = np.array(reach)
        self._engine.meets_later = True
        self._contacts = _NONE

    def ease(self, eases: bool, refine: float, /) -> None:
        self._eased = refine if eases else None

    @property
    def contacts(self) -> tuple[Ints, Floats, Floats, Floats, Floats]:
        return self._contacts

    def _meet_found(self, shapes: Shapes, start: Floats) -> ReducedReport:
        """Find contacts where the step ended, and let them push."""
        e = self._engine
        X = np.empty((e.links, 12))
        e.model.forward_links(e.q, X)
        shapes.place(X)
        margin = max(self._margin, 2 * e.step * fastest_point(e, self._reach))
        pairs, points, normals, distances = find_contacts(shapes, margin)
        links = np.array([shape.link for shape in shapes.all], dtype=np.int32)[pairs]
        surfaces = np.array(
            [join_surfaces(self._surfaces[a], self._surfaces[b]) for a, b in pairs]
        ).reshape(-1, 4)
        report, found, _ = self._meet(
            links[:, 0], links[:, 1], points, normals, distances, surfaces, start
        )
        self._contacts = pairs, points, normals, distances, found
        return report

    def meet_later(self, later: bool, /) -> None:
        self._engine.meets_later = later

    def meet(
        self, link_a: Ints, link_b: Ints, points: Floats, normals: Floats, distances: Floats,
        surfaces: Floats, v_start: Floats, /,
    ) -> tuple[ReducedReport, Floats, int]:  # fmt: skip
        given = link_a, link_b, points, normals, distances
        return self._meet(*given, np.reshape(surfaces, (-1, 4)), v_start)

    def _meet(
        self, link_a: Ints, link_b: Ints, points: Floats, normals: Floats, distances: Floats,
        surfaces: Floats, v_start: Floats,
    ) -> tuple[ReducedReport, Floats, int]:  # fmt: skip
        e, found, sweeps = self._engine, np.zeros((0, 6)), 0
        if len(link_a):
            found, sweeps = meet_contacts(
                e, link_a, link_b, points, normals, distances, surfaces, v_start
            )
        keep_stops(e)
        return run_reduced(e, 0, np.zeros(e.nv), None), found, sweeps

    def accelerations(self, tau: Floats, wrenches: Floats | None, /) -> tuple[Floats, Floats]:
        e = self._engine
        e.tau, e.wrenches = np.array(tau), wrenches
        return accelerate(e, e.q, e.v)[:2]

    def snapshot(self) -> tuple[Any, ...]:
        e = self._engine
        held = e.held_impulse.copy()
        return e.q.copy(), e.v.copy(), held, e.time, e.work, e.trial, self._contacts

    def resume(self, *state: Any) -> None:
        e = self._engine
        q, v, held, e.time, e.work, e.trial, self._contacts = state
        e.q, e.v, e.held_impulse = q.copy(), v.copy(), held.copy()

    def rows(self, q: Floats, /) -> tuple[Floats, Floats, Floats, Ints]:
        return loop_rows(self._engine, q)

    def targets(self, q: Floats, v: Floats, /) -> Floats:
        return loop_targets(self._engine, q, v)

    def reactions(
        self, q: Floats, v: Floats, vdot: Floats, forces: Floats, tau: Floats,
        wrenches: Floats | None, /,
    ) -> Floats:  # fmt: skip
        return reactions_of(self._engine, q, v, vdot, forces, tau, wrenches)

    @property
    def held(self) -> Floats:
        return self._engine.held_impulse / self._engine.step

    @property
    def q(self) -> Floats:
        return self._engine.q.copy()

    @property
    def v(self) -> Floats:
        return self._engine.v.copy()


def drive_reduced(
    engines: list[BoundReduced], steps: int, servos: ServoArrays, q: Floats, v: Floats,
    status: Ints, threads: int,
) -> None:  # fmt: skip
    """Steps of several engines under servos; see ``backend.drive_reduced``."""
    for i, one in enumerate(engines):
        own = servos._replace(targets=servos.targets[i], state=servos.state[i])
        status[i] = one.run(steps, np.zeros(v.shape[1]), None, own).status
        q[i], v[i] = one.q, one.v
