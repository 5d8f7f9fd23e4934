"""Files that others change, and two tabs that type: both versions are shown, nothing is lost."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from tests.browser.conftest import Opener
from tests.browser.studio import HANG, Studio

TEXT = """raff: 1
name: two-bars
# a comment
parameters:
  upper: 300 mm
  lower: 200 mm
joints:
  - {name: A, parent: base}
  - {name: B, parent: A, d: upper}
frames:
  - {name: tool, parent: B, d: lower}
"""


def look(studio: Studio, name: str) -> None:
    """Keep a picture where somebody wants to see it."""
    folder = os.environ.get("KINEGEN_PICTURES")
    if folder:
        studio.page.screenshot(path=str(Path(folder) / f"{name}.png"))


def edited(studio: Studio, file: Path) -> None:
    """A file of the folder with a change that is not saved."""
    file.write_text(TEXT)
    studio.open(file.name)
    edit(studio)


def edit(studio: Studio) -> None:
    studio.value("s.setNumbers([[null, 'upper', 0.31]], 'change')")
    studio.wait_text("upper: 310 mm")


def dialog(studio: Studio) -> Any:
    return studio.page.get_by_role("dialog")


def test_a_file_changed_on_disk_is_shown_beside_mine_or_followed(
    pages: Opener, folder: Path
) -> None:
    studio, file = pages(), folder / "shown.raff"
    edited(studio, file)
    theirs = TEXT.replace("upper: 300", "upper: 290").replace("# a comment\n", "")
    file.write_text(theirs)
    studio.page.get_by_text("shown.raff was changed on disk").wait_for()
    studio.button("Compare…").click()
    dialog(studio).get_by_text("2 lines differ").wait_for()
    look(studio, "conflict-light")
    # Escape leaves all as it is
    studio.keys("Escape")
    studio.no_dialog()
    assert "upper: 310 mm" in studio.text and file.read_text() == theirs
    # saving asks too; what is chosen with the keyboard
    studio.keys("Control+s")
    dialog(studio).get_by_role("button", name="Keep mine").wait_for()
    dialog(studio).get_by_role("button", name="Keep mine").focus()
    studio.keys("Enter")
    studio.no_dialog()
    studio.wait("!s.snapshot.dirty && s.disk === null")
    assert "upper: 310 mm" in file.read_text()
    # what nobody edits here is followed, until it is gone
    file.write_text(TEXT)
    studio.wait_text("upper: 300 mm")
    studio.page.get_by_text("was changed on disk").wait_for()
    # mine goes under another name
    edit(studio)
    file.write_text(TEXT + "# theirs\n")
    studio.button("Compare…").click()
    dialog(studio).get_by_role("button", name="Save mine under another name…").click()
    dialog(studio).get_by_role("button", name="Save", exact=True).click()
    studio.no_dialog()
    studio.wait("s.snapshot.file === 'shown-mine.raff' && !s.snapshot.dirty")
    assert file.read_text() == TEXT + "# theirs\n"
    mine = folder / "shown-mine.raff"
    assert "upper: 310 mm" in mine.read_text()
    mine.unlink()
    studio.wait("s.snapshot.dirty && !s.welcome.files.includes('shown-mine.raff')")


def test_theirs_is_taken_and_can_be_undone(blank: Studio, folder: Path) -> None:
    studio, file = blank, folder / "taken.raff"
    studio.page.emulate_media(color_scheme="dark")
    edited(studio, file)
    file.write_text(TEXT.replace("lower: 200", "lower: 150"))
    studio.button("Compare…").click()
    dialog(studio).get_by_role("columnheader", name="Mine").wait_for()
    look(studio, "conflict-dark")
    dialog(studio).get_by_role("button", name="Use theirs").click()
    studio.no_dialog()
    studio.wait("s.snapshot.text.includes('lower: 150') && !s.snapshot.dirty")
    studio.keys("Control+z")
    studio.wait_text("upper: 310 mm")


def test_two_tabs_type_into_one_text(pages: Opener, folder: Path) -> None:
    one = pages()
    (folder / "both.raff").write_text(TEXT)
    one.open("both.raff")
    known = one.value("JSON.parse(sessionStorage['kinegen.session'])")
    other = pages()
    other.page.add_init_script(
        f'sessionStorage[\'kinegen.session\'] = \'{{"session": "{known["session"]}", '
        f'"secret": "{known["secret"]}"}}\''
    )
    other.go("/?lowfx")
    assert other.value("s.welcome.session") == known["session"]
    for tab in (one, other):
        tab.tab("Text")
    editor = one.page.locator(".cm-content")
    editor.click()
    one.keys("Control+End")
    one.page.keyboard.type("# typed in one tab")
    other.wait_text("# typed in one tab")
    # the cursor stays where it is while the other tab writes above
    other.page.locator(".cm-line", has_text="a comment").click()
    other.keys("End")
    other.page.keyboard.type(" of another tab")
    one.wait_text("# a comment of another tab")
    one.page.keyboard.type(", and further")
    other.wait_text("# typed in one tab, and further")
    assert "# a comment of another tab" in one.text
    # the same line, at the same time: the second of them has to choose
    one.value("s.draft.typed(s.draft.text.replace('upper: 300', 'upper: 301'))")
    other.value("s.draft.typed(s.draft.text.replace('upper: 300', 'upper: 302'))")
    end = time.monotonic() + HANG
    while not (asked := [tab for tab in (one, other) if tab.value("s.draft.conflict !== null")]):
        assert time.monotonic() < end, "nobody is asked"
        one.page.wait_for_timeout(20)
    (asked,) = asked
    asked.button("Compare…").click()
    dialog(asked).get_by_role("button", name="Keep mine").wait_for()
    look(asked, "conflict-pages")
    mine = asked.value("s.draft.text.match(/upper: 30\\d/)[0]")
    dialog(asked).get_by_role("button", name="Keep mine").click()
    for tab in (one, other):
        tab.wait_text(mine)
