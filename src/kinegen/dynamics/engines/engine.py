"""The protocol of engines: what moves a mechanism with masses through time, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from kinegen.errors import UsageError, unknown_name
from kinegen.kernels import Floats, Ints, ServoArrays
from kinegen.kinematics.configurations import Configuration, Velocity
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.results import Result

__all__ = ["MOST_STEPS", "Engine", "EngineMaker", "EngineTraits", "Loads", "StepReport"]


MOST_STEPS = 10**12
"""Of one advance."""


@dataclass(frozen=True, slots=True, eq=False)
class Loads:
    """External loads on a mechanism, constant over the steps of one advance."""

    efforts: Floats
    """Generalised efforts of motors and controllers, (nv,) [N m, N]."""
    wrenches: Floats
    """Force [N] and moment about the link's origin [N m], world axes, (n, 6)."""
    links: Ints
    """The links they act on, (n,)."""
    servos: ServoArrays | None = None
    """Servos whose efforts are added before every step, for engines with the attribute
    ``drives_servos = True``."""

    @classmethod
    def of(
        cls,
        model: AnyModel,
        *,
        efforts: npt.ArrayLike | None = None,
        wrenches: npt.ArrayLike | Mapping[str, npt.ArrayLike] | None = None,
        links: npt.ArrayLike | None = None,
    ) -> Loads:
        """Loads of the right shapes and types; those that are not given are zero.

        Args:
            model: A model or a mechanism.
            efforts: (nv,) [N m, N].
            wrenches: Six numbers by name of a link, or rows of them for ``links``.
            links: Numbers of the links that the rows act on.
        """
        model = model_of(model)
        if isinstance(wrenches, Mapping):
            for name in wrenches:
                if name not in model.link_names:
                    raise unknown_name("link", name, f"mechanism '{model.name}'", model.link_names)
            links = [model.link_names.index(name) for name in wrenches]
        try:
            tau = np.ascontiguousarray(np.zeros(model.nv) if efforts is None else efforts, float)
            given = [*wrenches.values()] if isinstance(wrenches, Mapping) else wrenches
            rows = np.ascontiguousarray(np.zeros((0, 6)) if given is None else given, float)
            on = np.ascontiguousarray([] if links is None else links, np.int32)
        except (TypeError, ValueError) as error:
            raise UsageError(
                f"efforts, wrenches and links of loads must be numbers: {error}"
            ) from error
        if tau.shape != (model.nv,):
            raise UsageError(
                f"efforts of mechanism '{model.name}' must be {model.nv} numbers, got shape "
                f"{tau.shape}"
            )
        if rows.shape != (len(on), 6):
            raise UsageError(
                f"wrenches must be six numbers for each of {len(on)} links, got shape {rows.shape}"
            )
        if len(on) and not (0 <= on.min() and on.max() < model.link_count):
            raise UsageError(
                f"wrenches act on links 0 to {model.link_count - 1} of mechanism '{model.name}', "
                f"got {on.tolist()}"
            )
        return cls(tau, rows, on)

    @property
    def is_finite(self) -> bool:
        """Whether all numbers are finite."""
        return bool(np.isfinite(self.efforts).all() and np.isfinite(self.wrenches).all())

    def per_link(self, link_count: int) -> Floats:
        """The wrenches summed link by link, (link_count, 6)."""
        out = np.zeros((link_count, 6))
        np.add.at(out, self.links, self.wrenches)
        return out


