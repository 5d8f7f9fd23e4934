"""Robot files that are wrong, through every door: a clear message with file, line and column.

Each case is a folder of files whose first is opened: by ``kg.load``, by ``kinegen check`` and by an
upload to the studio. ``REFUSED`` files are errors; ``READ`` ones open, and a remark says what is
wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.cli.main import main
from kinegen.formats.robots.read.conversion import mechanism as conversion
from kinegen.studio.server.uploading.folders import FolderUploads
from kinegen.studio.server.uploading.quota import Quota
from kinegen.studio.session.files.project import Project
from kinegen.studio.session.files.sources import text_of
from kinegen.studio.session.reading.readers import Reader
from kinegen.studio.wire.messages import UploadFile

pytestmark = pytest.mark.slow

pytest.importorskip("mujoco", reason="MJCF files are read by MuJoCo")
pytest.importorskip("xacro", reason="xacro files are read by the package xacro")

BIG = "100 MB"
"""In place of a file's content: so many zeros."""
REFUSED, READ = True, False


def urdf(inner: str) -> str:
    return f'<robot name="r">\n{inner}\n</robot>\n'


def xacro(inner: str) -> str:
    return (
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        f'<xacro:macro name="all" params="k">\n{inner}\n</xacro:macro><xacro:all k="1"/></robot>\n'
    )


def sdf(inner: str) -> str:
    return f"<sdf version='1.9'><model name='m'>\n{inner}\n</model></sdf>\n"


def mjcf(inner: str) -> str:
    return f'<mujoco model="m">\n{inner}\n</mujoco>\n'


def joint(name: str, parent: str, child: str) -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="continuous">{ends}</joint>'


@dataclass(frozen=True)
class Dialect:
    """How one format writes the same things; each stands in line 2 where nothing else is said."""

    suffix: str
    file: Callable[[str], str]
    sound: str
    mesh: str
    inertial: str
    """With a mass and the third principal moment."""
    chain: Callable[[int], str]


ARM = f'<link name="a"/><link name="b"/>{joint("j", "a", "b")}'
URDF_MESH = '<link name="a"><visual><geometry><mesh filename="{}"/></geometry></visual></link>'
URDF_BODY = (
    '<link name="a"/><link name="b"><inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="{}"/>'
    f"</inertial></link>{joint('j', 'a', 'b')}"
)
SDF_MASS = "<inertial><mass>{}</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>{}</izz></inertia>"
SDF_SHAPE = "<visual name='v'><geometry><mesh><uri>{}</uri></mesh></geometry></visual>"
MJCF_BODY = '<body name="{}"><joint name="{}j"/><geom size="1"/>'


def urdf_chain(count: int) -> str:
    links = "".join(f'<link name="l{i}"/>' for i in range(count + 1))
    return links + "\n".join(joint(f"j{i}", f"l{i}", f"l{i + 1}") for i in range(count))


def sdf_chain(count: int) -> str:
    links = "".join(
        f"<link name='l{i}'>{SDF_MASS.format(1, 1)}</inertial></link>" for i in range(count + 1)
    )
    return links + "\n".join(
        f"<joint name='j{i}' type='revolute'><parent>l{i}</parent><child>l{i + 1}</child>"
        "<axis><xyz>0 0 1</xyz></axis></joint>"
        for i in range(count)
    )


def mjcf_chain(count: int) -> str:
    bodies = "\n".join(MJCF_BODY.format(f"l{i}", f"l{i}") for i in range(count))
    return f"<worldbody>{bodies}{'</body>' * count}</worldbody>"


DIALECTS = {
    "urdf": Dialect("urdf", urdf, ARM, URDF_MESH, URDF_BODY, urdf_chain),
    "xacro": Dialect("xacro", xacro, ARM, URDF_MESH, URDF_BODY, urdf_chain),
    "sdf": Dialect(
        "sdf",
        sdf,
        f"<link name='a'>{SDF_MASS.format(1, 1)}</inertial></link>",
        f"<link name='a'>{SDF_MASS.format(1, 1)}</inertial>{SDF_SHAPE}</link>",
        f"<link name='b'>{SDF_MASS}</inertial></link>",
        sdf_chain,
    ),
    "mjcf": Dialect(
        "xml",
        mjcf,
        f"<worldbody>{MJCF_BODY.format('a', 'a')}</body></worldbody>",
        '<asset><mesh name="m" file="{}"/></asset><worldbody><body name="a"><joint/><geom '
        'type="mesh" mesh="m"/></body></worldbody>',
        '<worldbody><body name="b"><joint/><inertial pos="0 0 0" mass="{}" diaginertia="1 1 {}"/>'
        "</body></worldbody>",
        mjcf_chain,
    ),
}

