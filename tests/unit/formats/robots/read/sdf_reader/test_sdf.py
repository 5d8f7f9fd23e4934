"""SDF files: frames, nested and included models, every type of joint, loops, what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg

BODY = (
    "<inertial><mass>1</mass><inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial>"
)


def sdf(inner: str, version: str = "1.9") -> str:
    return f"<sdf version='{version}'><model name='robot'>\n{inner}\n</model></sdf>\n"


def link(name: str, pose: str = "", inner: str = "") -> str:
    return f"<link name='{name}'>{pose and f'<pose>{pose}</pose>'}{BODY}{inner}</link>"


def joint(name: str, kind: str, parent: str, child: str, inner: str = "") -> str:
    return (
        f"<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>"
        f"{inner}</joint>"
    )


def axis(xyz: str, inner: str = "", tag: str = "axis") -> str:
    return f"<{tag}><xyz>{xyz}</xyz>{inner}</{tag}>"


def test_poses_are_relative_to_what_they_name() -> None:
    text = sdf(
        link("a", "0 0 1 0 0 0")
        + "<link name='b'><pose relative_to='tip' degrees='true'>0 0 0.5 0 0 90</pose></link>"
        + "<frame name='tip' attached_to='a'><pose>0.25 0 0 0 0 0</pose></frame>"
        + joint("J", "revolute", "a", "b", axis("0 0 1"))
        + joint("G", "fixed", "world", "a")
    )
    mechanism = kg.load(text, format="sdf")
    poses = kg.poses(mechanism.compile(), {"J": 0.3})
    np.testing.assert_allclose(poses["tip"].translation, [0.25, 0, 1], atol=1e-15)
    np.testing.assert_allclose(poses["b"].translation, [0.25, 0, 1.5], atol=1e-15)
    turn = kg.SO3.from_rpy(0, 0, math.pi / 2 + 0.3)
    np.testing.assert_allclose(poses["b"].so3.matrix, turn.matrix, atol=1e-15)
    assert any("link 'b' has no <inertial>" in one.message for one in mechanism.remarks)


@pytest.mark.parametrize(
    ("version", "extra", "expected"),
    [
        ("1.4", "", [0, 1, 0]),  # in the model's axes
        ("1.6", "", [0, 0, 1]),  # in the joint's, which are the child's
        ("1.6", "<use_parent_model_frame>1</use_parent_model_frame>", [0, 1, 0]),
        ("1.9", "", [0, 0, 1]),
    ],
)
def test_axes_are_in_the_frame_that_the_version_says(
    version: str, extra: str, expected: list[float]
) -> None:
    text = sdf(
        link("a", f"0 0 0 {math.pi / 2} 0 0")
        + joint("J", "revolute", "world", "a", axis("0 1 0", extra)),
        version,
    )
    J = kg.jacobian(kg.load(text, format="sdf").compile(), [0.0], "a")
    np.testing.assert_allclose(J[3:, 0], expected, atol=1e-15)


def test_axes_expressed_in_another_frame() -> None:
    turned = axis("1 0 0").replace("<xyz>", "<xyz expressed_in='f'>")
    text = sdf(
        link("a")
        + f"<frame name='f'><pose>0 0 0 0 0 {math.pi / 2}</pose></frame>"
        + joint("J", "prismatic", "world", "a", turned)
    )
    J = kg.jacobian(kg.load(text, format="sdf").compile(), [0.0], "a")
    np.testing.assert_allclose(J[:3, 0], [0, 1, 0], atol=1e-15)


def test_every_type_of_joint() -> None:
    limits = "<limit><lower>-1</lower><upper>2</upper><effort>30</effort></limit>"
    text = sdf(
        "".join(link(name) for name in "abcdef")
        + joint("slide", "prismatic", "world", "a", axis("1 0 0", limits))
        + joint("spindle", "screw", "a", "b",
                axis("0 0 1") + "<screw_thread_pitch>0.01</screw_thread_pitch>")
        + joint("cardan", "universal", "b", "c",
                axis("0 0 1", limits) + axis("0 1 0", tag="axis2"))
        + joint("steered", "revolute2", "c", "d", axis("0 0 1") + axis("0 1 0", tag="axis2"))
        + joint("socket", "ball", "d", "e")
        + joint("rest", "fixed", "e", "f"),
        "1.10",
    )  # fmt: skip
    mechanism = kg.load(text, format="sdf")
    model = mechanism.compile()
    types = {name: one.type.value for name, one in mechanism.joints.items()}
    assert types == {
        "slide": "prismatic", "spindle": "screw", "cardan": "universal", "steered": "revolute",
        "steered_2": "revolute", "socket": "spherical", "rest": "fixed",
    }  # fmt: skip
    q = kg.configuration(model, {"spindle": 2 * math.pi, "cardan": [0.3, 0.4],
                                 "steered": 0.5, "steered_2": 0.6})  # fmt: skip
    poses = kg.poses(model, q)
    np.testing.assert_allclose(poses["b"].translation, [0, 0, 0.01], atol=1e-15)
    R = kg.SO3.exp([0, 0, 0.3]) @ kg.SO3.exp([0, 0.4, 0])
    np.testing.assert_allclose(poses["c"].so3.matrix, R.matrix, atol=1e-14)
    R = R @ kg.SO3.exp([0, 0, 0.5]) @ kg.SO3.exp([0, 0.6, 0])
    np.testing.assert_allclose(poses["d"].so3.matrix, R.matrix, atol=1e-14)
    slide = model.joint("slide")
    assert (model.lower[slide.v.start], model.upper[slide.v.start]) == (-1, 2)
    assert slide.has_motor and not model.joint("spindle").has_motor


def test_old_screws_are_left_handed_in_radians_per_metre() -> None:
    text = sdf(link("a") + joint("S", "screw", "world", "a", "<thread_pitch>-100</thread_pitch>"))
    mechanism = kg.load(text, format="sdf")
    assert mechanism.joints["S"].pitch is not None
    assert mechanism.joints["S"].pitch.value == pytest.approx(math.tau / 100)


def test_a_second_joint_onto_a_link_closes_a_loop() -> None:
    z = axis("0 0 1")
    text = sdf(
        link("crank", "0 0 0 0 0 1.5707963267948966")
        + link("coupler", "0 1 0 0 0 0")
        + link("rocker", "1 0 0 0 0 1.5707963267948966")
        + joint("A", "revolute", "world", "crank", z)
        + joint("B", "revolute", "crank", "coupler", z)
        + joint("D", "revolute", "world", "rocker", z)
        + joint("C", "revolute", "coupler", "rocker", f"<pose>1 0 0 0 0 0</pose>{z}")
    )
    mechanism = kg.load(text, format="sdf")
    model = mechanism.compile()
    assert mechanism.joints["C"].closes is not None and len(model.loops) == 1
    np.testing.assert_allclose(kg.assemble(model).q, model.start(), atol=1e-9)  # closed as it is
    assert kg.mobility(model).finite == 1
    assert kg.assemble(model, {"A": 0.3}, locked=["A"]).gap < 1e-9


def test_a_joint_towards_the_ground_is_turned_around() -> None:
    """The leg is the parent of its joint with the foot, and only the foot is on the ground."""
    text = sdf(
        link("leg", "0 0 1 0 0 0") + link("foot")
        + joint("sole", "fixed", "world", "foot")
        + joint("ankle", "revolute", "leg", "foot", axis("0 1 0"))
    )  # fmt: skip
    model = kg.load(text, format="sdf").compile()
    assert not model.loops
    # the foot turns by +q about y seen from the leg, so the leg by -q seen from the foot
    X = kg.pose(model, {"ankle": 0.4}, "leg")
    np.testing.assert_allclose(X.so3.matrix, kg.SO3.exp([0, -0.4, 0]).matrix, atol=1e-15)


def test_models_float_unless_they_are_static_or_held() -> None:
    text = "<sdf version='1.6'><world name='w'><gravity>0 0 -1.6</gravity>" + "".join(
        f"<model name='{name}'><pose>{x} 0 0 0 0 0</pose>{static}{link('body')}</model>"
        for name, x, static in (("a", 1, ""), ("b", 2, "<static>true</static>"))
    )
    text += "</world></sdf>\n"
    mechanism = kg.load(text, format="sdf")
    model = mechanism.compile()
    assert [one.type.value for one in mechanism.joints.values()] == ["free"]
    assert model.nv == 6 and model.gravity.tolist() == [0, 0, -1.6]
    places = {X.translation[0] for X in kg.poses(model, model.start()).values()}
    assert places == {0, 1, 2}
    assert kg.load(text, format="sdf", options={"base": "fixed"}).compile().nv == 0


def test_included_and_nested_models(tmp_path: Path) -> None:
    home = tmp_path / "models" / "wheel"
    home.mkdir(parents=True)
    (home / "model.config").write_text(
        "<model><name>w</name><sdf version='1.9'>wheel-9.sdf</sdf></model>"
    )
    (home / "tyre.stl").write_bytes(b"solid\nendsolid\n")
    shape = "<visual name='v'><geometry><mesh><uri>tyre.stl</uri></mesh></geometry></visual>"
    (home / "wheel-9.sdf").write_text(
        f"<sdf version='1.9'><model name='wheel'>{link('rim', '0 0.1 0 0 0 0', shape)}"
        "<frame name='hub' attached_to='rim'><pose>0 0 0.2 0 0 0</pose></frame></model></sdf>"
    )
    file = tmp_path / "models" / "car.sdf"
    file.write_text(
        sdf(
            link("body", "0 0 1 0 0 0")
            + "<include><uri>model://wheel</uri><name>left</name><placement_frame>hub"
            "</placement_frame><pose relative_to='body'>0 1 0 0 0 0</pose></include>"
            + joint("axle", "continuous", "body", "left::rim", axis("0 1 0"))
            + joint("G", "fixed", "world", "body")
        )
    )
    mechanism = kg.load(file)
    poses = kg.poses(mechanism.compile(), {"axle": 0.0})
    (hub,) = (name for name in poses if "hub" in name)
    np.testing.assert_allclose(poses[hub].translation, [0, 1, 1], atol=1e-15)
    assert mechanism.joints["axle"].link.shape[0]["mesh"] == "wheel/tyre.stl"


def test_cyclic_includes_are_refused_with_their_chain(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.sdf").write_text(
            sdf(link("l") + f"<include><uri>model://{other}</uri></include>")
        )
    with pytest.raises(kg.errors.KinegenError, match=r"the file includes itself: .*b/model.sdf → "):
        kg.load(tmp_path / "a" / "model.sdf")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<robot/>", "the root of an SDF file is <sdf>"),
        (sdf("", "2"), "'2' is not a version of SDF"),
        (sdf(""), "the file has no links"),
        (sdf(link("a") + link("a")), "two links are called 'a'"),
        (sdf(link("world")), "the name 'world' is reserved"),
        (sdf(link("a", "0 0 0")), "<pose> must be 6 numbers, not '0 0 0'"),
        (sdf(link("a", "0 0 nan 0 0 0")), "<pose> must be 6 numbers"),
        (sdf(link("a") + joint("j", "hinge", "world", "a")), "unknown type 'hinge'"),
        (sdf(link("a") + joint("j", "fixed", "world", "b")), "names 'b', which is not in model"),
        (sdf(link("a") + "<joint name='j' type='fixed'><child>a</child></joint>"), "no <parent>"),
        (sdf(link("a") + joint("j", "revolute", "world", "a", axis("0 0 0"))), "has length 0"),
        (sdf(link("a") + joint("j", "fixed", "a", "a")), "connects 'a' with itself"),
        (
            sdf("<link name='a'><pose relative_to='b'/></link>"
                "<link name='b'><pose relative_to='a'/></link>"),
            "depends on itself",
        ),
        (
            sdf(link("a") + "<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>"),
            "itself",
        ),
        (sdf("<include><uri>model://gone</uri></include>"), "model 'model://gone' was not found"),
        (sdf(link("a", inner="<inertial/>").replace("<mass>1", "<mass>-1")), "is -1 kg"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_with_the_place(text: str, said: str) -> None:
    with pytest.raises(kg.errors.KinegenError) as caught:
        kg.load(text + "\n", format="sdf")
    assert said in str(caught.value) and str(caught.value).startswith("text:")


def test_long_chains_of_frames_do_not_overflow() -> None:
    links = [link("l0")] + [
        f"<link name='l{i}'><pose relative_to='l{i - 1}'>0 0 1 0 0 0</pose></link>"
        for i in range(1, 3000)
    ]
    joints = [joint(f"j{i}", "fixed", f"l{i - 1}", f"l{i}") for i in range(1, 3000)]
    text = sdf("".join(reversed(links)) + "".join(joints) + joint("g", "fixed", "world", "l0"))
    model = kg.load(text, format="sdf").compile()
    np.testing.assert_allclose(kg.pose(model, [], "l2999").translation, [0, 0, 2999])


def arm_file(folder: Path, name: str = "upper") -> None:
    folder.mkdir(parents=True)
    (folder / "bar.stl").write_bytes(b"solid\nendsolid\n")
    shape = "<visual name='v'><geometry><mesh><uri>bar.stl</uri></mesh></geometry></visual>"
    (folder / "model.sdf").write_text(
        f"<sdf version='1.9'><model name='arm'>{link(name, '0 0.1 0 0 0 0', shape)}"
        f"<frame name='end' attached_to='{name}'><pose>0 0 0.2 0 0 0</pose></frame>"
        + link("fore", "0 0.1 0.5 0 0 0")
        + joint("elbow", "revolute", name, "fore", axis("1 0 0"))
        + "</model></sdf>"
    )


def test_merged_models_share_the_names_of_their_parent(tmp_path: Path) -> None:
    """SDF 1.9: links, joints and frames of a merged model are the including model's own."""
    arm_file(tmp_path / "arm")
    file = tmp_path / "robot.sdf"
    rest = (
        link("body", "0 0 1 0 0 0")
        + "<include merge='true'><uri>arm</uri>"
        + "<pose relative_to='body'>0 1 0 0 0 0</pose></include>"
        + "<frame name='eye' attached_to='fore'><pose relative_to='end'>0 0 1 0 0 0</pose></frame>"
        + joint("shoulder", "revolute", "body", "upper", axis("0 0 1"))
        + joint("G", "fixed", "world", "body")
    )
    file.write_text(sdf(rest))
    mechanism = kg.load(file)
    assert mechanism.remarks == ()
    poses = kg.poses(mechanism.compile(), {"elbow": 0.0, "shoulder": 0.0})
    np.testing.assert_allclose(poses["end"].translation, [0, 1.1, 1.2], atol=1e-15)
    np.testing.assert_allclose(poses["eye"].translation, [0, 1.1, 2.2], atol=1e-15)
    assert mechanism.joints["shoulder"].link.shape[0]["mesh"] == "arm/bar.stl"
    arm_file(tmp_path / "other", "body")
    file.write_text(sdf(rest.replace("<uri>arm", "<uri>other").replace(">upper<", ">fore<")))
    with pytest.raises(
        kg.errors.KinegenError, match=r"other/model\.sdf:1:\d+: two parts of 'robot'"
    ):
        kg.load(file)


