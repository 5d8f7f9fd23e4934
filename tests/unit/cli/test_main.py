"""The command itself: help, exit codes, errors as sentences, pipes, interrupts."""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import signal
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path

import pytest

from kinegen.cli import main
from kinegen.cli.main import COMMANDS, EXIT_INPUT, EXIT_OK, EXIT_STOPPED, EXIT_USAGE
from kinegen.cli.run import run_command
from tests.unit.cli.conftest import Run, surroundings
from tests.unit.hull.test_camera_file import fill

pytestmark = pytest.mark.slow

WRITTEN = [verb for verb in COMMANDS if importlib.util.find_spec(f"kinegen.cli.commands.{verb}")]

TAKE_A_MECHANISM = {
    "info": (),
    "fk": (),
    "draw": (),
    "tour": (),
    "assemble": (),
    "ik": ("--xyz", "0 0 0"),
    "drag": ("--to", "0 0 0"),
    "workspace": (),
    "zone": (),
    "backlash": ("--angle", "1 deg"),
}
"""Commands whose first word is a mechanism, with what else they need."""


def test_without_a_command_the_help_is_shown(run: Run) -> None:
    code, out, err = run()
    assert (code, err) == (EXIT_OK, "")
    for verb, summary in COMMANDS.items():
        assert f"{verb} " in out
        assert summary in out
    assert "example: kinegen info puma560\n" in out


@pytest.mark.parametrize("verb", WRITTEN)
def test_every_command_has_help_with_an_example_and_json(run: Run, verb: str) -> None:
    code, out, err = run(verb, "--help")
    assert (code, err) == (EXIT_OK, "")
    assert f"examples:\n  kinegen {verb}" in out
    assert "--json" in out
    assert COMMANDS[verb].split()[-1] in out


UNENDING = ("bridge", "calibrate", "head", "studio")
"""Commands that run until they are interrupted, or that need a camera or a hand at a real robot:
tests of their own start them."""


@pytest.mark.parametrize("verb", [verb for verb in WRITTEN if verb not in ("convert", *UNENDING)])
def test_examples_in_the_help_work(run: Run, verb: str, tmp_path: Path) -> None:
    """What people copy must run: files that examples name are made first."""
    module = importlib.import_module(f"kinegen.cli.commands.{verb}")
    arm = "raff: 1\nname: my-arm\njoints: [{name: A, parent: base}, {name: B, parent: A, d: 1}]\n"
    arm += "motions: [{name: wave, joints: [A], times: [0, 1], values: [[0], [1]]}]\n"
    (tmp_path / "my-arm.raff").write_text(arm)
    fill(tmp_path)  # cameras.yaml with its pictures
    for example in module.EXAMPLES:
        words = [word.replace("*.raff", "my-arm.raff") for word in shell_words(example)]
        code, _, err = run(*words)
        complaints = [line for line in err.splitlines() if "poses/s" not in line]  # progress
        assert (code, complaints) == (EXIT_OK, []), example


def shell_words(line: str) -> list[str]:
    command, _, _ = line.partition("|")
    return shlex.split(command, comments=True)[1:]


def test_the_version_is_one_line(run: Run) -> None:
    code, out, _ = run("--version")
    assert code == EXIT_OK
    assert out.startswith("kinegen ")
    assert out.count("\n") == 1


@pytest.mark.parametrize(
    ("word", "hint"), [("lst", "did you mean 'list'?"), ("FK", "did you mean 'fk'?"), ("zzz", ";")]
)
def test_an_unknown_command_is_a_usage_error_with_a_hint(run: Run, word: str, hint: str) -> None:
    code, out, err = run(word, "puma560")
    assert (code, out) == (EXIT_USAGE, "")
    assert err.startswith(f"kinegen: there is no command '{word}'")
    assert hint in err
    assert ", ".join(COMMANDS) in err


@pytest.mark.parametrize(
    "words",
    [("info",), ("fk",), ("check",), ("info", "puma560", "--nonsense"), ("--nonsense",),
     ("list", "extra"), ("draw", "puma560", "--theme", "pink"), ("fk", "puma560", "--q")],
)  # fmt: skip
def test_what_is_not_understood_is_exit_code_2(run: Run, words: tuple[str, ...]) -> None:
    code, out, err = run(*words)
    assert (code, out) == (EXIT_USAGE, "")
    assert "usage: kinegen" in err


