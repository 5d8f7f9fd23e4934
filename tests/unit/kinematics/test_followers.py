"""Which coupled variables lead, and how the others follow."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.kinematics.followers import find_followers

CHAIN = """raff: 1
name: chain
joints:
  - {name: A, parent: base, motor: true}
  - {name: B, parent: A, d: 0.5, follows: {joint: A, ratio: -0.5, offset: 10 deg}}
  - {name: C, parent: B, d: 0.3, follows: {joint: B, ratio: 2}}
"""
WRIST = """raff: 1
name: wrist
joints:
  - {name: L, parent: base, motor: true}
  - {name: R, parent: base, motor: true}
  - {name: pitch, parent: base, axis: y, xyz: [0, 0, 0]}
  - {name: roll, parent: pitch, axis: x, xyz: [0, 0, 0]}
couplings:
  - {name: sum, relation: {pitch: 2, L: -1, R: -1}, offset: 0.1}
  - {name: difference, relation: {roll: 2, L: -1, R: 1}}
"""
LIFT = """raff: 1
name: lift
joints:
  - {name: motor, parent: base, motor: true}
  - {name: shaft, parent: base, d: 0.1, follows: {joint: motor, ratio: 0.5}}
  - {name: lift, type: prismatic, parent: base}
  - {name: gauge, parent: base, d: 0.3}
couplings:
  - {name: lobe, cam: shaft, follower: lift, profile: 10 mm * (1 - cos(x))}
  - {name: rack, rack: lift, pinion: gauge, radius: 5 mm, offset: 0}
"""


def drawn(model: kg.Model, lead: tuple[int, ...] = ()) -> tuple[np.ndarray, set[int]]:
    followers = find_followers(model, lead)
    assert followers is not None
    qs = np.random.default_rng(3).uniform(-3, 3, (model.nq, 50))
    before = qs.copy()
    followers.fill(qs)
    kept = [k for k in range(model.nq) if k not in followers.variables]
    np.testing.assert_array_equal(qs[kept], before[kept])
    return qs, followers.variables


@pytest.mark.parametrize("text", [CHAIN, WRIST, LIFT, "planetary-gear"])
def test_what_follows_meets_every_coupling(text: str) -> None:
    model = kg.load(text).compile()
    qs, _ = drawn(model)
    for q in np.ascontiguousarray(qs.T):
        assert kg.kinematics.loop_gap(model, q).largest < 1e-13  # rounding of angles up to 20 rad


def test_motors_lead_unless_others_must() -> None:
    model = kg.load(WRIST).compile()
    assert drawn(model)[1] == {2, 3}
    assert drawn(model, (2, 3))[1] == {0, 1}
    assert drawn(model, (0, 2))[1] == {1, 3}


def test_lines_and_leaders() -> None:
    followers = find_followers(kg.load(CHAIN).compile())
    assert followers is not None
    leader, weight, base = followers.line(2) or (-1, 0.0, 0.0)
    assert (leader, weight) == (0, -1.0)
    assert base == pytest.approx(np.radians(20), rel=1e-15)
    assert followers.line(0) == (0, 1.0, 0.0)
    lift = find_followers(kg.load(LIFT).compile())
    assert lift is not None
    assert lift.line(3) is None  # by a cam
    assert lift.leaders(3) == {0}


def test_uncoupled_mechanisms_have_none() -> None:
    assert find_followers(kg.load("puma560").compile()) is None


def test_too_many_leaders_and_cams_backwards_are_refused() -> None:
    model = kg.load(CHAIN).compile()
    with pytest.raises(
        UsageError, match=r"joints 'A' and 'B' are coupled: specify a range for all"
    ):
        find_followers(model, (0, 1))
    with pytest.raises(UsageError, match=r"'lobe'.*from its follower to its cam"):
        find_followers(kg.load(LIFT).compile(), (2,))
    # the rack would fix the follower that the cam fixes as well
    with pytest.raises(UsageError, match=r"'lobe'.*from its follower to its cam"):
        find_followers(kg.load(LIFT).compile(), (3,))
