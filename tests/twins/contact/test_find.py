"""Contacts: compiled and NumPy kernels alike, and both against closed forms and MuJoCo."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from kinegen.kernels import ShapeArrays, ShapeKind, backend, reference
from kinegen.kernels.reference.contact.convex import separation
from kinegen.kernels.reference.contact.shapes import Shapes
from tests.support.contacts.shapes import KINDS, SIZES, STILL, random_pose, shape_arrays

native = pytest.importorskip("kinegen.kernels._native")

PAIRS = [*itertools.combinations_with_replacement(KINDS, 2)]
GROUND = (ShapeKind.PLANE, ShapeKind.HEIGHTS)


def both(arrays: ShapeArrays) -> tuple[Any, Any]:
    return native.BoundShapes(*arrays), reference.BoundShapes(*arrays)


@pytest.mark.parametrize(
    ("a", "b"), [*PAIRS, *itertools.product(GROUND, KINDS)], ids=lambda k: k.name
)
def test_compiled_and_numpy_kernels_find_the_same_contacts(a: ShapeKind, b: ShapeKind) -> None:
    rng = np.random.default_rng([int(a), int(b)])
    compiled, plain = both(shape_arrays([a, b]))
    found = 0
    for _ in range(6):
        X = np.stack([random_pose(rng, 0, 0), random_pose(rng, 0.45, 0.75)])
        if a in GROUND:
            X[0] = STILL
        for one in (compiled, plain):
            one.place(X)
        ours, theirs = compiled.find(0.1), plain.find(0.1)
        np.testing.assert_array_equal(ours[0], theirs[0])
        if not len(ours[3]):
            continue
        found += len(ours[3])
        # bodies on several triangles at once: where they are deep, more than one way leads out
        assert ours[3].min() == pytest.approx(theirs[3].min(), abs=1e-3 if a in GROUND else 1e-7)
        if ours[3].min() < 0 and a not in SIZES | {ShapeKind.PLANE: 0}:
            continue
        # points of the same depth may come in another order; overlapping round bodies: the
        # polytope ends within 1e-9 of the depth, and its direction within the root of that
        away = np.linalg.norm(ours[1][:, None] - theirs[1][None], axis=2)
        assert away.min(axis=1).max() < (1e-5 if ours[3].min() > 0 else 2e-3)
        turned = np.einsum("ij,ij->i", ours[2], theirs[2][away.argmin(axis=1)])
        assert turned.min() > 1 - 1e-6
    assert found > 0


@pytest.mark.parametrize(("a", "b"), PAIRS, ids=lambda k: k.name)
def test_no_direction_separates_two_shapes_better_than_the_one_found(
    a: ShapeKind, b: ShapeKind
) -> None:
    rng = np.random.default_rng([7, int(a), int(b)])
    arrays = shape_arrays([a, b])
    compiled, placed = native.BoundShapes(*arrays), Shapes(arrays)
    ways = rng.normal(size=(200, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    for _ in range(6):
        X = np.stack([random_pose(rng, 0, 0), random_pose(rng, 0.2, 0.7)])
        compiled.place(X)
        placed.place(X)
        one, other = placed.all
        pairs, _, normals, distances = compiled.find(0.1)
        best = max(separation(one, other, n) for n in ways) - one.radius - other.radius
        if not len(pairs):
            # a direction that separates must exist: the nearest of all is beyond the margin
            assert float(np.linalg.norm(X[1, 9:])) > 0.3
            continue
        assert distances.min() >= best - 1e-8
        # the direction found does separate them by as much
        own = separation(one, other, normals[0]) - one.radius - other.radius
        assert distances.min() >= own - 1e-8


@pytest.mark.parametrize("kind", [*SIZES, ShapeKind.HULL], ids=lambda k: k.name)
def test_shallow_contacts_are_those_of_mujoco(kind: ShapeKind) -> None:
    mujoco = pytest.importorskip("mujoco")
    words = {2: "sphere", 3: "capsule", 5: "cylinder", 6: "box"}
    for other in SIZES:
        if kind == ShapeKind.HULL:
            arrays = shape_arrays([other, kind])
            corners = " ".join(f"{x:.17g}" for x in arrays.corners.ravel())
            asset = f'<asset><mesh name="m" vertex="{corners}"/></asset>'
            second = 'type="mesh" mesh="m"'
        else:
            if other > kind or (other, kind) == (ShapeKind.CAPSULE, ShapeKind.BOX):
                continue  # MuJoCo takes the best of a few candidates there, not the nearest
            arrays, asset = shape_arrays([other, kind]), ""
            second = f'type="{words[kind]}" size="{" ".join(map(str, SIZES[kind]))}"'
        first = f'type="{words[other]}" size="{" ".join(map(str, SIZES[other]))}"'
        model = mujoco.MjModel.from_xml_string(
            f"""<mujoco><option ccd_tolerance="1e-10"/>{asset}<worldbody>
            <geom {first} margin="0.05"/>
            <body><freejoint/><geom {second} margin="0.05" mass="1"/></body>
            </worldbody></mujoco>"""
        )
        data, compiled = mujoco.MjData(model), native.BoundShapes(*arrays)
        shapes = Shapes(arrays)
        rng = np.random.default_rng([3, int(kind), int(other)])
        compared = alike = 0
        for _ in range(150):
            X = np.stack([STILL, random_pose(rng, 0.4, 0.8)])
            quat = np.zeros(4)
            mujoco.mju_mat2Quat(quat, X[1, :9])
            data.qpos[:] = *X[1, 9:], *quat
            mujoco.mj_kinematics(model, data)
            mujoco.mj_collision(model, data)
            placed = X.copy()
            # MuJoCo's mesh is in the axes of its corners
            placed[1, 9:] -= X[1, :9].reshape(3, 3) @ arrays.reals[1, 9:12]
            compiled.place(placed)
            _, _, normals, distances = compiled.find(0.03)
            shallow = len(distances) and -0.02 < distances.min()
            if not shallow or not data.ncon:
                continue
            theirs = int(np.argmin(data.contact.dist))
            normal = np.ascontiguousarray(data.contact.frame[theirs][:3])
            shapes.place(placed)
            one, two = shapes.all
            apart = separation(one, two, normal) - one.radius - two.radius
            if abs(apart - data.contact.dist[theirs]) > 1e-4:
                continue  # its direction does not separate them as it says
            compared += 1
            # never deeper than along its direction, which need not be the best one
            assert -1e-4 < distances.min() - data.contact.dist[theirs] < 2e-3
            ours = int(np.argmin(distances))
            alike += int(normals[ours] @ normal > 0.98)
        # two directions may be equally good
        assert compared > 2 and alike >= 0.9 * compared, other


def test_a_box_on_a_plane_touches_with_four_corners() -> None:
    compiled = native.BoundShapes(*shape_arrays([ShapeKind.PLANE, ShapeKind.BOX]))
    X = np.stack([STILL, STILL])
    X[1, 11] = 0.399
    compiled.place(X)
    pairs, points, normals, distances = compiled.find(0.01)
    assert pairs.tolist() == [[0, 1]] * 4
    np.testing.assert_allclose(distances, -0.001, atol=1e-15)
    np.testing.assert_allclose(normals, [[0, 0, 1]] * 4)
    np.testing.assert_allclose(np.sort(np.abs(points), axis=0)[:, :2], [[0.3, 0.2]] * 4)
    np.testing.assert_allclose(points[:, 2], -0.0005)


def test_a_cylinder_lies_on_two_points_and_stands_on_four() -> None:
    compiled = native.BoundShapes(*shape_arrays([ShapeKind.BOX, ShapeKind.CYLINDER]))
    X = np.stack([STILL, STILL])
    X[1, 11] = 0.4 + 0.25
    compiled.place(X)
    assert len(compiled.find(1e-3)[3]) == 4
    X[1, :9] = [1, 0, 0, 0, 0, -1, 0, 1, 0]  # its axis along y
    X[1, 11] = 0.4 + 0.3
    compiled.place(X)
    _, points, normals, distances = compiled.find(1e-3)
    np.testing.assert_allclose(normals, [[0, 0, -1]] * 2, atol=1e-12)  # to the box
    np.testing.assert_allclose(distances, 0.0, atol=1e-12)
    np.testing.assert_allclose(np.sort(points[:, 1]), [-0.2, 0.2], atol=1e-8)  # the box's width


def test_two_boxes_in_a_stack_touch_with_the_corners_of_the_smaller_face() -> None:
    compiled = native.BoundShapes(*shape_arrays([ShapeKind.BOX, ShapeKind.BOX]))
    turn = math.radians(30)
    X = np.stack([STILL, STILL])
    X[1, :9] = [math.cos(turn), -math.sin(turn), 0, math.sin(turn), math.cos(turn), 0, 0, 0, 1]
    X[1, 9:] = 0.05, 0.0, 0.8
    compiled.place(X)
    _, points, normals, distances = compiled.find(1e-3)
    assert len(distances) == 4
    np.testing.assert_allclose(normals, [[0, 0, 1]] * 4, atol=1e-12)
    np.testing.assert_allclose(distances, 0.0, atol=1e-12)
    # all within both faces
    own = (points - X[1, 9:]) @ X[1, :9].reshape(3, 3)
    assert np.all(np.abs(points[:, :2]) <= [0.3 + 1e-8, 0.2 + 1e-8])
    assert np.all(np.abs(own[:, :2]) <= [0.3 + 1e-8, 0.2 + 1e-8])


# Rays


@pytest.mark.parametrize("kind", [*KINDS, *GROUND], ids=lambda k: k.name)
def test_compiled_and_numpy_kernels_see_the_same(kind: ShapeKind) -> None:
    rng = np.random.default_rng(int(kind))
    compiled, plain = both(shape_arrays([kind]))
    X = (STILL if kind in GROUND else random_pose(rng, 0.1, 0.2))[None].copy()
    for one in (compiled, plain):
        one.place(X)
    origins, ways = rng.normal(size=(40, 3)), rng.normal(size=(40, 3))
    ways[:20] = -origins[:20] + rng.normal(size=(20, 3)) * 0.2
    ours = compiled.cast_rays(origins, ways, 10.0, np.ones(1, np.int32))
    theirs = plain.cast_rays(origins, ways, 10.0, np.ones(1, np.int32))
    assert np.isfinite(ours[0]).sum() > 3
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-12)


@pytest.mark.parametrize("kind", [*SIZES, ShapeKind.HULL], ids=lambda k: k.name)
def test_rays_are_those_of_mujoco(kind: ShapeKind) -> None:
    mujoco = pytest.importorskip("mujoco")
    arrays = shape_arrays([kind])
    words = {2: "sphere", 3: "capsule", 5: "cylinder", 6: "box"}
    geom = f'type="{words.get(kind)}" size="{" ".join(map(str, SIZES.get(kind, ())))}"'
    asset = ""
    if kind == ShapeKind.HULL:
        corners = " ".join(f"{x:.17g}" for x in arrays.corners.ravel())
        asset, geom = f'<asset><mesh name="m" vertex="{corners}"/></asset>', 'type="mesh" mesh="m"'
    xml = f"<mujoco>{asset}<worldbody><geom {geom}/></worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(xml)
    data, compiled = mujoco.MjData(model), native.BoundShapes(*arrays)
    mujoco.mj_kinematics(model, data)
    X = STILL.copy()
    X[9:] = -arrays.reals[0, 9:12]  # MuJoCo's mesh is in the axes of its corners
    compiled.place(X[None].copy())
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(200):
        origin = rng.normal(size=3)
        way = rng.normal(size=3) * 0.3 - origin
        way /= np.linalg.norm(way)
        theirs = mujoco.mj_ray(model, data, origin, way, None, 1, -1, np.zeros(1, np.int32))
        ours = compiled.cast_rays(origin, way, np.inf, np.ones(1, np.int32))[0][0]
        hits += theirs >= 0
        assert (theirs < 0) == (ours == np.inf)
        if theirs >= 0:
            assert ours == pytest.approx(theirs, abs=1e-7)  # its meshes are single precision
    assert hits > 50


def test_a_ray_meets_a_ball_where_the_quadratic_says() -> None:
    compiled = native.BoundShapes(*shape_arrays([ShapeKind.BALL]))
    compiled.place(STILL[None].copy())
    seen = np.ones(1, np.int32)
    for off in (0.0, 0.1, 0.29999):
        distance, shape, normal = compiled.cast_rays(
            np.array([-5.0, off, 0.0]), np.array([2.0, 0.0, 0.0]), np.inf, seen
        )
        assert distance[0] == pytest.approx(5 - math.sqrt(0.09 - off * off), abs=1e-12)
        np.testing.assert_allclose(normal[0], [-math.sqrt(0.09 - off**2) / 0.3, off / 0.3, 0])
        assert shape[0] == 0
    missed = compiled.cast_rays(np.array([-5.0, 0.3001, 0]), np.array([1.0, 0, 0]), np.inf, seen)
    assert missed[0][0] == np.inf and missed[1][0] == -1
    # no farther than asked, and not where it is not looked at
    ahead = np.array([-5.0, 0, 0]), np.array([1.0, 0, 0])
    assert compiled.cast_rays(*ahead, 4.0, seen)[1][0] == -1
    assert compiled.cast_rays(*ahead, np.inf, np.zeros(1, np.int32))[1][0] == -1


# Distances


@pytest.mark.parametrize("kind", [*KINDS, *GROUND], ids=lambda k: k.name)
def test_distances_are_alike_and_grow_along_the_way_out(kind: ShapeKind) -> None:
    rng = np.random.default_rng(int(kind))
    compiled, plain = both(shape_arrays([kind]))
    X = (STILL if kind in GROUND else random_pose(rng, 0.1, 0.2))[None].copy()
    for one in (compiled, plain):
        one.place(X)
    for point in rng.normal(size=(25, 3)) * 0.5:
        distance, shape, out = compiled.nearest(point)
        again = plain.nearest(point)
        assert shape == again[1] == 0
        assert distance == pytest.approx(again[0], abs=1e-9)
        np.testing.assert_allclose(out, again[2], atol=1e-6)
        assert np.linalg.norm(out) == pytest.approx(1.0)
        step = 1e-4
        if abs(distance) > step:
            onward = compiled.nearest(point + step * out)[0]
            assert onward == pytest.approx(distance + step, abs=1e-6)


def test_wrong_shapes_are_refused() -> None:
    arrays = shape_arrays([ShapeKind.BOX])
    wrong = arrays.ints.copy()
    wrong[0, 1] = 5
    with pytest.raises(Exception, match="link 5"):
        native.BoundShapes(*arrays._replace(ints=wrong))
    wrong[0, :2] = ShapeKind.HULL, 0
    with pytest.raises(Exception, match="missing"):
        native.BoundShapes(*arrays._replace(ints=wrong))
    assert backend.shapes(arrays) is not None
