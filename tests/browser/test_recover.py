"""The server dies in the middle of work: what was done is there again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Opener
from tests.browser.server import RunningServer
from tests.browser.studio import HANG, Studio


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[RunningServer]:
    """A server of the test's own."""
    (tmp_path / "project").mkdir()
    with RunningServer(tmp_path / "project", tmp_path / "state") as server:
        yield server


def work(studio: Studio, server: RunningServer) -> None:
    """Change a length and the pose, and wait until the journal has both."""
    studio.open("five-bar")
    studio.tab("Numbers")
    studio.enter("crank [mm]", "133")
    studio.wait_text("crank: 133 mm")
    studio.drag(studio.part_at(studio.place("handle")), (30, -20))
    studio.wait("s.snapshot.version > 2")
    first = f"{studio.q[0]:.9f}"[:8]
    end = time.monotonic() + HANG
    while not any(
        "crank: 133 mm" in file.read_text(encoding="utf-8")
        and first in file.read_text(encoding="utf-8")
        for file in server.state.glob("sessions/*.json")
    ):
        assert time.monotonic() < end, "the work does not reach the journal"
        studio.page.wait_for_timeout(20)


def test_a_page_goes_on_where_it_was(mortal: RunningServer, pages: Opener) -> None:
    studio = pages(at=mortal.address)
    work(studio, mortal)
    pose = studio.q
    mortal.kill()
    studio.page.get_by_text("Connection to the studio lost").wait_for()
    # it is dragged on while nobody answers
    studio.drag(studio.part_at(studio.place("handle")), (-12, 8))
    assert studio.q != pose
    pose = studio.q
    mortal.start()
    studio.wait("s.connection === 'open'")
    studio.wait_pose(pose)
    assert "crank: 133 mm" in studio.text and studio.value("s.snapshot.dirty")
    # and the new server is told of every change
    studio.enter("crank [mm]", "134")
    studio.wait_text("crank: 134 mm")
    studio.errors.clear()  # a lost connection is told by the browser itself


def test_a_new_page_is_offered_the_work(
    mortal: RunningServer, pages: Opener, profile: Callable[..., Any]
) -> None:
    context = profile()
    studio = pages(context, mortal.address)
    work(studio, mortal)
    pose, text = studio.q, studio.text
    context.close()
    mortal.kill()
    mortal.start()
    other = pages(at=mortal.address)
    other.go("/?lowfx")
    offer = other.page.get_by_role("region", name="Unsaved work")
    offer.get_by_text("Planar five-bar").wait_for()
    assert "crank: 133 mm" not in other.text
    offer.get_by_role("button", name="Take back").click()
    other.poll("!!window.kinegen?.studio?.model && location.search.includes('recover')")
    other.wait("s.snapshot.text === a[0]", text)
    other.wait_pose(pose)
    assert other.value("s.snapshot.dirty")
    # it is no longer offered
    third = pages(profile(), mortal.address)
    third.go("/?lowfx")
    third.wait("s.welcome.recovered.length === 0")


def test_work_that_is_not_wanted_is_forgotten(
    mortal: RunningServer, pages: Opener, profile: Callable[..., Any]
) -> None:
    context = profile()
    work(pages(context, mortal.address), mortal)
    context.close()
    mortal.kill()
    mortal.start()
    other = pages(at=mortal.address)
    other.go("/?lowfx")
    other.button("Forget Planar five-bar").click()
    other.page.get_by_role("region", name="Unsaved work").wait_for(state="detached")
    other.reload()
    assert other.value("s.welcome.recovered.length") == 0


def test_a_recording_survives(
    mortal: RunningServer, pages: Opener, profile: Callable[..., Any]
) -> None:
    context = profile()
    studio = pages(context, mortal.address)
    studio.open("five-bar")
    studio.keys("Shift+R")
    studio.wait("s.recorder.recording")
    studio.drag(
        studio.part_at(studio.place("handle")), (20, -10), (15, -5), (-40, 5), release=False
    )
    end = time.monotonic() + HANG
    while not list(mortal.state.glob("sessions/*.recording")):
        assert time.monotonic() < end, "the recording does not reach the journal"
        studio.page.wait_for_timeout(20)
    mortal.kill()
    context.close()
    studio.errors.clear()
    mortal.start()
    other = pages(at=mortal.address)
    other.go("/?lowfx")
    other.page.get_by_role("region", name="Unsaved work").get_by_role(
        "button", name="Take back"
    ).click()
    other.poll("!!window.kinegen?.studio?.model && location.search.includes('recover')")
    other.wait("s.snapshot.motions.length === 1")
    assert len(other.value("s.snapshot.motions[0].times")) > 1
