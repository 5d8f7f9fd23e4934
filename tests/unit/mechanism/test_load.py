import copy
import gc
import os
import pickle
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.errors import NameNotFoundError, RaffError, UsageError
from kinegen.formats.load import load
from kinegen.joint_types import JointType
from kinegen.mechanism.graph import Mechanism, PlacementKind
from kinegen.mechanism.load import library_file, library_names

EVERYTHING = Path(__file__).parents[1] / "raff" / "everything.raff"
ARM = """raff: 1
name: arm
parameters: {len: 0.2}
base: {mass: 3}
joints:
  - {name: A, parent: base, d: len}
  - {name: B, parent: A, d: len, shape: part.stl}
frames:
  - {name: tip, parent: B, d: len}
sensors:
  - {name: eye, type: pose, parent: tip}
"""


def one(row: str) -> Mechanism:
    return load(f"raff: 1\nparameters: {{p: 0.3}}\njoints:\n  - {{name: J, parent: base, {row}}}\n")


def numbers(formulas: object) -> object:
    """The values of nested formulas."""
    if isinstance(formulas, (tuple, list)):
        return [numbers(formula) for formula in formulas]
    return getattr(formulas, "value", formulas)


@pytest.mark.parametrize("name", library_names())
def test_library_mechanisms_load(name: str) -> None:
    mechanism = load(name)
    assert mechanism.name == name
    assert mechanism.joints


