"""--json means JSON always: one document of one shape on standard output, for every command.

A new command is covered as soon as it is in COMMANDS: it is run on a mechanism, with what
tests/support/odd_commands.py says that it needs.
"""

from __future__ import annotations

import errno
import importlib
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kinegen.cli import main
from kinegen.cli.main import (
    COMMANDS,
    EXIT_DEFECT,
    EXIT_INPUT,
    EXIT_OK,
    EXIT_STOPPED,
    EXIT_USAGE,
)
from tests.support.bridged import be_patient
from tests.support.odd_commands import NEEDED, NO_MECHANISM, options_of

ARM = "raff: 1\nname: arm\nparameters: {L: 0.3}\njoints:\n  - {name: A, parent: base, motor: {}}\n"
ARM += "  - {name: B, parent: A, d: L}\nframes: [{name: tool, parent: B, d: L}]\n"

Answer = tuple[int, Any, str]
Ask = Callable[..., Answer]


def open_and_close(settings: object, *, browser: bool, say: Any, ready: Any) -> int:
    """A studio that ends at once."""
    say("lines for people")
    ready(SimpleNamespace(link="http://127.0.0.1:8137/", port=8137, certificate=None))
    return 0


def words_of(verb: str, mechanism: str = "arm.raff") -> list[str]:
    """A call of a command that does something, and soon."""
    needed = list(NEEDED.get(verb, []))
    if verb in ("ik", "drag"):
        needed[1] = "0.3 0.3 0"
    if verb in ("path", "plot"):
        needed[3], needed[5] = "0.3 0.3 0", "0.3 0.2 0"
    if verb == "grasp":
        needed[1] = "0.3 0.3 0"
    if verb == "design":
        needed += ["--range", "L=0.1:1", "--box", "0.3 0.3 0; 0.31 0.31 0"]
    if verb == "backlash":
        needed += ["--angle", "1 deg"]
    if verb == "zone":
        needed += ["--input", "A", "--step", "30 deg"]
    return [verb, *([] if verb in NO_MECHANISM else [mechanism]), *needed]


@pytest.fixture
def ask(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Run a command; its exit code, its one document and what is on standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("kinegen.studio.server.serve.run", open_and_close)
    be_patient(monkeypatch)
    Path("arm.raff").write_text(ARM)

    def refuse(word: str) -> float:
        raise ValueError(f"{word} is no JSON")

    def run(*words: str) -> Answer:
        code = main(list(words))
        out, err = capfd.readouterr()
        data = json.loads(out, parse_constant=refuse)
        assert isinstance(data, dict)
        assert data["ok"] is (code == EXIT_OK)
        if data["ok"]:
            assert (data["error"], data["problems"]) == (None, [])
        else:
            assert isinstance(data["error"], str) and data["error"]
            assert "\n" not in data["error"]
            assert data["problems"] and all(problem["message"] for problem in data["problems"])
        assert "Traceback" not in err
        return code, data, err

    return run


@pytest.mark.parametrize("verb", COMMANDS)
def test_success_has_what_was_found(ask: Ask, verb: str) -> None:
    code, data, _ = ask(*words_of(verb), "--json")
    assert code == EXIT_OK, data
    assert data.keys() - {"ok", "error", "problems"}


@pytest.mark.parametrize("verb", COMMANDS)
def test_words_that_are_not_understood(ask: Ask, verb: str) -> None:
    code, data, err = ask(*words_of(verb), "--nonsense", "--json")
    assert (code, err) == (EXIT_USAGE, "")
    assert "--nonsense" in data["error"]
    # wherever it stands; and no option is abbreviated
    assert ask("--json", *words_of(verb), "--nonsense")[0] == EXIT_USAGE
    assert ask(verb, "--json", "--jso")[0] == EXIT_USAGE
    assert ask(*words_of(verb), "--json=1")[0] == EXIT_USAGE


@pytest.mark.parametrize("verb", [verb for verb in COMMANDS if verb not in NO_MECHANISM])
def test_files_that_are_not_there_or_have_problems(ask: Ask, verb: str) -> None:
    code, data, err = ask(*words_of(verb, "nope.raff"), "--json")
    assert (code, err) == (EXIT_INPUT, "")
    assert "nope.raff" in data["problems"][0]["message"] + data["problems"][0].get("file", "")
    Path("bad.raff").write_text("raff: 1\njoints: [{name: A, parent: bose}, {name: B}]\n")
    code, data, err = ask(*words_of(verb, "bad.raff"), "--json")
    assert (code, err) == (EXIT_INPUT, "")
    assert len(data["problems"]) == 2
    assert {"file", "line", "column", "message"} == data["problems"][0].keys()


VALUED = [
    (verb, option)
    for verb in COMMANDS
    for option in (action.option_strings[0] for action in options_of(verb))
    if option in ("--q", "--out")
]


@pytest.mark.parametrize(("verb", "option"), VALUED)
def test_values_that_cannot_be_used(ask: Ask, verb: str, option: str) -> None:
    code, data, _ = ask(*words_of(verb), option, "no/where.csv", "--json")
    assert code == EXIT_INPUT
    assert option in data["error"]


@pytest.mark.parametrize(
    "words", [["--help"], ["--version"], [], *([verb, "--help"] for verb in COMMANDS)]
)
def test_help_and_version(ask: Ask, words: list[str]) -> None:
    code, data, err = ask(*words, "--json")
    assert (code, err) == (EXIT_OK, "")
    assert data.get("help", "").startswith("usage: kinegen") or data["version"]


@pytest.mark.parametrize(
    ("raised", "code", "message"),
    [
        (KeyboardInterrupt(), EXIT_STOPPED, "stopped"),
        (OSError(errno.ENOSPC, "No space left on device", "x.svg"), EXIT_INPUT, "x.svg: No space"),
        (MemoryError(), EXIT_INPUT, "not enough memory"),
        (OverflowError("math range error"), EXIT_INPUT, "too large or too small"),
        (RuntimeWarning("overflow encountered in multiply"), EXIT_INPUT, "too large or too small"),
        (LookupError("who knows"), EXIT_DEFECT, "LookupError: who knows: this is a defect"),
    ],
)
def test_whatever_is_raised(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, raised: BaseException, code: int, message: str
) -> None:
    def fail(_: object) -> int:
        print("half an answer")
        raise raised

    module = importlib.import_module("kinegen.cli.commands.list")
    monkeypatch.setattr(module, "run", fail)
    found, data, err = ask("list", "--json")
    assert found == code
    assert message in data["error"]
    assert err == "half an answer\n"


def test_an_answer_is_replaced_when_the_command_fails_after_it(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kinegen.cli.answers import print_json

    def fail(_: object) -> int:
        print_json({"mechanisms": []})
        return 3

    module = importlib.import_module("kinegen.cli.commands.list")
    monkeypatch.setattr(module, "run", fail)
    code, data, _ = ask("list", "--json")
    assert (code, data["error"]) == (3, "it ended with exit code 3")


def test_a_name_after_two_dashes_is_no_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--", "--json"]) == EXIT_INPUT
    out, err = capsys.readouterr()
    assert out == "" and "'--json' is neither" in err
