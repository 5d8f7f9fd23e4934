"""One truth about the state: what is broken is shown as broken, and the same in all places."""

from __future__ import annotations

from tests.browser.studio import Studio

APART = """raff: 1
name: apart
joints:
  - {name: A, parent: base, start: 30 deg, motor: true}
  - {name: B, parent: A, d: 100 mm, start: -20 deg}
  - {name: D, parent: base, d: 300 mm, start: 60 deg}
  - {name: C, parent: B, d: 80 mm, closes: {onto: D, d: 50 mm}}
"""
"""A four-bar whose bars are too short together."""


RED = """(() => {
  const canvas = document.querySelector('canvas[aria-label^="2D view"]');
  if (!canvas?.width) return 0;
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let red = 0;
  for (let i = 0; i < data.length; i += 4)
    if (data[i] > 150 && data[i + 1] < 90 && data[i + 2] < 90) red += 1;
  return red;
})()"""
"""Pixels of the 2D view in the colour of danger."""


def test_a_mechanism_that_cannot_be_assembled_is_shown_as_such_everywhere(studio: Studio) -> None:
    page = studio.page
    lamp = page.locator("footer .lamp")
    assert lamp.get_attribute("data-level") == "calm"
    studio.value("s.editText(a[0])", APART)
    studio.wait("s.snapshot.model.name === 'apart'")
    label = "v.labels.visible().find(({ text }) => text.startsWith('C: open by '))"
    studio.wait(f"!!{label}")
    gap = studio.value(f"{label}.text").removeprefix("C: open by ")
    assert " mm and " in gap and gap.endswith("°")
    page.locator("footer .lamp[data-level=danger]").wait_for()
    # the 2D view has the red line as well
    studio.value("s.setSetting('planarView', true)")
    studio.poll(f"({RED}) > 40")
    studio.value("s.setSetting('planarView', false)")
    footer = page.locator("footer").inner_text()
    assert gap in footer and "Cannot be assembled" in footer and "Drag any part" not in footer
    for meter in page.get_by_role("meter").all():
        assert meter.get_attribute("aria-valuetext") == "none"
    badge = page.get_by_role("tab", name="Text").locator(".badge")
    assert badge.inner_text() == "1"
    # a press on the line leads to the whole message: loop, direction and suspect in the text panel
    line = page.locator("footer").get_by_role("button")
    short, full = line.inner_text(), line.get_attribute("title")
    line.click()
    problems = page.get_by_label("Problems in the text")
    problems.wait_for()
    assert gap in short and "the loop closed by 'C'" in short
    assert short in problems.inner_text() and "70 mm too short" in problems.inner_text()
    assert short in full and "70 mm too short" in full

    # put right again, all of it is calm again
    studio.value(
        "s.editText(a[0])", APART.replace(" 50 mm", " 200 mm").replace(" 80 mm", " 250 mm")
    )
    page.locator("footer .lamp[data-level=calm]").wait_for()
    badge.wait_for(state="detached")
    studio.wait(f"!{label}")


def test_text_with_problems_is_no_green_dot(studio: Studio) -> None:
    studio.value("s.editText(a[0])", "raff: 1\njoints:\n  - {name: A, parnt: base}\n")
    studio.page.locator("footer .lamp[data-level=danger]").wait_for()
    assert "the last version without problems" in studio.page.locator("footer").inner_text()


def test_answers_of_another_pose_or_length_are_grey(studio: Studio) -> None:
    studio.tab("Analysis")
    page = studio.page
    page.locator(".counts").wait_for()
    assert page.locator("[data-stale]").count() == 0
    studio.value("s.setParameter(s.model.data.parameters.find((p) => !p.formula).name, a[0])", 0.31)
    page.get_by_text("The mechanism has changed since.").first.wait_for()
    studio.button("Count again in this pose").click()
    page.locator("[data-stale]").first.wait_for(state="detached")
