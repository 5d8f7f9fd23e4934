"""Files and folders dropped on the page: a ROS package, a single file, bad files, cancelling."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.browser.robot_folder import write_mjcf, write_robot, write_sdf, write_xacro
from tests.browser.studio import Studio

SEEN = """(() => {
  const found = {};
  for (const view of v.links.views) view.loaded.traverse((part) => {
    if (!part.isMesh) return;
    part.geometry.computeBoundingBox();
    const box = part.geometry.boundingBox.clone();
    let size = Math.max(...box.getSize(box.min.clone()).toArray());
    for (let at = part; at && at !== view.group; at = at.parent) {
      at.updateMatrix !== undefined && at.matrixAutoUpdate && at.updateMatrix();
      size *= Math.hypot(...at.matrix.elements.slice(0, 3));
    }
    const { color, vertexColors } = part.material;
    found[view.index] = [Math.round(1e6 * size) / 1e6, vertexColors || '#' + color.getHexString()];
  });
  return found;
})()"""
"""Longest side [m] and colour of the mesh of each link."""


def drop(studio: Studio, files: Sequence[Path], *, release: bool = True) -> None:
    """Drop files or folders on the page as a file manager does, or hold them over it."""
    session = studio.page.context.new_cdp_session(studio.page)
    data = {"items": [], "files": [str(file) for file in files], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop")[: 3 if release else 2]:
        event = {"type": kind, "x": 400, "y": 300, "data": data}
        session.send("Input.dispatchDragEvent", event)
    session.detach()


@pytest.fixture
def page(bench: Studio) -> Studio:
    """The page of this module, back at the five-bar."""
    bench.load("five-bar")
    return bench


def test_a_ros_package_is_dropped_and_dragged(
    page: Studio, folder: Path, tmp_path: Path, pages: Any
) -> None:
    drop(page, [write_robot(tmp_path)])
    page.wait("s.snapshot.model.name === 'arm'")
    page.wait(f"Object.keys({SEEN}).length === 5")
    assert page.value(SEEN) == {
        "0": [0.1, page.value(SEEN)["0"][1]],  # an STL file has no colours of its own
        "1": [0.1, "#ff0000"], "2": [0.1, "#00ff00"], "3": [0.1, "#0000ff"], "4": [0.1, True],
    }  # fmt: skip
    assert page.value("v.files.problems") == []
    assert (folder / "arm_description/meshes/fore.dae").is_file()
    assert not (folder / "arm_description/README.md").exists()
    before = page.q
    page.view_still()
    middle = [x + 0.025 for x in page.position("link4")]
    page.drag(page.on_screen(middle), (40, 20))
    assert page.q != before
    # what was not carried over is listed by name and place
    card = page.page.get_by_role("region", name="Remarks on arm.urdf")
    card.get_by_role("button", name="Show the list").click()
    listed = page.page.get_by_role("dialog").inner_text()
    assert "arm_description/urdf/arm.urdf:12:1" in listed and "<gazebo>" in listed
    page.keys("Escape")
    page.no_dialog()
    # who only watches sees the meshes, and drops in vain
    link = page.value("s.welcome.watch_link")
    watcher = pages()
    watcher.go(f"/{link}&lowfx")
    watcher.wait(f"Object.keys({SEEN}).length === 5")
    drop(watcher, [tmp_path / "arm_description"], release=False)
    watcher.page.get_by_text("view-only").first.wait_for()
    while page.value("s.snapshot.model.name") == "arm":
        page.value("s.undo()")
    assert page.value("[s.snapshot.model.name, s.snapshot.imported]") == ["five-bar", None]


@pytest.mark.parametrize(
    ("write", "file", "remark"),
    [
        (write_xacro, "bars.urdf.xacro", ""),
        (write_sdf, "bars.world", ""),
        (write_mjcf, "scene.xml", "menagerie/scene.xml:1:"),
    ],
    ids=["xacro", "sdf", "mjcf"],
)
def test_folders_of_other_formats_are_dropped_and_dragged(
    page: Studio, tmp_path: Path, write: Callable[[Path], Path], file: str, remark: str
) -> None:
    """With macros, merged models, included files, default classes; links keep their names."""
    drop(page, [write(tmp_path)])
    choice = page.page.get_by_role("dialog", name="Which robot?")
    page.wait("s.snapshot.model.name === 'bars' || document.querySelector('dialog[open]')")
    if choice.count():
        choice.get_by_text(file).click()
    page.wait("s.snapshot.model.name === 'bars'")
    page.wait(f"Object.keys({SEEN}).length === 2")
    assert [size for size, _ in page.value(SEEN).values()] == [0.1, 0.1]
    assert page.value("v.files.problems") == []
    before = page.q
    page.view_still()
    page.drag(page.on_screen([x + 0.025 for x in page.position("fore")]), (40, 20))
    assert page.q != before
    if remark:
        page.page.get_by_role("button", name="Show the list").click()
        assert remark in page.page.get_by_role("dialog").inner_text()
        page.keys("Escape")
        page.no_dialog()
        assert page.value("s.snapshot.motions.map((one) => one.name)") == ["home", "up"]


def test_a_file_alone_says_which_meshes_are_missing_until_they_come(
    page: Studio, tmp_path: Path
) -> None:
    root = write_robot(tmp_path, "lonely_description")
    drop(page, [root / "urdf/arm.urdf"])
    page.wait("s.snapshot.imported?.missing_meshes === 5")
    card = page.page.get_by_role("region", name="Remarks on arm.urdf")
    assert "5 meshes are missing" in card.inner_text() and "Drop the folder" in card.inner_text()
    assert page.value("v.links.views.every((view) => !view.isEmpty || view.index === 0)")
    drop(page, [root / "meshes"])
    page.wait(f"s.snapshot.imported?.missing_meshes === 0 && Object.keys({SEEN}).length === 5")


def test_several_robots_are_chosen_from_and_bad_files_are_explained(
    page: Studio, folder: Path, tmp_path: Path
) -> None:
    root = write_robot(tmp_path, "many_description")
    text = (root / "urdf/arm.urdf").read_text()
    (root / "urdf/other.urdf").write_text(text.replace('name="arm"', 'name="other"'))
    (root / "urdf/broken.urdf").write_text(text.replace('link="link1"', 'link="lost"', 1))
    (root / "fake.stl").write_text("no mesh")
    drop(page, [root])
    dialog = page.page.get_by_role("dialog", name="Which robot?")
    dialog.wait_for()
    assert dialog.get_by_role("listitem").count() == 3
    dialog.get_by_text("urdf/broken.urdf").click()
    failure = page.page.get_by_role("dialog", name="broken.urdf was not opened")
    failure.wait_for()
    words = failure.inner_text()
    assert "urdf/broken.urdf:5:60" in words and "lost" in words
    failure.get_by_role("button", name="Close").last.click()
    page.no_dialog()
    assert page.value("s.snapshot.model.name") == "five-bar"
    drop(page, [root])
    dialog.get_by_text("urdf/other.urdf").click()
    page.wait("s.snapshot.model.name === 'other'")
    page.page.get_by_role("button", name="Show the list").click()
    listed = page.page.get_by_role("dialog").inner_text()
    assert "fake.stl" in listed and "content is of another kind" in listed
    page.keys("Escape")
    page.no_dialog()


def test_an_upload_is_cancelled_without_a_trace(page: Studio, folder: Path, tmp_path: Path) -> None:
    root = write_robot(tmp_path, "slow_description")
    page.page.route("**/upload?*", lambda route: None)  # never answered
    try:
        drop(page, [root])
        page.button("Cancel").click()
        page.wait("document.querySelectorAll('.toast').length === 0")
    finally:
        page.page.unroute("**/upload?*")
    assert page.value("s.snapshot.model.name") == "five-bar"
    assert [one.name for one in folder.iterdir() if "slow" in one.name] == []
    drop(page, [root])
    page.wait("s.snapshot.model.name === 'arm'")


def test_a_table_is_pasted_corrected_and_becomes_an_arm(page: Studio) -> None:
    page.keys("Control+o")
    page.page.get_by_role("button", name="D-H table…").click()
    dialog = page.page.get_by_role("dialog", name="Denavit-Hartenberg table")
    text = dialog.get_by_role("textbox", name="Table as text")
    text.fill("theta\td\ta\talpha(deg)\nq1\t400\t0\t90 +\nq2\t0\t500\t0\n")
    dialog.get_by_text("Row 1, column 4").wait_for()
    assert dialog.get_by_role("button", name="Create").is_disabled()
    text.fill("theta\td\ta\talpha(deg)\nq1\t400\t0\t90\nq2\t0\t500\t0\n")
    dialog.get_by_label("Lengths in").select_option("mm")
    dialog.get_by_text("2 joints").wait_for()
    # the same table as a grid, with a row more
    dialog.get_by_text("Fill in a grid").click()
    assert dialog.get_by_role("textbox", name="alpha of row 1").input_value() == "90"
    dialog.get_by_label("Angles in").select_option("deg")
    dialog.get_by_role("button", name="Add a row").click()
    dialog.get_by_role("textbox", name="a of row 3", exact=True).fill("100")
    dialog.get_by_text("3 joints").wait_for()
    dialog.get_by_role("button", name="Create").click()
    page.no_dialog()
    page.wait("s.snapshot.model.name === 'arm' && s.q.length === 3")
    tool = page.position("tool")
    assert [round(x, 6) for x in tool] == [0.6, 0.0, 0.4]


def test_downloads_are_those_of_the_registry_and_notes_are_shown(page: Studio) -> None:
    page.keys("Control+e")
    dialog = page.page.get_by_role("dialog", name="Download")
    dialog.get_by_role("region", name="For the workshop").wait_for()
    listed = page.value("s.welcome.downloads.map((one) => one.name)")
    assert {"raff", "urdf", "svg", "glb", "page", "csv"} <= set(listed)
    assert dialog.get_by_role("button", name="Download ").count() == len(listed) + 1  # and the view
    dialog.get_by_role("button", name="Options of svg").click()
    dialog.get_by_role("textbox", name="theme").fill("dark")
    with page.page.expect_download() as made:
        dialog.get_by_role("button", name="Download svg").click()
    assert made.value.suggested_filename == "five-bar.svg"
    page.no_dialog()
    page.keys("Control+e")
    with page.page.expect_download() as made:
        dialog.get_by_role("button", name="Download urdf").click()
    # a URDF has no loops: which joint was cut is said
    notes = dialog.get_by_role("status", name="Notes on")
    notes.wait_for()
    assert "cut" in notes.inner_text()
    page.keys("Escape")
    page.no_dialog()
    page.keys("Control+e")
    dialog.get_by_role("button", name="Options of fmu").click()
    dialog.get_by_role("textbox", name="fmi").fill("3")
    with page.page.expect_download() as made:
        dialog.get_by_role("button", name="Download fmu").click()
    with zipfile.ZipFile(made.value.path()) as unit:
        assert b'fmiVersion="3.0"' in unit.read("modelDescription.xml")
    notes.wait_for()
    assert "links.A.mass" in notes.inner_text()
    page.keys("Escape")
    page.no_dialog()
