"""No text, edit or name reads a file from outside the project folder, waits, or never ends."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import kinegen as kg
from kinegen.errors import KinegenError, RaffError, UsageError
from kinegen.formats.mechanisms.object_mesh import object_mesh
from kinegen.raff import reading
from kinegen.raff.opener import Opener
from kinegen.studio.session.compiled_text import CompiledText, TextProblems
from kinegen.studio.session.files.project import LARGEST_TEXT, Project
from kinegen.studio.session.session import Session
from kinegen.studio.wire import messages as wire

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and devices of Unix")
SECRET = "hunter2"
PART = "raff: 1\njoints: [{name: J, parent: base}]\n"

_watching: list[list[str]] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _watching:
        _watching[-1].append(str(arguments[0]))


sys.addaudithook(_hook)  # there is no way to take it away again: it is asleep otherwise


@pytest.fixture
def opened() -> Iterator[list[str]]:
    """Names of all files that this process opens, by whatever way."""
    _watching.append([])
    yield _watching[-1]
    _watching.pop()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A folder with a part, and secrets beside it; one is even a RAFF file."""
    folder = tmp_path / "project"
    (folder / "parts").mkdir(parents=True)
    (folder / "part.raff").write_text(PART)
    (folder / "parts/part.raff").write_text(PART)
    (tmp_path / "secret.txt").write_text(f"{SECRET}: [{SECRET}\n")
    (tmp_path / "secret.raff").write_text(f"raff: 1\n{SECRET}: 1\n")
    (tmp_path / "secret.stl").write_text(f"solid {SECRET}\nfacet\nvertex {SECRET}\n")
    if sys.platform != "win32":
        os.symlink(tmp_path / "secret.raff", folder / "link.raff")
        os.symlink(tmp_path / "secret.stl", folder / "link.stl")
        os.symlink(tmp_path, folder / "up")
    return Project(folder)


def includes(project: Project) -> list[str]:
    """Ways to say a file outside."""
    outside = str(project.folder.parent)
    names = [
        f"{outside}/secret.txt", f"{outside}/secret.raff", "../secret.raff", "../secret.txt",
        "parts/../../secret.raff", "part.raff/../../secret.raff", "./../secret.raff",
        "..\\secret.raff", "parts\\..\\..\\secret.raff", f"{outside}\\secret.raff",
        f"//{outside}/secret.raff", "/etc/passwd", "file:///etc/passwd.raff", "~/secret.raff",
        "secret.raff\0.raff", "../secret.raff\n", "x/" * 200 + "../" * 201 + "secret.raff",
        "up/secret.raff", "link.raff", "C:\\secret.raff", "..", "/", "",
        "../" * 40 + "etc/hostname", "\u2024\u2024/secret.raff", "\uff0e\uff0e/secret.raff",
    ]  # fmt: skip
    return names


def quoted(text: str) -> str:
    """A text as YAML in double quotes, every character as an escape."""
    return '"' + "".join(f"\\U{ord(c):08x}" for c in text) + '"'


def ways(project: Project, name: str) -> Iterator[Callable[[], Any]]:
    """Every way by which a page gets the studio to read what a text names."""
    session = Session(project, text=PART)
    yield lambda: session.edit_structure(wire.AddRobot(0, name="z", include=name, at={}))
    yield lambda: session.open("text", f"raff: 1\nrobots: [{{name: z, include: {quoted(name)}}}]\n")
    hidden = f'raff: 1\n"rob\\x6fts": [{{name: z, "incl\\x75de": {quoted(name)}}}]\n'
    yield lambda: session.open("text", hidden)
    yield (
        lambda: (
            session.open("text", PART, None)
            or session.edit_structure(
                wire.AddJoint(0, name="K", parent="base", row={"shape": name})
            )
        )
    )
    yield lambda: session.edit_structure(wire.SetShape(0, owner="J", shape={"mesh": name}))
    (project.folder / "between.raff").write_text(hidden)
    yield lambda: session.open("text", "raff: 1\nrobots: [{name: y, include: between.raff}]\n")
    yield lambda: session.open("file", "between.raff")
    yield lambda: session.open("file", name)
    yield lambda: project.mesh(name)
    yield lambda: session.save(name, overwrite=True)


