"""The singularity monitor for the page, in Node, against the compiled one in Python."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import singularity_monitor, wasm_bytes
from kinegen.kernels.call_records import BranchInts
from kinegen.kernels.protocols.singular import BRANCH_LIMIT, BoundMonitor, MonitorStatus, SearchEnd
from kinegen.kernels.records import size_of
from tests.support.mechanisms.singular_questions import (
    AXIS,
    QUESTIONS,
    Question,
    aims,
    general_pose,
    inputs,
)
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

pytestmark = NEEDS_WASM

# The same operations in the same order, but for the C library's sines: a last digit each, which
# singular vectors and closed poses carry on.
TOLERANCE = 1e-11
# A fold squares what is known of it: 1e-12 of a value is 1e-6 of a joint.
FOUND = 3e-6
BRANCHES, BRANCH_INTS = BRANCH_LIMIT, size_of(BranchInts)
OPTIONS = np.array([-1.0, 0.0, 0.03, 0.02])
NOTHING = np.zeros(0)


def add_watch(program: Program, name: str, model: kg.Model, q: np.ndarray, frame: str) -> Answer:
    program.bind(name, model.ints, model.reals)
    return program.call(
        "kg_singular_watch", {"result": name}, q, aims(model, frame), AXIS, inputs(model),
        np.zeros(4, dtype=np.int32),
    )  # fmt: skip


def native(model: kg.Model, q: np.ndarray, frame: str) -> tuple[BoundMonitor, list[int]]:
    made = singularity_monitor(model.ints, model.reals)
    return made, list(made.watch(q, aims(model, frame), AXIS, inputs(model)))


class Gauge:
    """What the page's gauge shows of one library mechanism."""

    def __init__(self, program: Program, name: str) -> None:
        model = kg.load(name).compile()
        q = general_pose(model)
        frame = model.site_names[-1]
        self.monitor, self.ranks = native(model, q, frame)
        self.q = q
        self.watched = add_watch(program, name, model, q, frame)
        values = np.zeros(self.ranks[1])
        self.measured = program.call(
            "kg_singular_measure", {"result": name}, q, np.zeros(2), values
        )
        rows = self.monitor.examine(q)[6].shape[1]
        self.directions = program.call(
            "kg_singular_directions", {"result": name}, q, np.zeros(rows), np.zeros(model.nv),
            np.zeros(model.nv), np.zeros(3, dtype=np.int32),
        )  # fmt: skip


class Outlook:
    """One question: the pose ahead, its branches and their ways."""

    def __init__(self, program: Program, question: Question) -> None:
        self.model = model = question.model()
        q, heading = question.start(model), question.heading(model)
        name = question.name
        self.monitor, _ = native(model, q, question.watched(model))
        self.q, self.heading, self.kind = q, heading, question.kind
        add_watch(program, name, model, q, question.watched(model))
        self.ahead = program.call(
            "kg_singular_ahead", {"result": name}, q, *heading, OPTIONS, np.zeros(model.nq),
            np.zeros(3), np.zeros(4, dtype=np.int32),
        )  # fmt: skip
        self.branches = program.call(
            "kg_singular_branches_beyond", {"result": name}, q, *heading, question.kind, 0.5,
            np.zeros(model.nq), np.zeros(4, dtype=np.int32),
            np.zeros((BRANCHES, BRANCH_INTS), dtype=np.int32), np.zeros((BRANCHES, model.nq)),
        )  # fmt: skip
        self.count = program.call("kg_singular_path", {"result": name}, 0, NOTHING, NOTHING)
        self.path = program.call(
            "kg_singular_path", {"result": name}, 0, np.full(model.nv, 0.02),
            np.zeros((4000, model.nq)),
        )  # fmt: skip
        self.short = program.call(
            "kg_singular_path", {"result": name}, 0, NOTHING, np.zeros((2, model.nq))
        )


