"""The server dies in the middle of work: what was done is there again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kinegen.studio.session.journals.autosave import Journal
from tests.browser.conftest import Opener
from tests.browser.server import RunningServer
from tests.browser.studio import CHEAP, HANG, READY, Studio


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[RunningServer]:
    """A server of the test's own."""
    (tmp_path / "project").mkdir()
    with RunningServer(tmp_path / "project", tmp_path / "state") as server:
        yield server


def journal_holds(server: RunningServer, *parts: str, recording: bool = False) -> None:
    """Wait until the journal of some session has all of these in its text, pose or recordings."""
    end = time.monotonic() + HANG
    while True:
        journal = Journal(server.state)
        names = [file.stem for file in server.state.glob("sessions/*.journal")]
        records = [one for one in map(journal.load, names) if one is not None]
        journal.close()
        for one in records:
            words = str(one.recordings if recording else [one.present.text, one.live.tolist()])
            if all(part in words for part in parts):
                return
        assert time.monotonic() < end, f"{parts} do not reach the journal"
        time.sleep(0.02)


def work(studio: Studio, server: RunningServer) -> None:
    """Change a length and the pose, and wait until the journal has both."""
    studio.open("five-bar")
    studio.tab("Parameters")
    studio.enter("crank [mm]", "133")
    studio.wait_text("crank: 133 mm")
    studio.drag(studio.part_at(studio.place("handle")), (30, -20))
    studio.wait("s.snapshot.version > 2")
    journal_holds(server, "crank: 133 mm", f"{studio.q[0]:.9f}"[:8])


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
    # and the new server receives every change
    studio.enter("crank [mm]", "134")
    studio.wait_text("crank: 134 mm")
    studio.errors.clear()  # the browser itself reports a lost connection


def test_a_new_page_is_offered_the_work(
    mortal: RunningServer, pages: Opener, profile: Callable[..., Any]
) -> None:
    # three tabs: one with work, one that is recording, one with work that is not wanted
    context = profile()
    studio = pages(context, mortal.address)
    work(studio, mortal)
    unwanted = pages(context, mortal.address)
    unwanted.open("slider-crank")
    unwanted.value("s.editText(s.snapshot.text + '# unwanted\\n')")
    journal_holds(mortal, "# unwanted")
    recording = pages(context, mortal.address)
    recording.open("four-bar")
    recording.keys("Shift+R")
    site = recording.value("s.model.siteNames.at(-1)")
    recording.drag(
        recording.part_at(recording.place(site)), (20, -10), (15, -5), (-40, 5), release=False
    )
    journal_holds(mortal, "recording", recording=True)
    pose, text = studio.q, studio.text
    mortal.kill()
    context.close()
    for page in (studio, unwanted, recording):
        page.errors.clear()  # the browser itself reports a lost connection

    mortal.start()
    other = pages(at=mortal.address)
    other.go("/?lowfx")
    offers = other.page.get_by_role("region", name="Unsaved work").get_by_role("listitem")
    offers.first.wait_for()
    assert offers.count() == 3
    other.button("Discard Slider-crank").click()
    other.wait("s.welcome.recovered.length === 2")

    def take(title: str) -> None:
        offers.filter(has_text=title).get_by_role("button", name="Restore").click()
        other.page.wait_for_url("**/?recover=*")
        other.poll(READY)

    take("five-bar")
    other.wait("s.snapshot.text === a[0]", text)
    other.wait_pose(pose)
    assert other.value("s.snapshot.dirty")
    # what was taken is no longer offered; a recording that nobody ended is a motion now
    assert offers.count() == 1
    take("four-bar")
    other.wait("s.snapshot.motions.length === 1")
    assert len(other.value("s.snapshot.motions[0].times")) > 1
    assert other.value("s.welcome.recovered.length") == 0


def test_a_page_says_when_the_studio_has_another_token(
    mortal: RunningServer, pages: Opener, context: Any
) -> None:
    studio = pages(at=mortal.address)
    studio.open("five-bar")
    studio.tab("Parameters")
    studio.enter("crank [mm]", "133")
    studio.wait_text("crank: 133 mm")
    journal_holds(mortal, "crank: 133 mm")
    mortal.kill()
    mortal.start("--new-token")
    studio.page.get_by_text("This browser no longer has access to the studio").wait_for()
    # the bare address says the same; the new link, in any tab, lets this page in again
    bare = context.new_page()
    bare.add_init_script(CHEAP)
    bare.goto(studio.address)
    bare.get_by_text("Open the complete link").wait_for()
    bare.goto(mortal.address)
    studio.wait("s.connection === 'open'")
    assert "crank: 133 mm" in studio.text
    studio.errors.clear()  # the browser itself reports refused connections