@dataclass(frozen=True, slots=True)
class StepReport(Result):
    """The state of a mechanism after the steps of one advance."""

    time: float
    """[s]"""
    gap: float
    """Widest opening of any loop or joint [m]."""
    angle_gap: float
    """The same in angle [rad]."""
    velocity_gap: float
    """Fastest opening of any loop or joint [m/s]."""
    kinetic: float
    """[J]"""
    potential: float
    """Of gravity and of all springs [J]."""
    work: float
    """Work done on the mechanism since the reset by efforts and wrenches, minus the losses by
    dampers, friction and contacts [J]: kinetic + potential - work is constant for an exact engine.
    """
    contacts: int = 0
    """Points where bodies touch."""
    iterations: int = 0
    """Iterations of the solver in the last step."""

    @property
    def energy(self) -> float:
        """Kinetic and potential [J]."""
        return self.kinetic + self.potential

    @property
    def balance(self) -> float:
        """Kinetic + potential - work [J]: constant for an exact engine."""
        return self.kinetic + self.potential - self.work

    @classmethod
    def of_all(cls, reports: Sequence[StepReport]) -> StepReport:
        """One report of several engines at the same time: sums of energies, widest gaps."""
        return cls(
            time=reports[0].time,
            gap=max(one.gap for one in reports),
            angle_gap=max(one.angle_gap for one in reports),
            velocity_gap=max(one.velocity_gap for one in reports),
            kinetic=sum(one.kinetic for one in reports),
            potential=sum(one.potential for one in reports),
            work=sum(one.work for one in reports),
            contacts=sum(one.contacts for one in reports),
            iterations=max(one.iterations for one in reports),
        )


@runtime_checkable
class Engine(Protocol):
    """Advances a system in time with a fixed step; equal inputs give bit-equal runs.

    Its class may describe it by attributes that :class:`EngineTraits` explains.
    """

    @property
    def name(self) -> str:
        """The name under which it is registered."""
        ...

    @property
    def model(self) -> Model:
        """The mechanism, free objects of the scene included."""
        ...

    @property
    def step(self) -> float:
        """Length of a step [s]."""
        ...

    @property
    def time(self) -> float:
        """Time reached [s]."""
        ...

    @property
    def q(self) -> Floats:
        """Configuration (nq,), including the variables of cut joints; loops are closed."""
        ...

    @property
    def v(self) -> Floats:
        """Velocity (nv,), including the variables of cut joints."""
        ...

    def reset(self, q: Configuration = None, v: Velocity | None = None, time: float = 0.0) -> None:
        """Start from q and v: closes the loops and projects v; AssemblyError if that fails."""
        ...

    def advance(self, loads: Loads | None = None, steps: int = 1) -> StepReport:
        """Run steps under constant loads (None: no loads); with steps = 0, only report."""
        ...

    def reactions(self) -> Floats:
        """Wrenches that parents exert on children through the joints, (joint_count, 6).

        Force [N] and moment about the joint's frame F [N m], world axes, at the current state;
        KinegenError if the engine does not compute them. Along a joint's degree of freedom they
        hold its effort and those of its couplings, which ``coupling_efforts()`` of the built-in
        engines lists: what each coupling transmits to its first member [N m, N], and to others by
        their ratios, as :attr:`kinegen.dynamics.MotorEfforts.transmitted` does.
        """
        ...


@dataclass(frozen=True, slots=True)
class EngineTraits:
    """What an engine is called and can do, for those who choose one.

    All but the name are attributes of the engine's class, where it has them.
    """

    name: str
    """The name under which it is registered."""
    title: str
    """For people; the name where the class says nothing."""
    note: str
    """One line on what it is good for."""
    touches: bool
    """Whether it lets bodies touch each other and the floor."""
    opens_joints: bool
    """Whether every joint opens a little in its steps, not loops alone."""

    @classmethod
    def of(cls, name: str, maker: object) -> EngineTraits:
        """The traits of an engine that is registered under a name."""
        return cls(
            name=name,
            title=str(getattr(maker, "title", name)),
            note=str(getattr(maker, "note", "")),
            touches=bool(getattr(maker, "touches", False)),
            opens_joints=bool(getattr(maker, "opens_joints", False)),
        )


class EngineMaker(Protocol):
    """What an entry of the group "kinegen.engines" names: usually the engine's class."""

    def __call__(self, system: Any, step: float, **options: Any) -> Engine:
        """An engine for a :class:`~kinegen.dynamics.simulation.system.System`, at its start."""
        ...
