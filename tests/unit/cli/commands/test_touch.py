"""``kinegen touch``: both ends, each end alone, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kinegen.cli.main import main
from tests.support.waiting import needs_thread

pytestmark = [needs_thread, pytest.mark.slow]


def test_a_scripted_hand_moves_an_arm(capsys: pytest.CaptureFixture[str]) -> None:
    way = ["--hand", "0 0 0 0; 0.1 50mm 0 0", "--hold", "--time", "0.2 s"]
    assert main(["touch", "arm-6", "--pull", "tool", "--turn", *way, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["mechanism"] == "arm-6" and answer["touch"] == "pull"
    assert answer["seconds"] == pytest.approx(0.2)
    assert answer["packets"]["heard"] > 0 and answer["packets"]["nonsense"] == 0
    # on a busy machine the hand may be silent for a while; what it sends is never too much
    assert answer["haptic"]["ticks"] > 0 and "flood" not in answer["trouble"]
    assert answer["energy_given"] != 0


def test_the_report_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["touch", "arm-6", "--push", "--q", "shoulder=10 deg", "--time", "0.1 s"]) == 0
    out = capsys.readouterr().out
    assert "arm-6: 0.1 s simulated" in out and "a hand on it (push)" in out
    assert "haptic thread" in out and "µs" in out


def test_a_mechanism_stands_on_a_floor_while_it_is_touched(
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = ["touch", "cart", "--pull", "chassis", "--hand", "0 0 0 0", "--time", "0.3 s", "--json"]
    assert main([*given, "--floor"]) == 0
    assert json.loads(capsys.readouterr().out)["seconds"] == pytest.approx(0.3)
    assert main([*given, "--objects"]) == 1
    assert "has no objects" in capsys.readouterr().out


def test_each_end_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["touch", "arm-6", "--listen", "127.0.0.1:0", "--time", "0.05"]) == 0
    out = capsys.readouterr().out
    assert (
        "the mechanism is listening for a hand on port" in out
        and "has not sent anything yet" in out
    )
    assert main(["touch", "--dynamics", "127.0.0.1:9", "--device", "udp", "--time", "0.3"]) == 0
    heard = capsys.readouterr()
    assert "listening for the device of the hand on port" in heard.out
    assert "the device has not sent anything yet" in heard.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "specify the NAME of a mechanism"),
        (["no-such-arm"], "no-such-arm"),
        (["arm-6", "--dynamics", "127.0.0.1:1"], "only the hand"),
        (["arm-6", "--pull", "tool", "--push"], "or --push"),
        (["arm-6", "--pull", "tol"], "tol"),
        (["arm-6", "--device", "phantom"], "phantom"),
        (["arm-6", "--listen", "nowhere"], "nowhere"),
        (["arm-6", "--hand", "0 0 0"], "--hand takes 4 numbers"),
        (["arm-6", "--time", "-1"], "positive time"),
        (["--dynamics", "127.0.0.1:1", "--rate", "0"], "positive rate"),
        (["arm-6", "--rate", "0"], "positive rate"),
        (["arm-6", "--listen", "0.0.0.0:0"], "--new-key"),
        (["--dynamics", "192.0.2.7:5"], "needs a key"),
        (["--dynamics", "127.0.0.1:1", "--supply", "1"], "specify a key"),
        (["arm-6", "--device", "udp", "--device-listen", "0.0.0.0:0"], "needs a key"),
        (["arm-6", "--key-file", "no-such-file", "--listen", "127.0.0.1:0"], "no-such-file"),
        (["arm-6", "--force", "1e9 N"], "force_most"),
        (["arm-6", "--hand", " ; "], "--hand is empty"),
        (["arm-6", "--new-key="], "--new-key is empty"),
        (["arm-6", "--listen", "127.0.0.1:0", "--key-file="], "--key-file is empty"),
        (["arm-6", "--listen="], "--listen is empty"),
        (["--dynamics="], "--dynamics is empty"),
        (["arm-6", "--time", "1 ms", "--key-file", "no-such-file"], "is for links"),
    ],
)
def test_what_cannot_be_is_reported(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert main(["touch", *arguments]) == 1
    assert words in capsys.readouterr().err


def test_a_new_key_opens_the_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = tmp_path / "haptic.key"
    assert main(["touch", "--new-key", str(key)]) == 0
    assert "copy it" in capsys.readouterr().out and len(key.read_text()) == 65
    assert main(["touch", "--new-key", str(key)]) == 1
    assert "no key can be written" in capsys.readouterr().err
    way = ["--listen", "0.0.0.0:0", "--key-file", str(key), "--time", "0.05"]
    assert main(["touch", "arm-6", *way]) == 0


def test_the_device_of_the_file_is_used(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = "raff: 1\njoints: [{name: A, parent: base, mass: 1, motor: true}]\ndevices:\n"
    row = "  - {name: pen, type: %s, moves: A, stiffness: 200 N/m}\n"
    file = tmp_path / "arm.raff"
    file.write_text(text + row % "udp")
    assert main(["touch", str(file), "--time", "0.1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["device"] == "pen" and "the device has not sent" in answer["haptic"]["trouble"]
    file.write_text(text + row % "haply")
    assert main(["touch", str(file), "--service", "127.0.0.1:9"]) == 1
    assert "start Haply Hub" in capsys.readouterr().err
    assert main(["touch", str(file), "--device-listen", "127.0.0.1:0"]) == 1
    assert "is for a udp device, not for haply" in capsys.readouterr().err
    assert main(["touch", str(file), "--hand", "0 0 0 0"]) == 1
    assert "--hand is for a hand device, not for haply" in capsys.readouterr().err
    assert main(["touch", str(file), "--device", "hand", "--time", "0.05"]) == 0
