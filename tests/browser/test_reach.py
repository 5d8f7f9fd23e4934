"""Where it can go: clouds, zones, bodies, and a click that takes the mechanism there."""

from __future__ import annotations

import pytest

from tests.browser.studio import Studio

IDLE = "!s.workspace.task.busy && !s.workspace.bodies.task.busy"


def show(studio: Studio) -> None:
    studio.button("Compute workspace").click()
    studio.wait(f"s.workspace.bounds !== null && {IDLE}")
    studio.view_still()
    studio.frame_drawn()


def test_the_papers_cloud_in_one_click_and_a_click_that_goes_there(studio: Studio) -> None:
    studio.load("lynx6")
    studio.tab("Reach")
    # what it would do is said before
    studio.page.get_by_text("12 · 6 · 6 · 12 = 5,184 poses").wait_for()
    show(studio)
    facts = studio.page.locator("[data-facts]").inner_text()
    assert facts.startswith("5,184 poses · 25,920 points · ")
    assert studio.value("s.workspace.points.count") == 25_920
    # a point of the tool that nothing hides
    at = studio.value(
        """(() => {
          const { points } = s.workspace, box = v.canvas.getBoundingClientRect();
          for (let i = 4; i < points.count; i += 5) {
            const [x, y] = v.onScreen([...points.xyz.slice(3 * i, 3 * i + 3)]);
            const [left, top] = [box.left + x, box.top + y];
            const inside = x > 120 && y > 120 && x < box.width - 120 && y < box.height - 160;
            if (inside && !v.pick(left, top)) return [left, top];
          }
          return null;
        })()"""
    )
    before = studio.q
    studio.page.mouse.click(*at)
    studio.wait("s.workspace.marked !== null && !s.isAnimating")
    assert studio.q != before
    group, place = studio.value("[s.workspace.marked.group, s.workspace.marked.at]")
    there = studio.position(studio.value("s.workspace.groups[a[0]]", group))
    assert there == pytest.approx(place, abs=1e-5)
    # links are switched off one by one
    studio.page.get_by_role("switch", name="elbow").click()
    assert studio.value("[...s.workspace.hidden]") == [2]


def test_a_zone_is_coloured_by_quality(studio: Studio) -> None:
    """The studio could do it; the page never asked for it."""
    studio.tab("Reach")
    show(studio)
    assert studio.value("s.workspace.scale") is None
    studio.page.get_by_label("Colour by").select_option("manipulability")
    studio.wait(f"s.workspace.scale?.layer === 'manipulability' && {IDLE}")
    low, high = studio.value("s.workspace.scale.ends")
    assert 0 <= low < high
    values = studio.value("[...s.workspace.points.values.slice(0, s.workspace.points.count)]")
    within = [value for value in values if low <= value <= high]
    assert len(within) > 0.9 * len(values) and max(within) > 2 * min(within)
    assert studio.page.locator(".legend .scale").is_visible()
    studio.page.get_by_label("Colour by").select_option("Assembly mode")
    studio.wait(f"s.workspace.scale === null && {IDLE}")


def test_a_zone_grows_old_and_is_made_again_and_compared(studio: Studio) -> None:
    studio.tab("Reach")
    show(studio)
    assert studio.value("s.workspace.groups.join()") == "home,C flipped"
    studio.button("Surface and volume").click()
    studio.button("Compute the surface").click()
    studio.wait(f"s.workspace.bodies.body !== null && {IDLE}")
    holes, area = studio.value(
        "[s.workspace.bodies.body.voids, s.workspace.bodies.body.measure.value]"
    )
    assert holes in (1, 2)  # two discs that touch each other in one point
    studio.button("Compare two designs").click()
    studio.button("Keep this as A").click()
    studio.value(
        """(() => {
          const { name, index } = s.model.data.parameters.find((one) => !one.formula);
          return s.setParameter(name, 1.1 * s.model.reals[index]);
        })()"""
    )
    studio.page.get_by_text("The mechanism has changed; compute the workspace again").wait_for()
    studio.value("s.commitNumbers('longer')")
    studio.wait("s.pendingNumbers.length === 0 && s.snapshot.undo !== null")
    studio.button("Compare with current").click()
    studio.wait(f"!!s.workspace.bodies.body.comparison && {IDLE}")
    found = studio.value("s.workspace.bodies.body.comparison")
    assert 0 < found["overlap"] < 1
    assert found["both"] + found["only_first"] == pytest.approx(area, rel=0.25)
    # another mechanism has nothing of this one
    studio.load("lynx6")
    assert studio.value("s.workspace.points.count + (s.workspace.bodies.kept ? 1 : 0)") == 0