Case = tuple[Mapping[str, str], bool, str]
"""Files, the first of which is opened; whether it is refused; what is said, file and line first."""


def cases() -> dict[str, Case]:
    """Every case by its name."""
    made: dict[str, Case] = {}
    for name, one in DIALECTS.items():
        robot = f"r.{one.suffix}"
        mesh = REFUSED if name == "mjcf" else READ  # MuJoCo reads meshes: masses follow from them

        def add(what: str, text: str, is_refused: bool, said: str, **more: str) -> None:
            others = {file.replace("_", "."): content for file, content in more.items()}
            made[f"{name}: {what}"] = {robot: text, **others}, is_refused, said  # noqa: B023

        sound = one.file(one.sound)
        end = sound.rindex("</")
        add("malformed", sound[:end] + "</oops>\n", REFUSED, "{}:3:.*: .*not well-formed XML")
        bomb = '<!DOCTYPE r [<!ENTITY a "aa">\n<!ENTITY b "&a;&a;">]>\n'
        add("entities", bomb + sound, REFUSED, "{}:1:14: the file declares the entity 'a'")
        lost = one.file(one.mesh.format("gone.stl"))
        add("missing mesh", lost, mesh, r"{}:2:\d+: .*mesh .*'gone\.stl'.*no such file")
        out = one.file(one.mesh.format("package://r/../../up/gone.stl"))
        said = r"{}:2:\d+: .*mesh .*(leads out of|no such file)"
        add("out of its package", out, mesh, said)
        big = one.file(one.mesh.format("big.stl"))
        said = r"{}:2:\d+: .*(mesh 'big\.stl' (has 100 MB|.*no such file)|big\.stl)"
        add("mesh of 100 MB", big, mesh, said, big_stl=BIG)
        said = r"{}:2:\d+: .*(mass of link 'b' is -1 kg|mass and inertia)"
        add("negative mass", one.file(one.inertial.format(-1, 1)), REFUSED, said)
        said = r"{}:2:\d+: .*(inertia of link 'b' violates the triangle|inertia must satisfy)"
        add("invalid inertia", one.file(one.inertial.format(1, 5)), mesh, said)
        said = r"{}:2:\d+: .*(nan|mass and inertia)"
        add("inertia that is no number", one.file(one.inertial.format(1, "nan")), REFUSED, said)
        said = r"{}:(2|11|12|13):\d+: the robot has 1\d joints; the limit is 10"
        add("too many joints", one.file(one.chain(12)), REFUSED, said)
    for name in ("urdf", "xacro"):
        one = DIALECTS[name]
        for what, more in (
            ("two roots", f'<link name="c"/>\n<link name="d"/>{joint("k", "c", "d")}'),
            ("a link that nothing connects", '<link name="c"/>'),
        ):
            said = r"{}:3:1: link 'c' is not connected to the robot, whose root is 'a'"
            files = {f"r.{one.suffix}": one.file(f"{one.sound}\n{more}")}
            made[f"{name}: {what}"] = files, REFUSED, said
        said = r"{}:2:\d+: the links form a cycle"
        files = {f"r.{one.suffix}": one.file(one.sound + joint("k", "b", "a"))}
        made[f"{name}: a cycle"] = files, REFUSED, said
    two = "<link name='b'><inertial/></link>" + DIALECTS["sdf"].sound
    apart = two + "\n<joint name='j' type='fixed'><parent>a</parent><child>c</child></joint>"
    said = r"{}:3:\d+: <child> names 'c', which is not in model 'm'"
    made["sdf: a link that is not there"] = {"r.sdf": sdf(apart)}, REFUSED, said
    made |= {
        "xacro: cyclic includes": (
            {"r.xacro": xacro('\n<xacro:include filename="s.xacro"/>'),
             "s.xacro": xacro("").replace("<robot", "\n<robot").replace(
                 "</robot>", '<xacro:include filename="r.xacro"/></robot>')},
            REFUSED, r"{folder}s\.xacro:\d+:\d+: the file includes itself: r.xacro → s.xacro → r",
        ),
        "mjcf: cyclic includes": (
            {"r.xml": mjcf('<include file="s.xml"/>'),
             "s.xml": '<mujocoinclude>\n<include file="r.xml"/></mujocoinclude>'},
            REFUSED, r"{folder}s\.xml:2:1: the file includes itself: r\.xml → s\.xml → r\.xml",
        ),
        "sdf: cyclic includes": (
            {"r.sdf": sdf("<include><uri>s.sdf</uri></include>"),
             "s.sdf": sdf("\n<include><uri>s.sdf</uri></include>")},
            REFUSED, r"{folder}s\.sdf:3:1: the file includes itself: .*s\.sdf → .*s\.sdf",
        ),
        "xacro: missing include": (
            {"r.xacro": xacro("").replace("</r", '<xacro:include filename="s.xacro"/></r')},
            REFUSED, r"{}:3:\d+: the included file 's\.xacro' was not found",
        ),
        "mjcf: missing include": (
            {"r.xml": mjcf('<include file="../../s.xml"/>')},
            REFUSED, r"{}:2:1: the included file '../../s\.xml' was not found",
        ),
        "sdf: missing include": (
            {"r.sdf": sdf("<include><uri>model://gone</uri></include>")},
            REFUSED, r"{}:2:1: the included model 'model://gone' was not found",
        ),
        "xacro: unknown name": (
            {"r.xacro": xacro('<link name="${gone}"/>')},
            REFUSED, r"{}:2:\d+: name 'gone' is not defined",
        ),
    }  # fmt: skip
    return made


