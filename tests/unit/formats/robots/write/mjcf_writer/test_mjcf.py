"""MJCF files that are written: motors, springs, stops, objects, meshes, names."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError

mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")

ARM = """raff: 1
name: arm
gravity: [0, 0, -3.7]
joints:
  - {name: A, parent: base, alpha: 90 deg, start: 0.3, limits: [-1, 2],
     friction: {viscous: 0.2, coulomb: 0.1},
     motor: {torque: 5, speed: 3, kp: 40, kd: 2, gear: 50, inertia: 2e-5}}
  - {name: B, parent: A, d: 0.4, motor: {torque: 2},
     spring: {stiffness: 3, rest: 0.5, damping: 0.1}}
  - {name: S, parent: B, type: spherical, d: 0.3, limits: 40 deg, start: [0.96, 0, 0.28, 0]}
  - {name: empty, parent: S, d: 0.1, mass: 0, shape: none}
frames:
  - {name: tip, parent: empty, d: 0.1}
springs:
  - {name: coil, from: {frame: tip}, to: {xyz: [0, 0, 1]}, stiffness: 20, damping: 1, rest: 0.2}
objects:
  - {name: table, shape: {box: [1, 1, 0.1]}, fixed: true, at: {xyz: [0, 0, -0.9]}, color: red}
  - {name: ball, shape: {sphere: 0.1}, mass: 0.3, at: {xyz: [0, 0, 2]}}
"""


def test_motors_springs_stops_and_objects(tmp_path: Path) -> None:
    arm = kg.load(ARM)
    done = kg.export(arm, tmp_path / "arm.xml")
    model, twin = arm.compile(), mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    assert twin.opt.gravity.tolist() == [0, 0, -3.7]
    A, B = twin.joint("A"), twin.joint("B")
    assert A.range.tolist() == [-1, 2] and A.qpos0[0] == pytest.approx(0.3)
    assert A.armature[0] == pytest.approx(50**2 * 2e-5) and A.frictionloss[0] == 0.1
    assert (np.ravel(A.damping)[0], np.ravel(B.damping)[0]) == (0.2, 0.1)
    assert (np.ravel(B.stiffness)[0], B.qpos_spring[0]) == (3, 0.5)
    servo, effort = twin.actuator("A"), twin.actuator("B")
    assert servo.gainprm[0] == 40 and servo.biasprm[:3].tolist() == [0, -40, -2]
    assert servo.forcerange.tolist() == [-5, 5] and effort.ctrlrange.tolist() == [-2, 2]
    assert twin.key("start").ctrl.tolist() == pytest.approx([0.3, 0])
    coil, stop = twin.tendon("coil"), twin.tendon("S_swing")
    assert np.ravel(twin.tendon_stiffness[coil.id])[0] == 20
    assert twin.tendon_lengthspring[coil.id].tolist() == [0.2, 0.2]
    data = mujoco.MjData(twin)
    mujoco.mj_forward(twin, data)
    tip = kg.pose(model, None, "tip").translation
    assert data.ten_length[coil.id] == pytest.approx(np.linalg.norm(tip - [0, 0, 1]))
    # the swing of z at the start: 2 l cos(swing / 2)
    z = kg.SO3(model.start()[model.joint("S").q]).matrix[:, 2]
    assert data.ten_length[stop.id] == pytest.approx(
        2 * model.size * np.cos(np.arccos(z[2]) / 2), rel=1e-12
    )
    assert twin.tendon_range[stop.id][0] == pytest.approx(2 * model.size * np.cos(np.radians(20)))
    assert twin.body("ball").mass[0] == 0.3 and twin.body("ball").jntnum[0] == 1
    assert twin.geom_conaffinity[twin.body("table").geomadr[0]] == 3
    assert twin.body("empty").mass[0] < 1e-6
    said = "\n".join(done.notes)
    for part in (
        "link 'empty' has no mass, and MuJoCo needs one",
        "the speed limit of joint 'A' is left out",
        "the quaternion of joint 'S' is measured from the pose that is written",
    ):
        assert part in said


def test_what_kinegen_reads_from_it_is_the_same_mechanism(tmp_path: Path) -> None:
    for name in ("arm-6", "five-bar", "delta"):
        mechanism = kg.load(name)
        kg.export(mechanism, tmp_path / f"{name}.xml")
        again = kg.load(tmp_path / f"{name}.xml")
        model, other = mechanism.compile(), again.compile()
        q = kg.assemble(other).q
        for link in model.link_names[1:]:
            found = kg.pose(other, q, link).matrix
            np.testing.assert_allclose(found, kg.pose(model, None, link).matrix, atol=2e-8)
        assert kg.mobility(other).finite == kg.mobility(model).finite


def test_meshes_that_mujoco_cannot_read_are_listed(tmp_path: Path) -> None:
    (tmp_path / "a.raff").write_text(
        "raff: 1\njoints:\n  - {name: A, parent: base, shape: b.glb, mass: 1}\n"
    )
    done = kg.export(kg.load(tmp_path / "a.raff"), tmp_path / "a.xml")
    assert "mesh 'b.glb' of link 'A' is left out: MuJoCo reads .stl, .obj, .msh" in done.notes


def test_inertia_that_mujoco_refuses_is_raised_and_said(tmp_path: Path) -> None:
    text = """raff: 1
