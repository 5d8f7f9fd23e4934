"""Which kernels run: the compiled ones, or the NumPy ones when asked for or nothing else is there.

``KINEGEN_KERNELS`` chooses: ``native`` (compiled, an error when missing), ``reference`` (NumPy), or
unset (compiled if installed, else NumPy with a warning).
"""

from __future__ import annotations

import functools
import importlib
import os
import warnings
from types import ModuleType
from typing import Any, Protocol

from kinegen.errors import KernelError
from kinegen.kernels.layout import Floats, Ints
from kinegen.kernels.protocols.analytic import AnalyticArm
from kinegen.kernels.protocols.base import BoundModel, Evaluator
from kinegen.kernels.protocols.contact import BoundClearance, BoundShapes, ShapeArrays
from kinegen.kernels.protocols.dynamics import BoundDynamics
from kinegen.kernels.protocols.haptic import BoundHapticLoop, BoundHapticPoint, HapticSettings
from kinegen.kernels.protocols.hull import HullKernels
from kinegen.kernels.protocols.impulse import BoundImpulse
from kinegen.kernels.protocols.loops import BoundLoops, BoundMotion
from kinegen.kernels.protocols.reduced import BoundReduced, ServoArrays
from kinegen.kernels.protocols.singular import BoundMonitor
from kinegen.kernels.protocols.solver import BoundSolver, Ticker

__all__ = [
    "UrdfReader",
    "analytic_arm",
    "bind",
    "clearance",
    "drive_reduced",
    "dynamics",
    "evaluator",
    "fmu_library",
    "fmu_sources",
    "free_motion",
    "haptic_gate",
    "haptic_loop",
    "haptic_point",
    "hull",
    "impulse",
    "loops",
    "module",
    "motion",
    "name",
    "reduced",
    "robot_numbers",
    "shapes",
    "singularity_monitor",
    "solver",
    "ticker",
    "urdf_reader",
    "wasm_bytes",
]

VARIABLE = "KINEGEN_KERNELS"
NATIVE, REFERENCE = "native", "reference"


@functools.cache
def module() -> ModuleType:
    """The module whose kernels run, chosen once per process."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in {"", NATIVE, REFERENCE}:
        raise KernelError(f"{VARIABLE}='{wanted}' is not valid; use {NATIVE} or {REFERENCE}")
    if wanted != REFERENCE:
        try:
            return importlib.import_module("kinegen.kernels._native")
        except ImportError as error:
            if wanted == NATIVE:
                raise KernelError(
                    f"the compiled kernels cannot be loaded ({error}); reinstall Kinegen with a "
                    f"C++ compiler, or set {VARIABLE}={REFERENCE}"
                ) from error
            warnings.warn(
                "the compiled kernels are not installed: using the NumPy kernels, which give the "
                f"same results but are many times slower (set {VARIABLE}={REFERENCE} to silence "
                "this)",
                RuntimeWarning,
                stacklevel=2,
            )
    return importlib.import_module("kinegen.kernels.reference")


def name() -> str:
    """``'native'`` or ``'reference'``."""
    return REFERENCE if module().__name__.endswith(REFERENCE) else NATIVE


def bind(ints: Ints, reals: Floats) -> BoundModel:
    """A model's two blocks with the kernels that work on them, in place."""
    bound: BoundModel = module().BoundModel(ints, reals)
    return bound


def solver(ints: Ints, reals: Floats) -> BoundSolver:
    """A solver for the model in the two blocks."""
    made: BoundSolver = module().BoundSolver(ints, reals)
    return made


def ticker(
    made: BoundSolver, q: Floats, handle_ints: Ints, handle_reals: Floats, options: Floats,
    bounds: Floats | None, weights: Floats | None, posture: Floats | None, locked: Ints | None,
    held: Ints, avoid: BoundClearance | None = None, keep: float = 0.0,
) -> Ticker:  # fmt: skip
    """A callable that is ``made.run`` with these arrays, checked once.

    ``avoid``: bodies that must not meet; ``keep``: the distance to keep between them [m].
    """
    ready: Ticker = module().Ticker(
        made, q, handle_ints, handle_reals, options, bounds, weights, posture, locked, held, avoid,
        keep,
    )  # fmt: skip
    return ready


def singularity_monitor(ints: Ints, reals: Floats) -> BoundMonitor:
    """A singularity monitor for the model in the two blocks."""
    made: BoundMonitor = module().BoundMonitor(ints, reals)
    return made


def dynamics(ints: Ints, reals: Floats) -> BoundDynamics:
    """Dynamics of the tree of the model in the two blocks."""
    made: BoundDynamics = module().BoundDynamics(ints, reals)
    return made


def reduced(
    ints: Ints, reals: Floats, link_a: Ints, point_a: Floats, link_b: Ints, point_b: Floats,
    numbers: Floats,
) -> BoundReduced:  # fmt: skip
    """The reduced engine of the model in the two blocks, with springs between points.

    ``numbers`` holds their stiffness, damping and rest length, (3, n).
    """
    made: BoundReduced = module().BoundReduced(
        ints, reals, link_a, point_a, link_b, point_b, numbers
    )
    return made


def drive_reduced(
    engines: list[BoundReduced], steps: int, servos: ServoArrays, q: Floats, v: Floats,
    status: Ints, threads: int,
) -> None:  # fmt: skip
    """Steps of n engines of one mechanism under servos, on several threads.

    The q, v and :class:`RunStatus` of engine i are written to row i of the arrays. The number of
    threads (0: all cores) changes no result.
    """
    module().drive_reduced(engines, steps, servos, q, v, status, threads)


