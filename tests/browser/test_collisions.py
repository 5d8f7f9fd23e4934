"""Collisions: parts that touch are lit and listed, and drags stop at what is in their way."""

from __future__ import annotations

from pathlib import Path

from tests.browser.studio import Studio

LIT = """v.links.views.filter(({ solid }) => solid.material === v.materials.solid.touching)
  .map(({ index }) => s.model.data.links[index])"""


def test_touching_parts_are_lit_and_a_drag_that_avoids_stops(studio: Studio) -> None:
    studio.load("arm-and-wall")
    studio.menu("What the view shows", "Show collisions")
    studio.page.keyboard.press("Escape")
    card = studio.page.locator("[data-collisions]")
    card.get_by_text("No collisions").wait_for()
    # through the post: lit, and said how deep
    tool = studio.value("s.model.site('tool')")
    studio.value(
        "(() => { const g = s.grab({ site: a[0], kind: 'point' });"
        " g.move({ position: [0.55, 0.05, 0.5] }); window.grab = g; return true })()",
        tool,
    )
    studio.wait("s.collisions.touching.some(({ b }) => b === 'post')")
    studio.frame_drawn()
    card.get_by_text("– post,").first.wait_for()
    assert "deep" in card.inner_text()
    lit = studio.value(LIT)
    assert lit and set(lit) <= {"elbow", "wrist_1", "wrist_2", "wrist_3", "shoulder"}
    studio.value("(window.grab.release('keep'), s.home(), true)")
    studio.wait("!s.isAnimating && s.collisions.touching.length === 0")
    # the same drag avoids the post, and says what stops it
    studio.menu("What the view shows", "Avoid collisions")
    studio.page.keyboard.press("Escape")
    studio.wait("s.collisions.avoided !== null")
    studio.value(
        "(() => { const g = s.grab({ site: a[0], kind: 'point' });"
        " g.move({ position: [0.55, 0.05, 0.5] }); window.grab = g; return true })()",
        tool,
    )
    studio.wait("s.status !== null && s.status.outcome !== 'moving'")
    assert "is stopped by 'post'" in studio.value("s.status.words")
    assert studio.value("s.collisions.touching.length") == 0
    assert studio.value(LIT) == []
    studio.value("(window.grab.release('keep'), true)")
    studio.value("(s.setSetting('showCollisions', false), true)")
    studio.value("(s.setSetting('avoidCollisions', false), true)")
    assert card.count() == 0
    assert studio.errors == []


ABOVE = """raff: 1
name: above
world: {floor: 0}
joints:
  - {name: lift, type: prismatic, parent: base, limits: [-1, 2], start: 0.5, motor: true,
     shape: {box: [0.2, 0.2, 0.2]}}
"""


def test_a_drag_that_avoids_stops_at_the_floor(studio: Studio, folder: Path) -> None:
    (folder / "above.raff").write_text(ABOVE)
    studio.value("s.open('file', a[0])", "above.raff")
    studio.wait("s.snapshot.model.name === 'above'")
    studio.value("(s.setSetting('avoidCollisions', true), true)")
    studio.wait("s.collisions.avoided !== null")
    studio.value(
        "(() => { const g = s.grab({ site: s.model.site('lift'), kind: 'point' });"
        " g.move({ position: [0, 0, -0.5] }); window.grab = g; return true })()"
    )
    studio.wait("s.status !== null && s.status.outcome !== 'moving'")
    assert "is stopped by 'floor'" in studio.value("s.status.words")
    # its lower face stays above the floor, by the clearance that drags keep
    assert 0.1 <= studio.q[0] < 0.11
    studio.value("(window.grab.release('keep'), s.setSetting('avoidCollisions', false), true)")
    assert studio.errors == []
