"""Distances between bodies: compiled and NumPy kernels alike, closed forms, MuJoCo, gradients."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import Floats, ShapeKind, reference
from kinegen.kinematics.collisions.checker import CollisionChecker
from tests.support.contacts.shapes import KINDS, SIZES, random_pose, shape_arrays

native = pytest.importorskip("kinegen.kernels._native")

PAIRS = [*itertools.combinations_with_replacement(KINDS, 2)]
SPECS = {
    "ball": "{sphere: 0.3}",
    "capsule": "{capsule: [0.2, 0.8]}",
    "box": "{box: [0.6, 0.4, 0.8]}",
    "plate": "{box: [2, 2, 0.1]}",
}


def two(a: str, b: str) -> CollisionChecker:
    """Two bodies that fly freely."""
    text = "raff: 1\nname: two\njoints:\n" + "".join(
        f"  - {{name: {name}, type: free, parent: base, xyz: [0, 0, {z}], shape: {SPECS[spec]}}}\n"
        for name, spec, z in (("A", a, 0), ("B", b, 9))
    )
    return CollisionChecker(kg.load(text))


def at(checker: CollisionChecker, xyz: Any, quat: Any = (1, 0, 0, 0), margin: float = 5) -> Any:
    """A at the origin, B where it is asked for (its joint sits 9 m up)."""
    place = np.asarray(xyz, float) - [0, 0, 9]
    return checker.measure([1, 0, 0, 0, 0, 0, 0, *quat, *place], margin=margin, gradients=True)


@pytest.mark.parametrize("b", [(0.9, 0.2, 0.0), (0.2, 0.7, 0.1), (0.9, 0.8, 1.1), (0.5, 0, 0)])
def test_ball_and_box(b: tuple[float, float, float]) -> None:
    found = at(two("box", "ball"), b)
    over = np.maximum(np.abs(b) - [0.3, 0.2, 0.4], 0)
    assert found.distances[0] == pytest.approx(np.linalg.norm(over) - 0.3, abs=1e-9)
    out = over * np.sign(b) / np.linalg.norm(over)
    np.testing.assert_allclose(found.normals[0], out, atol=1e-6)
    np.testing.assert_allclose(
        found.points_b[0], found.points_a[0] + found.distances[0] * found.normals[0], atol=1e-12
    )


def test_capsules_as_segments() -> None:
    checker = two("capsule", "capsule")
    half = math.sqrt(0.5)
    across = (half, 0.0, half, 0.0)  # its axis along x
    for x, z, d in ((0.7, 0.0, 0.3 + 0), (0.2, 0.9, 0.5), (1.0, 0.8, math.hypot(0.6, 0.4))):
        # axis of B from (x - 0.4, 0, z): nearest points are ends, or an end and the segment's side
        gap = math.hypot(max(x - 0.4, 0), max(z - 0.4, 0))
        assert d == pytest.approx(gap)
        found = at(checker, (x, 0, z), across)
        assert found.distances[0] == pytest.approx(gap - 0.4, abs=1e-9)
    # crossing at a right angle, one above the other: exact when they overlap, too
    for y in (0.5, 0.1):
        assert at(checker, (0, y, 0), across).distances[0] == pytest.approx(y - 0.4, abs=1e-9)


def test_boxes_by_face_edge_and_corner() -> None:
    checker = two("box", "box")
    for xyz, gap in (
        ((1.0, 0, 0), 0.4),
        ((1.0, 0.7, 0), math.hypot(0.4, 0.3)),
        ((1.0, 0.7, 1.0), math.hypot(0.4, 0.3, 0.2)),
        ((0.5, 0.1, 0.0), -0.1),
    ):
        assert at(checker, xyz).distances[0] == pytest.approx(gap, abs=1e-9)


@pytest.mark.parametrize(
    ("a", "b"), [*PAIRS, *((k, b) for k in (0, 1) for b in KINDS)], ids=lambda k: str(int(k))
)
def test_compiled_and_numpy_kernels_are_alike(a: int, b: int) -> None:
    arrays = shape_arrays([ShapeKind(a), ShapeKind(b)])
    model = kg.load("raff: 1\njoints:\n  - {name: A, type: free, parent: base}\n").compile()
    bound = model.ints, model.reals, np.arange(2, dtype=np.int32), *arrays
    compiled, plain = native.BoundClearance(*bound), reference.BoundClearance(*bound)
    rng = np.random.default_rng([int(a), int(b)])
    quats = rng.normal(size=(8, 4))
    qs = np.hstack([quats / np.linalg.norm(quats, axis=1)[:, None],
                    [random_pose(rng, 0.3, 1.0)[9:] for _ in range(8)]])  # fmt: skip
    ours, theirs = (one.measure(qs, 0.5, True, 1) for one in (compiled, plain))
    np.testing.assert_array_equal(ours[0], theirs[0])
    assert len(ours[0]) > 2
    # fields are measured by triangles: where bodies are deep, more than one way leads out
    deep = 1e-3 if a == ShapeKind.HEIGHTS else 1e-7
    np.testing.assert_allclose(ours[2][:, 0], theirs[2][:, 0], atol=deep)
    apart = theirs[2][:, 0] > 1e-3
    if a != ShapeKind.HEIGHTS:
        np.testing.assert_allclose(ours[2][apart, 1:4], theirs[2][apart, 1:4], atol=2e-5)
        np.testing.assert_allclose(ours[3][apart][:, :3], theirs[3][apart][:, :3], atol=2e-5)


@pytest.mark.parametrize("other", [*SIZES], ids=lambda k: k.name)
def test_distances_are_those_of_mujoco(other: ShapeKind) -> None:
    mujoco = pytest.importorskip("mujoco")
    words = {2: "sphere", 3: "capsule", 5: "cylinder", 6: "box"}
    model = kg.load("raff: 1\njoints:\n  - {name: A, type: free, parent: base}\n").compile()
    rng = np.random.default_rng(int(other))
    for kind in SIZES:
        first, second = (
            f'type="{words[k]}" size="{" ".join(map(str, SIZES[k]))}"' for k in (other, kind)
        )
        world = mujoco.MjModel.from_xml_string(
            f"""<mujoco><option ccd_tolerance="1e-10" ccd_iterations="200"/><worldbody>
            <geom {first}/><body><freejoint/><geom {second} mass="1"/></body>
            </worldbody></mujoco>"""
        )
        data, ends = mujoco.MjData(world), np.zeros(6)
        ours = native.BoundClearance(
            model.ints, model.reals, np.arange(2, dtype=np.int32), *shape_arrays([other, kind])
        )
        compared = 0
        for _ in range(40):
            quat = (q := rng.normal(size=4)) / np.linalg.norm(q)
            p = random_pose(rng, 0.5, 1.5)[9:]
            data.qpos[:] = *p, *quat
            mujoco.mj_kinematics(world, data)
            theirs = mujoco.mj_geomDistance(world, data, 0, 1, 10.0, ends)
            if theirs <= 1e-3:
                continue  # overlapping bodies: it does not look for the least depth
            row = ours.measure(np.array([[*quat, *p]]), 10.0, False, 1)[2][0]
            assert row[0] == pytest.approx(theirs, abs=1e-6)
            compared += 1
        assert compared > 10


@pytest.mark.parametrize("name", ["puma560", "stewart"])
def test_gradients_are_those_of_finite_differences(name: str) -> None:
    model = kg.load(name).compile()
    checker = CollisionChecker(model, floor=-0.3)
    rng = np.random.default_rng(4)
    # aside from the home pose, where faces are parallel
    q = kg.kinematics.integrate(model, kg.assemble(model).q, 0.2 * rng.normal(size=model.nv))
    found = checker.measure(q, margin=10.0, gradients=True)
    assert found.gradients is not None and len(found) > 8
    step, checked = 1e-6, 0
    for _ in range(4):
        v = rng.normal(size=model.nv)
        ahead, behind = (
            checker.measure(kg.kinematics.integrate(model, q, side * step * v), margin=10.0)
            for side in (1, -1)
        )

        def table(one: Any) -> dict[tuple[str, str], Floats]:
            keys = zip(one.a, one.b, strict=True)
            return {key: (d, n) for key, d, n in zip(keys, one.distances, one.normals, strict=True)}

        after, before = table(ahead), table(behind)
        for i, key in enumerate(zip(found.a, found.b, strict=True)):
            # where the nearest parts change, there is a kink
            if found.distances[i] < 1e-3 or after[key][1] @ before[key][1] < 1 - 1e-8:
                continue
            slope = (after[key][0] - before[key][0]) / (2 * step)
            assert found.gradients[i] @ v == pytest.approx(slope, abs=2e-5)
            checked += 1
    assert checked > 20


def test_slivers_do_not_mislead_the_search() -> None:
    """A cylinder beside a long box: simplices of their difference become nearly flat."""
    text = """raff: 1
joints:
  - {name: A, type: free, parent: base, shape: {cylinder: [0.04, 0.1]}}
objects:
  - {name: wall, shape: {box: [1, 0.04, 1.2]}, at: {xyz: [0, 3, 0]}, fixed: true}
"""
    checker = CollisionChecker(kg.load(text))
    rng = np.random.default_rng(2)
    quats = rng.normal(size=(20000, 4))
    quats /= np.linalg.norm(quats, axis=1)[:, None]
    places = rng.uniform([-0.4, 2.8, -0.5], [0.4, 2.95, 0.5], size=(20000, 3))
    found = checker.measure(np.hstack([quats, places]), margin=5.0)
    # beside the face: the cylinder's outermost point along y, in closed form
    w, x, y, z = quats.T
    across = np.hypot(2 * (x * y + w * z), 1 - 2 * (x * x + z * z))
    along = np.abs(2 * (y * z - w * x))
    gaps = 2.98 - places[:, 1] - 0.04 * across - 0.05 * along
    apart = gaps > 1e-6
    assert apart.sum() > 10000
    np.testing.assert_allclose(found.distances[apart], gaps[apart], atol=1e-7)
