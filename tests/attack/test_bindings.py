"""The border of the compiled kernels: absurd arguments end in a result or an exception.

``make fuzz`` runs the same for longer, and ``make sanitize`` with checks for reads out of bounds.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.kernels import HapticSettings, backend, reference
from kinegen.kernels import name as backend_name
from tests.support.packages.building import ROOT

FUZZER = ROOT / "bench" / "fuzz" / "bindings.py"
COUNT = 100_000 if os.environ.get("KINEGEN_ATTACK") == "long" else 1_500


@pytest.mark.skipif(backend_name() != "native", reason="the kernels are not compiled")
@pytest.mark.skipif(not FUZZER.is_file(), reason="the sources are not here")
@pytest.mark.skipif(sys.platform == "win32", reason="there is no alarm to interrupt long calls")
def test_absurd_arguments(tmp_path: Path) -> None:
    log = tmp_path / "last-call.txt"
    done = subprocess.run(
        [sys.executable, "-m", "bench.fuzz.bindings", str(COUNT), "7"],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False,
        env={**os.environ, "KINEGEN_FUZZ_LOG": str(log)},
    )  # fmt: skip
    last = log.read_text(encoding="utf-8") if log.exists() else ""
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\nlast call: {last}"


@pytest.mark.skipif(backend_name() != "native", reason="the kernels are not compiled")
class TestKnown:
    """What the fuzzer found once."""

    def test_closing_without_iterations_ends(self) -> None:
        # each call asked for twice the memory, for ever
        model = kg.load("five-bar").compile()
        qs, gaps = model.start()[None] + 0.1, np.zeros(1)
        options = np.array([0.0, 0.3, 1e-10, 1e-8, 0.0, 1.0])
        model.solver.close_many(qs, options, None, gaps, 1)
        assert gaps[0] > 1e-6

    @pytest.mark.parametrize("iterations", [-1.0, 1e30, np.nan])
    def test_iterations_are_a_sensible_number(self, iterations: float) -> None:
        model = kg.load("five-bar").compile()
        options = np.array([iterations, 0.3, 1e-10, 1e-8, 0.0, 1.0])
        with pytest.raises(UsageError, match="number of iterations must be from 0 to"):
            model.solver.close_many(model.start()[None].copy(), options, None, np.zeros(1), 1)

    @pytest.mark.parametrize("tolerance", [0.05, 0.2, 0.9, 2.0, 50.0])
    def test_ranks_at_large_tolerances(self, tolerance: float) -> None:
        # it read the number before the first
        J = np.diag([1.0, 0.4, 0.1, 1e-3])
        (_, _, rank, gap), (_, _, other, other_gap) = (
            kernels.free_motion(J, tolerance) for kernels in (backend.module(), reference)
        )
        assert (rank, gap) == (other, pytest.approx(other_gap))

    def test_a_ticker_needs_a_solver(self) -> None:
        model = kg.load("five-bar").compile()
        with pytest.raises(UsageError, match="solver must be a BoundSolver"):
            backend.module().Ticker(model, *[np.zeros(1)] * 9)

    @pytest.mark.parametrize("awake", [-1.0, 2.0, np.nan])
    def test_a_haptic_thread_can_be_stopped(self, awake: float) -> None:
        # a thread that never woke could not be stopped
        with pytest.raises(UsageError, match="awake must be from 0 to 1 second"):
            backend.module().HapticLoop(HapticSettings().numbers, awake, True)

    def test_states_of_another_world_are_refused(self) -> None:
        simulation = kg.Simulation(kg.load("five-bar"), engine="impulse")
        world = vars(simulation.engine)["_bound"]
        state = list(world.snapshot())
        state[1] = state[1] + 1
        with pytest.raises(UsageError, match="the state does not fit"):
            world.resume(*state)
