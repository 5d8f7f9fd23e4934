"""Messages that are hard to digest: each is answered, and the connection lives on."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinegen.studio.wire.frames import pack_pose
from kinegen.studio.wire.messages import FROM_PAGE
from tests.support.messages import sample
from tests.support.studio import Page, RefusedError, page, run, studio

HUGE = 1e308
ODD: list[Any] = [
    HUGE, -HUGE, 5e-324, 0, -1, 2**53, 2**63, 2**64, -(2**63), 10**30, "", "\u00e9", "\u2028", "\0",
    "../../etc/passwd", "x" * 5000, [], {}, [[]], [HUGE] * 4, [HUGE] * 7, None, True,
    {"a": {"b": [HUGE]}}, [None], ["x", HUGE], {"": ""}, {"include": "/etc/passwd"},
]  # fmt: skip


async def answered(one: Page, message: dict[str, Any]) -> None:
    """Send a message and wait until the studio has answered something, whatever it is."""
    number = message.get("request", 0)
    before = len(one.messages)
    await one.send(**message)
    if number:
        await one.until(
            lambda: one.find("done", request=number) or one.find("refused", request=number)
        )
    assert not one.closed, (message, one.messages[before:])


@pytest.mark.parametrize("mechanism", ["four-bar", "humanoid-30"])
def test_numbers_without_measure(tmp_path: Path, mechanism: str, effort: int) -> None:
    async def work() -> None:
        async with studio(tmp_path, first=mechanism) as running, page(running) as one:
            nq = len(one.snapshot["q"])
            name = one.snapshot["model"]["joints"][0]["name"]
            box = {"name": "box", "shape": {"box": [HUGE] * 3}, "at": {"xyz": [HUGE] * 3}}
            motion = {
                "name": "far", "joints": [name], "times": [0.0, HUGE],
                "values": [[HUGE], [-HUGE]], "interpolation": "cubic", "note": None,
            }  # fmt: skip
            poses = [HUGE] * nq, [-HUGE, HUGE] * (nq // 2) + [0.0] * (nq % 2), [0.0] * nq
            for q in poses[: 1 if effort == 1 else 3]:
                await one.socket.send(pack_pose(1, one.snapshot["version"], np.array(q)))
                for kind, fields in [
                    ("commit_pose", {"q": q, "label": ""}),
                    ("mobility", {"q": q}),
                    ("matrices", {"q": q}),
                    ("solve", {"q": q, "handles": [
                        {"frame": name, "position": [HUGE] * 3, "weight": 1e9}]}),
                    ("export", {"q": q, "format": "svg"}),
                    ("start_simulation", {"q": q}),
                    ("step_simulation", {"count": 3}),
                    ("set_simulation", {"settings": {"gravity": [HUGE] * 3}}),
                    ("end_simulation", {}),
                    ("open_library", {"name": mechanism, "q": q}),
                    ("set_numbers", {"changes": [[name, "d", HUGE]]}),
                    ("set_numbers", {"changes": [[name, "d", "1e308 * 1e308"]]}),
                    ("undo", {}),
                    ("store_motion", {"motion": motion}),
                    ("add_object", box),
                    ("undo", {}),
                ]:  # fmt: skip
                    number = await one.start(kind, **fields)
                    try:
                        await one.answer(number)
                    except RefusedError:
                        pass
                    assert not one.closed, (kind, fields)
                await one.send("record_samples", name="r", start=True, times=[0.0], values=[q])
                await one.send("touch", hand=1, site=name, point=[HUGE] * 3, target=[HUGE] * 3)
                await one.send("set_target", joint=name, values=[HUGE] * 4)
            # and it still works
            await one.ask("open_library", name="four-bar")
            await one.ask("mobility", q=one.snapshot["q"])

    run(work())


def test_any_value_in_any_field(tmp_path: Path, effort: int) -> None:
    """Every field of every kind in turn holds something that it is not made for."""

    async def work() -> None:
        chance = random.Random(12)
        async with studio(tmp_path) as running:
            for _ in range(effort):
                for cls in FROM_PAGE:
                    async with page(running) as one:
                        fields = sample(cls)
                        for field in fields:
                            for odd in chance.sample(ODD, 3):
                                message = {**fields, field: odd}
                                if "request" in message and field != "request":
                                    message["request"] = len(one.messages) + 1000
                                if field in ("kind", "request") or message["kind"] == "cancel":
                                    await one.send(**message)
                                else:
                                    await answered(one, message)
                        await one.ask("open_library", name="four-bar")

    run(work())


def test_texts_that_json_cannot_hold(tmp_path: Path) -> None:
    """Halves of characters and whole numbers of any size in a mechanism's text."""

    async def work() -> None:
        text = 'raff: 1\nname: mine\ntitle: "half \\ud83d character"\njoints: []\n'
        async with studio(tmp_path) as running, page(running) as one:
            for value in (text, text.replace("title", "description"), text + f"# {10**400}\n"):
                number = await one.start("open_text", text=value)
                try:
                    await one.answer(number)
                except RefusedError:
                    pass
            await one.ask("open_library", name="four-bar")
            assert one.snapshot["model"]["name"] == "four-bar"

    run(work())


def test_frames_that_are_no_messages(tmp_path: Path, effort: int) -> None:
    async def work() -> None:
        chance = random.Random(7)
        async with studio(tmp_path) as running:
            for _ in range(3 * effort):
                async with page(running) as one:
                    for _ in range(60):
                        if chance.random() < 0.5:
                            await one.socket.send(chance.randbytes(chance.randrange(200)))
                        else:
                            depth = chance.randrange(3000)
                            await one.socket.send("[" * depth + json.dumps({"kind": "undo"}))
                    await one.ask("open_library", name="four-bar")

    run(work())
