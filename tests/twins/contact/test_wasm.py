"""Bodies in the page: distances and drags that avoid, in Node as in Python."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import wasm_bytes
from kinegen.kernels.call_records import SolverNumbers
from kinegen.kernels.tolerances import CLOSED, MET
from kinegen.kinematics import CollisionChecker
from kinegen.kinematics.handles import pack_handles
from tests.support.wasm.program import BAD_INDEX, BAD_SIZE, NEEDS_WASM, Answer, Program

pytestmark = NEEDS_WASM

EMPTY, NO_INTS = np.zeros(0), np.zeros(0, dtype=np.int32)
BAD_HANDLE = -4
ROOM = 40
TICKS = 6


def bound(program: Program, name: str, checker: CollisionChecker) -> list[np.ndarray]:
    """Binds a model and its bodies in the page; returns the arrays of the bodies."""
    model = checker.model
    program.bind(name, model.ints, model.reals)
    arrays = checker.bodies.arrays(checker.meets, model.link_count)
    return [
        arrays.ints, arrays.reals, arrays.corners, arrays.planes, arrays.facet_first,
        arrays.facet_corners, arrays.heights, arrays.meets, checker.body,
    ]  # fmt: skip


def test_distances_and_drags_are_those_of_the_compiled_kernels(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    program = Program()
    clear: list[tuple[Answer, kg.kinematics.Clearances]] = []
    drags: list[tuple[Answer, np.ndarray]] = []
    for name in ("so101", "stewart", "arm-and-wall"):
        model = kg.load(name).compile()
        checker = CollisionChecker(model, floor=-0.05)
        given = bound(program, name, checker)
        program.call("kg_bind_bodies", {"result": name}, *given, result=f"{name}.bodies")
        bodies = {"result": f"{name}.bodies"}
        q = kg.assemble(model).q
        answer = program.call(
            "kg_clearances", {"result": name}, bodies, q, 0.1, np.zeros(2 * ROOM, np.int32),
            np.zeros(10 * ROOM),
        )  # fmt: skip
        clear.append((answer, checker.measure(q, margin=0.1)))
        frame, keep = model.site_names[-1], 1e-3 * model.size
        target = kg.pose(model, q, frame).translation - [0.1 * model.size, 0, 2 * model.size]
        handles = [kg.Handle(frame, target)]
        ints, reals = pack_handles(model, handles)
        options = np.array(SolverNumbers(12, 0.3, CLOSED, MET, 0.0, True))
        dragger = kg.Dragger(model, q, handles, avoid=checker)
        for tick in range(TICKS):
            at = program.keep(f"{name}.q", q) if tick == 0 else {"kept": f"{name}.q"}
            answer = program.call(
                "kg_solve", {"result": name}, at, ints, reals, options, EMPTY, EMPTY, EMPTY,
                NO_INTS, np.zeros(model.nv, dtype=np.int32), np.zeros(13), bodies, keep,
            )  # fmt: skip
            dragger.tick()
            drags.append((answer, dragger.q.copy()))
    # what is refused
    short = [*given[:-1], given[-1][:-1].copy()]
    stray = [given[0].copy(), *given[1:]]
    stray[0][0, 1] = 1000
    refused = [program.call("kg_bind_bodies", {"result": name}, *bad) for bad in (short, stray)]
    refused.append(program.call("kg_clearances", {"result": name}, 77, q, 0.1, NO_INTS, EMPTY))
    program.run(wasm_bytes(), tmp_path_factory.mktemp("wasm-contact"))
    for answer, found in clear:
        assert answer.trap is None and answer.returned == len(found)
        rows = answer.arrays[-1].reshape(ROOM, 10)[: len(found)]
        np.testing.assert_allclose(rows[:, 0], found.distances, atol=1e-12)
        np.testing.assert_allclose(rows[:, 4:7], found.points_a, atol=1e-9)
    for answer, q in drags:
        assert answer.trap is None and answer.returned == 0
        np.testing.assert_allclose(answer.arrays[0], q, atol=1e-9)
    assert [answer.trap for answer in refused] == [None] * 3
    assert [answer.returned for answer in refused] == [BAD_SIZE, BAD_INDEX, BAD_HANDLE]