@posix
def test_nothing_outside_is_opened_or_quoted(project: Project, opened: list[str]) -> None:
    outside = str(project.folder.parent)
    for name in includes(project):
        for number, way in enumerate(ways(project, name)):
            opened.clear()
            message = ""
            try:
                way()
            except (KinegenError, TextProblems) as error:
                message = str(error)
            # the name that was sent may be quoted, shortened where it is long
            rest = message.replace(name, "").replace(name[:79], "")
            for cut in range(60, len(name)):
                rest = rest.replace(f"'{name[:cut]}…'", "")
            assert SECRET not in message and outside not in rest, (name, number)
            strange = [file for file in opened if "secret" in file or file.startswith("/etc")]
            assert not strange, (name, number)
    assert (project.folder.parent / "secret.raff").read_text() == f"raff: 1\n{SECRET}: 1\n"


def test_text_that_is_typed_reads_nothing_outside(project: Project, opened: list[str]) -> None:
    session = Session(project)
    for name in includes(project):
        opened.clear()
        session.edit_text(f'raff: 1\nrobots: [{{name: z, "incl\\x75de": {quoted(name)}}}]\n')
        assert session.problems, name
        assert SECRET not in str(session.problems)
        assert not [file for file in opened if "secret" in file or file.startswith("/etc")]


@posix
def test_nobody_learns_which_files_there_are_outside(project: Project) -> None:
    def message(name: str) -> list[str]:
        found = []
        for way in ways(project, name):
            try:
                way()
                found.append("done")
            except KinegenError as error:
                found.append(re.sub(r"'[^']*…'", "'NAME'", str(error).replace(name, "NAME")))
        return found

    outside = project.folder.parent
    os.symlink(outside / "nothing.raff", project.folder / "dead.raff")
    for there, missing in (
        (f"{outside}/secret.raff", f"{outside}/missing.raff"),
        ("../secret.raff", "../missing.raff"),
        ("up/secret.raff", "up/missing.raff"),
        ("up/secret.stl", "up/missing.stl"),
        ("link.raff", "dead.raff"),
    ):
        assert message(there) == message(missing)


def test_meshes_outside_are_not_read(project: Project, opened: list[str]) -> None:
    outside = project.folder.parent
    row = "{{name: o, shape: {}}}"
    for name in (f"{outside}/secret.stl", "../secret.stl", "link.stl", "up/secret.stl", "none.stl"):
        compiled = CompiledText.read(f"raff: 1\nobjects: [{row.format(quoted(name))}]\n", project)
        opened.clear()
        with pytest.raises(UsageError) as caught:
            object_mesh(compiled.mechanism, compiled.model, "o")
        assert SECRET not in str(caught.value)
        assert not [file for file in opened if "secret" in file]
    (project.folder / "own.stl").write_text(f"solid x\nvertex {SECRET}\n")
    compiled = CompiledText.read("raff: 1\nobjects: [{name: o, shape: own.stl}]\n", project)
    with pytest.raises(UsageError, match="3 numbers") as caught:
        object_mesh(compiled.mechanism, compiled.model, "o")
    assert SECRET not in str(caught.value), "not even of a mesh that is no mesh"


FOREIGN = [
    f"{SECRET}: 1\n", f"- {SECRET}\n", SECRET, f"raff: [{SECRET}\n", f"raff: 1\nx: {SECRET}: 2\n",
    f"raff: 1\n\t{SECRET}: 1\n", f"'{SECRET}", f"&{SECRET} x", f"*{SECRET}", f"!{SECRET} x",
    f"root:{SECRET}:0:0\n", f"a: 1\na: 2\n{SECRET}: 3\n", f"{{{SECRET}: {{", f"%{SECRET}\n---\n",
    f"# raff: 1\n{SECRET}\n", "", "\0" + SECRET, f"? {SECRET}\n: raff\n",
    f"x: {{raff: {SECRET}}}\n",
]  # fmt: skip


@pytest.mark.parametrize(
    "content", [*(text.encode() for text in FOREIGN), b"raff: 1\n\xff", b"\xff\xfer"]
)
def test_files_that_are_not_raff_are_not_quoted(project: Project, content: bytes) -> None:
    (project.folder / "part.raff").write_bytes(content)
    text = "raff: 1\nrobots: [{name: z, include: part.raff}]\n"
    for load in (
        lambda: CompiledText.read(text, project),
        lambda: kg.load(text, folder=project.folder),
        lambda: Session(project).edit_structure(
            wire.AddRobot(0, name="z", include="part.raff", at={})
        ),
    ):
        with pytest.raises(KinegenError, match="it is not a RAFF file") as caught:
            load()
        message = str(caught.value)
        assert SECRET not in message and "0x" not in message and len(message) < 200


