"""Joint types: one table of sizes that everyone agrees with."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from kinegen.joint_types import JointType
from kinegen.kernels.reference.base.joint_types import NQ, NV
from kinegen.kernels.reference.base.transform import joint_steps
from kinegen.raff.schema import json_schema


@pytest.mark.parametrize("joint_type", JointType)
def test_sizes_are_those_of_the_kernels(joint_type: JointType) -> None:
    info = joint_type.info
    assert (info.nq, info.nv) == (NQ[info.code], NV[info.code])
    q = np.ones(info.nq)
    columns = sum(step.subspace.shape[1] for step in joint_steps(info.code, q, 0.1))
    assert columns == info.nv


def test_codes_number_the_types_without_gaps() -> None:
    assert [joint_type.info.code for joint_type in JointType] == list(range(len(JointType)))


@pytest.mark.parametrize("joint_type", JointType)
def test_each_word_of_a_file_makes_its_joint(joint_type: JointType) -> None:
    extra = ", pitch: 1 mm" if joint_type is JointType.SCREW else ""
    text = f"raff: 1\njoints: [{{name: A, parent: base, type: {joint_type.value}{extra}}}]\n"
    model = kg.load(text).compile()
    assert model.joint("A").type is joint_type
    assert (model.nq, model.nv) == (joint_type.info.nq, joint_type.info.nv)


@pytest.mark.parametrize("joint_type", JointType)
def test_variables_have_distinct_names_and_a_known_quantity(joint_type: JointType) -> None:
    info = joint_type.info
    names = [name for name, _ in info.variables]
    assert len(set(names)) == len(names) == info.nv
    assert {quantity for _, quantity in info.variables} <= {"angle", "length"}
    assert info.meaning


def test_the_schema_offers_every_type() -> None:
    text = str(json_schema())
    assert all(f"'{joint_type.value}'" in text for joint_type in JointType)