@pytest.mark.parametrize("verb", TAKE_A_MECHANISM)
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fourbar", "'fourbar' is neither in the library nor a file; did you mean 'four-bar'?"),
        ("qqqq", "'qqqq' is neither in the library nor a file; library: 3-rrr, "),
        ("nope.raff", "file 'nope.raff' does not exist"),
        ("some/folder/arm.raff", "file 'some/folder/arm.raff' does not exist"),
        (".", "'.' is a folder; choose a .raff file"),
    ],
)
def test_a_mechanism_that_is_not_there(run: Run, verb: str, name: str, message: str) -> None:
    code, out, err = run(verb, name, *TAKE_A_MECHANISM[verb])
    assert (code, out) == (EXIT_INPUT, "")
    assert err.startswith(f"kinegen: {message}")
    code, out, err = answer = run(verb, name, *TAKE_A_MECHANISM[verb], "--json")
    assert (code, err) == (EXIT_INPUT, "")
    assert answer.data["ok"] is False
    assert answer.data["problems"][0]["message"].startswith(message)


@pytest.mark.parametrize("verb", TAKE_A_MECHANISM)
def test_a_file_with_problems_lists_them_with_their_places(
    run: Run, verb: str, file: object
) -> None:
    path = file("raff: 1\njoints:\n  - {name: A, parent: bose}\n  - {name: B, tpye: fixed}\n")  # type: ignore[operator]
    code, out, err = run(verb, path, *TAKE_A_MECHANISM[verb])
    assert (code, out) == (EXIT_INPUT, "")
    lines = err.splitlines()
    assert len(lines) >= 3  # the parent, the key, the missing parent
    assert all(line.startswith(f"{path}:") for line in lines)
    assert f"{path}:3:23: " in err
    code, _, err = answer = run(verb, path, *TAKE_A_MECHANISM[verb], "--json")
    assert (code, err) == (EXIT_INPUT, "")
    assert len(answer.data["problems"]) == len(lines)
    assert answer.data["problems"][0]["line"] == 3