@posix
def test_devices_pipes_and_endless_files_are_refused(tmp_path: Path) -> None:
    """In a process with little memory that is ended when it waits."""
    os.mkfifo(tmp_path / "pipe.raff")
    (tmp_path / "folder.raff").mkdir()
    for name, target in (
        ("zero", "/dev/zero"), ("random", "/dev/urandom"), ("stdin", "/dev/stdin"),
        ("mem", "/proc/self/mem"), ("pagemap", "/proc/self/pagemap"), ("fd", "/proc/self/fd/0"),
        ("tty", "/dev/tty"), ("full", "/dev/full"), ("loop", "loop.raff"),
        ("environ", "/proc/self/environ"),
    ):  # fmt: skip
        os.symlink(target, tmp_path / f"{name}.raff")
    code = """
import resource, sys
import kinegen as kg
from kinegen.errors import KinegenError
from kinegen.curves.stl import read_stl
from kinegen.studio.session.files.project import Project
from kinegen.studio.wire import messages as wire
from kinegen.studio.session.compiled_text import CompiledText
import os
folder = sys.argv[1]
limit = 3 << 30
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
project = Project(folder)
for name in sorted(os.listdir(folder)) + ["/dev/zero", "/dev/stdin"]:
    text = f"raff: 1\\nrobots: [{{name: z, include: {name}}}]\\n"
    for read in (
        lambda: kg.load(text, folder=folder),
        lambda: kg.load(os.path.join(folder, name)),
        lambda: CompiledText.read(text, project),
        lambda: project.read(name),
        lambda: project.store(name, b"raff: 1\\n") if name == "pipe.raff" else project.read(name),
        lambda: read_stl(os.path.join(folder, name)),
    ):
        try:
            read()
        except KinegenError as error:
            assert "PATH=" not in str(error), error
        else:
            assert name == "pipe.raff", name
print("done")
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.stdout == "done\n", done.stderr


@posix
def test_links_that_change_all_the_time_never_lead_out(project: Project, effort: int) -> None:
    """A folder and a file are exchanged with links to the outside while they are read."""
    outside, folder = project.folder.parent / "outside", project.folder
    outside.mkdir()
    (outside / "part.raff").write_text(SECRET)
    (folder / "swap").mkdir()
    (folder / "swap/part.raff").write_text(PART)
    os.symlink(outside, folder / "other")
    ended = threading.Event()

    def exchange() -> None:
        while not ended.is_set():
            for step in (
                ("swap", "spare"),
                ("other", "swap"),
                ("swap", "other"),
                ("spare", "swap"),
            ):
                os.rename(folder / step[0], folder / step[1])

    thread = threading.Thread(target=exchange, daemon=True)
    thread.start()
    seen: Counter[str] = Counter()
    end = time.monotonic() + effort
    try:
        while time.monotonic() < end:
            try:
                seen[project.read("swap/part.raff")] += 1
            except UsageError as error:
                seen[str(error)] += 1
    finally:
        ended.set()
        thread.join()
    assert not [text for text in seen if SECRET in text]
    assert seen[PART]


def clique(folder: Path, count: int, rows: int) -> None:
    for i in range(count):
        robots = "".join(
            f"  - {{name: r{k}, include: f{(i + k + 1) % count}.raff}}\n" for k in range(rows)
        )
        (folder / f"f{i}.raff").write_text(f"raff: 1\nrobots:\n{robots}")


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each text is parsed."""
    counts: Counter[str] = Counter()
    parse = reading.parse_source

    def count(text: str, file: str) -> Any:
        counts[file] += 1
        return parse(text, file)

    monkeypatch.setattr(reading, "parse_source", count)
    return counts


@pytest.mark.parametrize("rows", [1, 11, 40])
def test_circles_are_found_with_each_file_read_once(
    project: Project, parsed: Counter[str], opened: list[str], rows: int, effort: int
) -> None:
    for count in (2, 12, 30 * effort):
        clique(project.folder, count, rows)
        parsed.clear()
        opened.clear()
        with pytest.raises(TextProblems) as caught:
            CompiledText.read((project.folder / "f0.raff").read_text(), project, "f0.raff")
        messages = " ".join(problem.message for problem in caught.value.problems)
        assert "files include each other: f" in messages or "nested more than 16" in messages
        assert max(parsed.values()) == 1 and len(parsed) <= count
        assert max(Counter(file for file in opened if file.startswith("f")).values()) == 1


