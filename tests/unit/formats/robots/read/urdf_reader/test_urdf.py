"""URDF files: what is carried over, what is listed, what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg

ARM = """<?xml version="1.0"?>
<robot name="Two Bars">
  <material name="steel"><color rgba="0.5 0.5 1 1"/></material>
  <link name="base_link"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.2" rpy="0 0 1.5707963267948966"/>
      <mass value="2"/><inertia ixx="0.1" iyy="0.2" izz="0.3" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual>
      <origin xyz="0 0 0.2"/><geometry><box size="0.1 0.1 0.4"/></geometry>
      <material name="steel"/>
    </visual>
    <collision><geometry><sphere radius="0.3"/></geometry></collision>
  </link>
  <link name="fore"><inertial><mass value="1"/></inertial></link>
  <link name="tip"/>
  <joint name="shoulder" type="revolute">
    <parent link="base_link"/><child link="upper"/>
    <origin xyz="0 0 1"/><axis xyz="0 2 0"/>
    <limit lower="-1" upper="2" effort="30" velocity="3"/>
    <dynamics damping="0.5" friction="0.2"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="upper"/><child link="fore"/>
    <origin xyz="0 0 0.4"/><limit lower="0" upper="0.5" effort="100" velocity="1"/>
  </joint>
  <joint name="end" type="fixed">
    <parent link="fore"/><child link="tip"/><origin xyz="0 0 0.1" rpy="0 0.3 0"/>
  </joint>
  <gazebo reference="tip"/>
  <transmission name="t"/>
