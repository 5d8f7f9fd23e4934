"""Robot files that Kinegen writes, in the programs that they are for: poses, masses, motion."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest

import kinegen as kg
from kinegen.formats.export import export_pose
from kinegen.formats.robots.write.mjcf_writer.equations import STEP
from tests.support.mechanisms.frictionless import frictionless
from tests.support.packages.peers import peer
from tests.support.robots.files import NotFetchedError, robot_files
from tests.support.robots.written import (
    mechanisms,
    mujoco_state,
    pinocchio_state,
    random_pose,
    tree_variables,
    written,
)

EXACT = 1e-12
"""[m, rotation]: all numbers are written with all their digits."""
TINY_MASSES = 1e-7
"""Links between the joints of a chain weigh a billionth of the others in SDF files."""
UNPHYSICAL = {"puma560"}
"""Measured inertia that breaks the triangle inequality: MuJoCo and SDF refuse it, and it is raised,
with a note."""


def _reduced(model: kg.Model, q: np.ndarray, M: np.ndarray) -> np.ndarray:
    """A mass matrix for the velocities that keep the loops closed."""
    if not model.loops:
        return M
    J = kg.kinematics.loop_jacobian(model, q)
    _, values, Vt = np.linalg.svd(J)
    N = Vt[int(np.sum(values > 1e-9 * values[0])) :].T
    return N.T @ M @ N


def _compare(name: str, found: np.ndarray, wanted: np.ndarray, tolerance: float) -> None:
    scale = max(1.0, float(np.abs(wanted).max(initial=0)))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * scale, err_msg=name)


def test_urdf_files_in_pinocchio(tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheel for this platform")
    for mechanism in mechanisms():
        model = mechanism.compile()
        twin = pin.buildModelFromUrdf(str(written(mechanism, tmp_path, ".urdf")))
        q = random_pose(model, 1)
        pose, T = pinocchio_state(model, q, twin)
        data = twin.createData()
        pin.framesForwardKinematics(twin, data, pose)
        for name, X_WF in kg.poses(model, q).items():
            frame = data.oMf[twin.getFrameId(name, pin.FrameType.BODY)]
            _compare(f"{mechanism.name} {name}", frame.homogeneous, X_WF.matrix, EXACT)
        M = np.triu(pin.crba(twin, data, pose))
        M += np.triu(M, 1).T
        part, tree = model.blocks.real_part, tree_variables(model)
        rotors = np.diag(part("gear") ** 2 * part("rotor"))  # listed as left out
        ours = np.asarray(kg.dynamics.mass_matrix(model, q)) - rotors
        both = np.ix_(tree, tree)
        _compare(mechanism.name, (T.T @ M @ T)[both], ours[both], EXACT)


def test_mjcf_files_in_mujoco(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    for mechanism in mechanisms():
        model = mechanism.compile()
        twin = mujoco.MjModel.from_xml_path(str(written(mechanism, tmp_path, ".xml")))
        data, start, q = mujoco.MjData(twin), export_pose(model), random_pose(model, 1)
        mujoco.mj_forward(twin, data)
        if (
            kg.kinematics.loop_gap(model, start).distance < 1e-9
        ):  # loops of random mechanisms stay open
            gaps = data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
            assert np.abs(gaps).max(initial=0) < 1e-9, mechanism.name
        if twin.nkey:
            np.testing.assert_allclose(twin.key_qpos[0], twin.qpos0, atol=EXACT)
        data.qpos[:], T = mujoco_state(model, q, start, twin)
        mujoco.mj_forward(twin, data)
        for name, X_WF in kg.poses(model, q).items():
            if name == "base":
                continue
            body = mujoco.mj_name2id(twin, mujoco.mjtObj.mjOBJ_BODY, name)
            is_link = name in model.link_names and body >= 0
            there = data.body(name) if is_link else data.site(name)
            _compare(f"{mechanism.name} {name}", there.xpos, X_WF.translation, EXACT)
            _compare(f"{mechanism.name} {name}", there.xmat, X_WF.so3.matrix.ravel(), EXACT)
        has_shares = any(twin.body(i).name.endswith("_end") for i in range(twin.nbody))
        if mechanism.name not in UNPHYSICAL and not has_shares:
            M = np.zeros((twin.nv, twin.nv))
            mujoco.mj_fullM(twin, data, M)
            both = np.ix_(tree_variables(model), tree_variables(model))
            _compare(
                mechanism.name, (T.T @ M @ T)[both], kg.dynamics.mass_matrix(model, q)[both], 1e-8
            )


CUTS = ("prismatic", "cylindrical", "universal", "planar", "screw", "fixed")


def _cut_at(kind: str) -> kg.Mechanism:
    """A ring of bars with a ball and a universal joint, closed by a joint of one kind."""
    pitch = ", pitch: 0.3" if kind == "screw" else ""
    return kg.load(f"""raff: 1
