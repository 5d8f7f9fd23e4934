"""A tour: calls that together reach every function and method of the compiled kernels."""

from __future__ import annotations

import contextlib
from types import ModuleType

import numpy as np

import kinegen as kg
from bench.fuzz.calls.spoiling import ALLOWED
from kinegen.dynamics.contact.contacts import Collisions
from kinegen.dynamics.simulation.system import System
from kinegen.formats.robots.read.urdf_reader.fast import PROTOTYPES
from kinegen.formats.robots.transform import IDENTITY
from kinegen.hull import camera_ring
from kinegen.kernels import HapticSettings
from kinegen.kernels.protocols.analytic import MAX_SOLUTIONS
from kinegen.kinematics.followers import find_followers
from kinegen.kinematics.handles import pack_handles
from kinegen.raff.formulas.formula import Formula

__all__ = ["tour"]


def tour(native: ModuleType) -> None:
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
    _tour_hull(native)
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
    batch = kg.dynamics.SimulationBatch(kg.load("so101"), count=2)
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


def _tour_hull(native: ModuleType) -> None:
    cameras = camera_ring((0, 0, 0), 4.0, 3, pixels=(16, 12))
    silhouettes = np.zeros((3, 12, 16), np.uint8)
    silhouettes[:, 3:9, 5:11] = 1
    P = np.array([one.projection for one in cameras])
    eyes = np.array([one.X_WC.translation for one in cameras])
    box, shape = np.array([[-1.0, -1, -1], [1, 1, 1]]), np.full(3, 8, np.int32)
    voxels = native.hull_carve(silhouettes, P, box, shape)
    vertices, triangles = native.hull_surface(voxels, box, 2)
    pictures = np.full((3, 12, 16, 3), 90, np.uint8)
    native.hull_colours(silhouettes, pictures, P, eyes, 0.25, vertices, triangles)


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