joints:
  - {name: A, parent: base, mass: 1, inertia: [0.1, 0.1, 0.25]}
"""
    done = kg.export(kg.load(text), tmp_path / "a.xml")
    assert any("'A' violate the triangle inequality" in one for one in done.notes)
    mujoco.MjModel.from_xml_path(str(tmp_path / "a.xml"))


def test_stiff_dampers_choose_an_implicit_integrator(tmp_path: Path) -> None:
    text = """raff: 1
joints:
  - {name: A, parent: base, mass: 1, inertia: [1e-3, 1e-3, 1e-3], friction: %s}
"""
    found = []
    for friction in (0.001, 10):
        kg.export(kg.load(text % friction), tmp_path / "a.xml")
        option = ElementTree.parse(tmp_path / "a.xml").getroot().find("option")
        assert option is not None
        found.append(option.get("integrator"))
    assert found == ["RK4", "implicitfast"]


COUPLED = """raff: 1
name: coupled
joints:
  - {name: arm, parent: base, motor: true, start: 0.2}
  - {name: planet, parent: arm, d: 0.1}
  - {name: sun, parent: base}
  - {name: left, parent: base, type: prismatic, xyz: [0.5, 0, 0], motor: true}
  - {name: right, parent: base, type: prismatic, xyz: [0.7, 0, 0],
     follows: {joint: left, ratio: -1, offset: 0.1}}
  - {name: lift, parent: base, type: prismatic, xyz: [0.9, 0, 0]}
couplings:
  - {name: mesh, gears: [sun, planet], teeth: [20, 10]}
  - {name: lobe, cam: arm, follower: lift, profile: 0.1*sin(x)}
"""


def test_couplings_are_equations(tmp_path: Path) -> None:
    mechanism = kg.load(COUPLED)
    done = kg.export(mechanism, tmp_path / "a.xml")
    assert any("'lobe'" in one and one.endswith("is left out") for one in done.notes)
    model, twin = mechanism.compile(), mujoco.MjModel.from_xml_path(str(tmp_path / "a.xml"))
    assert twin.neq == 2
    q = kg.assemble(model, {"arm": 0.9, "left": 0.03}, locked=["arm", "left"]).q
    data = mujoco.MjData(twin)
    for wrong in (0.0, 0.1):
        for joint in model.joints:
            data.qpos[twin.joint(joint.name).qposadr[0]] = q[joint.q][0]
        data.qpos[twin.joint("planet").qposadr[0]] += wrong
        mujoco.mj_forward(twin, data)
        gap = np.abs(data.efc_pos[: data.ne]).max()
        assert (gap > 0.01) if wrong else (gap < 1e-9)


def test_couplings_of_two_variables_are_mimics(tmp_path: Path) -> None:
    mechanism = kg.load(COUPLED)
    for suffix in (".urdf", ".sdf"):
        done = kg.export(mechanism, tmp_path / f"a{suffix}")
        root = ElementTree.parse(tmp_path / f"a{suffix}").getroot()
        (mimic,) = root.iter("mimic")
        assert mimic.get("joint") == "left"
        given = {child.tag: float(child.text or "") for child in mimic} or {
            key: float(mimic.get(key, "")) for key in ("multiplier", "offset")
        }
        assert given["multiplier"] == -1
        # variables of SDF count from the pose, in which both fit
        assert given["offset"] == pytest.approx(0.1 if suffix == ".urdf" else 0)
        said = "\n".join(done.notes)
        assert "'mesh'" in said and "'lobe'" in said and said.count("is left out") == 2


TRAIN = """raff: 1
name: train
joints:
  - {name: wheel, parent: base, d: 60 mm}
  - {name: drive, parent: base, motor: true}
  - {name: bar, type: prismatic, parent: base, xyz: [0, -0.1, 0], axis: x}
  - {name: nut, type: prismatic, parent: base, xyz: [0, 0.1, 0], axis: z}
