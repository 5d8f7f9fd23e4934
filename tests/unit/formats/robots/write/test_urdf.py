"""URDF files that are written: names, chains, loops, meshes, notes."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import kinegen as kg
from tests.unit.formats.robots.read.urdf_reader.test_urdf import ARM


def exported(mechanism: kg.Mechanism, folder: Path) -> tuple[ElementTree.Element, tuple[str, ...]]:
    done = kg.export(mechanism, folder / "out.urdf")
    return ElementTree.parse(folder / "out.urdf").getroot(), done.notes


def names(root: ElementTree.Element, tag: str) -> list[str]:
    return [one.get("name", "") for one in root.findall(tag)]


@pytest.mark.parametrize("through", ["", ".raff"])
def test_a_robot_that_was_read_keeps_its_names(tmp_path: Path, through: str) -> None:
    arm = kg.load(ARM, format="urdf")
    if through:  # a RAFF file in between loses nothing
        arm.save(tmp_path / "arm.raff")
        arm = kg.load(tmp_path / "arm.raff")
    root, _ = exported(arm, tmp_path)
    assert root.get("name") == "two-bars"
    assert names(root, "link") == ["base_link", "upper", "fore", "tip"]
    assert names(root, "joint") == ["shoulder", "slide", "end"]
    first = root.find("joint")
    assert first is not None and first.get("type") == "revolute"
    assert [one.get("xyz") for one in first.findall("axis")] == ["0 1 0"]
    limit, dynamics = first.find("limit"), first.find("dynamics")
    assert limit is not None and dynamics is not None
    assert limit.attrib == {"lower": "-1", "upper": "2", "effort": "30", "velocity": "3"}
    assert dynamics.attrib == {"damping": "0.5", "friction": "0.2"}
    again = kg.load(tmp_path / "out.urdf")
    model, other = arm.compile(), again.compile()
    q = [0.7, 0.2]
    wanted, found = kg.poses(model, q), kg.poses(other, q)
    for name in ("base_link", "upper", "fore", "tip"):
        np.testing.assert_allclose(found[name].matrix, wanted[name].matrix, atol=1e-12)
    np.testing.assert_allclose(
        kg.dynamics.mass_matrix(other, q), kg.dynamics.mass_matrix(model, q), atol=1e-12
    )


def test_a_cut_loop_is_said_in_the_file_and_by_the_command(tmp_path: Path) -> None:
    root, notes = exported(kg.load("five-bar"), tmp_path)
    assert notes[0].startswith("loop cut at joint 'C' (revolute), which holds link 'B' to 'D'")
    text = (tmp_path / "out.urdf").read_text(encoding="utf-8")
    assert notes[0] in text[: text.index("<robot")]
    loop = root.find("kinegen/loop")
    assert loop is not None and loop.attrib == {"name": "C", "type": "revolute"}
    starts = {one.get("joint"): float(one.get("value", "")) for one in root.iter("start")}
    assert starts["A"] == pytest.approx(np.pi / 2)
    parent, child = loop.find("parent"), loop.find("child")
    assert parent is not None and parent.get("link") == "B"
    assert child is not None and child.get("link") == "D"


def test_joints_that_urdf_lacks_become_chains(tmp_path: Path) -> None:
    text = """raff: 1
name: types
joints:
  - {name: U, parent: base, type: universal, limits: [[-1, 1], none]}
  - {name: S, parent: U, type: screw, pitch: 0.02, d: 0.2}
  - {name: B, parent: S, type: spherical, d: 0.2, limits: 60 deg}
  - {name: P, parent: base, type: planar}
  - {name: F, parent: base, type: free}
  - {name: L, parent: base, type: prismatic}
  - {name: M, parent: L, shape: none, mass: 0, motor: {torque: 3, gear: 10, inertia: 1e-4},
     spring: {stiffness: 4}}
springs:
  - {name: coil, from: {link: U}, to: {xyz: [0, 0, 1]}, stiffness: 10}
"""
    root, notes = exported(kg.load(text), tmp_path)
    joints = {one.get("name"): one for one in root.findall("joint")}
    kinds = {name: one.get("type") for name, one in joints.items()}
    assert kinds == {
        "U_z": "revolute", "U_x": "continuous", "S": "continuous", "S_advance": "prismatic",
        "B_x": "continuous", "B_y": "continuous", "B_z": "continuous",
        "P_x": "prismatic", "P_y": "prismatic", "P_turn": "continuous",
        "F": "floating", "L": "prismatic", "M": "continuous",
    }  # fmt: skip
    mimic = joints["S_advance"].find("mimic")
    assert mimic is not None and mimic.get("joint") == "S"
    assert float(mimic.get("multiplier", "")) == pytest.approx(0.02 / (2 * np.pi))
    massless = next(one for one in root.findall("link") if one.get("name") == "M")
    assert massless.find("inertial") is None
    said = "\n".join(notes)
    for part in (
        "joints 'U', 'P', 'S', 'B' are written as chains",
        "joint 'B' becomes three hinges",
        "'L' are not limited on both sides",
        "the spring of joint 'M' is left out",
        "spring 'coil' is left out",
        "the rotor of joint 'M' is left out",
        "the swing limit of joint 'B' is left out",
    ):
        assert part in said


def test_meshes_are_copied_and_missing_ones_listed(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    stl = b"solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
    stl += b"endloop\nendfacet\nendsolid s\n"
    (tmp_path / "in" / "part.stl").write_bytes(stl)
    (tmp_path / "in" / "arm.raff").write_text("""raff: 1
