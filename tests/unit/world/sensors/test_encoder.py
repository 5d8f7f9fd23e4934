from __future__ import annotations

import math

import pytest

from kinegen.errors import KinegenError
from tests.support.worlds import WHEEL, world

PULSES = 2 * math.pi / 1024


def test_it_reads_the_joint_in_steps_of_its_resolution() -> None:
    more = (
        f"sensors: [{{name: e, type: encoder, parent: W, resolution: {{position: {PULSES!r}}}}}]\n"
    )
    with world(WHEEL, more) as one:
        one.command({"W": 3.0})
        for _ in range(5):
            one.run(0.02)
            true = one.islands[0].before.q[0]  # measured before the last step
            pulses = one.signals["e.position"].value / PULSES
            assert pulses == pytest.approx(round(pulses), abs=1e-9)
            assert abs(one.signals["e.position"].value - true) <= PULSES / 2 + 1e-12
            assert one.signals["e.velocity"].value == one.islands[0].before.v[0]


def test_a_joint_with_several_variables_has_no_encoder() -> None:
    text = "raff: 1\njoints: [{name: B, type: spherical, parent: base, mass: 1}]\n"
    with pytest.raises(KinegenError, match="joint 'B' has 3 variables"):
        world(text, "sensors: [{name: e, type: encoder, parent: B}]\n")
