"""Several people and tabs: links, watching, sessions of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Opener
from tests.browser.studio import CLOSED, READY, Studio


def link(studio: Studio, title: str) -> str:
    """A link of the dialog 'Share'."""
    studio.button("Share").click()
    field = studio.field(title)
    field.wait_for()
    studio.poll("document.querySelector(`input[aria-label='${a[0]}']`).value !== ''", title)
    found = str(field.input_value())
    studio.page.get_by_role("dialog").get_by_role("button", name="Close").click()
    studio.no_dialog()
    return found


def test_a_link_opens_the_same_mechanism_and_pose(
    studio: Studio, pages: Opener, profile: Callable[..., Any]
) -> None:
    studio.tab("Parameters")
    studio.enter("crank [mm]", "140")
    studio.wait_text("crank: 140 mm")
    studio.drag(studio.part_at(studio.place("handle")), (30, -20))
    shared = link(studio, "Link with the mechanism")
    assert len(shared) < 2000
    other = pages(profile())
    other.go(shared)
    other.wait("s.snapshot.text === a[0]", studio.text)
    other.wait_pose(studio.q, 1e-8)
    assert other.gap <= CLOSED
    # a copy: what happens there does not come back
    other.drag(other.part_at(other.place("handle")), (-30, 10))
    assert other.q != studio.q
    assert other.value("s.welcome.session") != studio.value("s.welcome.session")


def test_a_damaged_link_says_so(pages: Opener) -> None:
    studio = pages()
    studio.go("/#m1=not-a-mechanism")
    studio.page.get_by_role("alert").filter(has_text="link is damaged").wait_for()


def test_a_watcher_follows_live_and_changes_nothing(
    studio: Studio, pages: Opener, profile: Callable[..., Any]
) -> None:
    shared = link(studio, "View-only link")
    watcher = pages(profile(), studio.address)  # a browser that was never given the token
    watcher.go(shared)
    assert watcher.value("s.readOnly")
    watcher.page.get_by_text("View only: another user controls this mechanism.").wait_for()
    studio.page.get_by_title("1 more in this session").wait_for()

    # live: the pose is there before the hand has let go
    studio.drag(studio.part_at(studio.place("handle")), (25, -15), release=False)
    watcher.wait_pose(studio.q)
    studio.page.mouse.move(600, 300, steps=4)
    studio.frame_drawn()
    studio.page.mouse.up()
    watcher.wait_pose(studio.q)
    studio.tab("Parameters")
    studio.enter("crank [mm]", "140")
    watcher.wait_text("crank: 140 mm")
    studio.wait_text("crank: 140 mm")
    assert watcher.gap <= CLOSED

    # read only: neither hand nor keys nor messages change it
    before, text = studio.q, studio.text
    x, y = watcher.part_at(watcher.place("handle"))
    watcher.drag((x, y), (40, 10))
    watcher.wait_pose(before)
    assert watcher.value("s.grabs.length") == 0
    assert watcher.page.get_by_role("slider", name="A", exact=True).is_disabled()
    words = watcher.page.evaluate(
        "window.kinegen.studio.setNumbers([[null, 'crank', 0.2]], 'x')"
        ".then(() => 'done', (error) => error.message)"
    )
    assert words != "done" and words
    assert studio.text == text and studio.q == pytest.approx(before, abs=1e-12)


def test_a_second_tab_has_its_own_session(studio: Studio, pages: Opener) -> None:
    other = pages()
    other.open("five-bar")
    sessions = [one.value("s.welcome.session") for one in (studio, other)]
    assert sessions[0] != sessions[1]
    before = studio.q
    other.drag(other.part_at(other.place("handle")), (25, -15))
    other.wait("s.snapshot.undo !== null")
    assert studio.q == before and studio.value("s.snapshot.undo") is None


def test_a_duplicated_tab_has_its_own_session(studio: Studio) -> None:
    # a tab opened by another is given a copy of its storage, as a duplicated one is
    with studio.page.expect_popup() as info:
        studio.page.evaluate("window.open(location.href)")
    copy = Studio(info.value, studio.address)
    copy.poll(READY)
    assert copy.value("s.welcome.session") != studio.value("s.welcome.session")
    assert not copy.value("s.readOnly")


def test_a_reload_keeps_work_and_history(studio: Studio) -> None:
    start = studio.q
    studio.tab("Parameters")
    studio.enter("crank [mm]", "140")
    studio.wait_text("crank: 140 mm")
    studio.drag(studio.part_at(studio.place("handle")), (25, -15))
    studio.wait("s.snapshot.version > 2")
    pose, undo = studio.q, studio.value("s.snapshot.undo")
    session = studio.value("s.welcome.session")
    studio.reload()
    assert studio.value("s.welcome.session") == session
    studio.wait_pose(pose)
    assert "crank: 140 mm" in studio.text
    assert studio.value("s.snapshot.undo") == undo
    studio.keys("Control+z", "Control+z")
    studio.wait("s.snapshot.text.includes('crank: 150 mm')")
    studio.wait_pose(start)


def test_an_address_opens_what_it_names(studio: Studio) -> None:
    studio.open("stewart")
    studio.wait("s.snapshot.model.name === 'stewart'")
    # what was there before is one step away
    studio.keys("Control+z")
    studio.wait("s.snapshot.model.name === 'five-bar'")
    # a reload does not open it again
    studio.reload()
    assert studio.value("s.snapshot.model.name") == "five-bar"


def test_a_link_put_into_the_address_of_the_page_opens(studio: Studio) -> None:
    studio.drag(studio.part_at(studio.place("handle")), (30, -20))
    shared, pose = link(studio, "Link with the mechanism"), studio.q
    studio.load("stewart")
    studio.page.evaluate("(hash) => { location.hash = hash; }", shared.partition("#")[2])
    studio.wait("s.snapshot.model.name === 'five-bar'")
    studio.wait_pose(pose, 1e-8)
    assert "#" not in studio.page.url


def test_going_back_to_the_connection_keeps_history(studio: Studio) -> None:
    studio.drag(studio.part_at(studio.place("handle")), (25, -15))
    studio.wait("s.snapshot.undo !== null")
    undo = studio.value("s.snapshot.undo")
    studio.page.context.set_offline(True)
    studio.value("s.link.socket?.close?.()")
    studio.page.get_by_text("Connection to the studio lost").wait_for()
    studio.page.context.set_offline(False)
    studio.wait("s.connection === 'open'")
    assert studio.value("s.snapshot.undo") == undo
    studio.errors.clear()  # the browser itself reports a lost connection
