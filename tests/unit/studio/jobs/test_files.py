from __future__ import annotations

import pytest

import kinegen as kg
from kinegen.studio.jobs.files import result_file


@pytest.mark.parametrize(
    ("kind", "media", "start"),
    [
        ("csv", "text/csv; charset=utf-8", b"mode,x"),
        ("npz", "application/octet-stream", b"PK"),
        ("ply", "application/octet-stream", b"ply"),
        ("svg", "image/svg+xml", b"<"),
    ],
)
def test_what_save_would_write(kind: str, media: str, start: bytes) -> None:
    zone = kg.zone(kg.load("five-bar"), step=0.5)
    made = result_file(zone, "zone", kind)
    assert made.name == f"zone.{kind}"
    assert made.media_type == media and made.data.startswith(start)


def test_options_are_passed_on() -> None:
    cloud = kg.cloud(kg.load("lynx6"), count=5)
    assert (
        result_file(cloud, "a", "ply").data != result_file(cloud, "a", "ply", palette="paper").data
    )