CASES = cases()


@pytest.fixture(autouse=True)
def few_joints(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit that small files reach."""
    monkeypatch.setattr(conversion, "JOINT_LIMIT", 10)


def put(folder: Path, files: Mapping[str, str]) -> Path:
    """Write the files of a case; the first of them."""
    folder.mkdir()
    for name, content in files.items():
        place = folder / name
        place.write_text("" if content == BIG else content)
        if content == BIG:
            with place.open("r+b") as file:
                file.truncate(100 * 2**20)
    return folder / next(iter(files))


def check(said: str, pattern: str, file: str) -> None:
    folder = file[: file.rindex("/") + 1]
    wanted = pattern.replace("{folder}", re.escape(folder)).replace("{}", re.escape(file))
    assert re.search(wanted, said, re.MULTILINE), said


@pytest.mark.parametrize("case", CASES)
def test_loading(case: str, tmp_path: Path) -> None:
    files, is_refused, pattern = CASES[case]
    file = put(tmp_path / "r", files)
    if not is_refused:
        said = "\n".join(map(str, kg.load(file).remarks))
    else:
        with pytest.raises(kg.errors.FormatError) as caught:
            kg.load(file)
        said = str(caught.value)
    check(said, pattern, file.as_posix())


@pytest.mark.parametrize("case", CASES)
def test_the_command_line(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files, is_refused, pattern = CASES[case]
    file = put(tmp_path / "r", files)
    assert main(["check", str(file)]) == (1 if is_refused else 0)
    said = capsys.readouterr().out
    if not is_refused:  # notes name the line of the file that is checked
        pattern = pattern.replace(r"{}:2:\d+: ", "{}: note: line 2: ")
    check(said, pattern, file.as_posix())


@pytest.mark.parametrize("case", CASES)
def test_an_upload_to_the_studio(case: str, tmp_path: Path) -> None:
    files, is_refused, pattern = CASES[case]
    put(tmp_path / "sent", files)
    (tmp_path / "project").mkdir()
    project = Project(tmp_path / "project")
    uploads = FolderUploads(project, Quota(project.folder, tmp_path / "state", 10_000))
    sent = {name: (tmp_path / "sent" / name).read_bytes() for name in files}
    plan = uploads.start(1, "r", [UploadFile(path, len(data)) for path, data in sent.items()])
    if BIG in files.values():
        (passed,) = plan.passed_over
        assert passed.reason == "it has 100 MB; files of its kind may have at most 50 MB"
    for path in plan.wanted:
        Project(uploads.place(plan.key, path)).store(path, sent[path])
    uploads.finish(1, plan.key)
    uploads.close()
    robot = f"r/{next(iter(files))}"
    if is_refused:
        with pytest.raises(kg.errors.KinegenError) as caught:
            text_of(project, Reader(), "file", robot)
        said = str(caught.value)
    else:
        opened = text_of(project, Reader(), "file", robot)
        assert opened.imported is not None
        remarks = opened.imported.remarks
        said = "\n".join(f"{o.file}:{o.line}:{o.column}: {o.message}" for o in remarks)
    check(said, pattern, robot)
    assert str(tmp_path) not in said, "a message shows where the project is"
