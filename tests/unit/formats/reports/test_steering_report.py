"""Reports of steered motions."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import KinegenError


def test_charts_of_force_and_acceleration() -> None:
    model = kg.load("arm-6").compile()
    q = model.start()
    arm = kg.motion.Steering(kg.load("arm-6"), kg.Recording.of(model, np.array([q, q]), [0, 0.3]))
    arm.advance(0.05)
    arm.pull("tool", target=[0.6, 0.2, 0.9])
    arm.advance(0.1)
    arm.release("stop")
    arm.advance(0.1)
    text = arm.to_bytes("out/by hand.svg").decode()
    words = " ".join(t for e in ET.fromstring(text).iter() for t in [e.text or ""])
    for word in ("arm-6: by hand", "force of the hand", "joint accelerations", "wrist_3", "stop"):
        assert word in words
    with pytest.raises(KinegenError, match=r"\.svg"):
        arm.to_bytes("by-hand.gif")