</robot>
"""


def test_poses_masses_limits_motors_and_shapes() -> None:
    mechanism = kg.load(ARM, format="urdf")
    model = mechanism.compile()
    assert mechanism.name == "two-bars" and mechanism.title == "Two Bars"
    assert [joint.name for joint in model.joints] == ["shoulder", "slide"]
    q = [0.7, 0.2]
    poses = kg.poses(model, q)
    # the slider's axis is x, URDF's default
    turn = kg.SO3.exp([0, 0.7, 0])
    np.testing.assert_allclose(poses["base_link"].matrix, np.eye(4))
    np.testing.assert_allclose(poses["upper"].so3.matrix, turn.matrix, atol=1e-15)
    fore = np.array([0, 0, 1]) + turn.apply([0.2, 0, 0.4])
    np.testing.assert_allclose(poses["fore"].translation, fore, atol=1e-15)
    tip = fore + turn.apply([0, 0, 0.1])
    np.testing.assert_allclose(poses["tip"].translation, tip, atol=1e-15)
    np.testing.assert_allclose(
        poses["tip"].so3.matrix, (turn @ kg.SO3.exp([0, 0.3, 0])).matrix, atol=1e-15
    )
    # about the hinge: iyy of the turned inertia is ixx of the file
    expected = 0.1 + 2 * 0.2**2 + 1 * (0.2**2 + 0.4**2)
    assert kg.dynamics.mass_matrix(model, q)[0, 0] == pytest.approx(expected)
    assert (model.lower[0], model.upper[0], model.effort[0], model.speed[0]) == (-1, 2, 30, 3)
    assert mechanism.joints["shoulder"].friction is not None
    assert mechanism.joints["shoulder"].link.color == "#8080ff"


def test_the_same_after_writing_it_as_raff() -> None:
    mechanism = kg.load(ARM, format="urdf")
    again = kg.load(mechanism.to_raff())
    model, other = mechanism.compile(), again.compile()
    q = [0.3, 0.1]
    assert model.site_names == other.site_names
    np.testing.assert_allclose(kg.forward(model, q), kg.forward(other, q), atol=1e-14)
    np.testing.assert_allclose(
        kg.dynamics.mass_matrix(model, q), kg.dynamics.mass_matrix(other, q), rtol=1e-13
    )


def test_what_is_not_carried_over_is_listed_with_its_place() -> None:
    mechanism = kg.load(ARM, format="urdf")
    listed = {(one.line, one.message) for one in mechanism.remarks}
    assert listed == {
        (31, "not carried over: <gazebo> in <robot>"),
        (32, "not carried over: <transmission> in <robot>"),  # it names no joint
    }
    assert mechanism.to_raff().startswith("# text:31: not carried over: <gazebo> in <robot>\n")


def robot(inner: str) -> str:
    return f'<robot name="r">\n<link name="a"/><link name="b"/>\n{inner}\n</robot>'


JOINT = '<joint name="j" type="{}"><parent link="{}"/><child link="{}"/>{}</joint>'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<robot name='r'>", "2:1: this is not well-formed XML: no element found"),
        ("<robot><link name='a'></robot>", "not well-formed XML: mismatched tag"),
        ("<sdf/>", "the root of a URDF file is <robot>, not <sdf>"),
        ("<robot name='r'/>", "the robot has no links"),
        ('<!DOCTYPE x [<!ENTITY e "ha">]>\n<robot/>', "1:14: the file declares the entity 'e'"),
        (robot(""), "link 'b' is not connected to the robot, whose root is 'a'"),
        (robot('<link name="a"/>'), "3:1: two links are called 'a'"),
        (robot(JOINT.format("revolut", "a", "b", "")), "unknown type 'revolut'; did you mean"),
        (robot(JOINT.format("fixed", "a", "c", "")), "joint 'j': there is no link 'c'"),
        (robot('<joint name="j" type="fixed"><parent link="a"/></joint>'), "has no <child link="),
        (robot(JOINT.format("fixed", "a", "b", '<origin xyz="1 2"/>')), "must be 3 numbers"),
        (robot(JOINT.format("fixed", "a", "b", '<origin xyz="1 2 nan"/>')), "must be 3 numbers"),
        (robot(JOINT.format("prismatic", "a", "b", '<axis xyz="0 0 0"/>')), "has length 0"),
        (
            robot(JOINT.format("fixed", "a", "b", "") + JOINT.format("fixed", "a", "b", "")),
            "two joints are called 'j'",
        ),
        (
            robot(
                JOINT.format("fixed", "a", "b", "")
                + JOINT.replace('"j"', '"k"').format("fixed", "b", "a", "")
            ),
            "the links form a cycle",
        ),
        (
            robot(
                '<link name="c"/>'
                + JOINT.format("fixed", "b", "c", "")
                + JOINT.replace('"j"', '"k"').format("fixed", "c", "b", "")
            ),
            "is its own ancestor",
        ),
        (
            '<robot name="r"><link name="a"><inertial><mass value="-1"/></inertial></link></robot>',
            "the mass of link 'a' is -1 kg",
        ),
        (
            '<robot name="r"><link name="a"><inertial><mass value="x"/></inertial></link></robot>',
            'value="x" in <mass> is not a number',
        ),
    ],
)
def test_bad_files_are_refused_with_the_place(text: str, said: str) -> None:
    with pytest.raises(kg.errors.KinegenError) as caught:
        kg.load(text + "\n", format="urdf")
    assert said in str(caught.value)


def test_all_problems_are_reported_at_once() -> None:
    text = robot(JOINT.format("a", "x", "y", "") + JOINT.format("b", "a", "b", ""))
    with pytest.raises(kg.errors.KinegenError) as caught:
        kg.load(text, format="urdf")
    assert len(str(caught.value).splitlines()) == 4


def test_links_keep_their_names_and_a_joint_of_the_same_name_is_listed() -> None:
    text = (
        '<robot name="r">\n<link name="world"/><link name="base"/><link name="1/tool.x"/>'
        + JOINT.format("continuous", "world", "base", '<axis xyz="0 0 1"/>')
        + '<joint name="base" type="continuous"><parent link="base"/><child link="1/tool.x"/>'
        + '<axis xyz="0 0 1"/></joint></robot>'
    )
    mechanism = kg.load(text, format="urdf")
    assert mechanism.base_name == "world"
    assert set(mechanism.frames) == {"base", "1/tool.x"}
    assert set(mechanism.joints) == {"j", "base_joint"}
    messages = [one.message for one in mechanism.remarks]
    assert any("the name of joint 'base', which is 'base_joint' here" in one for one in messages)
    assert kg.load(mechanism.to_raff()) == mechanism
    assert mechanism.compile().link_names[0] == "world"


def test_a_name_that_raff_cannot_hold_is_changed_and_listed() -> None:
    text = '<robot name="r">\n<link name="a=b, c"/></robot>'
    mechanism = kg.load(text, format="urdf")
    assert mechanism.base_name == "a_b_ c"
    assert "the name of link 'a=b, c', which is 'a_b_ c' here" in mechanism.remarks[0].message


def test_mimic_joints_follow() -> None:
    mimic = '<mimic joint="j" multiplier="-0.5" offset="0.2"/>'
    text = robot(JOINT.format("continuous", "a", "b", "")).replace(
        "</robot>",
        '<link name="c"/><joint name="k" type="continuous"><parent link="a"/><child link="c"/>'
        f'<axis xyz="0 0 1"/>{mimic}</joint></robot>',
    )
    mechanism = kg.load(text, format="urdf")
    follows = mechanism.joints["k"].follows
    assert follows is not None and follows.joint == "j"
    assert (follows.ratio.value, follows.offset.value) == (-0.5, 0.2)
    model = mechanism.compile()
    assert kg.mobility(model).finite == 1
    assert kg.load(mechanism.to_raff()).joints["k"].follows == follows


def test_couplings_that_cannot_hold_are_listed() -> None:
    text = robot(JOINT.format("continuous", "a", "b", '<mimic joint="j" multiplier="-1"/>'))
    (remark,) = kg.load(text, format="urdf").remarks
    assert "the coupling of joint 'j'" in remark.message and remark.line == 3


def test_meshes_of_packages_are_found(tmp_path: Path) -> None:
    folder = tmp_path / "my_robot"
    for name in ("urdf", "meshes"):
        (folder / name).mkdir(parents=True)
    (folder / "meshes" / "arm part.stl").write_bytes(b"solid\nendsolid\n")
    mesh = '<mesh filename="{}" scale="0.001 0.001 0.001"/>'
    geometry = f"<visual><geometry>{mesh}</geometry></visual>"
    names = ["package://my_robot/meshes/arm%20part.stl", "../meshes/arm part.stl", "gone.stl"]
    links = [f'<link name="l{i}">{geometry.format(name)}</link>' for i, name in enumerate(names)]
    joints = [
        JOINT.replace('"j"', f'"j{i}"').format("fixed", f"l{i}", f"l{i + 1}", "") for i in (0, 1)
    ]
    file = folder / "urdf" / "arm.urdf"
    file.write_text(f'<robot name="r">\n{"".join(links + joints)}\n</robot>')
    mechanism = kg.load(file)
    shapes = [mechanism.base.shape[0], mechanism.joints["j0"].link.shape[0]]
    assert [one["mesh"] for one in shapes] == ["../meshes/arm part.stl"] * 2
    assert math.isclose(shapes[0]["scale"].value, 0.001)
    assert [one.message for one in mechanism.remarks] == [
        "not carried over: mesh 'gone.stl': no such file"
    ]


def test_a_file_is_recognised_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "robot.xml").write_text(ARM)
    assert kg.load(tmp_path / "robot.xml").name == "two-bars"


def test_collision_shapes_gears_and_mirrored_meshes(tmp_path: Path) -> None:
    (tmp_path / "arm.stl").write_bytes(b"solid\nendsolid\n")
    text = ARM.replace('<box size="0.1 0.1 0.4"/>', '<mesh filename="arm.stl" scale="1 -1 1"/>')
    text = text.replace(
        '<transmission name="t"/>',
        '<transmission name="t"><joint name="shoulder"><hardwareInterface>'
        "hardware_interface/EffortJointInterface</hardwareInterface></joint><actuator name='m'>"
        "<mechanicalReduction>50</mechanicalReduction></actuator></transmission>",
    )
    (tmp_path / "arm.urdf").write_text(text)
    mechanism = kg.load(tmp_path / "arm.urdf")
    (tmp_path / "arm.raff").write_text(mechanism.to_raff())
    for one in (mechanism, kg.load(tmp_path / "arm.raff")):
        shoulder = one.joints["shoulder"]
        (touched,), (drawn,) = shoulder.link.collision, shoulder.link.shape
        assert touched["sphere"].value == 0.3
        assert [number.value for number in drawn["scale"]] == [1, -1, 1]
        motor = shoulder.motors[0]
        assert motor is not None and motor["gear"].value == 50 and motor["mode"] == "torque"


def test_collision_shapes_are_what_objects_touch() -> None:
    pytest.importorskip("mujoco", reason="contacts of links are the engine mujoco's")
    from kinegen.mechanism.shapes.shapes import Sphere, contact_shapes

    model = kg.load(ARM, format="urdf").compile()
    shapes = contact_shapes(model, model.link_collisions, {})
    (touched,) = shapes[model.link_names.index("shoulder")]
    assert isinstance(touched, Sphere) and touched.radius == 0.3
