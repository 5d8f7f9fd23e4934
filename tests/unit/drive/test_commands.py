"""``kinegen drive`` and ``kinegen calibrate`` over the virtual bus."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.cli import main
from tests.support.bridged import ARM, be_patient
from tests.support.live import StudioThread
from tests.support.waiting import wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
pytest.importorskip("scservo_sdk", reason="feetech-servo-sdk is not installed")

TEXT = ARM.replace("MASS", "0.1").replace("{viscous: 0.01}", "{coulomb: 0.3, viscous: 0.01}")
TEXT = TEXT.replace("torque: 3", "torque: 3, speed: 4")
STEP = 0.03
"""Steps of the encoder, and how far friction keeps the arm from its goal [rad]."""


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    be_patient(monkeypatch)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "arm.raff").write_text(TEXT, encoding="utf-8")
    return tmp_path / "arm.raff"


@pytest.fixture(scope="module")
def bridge() -> Iterator[kg.bridges.Bridge]:
    with kg.bridges.Bridge(kg.load(TEXT), ["feetech"], gravity=[0, 0, 0], hold=True) as made:
        yield made


def shown(bridge: kg.bridges.Bridge, name: str) -> float:
    return float(bridge.state.servos[name].position)


@contextlib.contextmanager
def pressed(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Space is pressed when the event is set."""
    space = threading.Event()

    @contextlib.contextmanager
    def keys() -> Iterator[Callable[[], str]]:
        yield lambda: " " if space.is_set() else ""

    monkeypatch.setattr("kinegen.cli.commands.drive.pressed_keys", keys)
    yield space


def words(bridge: kg.bridges.Bridge, file: Path, *more: str) -> list[str]:
    return [str(file), "--to", bridge.endpoints["feetech"], "--as", "feetech", "--yes", *more]


def test_it_follows_the_page_and_stops_when_the_page_is_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    codes: list[int] = []
    options = {"gravity": [0, 0, 0], "hold": True}
    with (
        StudioThread(tmp_path) as studio,
        kg.bridges.Bridge("so101", ["feetech"], **options) as arm,
    ):
        page = studio.page(open="so101")
        port = arm.endpoints["feetech"]
        command = ["drive", "so101", "--to", port, "--as", "feetech", "--yes", "--speed", "1",
                   "--follow", studio.link]  # fmt: skip
        thread = threading.Thread(target=lambda: codes.append(main(command)))
        thread.start()
        for pan in (0.4, -0.2):
            page.pose(np.array([pan, 0, 0.3, 0, 0, 0.5]))
            wait_for(lambda pan=pan: abs(shown(arm, "shoulder_pan") - pan) < STEP)
        wait_for(lambda: abs(shown(arm, "elbow_flex") - 0.3) < STEP)
        page.leave()
        thread.join(60)
    assert codes == [130]
    assert "stopped: no page shows the session; the motors hold" in capsys.readouterr().out


def test_space_stops_a_motion(
    bridge: kg.bridges.Bridge, file: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    codes: list[int] = []
    command = ["drive", *words(bridge, file, "--q", "lift=1.5", "--speed", "0.02")]
    with pressed(monkeypatch) as space:
        thread = threading.Thread(target=lambda: codes.append(main(command)))
        thread.start()
        wait_for(lambda: shown(bridge, "lift") > 0.005)
        space.set()
        thread.join(60)
    assert codes == [130]
    assert "stopped: by the user; the motors hold" in capsys.readouterr().out
    assert shown(bridge, "lift") < 1.4 and bridge.state.servos["lift"].on


def test_a_wiggle_finds_friction_and_writes_it(
    bridge: kg.bridges.Bridge, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ("--wiggle", "--joints", "lift", "--amplitude", "12 deg", "--period")
    # a busy computer reads fewer samples per second: it moves the joint longer, as the error says
    for period in ("2 s", "10 s", "30 s"):
        code = main(["calibrate", *words(bridge, file, *more, period)])
        if code == 0:
            break
        assert "move it longer" in capsys.readouterr().err
    assert code == 0
    said = capsys.readouterr().out
    assert "lift: dry friction 0." in said and " ± " in said and "N m s/rad" in said
    found = kg.load(file).joints["lift"]
    assert found.friction is not None
    # strokes are led by the servo: a busy computer reads fewer samples, not others
    assert float(found.friction["coulomb"].evaluate({})) == pytest.approx(0.3, rel=0.2)
    assert found.backlash is not None
    assert kg.load(file).joints["hand"].backlash is None  # which was not asked for
