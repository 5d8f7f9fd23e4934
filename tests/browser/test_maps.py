"""Joint-space map and backlash in the Reach tab."""

from __future__ import annotations

import math

from tests.browser.studio import Studio


def test_the_joints_of_a_box_are_mapped_and_gone_to(studio: Studio) -> None:
    studio.load("lynx6")
    studio.tab("Reach")
    page = studio.page
    page.get_by_role("button", name="Joint-space map").click()
    studio.button("Map the joints").click()
    studio.wait("s.maps.result !== null")
    page.get_by_role("table", name="Limit lamps").wait_for()
    assert page.get_by_label("Branch").locator("option").count() == 4
    # the places are in the view, distinguished by what the chosen branch does
    counts = studio.value(
        "[0, 1, 2].map((k) => s.maps.result.branches[s.maps.branch].states"
        ".reduce((n, x) => n + (x === k), 0))"
    )
    assert sum(counts) == 11**3 and min(counts) > 0
    # a click in a chart puts the tool there
    chart = page.locator("figure .u-over").first
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.5 * box["height"])
    studio.wait("s.maps.hovered !== null")
    wanted = studio.value(
        "(() => { const m = s.maps.result, i = s.maps.hovered, [, ny, nz] = m.shape;"
        "return [m.axes[0][Math.floor(i / (ny * nz))], m.axes[1][Math.floor(i / nz) % ny],"
        "m.axes[2][i % nz]]; })()"
    )
    page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + 0.5 * box["height"])
    studio.wait(
        "Math.hypot(...[0, 1, 2].map((k) => s.poses[7 * s.model.site('tool') + 4 + k] - a[0][k]))"
        " < 1e-6",
        wanted,
    )
    # other numbers: the map is old, and says so
    studio.value("s.setNumbers([[null, 'a2', 0.15]], 'longer')")
    page.get_by_text("The mechanism has changed: map it again.").wait_for()


def test_what_cannot_be_reached_is_said_beside_the_button(studio: Studio) -> None:
    studio.load("lynx6")
    studio.tab("Reach")
    studio.page.get_by_role("button", name="Joint-space map").click()
    studio.enter("x from [mm]", "5000")
    studio.enter("x to [mm]", "6000")
    studio.button("Map the joints").click()
    alert = studio.page.get_by_role("alert").filter(has_text="reaches no place of the box")
    alert.wait_for()


def test_backlash_is_shown_and_follows_the_mechanism(studio: Studio) -> None:
    studio.tab("Reach")
    page = studio.page
    page.get_by_role("button", name="Backlash and tolerances").click()
    studio.button("Compute the backlash").click()
    studio.wait("s.backlash.result !== null")
    worst = studio.value("s.backlash.result.worst")
    assert 1e-4 < worst < 0.05
    assert page.get_by_text("at worst", exact=False).count() > 0
    assert studio.value("s.backlash.scale") > 1
    # twice the backlash is twice as far
    studio.enter("Backlash of every joint [°]", "2")
    page.get_by_text("The mechanism has changed: compute it again.").wait_for()
    studio.button("Compute again").click()
    studio.wait("!s.backlash.stale && !s.backlash.task.busy")
    assert math.isclose(studio.value("s.backlash.result.worst"), 2 * worst, rel_tol=0.1)
    # it is found again where the mechanism comes to rest
    page.get_by_role("checkbox", name="Follow the mechanism").check()
    before = studio.value("s.backlash.result.at")
    studio.value("(s.setVariable(0, 0, s.q[0] + 0.2), s.commitPose('turn'))")
    studio.wait("Math.hypot(...s.backlash.result.at.map((x, k) => x - a[0][k])) > 0.005", before)
