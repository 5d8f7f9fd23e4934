"""Fuzz the border of the compiled kernels: absurd arguments must give a result or an exception.

Run ``python bench/fuzz_bindings.py [COUNT] [SEED]``; the default is 20,000 calls. A tour through
public functions records how every function and method of ``kinegen.kernels._native`` is called.
Each trial makes one recorded object again, repeats its calls with one of them spoilt (shape, type,
stride, None, huge or negative numbers, NaN), and continues with the others. A crash, a call that
Ctrl-C cannot end, or an exception that is not one of ``ALLOWED`` is a defect; ``make sanitize``
also finds reads out of bounds.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import random
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from types import FrameType, ModuleType
from typing import Any

import numpy as np

import kinegen as kg
from kinegen.dynamics.contact.contacts import Collisions
from kinegen.dynamics.simulation.system import System
from kinegen.errors import KinegenError
from kinegen.formats.robots.read.urdf_reader.fast import PROTOTYPES
from kinegen.formats.robots.transform import IDENTITY
from kinegen.kernels import HapticSettings, backend
from kinegen.kernels.reference.analytic.analytic import MAX_SOLUTIONS
from kinegen.kinematics.followers import find_followers
from kinegen.kinematics.handles import pack_handles
from kinegen.raff.formulas.formula import Formula

__all__ = ["ALLOWED", "History", "main", "native_names", "record"]

ALLOWED = (
    KinegenError, TypeError, ValueError, OverflowError, MemoryError, OSError, BufferError,
)  # fmt: skip
"""What a call with absurd arguments may raise; a RuntimeError or SystemError is a defect."""
LONG = 2.0
"""[s] After this a call is interrupted, as Ctrl-C does: to be long is allowed."""
HANG = 60
"""[s] A call that continues after its interruption is a hang: the process ends with a traceback."""
CALLS = 14
"""Calls of one object that are kept: the first of each method."""
PREPARING = ("set", "start")
"""Calls without which an object that is an argument would be refused."""

Call = tuple[str, tuple[Any, ...], dict[str, Any]]


@dataclass
class History:
    """How one object was made and used, or one call of a function."""

    kind: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    calls: list[Call] = field(default_factory=list)


class TooLong(Exception):
    """A call was interrupted because it took long."""


def record() -> list[History]:
    """The histories of a tour through the public functions."""
    native = backend.module()
    histories: list[History] = []
    originals = {name: getattr(native, name) for name in native_names(native)}
    for name, original in originals.items():
        make = _recording_class if isinstance(original, type) else _recording_function
        setattr(native, name, make(name, original, histories))
    try:
        with contextlib.redirect_stdout(None):
            _tour(native)
    finally:
        for name, original in originals.items():
            setattr(native, name, original)
    return histories


def native_names(native: ModuleType) -> list[str]:
    """The classes and functions of the compiled module."""
    return [name for name in dir(native) if name[0] != "_" and callable(getattr(native, name))]


def methods_of(native: ModuleType) -> set[str]:
    """All that can be called: functions, and methods and properties as ``Class.method``."""
    found = set()
    for name in native_names(native):
        thing = getattr(native, name)
        if isinstance(thing, type):
            own = {m for m in vars(thing) if m[0] != "_" or m == "__call__"}
            found |= {f"{name}.{method}" for method in own} | {name}
        else:
            found.add(name)
    return found


class _Proxy:
    """An object of the compiled module that notes its calls."""

    def __init__(self, real: Any, history: History) -> None:
        self.__dict__.update(_real=real, _history=history, _seen=Counter())

    def _note(self, method: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
        self._seen[method] += 1
        if self._seen[method] <= 2 and len(self._history.calls) < 2 * CALLS:
            self._history.calls.append((method, _copied(args), _copied(options)))

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._real, name)
        if not callable(found):
            self._note(name, (), {})
            return found

        def call(*args: Any, **options: Any) -> Any:
            self._note(name, args, options)
            return found(*_real(args), **options)

        return call

    def __call__(self, *args: Any) -> Any:
        self._note("__call__", args, {})
        return self._real(*args)


def _recording_class(name: str, original: Any, histories: list[History]) -> Callable[..., _Proxy]:
    def make(*args: Any, **options: Any) -> _Proxy:
        history = History(name, _copied(args), _copied(options))
        if sum(known.kind == name for known in histories) < 6:
            histories.append(history)
        return _Proxy(original(*_real(args), **options), history)

    return make


def _recording_function(name: str, original: Any, histories: list[History]) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        if sum(known.kind == name for known in histories) < 4:
            histories.append(History(name, _copied(args), _copied(options)))
        return original(*_real(args), **options)

    return call


def _real(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(_real_one(arg) for arg in args)


def _real_one(arg: Any) -> Any:
    if isinstance(arg, list):
        return [_real_one(part) for part in arg]
    return arg._real if isinstance(arg, _Proxy) else arg


def _tuple_like(old: tuple[Any, ...], parts: list[Any]) -> tuple[Any, ...]:
    """A tuple of the same type, named or not."""
    make = getattr(type(old), "_make", type(old))
    made: tuple[Any, ...] = make(parts)
    return made


def _copied(thing: Any) -> Any:
    if isinstance(thing, np.ndarray):
        return thing.copy()
    if isinstance(thing, (tuple, list)):
        parts = [_copied(part) for part in thing]
        return parts if isinstance(thing, list) else _tuple_like(thing, parts)
    if isinstance(thing, dict):
        return {key: _copied(part) for key, part in thing.items()}
    return thing._history if isinstance(thing, _Proxy) else thing


def _tour(native: ModuleType) -> None:
    """Calls that together reach every function and method."""
    for name in ("puma560", "five-bar"):
        model = kg.load(name).compile()
        q = kg.assemble(model).q
        _tour_model(native, model, q)
        _tour_solver(native, model, q)
        _tour_dynamics(native, model, q)
        _tour_singular(native, model, q)
        _tour_batch(native, model, q)
    _tour_followers(native)
    _tour_analytic(native)
    kg.zone(kg.load("five-bar").compile(), frame="handle", step=0.1)
    _tour_contacts()
    _tour_clearance()
    _tour_servos()
    _tour_impulse()
    _tour_haptic(native)
    _tour_linalg(native)
    _tour_robots(native)


def _tour_model(native: ModuleType, model: kg.Model, q: np.ndarray) -> None:
    nv, loops, sites = model.nv, len(model.loops), len(model.site_names)
    v, J = np.full(nv, 0.1), np.empty((6, nv))
    pose, point = np.empty(7), np.zeros(3)
    bound = native.BoundModel(model.ints, model.reals)
    bound.update()
    bound.set_parameter(0, 0.3)
    bound.set_number(len(model.parameters), 0.1)
    bound.forward_poses(q, np.empty((sites, 7)))
    bound.site_pose(q, sites - 1, pose)
    bound.forward_links(q, np.empty((model.link_count, 12)))
    bound.link_twists(q, v, np.empty((model.link_count, 6)))
    bound.loop_poses(q, np.empty((loops, 2, 7)))
    bound.site_jacobian(q, sites - 1, point, -1, pose, J)
    bound.site_jacobian_dot(q, v, sites - 1, point, 0, J)
    bound.loop_residual(q, np.empty(6 * loops))
    bound.loop_jacobian(q, np.empty((6 * loops, nv)))
    tasks = np.array([[sites - 1, 0]], dtype=np.int32)
    bound.augmented_jacobian(q, tasks, np.empty((6 * loops + 6, nv)))
    bound.is_configuration(q)
    bound.is_tangent(v)
    bound.integrate(q, v, np.empty(model.nq))
    bound.integrate(q, v, np.empty(model.nq), 0.5)
    bound.difference(q, q + 0.1, np.empty(nv))
    native.Evaluator(native.BoundModel(model.ints, model.reals), sites - 1, -1, pose, J)(q)

    every, variables = np.arange(loops, dtype=np.int32), np.arange(nv, dtype=np.int32)
    system = native.BoundLoops(model.ints, model.reals, every, variables, 0.5)
    system.hold(-1, np.eye(3))
    system.residual(q, np.empty(6 * loops))
    system.jacobian(q, np.empty((6 * loops, nv)))
    system.close(q, None, 3)
    system.close(q, np.eye(nv)[:, :1].copy(), 3)
    system.assemble(q.copy())
    system.finite_mobility(q, np.eye(nv)[:1].copy(), 1e-6)

    motion = native.BoundMotion(model.ints, model.reals)
    mask = np.zeros(nv, dtype=np.int32)
    reports, groups = np.zeros((loops, 6)), np.zeros(loops, dtype=np.int32)
    motion.mobility(q, mask, mask, 1e-7, np.zeros(6 * loops), np.zeros((nv, nv)), groups, reports)
    frames = np.array([[sites - 1, 6]], dtype=np.int32)
    driven = np.zeros(nv, dtype=np.int32)
    driven[0] = 1
    motion.motion(
        q,
        v,
        driven,
        v,
        frames,
        np.zeros((1, 6)),
        0.5,
        np.zeros(nv),
        np.zeros(7),
        np.zeros((nv, nv)),
    )
    motion.loop_bias(q, v, np.zeros(6 * loops))
    motion.site_motions(q, v, v, np.zeros((sites, 6)), np.zeros((sites, 6)))


def _tour_solver(native: ModuleType, model: kg.Model, q: np.ndarray) -> None:
    nv = model.nv
    ints, reals = pack_handles(model, [kg.Handle(model.site_names[-1], [0.3, 0.1, 0.2])])
    options = np.array([30.0, 0.3, 1e-10, 1e-8, 0.0, 1.0])
    held, ones, free = np.zeros(nv, np.int32), np.ones(nv), np.zeros(nv, np.int32)
    solver = native.BoundSolver(model.ints, model.reals)
    solver.run(q.copy(), ints, reals, options, ones, ones, q, free, held)
    solver.search(q.copy(), ints, reals, options, ones, q, free, 3, 1, held)
    solver.enumerate(q, ints, reals, options, free, 5, 1, 1e-3, True, 4)
    qs = np.tile(q, (4, 1)) + np.linspace(0, 0.2, 4)[:, None]
    solver.close_many(qs, options, free, np.zeros(4), 2)
    targets = np.tile(reals.ravel(), (4, 1))
    solver.meet_many(qs, ints, targets, options, free, True, np.zeros(4, np.int32), np.zeros(4), 2)
    again = native.BoundSolver(model.ints, model.reals)
    native.Ticker(again, q.copy(), ints, reals, options, None, None, None, None, held)()


def _tour_dynamics(native: ModuleType, model: kg.Model, q: np.ndarray) -> None:
    nv, links = model.nv, model.link_count
    v, wrenches = np.full(nv, 0.1), np.zeros((links, 6))
    tree = native.BoundDynamics(model.ints, model.reals)
    tree.inverse(q, v, v, wrenches)
    tree.bias(q, v, None)
    tree.gravity(q, None)
    tree.mass(q)
    tree.forward(q, v, v, wrenches)
    tree.inverse_mass(q, np.eye(nv))
    tree.inverse_mass(q, v)
    tree.factored_mass(q, np.eye(nv))
    tree.measures(q, v)
    tree.passive(q, v)
    many = np.tile(q, (3, 1)), np.tile(v, (3, 1))
    native.batch_dynamics(
        0, model.ints, model.reals, many[0], many[1], many[1], None, np.empty((3, nv)), 1
    )

    end = np.array([links - 1], np.int32)
    spring = np.zeros(1, np.int32), np.zeros((1, 3)), end, np.zeros((1, 3)), np.ones((3, 1))
    engine = native.BoundReduced(model.ints, model.reals, *spring)
    engine.set(0, 1e-3, 1e-9, True, True, 0.2, 1e9)
    engine.choose(-1)
    engine.meet_later(False)
    engine.start(q, v, 0.0)
    engine.run(2, v, wrenches)
    one = np.zeros(1)
    up = np.array([[0.0, 0.0, 1.0]])
    engine.meet(np.zeros(1, np.int32), end, up, up, one, np.zeros((1, 4)), engine.v)
    rows = len(engine.targets(q, v))
    engine.rows(q)
    engine.accelerations(v, None)
    engine.reactions(q, v, v, np.zeros(rows), v, None)
    engine.set_springs(np.ones((3, 1)))
    engine.stiffness()
    engine.resume(*engine.snapshot())
    for name in ("held", "method", "q", "v"):
        getattr(engine, name)


def _tour_singular(native: ModuleType, model: kg.Model, q: np.ndarray) -> None:
    nv = model.nv
    inputs = np.zeros(len(model.joints), np.int32)
    inputs[:1] = 1
    aims = np.array([[len(model.site_names) - 1, -1]], np.int32)
    probe = native.BoundMonitor(model.ints, model.reals)
    probe.watch(q, aims, np.zeros(6), inputs)
    probe.measure(q)
    probe.examine(q)
    probe.blocks()
    probe.signs(q)
    course = np.zeros(3 + nv, np.int32), np.full(12 + nv, 0.1)
    course[0][3] = 1
    probe.ahead(q, *course, 0.5, False, 0.03, 0.02)
    probe.branches_beyond(q, *course, 0, 0.5)
    probe.refine(np.array([q, q + 0.1]), np.full(nv, 0.05))


def _tour_batch(native: ModuleType, model: kg.Model, q: np.ndarray) -> None:
    blocks = model.ints, model.reals
    sites = np.array([len(model.site_names) - 1], np.int32)
    columns = np.tile(q[:, None], (1, 70))
    native.batch_forward(*blocks, columns, sites, np.empty((1, 3, 70)), 1)
    native.batch_forward(*blocks, columns.copy("F"), sites, np.empty((1, 3, 70)), 1)
    native.batch_forward(*blocks, columns.astype("f4"), sites, np.empty((1, 7, 70), "f4"), 1)
    one = np.array([0], np.int32)
    low, high = np.zeros(1), np.ones(1)
    counts = np.array([5], np.int32)
    native.batch_grid(*blocks, one, low, high, counts, q, sites, np.empty((1, 3, 5)), 1)
    low, high = np.full(model.nq, -1.0), np.full(model.nq, 1.0)
    native.batch_random(*blocks, low, high, 1, 0, int(sites[0]), np.empty((3, 70)), None, 1)
    native.batch_isa()


def _tour_followers(native: ModuleType) -> None:
    for name in ("planetary-gear", "cam-follower"):
        model = kg.load(name).compile()
        followers = find_followers(model)
        assert followers is not None
        columns = np.tile(model.zero()[:, None], (1, 70))
        native.batch_follow(model.ints, model.reals, *followers.arrays(), columns, 1)


def _tour_robots(native: ModuleType) -> None:
    numbers = native.RobotNumbers(Formula.constant(0.0), IDENTITY)
    numbers.constant(0.5)
    numbers.constants((0.0, 1.0))
    numbers.placed(IDENTITY, IDENTITY)
    numbers.body(IDENTITY, IDENTITY, (1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    numbers.shape(IDENTITY, IDENTITY)
    numbers.is_body((1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    native.UrdfReader(*PROTOTYPES).read("<robot name='r'><link name='a'/></robot>")


def _tour_analytic(native: ModuleType) -> None:
    geometry = kg.kinematics.analytic_geometry(kg.load("puma560").compile(), "tool")
    assert geometry is not None
    n = len(geometry.joints)
    out = np.empty((MAX_SOLUTIONS, n)), np.empty((MAX_SOLUTIONS, 2))
    flags = np.empty(MAX_SOLUTIONS, np.int32)
    arm = native.AnalyticArm(geometry.numbers.ints, geometry.numbers.reals, *out, flags)
    quat, seed = np.array([1.0, 0, 0, 0]), np.zeros(n)
    arm.solve_pose(np.array([1.0, 0, 0, 0, 0.3, 0.1, 0.4]), seed, seed)
    arm.solve_nearest(quat, np.array([0.3, 0.1, 0.4]), seed, True)
    arm.solve_wrist_angle(np.array([0.3, 0.1, 0.4]), 0.2, 0.1, seed, seed)


def _tour_contacts() -> None:
    collisions = Collisions(System.of(kg.load("crawler").compile(), floor=0.0))
    q = collisions.system.model.start()
    collisions.find(q)
    collisions.nearest(q, [0.0, 0.0, 1.0])
    collisions.cast_rays(q, [0.0, 0.0, 1.0], [[0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
    for name in ("reduced", "impulse"):
        simulation = kg.Simulation(kg.load("crawler"), engine=name, floor=0.0)
        simulation.advance(3e-3)
        getattr(simulation.engine, "contacts")  # noqa: B009 (engines need not have it)


def _tour_clearance() -> None:
    model = kg.load("crawler").compile()
    kg.collisions(model, margin=0.1, floor=0.0, gradients=True)
    kg.collisions(model, np.stack([model.start()] * 3), margin=0.1, floor=0.0)


def _tour_servos() -> None:
    batch = kg.dynamics.SimulationBatch(kg.load("so101"), 2)
    batch.advance(2)
    kg.Simulation(kg.load("so101"), hold=True).advance(2e-3)


def _tour_impulse() -> None:
    simulation = kg.Simulation(kg.load("geared-five-bar"), engine="impulse")
    simulation.advance(3e-3)
    world = vars(simulation.engine)["_bound"]
    world.set_touches(np.array([[0, 0, 1]], np.int32), np.ones((1, 15)))
    world.run(2, np.zeros(len(world.v)), np.array([1], np.int32), np.zeros(9))
    world.reactions()
    world.coupling_efforts()
    world.resume(*world.snapshot())
    for name in ("q", "v", "poses", "twists"):
        getattr(world, name)


def _tour_haptic(native: ModuleType) -> None:
    settings = HapticSettings().numbers
    point = native.HapticPoint(settings)
    heard = np.zeros(60)
    heard[0], heard[4] = 1, 1
    with contextlib.suppress(*ALLOWED):
        point.hear(1, 0.1, 0.1, heard)
    point.tick(0.1, np.zeros(3), np.array([1.0, 0, 0, 0]), np.zeros(6), False)
    for name in ("state", "counts", "refusals", "energies"):
        getattr(point, name)()
    native.haptic_gate(np.zeros(6), np.zeros(6), settings)
    native.haptic_tag(b"key", b"text")
    session = native.HapticSession(b"k" * 32)
    session.seal(1, 0.1, 0.1, np.zeros(8))
    session.open(b"x" * 100, 1, 0.1)
    loop = native.HapticLoop(settings, 0.0, True)
    loop.set(settings)
    loop.hand(np.zeros((1, 4)), 1.0, 100.0, 1.0)
    with contextlib.suppress(*ALLOWED):
        loop.link("127.0.0.1", 0, "127.0.0.1", 9, b"k" * 32)
    with contextlib.suppress(*ALLOWED):
        loop.device("127.0.0.1", 0, "127.0.0.1", 9, b"k" * 32)
    loop.start()
    for name in ("snapshot", "counts", "lateness", "stop"):
        getattr(loop, name)()
    _ = loop.is_running


def _tour_linalg(native: ModuleType) -> None:
    A, B = np.arange(12.0).reshape(4, 3) % 5, np.ones((4, 2))
    native.qr_factor(A, -1.0)
    native.qr_solve(A, B, -1.0)
    native.qr_solve_minimum_norm(A, B, 1e-9)
    native.qr_null_space(A.T.copy(), -1.0)
    native.ldlt_factor(A.T @ A, -1.0)
    native.ldlt_solve(A.T @ A, B[:3], -1.0)
    native.svd_factor(A, None)
    native.svd_factor(A, np.eye(3))
    native.free_motion(A, 1e-7)


def _objects(thing: Any) -> Any:
    """A recorded argument, created again: a history becomes a new object, ready for use."""
    if isinstance(thing, History):
        made = getattr(backend.module(), thing.kind)(*_objects(thing.arguments), **thing.options)
        for method, args, options in thing.calls:
            if method in PREPARING:
                getattr(made, method)(*_objects(args), **options)
        return made
    if isinstance(thing, tuple):
        return tuple(_objects(part) for part in thing)
    if isinstance(thing, list):
        return [_objects(part) for part in thing]
    return _copied(thing)


INTS = (-1, 0, 1, 2, 7, 63, 2**31 - 1, -(2**31), 2**31, 2**63, -(2**63), 2**64, 10**30)
FLOATS = (
    float("nan"), float("inf"), float("-inf"), 0.0, -0.0, -1.0, 1e308, -1e308, 5e-324, 1e-9, 1e9,
    3e9,
)  # fmt: skip
THINGS: tuple[Any, ...] = (
    None,
    True,
    "x",
    b"",
    b"abc",
    [],
    [1.0, 2.0],
    (),
    {},
    1j,
    object(),
    3,
    2.5,
)


def spoil(rng: random.Random, value: Any) -> Any:
    """Something else in place of an argument."""
    if rng.random() < 0.12:
        return rng.choice(THINGS)
    if isinstance(value, np.ndarray):
        return _spoil_array(rng, value)
    if isinstance(value, bool):
        return rng.choice([not value, 2, -1, None])
    if isinstance(value, int):
        return rng.choice([*INTS, value + 1, value - 1])
    if isinstance(value, float):
        return rng.choice(FLOATS)
    if isinstance(value, bytes):
        return rng.choice([value[:-1], value + b"x", value * 50, bytes(len(value)), value[::-1]])
    if isinstance(value, str):
        return rng.choice(["", "\0", "300.1.1.1", "::", "x" * 5000, "\udcff", value + " "])
    return rng.choice(THINGS)


def _spoil_array(rng: random.Random, value: np.ndarray) -> Any:
    way = rng.randrange(14)
    if way <= 4:
        return _spoil_numbers(rng, value)
    if way == 5:
        kinds = ["f4", "f8", "i4", "i8", "u4", "u1", "c16", "?", ">f8", ">i4", "O", "S8", "m8[s]"]
        with np.errstate(all="ignore"):
            return value.astype(rng.choice(kinds))
    if way == 6:
        return np.repeat(value, 2, axis=-1)[..., ::2] if value.ndim else value
    if way == 7:
        return value.T[::-1] if value.ndim else value
    if way == 8:
        return value[..., : max(value.shape[-1] - 1, 0)].copy() if value.ndim else value
    if way == 9:
        return np.concatenate([value, value[:1]]) if value.ndim else value
    if way == 10:
        return rng.choice([value[None], value.ravel(), value.reshape(-1, 1), value[:0]])
    if way == 11:
        fixed = value.copy()
        fixed.setflags(write=False)
        return fixed
    if way == 12:
        data = value.tobytes()
        return rng.choice([data, bytearray(data), memoryview(data)])
    shape = rng.choice([(0,), (0, 0), (1,), (2**12,), (1, 2**11), (2**11, 1), (3, 0), ()])
    return np.zeros(shape, value.dtype)


def _spoil_numbers(rng: random.Random, value: np.ndarray) -> np.ndarray:
    """The same shape and type with other numbers in some places, or everywhere."""
    out = value.copy()
    if not out.size or out.dtype.kind not in "fiu":
        return out
    flat = out.reshape(-1)
    places = range(flat.size) if rng.random() < 0.1 else rng.sample(range(flat.size), k=1)
    if out.dtype.kind == "f":
        nasty = rng.choice([*FLOATS, 1e-3, 1e3])
    else:
        limits = np.iinfo(out.dtype)
        chosen = rng.choice([-1, 0, 1, 2, 5, 1000, 2**26, limits.max, limits.min, limits.max - 2])
        nasty = min(max(int(chosen), limits.min), limits.max)
    for place in places:
        flat[place] = nasty
    return out


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Interrupts a long call; ends the process when that does not help."""

    def interrupt(signum: int, frame: FrameType | None) -> None:
        raise TooLong

    signal.signal(signal.SIGALRM, interrupt)
    faulthandler.dump_traceback_later(HANG, exit=True)
    signal.setitimer(signal.ITIMER_REAL, LONG, LONG)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()


