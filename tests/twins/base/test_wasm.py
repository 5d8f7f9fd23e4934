"""The WebAssembly kernels in Node against the native ones, on every library mechanism."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import Blocks, BoundModel, bind, layout, wasm_bytes
from kinegen.kernels.protocols.base import BoundModel as Protocol
from kinegen.mechanism.compiling import numbers as compile_numbers
from tests.support.mechanisms.random_mechanisms import random_mechanism, random_q
from tests.support.wasm.program import (
    BAD_HANDLE,
    BAD_INDEX,
    BAD_SIZE,
    BAD_VERSION,
    NEEDS_WASM,
    OK,
    Answer,
    Check,
    Program,
)
from tests.twins.base.test_model import scale

pytestmark = NEEDS_WASM

# Same source, same operations in the same order (no fused multiply-adds in either build): only the
# C library's sin, cos and the like differ, by a last digit, carried along chains of 40 joints.
TOLERANCE = 1e-12
# Bytes; a page downloads 40 % of it, compressed. 271 kB when written: 69 the kernels of a model,
# 19 the linear algebra, 30 the batch kernels, 40 the solver, 17 closed forms, 42 mobility and
# velocities, 54 singular poses. 315 kB with couplings, cams and frames on frames,
# 356 kB with distances between bodies.
LARGEST_MODULE = 370_000
ANY_HANDLE = 1

# Random mechanisms have the joint types that no library mechanism has.
CASES = [*kg.library_names(), *(f"random:{seed}" for seed in range(4)), "ranges:delta"]
# test_wasm_{arrays,solver,analytic,dynamics,mobility,singular}.py
ELSEWHERE = (
    "kg_hull",
    "kg_qr_", "kg_ldlt_", "kg_svd_", "kg_batch_", "kg_solve", "kg_analytic_", "kg_singular_",
    "kg_mobility", "kg_free_motion", "kg_velocities", "kg_accelerations", "kg_site_motions",
    "kg_dynamics", "kg_passive", "kg_clearances", "kg_bind_bodies", "kg_unbind_bodies",
)  # fmt: skip
QUATERNIONS = {"forward_poses", "loop_poses", "site_jacobian"}


class Case:
    """One mechanism on both sides: each method call of the native kernels is made in Node too."""

    def __init__(self, program: Program, name: str) -> None:
        kind, _, rest = name.partition(":")
        seed = int(rest) if kind == "random" else 0
        drawn = kind == "random"
        made = random_mechanism(seed, coupled=seed % 2 == 1) if drawn else kg.load(rest or name)
        with pytest.MonkeyPatch.context() as patch:
            if kind == "ranges":  # of formulas that follow a parameter, instead of lists
                patch.setattr(compile_numbers, "_FEW_DEPENDENTS", -(10**9))
            self.model = made.compile()
        self.name = name
        self.program = program
        self.checks: list[Check] = []
        reals = self.model.reals.copy()
        self.native: BoundModel = bind(self.model.ints, reals)
        self.reals = reals
        self.bound = program.bind(name, self.model.ints, reals)

    def same(self, kernel: str, *inputs: object, out: list[tuple[int, ...]]) -> None:
        """Call a kernel on both sides with outputs of these shapes behind the inputs."""
        outputs = [np.full(shape, np.nan) for shape in out]
        handle = {"result": self.name}
        answer = self.program.call(f"kg_{kernel}", handle, *inputs, *outputs)  # type: ignore[arg-type]
        returned = getattr(self.native, kernel)(*inputs, *outputs)
        poses = kernel in QUATERNIONS
        self.checks.append(Check(kernel, answer, returned or OK, outputs, quaternions=poses))

    def numbers(self) -> None:
        """Compare the whole block of numbers with the page's, as they are now."""
        answer = self.program.call(
            "kg_bind", {"kept": f"{self.name}.ints"}, {"kept": f"{self.name}.reals"}, result="again"
        )
        self.program.call("kg_unbind", {"result": "again"})
        self.checks.append(Check("numbers", answer, None, [self.reals.copy()]))


