"""Shapes: from Kleinfinger numbers, from the file, for every mechanism of the library."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinegen.errors import UsageError
from kinegen.formats.load import load
from kinegen.mechanism.load import library_names, load_document
from kinegen.mechanism.model import Model
from kinegen.mechanism.shapes import flat as shapes_flat
from kinegen.mechanism.shapes.shapes import (
    Box,
    Capsule,
    Cylinder,
    MeshRef,
    Plate,
    Primitive,
    Role,
    Sphere,
    link_shapes,
    shapes_from_spec,
)
from kinegen.mechanism.shapes.skeleton import read_skeleton
from kinegen.raff.document import Document
from kinegen.raff.formulas.parser import parse_formula

Shapes = tuple[tuple[Primitive, ...], ...]


def model_of(*rows: str, frames: tuple[str, ...] = ()) -> Model:
    text = "raff: 1\njoints:\n" + "".join(f"  - {{{row}}}\n" for row in rows)
    if frames:
        text += "frames:\n" + "".join(f"  - {{{frame}}}\n" for frame in frames)
    return load(text).compile()


@cache
def library_model(name: str) -> Model:
    return load(name).compile()


def ends(bar: Capsule | Cylinder) -> list[np.ndarray]:
    half = np.array(bar.rotation) @ np.array([0.0, 0.0, bar.length / 2])
    middle = np.array(bar.translation)
    return [middle - half, middle + half]


def bars(shapes: tuple[Primitive, ...]) -> list[Capsule]:
    return [shape for shape in shapes if isinstance(shape, Capsule)]


def has_point(points: list[np.ndarray], p: Any, tolerance: float = 1e-9) -> bool:
    return any(np.allclose(point, p, atol=tolerance) for point in points)


ARM = (
    "name: A, parent: base, r: 0.5",
    "name: B, parent: A, alpha: 90 deg",
    "name: C, parent: B, d: 0.4",
    "name: D, parent: C, alpha: 90 deg, d: 0.3",
)


def test_a_bar_runs_from_joint_to_joint() -> None:
    model = model_of(*ARM)
    (bar,) = bars(link_shapes(model)[model.site("B")])
    assert has_point(ends(bar), (0, 0, 0))
    assert has_point(ends(bar), (0.4, 0, 0))
    assert bar.role is Role.BAR


def test_a_bar_with_d_and_r_has_an_elbow_on_the_common_normal() -> None:
    model = model_of(
        "name: A, parent: base, r: 0.5",
        "name: B, parent: A, alpha: 90 deg, d: 0.4, r: 0.6",
        "name: C, parent: B, alpha: 90 deg, d: 0.5",
    )
    corners = [p for bar in bars(link_shapes(model)[1]) for p in ends(bar)]
    assert has_point(corners, (0.4, 0, 0)), "d along x comes first"
    assert has_point(corners, (0.4, -0.6, 0)), "then r along the next joint's z"


def test_a_frame_gets_a_tool_bar() -> None:
    model = model_of(*ARM, frames=("name: tip, parent: D, d: 0.25",))
    tools = [shape for shape in link_shapes(model)[4] if shape.role is Role.TOOL]
    assert has_point([p for bar in tools for p in ends(bar)], (0.25, 0, 0))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "on_parent", "on_child"),
    [
        ("revolute", {Cylinder}, {Cylinder}),
        ("prismatic", {Cylinder}, {Cylinder}),
        ("universal", {Cylinder, Sphere}, {Cylinder}),
        ("spherical", set(), {Sphere}),
        ("cylindrical", {Cylinder}, {Cylinder}),
        ("screw", {Cylinder}, {Cylinder}),
        ("planar", {Box}, {Cylinder}),
        ("free", set(), set()),
        ("fixed", set(), set()),
    ],
)
def test_each_joint_type_has_its_body(kind: str, on_parent: set, on_child: set) -> None:
    pitch = ", pitch: 10 mm" if kind == "screw" else ""
    model = model_of(
        *ARM, f"name: J, parent: D, alpha: 60 deg, d: 0.3, type: {kind}{pitch}",
        "name: K, parent: J, alpha: 60 deg, d: 0.3",
    )  # fmt: skip
    plain = model_of(*ARM, frames=("name: J, parent: D, alpha: 60 deg, d: 0.3",))
    parent = set(map(type, link_shapes(model)[4])) - {Capsule}
    already = set(map(type, link_shapes(plain)[4])) - {Capsule}
    child = [shape for shape in link_shapes(model)[5] if np.allclose(shape.translation[:2], 0)]
    assert parent - already == on_parent - already
    own = {type(shape) for shape in child if not isinstance(shape, Capsule)}
    # The next joint's housing is at x = 0.3; what is left on the axis belongs to this one.
    assert own == on_child


def test_a_screw_has_more_rings_than_a_cylindrical_joint() -> None:
    def rings(kind: str) -> int:
        model = model_of(*ARM, f"name: J, parent: D, d: 0.3, type: {kind}")
        return sum(isinstance(shape, Cylinder) for shape in link_shapes(model)[5])

    assert rings("screw, pitch: 5 mm") >= rings("cylindrical") + 4


def test_a_motor_shows() -> None:
    def motors(row: str) -> int:
        shapes = link_shapes(model_of(*ARM[:3], row))
        return sum(shape.role is Role.MOTOR for own in shapes for shape in own)

    assert motors("name: D, parent: C, d: 0.3") == 0
    assert motors("name: D, parent: C, d: 0.3, motor: true") == 1


def test_a_housing_lies_along_its_axis() -> None:
    model = model_of(*ARM)
    housing = next(s for s in link_shapes(model)[1] if s.role is Role.JOINT)
    assert np.allclose(np.abs(np.array(housing.rotation)[:, 2]), (0, 1, 0))


def test_joints_that_meet_in_a_point_step_aside() -> None:
    model = library_model("puma560")
    wrist = [i for i, joint in enumerate(model.joints)][3:6]
    housings = [
        next(s for s in link_shapes(model)[model.joints[i].parent] if s.role is Role.JOINT)
        for i in wrist
    ]
    skeleton = read_skeleton(model, {})
    places = [
        skeleton.ps_WL[model.joints[i].parent]
        + skeleton.Rs_WL[model.joints[i].parent] @ np.array(housing.translation)
        for i, housing in zip(wrist, housings, strict=True)
    ]
    for one, other in ((0, 1), (1, 2), (0, 2)):
        assert np.linalg.norm(places[one] - places[other]) > 0.02


def test_a_rod_bridges_the_travel() -> None:
    model = model_of(*ARM, "name: P, parent: D, type: prismatic, d: 0.1")
    rod = next(s for s in link_shapes(model, travels={4: 0.8})[5] if isinstance(s, Cylinder))
    bottom, top = sorted(p[2] for p in ends(rod))
    assert top == pytest.approx(0, abs=1e-9)
    assert bottom < -0.7


def test_a_plate_carries_three_joints() -> None:
    shapes = link_shapes(library_model("stewart"))
    model = library_model("stewart")
    skeleton = read_skeleton(model, {})
    platform = max(range(1, model.link_count), key=lambda i: len(skeleton.attachments[i]))
    plate = next(s for s in shapes[platform] if isinstance(s, Plate))
    corners = np.array(plate.outline)
    for a in skeleton.attachments[platform]:
        local = np.array(plate.rotation).T @ (a.p_LA - np.array(plate.translation))
        following = np.roll(corners, -1, axis=0)
        way = following - corners
        left = way[:, 0] * (local[1] - corners[:, 1]) - way[:, 1] * (local[0] - corners[:, 0])
        assert (left > 0).all(), "every joint lies inside the outline"


def test_limbs_have_their_own_colours_and_the_platform_none() -> None:
    model = library_model("stewart")
    skeleton = read_skeleton(model, {})
    platform = max(range(1, model.link_count), key=lambda i: len(skeleton.attachments[i]))
    assert skeleton.branch[platform] == 0 == skeleton.branch[0]
    firsts = [j.child for j in model.joints if j.parent == 0 and not j.is_cut]
    assert len({skeleton.branch[link] for link in firsts}) == 6
    assert 0 not in {skeleton.branch[link] for link in firsts}


@pytest.mark.parametrize("name", ["four-bar", "five-bar", "peaucellier", "slider-crank", "3-rrr"])
def test_flat_links_that_meet_lie_in_different_layers(name: str) -> None:
    model = library_model(name)
    skeleton = read_skeleton(model, {})
    assert skeleton.plane is not None
    spans: dict[int, tuple[float, float]] = {}
    for link, own in enumerate(link_shapes(model)):
        plates = [s for s in own if isinstance(s, Plate)]
        if plates:
            p = skeleton.ps_WL[link] + skeleton.Rs_WL[link] @ np.array(plates[0].translation)
            height = float(p @ skeleton.plane.normal)
            spans[link] = (height - plates[0].thickness / 2, height + plates[0].thickness / 2)
    pairs = [(j.parent, j.child) for j in model.joints]
    checked = [(a, b) for a, b in pairs if a in spans and b in spans]
    assert len(checked) >= 2
    for a, b in checked:
        assert spans[a][1] <= spans[b][0] + 1e-12 or spans[b][1] <= spans[a][0] + 1e-12


@pytest.mark.parametrize("name", ["puma560", "stewart", "scara"])
def test_spatial_mechanisms_are_not_taken_for_flat(name: str) -> None:
    scara = model_of(
        "name: A, parent: base, r: 0.3",
        "name: B, parent: A, d: 0.4",
        "name: C, parent: B, d: 0.3, type: prismatic",
    )
    model = scara if name == "scara" else library_model(name)
    assert read_skeleton(model, {}).plane is None


def test_a_vertical_plane_is_found_too() -> None:
    model = model_of(
        "name: A, parent: base, alpha: 90 deg", "name: B, parent: A, d: 0.4",
        "name: C, parent: B, d: 0.3",
    )  # fmt: skip
    plane = read_skeleton(model, {}).plane
    assert plane is not None
    assert np.allclose(plane.normal, (0, -1, 0))


@dataclass
class Scaled:
    """A model with every length multiplied."""

    model: Model
    factor: float

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    @property
    def transforms(self) -> np.ndarray:
        return self.model.transforms * np.array([1.0] * 9 + [self.factor] * 3)


def lengths(shape: Primitive) -> list[float]:
    found = [*shape.translation]
    for key in ("radius", "length", "thickness"):
        found.append(getattr(shape, key, 0.0))
    found += getattr(shape, "size", ())
    return found + [c for corner in getattr(shape, "outline", ()) for c in corner]


@pytest.mark.parametrize("name", ["puma560", "five-bar", "slider-crank", "tricept", "eight-bar"])
@given(exponent=st.floats(-4, 4))
def test_sizes_scale_with_the_mechanism(name: str, exponent: float) -> None:
    factor = 10**exponent
    model = library_model(name)
    model_shapes = link_shapes(model)
    scaled_shapes = link_shapes(Scaled(model, factor))
    for own, scaled in zip(model_shapes, scaled_shapes, strict=True):
        assert [type(s) for s in own] == [type(s) for s in scaled]
        wanted = factor * np.array([length for one in own for length in lengths(one)])
        found = [length for one in scaled for length in lengths(one)]
        assert np.allclose(found, wanted, rtol=1e-6, atol=1e-8 * factor)


@pytest.mark.parametrize("name", library_names())
def test_library_shapes_are_sound(name: str) -> None:
    model = library_model(name)
    shapes = link_shapes(model, values=model.parameters)
    assert len(shapes) == model.link_count
    assert any(shapes)
    for shape in (s for own in shapes for s in own):
        R = np.array(shape.rotation)
        assert np.allclose(R @ R.T, np.eye(3), atol=1e-6)
        assert np.linalg.det(R) > 0
        assert np.isfinite(lengths(shape)).all()
        sizes = [getattr(shape, key) for key in ("radius", "thickness") if hasattr(shape, key)]
        assert all(size > 0 for size in sizes)
        assert isinstance(shape.translation[0], float)
    assert shapes == link_shapes(model, values=model.parameters), "the same every time"


def test_shapes_from_the_file_replace_the_automatic_ones() -> None:
    model = model_of(
        "name: A, parent: base, shape: {box: [1, 2, 3], xyz: [0, 0, 1]}",
        "name: B, parent: A, d: 0.4, shape: none",
        "name: C, parent: B, d: 0.4, shape: [{sphere: 0.1}, {capsule: [0.1, 0.2]}]",
        "name: D, parent: C, d: 0.4",
    )
    shapes = link_shapes(model)
    (box,) = shapes[1]
    assert isinstance(box, Box)
    assert box.size == (1, 2, 3)
    assert box.translation == (0, 0, 1)
    assert shapes[2] == ()
    assert [type(s) for s in shapes[3]] == [Sphere, Capsule]
    assert shapes[4]


def test_a_housing_moves_to_the_child_where_the_parent_has_its_own_shape() -> None:
    rows = ("name: A, parent: base, r: 1, shape: {sphere: 0.1}",)
    model = model_of(*rows, "name: B, parent: A, alpha: 1, d: 0.4", "name: C, parent: B, d: 0.4")
    assert any(s.role is Role.JOINT for s in link_shapes(model)[2])


def test_a_specification_may_have_formulas_turns_and_meshes() -> None:
    spec = {"cylinder": [parse_formula("r/2"), parse_formula("40 mm")], "rpy": [0, np.pi / 2, 0]}
    (shape,) = shapes_from_spec(spec, (), {"r": 0.3})
    assert isinstance(shape, Cylinder)
    assert (shape.radius, shape.length) == (0.15, 0.04)
    assert np.allclose(np.array(shape.rotation)[:, 2], (1, 0, 0)), "pitch turns z to x"
    assert shapes_from_spec("arm.stl", ()) == (MeshRef(file="arm.stl"),)
    (mesh,) = shapes_from_spec({"mesh": "arm.stl", "scale": 0.001}, ())
    assert isinstance(mesh, MeshRef)
    assert mesh.scale == (0.001, 0.001, 0.001)
    assert shapes_from_spec("auto", (mesh,)) == (mesh,)


@pytest.mark.parametrize("spec", [{"box": [1, 2]}, {"bx": 1}, 3])
def test_a_specification_that_makes_no_sense_is_refused(spec: Any) -> None:
    with pytest.raises(UsageError, match="shape"):
        shapes_from_spec(spec, ())


def test_a_links_own_colour_paints_all_but_its_joints() -> None:
    model = model_of(*ARM)
    shapes = link_shapes(model, colors=[None, "orange", None, None, None])
    assert {s.color for s in shapes[1] if s.role is Role.JOINT} == {None}
    assert {s.color for s in shapes[1] if s.role is Role.BAR} == {"orange"}
    assert {s.color for s in shapes[2]} == {None}


def test_primitives_are_values() -> None:
    ball = Sphere(radius=0.1)
    assert ball == Sphere(radius=0.1)
    assert len({ball, Sphere(radius=0.1)}) == 1
    with pytest.raises(FrozenInstanceError):
        ball.radius = 0.2  # type: ignore[misc]


@pytest.mark.parametrize("star", [False, True], ids=["chain", "star"])
def test_pins_are_compared_with_their_neighbours_only(
    star: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each pin was compared with every other: a plane chain of 1500 joints took 40 s to draw."""
    compared = [0]

    def dist(a: Any, b: Any) -> float:
        compared[0] += 1
        return float(np.linalg.norm(np.asarray(a) - np.asarray(b)))

    monkeypatch.setattr(shapes_flat, "math", SimpleNamespace(dist=dist))
    for n in (50, 200):
        rows = [
            f"  - {{name: j{i}, parent: {'base' if star or not i else f'j{i - 1}'},"
            f" d: {0.1 * (i if star else 1)}}}\n"
            for i in range(n)
        ]
        model = load_document(Document("raff: 1\njoints:\n" + "".join(rows))).compile()
        compared[0] = 0
        assert len(link_shapes(model)) == n + 1
        assert compared[0] <= 6 * n