def _spoil_call(
    rng: random.Random, args: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call with one or two of them spoilt, or one too many or too few."""
    spoilt, named = list(args), dict(options)
    for _ in range(rng.choice([1, 1, 1, 2])):
        place = rng.randrange(max(len(spoilt) + len(named), 1))
        if place < len(spoilt):
            spoilt[place] = spoil(rng, spoilt[place])
        elif named:
            name = list(named)[place - len(spoilt)]
            named[name] = spoil(rng, named[name])
    if rng.random() < 0.03:
        spoilt = spoilt[:-1] if rng.random() < 0.5 else [*spoilt, None]
    return tuple(spoilt), named


def _summary(thing: Any) -> str:
    if isinstance(thing, np.ndarray):
        return f"{thing.dtype}{list(thing.shape)}"
    return repr(thing)[:60]


class Trial:
    """One history, with one of its calls spoilt."""

    def __init__(self, history: History, seed: int, say: Callable[[str], None]) -> None:
        self.rng = random.Random(seed)
        self.history = history
        self.say = say
        self.defects: list[str] = []
        self.outcomes: Counter[str] = Counter()

    def run(self) -> None:
        """Make the object and call its methods; which call is spoilt, and how, is drawn."""
        history, rng = self.history, self.rng
        makes = not history.calls or rng.random() < 0.2
        chosen = -1 if makes else rng.randrange(len(history.calls))
        made = self._call(backend.module(), history.kind, history.arguments, history.options, makes)
        if made is not None:
            for i, (method, args, options) in enumerate(history.calls):
                self._call(made, method, args, options, i == chosen)

    def _call(
        self, owner: Any, name: str, args: tuple[Any, ...], options: dict[str, Any], spoilt: bool
    ) -> Any:
        args, options = _objects(args), _copied(options)
        if spoilt:
            args, options = _spoil_call(self.rng, args, options)
        given = ", ".join(map(_summary, [*args, *options.values()]))
        self.say(f"{self.history.kind}: {name}({given})")
        try:
            with _limited():
                found = getattr(owner, name)
                return found(*args, **options) if callable(found) else found
        except ALLOWED as error:
            self.outcomes[type(error).__name__] += 1
        except TooLong:
            self.outcomes["interrupted"] += 1
        except Exception:
            self.defects.append(f"{self.history.kind}: {name}({given}): {traceback.format_exc()}")
        return None


def main(count: int = 20_000, seed: int = 0, only: str = "") -> int:
    """Run the trials; what is being called is noted in a file, so that a crash has a name."""
    histories = [history for history in record() if only in history.kind]
    reached = {history.kind for history in histories}
    reached |= {f"{history.kind}.{call[0]}" for history in histories for call in history.calls}
    missing = methods_of(backend.module()) - reached
    if missing and not only:
        print("the tour does not reach", *sorted(missing))
        return 1
    outcomes: Counter[str] = Counter()
    defects: list[str] = []
    log = os.environ.get("KINEGEN_FUZZ_LOG") or tempfile.mkstemp(prefix="fuzz-bindings-")[1]
    with open(log, "w", encoding="utf-8") as noted, np.errstate(all="ignore"):

        def say(number: int, what: str) -> None:
            noted.seek(0)
            noted.truncate()
            noted.write(f"trial {number}: {what}")
            noted.flush()

        rng = random.Random(seed)
        for number in range(count):
            trial_seed = rng.randrange(2**32)
            history = histories[number % len(histories)]
            trial = Trial(history, trial_seed, partial(say, number))
            trial.run()
            outcomes += trial.outcomes
            defects += trial.defects
    os.remove(log)
    print(f"{count} trials:", *(f"{name} {n}," for name, n in outcomes.most_common()))
    for defect in sorted(set(defects))[:20]:
        print(defect)
    return 1 if defects else 0


if __name__ == "__main__":
    words = dict(enumerate(sys.argv[1:]))
    sys.exit(main(int(words.get(0, 20_000)), int(words.get(1, 0)), words.get(2, "")))
