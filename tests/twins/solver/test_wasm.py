"""Recorded drags of every library mechanism, replayed by the WebAssembly solver in Node."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import wasm_bytes
from kinegen.kinematics.handles import pack_handles
from kinegen.kinematics.solving.assembling.assembly import close
from tests.support.wasm.program import BAD_INDEX, BAD_SIZE, NEEDS_WASM, OK, Answer, Program
from tests.twins.base.test_model import scale

pytestmark = NEEDS_WASM

TOLERANCE = 1e-12
TICKS = 25
EMPTY = np.zeros(0)
NO_INTS = np.zeros(0, dtype=np.int32)
SWING = """\
raff: 1
joints:
  - {name: ball, type: spherical, parent: base, limits: 10 deg, start: [9.5 deg, 0, 0]}
frames:
  - {name: tip, parent: ball, xyz: [0.1, 0, 1]}
"""
NAMES = [*kg.library_names(), "swing"]


class Drag:
    """A drag along reachable targets: recorded natively, to be replayed tick by tick in Node."""

    def __init__(self, program: Program, name: str) -> None:
        self.model = model = kg.load(SWING if name == "swing" else name).compile()
        frame = model.site_names[-1]
        rng = np.random.default_rng(9)
        options = np.array([12, 0.3, 1e-10 / model.size, 1e-9 / model.size, 0.0, 1.0])
        held = np.zeros(model.nv, dtype=np.int32)
        q = model.start()
        program.bind(name, model.ints, model.reals)
        self.ticks: list[tuple[Answer, np.ndarray, tuple[float, ...]]] = []
        for tick in range(TICKS):
            nearby, _ = close(
                model, kg.kinematics.integrate(model, q, 0.02 * rng.normal(size=model.nv))
            )
            target = kg.Handle(frame, kg.pose(model, nearby, frame).translation)
            ints, reals = pack_handles(model, [target])
            # the page's q stays in its memory and is never corrected
            page_q = program.keep(f"{name}.q", q) if tick == 0 else {"kept": f"{name}.q"}
            answer = program.call(
                "kg_solve", {"result": name}, page_q, ints, reals, options, EMPTY, EMPTY, EMPTY,
                NO_INTS, np.zeros(model.nv, dtype=np.int32), np.zeros(13), 0, 0.0,
            )  # fmt: skip
            report = model.solver.run(q, ints, reals, options, None, None, None, None, held)
            self.ticks.append((answer, q.copy(), report))


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Drag], list[Answer]]:
    program = Program()
    drags = {name: Drag(program, name) for name in NAMES}
    refused = list(refusals(program))
    program.run(wasm_bytes(), tmp_path_factory.mktemp("wasm-solver"))
    return drags, refused


def refusals(program: Program) -> list[Answer]:
    model = kg.load("five-bar").compile()
    ints, reals = pack_handles(model, [kg.Handle("handle", [0.1, 0.3, 0])])
    good = [
        model.start(), ints, reals, np.array([12, 0.3, 1e-10, 1e-9, 0.0, 1.0]), EMPTY, EMPTY, EMPTY,
        NO_INTS, np.zeros(model.nv, dtype=np.int32), np.zeros(13),
    ]  # fmt: skip
    answers = []
    for place in range(len(good)):
        bad = list(good)
        bad[place] = np.append(good[place], good[place][-1:] if good[place].size else 1).astype(
            good[place].dtype
        )
        answers.append(program.call("kg_solve", {"result": "five-bar"}, *bad, 0, 0.0))
    nowhere = ints.copy()
    nowhere[0, 0] = 10_000
    answers.append(
        program.call("kg_solve", {"result": "five-bar"}, good[0], nowhere, *good[2:], 0, 0.0)
    )
    return answers


@pytest.mark.parametrize("name", NAMES)
def test_the_page_follows_the_recorded_drag(
    replay: tuple[dict[str, Drag], list[Answer]], name: str
) -> None:
    drag = replay[0][name]
    for tick, (answer, q, report) in enumerate(drag.ticks):
        assert answer.trap is None, f"tick {tick}: {answer.trap}"
        assert answer.returned == OK
        theirs = answer.arrays[0]
        np.testing.assert_allclose(
            kg.kinematics.difference(drag.model, q, theirs), 0, atol=TOLERANCE * scale(drag.model),
            err_msg=f"tick {tick}",
        )  # fmt: skip
        assert tuple(answer.arrays[-1][:4]) == report[:4]


def test_bad_calls_are_refused(replay: tuple[dict[str, Drag], list[Answer]]) -> None:
    *sizes, index = replay[1]
    assert [answer.trap for answer in replay[1] if answer.trap] == []
    assert {answer.returned for answer in sizes} == {BAD_SIZE}
    assert index.returned == BAD_INDEX
