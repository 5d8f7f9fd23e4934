"""Packets with poses: positions, with or without a rotation; anything else is none."""

from __future__ import annotations

import pytest

from kinegen.devices.pose_packet import packet_pose
from kinegen.spatial.rotation import SO3


def test_a_packet_has_a_place_and_perhaps_a_rotation() -> None:
    place = packet_pose(b"0.1 0.2 1.5")
    assert place is not None and place.translation == pytest.approx([0.1, 0.2, 1.5])
    assert place.so3.log() == pytest.approx([0, 0, 0])
    pose = packet_pose(b"1, 2, 3, 0.1, 0.2, 0.3\n")
    assert pose is not None and pose.rotation == pytest.approx(SO3.from_rpy(0.1, 0.2, 0.3).matrix)


@pytest.mark.parametrize(
    "data", [b"", b"1 2", b"1 2 3 4", b"nan 0 0", b"1e9 0 0", b"\xff", b"1 2 x"]
)
def test_what_is_no_pose(data: bytes) -> None:
    assert packet_pose(data) is None
