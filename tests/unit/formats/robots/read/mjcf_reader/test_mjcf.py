"""MJCF files: the same robot as MuJoCo has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinegen as kg

mujoco = pytest.importorskip("mujoco", reason="MJCF files are read by MuJoCo")

ARM = """<mujoco model="Swing">
  <compiler angle="degree"/>
  <option gravity="0 0 -3.7"/>
  <default><joint damping="0.3"/><geom rgba="1 0 0 1"/></default>
  <worldbody>
    <body name="upper" pos="0 0 1" euler="0 0 30">
      <joint name="first" axis="0 1 0" pos="0 0 0.1" range="-90 90" limited="true" ref="20"/>
      <joint name="second" type="slide" axis="1 0 1"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.04"/>
      <body name="fore" pos="0 0 0.5">
        <joint name="ball" type="ball"/>
        <geom type="box" size="0.05 0.1 0.2" pos="0 0 0.2"/>
        <site name="tip" pos="0 0 0.4"/>
      </body>
    </body>
    <body name="puck" pos="1 2 3"><freejoint name="fly"/><geom type="sphere" size="0.1"/></body>
  </worldbody>
  <actuator><position joint="first" kp="50" kv="4" forcerange="-20 20"/></actuator>
  <sensor><jointpos joint="first"/></sensor>
</mujoco>
"""


def placed(model: kg.Model, twin: mujoco.MjModel) -> tuple[np.ndarray, mujoco.MjData]:
    """A random pose in both."""
    rng, data, q = np.random.default_rng(2), mujoco.MjData(twin), model.start()
    for k in range(twin.njnt):
        joint, at = model.joint(twin.joint(k).name), twin.jnt_qposadr[k]
        quat, xyz = rng.normal(size=4), rng.normal(size=3)
        quat /= np.linalg.norm(quat)
        if twin.jnt_type[k] == 0:
            q[joint.q], data.qpos[at : at + 7] = [*quat, *xyz], [*xyz, *quat]
        elif twin.jnt_type[k] == 1:
            q[joint.q], data.qpos[at : at + 4] = quat, quat
        else:
            q[joint.q] = data.qpos[at] = xyz[0]
    mujoco.mj_kinematics(twin, data)
    mujoco.mj_comPos(twin, data)
    return q, data


def test_poses_and_gravity_equal_those_of_mujoco() -> None:
    mechanism = kg.load(ARM, format="mjcf")
    model, twin = mechanism.compile(), mujoco.MjModel.from_xml_string(ARM)
    q, data = placed(model, twin)
    poses = kg.poses(model, q)
    for name in ("upper", "fore", "puck"):
        body = twin.body(name).id
        np.testing.assert_allclose(poses[name].translation, data.xpos[body], atol=1e-12)
        np.testing.assert_allclose(
            poses[name].so3.matrix, data.xmat[body].reshape(3, 3), atol=1e-12
        )
    np.testing.assert_allclose(poses["tip"].translation, data.site("tip").xpos, atol=1e-12)
    assert kg.dynamics.centre_of_mass(model, q) == pytest.approx(data.subtree_com[0], abs=1e-12)
    assert model.gravity.tolist() == [0, 0, -3.7]


def test_limits_motors_and_starts() -> None:
    mechanism = kg.load(ARM, format="mjcf")
    model = mechanism.compile()
    first = model.joint("first")
    np.testing.assert_allclose(np.degrees([model.lower[0], model.upper[0]]), [-90, 90])
    assert model.effort[0] == 20 and first.has_motor and not model.joint("second").has_motor
    motor = mechanism.joints["first"].motors[0]
    assert motor is not None and motor["kp"].value == 50 and motor["kd"].value == 4
    np.testing.assert_allclose(model.start()[first.q], np.radians(20))
    np.testing.assert_allclose(model.start()[model.joint("fly").q][4:], [1, 2, 3])
    assert "not carried over: 1 sensor" in {one.message for one in mechanism.remarks}


def test_connections_become_loops() -> None:
    text = """<mujoco><worldbody>
      <body name="a"><joint name="A" axis="0 0 1"/><geom type="box" size=".5 .02 .02" pos=".5 0 0"/>
        <body name="b" pos="1 0 0"><joint name="B" axis="0 0 1"/>
          <geom type="box" size=".5 .02 .02" pos=".5 0 0"/></body></body>
      <body name="c" pos="1 1 0"><joint name="C" axis="0 0 1"/>
        <geom type="box" size=".5 .02 .02" pos=".5 0 0"/></body></worldbody>
      <equality><connect name="pin" body1="b" body2="c" anchor="1 0 0"/></equality></mujoco>"""
    mechanism = kg.load(text, format="mjcf")
    assert mechanism.joints["pin"].closes is not None
    model = mechanism.compile()
    assert len(model.loops) == 1
    assert kg.assemble(model).gap < 1e-9
    # a planar linkage of three bars and the ground, whose pin is a ball
    assert kg.mobility(model).finite == 1


@pytest.mark.parametrize(
    "how", ["", 'anchor="0.05 0.1 0.2"', 'anchor="0.1 0 0" relpose="0.1 0.2 0.3 0.9 0.1 0.2 0.3"']
)
def test_welds_close_as_mujoco_wants_it(how: str) -> None:
    text = f"""<mujoco><worldbody>
      <body name="a" pos="0 0 1"><joint name="A" axis="0 1 0"/><geom size=".1"/></body>
      <body name="b" pos=".5 .2 .3" euler="20 30 40"><freejoint name="F"/><geom size=".1"/></body>
      </worldbody><equality><weld body1="a" body2="b" {how}/></equality></mujoco>"""
    model, twin = kg.load(text, format="mjcf").compile(), mujoco.MjModel.from_xml_string(text)
    q = kg.assemble(model, {"A": 0.4}, locked=["A"]).q
    X_WB, data = kg.pose(model, q, "b"), mujoco.MjData(twin)
    data.qpos[:] = [0.4, *X_WB.translation, *X_WB.quat]
    mujoco.mj_forward(twin, data)
    # MuJoCo's own residual of the weld; assembly closes to 1e-10
    assert np.abs(data.efc_pos[:6]).max() < 1e-9


def test_what_raff_does_not_have_is_listed() -> None:
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
      <body name="a"><joint name="A" type="ball" damping="1" range="0 40" limited="true"/>
        <geom size=".1"/><geom size=".2" group="3"/><site pos="0 0 1"/></body>
      </worldbody></mujoco>"""
    found = " ".join(one.message for one in kg.load(text, format="mjcf").remarks)
    said = ["ball joint 'A'", "a site of body"]
    said += ["1 geom with a shape that RAFF does not have"]
    for words in said:
        assert words in found