def test_what_files_make_together_is_bounded(project: Project, parsed: Counter[str]) -> None:
    """Fifteen small files that include each other twice, or often, or with much in the last."""
    long = "+".join(["a"] * 199)
    frames = "".join(f"- {{name: f{i}, parent: base}}\n" for i in range(99))
    sums = ", ".join(f"p{i}: {long}" for i in range(50))
    for fan, name, leaf in (
        (2, "r", PART + "# " + "x" * 400),
        (9, "r", PART),
        (2, "r" * 90, PART),
        (3, "r" * 90, f"raff: 1\nparameters: {{a: 1, {sums}}}\n"),
        (4, "r", f"raff: 1\nframes:\n{frames}"),
    ):  # fmt: skip
        for i in range(14):
            robots = "".join(
                f"  - {{name: {name}{k}, include: f{i + 1}.raff}}\n" for k in range(fan)
            )
            (project.folder / f"f{i}.raff").write_text(f"raff: 1\nrobots:\n{robots}")
        (project.folder / "f14.raff").write_text(leaf)
        parsed.clear()
        with pytest.raises(TextProblems, match="after this include"):
            CompiledText.read((project.folder / "f0.raff").read_text(), project, "f0.raff")
        assert max(parsed.values()) == 1
    assert LARGEST_TEXT == 4 * 2**20


@posix
def test_a_folder_within_itself_has_an_end(project: Project, parsed: Counter[str]) -> None:
    """Links to the folder itself give a file any number of names; it is still one file."""
    for name in ("a", "b", "c"):
        os.symlink(project.folder, project.folder / name)
    rows = "".join(f"  - {{name: {n}, include: {n}/x.raff}}\n" for n in ("a", "b", "c"))
    (project.folder / "x.raff").write_text(f"raff: 1\nrobots:\n{rows}")
    with pytest.raises(RaffError, match="files include each other"):
        kg.load(project.folder / "x.raff")
    assert len(parsed) == 1
    with pytest.raises(TextProblems, match="files include each other"):
        CompiledText.read((project.folder / "x.raff").read_text(), project, "x.raff")


def test_an_interrupt_ends_reading_wherever_it_comes(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "raff: 1\nrobots: [{name: z, include: part.raff}]\n"

    def interrupted(*arguments: object) -> Any:
        raise KeyboardInterrupt

    for where, name in (
        (Opener, "find"), (Opener, "_read"), (os, "read"), (os, "open"), (os, "stat"),
        (reading, "decode"), (reading, "parse_source"), (reading, "check_numbers"),
    ):  # fmt: skip
        session = Session(project, text=PART)
        with monkeypatch.context() as patch:
            patch.setattr(where, name, interrupted)
            with pytest.raises(KeyboardInterrupt):
                session.open("text", text)
            with pytest.raises(KeyboardInterrupt):
                kg.load(text, folder=project.folder)
        session.open("text", text)
        assert "z.J" in [joint.name for joint in session.work.model.joints]


@posix
def test_control_c_ends_a_load(project: Project) -> None:
    clique(project.folder, 40, 39)
    code = (
        "import signal, sys, kinegen as kg\n"
        "from kinegen.errors import RaffError\n"
        "kg.load('five-bar')\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    try:\n"
        "        kg.load(sys.argv[1])\n"
        "    except RaffError:\n"
        "        pass\n"
    )
    command = [sys.executable, "-c", code, str(project.folder / "f0.raff")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == b"ready\n"
            process.send_signal(2)
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert b"KeyboardInterrupt" in errors


NAMES = [
    "con.raff", "COM\u00b9.raff", "CONIN$.raff", "lpt\u00b2.raff", "aux.b.raff", "a\nb.raff",
    "a\x1b[2Jb.raff", "a\u202eb.raff", "a\u200b.raff", "\ufeffa.raff", "a<b.raff", "a>b.raff",
    'a"b.raff', "a|b.raff", "a?b.raff", "a*b.raff", "a:b.raff", "a /b.raff", "a./b.raff",
    "x/nul/b.raff", "ä" * 128 + ".raff", "a\0.raff", "a\udcff.raff", " a.raff", ".a.raff",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_that_some_systems_cannot_hold_are_refused(project: Project, name: str) -> None:
    before = sorted(os.listdir(project.folder))
    session = Session(project, text=PART)
    mesh = name.replace(".raff", ".stl")
    for attempt in (
        lambda: session.save(name),
        lambda: session.open("file", name),
        lambda: project.store(name, PART.encode()),
        lambda: project.store(mesh, b"solid x\nfacet\n"),
        lambda: project.mesh(mesh),
        lambda: project.opener().find(name),
        lambda: project.opener(name),
        lambda: project.opener().content(mesh),
    ):
        with pytest.raises(UsageError) as caught:
            attempt()
        assert str(caught.value).isprintable()
    assert sorted(os.listdir(project.folder)) == before
    if not name.startswith("."):  # hidden files are refused in the studio alone
        with pytest.raises((UsageError, OSError)):
            kg.load(PART).save(project.folder / name)
        with pytest.raises(UsageError):
            Opener(str(project.folder)).find(name)
    assert sorted(os.listdir(project.folder)) == before