def impulse(*arrays: Floats | Ints) -> BoundImpulse:
    """A world of bodies for the impulse engine; see ``dynamics.impulse_world`` for the arrays."""
    made: BoundImpulse = module().BoundImpulse(*arrays)
    return made


def shapes(arrays: ShapeArrays) -> BoundShapes:
    """Shapes on links: what they touch, what rays see of them."""
    made: BoundShapes = module().BoundShapes(*arrays)
    return made


def clearance(ints: Ints, reals: Floats, body: Ints, arrays: ShapeArrays) -> BoundClearance:
    """Distances between the bodies of the model in the two blocks; ``body``: of each shape."""
    made: BoundClearance = module().BoundClearance(ints, reals, body, *arrays)
    return made


def hull() -> HullKernels:
    """The kernels of visual hulls."""
    kernels: HullKernels = module()
    return kernels


def haptic_point(settings: HapticSettings) -> BoundHapticPoint:
    """One touched point for a hand, stepped by the caller."""
    made: BoundHapticPoint = module().HapticPoint(settings.checked().numbers)
    return made


def haptic_gate(force: Floats, before: Floats, settings: HapticSettings) -> tuple[Floats, int]:
    """Force and torque (6) as they may leave for a device, and the reason if they may not.

    ``before``: those that left a step earlier.
    """
    made: tuple[Floats, int] = module().haptic_gate(force, before, settings.checked().numbers)
    return made


def haptic_loop(settings: HapticSettings, awake: float, is_empty: bool) -> BoundHapticLoop:
    """A thread for a touched point; ``awake``: it does not sleep that long before a tick [s]."""
    if name() != NATIVE:
        raise KernelError(
            "the haptic thread needs the compiled kernels: the NumPy kernels have none"
        )
    made: BoundHapticLoop = module().HapticLoop(settings.checked().numbers, awake, is_empty)
    return made


def analytic_arm(
    ints: Ints, reals: Floats, q: Floats, residuals: Floats, flags: Ints
) -> AnalyticArm:
    """An arm with a closed form, which writes every answer into three arrays.

    Args:
        ints: Family, number of wrist axes, number of joints.
        reals: The arm's numbers, in the order in which the kernels read them.
        q: Joint values of the solutions, (8, joints).
        residuals: Distance [m] and angle [rad] left between frame and target, (8, 2).
        flags: ``AnalyticFlag`` of each solution, (8,).
    """
    made: AnalyticArm = module().AnalyticArm(ints, reals, q, residuals, flags)
    return made


def evaluator(bound: BoundModel, site: int, axes: int, pose: Floats, J: Floats) -> Evaluator:
    """A callable that fills ``pose`` (7) and ``J`` (6, nv) of one site for each q it is given."""
    made: Evaluator = module().Evaluator(bound, site, axes, pose, J)
    return made


def loops(ints: Ints, reals: Floats, which: Ints, variables: Ints, size: float) -> BoundLoops:
    """Some loops of the model in the two blocks, as equations over some of its variables."""
    made: BoundLoops = module().BoundLoops(ints, reals, which, variables, size)
    return made


def motion(ints: Ints, reals: Floats) -> BoundMotion:
    """Mobility, velocities and accelerations of the model in the two blocks."""
    made: BoundMotion = module().BoundMotion(ints, reals)
    return made


def free_motion(J: Floats, tolerance: float) -> tuple[Floats, Floats, int, float]:
    """Singular values, directions by rows (forbidden ones first), rank of J, how clear it is."""
    found: tuple[Floats, Floats, int, float] = module().free_motion(J, tolerance)
    return found


class UrdfReader(Protocol):
    """The compiled reader of URDF texts; see ``formats/robots/read/urdf_reader/fast.py``."""

    def read(self, text: str) -> tuple[str, dict[str, Any], dict[str, Any], list[Any]] | None:
        """Name, links, joints, and what is not carried over; None where it declines the text."""
        ...


def urdf_reader(*prototypes: object) -> UrdfReader | None:
    """The compiled reader of URDF texts; None where there is none: it has a twin in Python."""
    return module().UrdfReader(*prototypes) if name() == NATIVE else None


def robot_numbers(zero: object, identity: object) -> Any:
    """What makes formulas like ``zero`` of a robot's numbers; None where it is not compiled."""
    return module().RobotNumbers(zero, identity) if name() == NATIVE else None


def wasm_bytes() -> bytes:
    """The kernels compiled to WebAssembly, for the page."""
    # imported here: it costs more than the rest of this room
    from importlib import resources

    file = resources.files("kinegen.kernels").joinpath("kinegen.wasm")
    try:
        return file.read_bytes()
    except FileNotFoundError as error:
        raise KernelError(
            "this installation has no WebAssembly kernels; reinstall Kinegen from a wheel, or "
            "from source with the ziglang package available"
        ) from error


def fmu_library() -> bytes:
    """The compiled engine without Python, for units that other programs run."""
    from importlib import resources

    file = resources.files("kinegen.kernels").joinpath("kinegen_unit.bin")
    if file.is_file():
        return file.read_bytes()
    raise KernelError(
        "this installation has no compiled engine for FMUs: install Kinegen with its compiled "
        "kernels, from a wheel or with a C++ compiler"
    )


def fmu_sources() -> bytes:
    """What the engine of units is compiled from, for other platforms: a zip of C++ files."""
    from importlib import resources

    file = resources.files("kinegen.kernels").joinpath("unit_sources.zip")
    if file.is_file():
        return file.read_bytes()
    raise KernelError(
        "this installation has no sources of the engine for FMUs: install Kinegen with its "
        "compiled kernels, from a wheel or with a C++ compiler"
    )
