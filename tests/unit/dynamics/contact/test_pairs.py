"""Which bodies touch each other by the rules of a file."""

from __future__ import annotations

import kinegen as kg

ARM = """raff: 1
name: arm
joints:
  - {name: A, parent: base, shape: {sphere: 0.05}, xyz: [0, 0, 0]}
  - {name: B, parent: A, xyz: [0.3, 0, 0], shape: {sphere: 0.05}}
  - {name: C, parent: B, xyz: [0.3, 0, 0], shape: {sphere: 0.05}}
"""


def touching(text: str) -> set[tuple[str, str]]:
    """Names of bodies that touch."""
    bodies = kg.dynamics.Collisions(kg.dynamics.System.of(kg.load(text), contacts=True))
    names = bodies.geom_names
    count = len(names)
    return {
        (names[i], names[j]) for i in range(count) for j in range(i, count) if bodies.meets[i, j]
    }


def test_links_that_a_joint_connects_do_not_touch_and_others_do() -> None:
    assert touching(ARM) == {("A", "C")}


def test_automatic_shapes_are_pictures() -> None:
    plain = ARM.replace(", shape: {sphere: 0.05}", "")
    assert touching(plain) == set()
    assert ("A", "C") in touching(plain + "collisions: {self: true}\n")


def test_the_file_has_the_last_word() -> None:
    assert touching(ARM + "collisions: {self: false}\n") == set()
    assert touching(ARM + "collisions: {except: [[A, C]]}\n") == set()


def test_robots_touch_each_other() -> None:
    two = ARM + "  - {name: D, parent: base, xyz: [0, 5, 0], shape: {sphere: 0.05}}\n"
    assert touching(two + "collisions: {self: false}\n") == {("A", "D"), ("B", "D"), ("C", "D")}


def test_bodies_that_overlap_at_the_start_pass_through_each_other_and_are_named() -> None:
    near = ARM.replace("{name: C, parent: B, xyz: [0.3", "{name: C, parent: B, xyz: [-0.22")
    assert touching(near) == set()
    (remark,) = kg.dynamics.Collisions(kg.load(near)).mounted
    assert remark == "A and C overlap at the start, so they pass through each other"


def test_rules_are_written_and_read_again() -> None:
    mechanism = kg.load(ARM + "collisions: {self: true, except: [[A, C]]}\n")
    again = kg.load(kg.load(mechanism.to_raff()).to_raff())
    assert again.collisions == {"self": True, "except": [["A", "C"]]}
