"""Programs in a session as the server sees them: limits, wrong messages, hands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kinegen.studio.session import programs as module
from tests.support.studio import RefusedError, page, run, studio

PROGRAM = {"name": "test.py", "key": "a-key-of-its-own"}
LABEL = {"kind": "label", "text": "<b>x</b>", "place": [0, 0, 0], "frame": "", "color": ""}
SLIDER = {
    "kind": "slider", "label": "k", "value": 1, "low": 0, "high": 2, "step": 0, "unit": "",
}  # fmt: skip


def test_items_have_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ITEMS", 2)
    monkeypatch.setattr(module, "MOST_BYTES", 1000)
    monkeypatch.setattr(module, "MOST_PROGRAMS", 1)

    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            session = one.welcome["session"]
            async with page(running, session=session, program=PROGRAM) as program:
                for name in ("a", "b", "c"):
                    await program.send("show_item", item=name, data=LABEL)
                refused = await program.wait("refused")
                assert "at most 2 items" in refused["message"]
                await program.send("hide_item", item="b")
                await program.send("show_item", item="b", data={**LABEL, "text": "x" * 1200})
                await program.until(lambda: len(program.find("refused")) == 2)
                assert "MB" in program.find("refused")[-1]["message"]
                with pytest.raises(AssertionError, match="1 programs are in this session"):
                    other = {"name": "other.py", "key": "another-key"}
                    async with page(running, session=session, program=other):
                        pass

    run(work())


def test_pages_show_nothing_and_programs_have_no_hands(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            await one.send("show_item", item="a", data=LABEL)
            assert "only programs show items" in (await one.wait("refused"))["message"]
            session = one.welcome["session"]
            async with page(running, session=session, program=PROGRAM) as program:
                assert program.welcome["secret"] and not program.welcome["read_only"]
                await program.send("hand", active=True, sites=[])
                assert "no hand" in (await program.wait("refused"))["message"]
                with pytest.raises(RefusedError, match="no longer in the session"):
                    await one.ask("end_program", program=99)

    run(work())


def test_wrong_items_are_explained(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            session = one.welcome["session"]
            async with page(running, session=session, program=PROGRAM) as program:
                wrong: list[tuple[dict[str, Any], str]] = [
                    ({**LABEL, "kind": "lable"}, "one of the kinds"),
                    ({**LABEL, "place": [0, 0]}, "a list of 3"),
                    ({**LABEL, "text": "x" * 3000}, "0 to 2000"),
                    ({**SLIDER, "value": "much"}, "a finite number"),
                ]
                for data, words in wrong:
                    before = len(program.find("refused"))
                    await program.send("show_item", item="a", data=data)
                    await program.until(lambda n=before: len(program.find("refused")) > n)
                    assert words in program.find("refused")[-1]["message"]

    run(work())


def test_a_value_is_shown_in_the_other_pages(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            session, secret = one.welcome["session"], one.welcome["secret"]
            hello = {"session": session, "secret": secret}
            async with (
                page(running, **hello) as other,
                page(running, session=session, program=PROGRAM) as program,
            ):
                await program.send("show_item", item="k", data=SLIDER)
                number = (await one.wait("programs"))["programs"][0]["program"]
                await one.wait("item_shown", item="k")
                await one.send("input_item", program=number, item="k", value=1.5)
                assert (await program.wait("item_input"))["value"] == 1.5
                await other.until(lambda: other.find("item_shown")[-1]["data"]["value"] == 1.5)
                assert len(one.find("item_shown")) == 1
                assert one.find("watchers")[-1]["count"] == 2  # programs are no pages

    run(work())


def test_a_studio_for_a_program_ends_when_all_have_left(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path, linger=0.1) as running:
            async with page(running, program=PROGRAM, open=""):
                pass
            import asyncio

            async with asyncio.timeout(60):
                while not running.server.should_exit:
                    await asyncio.sleep(0.05)

    run(work())
