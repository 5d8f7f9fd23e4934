"""Small things that people trip over: what is written, said twice, left behind or in the way."""

from __future__ import annotations

from tests.browser.studio import Studio

NEARLY = """raff: 1
name: nearly
joints:
  - {name: A, parent: base, start: 60 deg, motor: true}
  - {name: B, parent: A, d: 0.2, start: -40 deg}
  - {name: D, parent: base, d: 0.4, start: 90 deg}
  - {name: C, parent: B, d: 0.4, closes: {onto: D, d: 0.3}}
"""


def test_a_start_that_had_to_be_assembled_is_written_into_the_text(studio: Studio) -> None:
    studio.value("s.open('text', a[0])", NEARLY)
    studio.wait("s.snapshot.model.name === 'nearly'")
    toast = studio.page.get_by_text("assembling moves B by -3.28°")
    toast.wait_for()
    assert "Save as start pose" in toast.inner_text()
    studio.tab("Joints")
    pose = studio.q
    studio.button("Save as start pose").click()
    studio.wait_text("start: -43.2")
    assert studio.value("s.snapshot.undo") == "write the pose as start"
    studio.wait_pose(pose, 1e-9)
    studio.keys("Control+z")
    studio.wait("s.snapshot.text === a[0]", NEARLY)


def test_messages_do_not_pile_up_and_menus_close(studio: Studio) -> None:
    page = studio.page
    for i in range(6):
        studio.value("s.notice('warning', `message ${a[0] % 4}`)", i)
    studio.wait("document.querySelectorAll('.toast').length <= 3")
    texts = page.locator(".toast").all_inner_texts()
    assert len(texts) == len(set(texts)) and any("essage 1" in text for text in texts)
    opener = page.get_by_role("button", name="View", exact=True).first
    for close in ("Escape", "outside", "again"):
        opener.click()
        page.get_by_role("menu").first.wait_for()
        if close == "Escape":
            page.keyboard.press("Escape")
        elif close == "outside":
            page.mouse.click(640, 640)
        else:
            opener.click()
        page.get_by_role("menu").first.wait_for(state="detached")


def test_what_was_taken_away_is_shown_again(studio: Studio) -> None:
    studio.tab("Reach")
    studio.button("Compute workspace").click()
    idle = "s.workspace.bounds !== null && !s.workspace.task.busy"
    studio.wait(idle)
    studio.button("Show it in the view").click()
    assert studio.value("s.workspace.visible") is False
    studio.button("Compute again").click()
    studio.wait(f"s.workspace.visible && {idle}")


def test_numbers_are_written_as_people_write_them(studio: Studio) -> None:
    studio.tab("Path")
    page = studio.page
    page.get_by_role("group", name="Curve").get_by_role("button", name="Segment").click()
    studio.wait("!s.paths.busy && s.paths.plan?.answer.reached === 200")
    last = studio.value("s.paths.plan.answer.count")
    # the last of 200 is the 200th
    track = studio.slider("Along the path")
    track.focus()
    page.keyboard.press("End")
    studio.wait(
        "document.body.textContent.includes(`point ${a[0]} of ${a[0]}`)"
        " || [...document.querySelectorAll('[role=slider], input')].some((one) =>"
        " (one.getAttribute('aria-valuetext') ?? '').includes(`point ${a[0]} of ${a[0]}`))",
        last,
    )
    words = page.locator("body").inner_text()
    assert "−0 mm" not in words and "-0 mm" not in words and "1 motions" not in words


def test_a_run_that_ended_leaves_no_torques_and_hints_leave_gauges_free(studio: Studio) -> None:
    page = studio.page
    hint = page.get_by_text("Drag any part. Everything else follows.")
    if hint.count():
        a = hint.bounding_box()
        for gauge in page.get_by_role("meter").all():
            b = gauge.bounding_box()
            apart = (
                a["x"] + a["width"] <= b["x"]
                or b["x"] + b["width"] <= a["x"]
                or a["y"] + a["height"] <= b["y"]
                or b["y"] + b["height"] <= a["y"]
            )
            assert apart, (a, b)
    studio.value("s.simulation.toggle()")
    studio.wait("s.simulation.frame?.time > 0.05")
    studio.value("s.simulation.end()")
    studio.wait("s.simulation.phase === 'off'")
    assert studio.value("s.simulation.frame") is None
    assert not studio.value("v.labels.visible().some(({ text }) => text.endsWith(' N m'))")
