import numpy as np

import kinegen as kg
from kinegen.motion.crossings import crossings_of, signs_for, signs_of

MODEL = kg.load("ur5e").compile()
TIMES = np.arange(6.0)


def found(column: list[float], name: str = "elbow", runs: list[slice] | None = None):  # type: ignore[no-untyped-def]
    values = np.array(column)[:, None]
    return crossings_of(MODEL, [name], values, runs or [slice(0, 6)], [], TIMES)


def test_changes_of_sign_are_crossings() -> None:
    (one,) = found([0.3, 0.2, 0.1, -0.1, -0.2, -0.3])
    assert (one.kind, one.index, one.time, one.joints) == ("task", 2, 2.0, ("elbow",))
    (held,) = found([0.3, 0.2, 0.1, -0.1, -0.2, -0.3], "held: A+B")
    assert (held.kind, held.joints) == ("gain", ("A", "B"))


def test_a_break_between_runs_is_no_crossing() -> None:
    assert found([0.3, 0.2, 0.1, -0.1, -0.2, -0.3], runs=[slice(0, 3), slice(3, 6)]) == ()


def test_dips_are_near() -> None:
    (one,) = found([0.3, 0.1, 0.01, 0.005, 0.1, 0.3])
    assert (one.kind, one.index) == ("near", 3)
    assert found([0.3, 0.2, 0.1, 0.1, 0.2, 0.3]) == ()


def test_leaps_name_the_joint() -> None:
    (one,) = crossings_of(MODEL, [], np.zeros((6, 0)), [slice(0, 6)], [(4, 2, 1.0)], TIMES)
    assert one.kind == "jump"
    assert one.joints == (MODEL.joints[2].name,)
    assert "57.3°" in one.text


def test_redundant_arms_have_no_signs() -> None:
    model = kg.load("franka").compile()
    q = model.start()
    signs = signs_for(model, kg.Handle("tool", [0.4, 0, 0.4]), q)
    assert signs_of(signs, q[None], np.array([True])).shape[1] == (len(signs.names) if signs else 0)
