"""Changing a mechanism: by its text, its numbers, its table, its menus; and taking it back."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from tests.browser.studio import CLOSED, Finger, Studio


class Editor:
    """The text as one types it."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        studio.keys("t")
        self.content = studio.page.get_by_role("textbox", name="Mechanism as RAFF text")
        self.content.click()

    def end_of(self, part: str) -> None:
        """Put the cursor at the end of the first line that holds a part."""
        lines = self.studio.text.splitlines()
        line = next(i for i, one in enumerate(lines) if part in one)
        self.studio.keys("Control+Home", *["ArrowDown"] * line, "End")

    def type(self, text: str) -> None:
        self.studio.page.keyboard.type(text)


def parameter(studio: Studio, name: str) -> float:
    """A parameter's value in the page [SI]."""
    return float(
        studio.value(
            "s.model.parameters[s.model.data.parameters.find((p) => p.name === a[0]).index]", name
        )
    )


def bar(studio: Studio) -> float:
    """The length of the first crank as it stands in the world [m]."""
    return math.dist(studio.position("A"), studio.position("B"))


def test_typing_changes_the_mechanism_and_keeps_its_pose(studio: Studio) -> None:
    studio.drag(studio.part_at(studio.place("handle")), (25, -15))
    studio.wait("s.snapshot.undo !== null")
    cranks = [studio.q[0], studio.q[2]]
    editor = Editor(studio)
    editor.end_of("parameters:")
    studio.keys("ArrowLeft", "Backspace")
    editor.type("6")
    studio.wait_text("coupler: 0.26}")
    assert parameter(studio, "coupler") == pytest.approx(0.26)
    assert math.dist(studio.position("B"), studio.position("handle")) == pytest.approx(0.26)
    assert [studio.q[0], studio.q[2]] == pytest.approx(cranks, abs=0.1)
    assert abs(cranks[0] - math.pi / 2) > 0.2, "that is not the pose of the file"
    assert studio.gap <= CLOSED


def test_a_mistake_is_shown_where_it_is_and_goes_with_it(studio: Studio) -> None:
    page = studio.page
    editor = Editor(studio)
    before = studio.q
    editor.end_of("parameters:")
    studio.keys("ArrowLeft")
    editor.type("x")
    problems = page.get_by_role("list", name="Problems in the text")
    problems.wait_for()
    message = studio.value("s.snapshot.problems[0].message")
    line = next(i for i, one in enumerate(studio.text.splitlines(), 1) if "0.25x" in one)
    said = problems.get_by_role("listitem").first.inner_text()
    assert message and message in said and f"Line {line}" in said
    assert page.locator(".cm-lintRange-error").count() >= 1
    page.locator(".cm-lintRange-error").first.hover()
    page.locator(".cm-tooltip-lint", has_text=message).wait_for()
    # the mechanism continues as it was
    assert studio.q == before and studio.gap <= CLOSED
    editor.content.press("Backspace")
    problems.wait_for(state="detached")
    page.locator(".cm-lintRange-error").wait_for(state="detached")
    assert studio.value("s.snapshot.problems.length") == 0


def test_ten_lines_make_a_five_bar(studio: Studio) -> None:
    studio.button("New mechanism").click()
    studio.wait("s.snapshot.model.name === 'my-mechanism'")
    Editor(studio)
    studio.keys("Control+a", "Delete")
    for line in (
        "raff: 1",
        "name: mine",
        "parameters: {g: 200 mm, c: 150 mm, k: 250 mm}",
        "joints:",
        "  - {name: A, parent: base, start: 90 deg, motor: true}",
        "- {name: B, parent: A, d: c, start: -24 deg}",
        "- {name: E, parent: base, d: g, start: 90 deg, motor: true}",
        "- {name: D, parent: E, d: c, start: 24 deg}",
        "- {name: C, parent: B, d: k, start: 47 deg, closes: {onto: D, d: k}}",
    ):
        studio.page.keyboard.insert_text(line)
        studio.keys("Escape", "Enter")
    studio.wait("s.snapshot.model.name === 'mine' && s.model.data.loops.length === 1")
    assert studio.gap <= CLOSED
    place = studio.on_screen(
        [(a + b) / 2 for a, b in zip(studio.position("B"), studio.position("A"), strict=True)]
    )
    before = studio.q
    studio.view_still()
    studio.drag(studio.part_at(place), (10, 5), (10, 5))
    assert studio.q != before and studio.gap <= CLOSED