couplings:
  - {name: feed, rack: bar, pinion: wheel, radius: 40 mm}
  - {name: mesh, gears: [drive, wheel], teeth: [20, 40]}
  - {name: lead, screw: wheel, nut: nut, lead: 2 mm, offset: 5 mm}
  - {name: again, relation: {bar: 1, nut: 1}, offset: 5 mm}
"""


def test_mimics_lead_away_from_the_motor(tmp_path: Path) -> None:
    for suffix in (".urdf", ".sdf"):
        done = kg.export(kg.load(TRAIN), tmp_path / f"a{suffix}")
        root = ElementTree.parse(tmp_path / f"a{suffix}").getroot()
        found = {
            joint.get("name"): mimic.get("joint")
            for joint in root.iter("joint")
            for mimic in joint.iter("mimic")
        }
        assert found == {"wheel": "drive", "bar": "wheel", "nut": "wheel"}
        # only what would close a circle is left out
        assert [note for note in done.notes if "left out" in note] == [
            "coupling 'again' between 'bar' and 'nut' is left out"
        ]
    model = kg.load(tmp_path / "a.urdf").compile()
    q = kg.assemble(model, {"drive": 0.3}, locked=["drive"]).q
    values = {joint.name: q[joint.q][0] for joint in model.joints}
    assert values["wheel"] == pytest.approx(-0.15, abs=1e-12)
    assert values["bar"] == pytest.approx(-0.15 * 0.04, abs=1e-12)
    assert values["nut"] == pytest.approx(5e-3 - 0.15 * 2e-3 / math.tau, abs=1e-12)


PROFILE = "0.02 + 0.03*x - 0.01*x^2 + 0.002*x^4"


def _with_cam(profile: str, start: float) -> kg.Mechanism:
    return kg.load(f"""raff: 1
name: with-cam
joints:
  - {{name: shaft, parent: base, motor: true, start: {start}}}
  - {{name: lift, parent: base, type: prismatic, xyz: [0.9, 0, 0]}}
couplings:
  - {{name: lobe, cam: shaft, follower: lift, profile: {profile}}}
