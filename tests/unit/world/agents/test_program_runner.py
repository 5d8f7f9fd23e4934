from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import kinegen as kg
from tests.support.worlds import WHEEL

GOOD = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "hello":
        open("hello.json", "w").write(line)
    elif asked["type"] == "reset":
        print(line, end="", file=open("reset.json", "w"))
    elif asked["type"] == "step":
        print(json.dumps({"command": {"W": 3.0}, "step": asked["step"]}), flush=True)
    elif asked["type"] == "end":
        open("end", "w").close()
        break
"""


def run(folder: Path, program: str, time: float = 0.3, *, keys: str = "") -> kg.World:
    (folder / "agent.py").write_text(program)
    command = json.dumps([sys.executable, "agent.py"])
    text = f"agents: [{{name: a, command: {command}, hold: 0.1, rate: 100{keys}}}]\n"
    (folder / "w.raff").write_text(WHEEL + text)
    one = kg.World(folder / "w.raff")
    one.run(time)
    return one


def told(one: kg.World) -> list[str]:
    one.close()
    return [event.message for event in one.events]


def test_a_program_drives_a_motor(tmp_path: Path) -> None:
    one = run(tmp_path, GOOD, keys=", options: {gain: 2}")
    assert one.signals["W.velocity"].value == pytest.approx(3.0, rel=1e-3)
    one.restore(one.snapshot())
    assert told(one) == []
    hello = json.loads((tmp_path / "hello.json").read_text())
    assert hello["agent"] == "a" and hello["options"] == {"gain": 2} and hello["rate"] == 100
    assert hello["commands"] == {"W.target": {"unit": "rad/s", "shape": []}}
    assert hello["signals"]["W.velocity"] == {"unit": "rad/s", "shape": []}
    assert json.loads((tmp_path / "reset.json").read_text())["time"] == pytest.approx(0.3)
    assert (tmp_path / "end").exists()


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import sys; input(); sys.exit('no battery')", "ended with exit code 1: no battery"),
        # they end then: nobody waits for another answer
        ("print('hello?', flush=True); input()", "printed 'hello\\?', which is not"),
        ("print('[1]', flush=True); input()", "an answer is "),
        ("print('{\"W\": 3}', flush=True); input()", "answered with 'W'"),
        ("import time; time.sleep(60)", "has not answered within 0.3 s"),
    ],
)
def test_one_that_fails_is_named_and_the_world_continues(
    tmp_path: Path, program: str, message: str
) -> None:
    import re

    keys = ", timeout: 0.3" if "within 0.3 s" in message else ", timeout: 20"
    one = run(tmp_path, program, keys=keys)
    found = told(one)
    assert one.time == pytest.approx(0.3)
    assert re.search(message, found[0]), found
    assert found[-1] == "agent 'a' sent no command: its motors brake"


def test_a_command_that_does_not_exist_is_named(tmp_path: Path) -> None:
    text = "agents: [{name: a, command: no-such-program-here, hold: 0.1}]\n"
    with kg.World(WHEEL + text) as one:
        one.run(0.05)
        assert one.events[0].message.startswith("agent 'a' cannot be started: ")


FLOOD = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "step":
        for _ in range(500):
            print(json.dumps({"command": {"W": -1.0}, "step": -1}))
        print(json.dumps({"command": {"W": 3.0}, "step": asked["step"]}), flush=True)
        break
"""


def test_one_that_floods_is_named(tmp_path: Path) -> None:
    one = run(tmp_path, FLOOD, keys=", timeout: 20")
    found = told(one)
    assert any("agent 'a' sent " in message for message in found), found
    assert one.signals["W.target"].value in (0.0, 3.0)  # never what it said to no question


DEAF = """
import json, os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open("pid.part", "w").write(str(os.getpid()))
os.rename("pid.part", "pid")
for line in sys.stdin:
    if json.loads(line)["type"] == "step":
        print(json.dumps({"command": {}}), flush=True)
time.sleep(600)
"""
KILLED = """
import os, signal, sys
import kinegen as kg
world = kg.World("w.raff")
world.run(0.02)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_program_that_ignores_the_end_of_its_input_dies_with_a_world_that_is_killed(
    tmp_path: Path,
) -> None:
    run(tmp_path, DEAF, 0).close()  # writes the files; nobody was asked, nothing ran
    done = subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, check=False)
    assert done.returncode == -signal.SIGKILL
    number = int((tmp_path / "pid").read_text())
    end = time.monotonic() + 60
    while _lives(number):
        assert time.monotonic() < end, "the program still runs"
        time.sleep(0.05)


def _lives(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{number}/stat")  # killed, and nobody has asked for its exit code yet
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")