def add_kernels(case: Case, seed: int) -> None:
    model, rng = case.model, np.random.default_rng(seed)
    sites, links, nv = len(model.site_names), model.link_count, model.nv
    loops = model.constraint_count
    for q in [model.start(), *(random_q(model, rng) for _ in range(3))]:
        v = rng.normal(size=nv)
        case.same("forward_poses", q, out=[(sites, 7)])
        case.same("forward_links", q, out=[(links, 12)])
        case.same("link_twists", q, v, out=[(links, 6)])
        case.same("loop_poses", q, out=[(loops, 2, 7)])
        case.same("loop_residual", q, out=[(6 * loops,)])
        case.same("loop_jacobian", q, out=[(6 * loops, nv)])
        for site, axes in ((sites - 1, -1), (sites // 2, sites - 1), (0, 0)):
            point = rng.normal(size=3)
            case.same("site_jacobian", q, site, point, axes, out=[(7,), (6, nv)])
            case.same("site_jacobian_dot", q, v, site, point, axes, out=[(6, nv)])
        tasks = np.array([[sites - 1, 0], [0, 1], [sites // 2, 2]], dtype=np.int32)
        case.same("augmented_jacobian", q, tasks, out=[(12 + 6 * loops, nv)])
        case.same("integrate", q, v, out=[(model.nq,)])
        case.same("integrate", q, 1e-6 * v, out=[(model.nq,)])
        case.same("difference", q, random_q(model, rng), out=[(nv,)])


def add_edits(case: Case) -> None:
    """Change every free parameter and a few numbers, in place, on both sides."""
    model = case.model
    for index, name in enumerate(model.parameters):
        if model.parameters.formula(name) is None:
            case.same("set_parameter", index, 1.01 * model.parameters[name] + 1e-3, out=[])
    case.same("set_parameter", -1, 1.0, out=[])
    case.same("set_parameter", model.counts.parameter, 1.0, out=[])
    first, last = model.blocks.offset("placements"), model.blocks.value_count
    for index in (first, first + 3, last - 1):
        case.same("set_number", index, 0.125, out=[])
    for index in (-1, first - 1, last):
        case.same("set_number", index, 1.0, out=[])
    case.numbers()
    case.same("update", out=[])
    case.numbers()
    case.same("forward_poses", model.start(), out=[(len(model.site_names), 7)])


def refusals(program: Program, case: Case) -> Iterator[tuple[str, Answer, int]]:
    """Calls that must be refused: (what is wrong, answer, status)."""
    model, q = case.model, case.model.start()
    nq, nv, sites = model.nq, model.nv, len(model.site_names)
    handle = {"result": case.name}
    calls: dict[str, tuple[Any, ...]] = {
        "kg_update": (),
        "kg_set_parameter": (0, 1.0),
        "kg_set_number": (model.counts.parameter, 1.0),
        "kg_forward_poses": (q, blank(sites, 7)),
        "kg_forward_links": (q, blank(model.link_count, 12)),
        "kg_link_twists": (q, np.zeros(nv), blank(model.link_count, 6)),
        "kg_loop_poses": (q, blank(model.constraint_count, 2, 7)),
        "kg_loop_residual": (q, blank(6 * model.constraint_count)),
        "kg_loop_jacobian": (q, blank(6 * model.constraint_count, nv)),
        "kg_site_jacobian": (q, sites - 1, np.zeros(3), -1, blank(7), blank(6, nv)),
        "kg_site_jacobian_dot": (q, np.zeros(nv), sites - 1, np.zeros(3), -1, blank(6, nv)),
        "kg_augmented_jacobian": (
            q, np.array([[0, 0]], dtype=np.int32), blank(6 + 6 * model.constraint_count, nv),
        ),
        "kg_integrate": (q, np.zeros(nv), blank(nq)),
        "kg_difference": (q, q, blank(nv)),
    }  # fmt: skip
    for name, arguments in calls.items():
        for bad in (0, -1, 10_000, 2**31 - 1, -(2**31)):
            yield f"handle {bad}", program.call(name, bad, *arguments), BAD_HANDLE
        for place, argument in enumerate(arguments):
            if not isinstance(argument, np.ndarray):
                continue
            before, behind = arguments[:place], arguments[place + 1 :]
            flat = argument.ravel()
            for wrong in (np.append(flat, flat[-1:]), flat[:-1], flat[:0]):
                if len(wrong) != len(flat):
                    answer = program.call(name, handle, *before, wrong, *behind)
                    yield f"argument {place} of {len(wrong)} numbers", answer, BAD_SIZE
            # null, not aligned, beyond the memory, in it but too long
            for address in (0, 1025, -16, 2**31 - 64):
                answer = program.call(name, handle, *before, address, len(flat), *behind)
                yield f"argument {place} at {address}", answer, BAD_SIZE
            for count in (-1, 2**31 - 1):
                answer = program.call(name, handle, *before, 1024, count, *behind)
                yield f"argument {place} of {count} numbers", answer, BAD_SIZE
    for site, axes in ((-1, -1), (sites, -1), (2**31 - 1, -1), (0, -2), (0, sites)):
        for name in ("kg_site_jacobian", "kg_site_jacobian_dot"):
            given = list(calls[name])
            given[-5 if name == "kg_site_jacobian" else -4] = site
            given[-3 if name == "kg_site_jacobian" else -2] = axes
            yield f"site {site}, axes {axes}", program.call(name, handle, *given), BAD_INDEX
    for task in ([-1, 0], [sites, 0], [0, -1], [0, 3]):
        given = [q, np.array([task], dtype=np.int32), calls["kg_augmented_jacobian"][2]]
        answer = program.call("kg_augmented_jacobian", handle, *given)
        yield f"task {task}", answer, BAD_INDEX
    gone = program.bind("gone", model.ints, model.reals)
    yield "nothing: the blocks are right", gone, ANY_HANDLE
    yield "nothing: unbound once", program.call("kg_unbind", {"result": "gone"}), OK
    yield "unbound twice", program.call("kg_unbind", {"result": "gone"}), BAD_HANDLE
    yield "a handle after unbinding", program.call("kg_update", {"result": "gone"}), BAD_HANDLE
    yield "a short block", program.bind("short", model.ints[:-1], model.reals), BAD_SIZE
    yield "no block", program.bind("none", model.ints[:0], model.reals[:0]), BAD_SIZE
    other = model.ints.copy()
    other[0] += 1
    yield "another layout", program.bind("other", other, model.reals), BAD_VERSION
    circle = model.ints.copy()
    parents = Blocks(circle, model.reals).int_part("joint_parent")
    parents[model.joint_index("A")] = model.joints[model.joint_index("B")].child
    yield "a link that carries itself", program.bind("circle", circle, model.reals), BAD_INDEX


def blank(*shape: int) -> np.ndarray:
    return np.full(shape, np.nan)


def fuzz(program: Program) -> Iterator[Answer]:
    """Blocks with a few wrong integers: refused, or bound and then used without a trap."""
    rng = np.random.default_rng(7)
    for name in ("five-bar", "stewart", "humanoid-30", "puma560"):
        model = kg.load(name).compile()
        q, v, last = model.start(), np.zeros(model.nv), len(model.site_names) - 1
        tempting = [-(2**31), -1, 0, 1, 2, 5, 7, 8, 9, last, last + 1, 2**26, 2**31 - 1]
        for trial in range(120):
            ints = model.ints.copy()
            for place in rng.integers(len(ints), size=rng.integers(1, 4)):
                ints[place] = rng.choice([*tempting, ints[place] + 1, ints[place] - 1])
            handle = {"result": f"fuzz {name} {trial}"}
            yield program.bind(handle["result"], ints, model.reals)
            J = blank(6, model.nv)
            yield program.call("kg_update", handle)
            yield program.call("kg_set_parameter", handle, 0, 0.5)
            yield program.call("kg_forward_poses", handle, q, blank(last + 1, 7))
            yield program.call("kg_site_jacobian", handle, q, last, q[:3], -1, blank(7), J)
            yield program.call("kg_site_jacobian_dot", handle, q, v, last, q[:3], 0, J)
            loops = blank(6 * model.constraint_count, model.nv)
            yield program.call("kg_loop_jacobian", handle, q, loops)
            yield program.call("kg_difference", handle, q, q, blank(model.nv))


@dataclass
class Run:
    program: Program
    version: Answer
    operations: Answer
    cases: dict[str, Case]
    refused: list[tuple[str, Answer, int]]
    fuzzed: list[Answer]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Everything below, in one Node process."""
    program = Program()
    cases = {name: Case(program, name) for name in CASES}
    for seed, case in enumerate(cases.values()):
        add_kernels(case, seed)
        add_edits(case)
    done = Run(
        program,
        program.call("kg_layout_version"),
        program.call("kg_operation_count"),
        cases,
        list(refusals(program, cases["five-bar"])),
        list(fuzz(program)),
    )
    program.run(wasm_bytes(), tmp_path_factory.mktemp("wasm"))
    return done


PYTHON_ONLY = {"is_configuration", "is_tangent", "site_pose"}
"""Questions about Python's objects; and one pose, which the page has in all of them."""


def test_the_module_needs_nothing_and_is_small(run: Run) -> None:
    assert run.program.imports == []
    assert len(wasm_bytes()) <= LARGEST_MODULE


def test_both_sides_have_one_layout(run: Run) -> None:
    assert run.version.returned == layout.LAYOUT_VERSION
    assert run.operations.returned == len(layout.OPERATIONS)


def test_every_kernel_is_exported_and_run(run: Run) -> None:
    exports = {name for name in run.program.exports if name.startswith("kg_")}
    kernels = {name for name in vars(Protocol) if not name.startswith("_")} - PYTHON_ONLY
    assert {f"kg_{name}" for name in kernels} <= exports
    used_by_the_runner = {"kg_alloc", "kg_free"}
    in_other_files = {name for name in exports if name.startswith(ELSEWHERE)}
    assert exports - used_by_the_runner - in_other_files == run.program.called


@pytest.mark.parametrize("name", CASES)
def test_kernels_agree(run: Run, name: str) -> None:
    case = run.cases[name]
    assert case.bound.returned is not None
    assert case.bound.returned > 0
    for check in case.checks:
        check.compare(TOLERANCE * scale(case.model), name)


def test_bad_calls_are_refused_and_write_nothing(run: Run) -> None:
    for wrong, answer, status in run.refused:
        assert answer.trap is None, wrong
        assert answer.returned is not None
        assert min(answer.returned, ANY_HANDLE) == status, wrong
        for before, after in zip(answer.sent, answer.arrays, strict=True):
            np.testing.assert_array_equal(after, before, err_msg=wrong)


def test_wrong_blocks_never_trap(run: Run) -> None:
    assert [answer.trap for answer in run.fuzzed if answer.trap] == []
    bound = [answer for answer in run.fuzzed if answer.returned is not None]
    # both ways are taken: some damage is harmless, most is refused
    assert {answer.returned for answer in bound} >= {OK, BAD_SIZE, BAD_INDEX, BAD_HANDLE}
