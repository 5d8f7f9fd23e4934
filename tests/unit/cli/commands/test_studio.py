"""``kinegen studio``: what the arguments mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import kinegen as kg
from kinegen.cli import main
from kinegen.cli.commands.studio import EXAMPLES
from kinegen.studio.server import serve
from kinegen.studio.server.serve import Settings
from tests.support.worlds import WHEEL


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Settings, bool]]:
    found: list[tuple[Settings, bool]] = []

    def run(settings: Settings, *, browser: bool = True, say: Any, ready: Any) -> int:
        found.append((settings, browser))
        return 0

    monkeypatch.setattr(serve, "run", run)
    return found


def test_without_arguments(started: list[tuple[Settings, bool]]) -> None:
    assert main(["studio"]) == 0
    ((settings, browser),) = started
    assert settings.first == "stewart" and settings.host == "127.0.0.1" and browser
    assert settings.port is None and settings.folder == Path(".")


def test_a_library_name(started: list[tuple[Settings, bool]]) -> None:
    assert main(["studio", "delta", "--no-browser", "--port", "8123", "--tls"]) == 0
    ((settings, browser),) = started
    assert (settings.first, settings.port, settings.tls, browser) == ("delta", 8123, True, False)


def test_a_file_brings_its_folder(started: list[tuple[Settings, bool]], tmp_path: Path) -> None:
    file = tmp_path / "parts/arm.raff"
    file.parent.mkdir()
    file.write_text("raff: 1\n")
    assert main(["studio", str(file)]) == 0
    assert main(["studio", str(file), "--folder", str(tmp_path)]) == 0
    assert (started[0][0].first, started[0][0].folder) == ("arm.raff", file.parent)
    assert started[1][0].first == "parts/arm.raff"


def test_what_is_not_there_is_reported(
    started: list[tuple[Settings, bool]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["studio", "stewrt"]) == 1
    assert "did you mean 'stewart'" in capsys.readouterr().err
    file = tmp_path / "a.raff"
    file.write_text("raff: 1\n")
    (tmp_path / "b").mkdir()
    assert main(["studio", str(file), "--folder", str(tmp_path / "b")]) == 1
    assert "not in the project folder" in capsys.readouterr().err
    assert started == []


def test_examples_in_the_help_work(
    started: list[tuple[Settings, bool]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my-arm.raff").write_text("raff: 1\n")
    with kg.World(WHEEL) as world:
        world.log("run.mcap")
    for example in EXAMPLES:
        assert main(example.split()[1:]) == 0
    assert len(started) == len(EXAMPLES)


def test_a_log_is_shown_with_its_world(
    started: list[tuple[Settings, bool]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = WHEEL + "sensors: [{name: e, type: encoder, parent: W}]\n"
    with kg.World(text) as world:
        world.log(tmp_path / "run.mcap")
        world.log(tmp_path / "run.csv")
        world.run(0.02)
    assert main(["studio", str(tmp_path / "run.mcap")]) == 0
    settings = started[-1][0]
    assert (settings.first, settings.replay, settings.folder) == ("run.raff", "run.mcap", tmp_path)
    assert (tmp_path / "run.raff").read_text() == text  # written, as there was none
    # a table does not have its world
    assert main(["studio", str(tmp_path / "run.csv")]) == 1
    assert "--world room.raff" in capsys.readouterr().err
    assert main(["studio", str(tmp_path / "run.csv"), "--world", str(tmp_path / "run.raff")]) == 0
    assert (started[-1][0].first, started[-1][0].replay) == ("run.raff", "run.csv")
    assert main(["studio", "delta", "--world", "x.raff"]) == 1