GEARS = (
    link("frame")
    + link("small", "1 0 0 0 0 0")
    + link("large", "0 0 0 0 0 0")
    + joint("G", "fixed", "world", "frame")
    + joint("S", "revolute", "frame", "small", axis("0 0 -1"))
    + joint("L", "revolute", "large", "frame", axis("0 0 1"))
)


@pytest.mark.parametrize(("along", "sign"), [("0 0 1", 1.0), ("0 0 -1", -1.0)])
def test_gearboxes_are_relations(along: str, sign: float) -> None:
    """The child's angle about axis2 is -ratio times the parent's about axis, in the frame."""
    inner = (
        axis("0 0 1")
        + axis(along, tag="axis2")
        + "<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>frame</gearbox_reference_body>"
    )
    text = sdf(GEARS + joint("mesh", "gearbox", "large", "small", inner))
    mechanism = kg.load(text, format="sdf")
    assert mechanism.remarks == ()
    q = kg.assemble(mechanism, {"L": 0.2}, locked=["L"]).q
    poses = kg.poses(mechanism, q)
    large, small = (poses[name].so3.log()[2] for name in ("large", "small"))
    assert large == pytest.approx(-0.2, abs=1e-12)  # L turns the frame against the large wheel
    assert sign * small == pytest.approx(-3 * large, abs=1e-9)


def test_gearboxes_without_hinges_are_listed() -> None:
    inner = "<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>frame</gearbox_reference_body>"
    text = sdf(GEARS + joint("mesh", "gearbox", "large", "small", inner + axis("1 0 0")))
    (remark,) = kg.load(text, format="sdf").remarks
    assert "gearbox 'mesh': no hinge along its <axis> connects 'large' with" in remark.message
    bad = text.replace("<gearbox_reference_body>frame</gearbox_reference_body>", "")
    with pytest.raises(kg.errors.KinegenError, match="'mesh' has no <gearbox_reference_body>"):
        kg.load(bad, format="sdf")
