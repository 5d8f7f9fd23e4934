"""Notebooks: a view as a page in the output of a cell, draggable also where no kernel runs."""

from __future__ import annotations

import html
import importlib.util
import secrets
import sys
import threading
import time
import weakref
from dataclasses import asdict
from typing import Any

import numpy as np

from kinegen.errors import KinegenError
from kinegen.kernels import Floats
from kinegen.live.core import Core
from kinegen.live.link import Link
from kinegen.studio.jobs.page_file.page import export_page
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.codec import kinds_of
from kinegen.studio.wire.frames import pack_pose
from kinegen.studio.wire.typescript import schema_hash

__all__ = ["Bridge", "bundle", "frame"]

HEIGHT = 480
"""[px] Of the page in a notebook."""
POSES = 1 / 60
"""[s] Poses are sent to the notebook at most this often."""
NO_PICTURE = "the page in the notebook takes no pictures; open one in a browser: view.open_page()"
_TAKEN = kinds_of(wire.Welcome, wire.Snapshot, wire.PictureWanted, wire.ItemShown, wire.ItemHidden)
"""The messages that the pages of a notebook want."""

SCRIPT = """
export default {
  initialize({ model }) {
    const kept = new Map();
    const keyOf = ({ kinegen, message }) =>
      kinegen === "message" ? `${message.program}/${message.item}` : kinegen;
    const frames = () =>
      document.querySelectorAll(`iframe[data-kinegen="${model.get("key")}"]`);
    const listen = ({ data, source }) => {
      if (!data || typeof data.kinegen !== "string") return;
      for (const frame of frames()) {
        if (frame.contentWindow !== source) continue;
        if (data.kinegen !== "ready") model.send(data);
        else for (const content of kept.values()) source.postMessage(content, "*");
      }
    };
    window.addEventListener("message", listen);
    model.on("msg:custom", (content) => {
      kept.set(keyOf(content), content);
      for (const frame of frames()) frame.contentWindow?.postMessage(content, "*");
    });
    model.send({ kinegen: "ready" });
    return () => window.removeEventListener("message", listen);
  },
};
"""
"""What connects the pages of a notebook with its kernel; it shows nothing itself.

It keeps the latest pose and items: a page that is loaded after they came still gets them."""

_BRIDGES: weakref.WeakKeyDictionary[Core, Bridge] = weakref.WeakKeyDictionary()


def bundle(core: Core, text: str) -> dict[str, str]:
    """What a notebook shows of a view: the page itself, which needs no kernel to be dragged.

    Where anywidget is installed (``kinegen[notebook]``) and a kernel runs, page and session follow
    each other.
    """
    try:
        bridge = _bridge(core)
        page = frame(core, bridge.key if bridge else "")
    except KinegenError as error:
        # such as an installation without the built page
        return {"text/plain": f"{text}: {error}"}
    return {"text/plain": text, "text/html": page}


def frame(core: Core, key: str = "", height: int = HEIGHT) -> str:
    """The mechanism as a page of its own within HTML."""
    mechanism = core.shared.mechanism_and_model()[0]
    page = html.escape(export_page(mechanism, core.shared.q, core.drawn()), quote=True)
    look = f"width:100%;height:{height}px;border:1px solid #8884;border-radius:8px"
    title = html.escape(core.shared.name, quote=True)
    return f'<iframe title="{title}" data-kinegen="{key}" style="{look}" srcdoc="{page}"></iframe>'


def _bridge(core: Core) -> Bridge | None:
    """What connects the notebook's pages with the session; None without anywidget or kernel."""
    if importlib.util.find_spec("anywidget") is None or not _has_kernel():
        return None
    bridge = _BRIDGES.get(core)
    if bridge is None:
        bridge = _BRIDGES[core] = Bridge(core, _widget)
    return bridge


def _has_kernel() -> bool:
    return "ipykernel" in sys.modules


def _widget(key: str) -> Any:
    """A model without a view, in every page of the notebook."""
    import anywidget
    import traitlets

    class NotebookLink(anywidget.AnyWidget):  # type: ignore[misc]
        _esm = SCRIPT
        key = traitlets.Unicode().tag(sync=True)

    return NotebookLink(key=key)


class Bridge:
    """The notebook's pages as one page of the session: poses and hands go both ways.

    Args:
        core: The program's own connection.
        make: Makes what speaks with the notebook: it has ``send`` and ``on_msg``.
    """

    def __init__(self, core: Core, make: Any) -> None:
        self.key = secrets.token_hex(8)
        self._shared = core.shared
        self._widget = make(self.key)
        self._widget.on_msg(self._heard)
        self._items: dict[tuple[int, str], dict[str, object]] = {}
        """As a page takes them."""
        self._latest: list[float] | None = None
        self._timer: threading.Timer | None = None
        self._sent = 0.0
        self._lock = threading.Lock()
        self._sequence = 0

        def hello(session: str | None, secret: str | None) -> wire.Hello:
            return wire.Hello(schema_hash(), session, secret or core.welcome.secret)

        self._link = Link(
            core.link.address,
            hello,
            kinds=_TAKEN,
            message=self._message,
            pose=self._pose,
            changed=lambda _: None,
            fingerprint=core.link.fingerprint,
        )
        self._link.session = core.link.session
        self._link.open()
        core.on_close(self._link.close)

    def _message(self, message: wire.Message) -> None:
        match message:
            case wire.Snapshot(version=version, q=q):
                self._pose(version, np.array(q, dtype=float))
            case wire.PictureWanted(picture=number):
                self._link.put(wire.PictureTaken(number, "", NO_PICTURE))
            case wire.ItemShown() | wire.ItemHidden():
                keys: dict[str, object] = {"kind": message.KIND, **asdict(message)}
                self._items[message.program, message.item] = keys
                self._widget.send({"kinegen": "message", "message": keys})

    def _pose(self, version: int, q: Floats) -> None:
        """The latest pose: at once after a pause, else at display rate."""
        with self._lock:
            self._latest = q.tolist()
            if self._timer is not None:
                return
            pause = self._sent + POSES - time.monotonic()
            if pause > 0:
                self._timer = threading.Timer(pause, self._send)
                self._timer.daemon = True
                self._timer.start()
                return
        self._send()

    def _send(self) -> None:
        with self._lock:
            latest, self._latest, self._timer = self._latest, None, None
            self._sent = time.monotonic()
        if latest is not None:
            self._widget.send({"kinegen": "pose", "q": latest})

    def _heard(self, _: Any, content: dict[str, object], buffers: Any) -> None:
        """A page of the notebook was dragged, or a browser has begun to listen."""
        match content:
            case {"kinegen": "ready"}:
                for message in list(self._items.values()):
                    self._widget.send({"kinegen": "message", "message": message})
                self._widget.send({"kinegen": "pose", "q": self._shared.q.tolist()})
            case {"kinegen": "pose", "q": list(values)}:
                q = np.array(values, dtype=float)
                if q.shape == self._shared.q.shape and np.isfinite(q).all():
                    self._sequence += 1
                    self._link.send_pose(pack_pose(self._sequence, self._shared.version, q))
            case {"kinegen": "hand", "active": bool(active), "sites": list(sites)}:
                self._link.flush()
                self._link.put(wire.Hand(active, [str(site) for site in sites]))