@pytest.mark.parametrize("content", [b"\xff\xfe\x00binary\x80", b"\x89PNG\r\n\x1a\n\0\0", b""])
def test_files_that_are_no_text_are_reported(run: Run, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "picture.raff"
    path.write_bytes(content)
    code, _, err = run("info", path)
    assert code == EXIT_INPUT
    assert err.startswith(f"{path}:1:")


def test_an_error_of_the_system_is_one_sentence(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "secret.raff")

    monkeypatch.setattr("kinegen.cli.options.arguments.load", refuse)
    code, out, err = run("info", "puma560")
    assert (code, out, err) == (EXIT_INPUT, "", "kinegen: secret.raff: Permission denied\n")


def test_a_warning_is_one_sentence(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def warn() -> list[str]:
        warnings.warn("mind the gap", RuntimeWarning, stacklevel=1)
        return ["four-bar"]

    monkeypatch.setattr("kinegen.cli.commands.list.library_names", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        code, _, err = run("list")
    assert (code, err) == (EXIT_OK, "kinegen: mind the gap\n")


def test_an_interrupt_stops_without_a_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kinegen.cli.commands.list.load_raff", interrupt)
    code, out, err = run("list")
    assert (code, out, err) == (EXIT_STOPPED, "", "kinegen: stopped\n")


def test_an_interrupt_that_a_library_swallows_stops_all_the_same(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Counted:
        count = 0

        def end(self) -> None:
            pass

    interrupts = Counted()

    def swallow() -> list[str]:
        interrupts.count += 1
        return []

    monkeypatch.setattr("kinegen.cli.commands.list.library_names", swallow)
    assert run_command(["list", "--json"], interrupts) == EXIT_STOPPED  # type: ignore[arg-type]
    out, err = capsys.readouterr()
    assert (json.loads(out)["error"], err) == ("stopped", "")


def test_an_unknown_set_of_kernels_is_a_sentence(shell: Run) -> None:
    code, _, err = shell("info", "four-bar", KINEGEN_KERNELS="fast")
    assert code == EXIT_INPUT
    assert err == "kinegen: KINEGEN_KERNELS='fast' is not valid; use native or reference\n"


def test_arguments_come_from_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["kinegen", "list", "--json"])
    assert main() == EXIT_OK


@pytest.mark.parametrize(
    "words",
    [
        ("fk", "bionic-3", "--q", "-90deg,0,0"),
        ("fk", "bionic-3", "--q", "-1 -1 -1"),
        ("fk", "bionic-3", "--q", "-pi/4,0,0"),
        ("draw", "bionic-3", "--view", "-30,20"),
    ],
)
def test_values_may_begin_with_a_minus(run: Run, words: tuple[str, ...]) -> None:
    assert run(*words).code == EXIT_OK


# Pipes and terminals, in a process of their own


@pytest.mark.skipif(os.name == "nt", reason="pipes close differently on Windows")
@pytest.mark.parametrize(
    "words", [("list",), ("--help",), ("schema",), ("info", "stewart", "--json")]
)
def test_a_reader_that_goes_away_is_no_error(words: tuple[str, ...]) -> None:
    """As in ``kinegen list | head -1``: the pipe is closed before anything is written."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "kinegen", *words],
        stdout=writer,
        stderr=subprocess.PIPE,
        env=surroundings(),
        check=False,
    )
    os.close(writer)
    assert done.stderr == b""
    assert done.returncode == EXIT_OK


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_one_sentence() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "kinegen", "list"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=surroundings(),
            text=True,
            check=False,
        )
    assert done.stderr == "kinegen: No space left on device\n"
    assert done.returncode == EXIT_INPUT


@pytest.mark.skipif(os.name == "nt", reason="signals differ on Windows")
def test_ctrl_c_stops_a_running_command(tmp_path: Path) -> None:
    """A command that takes long is interrupted as by a terminal."""
    loop = tmp_path / "wait.py"
    loop.write_text(
        "import signal, time, sys\nfrom kinegen.cli import main\n"
        # when the tests run in the background, all processes ignore it by default
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import kinegen.cli.commands.list as command\n"
        "def wait(name):\n    print('waiting', file=sys.stderr, flush=True)\n    time.sleep(600)\n"
        "command.load_raff = wait\nsys.exit(main(['list']))\n"
    )
    process = subprocess.Popen(
        [sys.executable, str(loop)], env=surroundings(), stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert err == "kinegen: stopped\n"
    assert process.returncode == EXIT_STOPPED


AS_MODULE = """
import runpy, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Finder:
    def find_spec(self, name, *_):
        if name == "kinegen.cli":
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finder())
sys.argv = ["kinegen", "list"]
runpy.run_module("kinegen", run_name="__main__")
"""
"""``python -m kinegen`` and Ctrl-C as soon as it imports something."""


@pytest.mark.skipif(os.name == "nt", reason="signals differ on Windows")
def test_ctrl_c_while_the_command_line_is_imported() -> None:
    done = subprocess.run(
        [sys.executable, "-c", AS_MODULE],
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (EXIT_STOPPED, "", "kinegen: stopped\n")


def test_the_installed_script_begins_where_ctrl_c_is_caught() -> None:
    project = Path(__file__).parents[3] / "pyproject.toml"
    if not project.exists():
        pytest.skip("not the source tree")
    scripts = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["scripts"]
    assert scripts == {"kinegen": "kinegen.__main__:main"}


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("ascii", ("list",)),
        ("ascii", ("info", "stewart")),
        ("ascii", ("fk", "four-bar")),
        ("ascii", ("fk", "--help")),
        ("ascii", ("tour", "four-bar")),
        ("ascii", ("schema",)),
        ("ascii", ("info", "stewart", "--json")),
        ("ascii", ("check", "four-bar")),
        ("cp1252", ("fk", "four-bar")),
        ("latin-1", ("info", "stewart")),
    ],
)
def test_terminals_without_unicode_get_plain_characters(
    shell: Run, encoding: str, words: tuple[str, ...]
) -> None:
    code, out, err = shell(*words, PYTHONIOENCODING=encoding)
    assert (code, err) == (EXIT_OK, "")
    if encoding == "ascii":
        assert out.isascii()
    if words == ("fk", "four-bar"):
        lines = out.splitlines()
        assert lines[1].startswith("-------  ")
        # the columns still line up: every row is as wide as the rule below the header
        assert {len(line) for line in lines[1:]} == {len(lines[1])}


def test_json_keeps_its_characters_on_a_terminal_without_unicode(shell: Run, file: object) -> None:
    path = file("raff: 1\ntitle: Gelenkgetriebe für die Übung\n")  # type: ignore[operator]
    answer = shell("info", path, "--json", PYTHONIOENCODING="ascii")
    assert answer.data["title"] == "Gelenkgetriebe für die Übung"


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text elsewhere")
def test_a_file_name_that_is_no_text_can_be_reported(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable.encode(), b"-m", b"kinegen", b"check", b"arm\xff.raff"],
        env=surroundings() | {"PYTHONUTF8": "1"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == EXIT_INPUT
    assert b"Traceback" not in done.stderr
    assert b"does not exist" in done.stdout