joints:
  - {name: A, parent: base, shape: {mesh: part.stl, scale: 0.001}, mass: 1}
  - {name: B, parent: A, shape: gone.stl, mass: 1}
""")
    arm = kg.load(tmp_path / "in" / "arm.raff")
    (tmp_path / "out").mkdir()
    root, notes = exported(arm, tmp_path / "out")
    shape = root.find("link[@name='A']/visual/geometry/mesh")
    assert shape is not None
    assert shape.attrib == {"filename": "out_meshes/part.stl", "scale": "0.001 0.001 0.001"}
    assert (tmp_path / "out" / "out_meshes" / "part.stl").read_bytes() == stl
    assert "mesh 'gone.stl' of link 'B' is left out: there is no such file" in notes
    # the same robot, from the copy
    assert kg.load(tmp_path / "out" / "out.urdf").compile().link_shapes[1] != "none"


def test_included_robots_and_objects(tmp_path: Path) -> None:
    text = """raff: 1
name: two
robots:
  - {name: left, include: five-bar}
  - {name: right, include: five-bar, at: {xyz: [1, 0, 0]}}
objects:
  - {name: table, shape: {box: [1, 1, 0.1]}, fixed: true, at: {xyz: [0, 0, -0.2]}, color: red}
  - {name: ball, shape: {sphere: 0.1}, mass: 0.3}
"""
    root, _ = exported(kg.load(text), tmp_path)
    assert {"left.A", "right.A", "table", "ball"} <= set(names(root, "link"))
    kinds = {one.get("name"): one.get("type") for one in root.findall("joint")}
    assert kinds["table_joint"] == "fixed" and kinds["ball"] == "floating"
    assert len(root.findall("kinegen/loop")) == 2


def test_loops_and_starts_come_back(tmp_path: Path) -> None:
    for name in ("five-bar", "stewart", "slider-crank"):
        mechanism = kg.load(name)
        kg.export(mechanism, tmp_path / "a.urdf")
        again = kg.load(tmp_path / "a.urdf")
        model, other = mechanism.compile(), again.compile()
        assert [model.joints[one.joint].name for one in model.loops] == [
            other.joints[one.joint].name for one in other.loops
        ]
        assert kg.kinematics.loop_gap(other, kg.assemble(other).q).distance < 1e-9
        assert kg.mobility(other).finite == kg.mobility(model).finite
        q, there = kg.assemble(model).q, kg.assemble(other).q
        for link in model.link_names[1:]:
            wanted = kg.pose(model, q, link).matrix
            np.testing.assert_allclose(kg.pose(other, there, link).matrix, wanted, atol=1e-7)


def test_faults_in_the_extension_have_their_place() -> None:
    text = ARM.replace(
        "</robot>",
        """<kinegen>
    <loop name="L" type="hinge"><parent link="upper"/><child link="nowhere"/></loop>
    <start joint="elbow" value="1"/>
    </kinegen></robot>""",
    )
    with pytest.raises(kg.errors.FormatError) as error:
        kg.load(text, format="urdf")
    said = str(error.value)
    assert "loop 'L' has the unknown type 'hinge'" in said and "there is no link 'nowhere'" in said
    assert "there is no joint 'elbow'" in said and "text:35:5: <start>" in said


def test_names_that_raff_does_not_allow_come_back(tmp_path: Path) -> None:
    text = """<robot name="odd"><link name="world"/><link name="base"/><link name="2.arm"/>
      <joint name="hold" type="fixed"><parent link="world"/><child link="base"/>
        <origin xyz="1 0 0"/></joint>
      <joint name="2.arm" type="continuous"><parent link="base"/><child link="2.arm"/>
        <axis xyz="0 1 0"/></joint></robot>"""
    odd = kg.load(text, format="urdf")
    odd.save(tmp_path / "odd.raff")
    root, _ = exported(kg.load(tmp_path / "odd.raff"), tmp_path)
    assert sorted(names(root, "link")) == ["2.arm", "base", "world"]
    assert sorted(names(root, "joint")) == ["2.arm", "hold"]
    assert any("'2.arm'" in one.message for one in odd.remarks)