def test_included_files_and_meshes(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.xml").write_text(
        '<mujocoinclude><body name="arm"><joint name="J"/><geom type="mesh" mesh="bar"/></body>'
        "</mujocoinclude>"
    )
    corners = ["0 0 0", "2 0 0", "0 1 0", "0 0 1"]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    lines = [f"v {one}" for one in corners]
    lines += ["f " + " ".join(str(i + 1) for i in face) for face in faces]
    (tmp_path / "bar.obj").write_text("\n".join(lines))
    file = tmp_path / "robot.xml"
    file.write_text(
        '<mujoco><asset><mesh name="bar" file="bar.obj"/></asset><worldbody>'
        '<include file="parts/arm.xml"/></worldbody></mujoco>'
    )
    mechanism = kg.load(file)
    (shape,) = mechanism.joints["J"].link.shape
    assert shape["mesh"] == "bar.obj" and not {"xyz", "rpy"} & shape.keys()
    file.write_text(file.read_text().replace("parts/arm", "parts/leg"))
    with pytest.raises(
        kg.errors.KinegenError, match=r"robot\.xml:1:\d+: the included file 'parts/leg"
    ):
        kg.load(file)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<mujoco><worldbody>", "not well-formed XML"),
        ("<mujoco>\n<worldbody><body/></worldbody><nonsense/></mujoco>", "MuJoCo rejects it"),
        ('<mujoco><asset><mesh file="gone.stl"/></asset></mujoco>', "gone.stl"),
    ],
)
def test_bad_files_are_refused(text: str, said: str) -> None:
    with pytest.raises(kg.errors.KinegenError) as caught:
        kg.load(text + "\n", format="mjcf")
    assert said in str(caught.value)