@dataclass
class Run:
    gauges: dict[str, Gauge]
    outlooks: dict[str, Outlook]
    refused: list[tuple[Answer, int]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    program = Program()
    done = Run(
        {name: Gauge(program, name) for name in kg.library_names()},
        {question.name: Outlook(program, question) for question in QUESTIONS},
        list(refusals(program)),
    )
    program.run(wasm_bytes(), tmp_path_factory.mktemp("wasm-singular"))
    return done


def refusals(program: Program) -> list[tuple[Answer, int]]:
    """Calls that are wrong in one place each, and what they must return."""
    model = kg.load("five-bar").compile()
    q, (ints, reals) = model.start(), QUESTIONS[2].heading(model)
    here = {"result": "five-bar"}
    short = q[1:].copy()
    nan = np.full(model.nq, np.nan)
    two, four = np.zeros(2), np.zeros(4, dtype=np.int32)
    room = np.zeros((BRANCHES, BRANCH_INTS), dtype=np.int32), np.zeros((BRANCHES, model.nq))
    nowhere, lost = aims(model, "handle"), ints.copy()
    nowhere[0, 0] = lost[1] = 99
    watch = (
        "kg_singular_watch",
        "kg_singular_measure",
        "kg_singular_ahead",
        "kg_singular_branches_beyond",
    )
    program.bind("idle", model.ints, model.reals)
    asked = [
        (watch[0], (here, short, aims(model, "handle"), AXIS, inputs(model), four), BAD_SIZE),
        (watch[0], (here, q, nowhere, AXIS, inputs(model), four), BAD_INDEX),
        (watch[0], (here, nan, aims(model, "handle"), AXIS, inputs(model), four), NOT_FINITE),
        (watch[1], (here, short, two, np.zeros(2)), BAD_SIZE),
        (watch[1], (here, q, two, np.zeros(5)), BAD_SIZE),
        (watch[1], (here, nan, two, np.zeros(2)), NOT_FINITE),
        (watch[1], ({"result": "idle"}, q, two, np.zeros(2)), BAD_HANDLE),
        (watch[1], (99, q, two, np.zeros(2)), BAD_HANDLE),
        (watch[2], (here, q, lost, reals, OPTIONS, q, np.zeros(3), four), BAD_INDEX),
        (watch[2], (here, q, ints[1:].copy(), reals, OPTIONS, q, np.zeros(3), four), BAD_SIZE),
        (watch[2], (here, q, ints, reals * np.nan, OPTIONS, q, np.zeros(3), four), NOT_FINITE),
        (watch[2], (here, q, ints, reals, 0 * OPTIONS, q, np.zeros(3), four), BAD_NUMBER),
        (watch[2], (here, q, ints, 0 * reals, OPTIONS, q, np.zeros(3), four),
         MonitorStatus.HEADING_IS_ZERO),
        (watch[3], (here, q, ints, reals, 2, 0.5, q, four, *room), BAD_INDEX),
        (watch[3], (here, q, ints, reals, -1, 0.0, q, four, *room), BAD_NUMBER),
        (watch[3], (here, q, ints, reals, 1, 0.5, q, four, *room), MonitorStatus.WRONG_KIND),
        ("kg_singular_path", (here, 99, NOTHING, NOTHING), BAD_INDEX),
        ("kg_singular_path", (here, -1, np.zeros(model.nv), NOTHING), BAD_NUMBER),
    ]  # fmt: skip
    return [(program.call(name, *arguments), wanted) for name, arguments, wanted in asked]


@pytest.mark.parametrize("name", kg.library_names())
def test_the_gauge(run: Run, name: str) -> None:
    gauge = run.gauges[name]
    assert gauge.watched.trap is None and gauge.watched.returned == OK
    assert gauge.watched.arrays[-1].tolist() == gauge.ranks
    kind, *distances, values = gauge.monitor.measure(gauge.q)
    assert gauge.measured.trap is None and gauge.measured.returned == kind
    np.testing.assert_allclose(gauge.measured.arrays[1], distances, atol=TOLERANCE)
    np.testing.assert_allclose(gauge.measured.arrays[2], values, atol=TOLERANCE)
    examined = gauge.monitor.examine(gauge.q)
    assert gauge.directions.trap is None and gauge.directions.returned == kind
    found = gauge.directions.arrays
    assert found[4].tolist() == [len(examined[6]), len(examined[8]), examined[1]]
    for ours, theirs, values in zip(
        (examined[6], examined[7], examined[8]), found[1:4], examined[4:5] * 2 + examined[5:6],
        strict=True,
    ):  # fmt: skip
        # directions of equal values, as a cart on its wheels always has, are a matter of choice
        if len(ours) and (len(values) < 2 or values[-2] - values[-1] > 1e-4):
            np.testing.assert_allclose(theirs, ours[0], atol=1e3 * TOLERANCE)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_the_pose_ahead(run: Run, question: Question) -> None:
    found = run.outlooks[question.name]
    assert found.ahead.trap is None
    if found.heading[0][0] < 0:
        assert found.ahead.returned == BAD_INDEX  # no heading, nothing ahead
        return
    ours = found.monitor.ahead(found.q, *found.heading, -1.0, False, 0.03, 0.02)
    assert found.ahead.returned == ours[0] == OK
    pose, report, ints = found.ahead.arrays[-3:]
    np.testing.assert_allclose(pose, ours[6][-1], atol=FOUND)
    np.testing.assert_allclose(report[0], ours[3], atol=FOUND)
    assert ints[0] == ours[1] == SearchEnd.FOUND
    assert ints[2:].tolist() == [ours[2], len(ours[6])]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_the_branches(run: Run, question: Question) -> None:
    found = run.outlooks[question.name]
    ours = found.monitor.branches_beyond(found.q, *found.heading, found.kind, 0.5)
    assert found.branches.trap is None and found.branches.returned == ours[0] == OK
    pose, ints, branch_ints, phantoms = found.branches.arrays[-4:]
    np.testing.assert_allclose(pose, ours[3][-1], atol=FOUND)
    assert ints.tolist() == [ours[1], ours[2], len(ours[3]), len(ours[4])]
    for branch, numbers, phantom in zip(ours[4], branch_ints, phantoms, strict=False):
        assert [*branch[:8], len(branch[8])] == numbers.tolist()
        np.testing.assert_allclose(phantom, branch[8][-1], atol=10 * FOUND)
    # the way to the first branch
    way = ours[4][0][8]
    assert found.count.returned == len(way)
    assert found.short.returned == BAD_SIZE
    refined = found.monitor.refine(way, np.full(found.model.nv, 0.02))
    assert refined is not None and found.path.returned == len(refined)
    np.testing.assert_allclose(found.path.arrays[-1][: len(refined)], refined, atol=10 * FOUND)


def test_bad_calls_are_refused(run: Run) -> None:
    assert [answer.trap for answer, _ in run.refused if answer.trap] == []
    assert [answer.returned for answer, _ in run.refused] == [wanted for _, wanted in run.refused]
