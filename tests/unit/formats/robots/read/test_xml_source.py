"""XML files: places of elements, encodings, and texts that are hostile or broken."""

from __future__ import annotations

from pathlib import Path

import pytest

import kinegen as kg
from kinegen.formats.problems import FormatProblems
from kinegen.formats.robots.read.xml_source import XmlSource

PLAIN = '<robot name="r"><link name="a{}"/></robot>'


def test_places_are_those_of_the_start_tags() -> None:
    text = (
        "<?xml version='1.0'?>\n<!-- <a> in a comment -->\n<r>\n"
        "  <a x='>'/><b><![CDATA[<c>]]></b>\n\t<d\n  y='1'/>\n</r>"
    )
    source = XmlSource(text, "f.xml")
    places = {one.tag: source.place(one)[1:] for one in source.root.iter()}
    assert places == {"r": (3, 1), "a": (4, 3), "b": (4, 13), "d": (5, 2)}


def test_a_declaration_on_several_lines_moves_no_place() -> None:
    source = XmlSource("<?xml\nversion='1.0'\r\n?>\n<r>\n<a/></r>", "f.xml")
    assert [source.place(one)[1:] for one in source.root.iter()] == [(4, 1), (5, 1)]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (PLAIN.format("é").encode("utf-8"), "aé"),
        (b"\xef\xbb\xbf" + PLAIN.format("é").encode("utf-8"), "aé"),
        (PLAIN.format("é").encode("utf-16"), "aé"),
        (
            b'<?xml version="1.0" encoding="ISO-8859-1"?>' + PLAIN.format("é").encode("latin-1"),
            "aé",
        ),
    ],
)
def test_encodings(tmp_path: Path, data: bytes, name: str) -> None:
    (tmp_path / "r.urdf").write_bytes(data)
    mechanism = kg.load(tmp_path / "r.urdf")
    listed = " ".join(one.message for one in mechanism.remarks)
    assert name in mechanism.frames or f"'{name}'" in listed or name in mechanism.to_raff()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (PLAIN.format("é").encode("latin-1"), r"is not UTF-8 text \(byte 30\)"),
        (b'<?xml version="1.0" encoding="utf-8"?><robot name="\xe9"/>', "is not UTF-8 text"),
        (b'<?xml version="1.0" encoding="klingon"?><robot/>', "encoding 'klingon' is unknown"),
        (b'<?xml version="1.0" encoding="zip"?><robot/>', "encoding 'zip' is unknown"),
        (b"\xff\xfe\x00", "is not utf-16"),
    ],
)
def test_wrong_encodings_are_reported(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "r.urdf").write_bytes(data)
    with pytest.raises(kg.errors.KinegenError, match=said):
        kg.load(tmp_path / "r.urdf")


def test_entity_bombs_are_refused_before_they_are_read() -> None:
    rows = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">\n' for i in range(1, 12))
    text = f'<!DOCTYPE r [\n<!ENTITY e0 "ha">\n{rows}]>\n<robot name="&e11;"/>'
    with pytest.raises(FormatProblems, match="2:1: the file declares the entity 'e0'"):
        XmlSource(text, "bomb.urdf")
    outside = '<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>\n<robot name="&e;"/>'
    with pytest.raises(FormatProblems, match="the file declares the entity 'e'"):
        XmlSource(outside, "file.urdf")


def test_deep_nesting_is_no_crash() -> None:
    text = "<robot name='r'>" + "<a>" * 100_000 + "</a>" * 100_000 + "</robot>"
    with pytest.raises(kg.errors.KinegenError, match="the robot has no links"):
        kg.load(text + "\n", format="urdf")


def test_ten_thousand_joints() -> None:
    """In an order in which every link comes before its parent."""
    count = 10_000
    joint = '<joint name="j{0}" type="continuous"><parent link="l{1}"/><child link="l{0}"/></joint>'
    links = "".join(f'<link name="l{i}"/>' for i in range(count, -1, -1))
    joints = "".join(joint.format(i, i - 1) for i in range(count, 0, -1))
    mechanism = kg.load(f'<robot name="r">\n{links}{joints}</robot>', format="urdf")
    assert len(mechanism.joints) == count and "l10000" in mechanism.frames


def test_inertias_of_no_body_are_reported() -> None:
    body = (
        '<link name="{}"><inertial><mass value="1"/>'
        '<inertia ixx="{}" iyy="1" izz="{}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )
    joint = '<joint name="j{0}" type="fixed"><parent link="a"/><child link="{0}"/></joint>'
    rows = [body.format("a", 1, 1), body.format("b", 1, 5), body.format("c", 1, 9)]
    rows += [body.format("d", -2, 1), joint.format("b"), joint.format("c"), joint.format("d")]
    text = '<robot name="r">\n' + "\n".join(rows) + "\n</robot>"
    found = {(one.line, one.message) for one in kg.load(text, format="urdf").remarks}
    assert found == {
        (3, "the inertia of link 'b' (and of 1 other) violates the triangle inequality of "
            "principal moments"),
        (5, "the inertia of link 'd' has a negative principal moment"),
    }  # fmt: skip


def test_meshes_outside_of_the_project_are_not_found(tmp_path: Path) -> None:
    from kinegen.formats.load import as_raff
    from kinegen.mechanism.load import make_opener

    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "secret.stl").write_bytes(b"solid\nendsolid\n")
    mesh = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
    for name in ("package://../secret.stl", "package://p/../../secret.stl", "../secret.stl",
                 str(tmp_path / "secret.stl"), f"file://{tmp_path}/secret.stl"):  # fmt: skip
        text = f'<robot name="r"><link name="a">{mesh.format(name)}</link></robot>\n'
        read = as_raff(text, "r.urdf", make_opener(project, root=project)).text
        # the same whether there is such a file or not
        where = "its package" if name.startswith("package") else "the project folder"
        assert f"it leads out of {where}" in read and "mesh:" not in read, name