def test_a_length_changes_while_the_handle_is_dragged(studio: Studio) -> None:
    studio.tab("Parameters")
    box = studio.slider("crank").bounding_box()
    finger = Finger(studio, studio.part_at(studio.place("handle")))
    finger.move((2, -3), times=3)
    studio.wait("s.grabs.length === 1")
    mouse = studio.page.mouse
    y = box["y"] + box["height"] / 2
    x = box["x"] + box["width"] / 2
    mouse.move(x, y)
    mouse.down()
    lengths = [bar(studio)]
    for step in (10, 20, 30):
        mouse.move(x + step, y)
        finger.move((2, 1))
        lengths.append(bar(studio))
        assert studio.gap <= CLOSED
    assert sorted(set(lengths)) == lengths, "the crank grows with every step"
    assert "crank: 150 mm" in studio.text
    mouse.up()
    studio.wait("!s.snapshot.text.includes('crank: 150 mm')")
    finger.move((2, 1))
    assert studio.value("s.grabs.length") == 1, "the grab has outlived the change of the text"
    finger.lift()
    assert bar(studio) == pytest.approx(lengths[-1], rel=1e-3)
    written = re.search(r"crank: ([\d.]+) mm", studio.text)
    assert written and float(written[1]) == pytest.approx(1000 * bar(studio), rel=1e-6)


def test_a_parameter_is_written_into_the_text_and_comments_are_kept(studio: Studio) -> None:
    studio.load("puma560")
    before = studio.text
    studio.tab("Parameters")
    studio.enter("offset [mm]", "170")
    studio.wait("!s.snapshot.text.includes('150.05')")
    studio.wait_text("170 mm")
    assert studio.text == before.replace("offset: 150.05 mm ", "offset: 170 mm ")
    assert "# sideways, from the waist axis" in studio.text


def test_every_way_to_edit_can_be_undone_and_redone(studio: Studio) -> None:
    page = studio.page
    texts = [studio.text]

    def changed() -> None:
        studio.wait("s.snapshot.text !== a[0]", texts[-1])
        assert studio.gap <= CLOSED
        texts.append(studio.text)

    studio.tab("Parameters")
    # a cell of the table
    studio.enter("d of E", "220 mm")
    changed()
    assert math.dist(studio.position("A"), studio.position("E")) == pytest.approx(0.22)
    # a joint more
    studio.button("Joint").click()
    changed()
    name = studio.value("s.model.data.joints.at(-1).name")
    names = studio.value("s.model.data.joints.map((joint) => joint.name)")
    assert len(names) == 6
    # and away
    name = next(one for one in names if one not in "ABCDE")
    studio.menu(f"More about {name}", "Add a joint on it")
    changed()
    assert studio.value("s.model.data.joints.at(-1).on") == name
    added = studio.value("s.model.data.joints.at(-1).name")
    for joint in (added, name):
        studio.menu(f"More about {joint}", f"Delete {joint}")
        changed()
    assert studio.value("s.model.data.joints.length") == 5
    # the menu on a bar
    middle = [(a + b) / 2 for a, b in zip(studio.position("A"), studio.position("B"), strict=True)]
    studio.view_still()
    page.mouse.click(*studio.part_at(studio.on_screen(middle), "A"), button="right")
    page.get_by_role("menu", name="Part A").wait_for()
    studio.enter("Length crank [mm]", "130")
    changed()
    assert bar(studio) == pytest.approx(0.13)
    page.keyboard.press("Escape")
    # its text
    editor = Editor(studio)
    editor.end_of("title:")
    editor.type(" of mine")
    studio.wait("s.snapshot.text.includes(' of mine')")  # a slow page sends it in pieces
    changed()
    page.locator("canvas").first.focus()

    def press_until(keys: str, text: str) -> int:
        count = 0
        while (before := studio.text) != text:
            studio.keys(keys)
            studio.wait("s.snapshot.text !== a[0]", before)
            assert studio.gap <= CLOSED
            count += 1
        return count

    # each is one step, but what was typed on a slow page may be several
    assert press_until("Control+z", texts[-2]) >= 1
    assert [press_until("Control+z", text) for text in reversed(texts[:-2])] == [1] * 6
    assert studio.value("s.snapshot.undo") is None
    assert [press_until("Control+Shift+z", text) for text in texts[1:-1]] == [1] * 6
    press_until("Control+Shift+z", texts[-1])
    assert studio.value("s.snapshot.redo") is None
    assert bar(studio) == pytest.approx(0.13)