""")


@pytest.mark.parametrize("start", [0.0, 0.7])
def test_a_cam_of_degree_four_is_an_equation(start: float, tmp_path: Path) -> None:
    done = kg.export(_with_cam(PROFILE, start), tmp_path / "a.xml")
    assert not any("left out" in note for note in done.notes)
    twin = mujoco.MjModel.from_xml_path(str(tmp_path / "a.xml"))
    data = mujoco.MjData(twin)
    for x in (-2.0, -0.4, 0.0, 0.9, 3.0):
        lift = 0.02 + 0.03 * x - 0.01 * x**2 + 0.002 * x**4
        data.qpos[:] = x, lift
        mujoco.mj_forward(twin, data)
        assert np.abs(data.efc_pos[: data.ne]).max() < 1e-13
    # read again, it is the same cam
    again = kg.load(tmp_path / "a.xml").compile()
    q = kg.assemble(again, {"shaft_joint": 1.3}, locked=["shaft_joint"]).q
    wanted = 0.02 + 0.03 * 1.3 - 0.01 * 1.3**2 + 0.002 * 1.3**4
    assert q[again.joint("lift_joint").q][0] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    "profile",
    ["0.1*sin(x)", "0.01*x^5", "0.1*cos(0.01*x)", "[[0, 0], [1, 0.1], [2, 0.1], [4, 0]]"],
)
def test_other_cams_are_left_out_by_name(profile: str, tmp_path: Path) -> None:
    done = kg.export(_with_cam(profile, 0.0), tmp_path / "a.xml")
    note = "coupling 'lobe' between 'lift' and 'shaft' is left out"
    assert note in done.notes
    text = (tmp_path / "a.xml").read_text(encoding="utf-8")
    assert note in text and "polycoef" not in text


def test_curves_of_guides_are_named_once(tmp_path: Path) -> None:
    done = kg.export(kg.load("grooved-cam"), tmp_path / "a.xml")
    assert [note for note in done.notes if "'groove'" in note and "curve" in note] == [
        "the curve of guide 'groove' is left out"
    ]


KEYS = """<mujoco model="keys">
  <worldbody>
    <body name="float" pos="0 0 1">
      <freejoint name="root"/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <body name="arm" pos="0.1 0 0">
        <joint name="elbow" axis="0 1 0"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        <body name="hand" pos="0.3 0 0">
          <joint name="wrist" type="ball"/>
          <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><position name="servo" joint="elbow" kp="10" kv="1"/></actuator>
  <keyframe>
    <key name="home" qpos="0 0 1 1 0 0 0  0.3  0.6 0.8 0 0" ctrl="0.3"/>
    <key name="up" time="2" qpos="0 0 2 0 1 0 0  -0.5  0.8 0 0.6 0" ctrl="-0.5"/>
  </keyframe>
</mujoco>
"""


def test_keyframes_are_kept_through_raff(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(KEYS, encoding="utf-8")
    kg.load(tmp_path / "a.xml").save(tmp_path / "b.raff")
    for name in ("c.xml", "d.xml"):  # and not one more each time
        kg.export(kg.load(tmp_path / ("b.raff" if name == "c.xml" else "c.xml")), tmp_path / name)
        before = mujoco.MjModel.from_xml_path(str(tmp_path / "a.xml"))
        after = mujoco.MjModel.from_xml_path(str(tmp_path / name))
        assert [after.key(k).name for k in range(after.nkey)] == ["home", "up"]
        assert after.key_time.tolist() == [0, 2]
        np.testing.assert_allclose(after.key_ctrl, before.key_ctrl, atol=1e-9)
        for k in range(2):
            places = []
            for model in (before, after):
                data = mujoco.MjData(model)
                mujoco.mj_resetDataKeyframe(model, data, k)
                mujoco.mj_forward(model, data)
                bodies = [data.body(one) for one in ("float", "arm", "hand")]
                places.append([np.concatenate([b.xpos, b.xmat]) for b in bodies])
            np.testing.assert_allclose(places[1], places[0], atol=1e-9)


def test_longer_motions_are_left_out_by_name(tmp_path: Path) -> None:
    text = """raff: 1
name: arm
joints:
  - {name: A, parent: base, d: 1, start: 0.1}
motions:
  - {name: wave, joints: [A], times: [0, 1], values: [[0], [1]]}
  - {name: start, joints: [A], times: [0], values: [[0.5]]}
"""
    done = kg.export(kg.load(text), tmp_path / "a.xml")
    assert "recorded motion 'wave' is left out: a keyframe has one row" in done.notes
    twin = mujoco.MjModel.from_xml_path(str(tmp_path / "a.xml"))
    assert twin.nkey == 2
    assert twin.key_qpos[:, 0].tolist() == [0.1, 0.5]
    assert twin.key(1).name == "start"  # the motion's own name


def test_the_step_is_an_option(tmp_path: Path) -> None:
    mechanism = kg.load("four-bar")
    for step in ("0.0002", None):
        options = {} if step is None else {"step": step}
        kg.export(mechanism, tmp_path / "a.xml", options=options)
        twin = mujoco.MjModel.from_xml_path(str(tmp_path / "a.xml"))
        assert twin.opt.timestep == float(step or 0.001)
        assert twin.eq_solref[:, 0].tolist() == [2 * twin.opt.timestep] * twin.neq
    for wrong in ("fast", "0", "-1", "nan"):
        with pytest.raises(UsageError, match=f"option step is '{wrong}': use seconds"):
            kg.export(mechanism, tmp_path / "b.xml", options={"step": wrong})
    assert not (tmp_path / "b.xml").exists()
