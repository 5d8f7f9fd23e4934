"""Dynamics by the WebAssembly kernels in Node, against the native ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import kinegen as kg
from kinegen.kernels import wasm_bytes
from kinegen.kernels.protocols.dynamics import DynamicsTask
from tests.support.mechanisms.dynamic_models import heavy_model, random_state
from tests.support.wasm.program import BAD_HANDLE, BAD_NUMBER, BAD_SIZE, NEEDS_WASM, OK, Program

pytestmark = NEEDS_WASM

# Same source: sin and cos differ by a last digit, which the inverse of H makes larger.
TOLERANCE = 1e-8
CASES = ["puma560", "humanoid-30", "stewart", "tricept", *(f"random-{n}" for n in range(8))]
NONE = np.zeros(0)


def compiled(case: str) -> kg.Model:
    if case.startswith("random-"):
        return heavy_model(int(case.removeprefix("random-")))
    return kg.load(case).compile()


def test_all_tasks_and_refusals(tmp_path: Path) -> None:
    program = Program()
    checks, refused = [], []
    for case in CASES:
        model = compiled(case)
        d = model.dynamics
        program.bind(case, model.ints, model.reals)
        handle = {"result": case}
        q, v, x, push = random_state(model, 1)
        nv = model.nv
        wanted = [
            (DynamicsTask.INVERSE, v, x, push, d.inverse(q, v, x, push)),
            (DynamicsTask.INVERSE, v, x, NONE, d.inverse(q, v, x, None)),
            (DynamicsTask.BIAS, v, NONE, push, d.bias(q, v, push)),
            (DynamicsTask.GRAVITY, NONE, NONE, push, d.gravity(q, push)),
            (DynamicsTask.FORWARD, v, x, push, d.forward(q, v, x, push)),
            (DynamicsTask.MASS, NONE, NONE, NONE, d.mass(q)),
            (DynamicsTask.MEASURES, v, NONE, NONE, d.measures(q, v)),
        ]
        for task, speeds, given, pushes, ours in wanted:
            assert isinstance(ours, np.ndarray)
            room = np.full(ours.size, np.nan)
            answer = program.call("kg_dynamics", handle, int(task), q, speeds, given, pushes, room)
            checks.append((f"{case} {task.name}", answer, ours.ravel()))
        answer = program.call("kg_passive", handle, q, v, np.full(nv, np.nan))
        checks.append((f"{case} passive", answer, d.passive(q, v)))
    # refusals, on the last one
    room, last = np.full(nv, np.nan), {"result": CASES[-1]}
    for wrong, arguments in (
        (BAD_NUMBER, (last, 6, q, v, x, NONE, room)),
        (BAD_NUMBER, (last, -1, q, v, x, NONE, room)),
        (BAD_SIZE, (last, 0, q[:-1], v, x, NONE, room)),
        (BAD_SIZE, (last, 0, q, NONE, x, NONE, room)),
        (BAD_SIZE, (last, 0, q, v, x, push[:-1], room)),
        (BAD_SIZE, (last, 4, q, NONE, NONE, NONE, room)),
        (BAD_HANDLE, (999, 0, q, v, x, NONE, room)),
    ):
        refused.append((wrong, program.call("kg_dynamics", *arguments)))
    refused.append((BAD_SIZE, program.call("kg_passive", last, q, v[:-1], room)))
    # a joint that has nothing to move is reported by its number
    bare = kg.load("raff: 1\nname: bare\njoints:\n  - {name: J, parent: base, shape: none}\n")
    model = bare.compile()
    program.bind("bare", model.ints, model.reals)
    one = np.zeros(1)
    massless = program.call("kg_dynamics", {"result": "bare"}, 3, one, one, one, NONE, one)
    program.run(wasm_bytes(), tmp_path)

    for where, answer, ours in checks:
        assert answer.trap is None and answer.returned == OK, where
        size = max(1.0, float(np.abs(ours).max()))
        np.testing.assert_allclose(answer.arrays[-1], ours, atol=TOLERANCE * size, err_msg=where)
    for wrong, answer in refused:
        assert answer.returned == wrong
        assert np.isnan(answer.arrays[-1]).all()
    assert massless.returned == 1