name: ring-{kind}
joints:
  - {{name: A, parent: base, alpha: 90 deg, start: 80 deg}}
  - {{name: B, parent: A, type: spherical, xyz: [0.3, 0, 0.05], start: [0.9, 0.1, 0.2, 0.38]}}
  - {{name: C, parent: B, type: universal, xyz: [0.3, 0.02, 0], start: [0.4, -0.7]}}
  - {{name: D, parent: C, xyz: [0.25, 0, 0.1], start: -1.1}}
  - {{name: E, parent: base, type: cylindrical, xyz: [0.5, 0, 0], start: [0.3, 0.1]}}
  - {{name: F, parent: D, type: {kind}{pitch}, xyz: [0.2, 0, 0],
     closes: {{onto: E, xyz: [0.1, 0.3, 0.1]}}}}
""")


@pytest.mark.parametrize("kind", CUTS)
def test_every_kind_of_cut_joint_holds_in_mujoco(kind: str, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    mechanism = _cut_at(kind)
    model, q = mechanism.compile(), None
    twin = mujoco.MjModel.from_xml_path(str(written(mechanism, tmp_path, ".xml")))
    q, data, M = export_pose(model), mujoco.MjData(twin), np.zeros((twin.nv, twin.nv))
    mujoco.mj_forward(twin, data)
    mujoco.mj_fullM(twin, data, M)
    _, T = mujoco_state(model, q, q, twin)
    if kind != "fixed":  # the variables of an equation are none of MuJoCo's
        # masses are shared out, and together they are the link's
        ours = _reduced(model, q, np.asarray(kg.dynamics.mass_matrix(model, q)))
        _compare(kind, _reduced(model, q, T.T @ M @ T), ours, 1e-8)
    _falls_as(mechanism, tmp_path, 0.3)


FINE = 1e-4
"""Of both programs [s]: at this step our own run is exact to 1e-7 of the size."""


class Fall(NamedTuple):
    """A fall as a table of positions, (row, link, 3), and how near the loops are to singular."""

    rows: np.ndarray
    margins: np.ndarray
    """Smallest singular value of the loops in each row, 1 at the start."""


def _our_fall(mechanism: kg.Mechanism, time: float) -> Fall:
    """A fall without motors and stops; 100 rows a second."""
    model = mechanism.compile()
    run = kg.simulate(mechanism, time=time, engine="reduced", stops=False, step=FINE)
    rows = [[kg.pose(model, q, one).translation for one in model.link_names[1:]] for q in run.q]
    margins = np.ones(len(run.q))
    if model.constraint_count:
        values = [np.linalg.svd(kg.kinematics.loop_jacobian(model, q))[1] for q in run.q]
        rank = int(max(np.sum(row > 1e-9 * row[0]) for row in values))
        margins = np.array([row[rank - 1] for row in values]) / values[0][rank - 1]
    return Fall(np.array(rows), margins)


def _mujoco_fall(mechanism: kg.Mechanism, folder: Path, time: float, step: float) -> np.ndarray:
    """The same fall of the written file in MuJoCo, with the file's own step and equations."""
    import mujoco

    path = folder / f"{mechanism.name}-{step}.xml"
    kg.export(mechanism, path, options={"step": str(step)})
    twin, off = mujoco.MjModel.from_xml_path(str(path)), mujoco.mjtDisableBit
    # the file's contacts stay on: links do not touch each other
    for flag in (off.mjDSBL_ACTUATION, off.mjDSBL_LIMIT):
        twin.opt.disableflags |= int(flag)
    model, data = mechanism.compile(), mujoco.MjData(twin)
    bodies = [data.body(name) for name in model.link_names[1:]]
    every, rows = round(0.01 / step), []
    for k in range(round(time / step) + 1):
        if k % every == 0:
            mujoco.mj_forward(twin, data)
            rows.append([body.xpos.copy() for body in bodies])
            gaps = data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
            assert np.abs(gaps).max(initial=0) < 10 * step**2 * max(1.0, model.size), path.name
        mujoco.mj_step(twin, data)
    return np.array(rows)


