"""The studio's page as a test drives it: real mouse and keys, state read from `window.kinegen`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

HANG = 120.0
"""[s] Only a page that is broken takes this long, on a machine with ten other jobs too."""
CLOSED = 1e-9
"""[m] Loops with a smaller gap are closed."""
READY = "!!window.kinegen?.studio?.model && !!window.kinegen.viewer"
CHEAP = """if (location.protocol.startsWith('http')) {
  const { pathname, search, hash } = location;
  const isCheap = new URLSearchParams(search).has('lowfx');
  const query = isCheap ? search : `${search || '?'}&lowfx`;
  history.replaceState(history.state, '', pathname + query + hash);
}"""
"""Links of the page itself, too, lead to pictures without shadows."""
UNHURRIED = """{
  const [ask, forget] = [requestAnimationFrame.bind(window), cancelAnimationFrame.bind(window)];
  const waiting = new Map();
  let last = 0;
  window.requestAnimationFrame = (draw) => {
    const id = ++last;
    const wait = setTimeout(() => {
      const frame = ask((time) => (waiting.delete(id), draw(time)));
      waiting.set(id, () => forget(frame));
    }, 40);
    waiting.set(id, () => clearTimeout(wait));
    return id;
  };
  window.cancelAnimationFrame = (id) => (waiting.get(id)?.(), waiting.delete(id));
}"""
"""Twenty pictures a second, as on a slow display: most of what a page costs here is drawing."""
Place = tuple[float, float]


class Studio:
    """One page."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self._window = page.viewport_size
        self.address, _, token = address.partition("#")[0].partition("/?token=")
        if token:  # as if the printed link had been opened before
            name = f"kinegen-{urlsplit(self.address).port}"
            page.context.add_cookies([{"name": name, "value": token, "url": self.address}])
        # A visitor who has seen the tour: its card would lie over what a test grabs.
        page.add_init_script("localStorage.getItem('kinegen.tour') ?? "
                             "localStorage.setItem('kinegen.tour', '4')")  # fmt: skip
        page.add_init_script(CHEAP)
        page.add_init_script(UNHURRIED)
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on(
            "console",
            lambda message: self.errors.append(message.text) if message.type == "error" else None,
        )

    # Getting there

    def open(self, name: str, query: str = "", fragment: str = "") -> None:
        """Load the page on a mechanism and wait until it is drawn and the view has its place."""
        self.go(f"/?lowfx&open={name}{query}{fragment}")

    def go(self, path: str) -> None:
        """Load an address of the studio and wait until a mechanism is drawn."""
        self.page.goto(self.address + path if path.startswith("/") else path)
        self._shown()

    def reload(self) -> None:
        """Load the page again and wait until the mechanism is drawn."""
        self.page.reload()
        self._shown()

    def _shown(self) -> None:
        self.poll(f"{READY} || !!document.querySelector('.failure')")
        assert self.page.locator(".failure").count() == 0, self.page.inner_text("body")
        self.view_still()

    def leave(self) -> None:
        """Leave the studio; the tab then knows no more of it than a new one."""
        page = self.page
        page.goto(f"{self.address}/icon.svg")
        page.evaluate("localStorage.clear(), sessionStorage.clear()")
        page.mouse.up()
        page.mouse.move(-1, -1)
        page.emulate_media(color_scheme="null")
        if page.viewport_size != self._window:
            page.set_viewport_size(self._window)

    def load(self, name: str) -> None:
        """Open another mechanism of the library in the page as it is."""
        self.value("s.open('library', a[0])", name)
        self.wait("s.snapshot.model.name === a[0]", name)
        self.view_still()

    # Reading

    def poll(self, expression: str, *arguments: Any) -> None:
        """Wait until an expression is true; the page's policy forbids to watch it from inside."""
        end = time.monotonic() + HANG
        while not self.page.evaluate(f"(a) => {expression}", list(arguments)):
            assert time.monotonic() < end, f"{expression} did not come true; {self.errors}"
            self.page.wait_for_timeout(20)

    def value(self, expression: str, *arguments: Any) -> Any:
        """A value of the page; `s` is the studio, `v` the viewer, `a` the arguments."""
        return self.page.evaluate(_function(expression), list(arguments))

    def wait(self, expression: str, *arguments: Any) -> None:
        """Wait until an expression of `s`, `v` and `a` is true."""
        self.poll(f"({_function(expression)})(a)", *arguments)

    @property
    def q(self) -> list[float]:
        """The configuration now."""
        return list(self.value("[...s.q]"))

    def wait_pose(self, q: Sequence[float], tolerance: float = 1e-6) -> None:
        """Wait until it stands in a pose."""
        self.wait("a[0].every((x, i) => Math.abs(x - s.q[i]) < a[1])", list(q), tolerance)

    @property
    def gap(self) -> float:
        """The widest loop gap now [m]."""
        return float(self.value("s.model.loopGap(s.q)"))

    @property
    def text(self) -> str:
        """The mechanism's text as the server has it."""
        return str(self.value("s.snapshot.text"))

    def wait_text(self, part: str) -> None:
        """Wait until the server's text holds a part, and has no problems."""
        self.wait("s.snapshot.text.includes(a[0]) && s.snapshot.problems.length === 0", part)

    def position(self, site: str) -> list[float]:
        """Where a link or frame is in the world [m]."""
        return list(
            self.value(
                """(() => {
                  const i = s.model.siteNames.lastIndexOf(a[0]);
                  if (i < 0) throw new Error(`no site ${a[0]}`);
                  return [...s.poses.slice(7 * i + 4, 7 * i + 7)];
                })()""",
                site,
            )
        )

    def place(self, site: str) -> Place:
        """Where a link or frame is on the screen [px]."""
        return self.on_screen(self.position(site))

    def on_screen(self, point: Sequence[float]) -> Place:
        """Where a point of the world is on the screen [px]."""
        x, y = self.value(
            """(() => {
              const box = v.canvas.getBoundingClientRect();
              const p = v.onScreen(a[0]);
              return [box.left + p[0], box.top + p[1]];
            })()""",
            list(point),
        )
        return float(x), float(y)

    def covered(self) -> list[str]:
        """Moving links and frames that lie under tools, or outside the picture."""
        return list(
            self.value(
                """(() => {
                  const box = v.canvas.getBoundingClientRect();
                  return s.model.siteNames.filter((_, i) => {
                    const [x, y] = v.onScreen([...s.poses.slice(7 * i + 4, 7 * i + 7)]);
                    const seen = document.elementFromPoint(box.left + x, box.top + y);
                    const isIn = x > 0 && x < box.width && y > 0 && y < box.height;
                    return i > 0 && (!isIn || seen?.closest("[data-over]"));
                  });
                })()"""
            )
        )

    def part_at(self, place: Place, link: str | None = None) -> Place:
        """The place nearest to one where a moving link, or a given one, can be grabbed [px]."""
        found = self.value(
            """(() => {
              const [x, y, link] = a;
              const wanted = link === null ? null : s.model.data.links.indexOf(link);
              for (let r = 0; r < 160; r += 4)
                for (let k = 0; k < (r ? 12 : 1); k++) {
                  const at = [x + r * Math.cos(k * Math.PI / 6), y + r * Math.sin(k * Math.PI / 6)];
                  const hit = v.pick(...at);
                  if (hit && (wanted === null ? hit.link > 0 : hit.link === wanted)) return at;
                }
              return null;
            })()""",
            *place,
            link,
        )
        assert found is not None, f"no part can be picked near {place}"
        return float(found[0]), float(found[1])

    def frame_drawn(self) -> None:
        """Wait until a picture is drawn after now."""
        self.page.evaluate(
            """async () => {
              const { viewer } = window.kinegen, before = viewer.frames;
              viewer.invalidate();
              while (viewer.frames === before) await new Promise(requestAnimationFrame);
            }"""
        )

    def view_still(self) -> None:
        """Wait until a picture is drawn and the camera at rest: what is pressed stays there."""
        self.page.evaluate(
            """async () => {
              const { viewer } = window.kinegen;
              const ends = [[0, 0, 0], [1, 2, 3]];
              const seen = () => ends.map((end) => viewer.onScreen(end)).join();
              for (let last = ""; last !== seen(); )
                for (let i = ((last = seen()), 0); i < 3; i++) {
                  viewer.invalidate();
                  await new Promise(requestAnimationFrame);
                }
            }"""
        )

    def picture(self) -> bytes:
        """The canvas as it is drawn now."""
        self.frame_drawn()
        return bytes(self.page.locator("canvas").first.screenshot(type="jpeg", quality=80))

    # Doing

    def drag(self, start: Place, *way: Place, release: bool = True) -> None:
        """Press at a place, go along a way of relative steps, let go."""
        mouse = self.page.mouse
        x, y = start
        mouse.move(x, y)
        mouse.down()
        for dx, dy in way:
            x, y = x + dx, y + dy
            mouse.move(x, y, steps=2)
            self.frame_drawn()
        if release:
            mouse.up()

    def keys(self, *names: str) -> None:
        """Press keys, one after the other."""
        for name in names:
            self.page.keyboard.press(name)

    def tab(self, title: str) -> None:
        """Open a tab of the left or right panel."""
        self.page.get_by_role("tab", name=title).click()

    def button(self, name: str) -> Any:
        """A button by its exact name."""
        return self.page.get_by_role("button", name=name, exact=True)

    def menu(self, opener: str, item: str) -> None:
        """Choose an item of a menu."""
        self.button(opener).click()
        self.page.get_by_role("menu").get_by_text(item, exact=True).click()

    def no_dialog(self) -> None:
        """Wait until no dialog is open; the last one keeps the keys until it is gone."""
        self.page.locator("dialog").wait_for(state="detached")

    def slider(self, label: str) -> Any:
        """A slider by its exact label, once it can be moved: keys on a disabled one are lost."""
        return self.page.get_by_role("slider", name=label, exact=True, disabled=False)

    def field(self, label: str) -> Any:
        """A field by its exact label."""
        return self.page.get_by_role("textbox", name=label, exact=True)

    def enter(self, label: str, text: str) -> None:
        """Type into a field and press Enter."""
        self.field(label).fill(text)
        self.field(label).press("Enter")


class Finger:
    """A finger on the page, beside the mouse."""

    def __init__(self, studio: Studio, *places: Place) -> None:
        self._studio = studio
        self._session = studio.page.context.new_cdp_session(studio.page)
        self._places = list(places)
        self._send("touchStart")

    def move(self, *steps: Place, times: int = 1) -> None:
        """Move every finger by a step of its own, some times."""
        for _ in range(times):
            self._places = [
                (x + dx, y + dy) for (x, y), (dx, dy) in zip(self._places, steps, strict=True)
            ]
            self._send("touchMove")
            self._studio.frame_drawn()

    def lift(self) -> None:
        """Take all fingers away."""
        self._places = []
        self._send("touchEnd")
        self._session.detach()

    def _send(self, kind: str) -> None:
        points = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(self._places)]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def _function(expression: str) -> str:
    return (
        "(a) => { const s = window.kinegen.studio, v = window.kinegen.viewer; "
        f"return {expression}; }}"
    )
