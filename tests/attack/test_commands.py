"""Commands as nobody would type them: sentences and exit codes, no tracebacks, no warnings."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kinegen.cli import main
from kinegen.cli.main import EXIT_INPUT, EXIT_OK, EXIT_STOPPED, EXIT_USAGE
from tests.support.odd_commands import (
    MECHANISMS,
    NO_MECHANISM,
    VERBS,
    odd_mechanisms,
    odd_numbers,
)
from tests.unit.cli.conftest import surroundings

LONG = frozenset({"touch", "path", "plot", "simulate", "run", "design"})
"""Commands that take their time with some numbers, and no harm: left to the long form."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in MECHANISMS.items():
        Path(f"{name}.raff").write_text(text)


def answers_well(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    code = main([*words, "--json"])
    out, err = capfd.readouterr()
    assert code in (EXIT_OK, EXIT_INPUT, EXIT_USAGE), (words, out)
    assert json.loads(out)["ok"] is (code == EXIT_OK), words
    assert "Traceback" not in err and "encountered in" not in err, words


KNOWN = [
    ["assemble", "nothing.raff", "--modes"],
    ["zone", "nothing.raff", "--turn", "--method", "solver"],
    ["zone", "rigid.raff", "--input", "A"],
    ["zone", "slide.raff", "--step", "20 cm"],
    ["zone", "free.raff", "--step", "20 cm"],
    ["ik", "nothing.raff", "--xyz", "0 0 1"],
    ["map", "fixed.raff", "--box", "0 0 0; 1 1 0", "--points", "2"],
    ["simulate", "rigid.raff", "--time", "20 ms"],
    ["backlash", "five-bar", "--angle", "1e300"],
    ["backlash", "five-bar", "--angle", "1e-320"],
    ["zone", "five-bar", "--step", "1e-320"],
    ["simulate", "five-bar", "--step", "1e-320"],
    ["draw", "puma560", "--q", "waist=1e308"],
    ["design", "five-bar", "--free", "crank", "--goal", "cover", "--box", "0 0 0; 0.1 0.1 0",
     "--points", "8", "--starts", "1", "--tries", "4", "--set", "crank=1e12"],
]  # fmt: skip


@pytest.mark.parametrize("words", KNOWN, ids=" ".join)
def test_what_went_wrong_once(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    answers_well(words, capfd)


def test_mechanisms_with_next_to_nothing(effort: int, capfd: pytest.CaptureFixture[str]) -> None:
    cases = [
        words
        for verb in VERBS
        if verb not in NO_MECHANISM and (effort > 1 or verb not in LONG)
        for words in odd_mechanisms(verb)
    ]
    random.Random(12).shuffle(cases)
    for words in cases[: 40 if effort == 1 else None]:
        answers_well(words, capfd)


def test_numbers_far_out_of_place(effort: int, capfd: pytest.CaptureFixture[str]) -> None:
    cases = [
        words
        for verb in VERBS
        if verb not in LONG
        for words in odd_numbers(verb, "five-bar" if verb != "workspace" else "bionic-3")
    ]
    random.Random(12).shuffle(cases)
    for words in cases[: 50 * effort]:
        answers_well(words, capfd)


INTERRUPTED = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # the tests may run in the background
at, sys.argv = int(sys.argv[1]), ["kinegen", *sys.argv[2:]]
class Finder:
    count = 0
    def find_spec(self, *_):
        Finder.count += 1
        if Finder.count == at:
            signal.raise_signal(signal.SIGINT)
from kinegen.__main__ import main  # as the script that is installed begins
sys.meta_path.insert(0, Finder())
code = main()
sys.exit(code if Finder.count >= at else 99)
"""
"""Ctrl-C while the n-th module after the entry is looked for, the command line itself first."""


@pytest.mark.skipif(os.name == "nt", reason="signals differ on Windows")
@pytest.mark.parametrize("form", [["--json"], []])
def test_ctrl_c_while_modules_are_read(tmp_path: Path, effort: int, form: list[str]) -> None:
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    stride = 60 if effort == 1 else 3
    for at in itertools.chain([1, 2, 3], itertools.count(4, stride)):
        done = subprocess.run(
            [sys.executable, script, str(at), "fk", "five-bar", *form],
            env=surroundings(), capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        if done.returncode == 99:
            assert at > 4  # some were met
            break
        assert done.returncode == EXIT_STOPPED, (at, done.stderr)
        if form:
            assert (json.loads(done.stdout)["error"], done.stderr) == ("stopped", "")
        else:
            # a module that is needed late may come after what was already printed
            assert done.stderr == "kinegen: stopped\n", at


RUNNING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from kinegen.cli import interrupts, main
class Loud(interrupts.Interrupts):
    def __init__(self, code):
        super().__init__(code)
        print("up", file=sys.stderr, flush=True)
interrupts.Interrupts = Loud
sys.exit(main())
"""
"""Says when Ctrl-C is looked after."""


@pytest.mark.skipif(os.name == "nt", reason="signals differ on Windows")
def test_ctrl_c_at_any_moment(effort: int) -> None:
    for turn in range(3 * effort):
        process = subprocess.Popen(
            [sys.executable, "-c", RUNNING, "info", "stewart", "--json"],
            env=surroundings(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stderr is not None
        assert process.stderr.readline() == "up\n"
        try:
            # any wait will do: the answer is a right one at every moment
            process.wait(random.Random(turn).random() * 0.8)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        assert err == ""
        # at the very end Python has given the signal back to the system: shells call it 130 too
        assert process.returncode in (EXIT_OK, EXIT_STOPPED, -signal.SIGINT)
        if process.returncode in (EXIT_OK, -signal.SIGINT):
            assert json.loads(out)["ok"]
        elif out:  # none when it came at the very end, a whole answer when it came after that
            assert json.loads(out)["error"] in ("stopped", None)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device or shell here")
@pytest.mark.parametrize(
    ("streams", "is_lost"),
    [
        (">&-", True),
        (">/dev/full", True),
        (">&- 2>&- <&-", True),
        (">/dev/full 2>/dev/full", True),
        ("2>&-", False),
        ("2>/dev/full <&-", False),
    ],
)
def test_streams_that_are_closed_or_full(effort: int, streams: str, is_lost: bool) -> None:
    """An answer that did not arrive is a failure; complaints that nobody hears are none."""
    forms = {"list": 0, "list --json": 0, "--version": 0, "--help --json": 0, "lst": 2}
    for form, code in list(forms.items())[: None if effort > 1 else 2]:
        done = subprocess.run(
            ["sh", "-c", f"'{sys.executable}' -m kinegen {form} {streams}"],
            env=surroundings(), capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        assert "Traceback" not in done.stderr and "Exception" not in done.stderr, form
        assert done.stderr.count("\n") <= 1, form
        assert done.returncode == (code or (EXIT_INPUT if is_lost else EXIT_OK)), form
