"""xacro files: expanded in a process with limits, includes confined, errors with their place."""

from __future__ import annotations

from pathlib import Path

import pytest

import kinegen as kg
from kinegen.formats.load import as_raff
from kinegen.formats.robots.read.urdf_reader import xacro
from kinegen.formats.robots.read.urdf_reader.xacro_run import Refused, check_expression
from kinegen.mechanism.load import make_opener

pytestmark = pytest.mark.slow

pytest.importorskip("xacro", reason="xacro files are expanded by the package xacro")

MACRO = """<robot xmlns:xacro="http://ros.org/wiki/xacro">
<xacro:property name="length" value="0.5"/>
<xacro:macro name="bar" params="name parent">
  <link name="${name}"/>
  <joint name="to_${name}" type="continuous">
    <parent link="${parent}"/><child link="${name}"/><origin xyz="0 0 ${2*length}"/>
    <axis xyz="0 1 0"/>
  </joint>
</xacro:macro>
</robot>
"""
ARM = """<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro">
<xacro:include filename="$(find bars)/urdf/bar.xacro"/>
<xacro:arg name="first" default="upper"/>
<link name="ground"/>
<xacro:bar name="$(arg first)" parent="ground"/>
<xacro:bar name="fore" parent="$(arg first)"/>
</robot>
"""


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("project")
    (home / "bars" / "urdf").mkdir(parents=True)
    (home / "bars" / "urdf" / "bar.xacro").write_text(MACRO)
    (home / "robots").mkdir()
    (home / "robots" / "arm.xacro").write_text(ARM)
    return home / "robots" / "arm.xacro"


def test_macros_packages_and_arguments(arm: Path) -> None:
    mechanism = kg.load(arm, options={"args": "first:=shoulder"})
    assert list(mechanism.joints) == ["to_shoulder", "to_fore"]
    pose = kg.pose(mechanism.compile(), {"to_fore": 0.0}, "fore")
    assert pose.translation == pytest.approx([0, 0, 2])


def test_in_a_project_nothing_outside_of_it_is_read(arm: Path) -> None:
    project = make_opener(arm.parent, root=arm.parent.parent)
    assert "to_upper" in as_raff(ARM, "arm.xacro", project).text
    confined = make_opener(arm.parent, root=arm.parent)
    direct = ARM.replace("$(find bars)/urdf/bar.xacro", str(arm.parents[1] / "bars/urdf/bar.xacro"))
    for text in (ARM, direct):
        with pytest.raises(
            kg.errors.KinegenError, match=r"'bar\.xacro' is outside of the project folder"
        ):
            as_raff(text, "arm.xacro", confined)


@pytest.mark.parametrize(
    ("inner", "said"),
    [
        ("<link name='a'>", "not well-formed XML: mismatched tag"),
        ("<link name='${gone}'/>", "arm.xacro:2:15: name 'gone' is not defined"),
        ("<xacro:include filename='gone.xacro'/>", "the included file 'gone.xacro' was not found"),
        ("<xacro:include filename='arm.xacro'/>", "the file includes itself"),
        ("<link name='${().__class__}'/>", "the name '__class__' is not allowed here"),
        ("<link name='${[x.gi_frame for x in [1]]}'/>", "the name 'gi_frame' is not allowed here"),
        ("<link name='${9**99999999}'/>", "the power is too large"),
        ("<xacro:macro name='m' params=''><xacro:m/></xacro:macro><xacro:m/>", "without end"),
        ("<xacro:macro name='m' params=''/>", "no links: it defines macros"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, inner: str, said: str) -> None:
    file = tmp_path / "arm.xacro"
    file.write_text(f'<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">\n{inner}\n</robot>')
    with pytest.raises(kg.errors.KinegenError) as caught:
        kg.load(file)
    assert said in str(caught.value)


def test_entities_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "arm.xacro"
    file.write_text('<!DOCTYPE x [<!ENTITY e "ha">]><robot name="${1}">&e;</robot>')
    with pytest.raises(kg.errors.KinegenError, match="declares the entity 'e'"):
        kg.load(file)


def test_what_takes_too_long_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xacro, "SECONDS", 1)
    text = "<robot name='${[1 for a in range(10**9) for b in range(10**9) if 0]}'/>"
    with pytest.raises(kg.errors.KinegenError, match="more than 1 s"):
        xacro.expand(text, "slow.xacro", make_opener(tmp_path))


@pytest.mark.parametrize("text", ["a*2 + math.sin(b.c)", "[x for x in y]", "'a' in b", "-185*deg"])
def test_expressions_that_only_compute_are_allowed(text: str) -> None:
    check_expression(text)


@pytest.mark.parametrize(
    "text",
    ["(x for x in y)", "lambda: 1", "'{0.a}'.format(b)", "a._b", "f'{a}'", "__import__('os')"],
)
def test_expressions_that_do_more_are_refused(text: str) -> None:
    with pytest.raises(Refused):
        check_expression(text)