def test_a_part_is_deleted_by_its_menu(studio: Studio) -> None:
    studio.load("serial-5")
    count = studio.value("s.model.data.links.length")

    def delete() -> None:
        place = studio.part_at(studio.place("roll"), "roll")
        studio.page.mouse.click(*place, button="right")
        menu = studio.page.get_by_role("menu", name="Part roll")
        menu.get_by_role("menuitem", name="Delete roll").click()

    delete()
    studio.page.get_by_role("alert").filter(has_text="carries tool").wait_for()
    studio.tab("Parameters")
    studio.menu("More about tool", "Delete tool")
    studio.wait("!s.model.siteNames.includes('tool')")
    delete()
    studio.wait("s.model.data.links.length === a[0]", count - 1)
    assert "name: roll" not in studio.text


def test_saving_writes_the_file_and_opening_it_gives_it_back(studio: Studio, folder: Path) -> None:
    page = studio.page
    studio.tab("Parameters")
    studio.enter("crank [mm]", "140")
    studio.wait_text("crank: 140 mm")
    page.keyboard.press("Escape")
    page.locator("canvas").first.focus()
    studio.keys("Control+s")
    dialog = page.get_by_role("dialog", name="Save")
    dialog.get_by_role("textbox").fill("saved-five-bar")
    dialog.get_by_role("button", name="Save", exact=True).click()
    studio.no_dialog()
    studio.wait("s.snapshot.file === 'saved-five-bar.raff' && !s.snapshot.dirty")
    file = folder / "saved-five-bar.raff"
    assert file.read_text(encoding="utf-8") == studio.text
    assert "# At the start both cranks point along y" in studio.text
    # again, without a question
    studio.enter("crank [mm]", "145")
    studio.wait_text("crank: 145 mm")
    assert "crank: 140 mm" in file.read_text(encoding="utf-8")
    page.locator("canvas").first.focus()
    studio.keys("Control+s")
    studio.wait("!s.snapshot.dirty")
    assert "crank: 145 mm" in file.read_text(encoding="utf-8")
    # away, and back
    studio.load("stewart")
    studio.keys("Control+o")
    page.get_by_role("dialog", name="Open").get_by_text("saved-five-bar.raff").click()
    studio.wait("s.snapshot.file === 'saved-five-bar.raff'")
    assert bar(studio) == pytest.approx(0.145)


def test_a_formula_is_shown_and_can_be_typed(studio: Studio) -> None:
    studio.tab("Parameters")
    cell = studio.field("d of E")
    assert cell.input_value() == "ground"
    studio.enter("d of E", "ground + 20 mm")
    studio.wait_text("d: ground + 20 mm")
    assert math.dist(studio.position("A"), studio.position("E")) == pytest.approx(0.22)
    assert cell.input_value() == "ground + 20 mm"


def test_a_file_of_a_plug_ins_format_is_opened(studio: Studio, tmp_path: Path) -> None:
    file = tmp_path / "theirs.list"
    file.write_text("hip knee", encoding="utf-8")
    studio.keys("Control+o")
    dialog = studio.page.get_by_role("dialog", name="Open")
    with studio.page.expect_file_chooser() as chosen:
        dialog.get_by_role("button", name="File").click()
    accepted = chosen.value.element.get_attribute("accept") or ""
    assert {".raff", ".par", ".list"} <= set(accepted.split(","))
    chosen.value.set_files(file)
    studio.no_dialog()
    studio.wait("s.snapshot.model.name === 'theirs'")
    assert "name: knee" in studio.text and studio.value("s.snapshot.file") is None
