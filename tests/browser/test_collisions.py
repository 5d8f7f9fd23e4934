"""Collisions: parts that touch are lit and listed, and drags stop at what is in their way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.browser.studio import Studio
from tests.browser.test_drop import drop

LIT = """v.links.views.filter(({ solid }) => solid.material === v.materials.solid.touching)
  .map(({ index }) => s.model.data.links[index])"""


def test_touching_parts_are_lit_and_a_drag_that_avoids_stops(studio: Studio) -> None:
    studio.load("arm-and-wall")
    studio.menu("View", "Show collisions")
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
    studio.menu("View", "Avoid collisions")
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


def write_ring(folder: Path, turns: int = 120, sides: int = 60) -> Path:
    """A robot with one link, a knobbly ring, which takes long to divide into convex parts."""
    root = folder / "ring_description"
    root.mkdir()
    a, b = np.meshgrid(np.arange(turns), np.arange(sides), indexing="ij")
    u, w = 2 * np.pi * a.ravel() / turns, 2 * np.pi * b.ravel() / sides
    thick = 0.05 * (1 + 0.2 * np.sin(9 * u) * np.cos(4 * w))
    across = 0.2 + thick * np.cos(w)
    points = np.column_stack([across * np.cos(u), across * np.sin(u), thick * np.sin(w)])
    lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in points]
    for i, j in np.ndindex(turns, sides):
        p, q = i * sides, (i + 1) % turns * sides
        k = (j + 1) % sides
        lines += [
            f"f {p + j + 1} {q + j + 1} {q + k + 1}",
            f"f {p + j + 1} {q + k + 1} {p + k + 1}",
        ]
    (root / "ring.obj").write_text("\n".join(lines))
    (root / "ring.urdf").write_text(
        """<robot name="ring"><link name="ground"/><link name="ring"><visual><geometry>
<mesh filename="package://ring_description/ring.obj"/></geometry></visual></link>
<joint name="turn" type="continuous"><parent link="ground"/><child link="ring"/></joint></robot>"""
    )
    (root / "package.xml").write_text("<package><name>ring_description</name></package>")
    return root


def test_dividing_a_mesh_is_cancelled(studio: Studio, tmp_path: Path) -> None:
    pytest.importorskip("coacd", reason="needs kinegen[contacts]")
    drop(studio, [write_ring(tmp_path)])
    studio.wait("s.snapshot.model.name === 'ring'")
    studio.menu("View", "Show collisions")
    studio.page.keyboard.press("Escape")
    card = studio.page.locator("[data-dividing]")
    card.get_by_text("triangles, into convex parts").wait_for()
    card.get_by_role("button", name="Cancel").click()
    card.wait_for(state="detached")
    assert studio.value("[s.settings.showCollisions, s.collisions.task.busy]") == [False, False]
    # the session continues: the next question is answered
    studio.load("four-bar")
    studio.menu("View", "Show collisions")
    studio.page.keyboard.press("Escape")
    studio.page.locator("[data-collisions]").wait_for()
    assert studio.errors == []