def test_joints_that_an_equality_relates_follow() -> None:
    """Polynomials are of what joints differ from their reference."""
    text = """<mujoco><worldbody>
      <body name="a"><joint name="x" type="hinge" ref="10"/><geom size="1" mass="1"/></body>
      <body name="b"><joint name="y" type="hinge" ref="20"/><geom size="1" mass="1"/></body>
      </worldbody><equality><joint joint1="y" joint2="x" polycoef="0.1 2 0 0 0"/></equality>
      </mujoco>"""
    follows = kg.load(text, format="mjcf").joints["y"].follows
    assert follows is not None and (follows.joint, follows.ratio.value) == ("x", 2.0)
    expected = 0.1 + np.radians(20) - 2 * np.radians(10)
    assert follows.offset.value == pytest.approx(expected, abs=1e-12)


TWO = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="a"><joint name="x" {x}/><geom size="1" mass="1"/>
    <body name="b"><joint name="y" {y}/><geom size="1" mass="1"/></body></body>
  <body name="c"><joint name="z" type="slide"/><geom size="1" mass="1"/></body></worldbody>
  {more}</mujoco>"""


def test_every_keyframe_can_be_chosen() -> None:
    keys = """<keyframe><key name="home" qpos="0.1 0.2 0.3"/>
      <key qpos="0.4 0.5 0.6" time="2" qvel="1 0 0"/></keyframe>"""
    text = TWO.format(x="", y="", more=keys)
    mechanism = kg.load(text, format="mjcf")
    assert [row["name"] for row in mechanism.scene["motions"]] == ["home", "key2"]
    model = mechanism.compile()
    np.testing.assert_allclose(model.start(), [0.1, 0.2, 0.3])
    again = kg.load(mechanism.to_raff())
    pose = kg.Recording.from_dict(model, again.scene["motions"][1])
    np.testing.assert_allclose(pose.at(2.0), [0.4, 0.5, 0.6])
    other = kg.load(text, format="mjcf", options={"key": "key2"})
    np.testing.assert_allclose(other.compile().start(), [0.4, 0.5, 0.6])
    with pytest.raises(
        kg.errors.KinegenError, match=r"keyframe 'hom' is not in .*did you mean 'home'"
    ):
        kg.load(text, format="mjcf", options={"key": "hom"})
    listed = [(one.line, one.message) for one in mechanism.remarks]
    assert listed == [(6, "not carried over: velocities of keyframe 'key2'")]


def test_a_polynomial_of_a_joint_is_a_cam() -> None:
    """The equation that MuJoCo holds: y - 0.3 = 0.1 + 2 d - 3 d² + d³ + 0.5 d⁴ of d = x - 0.2."""
    more = '<equality><joint joint1="y" joint2="x" polycoef="0.1 2 -3 1 0.5"/></equality>'
    text = TWO.format(x='ref="0.2"', y='ref="0.3"', more=more)
    mechanism = kg.load(text, format="mjcf")
    model, twin = mechanism.compile(), mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(twin)
    for x in (-1.0, 0.2, 0.9):
        q = kg.assemble(model, {"x": x}, locked=["x"]).q
        data.qpos[:] = q
        mujoco.mj_forward(twin, data)
        # the residual as MuJoCo computes it; assembly closes to 1e-10
        assert abs(data.efc_pos[0]) < 1e-9
    assert mechanism.remarks == ()
    assert kg.load(mechanism.to_raff()).couplings == mechanism.couplings


def test_a_fixed_tendon_that_keeps_its_length_is_a_relation() -> None:
    more = """<tendon><fixed name="t"><joint joint="x" coef="2"/><joint joint="y" coef="-1"/>
      <joint joint="z" coef="0.5"/></fixed><fixed name="free"><joint joint="x" coef="1"/></fixed>
      </tendon><equality><tendon name="split" tendon1="t" polycoef="0.4 0 0 0 0"/></equality>"""
    text = TWO.format(x='ref="0.2"', y="", more=more)
    mechanism = kg.load(text, format="mjcf")
    model, twin = mechanism.compile(), mujoco.MjModel.from_xml_string(text)
    q, data = kg.assemble(model, {"x": 0.7, "y": -0.1}, locked=["x", "y"]).q, mujoco.MjData(twin)
    data.qpos[:] = q
    mujoco.mj_forward(twin, data)
    assert abs(data.efc_pos[0]) < 1e-9
    assert [one.message for one in mechanism.remarks] == ["not carried over: 1 tendon: 'free'"]


def test_a_second_equation_of_a_joint_is_a_relation() -> None:
    more = """<equality><joint joint1="y" joint2="x" polycoef="0 2 0 0 0"/>
      <joint name="also" joint1="y" joint2="z" polycoef="0.1 -1 0 0 0"/></equality>"""
    mechanism = kg.load(TWO.format(x="", y="", more=more), format="mjcf")
    assert mechanism.joints["y"].follows is not None
    q = kg.assemble(mechanism, {"x": 0.3}, locked=["x"]).q
    np.testing.assert_allclose(q, [0.3, 0.6, -0.5], atol=1e-9)


def test_colours_of_materials_and_motors_of_velocity() -> None:
    text = """<mujoco><asset><material name="red" rgba="1 0 0 1"/></asset><worldbody>
      <body name="a"><joint name="x" actuatorfrcrange="-3 3"/><geom size="1" material="red"/></body>
      </worldbody><actuator><velocity joint="x" kv="5" forcerange="-9 9"/><motor name="more"
      joint="x"/></actuator></mujoco>"""
    mechanism = kg.load(text, format="mjcf")
    joint = mechanism.joints["x"]
    assert joint.link.color == "#ff0000"
    motor = joint.motors[0]
    assert motor is not None and motor["mode"] == "velocity"
    assert (motor["torque"].value, motor["kd"].value) == (3, 5)
    assert [one.message for one in mechanism.remarks] == [
        "not carried over: actuator 'more': 'actuator1' drives joint 'x' already"
    ]


def test_places_in_included_files(tmp_path: Path) -> None:
    """MuJoCo counts no lines in included files; messages have them all the same."""
    (tmp_path / "arm.xml").write_text(
        '<mujocoinclude>\n<worldbody>\n<body name="arm"><joint name="J"/><geom size="1"/></body>\n'
        '</worldbody>\n<sensor>\n<jointpos name="s" joint="J"/></sensor></mujocoinclude>'
    )
    file = tmp_path / "robot.xml"
    file.write_text('<mujoco>\n<include file="arm.xml"/></mujoco>')
    assert [one.brief for one in kg.load(file).remarks] == [
        "arm.xml:6: not carried over: 1 sensor: 's'"
    ]
    for old, new, said in (
        ('joint="J"', 'joint="K"', r"arm\.xml:6:1: MuJoCo rejects it: .*'K'"),
        ('name="J"', 'nam="J"', r"arm\.xml:3:18: MuJoCo rejects it: .*'nam'"),
    ):
        text = (tmp_path / "arm.xml").read_text()
        (tmp_path / "arm.xml").write_text(text.replace(old, new, 1))
        with pytest.raises(kg.errors.KinegenError, match=said):
            kg.load(file)
        (tmp_path / "arm.xml").write_text(text)


def test_missing_meshes_and_what_mujoco_refuses_are_reported_together(tmp_path: Path) -> None:
    mesh = "<mesh name='part' file='gone.stl'/>"
    (tmp_path / "a.xml").write_text(
        f"<mujoco><asset>\n{mesh}\n{mesh}\n</asset><worldbody/></mujoco>", encoding="utf-8"
    )
    with pytest.raises(kg.errors.KinegenError) as caught:
        kg.load(tmp_path / "a.xml")
    assert "a.xml:2:1: mesh file 'gone.stl' was not found" in str(caught.value)
    assert "a.xml:3:1: MuJoCo rejects it" in str(caught.value)
    assert "repeated name 'part'" in str(caught.value)


def test_an_equality_may_be_called_as_a_joint_is() -> None:
    mechanism = kg.load(
        "<mujoco><worldbody><body name='a'><joint name='A'/><geom size='1'/>"
        "<body name='b'><joint name='B' type='ball'/><geom size='1'/></body></body></worldbody>"
        "<equality><connect name='A' body1='b' anchor='0 0 1'/></equality></mujoco>",
        format="mjcf",
    )
    mechanism.compile()
    assert set(mechanism.joints) == {"A", "B", "A_loop"}
    assert mechanism.joints["A_loop"].parent == "B"
    assert any("joint 'A', which is 'A_loop' here" in one.message for one in mechanism.remarks)
