"""A page of a world says what does not run in it, and so does the export."""

from __future__ import annotations

from pathlib import Path

import kinegen as kg
from kinegen.studio.jobs.page_file.left_out import left_out


def test_sensors_and_agents_are_counted_and_named() -> None:
    said = left_out(kg.load("exploring-cart"))
    assert "4 sensors (cart.eye, left, right, place) and 1 agent (" in said
    assert left_out(kg.load("cart")) != ""  # its own distance sensor
    assert left_out(kg.load("four-bar")) == ""
    many = "".join(f"  - {{name: s{i}, type: imu}}\n" for i in range(6))
    world = kg.load(f"raff: 1\njoints: [{{name: A, parent: base}}]\nsensors:\n{many}")
    assert "6 sensors (s0, s1, s2, s3 and 2 more)" in left_out(world)


def test_the_export_and_the_page_say_so(tmp_path: Path) -> None:
    made = kg.export(kg.load("exploring-cart"), tmp_path / "cart.html")
    assert any("does not run it" in note for note in made.notes)
    assert kg.export(kg.load("four-bar"), tmp_path / "four-bar.html").notes == ()


def test_visitors_of_the_file_are_left_out() -> None:
    assert "1 scripted visitor (visitor), 2 sensors (guard, eye) and 1 agent (careful)" in left_out(
        kg.load("careful-robot")
    )