def test_sources_are_names_paths_and_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "my arm.raff"
    file.write_text(ARM.replace("name: arm\n", ""), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert load(file) == load(str(file)) == load("my arm.raff") != load(ARM)
    assert load(file).name == "my-arm"
    assert load(ARM).name == "arm"
    assert load("raff: 1").name == "text"
    assert load("five-bar") == load(library_file("five-bar"))
    os.rename(file, tmp_path / "1.raff")
    assert load("1.raff").name == "mechanism"


def test_unknown_names_get_help(tmp_path: Path) -> None:
    with pytest.raises(NameNotFoundError, match="did you mean 'five-bar'"):
        load("five-brr")
    with pytest.raises(NameNotFoundError, match="library: 3-rrr, a255"):
        load("zzzzzzzz")
    with pytest.raises(NameNotFoundError, match="does not exist"):
        load(tmp_path / "no.raff")
    with pytest.raises(NameNotFoundError, match="did you mean"):
        library_file("fivebar")
    with pytest.raises(NameNotFoundError):
        library_file("../load")
    for strange in ("x" * 100_000, "a\0b", "", "{raff: 1}", "/" * 5000):
        with pytest.raises((NameNotFoundError, UsageError)):
            load(strange)
    with pytest.raises(UsageError, match="is a folder"):
        load(tmp_path)


def test_problems_carry_the_files_name(tmp_path: Path) -> None:
    file = tmp_path / "bad.raff"
    file.write_bytes(b"raff: 1\nname: \xff\n")
    with pytest.raises(RaffError, match=r"bad\.raff:2:7: byte 0xff"):
        load(file)


def test_the_text_comes_along() -> None:
    mechanism = load(ARM)
    assert mechanism.document is not None and mechanism.document.text == ARM


def test_garbage_collection_is_as_before() -> None:
    load(ARM)
    assert gc.isenabled()
    gc.disable()
    try:
        load(ARM)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_placements_of_both_kinds() -> None:
    kleinfinger = one("gamma: 1, b: 2, alpha: 3, d: 4, theta: 5, r: 6").joints["J"].placement
    assert kleinfinger.kind is PlacementKind.KLEINFINGER
    assert numbers(kleinfinger.numbers) == [1, 2, 3, 4, 5, 6]
    pose = one("rpy: [4, 5, 6]").joints["J"].placement
    assert pose.kind is PlacementKind.POSE
    assert numbers(pose.numbers) == [0, 0, 0, 4, 5, 6]


@pytest.mark.parametrize(
    ("row", "start"),
    [
        ("start: 1", [1]),
        ("type: universal, start: [1, 2]", [1, 2]),
        ("type: planar, start: [1, 2, 3]", [1, 2, 3]),
        ("type: spherical, start: [0, 0, 180 deg]", [0, 0, 0, 1]),
        ("type: spherical, start: [0, 0.6, 0.8, 0]", [0, 0.6, 0.8, 0]),
        ("type: free, start: {xyz: [1, 2, 3]}", [1, 0, 0, 0, 1, 2, 3]),
        ("type: free, start: {rpy: [180 deg, 0, 0]}", [0, 1, 0, 0, 0, 0, 0]),
        ("type: free, start: {quat: [0, 1, 0, 0], xyz: [1, 0, 0]}", [0, 1, 0, 0, 1, 0, 0]),
        ("d: 1", []),
        ("limits: [-1, 1]", []),
    ],
)
def test_starts_are_coordinates(row: str, start: list[float]) -> None:
    assert numbers(one(row).joints["J"].start) == pytest.approx(start, abs=1e-15)


def test_roll_pitch_yaw_is_yaw_after_pitch_after_roll() -> None:
    """R = Rz(yaw) Ry(pitch) Rx(roll), as a product of the three half-angle quaternions."""
    w, x, y, z = numbers(one("type: spherical, start: [0.3, 0.5, 0.7]").joints["J"].start)  # type: ignore[misc]
    # Expected from scipy.spatial.transform.Rotation.from_euler("ZYX", [0.7, 0.5, 0.3]).
    assert [w, x, y, z] == pytest.approx(
        [0.9126271390, 0.0521324109, 0.2794438941, 0.2937771723], abs=1e-9
    )


@pytest.mark.parametrize(
    ("row", "limits"),
    [
        ("limits: [-1, p]", [[-1, None]]),
        ("limits: none", []),
        ("type: cylindrical, limits: [none, [0, 2 mm]]", [None, [0, 0.002]]),
        ("type: spherical, limits: 0.5", [[0, 0.5]]),
    ],
)
def test_limits_per_variable(row: str, limits: list[object]) -> None:
    assert numbers(one(row).joints["J"].limits) == limits


def test_motors_per_variable() -> None:
    assert one("motor: true").joints["J"].motors == ({},)
    assert one("motor: false").joints["J"].motors == ()
    assert one("d: 1").joints["J"].has_motor is False
    both = one("type: universal, motor: {torque: 2}").joints["J"]
    assert len(both.motors) == 2 and both.motors[0] == both.motors[1]
    some = one("type: universal, motor: [none, {speed: 1, mode: velocity}]").joints["J"]
    assert some.motors[0] is None and some.has_motor
    assert some.motors[1] is not None and some.motors[1]["mode"] == "velocity"


def test_link_properties() -> None:
    link = one("mass: 2, centre: [1, 0, 0], inertia: [1, 2, 3], color: red").joints["J"].link
    assert numbers(link.inertia) == [1, 2, 3, 0, 0, 0]
    assert link.mass is not None and link.mass.value == 2 and link.color == "red"
    assert link.shape == "auto" and link.density is None
    shape = one("shape: [{box: [1, 2, p]}, tool.stl]").joints["J"].link.shape
    assert shape[1] == "tool.stl" and shape[0]["box"][2].text == "p"


def test_a_robot_is_flattened(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.raff").write_text(ARM, encoding="utf-8")
    text = """raff: 1
parameters: {w: 0.5}
robots:
  - {name: left, include: parts/arm.raff, at: {xyz: [w, 0, 0]}, parameters: {len: w/2}}
  - {name: right, include: ./parts/arm.raff, at: {parent: left.tip}}
  - {name: top, include: parts/arm.raff, at: {parent: right.tip, d: 1}}
joints:
  - {name: tool, parent: right.B, d: left.len}
"""
    mechanism = load(text, folder=tmp_path)
    joints = mechanism.joints
    assert joints["left"].type is JointType.FIXED and joints["left"].parent == "base"
    assert numbers(joints["left"].link.mass) == 3
    assert joints["left.A"].parent == "left" and joints["left.B"].parent == "left.A"
    assert joints["left.A"].placement.numbers[3].text == "left.len"
    assert mechanism.parameters["left.len"].formula.text == "w/2"
    assert mechanism.parameters["right.len"].formula.value == 0.2
    assert joints["right"].parent == "left.tip" and mechanism.link_of("left.tip") == "left.B"
    assert joints["top"].parent == "right.tip"
    assert joints["tool"].parent == "right.B"
    assert mechanism.frames["left.tip"].parent == "left.B"
    assert joints["left.B"].link.shape == "parts/part.stl"
    assert [s["name"] for s in mechanism.scene["sensors"]] == ["left.eye", "right.eye", "top.eye"]
    assert mechanism.scene["sensors"][1]["parent"] == "right.tip"


def test_robots_within_robots(tmp_path: Path) -> None:
    (tmp_path / "arm.raff").write_text(ARM, encoding="utf-8")
    row = "{name: one-arm, include: arm.raff, parameters: {len: 2*k}}"
    pair = f"raff: 1\nparameters: {{k: 0.1}}\nrobots:\n  - {row}\n"
    (tmp_path / "pair.raff").write_text(pair, encoding="utf-8")
    mechanism = load("raff: 1\nrobots:\n  - {name: m, include: pair.raff}\n", folder=tmp_path)
    assert mechanism.joints["m.one-arm.B"].parent == "m.one-arm.A"
    assert mechanism.parameters["m.one-arm.len"].formula.text == "2*m.k"
    assert mechanism.joints["m.one-arm.A"].placement.numbers[3].names == {"m.one-arm.len"}
    mechanism.set_parameter("m.one-arm.len", 0.7)
    assert mechanism.to_raff().endswith("include: pair.raff, parameters: {one-arm.len: 0.7}}\n")
    assert load(mechanism.to_raff(), folder=tmp_path) == mechanism


def test_a_text_alone_includes_only_the_library(tmp_path: Path) -> None:
    (tmp_path / "arm.raff").write_text(ARM, encoding="utf-8")
    good = load("raff: 1\nrobots:\n  - {name: r, include: five-bar}\n")
    assert "r.A" in good.joints
    for include, message in (
        (tmp_path / "arm.raff", "can only include library mechanisms"),
        ("five-brr", "neither in the library; did you mean 'five-bar'"),
    ):
        with pytest.raises(RaffError, match=message):
            load(f"raff: 1\nrobots:\n  - {{name: r, include: {include}}}\n")


def test_missing_and_strange_include_files(tmp_path: Path) -> None:
    for include, message in (
        ("no.raff", "there is no such file"),
        ('"a\\0.raff"', "must not contain control characters"),
        ('"' + "x" * 5000 + '.raff"', "cannot include"),
    ):
        with pytest.raises(RaffError, match=message):
            load(f"raff: 1\nrobots:\n  - {{name: r, include: {include}}}\n", folder=tmp_path)


def test_files_that_include_each_other(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        text = f"raff: 1\nrobots:\n  - {{name: r, include: {other}.raff}}\n"
        (tmp_path / f"{name}.raff").write_text(text, encoding="utf-8")
    with pytest.raises(RaffError, match=r"files include each other: .*a\.raff -> .*b\.raff -> .*a"):
        load(tmp_path / "a.raff")


def test_everything_loads() -> None:
    mechanism = load(EVERYTHING)
    assert set(mechanism.scene) == {
        "springs",
        "objects",
        "lights",
        "people",
        "sensors",
        "agents",
        "pulls",
        "devices",
        "motions",
    }
    assert mechanism.scene["agents"][0]["options"]["words"] == ["a", "5", None, True]
    assert mechanism.frames["tool"].note == "where it works"


def test_ten_thousand_joints_load() -> None:
    parents = ["base", *(f"J{i}" for i in range(10_000))]
    rows = "".join(
        f"  - {{name: J{i}, parent: {parents[i]}, d: {i}e-5, alpha: {i % 180} deg}}\n"
        for i in range(10_000)
    )
    mechanism = load(f"raff: 1\njoints:\n{rows}")
    assert len(mechanism.joints) == 10_000
    assert mechanism.joints["J9999"].parent == "J9998"


def test_what_a_model_has_is_not_sought_in_a_mechanism() -> None:
    mechanism = kg.load("ur5e")
    with pytest.raises(AttributeError, match=r"compiled model.*'ur5e': mechanism.compile\(\)"):
        _ = mechanism.nq  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="has no attribute 'colour'"):
        _ = mechanism.colour
    copied = pickle.loads(pickle.dumps(copy.deepcopy(mechanism)))
    assert copied.name == "ur5e" and not hasattr(copied, "_nothing")
