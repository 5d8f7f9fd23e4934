"""Design by goal: the published test case by clicks alone, and points clicked into the view."""

from __future__ import annotations

from tests.browser.studio import Studio


def example(studio: Studio) -> None:
    """Wait until the example is there, and no longer what suited the mechanism before."""
    studio.wait("s.snapshot.model.name === 'coupler-curve'")
    studio.wait("s.designs.target?.title.startsWith('Published ellipse')")


def test_a_published_curve_is_met_by_clicks_alone(studio: Studio) -> None:
    studio.tab("Design")
    studio.button("Try an example").click()
    example(studio)
    slider = studio.slider("Starts of the search")
    slider.focus()
    slider.press("Home")
    studio.wait("s.designs.starts === 1")
    studio.button("Search").click()
    studio.wait("s.designs.answer !== null")
    assert studio.value("s.designs.found[0].share") < 0.01
    # pointing at it shows it, beside the mechanism as it is
    studio.button("Design 1").hover()
    studio.wait("s.designs.preview !== null && s.designs.traceOf(s.designs.preview).length > 70")
    before = studio.text
    assert "crank: {value: 50 mm" in before
    studio.button("Apply").click()
    studio.wait("s.designs.taken !== null")
    assert studio.text != before and studio.gap < 1e-9
    # the mechanism itself passes a wanted point now: its handle is on the design's curve
    far = studio.value(
        "Math.min(...s.designs.traceOf(s.designs.found[0]).map((p) => Math.hypot(...[0, 1, 2]"
        ".map((k) => p[k] - s.poses[7 * s.model.site('handle') + 4 + k]))))"
    )
    assert far < 1e-6
    assert studio.value("s.snapshot.undo") == "apply design 1"
    studio.button("Undo: apply design 1 (Ctrl+Z)").click()
    studio.wait("s.snapshot.text === a[0]", before)


def test_points_are_clicked_into_the_view(studio: Studio) -> None:
    studio.tab("Design")
    studio.wait("s.designs.target !== null")
    studio.button("Click").click()
    box = studio.page.locator("canvas").first.bounding_box()
    q = studio.q
    for dx, dy in ((0.4, 0.3), (0.5, 0.25), (0.6, 0.3)):
        studio.page.mouse.click(box["x"] + dx * box["width"], box["y"] + dy * box["height"])
    studio.wait("s.designs.target.points.length === 3")
    # in the plane of the five-bar, and without moving it
    assert all(abs(z) < 1e-9 for _, _, z in studio.value("s.designs.target.points"))
    assert studio.q == q
    studio.button("Search").click()
    studio.wait("s.designs.answer !== null")
    assert studio.value("s.designs.found[0].share") < 0.01


def test_a_long_search_is_stopped_and_keeps_what_it_found(studio: Studio) -> None:
    studio.tab("Design")
    studio.button("Try an example").click()
    example(studio)
    studio.slider("Starts of the search").focus()
    studio.slider("Starts of the search").press("End")
    studio.wait("s.designs.starts === 40")
    studio.button("Search").click()
    studio.wait("s.designs.found.length > 0")
    studio.button("Cancel").click()
    studio.wait("!s.designs.task.busy")
    assert studio.value("s.designs.found.length") > 0
    assert studio.value("s.designs.answer") is None
    studio.button("Apply").first.click()
    studio.wait("s.designs.taken !== null")
