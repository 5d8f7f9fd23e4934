import numpy as np

import kinegen as kg
from kinegen.curves import segment
from kinegen.motion.runner import Runner
from kinegen.motion.targets import targets_of

MODEL = kg.load("ur5e").compile()
FIXED = kg.SO3.from_rpy(np.pi, 0, 0)


def runner(tool: kg.SO3 | None) -> Runner:
    targets = targets_of(segment((0.4, 0, 0.3), (1.5, 0, 0.3)), "tool", tool, points=12)
    return Runner(MODEL, targets, MODEL.start(), limits=True, locked=())


def test_closed_form_and_solver_agree() -> None:
    exact, plain = runner(FIXED), runner(FIXED)
    plain._exact = None
    q = exact.search(0)
    assert q is not None
    exact.place(q)
    plain.place(q)
    for i in range(4):
        assert exact.go(i)
        assert plain.go(i)
        assert np.allclose(exact.q, plain.q, atol=1e-6)


def test_reasons_leave_the_pose_alone() -> None:
    one = runner(FIXED)
    begun = one.search(0)
    assert begun is not None
    one.place(begun)
    before = one.q.copy()
    assert not one.go(11)
    assert "out of reach" in one.reason(11)
    assert np.array_equal(one.q, before)
    free = runner(None)
    assert not free.go(11)
    assert "out of reach" in free.reason(11)