def lowest(shapes: Shapes, placed: Any, link: int) -> float:
    """Height of the lowest point of a link's ground bodies, which stand upright."""
    bottoms = []
    for shape in shapes[link]:
        if shape.role is Role.GROUND and isinstance(shape, Cylinder):
            bottoms.append(min(end[2] for end in ends(shape)) + placed[2])
    return float(min(bottoms))


def test_robots_stand_apart_on_one_floor() -> None:
    text = "raff: 1\njoints:\n  - {name: waist, parent: base, r: 0.6}\nrobots:\n" + "".join(
        f"  - {{name: r{i}, include: puma560, at: {{xyz: {at}}}}}\n"
        for i, at in enumerate(([0, 2, 0], [2, 0, 0.5], [40, 0, 0]))
    )
    model = load(text).compile()
    shapes = link_shapes(model, values=model.parameters)
    ground = [shape for own in shapes for shape in own if shape.role is Role.GROUND]
    # no tube or plate joins them, however far apart they are, and distance makes none fatter
    assert not any(isinstance(shape, Capsule | Plate) for shape in ground)
    assert all(shape.radius < 0.3 for shape in ground if isinstance(shape, Cylinder))
    places = {"base": (0, 0, 0), "r0": (0, 2, 0), "r1": (2, 0, 0.5), "r2": (40, 0, 0)}
    floors = {name: lowest(shapes, at, model.link_names.index(name)) for name, at in places.items()}
    assert max(floors.values()) - min(floors.values()) < 1e-9, floors


def test_a_fixed_foot_of_one_robot_keeps_its_column() -> None:
    model = model_of(
        "name: foot, type: fixed, parent: base, r: 0.5",
        "name: waist, parent: foot",
        "name: shoulder, parent: waist, alpha: 90 deg",
        "name: arm, parent: shoulder, d: 0.4",
    )
    shapes = link_shapes(model)
    assert any(shape.role is Role.GROUND for shape in shapes[0])
