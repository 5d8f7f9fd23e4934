"""What MuJoCo's joints cannot be given; how hard loops are. Refusals: tests/twins too."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.dynamics.engines.mujoco.bounds import refuse_joint
from kinegen.dynamics.engines.registry import make_engine
from tests.support.mechanisms.simulated import bob, every_joint

mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")


@pytest.mark.parametrize(
    ("name", "floor", "least", "most"),
    [
        ("stewart", None, 1e-14, 1e-11),
        ("parallel-18", None, 1e-8, 1e-4),  # its equations repeat each other
        ("stewart", -9.0, 1e-6, 1e-2),  # contacts take the same numbers
    ],
)
def test_loops_are_as_hard_as_they_may_be(
    name: str, floor: float | None, least: float, most: float
) -> None:
    engine = make_engine(kg.dynamics.System.of(kg.load(name), floor=floor), "mujoco", 1e-3)
    twin, data = engine._twin.model, engine._data
    mujoco.mj_forward(twin, data)
    J = data.efc_J.reshape(-1, twin.nv)[: data.ne]
    moved = np.zeros_like(J)
    mujoco.mj_solveM(twin, data, moved, J.copy())
    own = np.einsum("ij,ij->i", J, moved)
    assert least < np.median(data.efc_R[: data.ne] / own) < most


def test_what_it_takes_is_not_refused() -> None:
    for mechanism in (every_joint(), bob(spring="{stiffness: 5, rest: 0.1}")):
        model = kg.dynamics.System.of(mechanism).model
        for joint in model.joints:
            refuse_joint(model, joint)


def test_what_it_cannot_take_is_refused_by_name() -> None:
    model = kg.dynamics.System.of(every_joint()).model
    model.blocks.real_part("spring_rest")[model.joint("spherical").v] = 0.1
    with pytest.raises(
        kg.errors.KinegenError, match="joint 'spherical' of mechanism 'zoo', a ball joint"
    ):
        refuse_joint(model, model.joint("spherical"))
    model.blocks.real_part("rotor")[model.joint("free").v] = 0.1
    with pytest.raises(kg.errors.KinegenError, match=r"a free joint with a rotor .*'reduced'"):
        refuse_joint(model, model.joint("free"))
