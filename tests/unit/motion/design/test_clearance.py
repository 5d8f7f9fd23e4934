import numpy as np

import kinegen as kg
from kinegen.motion.design.clearance import Clearance


def test_lacks_grow_towards_singular_poses() -> None:
    model = kg.load("five-bar").compile()
    places = [[0.1, 0.3, 0], [0.1, 0.35, 0], [0.1, 0.385, 0]]
    qs = np.array([kg.drag(model, None, kg.Handle("handle", p)).q for p in places])
    clearance = Clearance(model, "handle", 10.0)
    distances = clearance.distances(qs)
    assert distances[2] < distances[1]
    assert np.allclose(clearance.lacks(qs), (10 - distances) * model.size)
    assert not Clearance(model, "handle", 0.0).lacks(qs).any()


def test_without_branches_there_is_nothing_to_keep_from() -> None:
    model = kg.load("raff: 1\njoints:\n  - {name: A, parent: base}\n").compile()
    assert np.isinf(Clearance(model, "A", 1.0).distances(np.zeros((2, 1)))).all()
