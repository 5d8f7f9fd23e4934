"""``kinegen head``: a film of a face moves the head of a session's wall."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kinegen as kg
from kinegen.cli.main import main
from kinegen.devices.head.sources import HeadPackets, Sight
from kinegen.errors import UsageError
from tests.support.live import FakePage, StudioThread
from tests.unit.devices.head.test_faces import shown

WALL = """raff: 1
joints: [{name: A, parent: base}]
wall:
  screens: [{name: a, lower_left: [-1, 1, 1], lower_right: [1, 1, 1], upper_left: [-1, 1, 2]}]
  eye: [0, 0, 1.6]
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[StudioThread]:
    with StudioThread(tmp_path) as served:
        yield served


@pytest.fixture
def page(served: StudioThread) -> Iterator[FakePage]:
    page = served.page(open="four-bar")
    page.ask("edit_text", text=WALL)
    yield page
    page.leave()


def test_a_film_of_a_face_moves_the_head_of_the_wall(
    served: StudioThread, page: FakePage, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cv2 = pytest.importorskip("cv2")
    skimage = pytest.importorskip("skimage")
    face = cv2.imread(str(Path(skimage.__file__).parent / "data" / "astronaut.png"))
    film = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(film), cv2.VideoWriter_fourcc(*"MJPG"), 30, (640, 480))
    assert writer.isOpened()
    for _ in range(8):
        writer.write(shown(face, 1.0, 370, 240))
    writer.release()
    words = ["head", served.link, "--session", page.session, "--camera", str(film)]
    assert main([*words, "--smoothing", "0", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["read"] == answer["found"] == 8
    # the camera is over the screen, at (0, 1, 2), and looks back: 0.78 m before it, and what is
    # right in its pictures is left in the room
    x, y, z = answer["head"][4:]
    assert y == pytest.approx(1 - 0.78, abs=0.06) and z == pytest.approx(2.0, abs=0.03)
    assert x == pytest.approx(-0.07, abs=0.02)
    state = page.wait("wall_state", source=str(film)[:40])
    assert state["head"][4:] == pytest.approx([x, y, z], abs=0.05)
    page.wait("wall_state", head=None)  # it let go


def test_a_session_without_a_wall_is_an_error_that_says_what_to_do(
    served: StudioThread, capsys: pytest.CaptureFixture[str]
) -> None:
    page = served.page(open="four-bar")
    words = ["head", served.link, "--session", page.session, "--packets", "0"]
    assert main(words) == 1
    assert "has no wall of screens; set one up in View › Wall…" in capsys.readouterr().err
    page.leave()


def test_a_program_puts_the_head_somewhere(served: StudioThread, page: FakePage) -> None:
    with kg.connect(served.link, session=page.session, name="tracker.py") as view:
        for nowhere, message in (
            ("abc", "three finite numbers .* got 'abc'"),
            ([1e9, 0, 0], "head must be within"),
        ):
            with pytest.raises(UsageError, match=message):
                view.look_from(nowhere)
        view.look_from([0.1, 0.2, 1.5])
        state = page.wait("wall_state", source="tracker.py")
        assert state["head"] == [1, 0, 0, 0, 0.1, 0.2, 1.5]
        with pytest.raises(UsageError, match="three finite numbers"):
            view.look_from([0.0, float("nan"), 1.0])
        view.look_from(None)
        page.wait("wall_state", head=None)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--packets", "1", "--camera", "0"], "two sources"),
        (["--packets", "here"], "takes a port"),
        (["--camera", "0", "--eye-distance", "1 m"], "40 to 90 mm"),
        (["--packets", "0", "--smoothing", "-1"], "--smoothing must be 0 or more"),
    ],
)
def test_what_is_refused(words: list[str], said: str, capsys: pytest.CaptureFixture[Any]) -> None:
    assert main(["head", *words]) in (1, 2)
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--packets", "0", "--time", "0"], "--time is 0: use a positive time"),
        (["--packets", "0", "--field-of-view", "60 deg"], "--field-of-view is for a camera"),
        (["--frame", "tracker"], "--frame is for --packets"),
        (["--packets", "9" * 5000], "--packets takes a port"),
        (["--field-of-view", "0"], "from 6 to 170 deg, got 0 deg"),
    ],
)
def test_what_would_say_nothing_is_refused(
    capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(["head", *words]) == 1
    assert message in capsys.readouterr().err


def test_packets_that_are_no_heads_are_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read = HeadPackets.read

    def heard(source: HeadPackets) -> Sight:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"1.5 metres", ("127.0.0.1", source.port))
        return read(source)

    monkeypatch.setattr(HeadPackets, "read", heard)
    assert main(["head", "--packets", "0", "--time", "0.01"]) == 0
    assert " malformed: a packet is the text 'x y z' or" in capsys.readouterr().out
