"""The closed-form inverse: compiled against NumPy, on library arms and random ones."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.kernels import backend
from kinegen.kernels.protocols.analytic import MAX_SOLUTIONS
from kinegen.kernels.reference.analytic.analytic import AnalyticArm as ReferenceArm
from kinegen.kinematics.analytic.closed_form import AnalyticGeometry, analytic_geometry
from tests.support.mechanisms.analytic_arms import FAMILIES, random_arm

# Both compute in double precision along different formulas; joint values follow the rounding of the
# pose by a factor of about 1 / (least singular value), which well_posed() bounds.
TOLERANCE = 1e-12

LIBRARY = (
    "puma560 irb2400 arm-6 ur5e lynx6 a255 rhino-xr3 teachmover serial-5 so101 pioneer2 bionic-3"
).split()
CASES = [*LIBRARY, *(f"{family}/{seed}" for family in FAMILIES for seed in range(3))]


class Both:
    """One arm in both sets of kernels."""

    def __init__(self, case: str) -> None:
        native = getattr(backend.module(), "AnalyticArm", None)
        if native is None:
            pytest.skip("the compiled kernels are not there: nothing to compare with")
        family, _, seed = case.partition("/")
        self.model = random_arm(family, int(seed)) if seed else kg.load(case).compile()
        geometry = analytic_geometry(self.model, "tool")
        assert geometry is not None
        self.geometry: AnalyticGeometry = geometry
        self.count = len(geometry.joints)
        numbers = geometry.numbers
        self.arms = []
        for kind in (native, ReferenceArm):
            arrays = (
                np.empty((MAX_SOLUTIONS, self.count)),
                np.empty((MAX_SOLUTIONS, 2)),
                np.empty(MAX_SOLUTIONS, dtype=np.int32),
            )
            self.arms.append((kind(numbers.ints, numbers.reals, *arrays), *arrays))

    def agree(self, ask: str, *inputs: object) -> int:
        """Ask both and compare; returns the number of solutions."""
        (native, q, residuals, flags), (reference, *theirs) = self.arms
        count = getattr(native, ask)(*inputs)
        assert getattr(reference, ask)(*inputs) == count
        assert flags[:count].tolist() == theirs[2][:count].tolist()
        apart = np.angle(np.exp(1j * (q[:count] - theirs[0][:count])))
        assert np.abs(apart).max(initial=0) < TOLERANCE
        scale = max(1.0, self.geometry.numbers.size)
        distance, angle = np.abs(residuals[:count] - theirs[1][:count]).max(axis=0, initial=0)
        assert distance < TOLERANCE * scale
        assert angle < TOLERANCE
        return int(count)

    def well_posed(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Joint values at which no solution is near a singular pose, and the tool's pose there."""
        index = self.geometry.q_index
        lower = np.maximum(self.model.lower, -3)[index]
        upper = np.minimum(self.model.upper, 3)[index]
        while True:
            q = self.model.zero()
            q[index] = rng.uniform(lower, upper)
            target = kg.pose(self.model, q, "tool")
            rows = 3 if self.count == 3 else 6
            least = [
                np.linalg.svd(kg.jacobian(self.model, s.q, "tool")[:rows, index])[1][-1]
                for s in self.geometry.solve(target)
            ]
            if min(least, default=0) > 0.05 * self.geometry.numbers.size / (1 + self.count):
                return q[index], target.pose


@pytest.mark.parametrize("case", CASES)
def test_reachable_poses(case: str) -> None:
    both, rng = Both(case), np.random.default_rng(1)
    for _ in range(15):
        q, pose = both.well_posed(rng)
        seed = rng.uniform(-3, 3, both.count)
        count = both.agree("solve_pose", np.array(pose), seed, seed)
        assert count > 0
        both.agree("solve_pose", np.array(pose), q, np.zeros(both.count))
        # the nearest to where it is already is that
        pose = np.array(pose)
        rows = {arm.solve_nearest(pose[:4], pose[4:], q, True) for arm, *_ in both.arms}
        assert len(rows) == 1
        row = rows.pop()
        assert np.abs(both.arms[0][1][row] - q).max() < 1e-9
        # a seed anywhere: both as near (several branches may share the longest turn)
        for limits in (True, False):
            rows = [arm.solve_nearest(pose[:4], pose[4:], seed, limits) for arm, *_ in both.arms]
            moves = [
                np.abs(q[row] - seed).max() if row >= 0 else -1.0
                for row, (_, q, *_) in zip(rows, both.arms, strict=True)
            ]
            assert abs(moves[0] - moves[1]) < TOLERANCE


@pytest.mark.parametrize("case", CASES)
def test_poses_that_are_out_of_reach(case: str) -> None:
    both, rng = Both(case), np.random.default_rng(2)
    for _ in range(10):
        quat = rng.normal(size=4)
        xyz = rng.normal(size=3) * rng.choice([1.0, 3.0, 30.0])
        pose = np.concatenate([quat / np.linalg.norm(quat), xyz])
        seed = rng.uniform(-3, 3, both.count)
        count = both.agree("solve_pose", pose, seed, seed)
        assert count > 0


@pytest.mark.parametrize("case", [c for c in CASES if "parallel-4" in c or "parallel-5" in c])
def test_wrist_angles_of_random_arms(case: str) -> None:
    wrist_angles(Both(case))


@pytest.mark.parametrize("case", ["lynx6", "a255", "rhino-xr3", "teachmover", "serial-5", "so101"])
def test_wrist_angles(case: str) -> None:
    wrist_angles(Both(case))


def wrist_angles(both: Both) -> None:
    rng = np.random.default_rng(3)
    counts = set()
    for _ in range(20):
        base = np.linalg.inv(both.geometry.numbers.X_AW)[:3, 3]
        xyz = base + rng.normal(size=3) * 0.4 * both.geometry.numbers.size
        angle, roll, *seed = rng.uniform(-1.5, 1.5, 2 + both.count)
        where = (xyz, angle, roll, np.array(seed), np.zeros(both.count))
        counts.add(both.agree("solve_wrist_angle", *where))
    assert max(counts) >= 2


@pytest.mark.parametrize("case", ["puma560", "ur5e", "lynx6", "bionic-3"])
def test_singular_poses(case: str) -> None:
    """Stretched, folded and upright arms, with all wrist angles at zero: the seed decides."""
    both = Both(case)
    seed = np.linspace(0.3, 0.9, both.count)
    for q in (np.zeros(both.model.nq), both.model.start()):
        pose = np.array(kg.pose(both.model, q, "tool").pose)
        assert both.agree("solve_pose", pose, seed, seed) > 0


@pytest.mark.parametrize("wrong", [1, 2, 3])
def test_blocks_of_the_wrong_size_are_refused(wrong: int) -> None:
    both = Both("puma560")
    numbers = both.geometry.numbers
    ints, reals = numbers.ints.copy(), numbers.reals
    if wrong == 1:
        reals = reals[:-1]
    else:
        ints[wrong - 2] = 7
    arrays = (np.empty((8, 6)), np.empty((8, 2)), np.empty(8, dtype=np.int32))
    for arm, *_ in both.arms:
        with pytest.raises(ValueError, match="not an arm"):
            type(arm)(ints, reals, *arrays)
