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
    assert "not carried over: 1 sensors" in {one.message for one in mechanism.remarks}


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
    said += ["1 geoms that are planes", "1 geoms that are planes"]
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
    with pytest.raises(kg.KinegenError, match=r"robot\.xml:1:\d+: the included file 'parts/leg"):
        kg.load(file)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<mujoco><worldbody>", "not sound XML"),
        ("<mujoco>\n<worldbody><body/></worldbody><nonsense/></mujoco>", "MuJoCo refuses it"),
        ('<mujoco><asset><mesh file="gone.stl"/></asset></mujoco>', "gone.stl"),
    ],
)
def test_bad_files_are_refused(text: str, said: str) -> None:
    with pytest.raises(kg.KinegenError) as caught:
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
