"""How it looks: panels keep their places, light and dark, words for empty states, names for all."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from tests.browser.conftest import Opener
from tests.browser.studio import Studio

SIZES = {"laptop": (1280, 720), "tablet": (1024, 768), "tablet upright": (768, 1024)}
Box = dict[str, float]


def boxes(studio: Studio, **selectors: str) -> dict[str, Box]:
    """Bounding boxes of parts of the page that are there [px]."""
    found = {}
    for name, selector in selectors.items():
        element = studio.page.locator(selector).first
        if element.count() and element.is_visible():
            found[name] = element.bounding_box()
    return found


def overlap(a: Box, b: Box) -> float:
    """The area that two boxes share [px²], seams left out."""
    width = min(a["x"] + a["width"], b["x"] + b["width"]) - max(a["x"], b["x"])
    height = min(a["y"] + a["height"], b["y"] + b["height"]) - max(a["y"], b["y"])
    return max(0.0, width - 1) * max(0.0, height - 1)


def inside(a: Box, b: Box) -> bool:
    """Whether a box lies in another one, give or take a pixel."""
    return (
        a["x"] >= b["x"] - 1
        and a["y"] >= b["y"] - 1
        and a["x"] + a["width"] <= b["x"] + b["width"] + 1
        and a["y"] + a["height"] <= b["y"] + b["height"] + 1
    )


@pytest.mark.parametrize("size", SIZES)
def test_panels_neither_overlap_nor_overflow(blank: Studio, size: str) -> None:
    studio = blank
    width, height = SIZES[size]
    studio.page.set_viewport_size({"width": width, "height": height})
    studio.open("stewart")
    studio.keys("b")
    studio.page.get_by_role("region", name="Charts").wait_for()
    window: Box = {"x": 0, "y": 0, "width": width, "height": height}
    panels = boxes(
        studio,
        bar="header",
        left="aside.left",
        view=".spatial canvas",
        right="aside.right",
        status="main footer",
        line="[role=toolbar][aria-label='Timeline']",
        charts="section[aria-label=Charts]",
    )
    wanted = {"bar", "view", "status", "line", "charts"}
    assert wanted | ({"left", "right"} if width >= 1100 else set()) == set(panels)
    for name, box in panels.items():
        assert inside(box, window), f"{name} does not fit: {box}"
    for (one, a), (other, b) in combinations(panels.items(), 2):
        assert overlap(a, b) == 0, f"{one} and {other} overlap"
    view = panels["view"]
    assert view["width"] >= 400 and view["height"] >= 200
    # what floats over the view stays in it, and apart
    studio.wait("s.gauges !== null")
    floating = boxes(studio, tools=".spatial [role=toolbar]", corner=".corner")
    assert set(floating) == {"tools", "corner"}
    for name, box in floating.items():
        assert inside(box, view), f"{name} leaves the view: {box}"
    assert overlap(*floating.values()) == 0
    # nothing hides beyond an edge
    assert studio.page.evaluate(
        "document.documentElement.scrollWidth <= innerWidth"
        " && document.documentElement.scrollHeight <= innerHeight"
    )
    clipped = studio.page.evaluate(
        """() => [...document.querySelectorAll("header button, main button")]
          .filter((button) => button.checkVisibility())
          .filter((button) => {
            const box = button.getBoundingClientRect();
            return box.width && (box.right > innerWidth + 1 || box.left < -1);
          })
          .map((button) => button.ariaLabel || button.textContent)"""
    )
    assert clipped == []


@pytest.mark.parametrize("size", ["tablet", "tablet upright"])
def test_panels_are_drawers_on_a_tablet(
    pages: Opener, profile: Callable[..., Any], size: str
) -> None:
    width, height = SIZES[size]
    studio = pages(profile(viewport={"width": width, "height": height}, has_touch=True))
    studio.open("five-bar")
    page = studio.page
    assert page.locator("aside").count() == 0
    page.get_by_role("button", name=re.compile("^Right panel")).tap()
    panel = page.get_by_role("complementary", name=re.compile("^Joints"))
    panel.wait_for()
    panel.evaluate("(panel) => Promise.all(panel.getAnimations().map((one) => one.finished))")
    window: Box = {"x": 0, "y": 0, "width": width, "height": height}
    assert inside(panel.bounding_box(), window)
    before = studio.q
    studio.slider("A").press("ArrowRight")
    studio.wait("s.q[0] !== a[0]", before[0])
    page.get_by_role("button", name="Close the panel").tap(position={"x": 5, "y": 200})
    panel.wait_for(state="detached")
    # fingers reach what is small
    tall = page.evaluate(
        """() => [...document.querySelectorAll("header button")]
          .filter((button) => button.checkVisibility())
          .map((button) => Math.min(button.offsetWidth, button.offsetHeight))"""
    )
    assert min(tall) >= 24


def luminance(studio: Studio, selector: str) -> float:
    """How light the background of an element is, 0 … 1."""
    color = studio.page.locator(selector).first.evaluate(
        """(element) => {
          const canvas = new OffscreenCanvas(1, 1).getContext("2d");
          canvas.fillStyle = getComputedStyle(element).backgroundColor;
          canvas.fillRect(0, 0, 1, 1);
          return [...canvas.getImageData(0, 0, 1, 1).data];
        }"""
    )
    return float(0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]) / 255


def test_light_and_dark(blank: Studio) -> None:
    studio = blank
    studio.page.emulate_media(color_scheme="dark")
    studio.open("five-bar")
    # as the system
    assert luminance(studio, "aside.left") < 0.2
    dark = studio.picture()
    press = studio.page.get_by_role("button", name=re.compile("^Appearance"))
    press.click()
    studio.wait("s.settings.theme === 'light'")
    assert luminance(studio, "aside.left") > 0.8
    assert studio.picture() != dark
    press.click()
    studio.wait("s.settings.theme === 'dark'")
    assert luminance(studio, "aside.left") < 0.2
    # it is remembered
    studio.page.emulate_media(color_scheme="light")
    studio.reload()
    assert luminance(studio, "aside.left") < 0.2


def contrast(studio: Studio, selector: str) -> list[tuple[str, float]]:
    """Texts of an area and their contrast against what lies behind them."""
    return [
        (str(text), float(ratio))
        for text, ratio in studio.page.evaluate(
            """(selector) => {
              const sheet = new OffscreenCanvas(1, 1);
              const paper = sheet.getContext("2d", { willReadFrequently: true });
              const mix = (colors) => {
                paper.clearRect(0, 0, 1, 1);
                for (const color of colors) {
                  paper.fillStyle = color;
                  paper.fillRect(0, 0, 1, 1);
                }
                return [...paper.getImageData(0, 0, 1, 1).data].slice(0, 3);
              };
              const light = (rgb) => {
                const [r, g, b] = rgb.map((x) => x / 255)
                  .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
              };
              const found = [];
              for (const element of document.querySelectorAll(`${selector} *`)) {
                const own = [...element.childNodes]
                  .filter((node) => node.nodeType === 3).map((node) => node.data).join("").trim();
                if (!own || !element.checkVisibility({ opacityProperty: true })) continue;
                if (element.closest("[disabled], :disabled, .visually-hidden")) continue;
                const behind = [];
                for (let at = element; at; at = at.parentElement)
                  behind.unshift(getComputedStyle(at).backgroundColor);
                const back = light(mix(behind));
                const front = light(mix([...behind, getComputedStyle(element).color]));
                const ratio = (Math.max(back, front) + 0.05) / (Math.min(back, front) + 0.05);
                found.push([own, ratio]);
              }
              return found;
            }""",
            selector,
        )
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read(blank: Studio, scheme: str) -> None:
    studio = blank
    studio.page.emulate_media(color_scheme=scheme)
    studio.open("five-bar")
    faint = {}
    for tab in ("Joints", "Parameters", "Frames", "Analysis", "Scene"):
        studio.tab(tab)
        for text, ratio in contrast(studio, "aside"):
            if ratio < 4.5:
                faint[text] = round(ratio, 2)
    assert faint == {}


def test_the_hint_goes_with_the_first_drag(studio: Studio) -> None:
    hint = studio.page.get_by_text("Drag any part. Everything else follows.")
    hint.wait_for()
    studio.drag(studio.part_at(studio.place("handle")), (20, -10))
    hint.wait_for(state="detached")
    studio.reload()
    assert hint.count() == 0


ASLEEP = "!window.kinegen.viewer.isAwake"


def test_a_page_that_nobody_touches_asks_for_no_frames(studio: Studio) -> None:
    studio.poll(ASLEEP)
    x, y = studio.part_at(studio.place("handle"))
    studio.page.mouse.move(x, y)
    studio.poll("window.kinegen.viewer.canvas.style.cursor === 'grab'")
    studio.poll(ASLEEP)
    # a way, a hand and a camera that a program moves wake it too
    q = studio.q
    studio.value("window.held = s.grab({site: s.model.siteNames.indexOf('handle'), kind: 'point'})")
    studio.poll(ASLEEP)
    studio.value("window.held.move({position: window.held.spec.position.map((x) => 0.98 * x)})")
    studio.wait("s.status?.outcome === 'reached' && s.q.some((x, i) => x !== a[0][i])", q)
    studio.value("window.held.release('keep')")
    studio.poll(ASLEEP)
    before = studio.on_screen([0, 0.1, 0])
    studio.value("v.setView('top')")
    studio.wait("v.onScreen([0, 0.1, 0]).some((x, i) => Math.abs(x - a[0][i]) > 5)", before)
    studio.poll(ASLEEP)
    assert studio.value("s.moveTo(s.model.start(), 'back')")
    studio.wait("!s.isAnimating")
    studio.wait_pose(studio.value("[...s.model.start()]"))


def test_the_help_sheet_names_every_key(studio: Studio) -> None:
    page = studio.page
    studio.keys("?")
    sheet = page.get_by_role("dialog", name="Help")
    sheet.wait_for()
    words = sheet.inner_text()
    for word in ("Undo", "Ctrl+Z", "Save", "Drag a link", "Record", "Fit the mechanism"):
        assert word in words
    assert sheet.evaluate("(sheet) => sheet.scrollWidth <= sheet.clientWidth + 1")
    studio.keys("Escape")
    studio.no_dialog()
    # some of them at work
    studio.keys("w")
    studio.wait("s.settings.renderMode === 'wireframe'")
    studio.keys("d")
    page.get_by_label("2D view of the mechanism, with its dimensions").wait_for()
    studio.keys("]")
    page.get_by_role("complementary", name=re.compile("^Joints")).wait_for(state="detached")
    studio.keys("l")
    assert page.get_by_role("tab", name="Library").get_attribute("aria-selected") == "true"


def test_an_unknown_name_is_refused_with_words(pages: Opener) -> None:
    studio = pages()
    studio.open("no-such-robot")
    alert = studio.page.get_by_role("alert")
    alert.filter(has_text="no-such-robot").wait_for()
    # and there is something to continue with
    assert studio.value("s.model.nq") > 0


def test_a_file_outside_the_folder_is_refused(studio: Studio) -> None:
    words = studio.page.evaluate(
        "window.kinegen.studio.open('file', '../../secret.raff')"
        ".then(() => 'done', (error) => error.message)"
    )
    assert words != "done" and len(words) > 10
    assert studio.value("s.snapshot.model.name") == "five-bar"


def test_empty_states_say_what_to_do(studio: Studio) -> None:
    page = studio.page
    page.get_by_role("searchbox", name="Search mechanisms").fill("zzzz")
    page.get_by_text("No match").wait_for()
    studio.button("Clear the search").click()
    page.get_by_text("No match").wait_for(state="detached")
    studio.value("s.open('text', 'raff: 1\\nname: blank\\njoints: []\\n')")
    page.get_by_role("heading", name="Nothing to drag yet").wait_for()
    page.get_by_text("No joints yet").first.wait_for()
    studio.keys("b")
    page.get_by_text("Nothing has moved yet").wait_for()
    studio.button("Add a joint").click()
    studio.wait("s.model.data.joints.length === 1")
    page.get_by_role("heading", name="Nothing to drag yet").wait_for(state="detached")


NAMED = "button tab slider textbox checkbox radio combobox link searchbox dialog figure meter"
NAMELESS = re.compile(rf"^\s*- ({NAMED.replace(' ', '|')})\b(?!.*\")", re.MULTILINE)


def test_everything_has_a_name(studio: Studio) -> None:
    page = studio.page
    studio.keys("b")

    def look() -> None:
        tree = page.locator("body").aria_snapshot()
        assert "button" in tree
        assert [line for line in tree.splitlines() if NAMELESS.match(line)] == []

    for tab in ("Parameters", "Frames", "Analysis", "Scene", "Joints"):
        studio.tab(tab)
        panel = page.get_by_role("tabpanel", name=tab)
        panel.wait_for()
        assert page.get_by_role("tab", name=tab).get_attribute("aria-selected") == "true"
        look()
    studio.tab("Text")
    look()
    for key in ("Control+o", "Control+Shift+s", "Control+e", "?"):
        page.locator("canvas").first.focus()
        studio.keys(key)
        page.get_by_role("dialog").wait_for()
        look()
        studio.keys("Escape")
        studio.no_dialog()
    assert page.get_by_role("tablist").count() == 2


def test_tabs_are_moved_through_by_arrow_keys(studio: Studio) -> None:
    page = studio.page
    page.get_by_role("tab", name="Joints").focus()
    studio.keys("ArrowDown")
    assert page.get_by_role("tab", name="Parameters").get_attribute("aria-selected") == "true"
    assert page.evaluate("document.activeElement.textContent.trim()") == "Parameters"
    studio.keys("ArrowUp", "ArrowUp")
    assert page.get_by_role("tab", name="Scene").get_attribute("aria-selected") == "true"
