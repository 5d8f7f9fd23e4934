"""The triangle method: compiled against NumPy, and both against the generic solver."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.kernels.backend import name as backend_name
from kinegen.kernels.reference.dyads.dyads import batch_dyads as reference
from tests.support.mechanisms.planar import CONSTRUCTIONS, construction, some_inputs

# The same formulas; AVX2 may fuse multiply-adds. Near stretched bars an error grows like its root.
TOLERANCE = 1e-12
NEAR_STRETCHED = 1e-7


@pytest.mark.skipif(backend_name() != "native", reason="there is no second set of kernels")
@pytest.mark.parametrize("name", CONSTRUCTIONS)
@pytest.mark.parametrize("count", [1, 3, 16, 300, 40_000])
def test_compiled_and_numpy_agree(name: str, count: int) -> None:
    native = importlib.import_module("kinegen.kernels._native")
    built = construction(name)
    frame = built.linkage.model.site_names[-1]
    inputs = some_inputs(built, frame, count)
    inputs[0, -1] += 2e6 * np.pi  # beyond what the quick sine takes
    links = np.arange(built.link_count, dtype=np.int32)
    points = np.random.default_rng(1).normal(size=(len(links), 2))
    out = [np.full((len(links), 2, count), 7.0) for _ in range(3)]
    rows = (built.ints, built.reals, built.link_count, links, points, inputs)
    native.batch_dyads(*rows, out[0], 1)
    native.batch_dyads(*rows, out[1], 2)
    reference(*rows, out[2])
    np.testing.assert_array_equal(out[0], out[1])
    np.testing.assert_array_equal(np.isnan(out[0]), np.isnan(out[2]))
    if count >= 300:
        assert np.isfinite(out[0]).any()
    error = np.abs(out[0] - out[2])[..., : count - 1]
    assert np.nanmax(error, initial=0) < NEAR_STRETCHED
    assert np.nanmean(error if np.isfinite(error).any() else [0.0]) < TOLERANCE


@pytest.mark.parametrize("name", [name for name in CONSTRUCTIONS if name != "3-rrr"])
def test_circles_and_the_solver_agree(name: str) -> None:
    built = construction(name)
    model, home = built.linkage.model, built.linkage.q
    frame = model.site_names[-1]
    inputs = some_inputs(built, frame, 200)
    qs = built.configurations(inputs).T
    built_ones = np.isfinite(qs).all(axis=1)
    assert built_ones.sum() > 20
    points = built.points(inputs, [frame])[0]
    for i in np.flatnonzero(built_ones)[:60]:
        # closed as it stands, where the circles say, with the inputs as given
        assert (
            kg.kinematics.loop_gap(model, qs[i]).distance < 1e-9
            and kg.kinematics.loop_gap(model, qs[i]).angle < 1e-9
        )
        np.testing.assert_allclose(kg.pose(model, qs[i], frame).translation[:2], points[:, i])
        for row, joint in enumerate(built.inputs):
            if joint != "tilt":
                turn = qs[i, model.joint(joint).q.start] - inputs[row, i]
                assert abs(np.remainder(turn + np.pi, 2 * np.pi) - np.pi) < 1e-9
    if "tilt" not in built.inputs:
        # where circles do not cross, the solver cannot close the loops either
        driven = dict(zip(built.inputs, inputs[:, ~built_ones][:, :5], strict=True))
        if (~built_ones).any():
            many = kg.kinematics.assemble_many(model, driven, start=home)
            gaps = many.gap
            assert (gaps > 1e-6).all()


def test_programs_that_make_no_sense_are_refused() -> None:
    built = construction("five-bar")
    inputs, out = np.zeros((2, 4)), np.zeros((1, 2, 4))
    links, points = np.zeros(1, np.int32), np.zeros((1, 2))
    kernels = [reference]
    if backend_name() == "native":
        kernels.append(importlib.import_module("kinegen.kernels._native").batch_dyads)
    for kernel in kernels:
        # the largest integer has no successor, not even for a check
        most = 2**31 - 1
        spoilt = (0, 0, 9), (0, 1, 99), (0, 6, 2), (0, 6, most), (2, 3, 0), (2, 4, -1)
        for row, column, value in spoilt:
            ints = built.ints.copy()
            ints[row, column] = value
            with pytest.raises(UsageError, match="a link or an input that does not exist"):
                kernel(ints, built.reals, built.link_count, links, points, inputs, out)
        with pytest.raises(UsageError, match="does not exist"):
            kernel(built.ints, built.reals, 65, links, points, inputs, out)
        with pytest.raises(UsageError, match="does not exist"):
            kernel(built.ints, built.reals, built.link_count, links + 65, points, inputs, out)
        with pytest.raises(UsageError, match="shape"):
            kernel(built.ints, built.reals[:1], built.link_count, links, points, inputs, out)
