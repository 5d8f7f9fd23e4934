"""Mobility, free motion, velocities and accelerations by the WebAssembly kernels in Node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen import kernels
from kinegen.kernels import wasm_bytes
from tests.support.wasm.program import (
    BAD_HANDLE,
    BAD_INDEX,
    BAD_NUMBER,
    BAD_SIZE,
    NEEDS_WASM,
    NOT_FINITE,
    OK,
    Answer,
    Program,
)
from tests.twins.base.test_model import scale
from tests.unit.kinematics.mobility.test_mobility import BALL_ROD, four_bar, ladder

pytestmark = NEEDS_WASM

# Same source, same operations in the same order: sin, cos and log differ by a last digit, and the
# singular vectors of what is hardly resisted turn that into a few digits more.
TOLERANCE = 1e-11
# Where rank is lost, closing leaves the root of rounding.
SINGULAR = 1e-6
SPECIAL = {
    "flat": four_bar(1, 2, 1, 2, 0, 0, 0, 0),
    "shaky": four_bar(1, 1, 1, 3, 0, 0, 180, 0),
    "rod": BALL_ROD,
    "ladder": ladder(8),
}
CASES = [*kg.library_names(), *SPECIAL]
NO_INTS = np.zeros(0, dtype=np.int32)


class Page:
    """One mechanism: what the page asks, and what the native kernels say."""

    def __init__(self, program: Program, name: str) -> None:
        self.model = model = kg.load(SPECIAL.get(name, name)).compile()
        program.bind(name, model.ints, model.reals)
        self.handle = handle = {"result": name}
        nv, loops = model.nv, model.constraint_count
        motors = np.zeros(nv, dtype=np.int32)
        for joint in model.joints:
            motors[joint.v] = joint.has_motor
        self.native = bound = kernels.motion(model.ints, model.reals)
        self.q, self.values, self.directions = (
            model.start(),
            np.zeros(6 * loops),
            np.empty((nv, nv)),
        )
        self.counted = program.call(
            "kg_mobility", handle, self.q.copy(), NO_INTS, motors, 1e-6, self.values.copy(),
            np.zeros(11),
        )  # fmt: skip
        self.report = bound.mobility(
            self.q, None, motors, 1e-6, self.values, self.directions,
            np.empty(loops, dtype=np.int32), np.empty((loops, 6)),
        )  # fmt: skip
        count = self.report[0]
        self.how_many = program.call("kg_free_motion", handle, self.q, NO_INTS, 1e-6, np.zeros(0))
        self.free = program.call(
            "kg_free_motion", handle, self.q, NO_INTS, 1e-6, np.full((count, nv), np.nan)
        )
        # a joint and a frame are driven; then accelerated
        rng = np.random.default_rng(4)
        driven = np.zeros(nv, dtype=np.int32)
        driven[0] = 1
        frames = np.array([[len(model.site_names) - 1, 3]], dtype=np.int32)
        given = driven, rng.normal(size=nv), frames, rng.normal(size=(1, 6))
        self.moved = []
        v: np.ndarray | None = None
        for call in ("kg_velocities", "kg_accelerations"):
            out, free = np.empty(nv), np.empty((nv, nv))
            before = () if v is None else (v,)
            answer = program.call(call, handle, self.q, *before, *given, np.zeros(nv), np.zeros(3))
            report = bound.motion(self.q, v, *given, model.size, out, np.empty(4), free)
            self.moved.append((answer, out, np.array(report)))
            v = out if v is None else v
        assert v is not None
        twists, accelerations = (np.empty((len(model.site_names), 6)) for _ in range(2))
        self.sites = program.call(
            "kg_site_motions", handle, self.q, v, self.moved[1][1], twists, accelerations
        )
        bound.site_motions(self.q, v, self.moved[1][1], twists, accelerations)
        self.expected = twists, accelerations


def refusals(program: Program, page: Page) -> Iterator[tuple[str, Answer, int]]:
    """Calls that must be refused: (what is wrong, answer, status)."""
    model, q, nv = page.model, page.q, page.model.nv
    sites, one = len(model.site_names), np.zeros(nv, dtype=np.int32)
    frames = np.array([[sites - 1, 3]], dtype=np.int32)
    inputs = (one, np.zeros(nv), frames, np.zeros((1, 6)))
    values = np.zeros(6 * model.constraint_count)
    calls: dict[str, tuple[Any, ...]] = {
        "kg_mobility": (q, one, one, 1e-6, values, np.zeros(11)),
        "kg_free_motion": (q, one, 1e-6, np.zeros((page.report[0], nv))),
        "kg_velocities": (q, *inputs, np.zeros(nv), np.zeros(3)),
        "kg_accelerations": (q, np.zeros(nv), *inputs, np.zeros(nv), np.zeros(3)),
        "kg_site_motions": (q, np.zeros(nv), np.zeros(nv), *(np.zeros((sites, 6)),) * 2),
    }
    for name, arguments in calls.items():
        yield f"{name}: no handle", program.call(name, 0, *arguments), BAD_HANDLE
        for place, argument in enumerate(arguments):
            if isinstance(argument, np.ndarray):
                flat = argument.ravel()
                longer = np.append(flat, flat[-1:])
                given = [*arguments[:place], longer, *arguments[place + 1 :]]
                yield f"{name}: {place}", program.call(name, page.handle, *given), BAD_SIZE
                given = [*arguments[:place], 1025, flat.size, *arguments[place + 1 :]]
                yield f"{name}: {place} askew", program.call(name, page.handle, *given), BAD_SIZE
    for tolerance in (0.0, 0.1, float("nan")):
        given = [*calls["kg_mobility"]]
        given[3] = tolerance if tolerance == tolerance else -1.0
        yield f"{tolerance}", program.call("kg_mobility", page.handle, *given), BAD_NUMBER
    for frame, status in (([sites, 3], BAD_INDEX), ([-1, 3], BAD_INDEX), ([0, 4], BAD_NUMBER)):
        given = [*calls["kg_velocities"]]
        given[3] = np.array([frame], dtype=np.int32)
        yield f"{frame}", program.call("kg_velocities", page.handle, *given), status
    lost = q.copy()
    lost[0] = np.nan
    for name in ("kg_mobility", "kg_free_motion", "kg_velocities"):
        answer = program.call(name, page.handle, lost, *calls[name][1:])
        yield f"{name}: nan", answer, NOT_FINITE


def fuzz(program: Program) -> Iterator[Answer]:
    """Blocks with a few wrong integers: refused, or bound and then used without a trap."""
    rng = np.random.default_rng(8)
    for name in ("five-bar", "stewart", "delta"):
        model = kg.load(name).compile()
        q, nv, one = model.start(), model.nv, np.ones(model.nv, dtype=np.int32)
        frames = np.array([[len(model.site_names) - 1, 6]], dtype=np.int32)
        for trial in range(60):
            ints = model.ints.copy()
            for place in rng.integers(16, len(ints), size=rng.integers(1, 4)):
                ints[place] += rng.choice([-2, -1, 1, 2, 3])
            handle = {"result": f"fuzz {name} {trial}"}
            yield program.bind(handle["result"], ints, model.reals)
            yield program.call(
                "kg_mobility", handle, q, NO_INTS, one, 1e-6, np.zeros(6 * model.constraint_count),
                np.zeros(11),
            )  # fmt: skip
            yield program.call(
                "kg_accelerations", handle, q, q[:nv], one, np.zeros(nv), frames,
                np.zeros((1, 6)), np.zeros(nv), np.zeros(3),
            )  # fmt: skip


Run = tuple[dict[str, Page], list[tuple[str, Answer, int]], list[Answer]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    program = Program()
    pages = {name: Page(program, name) for name in CASES}
    refused = list(refusals(program, pages["five-bar"]))
    fuzzed = list(fuzz(program))
    program.run(wasm_bytes(), tmp_path_factory.mktemp("wasm-mobility"))
    return pages, refused, fuzzed


@pytest.mark.parametrize("name", CASES)
def test_the_page_counts_the_same_degrees_of_freedom(run: Run, name: str) -> None:
    page = run[0][name]
    model, answer = page.model, page.counted
    assert answer.trap is None, answer.trap
    assert answer.returned == OK
    assert tuple(answer.arrays[-1][:8]) == page.report[:8]
    precise = TOLERANCE if page.report[0] == page.report[1] else SINGULAR
    moved = kg.kinematics.difference(model, page.q, answer.arrays[0])
    np.testing.assert_allclose(moved, 0, atol=precise * scale(model))
    np.testing.assert_allclose(answer.arrays[-2], page.values, atol=precise * scale(model))


@pytest.mark.parametrize("name", CASES)
def test_the_page_finds_the_same_free_motions(run: Run, name: str) -> None:
    page = run[0][name]
    count = page.report[0]
    assert page.how_many.returned == page.free.returned == count
    theirs, ours = page.free.arrays[-1], page.directions[:count]
    # bases may differ where singular values are equal, what they span may not
    precise = 1e-9 if page.report[0] == page.report[1] else SINGULAR
    np.testing.assert_allclose(theirs.T @ theirs, ours.T @ ours, atol=precise)


# in a singular pose a last digit of q decides about large motions
@pytest.mark.parametrize("name", [name for name in CASES if name not in {"flat", "shaky"}])
def test_the_page_moves_in_the_same_way(run: Run, name: str) -> None:
    page = run[0][name]
    for answer, out, report in page.moved:
        assert answer.trap is None, answer.trap
        assert answer.returned == OK
        size = 1 + float(np.abs(out).max())
        np.testing.assert_allclose(answer.arrays[-2], out, atol=1e-9 * size)
        np.testing.assert_allclose(answer.arrays[-1], report, atol=1e-9 * size)
    for theirs, ours in zip(page.sites.arrays[-2:], page.expected, strict=True):
        size = 1 + float(np.abs(ours).max())
        np.testing.assert_allclose(theirs, ours, atol=TOLERANCE * size)


def test_bad_calls_are_refused_and_write_nothing(run: Run) -> None:
    for wrong, answer, status in run[1]:
        assert answer.trap is None, wrong
        assert answer.returned == status, wrong
        for before, after in zip(answer.sent, answer.arrays, strict=True):
            np.testing.assert_array_equal(after, before, err_msg=wrong)


def test_wrong_blocks_never_trap(run: Run) -> None:
    assert [answer.trap for answer in run[2] if answer.trap] == []
    # both ways are taken: some damage is harmless, some is refused
    assert {answer.returned for answer in run[2]} >= {OK, BAD_HANDLE, BAD_INDEX}
