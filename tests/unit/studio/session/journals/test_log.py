"""Lines of a journal: small, each good for itself, and none so broken that others are lost."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from kinegen.studio.session.edits.history import Step
from kinegen.studio.session.journals import log as module
from kinegen.studio.session.journals.log import LogWriter, Record, owner_line, read_log
from kinegen.studio.wire import messages as wire

TEXT = "raff: 1\nname: arm\n" + "".join(f"# line {n}\n" for n in range(200))


def step(label: str, text: str = TEXT, good: str | None = None, *, q: float = 0.0) -> Step:
    return Step(label, text, good or text, np.array([q, 1.0]), "arm.raff", "base", 3)


def record(steps: list[Step], at: int | None = None, **other: object) -> Record:
    where = len(steps) - 1 if at is None else at
    fields = {
        "secret": "s", "name": "n", "folder": "f", "saved_at": 5.0,
        "live": np.array([0.5, 1.0]), "saved": {"arm.raff": TEXT},
    }  # fmt: skip
    return Record("abcd1234", steps=tuple(steps), at=where, **{**fields, **other})  # type: ignore[arg-type]


def log(*records: Record) -> list[bytes]:
    writer, lines = LogWriter(), []
    for n, one in enumerate(records):
        lines.append(writer.line(one, "server", whole=n == 0))
        writer.written()
    return lines


def same(a: Step, b: Step) -> bool:
    words = (a.label, a.text, a.good_text, a.file, a.base, a.document)
    return words == (b.label, b.text, b.good_text, b.file, b.base, b.document) and bool(
        np.array_equal(a.q, b.q)
    )


def equal(found: Record | None, given: Record) -> bool:
    return (
        found is not None
        and len(found.steps) == len(given.steps)
        and all(map(same, found.steps, given.steps))
        and found.at == given.at
        and found.saved == given.saved
        and np.array_equal(found.live, given.live)
        and (found.session, found.secret, found.name, found.folder, found.saved_at)
        == (given.session, given.secret, given.name, given.folder, given.saved_at)
    )


def test_states_come_back_with_all_their_steps() -> None:
    steps = [step("open"), step("edit", TEXT + "# x: ½\n"), step("drag", TEXT + "# x: ½\n", q=1.0)]
    broken = step("edit text", TEXT + "joints: [", TEXT)
    states = [
        record(steps[:1]),
        record(steps[:2]),
        record(steps),
        record([*steps, broken]),
        record([*steps, broken], at=1),
        record([*steps, broken], at=1, live=np.array([7.0, 8.0]), saved_at=9.0),
        record([*steps[:2], broken], saved={"arm.raff": TEXT, "b.raff": "other"}),
    ]
    lines = log(*states)
    for n, state in enumerate(states):
        assert equal(read_log(b"".join(lines[: n + 1])), state), n


def test_lines_hold_only_what_is_new() -> None:
    noise = random.Random(1)
    text = "".join(f"# {noise.random()}\n" for _ in range(2000))
    steps = [step(f"s{n}", f"{text}# {n}\n") for n in range(50)]
    lines = log(record(steps[:-1]), record(steps), record(steps, live=np.zeros(2)))
    # fifty texts that differ in a line cost little more than one
    assert len(lines[0]) < 1.3 * len(log(record(steps[:1]))[0])
    assert len(lines[1]) < 1.1 * len(lines[0])
    assert len(lines[2]) < 300


def test_every_torn_end_leaves_what_was_before() -> None:
    steps = [step("open"), step("a", "a"), step("b", "b")]
    lines = log(record(steps[:1]), record(steps[:2]), record(steps))
    whole = b"".join(lines)
    for cut in range(len(lines[0]), len(whole), 7):
        found = read_log(whole[:cut])
        assert found is not None
        done = 1 + (cut >= len(lines[0] + lines[1]) - 1)
        assert len(found.steps) == done and found.present.label == steps[done - 1].label


@pytest.mark.parametrize("broken", [0, 1, 2])
def test_a_broken_line_costs_only_its_own(broken: int) -> None:
    steps = [step("open"), step("a", "a"), step("b", "b"), step("c", "c")]
    lines = log(*(record(steps[: n + 1]) for n in range(4)))
    line = bytearray(lines[broken])
    line[20] ^= 1
    lines[broken] = bytes(line)
    found = read_log(b"".join(lines))
    assert found is not None and found.present.label == "c"
    assert [one.label for one in found.steps] == [
        one.label for n, one in enumerate(steps) if n != broken
    ]


def test_no_bytes_make_it_fail() -> None:
    noise = random.Random(2)
    whole = b"".join(log(record([step("open")]), record([step("open"), step("a", "a")])))
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(noise.randrange(1, 6)):
            data[noise.randrange(len(data))] = noise.randrange(256)
        read_log(bytes(data))
    state = module.StateLine("", "s", "", "", "", 0.0, [], [], 99, [], [], None)
    for odd in (
        module.OwnerLine("x"), module.PoseLine([], 0.0), state,
        replace(state, present=1, steps=[module.StepRow(1, "", 5, 0, 0, [], None, 0)]),
        replace(state, texts=[(-1, -1, 0, "a")]), replace(state, saved={"a": 7}),
        replace(state, live=[["x"]]), wire.Undo(1),
    ):  # fmt: skip
        assert read_log(module._pack(odd)) is None
        found = read_log(whole + module._pack(odd))
        assert found is not None and found.present.label == "a"


def test_the_owner_is_the_last_who_says_so() -> None:
    lines = log(record([step("open")]))
    found = read_log(lines[0] + b"\n" + owner_line("other"))
    assert found is not None and found.server == "other" and found.present.label == "open"


def test_what_is_not_written_does_not_count() -> None:
    steps = [step("open"), step("a", "a"), step("b", "b")]
    writer = LogWriter()
    first = writer.line(record(steps[:1]), "server", whole=True)
    writer.written()
    writer.line(record(steps[:2]), "server", whole=False)  # the disk is full
    third = writer.line(record(steps), "server", whole=False)
    writer.written()
    assert equal(read_log(first + third), record(steps))


def test_steps_far_from_the_present_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [step(str(n), "x" * 1000) for n in range(10)]
    monkeypatch.setattr(module, "MOST_BYTES", 3500)
    found = read_log(log(record(steps))[0])
    assert found is not None and [one.label for one in found.steps] == ["7", "8", "9"]
    found = read_log(log(record(steps, at=0))[0])
    assert found is not None and [one.label for one in found.steps] == ["0", "1", "2"]
    large = [step("a"), step("b", "x" * 5000)]
    found = read_log(log(record(large))[0])
    assert found is not None and [one.label for one in found.steps] == ["b"]
