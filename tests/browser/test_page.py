"""A mechanism as one HTML file: opened from disk, with no server and no network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kinegen.cli.main import main
from tests.browser.robot_folder import write_robot
from tests.browser.studio import CLOSED, Studio
from tests.browser.test_drop import SEEN


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The five-bar as `kinegen export` writes it."""
    file = tmp_path_factory.mktemp("page") / "page.html"
    subprocess.run(
        [sys.executable, "-m", "kinegen", "export", "five-bar", str(file)],
        check=True,
        capture_output=True,
    )
    return file


@pytest.fixture
def exported(context: Any, file: Path) -> Any:
    """The exported page in the browser; it may neither log an error nor ask for anything."""
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    studio = Studio(page, "")
    studio.go(f"{file.as_uri()}?lowfx")
    yield studio
    assert studio.errors == []
    others = [url for url in asked if not url.startswith(("data:", "blob:"))]
    assert others == [f"{file.as_uri()}?lowfx"]


def test_it_is_small_and_whole(file: Path) -> None:
    content = file.read_text(encoding="utf-8")
    assert len(content.encode()) < 1_000_000
    assert "<script src" not in content and '<link rel="stylesheet"' not in content
    assert "sourceMappingURL" not in content


def test_mesh_files_are_part_of_it(context: Any, tmp_path: Path) -> None:
    """STL, OBJ with its materials, Collada, glTF and PLY; nothing is fetched."""
    root, file = write_robot(tmp_path), tmp_path / "arm.html"
    assert main(["export", str(root / "urdf/arm.urdf"), str(file)]) == 0
    for mesh in (root / "meshes").iterdir():
        mesh.unlink()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    studio = Studio(page, "")
    studio.go(f"{file.as_uri()}?lowfx")
    studio.wait(f"Object.keys({SEEN}).length === 5")
    seen = studio.value(SEEN)
    assert [size for size, _ in seen.values()] == [0.1] * 5
    assert [color for _, color in seen.values()][1:] == ["#ff0000", "#00ff00", "#0000ff", True]
    assert studio.value("v.files.problems") == [] and studio.errors == []
    others = [url for url in asked if not url.startswith(("data:", "blob:"))]
    assert others == [f"{file.as_uri()}?lowfx"]


def test_it_is_dragged(exported: Studio) -> None:
    assert exported.value("s.connection") == "offline"
    exported.page.get_by_role("heading", name="Planar five-bar").wait_for()
    before, picture = exported.q, exported.picture()
    exported.drag(exported.part_at(exported.place("handle")), (30, -20), (10, 10))
    assert exported.q != before
    assert exported.gap <= CLOSED
    assert exported.picture() != picture
    exported.button("Back to the start").click()
    exported.wait("!s.isAnimating")
    exported.wait_pose(before)


def test_its_sliders_move_joints_and_lengths(exported: Studio) -> None:
    slider = exported.slider("A")
    before = exported.q
    slider.press("ArrowRight")
    exported.wait("Math.abs(s.q[0] - a[0]) > 0.01", before[0])
    assert exported.gap <= CLOSED
    crank = exported.slider("crank")
    value = float(crank.input_value())
    for _ in range(5):
        crank.press("ArrowLeft")
    assert float(crank.input_value()) < value
    exported.wait("s.model.parameters[1] < a[0] - 0.005", value)
    assert exported.gap <= CLOSED
    exported.page.get_by_text("mm", exact=False).first.wait_for()


def test_what_is_out_of_reach_is_said(exported: Studio) -> None:
    exported.drag(exported.part_at(exported.place("handle")), (0, -250), (0, -150), release=False)
    exported.page.locator(".kg-alarm", has_text="out of reach").wait_for()
    exported.page.mouse.up()


def test_phantoms_appear_near_a_singular_pose(exported: Studio) -> None:
    exported.drag(exported.part_at(exported.place("handle")), (0, -250), (0, -150), release=False)
    exported.wait("s.ghosts.length >= 2")
    exported.page.mouse.up()
    section = exported.page.get_by_role("region", name="Singular pose ahead")
    section.wait_for()
    before = exported.q
    section.get_by_role("button").nth(1).click()
    exported.wait("!s.isAnimating && s.ghosts.length === 0")
    assert exported.q != before and exported.gap <= CLOSED


@pytest.mark.parametrize(("width", "height"), [(340, 250), (700, 300), (400, 500)])
def test_a_small_frame_has_nothing_over_the_view(exported: Studio, width: int, height: int) -> None:
    page = exported.page
    whole = page.viewport_size
    page.set_viewport_size({"width": width, "height": height})
    try:
        page.locator("aside").wait_for(state="hidden")
        exported.view_still()
        lamp = page.locator("[data-level]")
        assert lamp.count() == 1 and lamp.bounding_box()["width"] < 12
        heading = page.get_by_role("heading", name="Planar five-bar")
        assert heading.bounding_box()["height"] < 24
        for gone in ("footer", "header p", "[role=meter]", ".kg-compass"):
            assert page.locator(gone).locator("visible=true").count() == 0
        canvas = page.locator("canvas").first.bounding_box()
        assert (canvas["width"], canvas["height"]) == (width, height)
        assert exported.covered() == []
    finally:
        page.set_viewport_size(whole)
    page.locator("aside").wait_for()


def test_a_world_says_what_does_not_run_in_it(context: Any, tmp_path: Path) -> None:
    file = tmp_path / "world.html"
    assert main(["export", "exploring-cart", str(file)]) == 0
    studio = Studio(context.new_page(), "")
    studio.go(f"{file.as_uri()}?lowfx")
    note = studio.page.get_by_role("note")
    assert "4 sensors (cart.eye, left, right, place) and 1 agent" in note.inner_text()
    assert studio.errors == []
