"""The first visit: a tour up to a four-bar that moves, tools with words, a sheet on phones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Opener
from tests.browser.studio import Studio

TOUR = "document.querySelector('[aria-label=Tour]')"


@pytest.fixture
def visitor(pages: Opener) -> Studio:
    """A tab of its own."""
    return pages()


def first_visit(studio: Studio) -> Any:
    """A page that was never opened before; its card."""
    # once: what the visit itself keeps stays
    studio.page.add_init_script("sessionStorage.getItem('fresh') ?? (localStorage.clear(), "
                                "sessionStorage.setItem('fresh', '1'))")  # fmt: skip
    studio.open("arm-6")
    return studio.page.get_by_label("Tour", exact=True)


def test_the_tour_ends_with_a_four_bar_that_moves(visitor: Studio) -> None:
    page = visitor.page
    card = first_visit(visitor)
    assert "Pull any part" in card.inner_text()
    card.get_by_role("button", name="Next").click()
    assert card.get_by_role("button", name="Next").count() == 0
    card.get_by_role("button", name="Make it").click()
    visitor.wait("s.snapshot.model.name === 'my-four-bar'")
    card.get_by_text("Change its lengths").wait_for()
    card.get_by_role("button", name="Show Parameters").click()
    visitor.slider("crank").focus()
    page.keyboard.press("ArrowRight")
    card.get_by_text("Run it").wait_for()
    start = visitor.q[0]
    card.get_by_role("button", name="Run the motor").click()
    card.get_by_text("This is your four-bar").wait_for()
    # and it does not stop
    visitor.wait("Math.abs(s.q[0] - a[0]) > 6.3", start)
    assert visitor.value("s.run.isRunning")
    assert visitor.gap < 1e-6
    card.get_by_role("button", name="Done").click()
    assert card.count() == 0


@pytest.mark.parametrize("way", ["skip", "pull"])
def test_a_closed_tour_never_comes_back_by_itself(visitor: Studio, way: str) -> None:
    page = visitor.page
    card = first_visit(visitor)
    if way == "pull":
        # pulling is the first step; a visitor who then leaves has seen what it is
        visitor.drag(visitor.part_at(visitor.place("tool")), (20, -10))
        card.get_by_text("Make a four-bar of your own").wait_for()
    else:
        card.get_by_role("button", name="Skip the tour").focus()
        page.keyboard.press("Enter")
        assert card.count() == 0
    visitor.reload()
    assert card.count() == 0
    # but it is in the help, where it was left
    page.keyboard.press("?")
    page.get_by_role("button", name="Take the tour").click()
    left = "Make a four-bar of your own" if way == "pull" else "Pull any part"
    card.get_by_text(left).wait_for()


def test_the_tour_by_keys_alone(blank: Studio) -> None:
    """From the help with the focus in the card, and it stays there when its buttons change."""
    page = blank.page
    blank.open("arm-6")
    assert page.get_by_label("Tour", exact=True).count() == 0  # who has seen it is left alone
    page.keyboard.press("?")
    page.get_by_role("button", name="Take the tour").focus()
    page.keyboard.press("Enter")
    blank.no_dialog()
    inside = f"{TOUR}?.contains(document.activeElement)"
    blank.poll(inside)

    def press(name: str) -> None:
        for _ in range(4):
            page.keyboard.press("Tab")
            if blank.value("document.activeElement.innerText.trim()") == name:
                page.keyboard.press("Enter")
                return
        raise AssertionError(f"no button {name!r} is reached by Tab")

    press("Next")
    press("Make it")
    blank.wait("s.snapshot.model.name === 'my-four-bar'")
    blank.poll(f"{TOUR}.innerText.includes('Change its lengths')")
    blank.poll(inside)
    page.keyboard.press("Escape")
    blank.poll(f"!{TOUR}")
    # what was open comes back
    blank.wait("s.snapshot.undo !== null")
    blank.keys("Control+z")
    blank.wait("s.snapshot.model.name === 'arm-6'")


def test_the_tour_on_a_phone_leaves_the_mechanism_in_sight(visitor: Studio) -> None:
    visitor.page.set_viewport_size({"width": 390, "height": 844})
    card = first_visit(visitor)
    assert visitor.covered() == []
    card.get_by_role("button", name="Next").click()
    card.get_by_role("button", name="Make it").click()
    visitor.wait("s.snapshot.model.name === 'my-four-bar'")
    card.get_by_role("button", name="Show Parameters").click()
    visitor.slider("crank").wait_for()
    visitor.view_still()
    assert visitor.covered() == []


def test_tools_have_words_and_a_phone_has_a_sheet(blank: Studio) -> None:
    page: Any = blank.page
    blank.open("four-bar")
    tools = page.get_by_role("toolbar", name="View tools").inner_text()
    assert all(word in tools for word in ("Pull", "Rotate", "Solid", "Fit", "Views", "2D"))
    page.set_viewport_size({"width": 390, "height": 844})
    blank.poll("window.kinegen.viewer.width < 400")
    page.get_by_role("button", name="Right panel (])").click()
    sheet = page.get_by_label("Joints, parameters and analysis").bounding_box()
    view = page.locator("canvas").first.bounding_box()
    assert 0.4 < sheet["height"] / 844 < 0.55
    assert view["height"] > 200
    assert view["y"] + view["height"] <= sheet["y"]
    blank.poll("Math.abs(window.kinegen.viewer.height - a[0]) < 2", view["height"])
    for site in ("crank", "rocker", "handle"):
        x, y = blank.place(site)
        assert 0 < x < 390
        assert view["y"] < y < view["y"] + view["height"]
    page.get_by_role("button", name="Close the sheet").click()
    assert page.get_by_label("Joints, parameters and analysis").count() == 0


def test_gravity_points_down_in_the_picture(blank: Studio) -> None:
    """Whatever the axis, the picture stands upright by the mechanism's own gravity."""
    for name, up in (("four-bar", [0, 1, 0]), ("puma560", [0, 0, 1])):
        blank.open(name)
        low, high = blank.on_screen([0, 0, 0]), blank.on_screen([0.1 * x for x in up])
        assert low[1] - high[1] > 4 * abs(low[0] - high[0]), name
