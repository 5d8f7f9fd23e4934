"""Centre of mass, momentum and energy of the moving links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.errors import KernelError, NumberError
from kinegen.kernels import Floats
from kinegen.kernels.protocols.dynamics import Measure
from kinegen.kinematics.configurations import Configuration, Velocity, configuration, tangent
from kinegen.mechanism.any_model import AnyModel, model_of
from kinegen.mechanism.model import Model
from kinegen.results import Result

__all__ = ["Energy", "Momentum", "centre_of_mass", "energy", "momentum"]

# plain numbers: those of an enumeration take longer to use than a kernel runs
_MASS, _KINETIC, _POTENTIAL, _SPRINGS = map(
    int, (Measure.MASS, Measure.KINETIC, Measure.POTENTIAL, Measure.SPRINGS)
)
_CENTRE, _LINEAR, _ANGULAR = (
    slice(int(first), int(first) + 3)
    for first in (Measure.CENTRE, Measure.LINEAR_MOMENTUM, Measure.ANGULAR_MOMENTUM)
)


@dataclass(frozen=True, slots=True)
class Energy(Result):
    """Energy of a mechanism [J]."""

    kinetic: float
    """Of links and rotors."""
    gravity: float
    """Potential energy in gravity; 0 when everything is at the world's origin."""
    springs: float
    """Energy stored in the joints' springs."""

    @property
    def potential(self) -> float:
        """Of gravity and springs."""
        return self.gravity + self.springs

    @property
    def total(self) -> float:
        """Kinetic and potential."""
        return self.kinetic + self.potential

    def columns(self) -> dict[str, list[float]]:
        """One row."""
        return {
            "kinetic [J]": [self.kinetic],
            "gravity [J]": [self.gravity],
            "springs [J]": [self.springs],
        }


@dataclass(frozen=True, slots=True, eq=False)
class Momentum(Result):
    """Momentum of all moving links, world axes."""

    linear: Floats
    """[kg m/s], (3,)."""
    angular: Floats
    """About the centre of mass [kg m²/s], (3,)."""

    def columns(self) -> dict[str, Floats | list[str]]:
        """A row per axis of the world."""
        return {
            "axis": ["x", "y", "z"],
            "linear [kg m/s]": self.linear,
            "angular [kg m²/s]": self.angular,
        }


def centre_of_mass(model: AnyModel, q: Configuration = None) -> Floats:
    """Centre of mass of all links except the base, p_WC [m], (3,)."""
    model = model_of(model)
    found = _measures(model, q, np.zeros(model.nv))
    if not found[_MASS] > 0:
        raise NumberError(f"mechanism '{model.name}' has no mass and therefore no centre of mass")
    return found[_CENTRE]


def momentum(model: AnyModel, q: Configuration, v: Velocity) -> Momentum:
    """Linear [kg m/s] and angular momentum [kg m²/s], without the rotors."""
    model = model_of(model)
    found = _measures(model, q, v)
    if not found[_MASS] > 0:
        return Momentum(np.zeros(3), np.zeros(3))
    return Momentum(found[_LINEAR], found[_ANGULAR])


def energy(model: AnyModel, q: Configuration, v: Velocity | None = None) -> Energy:
    """Kinetic and potential energy [J]; at rest when no v is given."""
    model = model_of(model)
    found = _measures(model, q, np.zeros(model.nv) if v is None else v)
    numbers = found.tolist()
    return Energy(numbers[_KINETIC], numbers[_POTENTIAL], numbers[_SPRINGS])


def _measures(model: Model, q: Configuration, v: Velocity) -> Floats:
    found = model.dynamics.measures(q, v)
    if found is None:
        found = model.dynamics.measures(configuration(model, q), tangent(model, v, "v"))
    if found is None:
        raise KernelError("the dynamics kernels rejected arguments that had been checked")
    return found