def _apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The greatest distance in each row [m]."""
    return np.abs(one - other).max(axis=(1, 2))


def _falls_as(mechanism: kg.Mechanism, folder: Path, time: float) -> None:
    """Compare a fall in MuJoCo with that of our own engine.

    MuJoCo's loops give by about the square of its step. Away from singular poses that is all there
    is between the two. In a singular pose the little give decides where the mechanism turns to, and
    in a chaotic swing it grows: there, the two are at most twice as far apart as two runs of MuJoCo
    with steps of which one is twice the other, until these lose each other as well.
    """
    size = mechanism.compile().size
    ours = _our_fall(mechanism, time)
    fine = _mujoco_fall(mechanism, folder, time, FINE)
    errors = _apart(fine, ours.rows) / size
    near = ours.margins < NEAR_SINGULAR
    regular = int(np.argmax(near)) if near.any() else len(near)
    assert regular > 15, mechanism.name  # 0.15 s at least, or nothing is compared
    assert errors[:regular].max() < 2e-6, mechanism.name
    usual = _apart(_mujoco_fall(mechanism, folder, time, STEP), ours.rows) / size
    assert usual[:regular].max() < 5e-4, mechanism.name  # a hundred times the give
    if regular < len(near):
        coarse = _mujoco_fall(mechanism, folder, time, 2 * FINE)
        doubts = np.maximum.accumulate(_apart(fine, coarse) / size)
        known = doubts < LOST
        assert (errors[known] <= 2e-6 + 2 * doubts[known]).all(), mechanism.name


NEAR_SINGULAR = 0.3
"""Smallest singular value of the loops, as a share of that at the start."""
LOST = 0.01
"""Two runs of MuJoCo that are so far apart have nothing in common any more [sizes]."""


def _fallers() -> list[str]:
    """Mechanisms with loops, and three without; not those of whose loops a file holds a part."""
    found = ["arm-6", "humanoid-30", "so101"]
    for name in kg.library_names():
        model = kg.load(name).compile()
        if model.loops and not any(one.kind == "cam" for one in model.couplings):
            found.append(name)
    return found


@pytest.mark.parametrize("name", _fallers())
def test_free_fall_in_mujoco(name: str, tmp_path: Path) -> None:
    pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    _falls_as(frictionless(name), tmp_path, 0.4)


def _for_drake(text: str, loops: set[str]) -> str:
    """What Drake reads: no shapes, and no joints that close loops."""
    root = ElementTree.fromstring(text)
    for model in root.iter("model"):
        for joint in model.findall("joint"):
            if any(joint.get("name") == one for one in loops):
                model.remove(joint)
        for link in model.findall("link"):
            for tag in ("visual", "collision"):
                for element in link.findall(tag):
                    link.remove(element)
    return ElementTree.tostring(root, encoding="unicode")


@pytest.mark.slow
def test_sdf_files_in_drake(tmp_path: Path) -> None:
    plants = peer("drake", "pydrake.multibody.plant")
    parsing = peer("drake", "pydrake.multibody.parsing")
    tree = peer("drake", "pydrake.multibody.tree")
    # loops of random mechanisms cannot be closed, and in SDF they must be
    for mechanism in mechanisms(loop_count=0):
        model = mechanism.compile()
        text = written(mechanism, tmp_path, ".sdf").read_text(encoding="utf-8")
        plant = plants.MultibodyPlant(0.0)
        loops = {joint.name for joint in model.joints if joint.is_cut}
        parsing.Parser(plant).AddModelsFromString(_for_drake(text, loops), "sdf")
        plant.Finalize()
        context = plant.CreateDefaultContext()
        start = export_pose(model) if model.constraint_count else model.zero()
        q, positions = start.copy(), plant.GetPositions(context)
        rng = np.random.default_rng(3)
        # a link that floats has no joint there: it does not move with the link that it floats on
        has_floating_limbs = any(j.type.info.floats and j.parent for j in model.joints)
        for joint in model.joints:
            if joint.is_cut or joint.type.info.nv != 1 or has_floating_limbs:
                continue
            value = rng.uniform(-1, 1)
            q[joint.q] += value
            positions[plant.GetJointByName(joint.name).position_start()] = value
        plant.SetPositions(context, positions)
        ours, theirs = [], []
        for name, X_WF in kg.poses(model, q).items():
            if name == "base":
                continue
            own = f"{name}_link" if plant.HasBodyNamed(f"{name}_link") else name
            frame = plant.GetFrameByName(own)
            _compare(f"{mechanism.name} {name}", frame.CalcPoseInWorld(context).GetAsMatrix4(),
                     X_WF.matrix, 1e-9)  # fmt: skip
            if name in model.link_names:
                J = plant.CalcJacobianSpatialVelocity(
                    context, tree.JacobianWrtVariable.kV, frame, np.zeros(3),
                    plant.world_frame(), plant.world_frame(),
                )  # fmt: skip
                theirs.append(np.vstack([J[3:], J[:3]]))
                ours.append(kg.jacobian(model, q, name))
        if mechanism.name in UNPHYSICAL:
            continue
        both, mine = np.concatenate(theirs), np.concatenate(ours)
        both_tree = tree_variables(model)
        T = np.linalg.lstsq(both, mine[:, both_tree], rcond=None)[0]
        _compare(mechanism.name, both @ T, mine[:, both_tree], 1e-9)  # they move alike
        M = T.T @ plant.CalcMassMatrix(context) @ T
        part = model.blocks.real_part
        rotors = np.diag(part("gear") ** 2 * part("rotor"))
        wanted = (np.asarray(kg.dynamics.mass_matrix(model, q)) - rotors)[
            np.ix_(both_tree, both_tree)
        ]
        _compare(mechanism.name, M, wanted, TINY_MASSES)


def test_loops_of_sdf_files_fit(tmp_path: Path) -> None:
    for name in ("five-bar", "stewart", "delta"):
        mechanism = kg.load(name)
        root = ElementTree.parse(written(mechanism, tmp_path, ".sdf")).getroot()
        model = root.find(".//model")
        assert model is not None
        carried = [joint.findtext("child") for joint in model.findall("joint")]
        twice = {one for one in carried if carried.count(one) > 1}
        assert len(twice) == len({j.closes.onto for j in mechanism.joints.values() if j.closes})


@pytest.mark.slow
def test_usd_files_with_the_library_of_usd(tmp_path: Path) -> None:
    Usd, UsdGeom = peer("usd-core", "pxr.Usd"), peer("usd-core", "pxr.UsdGeom")
    physics, validation = peer("usd-core", "pxr.UsdPhysics"), peer("usd-core", "pxr.UsdValidation")
    registry = validation.ValidationRegistry()
    context = validation.ValidationContext(registry.GetOrLoadAllValidators())
    for mechanism in mechanisms(loop_count=0):
        model = mechanism.compile()
        q = export_pose(model)
        stage = Usd.Stage.Open(str(written(mechanism, tmp_path, ".usda")))
        assert UsdGeom.GetStageUpAxis(stage) == "Z"
        assert UsdGeom.GetStageMetersPerUnit(stage) == 1
        assert [one.GetErrorAsString() for one in context.Validate(stage)] == [], mechanism.name
        prims = {}
        for prim in stage.Traverse():
            own = prim.GetAttribute("kinegen:name")
            prims[prim.GetTypeName(), own.Get() if own.HasValue() else prim.GetName()] = prim

        def place(prim: Any, geom: Any = UsdGeom) -> np.ndarray:
            return np.array(geom.Xformable(prim).ComputeLocalToWorldTransform(0)).T

        for name, X_WF in kg.poses(model, q).items():
            _compare(name, place(prims["Xform", name]), X_WF.matrix, EXACT)
        for row, name in zip(model.inertia[1:], model.link_names[1:], strict=True):
            mass = physics.MassAPI(prims["Xform", name])
            if row[0] > 0:
                assert mass.GetMassAttr().Get() == pytest.approx(row[0], rel=1e-6)
                moments = np.sort(mass.GetDiagonalInertiaAttr().Get())
                xx, yy, zz, xy, xz, yz = row[4:]
                tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
                _compare(name, moments, np.maximum(np.linalg.eigvalsh(tensor), 0), 1e-6)
        joints = [one for one in stage.Traverse() if one.IsA(physics.Joint)]
        moving = [j for j in model.joints if not j.type.info.floats]
        assert len(joints) == len(moving) + 1  # and one that holds the base
        for joint in moving:
            prim = next(p for (kind, n), p in prims.items() if n == joint.name and "Joint" in kind)
            made = physics.Joint(prim)
            assert made.GetExcludeFromArticulationAttr().Get() == joint.is_cut
            ends = []
            for rel, pos, rot in (
                (made.GetBody0Rel(), made.GetLocalPos0Attr(), made.GetLocalRot0Attr()),
                (made.GetBody1Rel(), made.GetLocalPos1Attr(), made.GetLocalRot1Attr()),
            ):
                X = np.eye(4)
                turn = rot.Get()
                X[:3, :3] = kg.SO3([turn.GetReal(), *turn.GetImaginary()]).matrix
                X[:3, 3] = pos.Get()
                ends.append(place(stage.GetPrimAtPath(rel.GetTargets()[0])) @ X)
            # what is between the two frames is the joint's own motion, in single precision
            X_FM = np.linalg.inv(ends[0]) @ ends[1]
            locked = [k for k in range(3) if not _slides(joint, k)]
            _compare(joint.name, X_FM[:3, 3][locked], np.zeros(len(locked)), 2e-6)


def _slides(joint: Any, axis: int) -> bool:
    info = joint.type.info
    letters = [a for a, slides in zip(info.axes, info.is_length, strict=True) if slides]
    return "xyz"[axis] in letters or (info.has_pitch and axis == 2)


@pytest.mark.slow
def test_robots_of_others_leave_as_they_came(tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheel for this platform")
    try:
        found = {file.name: file for file in robot_files("example-robot-data", ".urdf")}
    except NotFetchedError as error:
        pytest.skip(str(error))
    for name in ("panda.urdf", "talos_full_v2.urdf", "anymal.urdf", "allegro_right_hand.urdf"):
        kg.export(kg.load(found[name]), tmp_path / name)
        before, after = (ElementTree.parse(one).getroot() for one in (found[name], tmp_path / name))
        for tag in ("link", "joint"):
            assert {one.get("name") for one in after.findall(tag)} == {
                one.get("name") for one in before.findall(tag)
            }
        twins = [pin.buildModelFromUrdf(str(one)) for one in (found[name], tmp_path / name)]
        q = pin.randomConfiguration(twins[0], -np.ones(twins[0].nq), np.ones(twins[0].nq))
        poses, traces = [], []
        for twin in twins:
            pose, data = pin.neutral(twin), twin.createData()
            for index in range(1, twin.njoints):
                there = twins[0].joints[twins[0].getJointId(twin.names[index])]
                own = twin.joints[index]
                pose[own.idx_q : own.idx_q + own.nq] = q[there.idx_q : there.idx_q + there.nq]
            pin.framesForwardKinematics(twin, data, pose)
            links = sorted(one.get("name", "") for one in before.findall("link"))
            frames = (twin.getFrameId(one, pin.FrameType.BODY) for one in links)
            poses.append(np.array([data.oMf[one].homogeneous for one in frames]))
            M = pin.crba(twin, data, pose)
            traces.append(np.trace(M))
        _compare(name, poses[1], poses[0], 1e-10)
        assert traces[1] == pytest.approx(traces[0], rel=1e-12)
