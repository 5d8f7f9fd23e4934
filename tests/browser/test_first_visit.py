"""The first visit: a tour up to a four-bar that moves, tools with words, a sheet on phones."""

from __future__ import annotations

from typing import Any

from tests.browser.studio import Studio

TOUR = "document.querySelector('[aria-label=Tour]')"


def test_the_tour_ends_with_a_four_bar_that_moves(studio: Studio) -> None:
    page = studio.page
    studio.open("arm-6")
    assert page.get_by_label("Tour", exact=True).count() == 0  # who has seen it is left alone
    page.evaluate("localStorage.clear()")
    page.add_init_script("localStorage.removeItem('kinegen.tour')")
    studio.reload()
    card = page.get_by_label("Tour", exact=True)
    card.get_by_role("button", name="Next").click()
    card.get_by_role("button", name="Make it").click()
    studio.wait("s.snapshot.model.name === 'my-four-bar'")
    card.get_by_role("button", name="Next").focus()
    page.keyboard.press("Enter")
    start = studio.q[0]
    card.get_by_role("button", name="Turn the crank").click()
    studio.wait("Math.abs(s.q[0] - a[0]) > 1", start)
    assert studio.gap < 1e-6
    studio.poll(f"{TOUR}.innerText.includes('your four-bar')")
    card.get_by_role("button", name="Done").click()
    assert card.count() == 0
    page.keyboard.press("?")
    page.get_by_role("button", name="Take the tour").click()
    assert "Pull any part" in card.inner_text()
    card.get_by_role("button", name="Skip the tour").focus()
    page.keyboard.press("Escape")
    assert card.count() == 0


def test_tools_have_words_and_a_phone_has_a_sheet(studio: Studio) -> None:
    page: Any = studio.page
    studio.open("four-bar")
    tools = page.get_by_role("toolbar", name="Tools of the view").inner_text()
    assert all(word in tools for word in ("Pull", "Turn", "Solid", "Fit", "Views", "2D"))
    page.set_viewport_size({"width": 390, "height": 844})
    studio.poll("window.kinegen.viewer.width < 400")
    page.get_by_role("button", name="Right panel (])").click()
    sheet = page.get_by_label("Joints, parameters and analysis").bounding_box()
    view = page.locator("canvas").first.bounding_box()
    assert 0.4 < sheet["height"] / 844 < 0.55
    assert view["height"] > 200
    assert view["y"] + view["height"] <= sheet["y"]
    studio.poll("Math.abs(window.kinegen.viewer.height - a[0]) < 2", view["height"])
    for site in ("crank", "rocker", "handle"):
        x, y = studio.place(site)
        assert 0 < x < 390
        assert view["y"] < y < view["y"] + view["height"]
    page.get_by_role("button", name="Close the sheet").click()
    assert page.get_by_label("Joints, parameters and analysis").count() == 0


def test_gravity_points_down_in_the_picture(studio: Studio) -> None:
    """Whatever the axis, the picture stands upright by the mechanism's own gravity."""
    for name, up in (("four-bar", [0, 1, 0]), ("puma560", [0, 0, 1])):
        studio.open(name)
        low, high = studio.on_screen([0, 0, 0]), studio.on_screen([0.1 * x for x in up])
        assert low[1] - high[1] > 4 * abs(low[0] - high[0]), name
