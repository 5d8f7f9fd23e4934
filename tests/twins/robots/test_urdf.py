"""The compiled reader of URDF and the one in Python: the same robots, or the first one declines."""

from __future__ import annotations

import math
import random

import pytest

from kinegen.errors import NumberError, UsageError
from kinegen.formats.robots.read.conversion.numbers import PlainNumbers
from kinegen.formats.robots.read.urdf_reader.fast import PROTOTYPES, fast_urdf_robot
from kinegen.formats.robots.read.urdf_reader.urdf import plain_urdf_robot
from kinegen.formats.robots.transform import IDENTITY, Transform, from_rpy
from kinegen.kernels import backend
from kinegen.raff.formulas.formula import Formula
from tests.support.robots.files import PACKAGES, NotFetchedError, robot_files
from tests.support.robots.urdf_texts import ODD, WHOLE, difference, spoilt

pytestmark = pytest.mark.skipif(backend.name() != "native", reason="there is no compiled reader")


def test_all_that_a_file_can_say() -> None:
    assert difference(WHOLE) == ""
    robot = fast_urdf_robot(WHOLE, "f.urdf")
    assert robot is not None
    arm = robot.links["arm é"]
    assert [shape.color for shape in arm.shapes] == ["#ff3300", "#8080ff", None]
    joint = robot.joints["j1"]
    assert (joint.gear, joint.mode, joint.limits) == (50.0, "torque", (-1.0, 2.0))
    said = {(one.line, one.message) for one in robot.left_out}
    assert (17, "<{http://ros.org}thing> in <link>") in said
    assert (36, "<gazebo> in <robot> (2 times, first here)") in said


@pytest.mark.parametrize("text", ODD)
def test_odd_texts(text: str) -> None:
    assert not difference(text)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_break_inside_the_declaration_counts_for_the_places_of_remarks(end: str) -> None:
    head = '<?xml version="1.0" ?>'
    assert WHOLE.startswith(head)
    for at in range(6, len(head)):
        assert difference(f"{head[:at]}{end}{head[at:]}{WHOLE[len(head) :]}") in ("", None)
    text = WHOLE.replace("vers", f"vers{end}", 1)
    assert fast_urdf_robot(text, "f.urdf") is not None and difference(text) == ""


def test_spoilt_texts() -> None:
    """``bench/fuzz/urdf.py`` tries more of them."""
    rng = random.Random(7)
    read = 0
    for _ in range(1500):
        text = spoilt(rng, WHOLE if rng.random() < 0.7 else rng.choice(ODD))
        found = difference(text)
        assert not found, text
        read += found is not None
    assert read > 100  # most mistakes make a text unsound


def test_large_and_deep_texts() -> None:
    for inside in ("<a>" * 100_000 + "</a>" * 100_000, "<a>" * 100_000, "<a b='1'/>" * 50_000):
        text = f"<robot name='r'><link name='l'/>{inside}</robot>"
        assert not difference(text)
    many = "".join(f" a{i}='1'" for i in range(1000))
    assert not difference(f"<robot name='r'><link name='l'{many}/></robot>")


def test_files_of_the_packages() -> None:
    """Every URDF file of the four packages that the compiled reader does not decline."""
    read = declined = 0
    for package in PACKAGES:
        try:
            files = robot_files(package, ".urdf")
        except NotFetchedError as error:
            pytest.skip(str(error))
        for file in files:
            found = difference(file.read_text("utf-8"))
            assert not found, f"{file}: {found}"
            read, declined = read + (found is not None), declined + (found is None)
    assert read > 10 * declined


def random_transform(rng: random.Random) -> Transform:
    angles = [rng.choice((0.0, math.pi / 2, -math.pi / 2, rng.uniform(-4, 4))) for _ in range(3)]
    return from_rpy([rng.choice((0.0, rng.gauss(0, 1))) for _ in range(3)], angles)


def test_numbers() -> None:
    rng, plain = random.Random(3), PlainNumbers()
    zero = Formula.constant(0.0)
    fast = backend.robot_numbers(zero, IDENTITY)
    for _ in range(500):
        A, B, C = (rng.choice((IDENTITY, random_transform(rng))) for _ in range(3))
        inertia = tuple(rng.choice((0.0, rng.gauss(0, 1))) for _ in range(6))
        assert fast.placed(A, B, C) == plain.placed(A, B, C)
        assert fast.body(A, B, inertia) == plain.body(A, B, inertia)
        assert fast.shape(A, B) == plain.shape(A, B)
        assert fast.is_body(inertia) == plain.is_body(inertia)
        assert fast.constants(inertia) == plain.constants(inertia)
    assert fast.constant(0.0) is zero
    assert fast.constant(0.25).text == "0.25"


def test_bodies_have_positive_principal_moments_that_form_a_triangle() -> None:
    plain = PlainNumbers()
    assert plain.is_body((1.0, 1.0, 1.0, 0.1, 0.0, 0.0))
    assert not plain.is_body((1.0, 1.0, 2.5, 0.0, 0.0, 0.0))
    assert not plain.is_body((1.0, 1.0, 1.0, 3.0, 0.0, 0.0))


def test_what_cannot_be_a_number_is_refused() -> None:
    fast = backend.robot_numbers(Formula.constant(0.0), IDENTITY)
    huge = (*IDENTITY[:9], 1e308, 1e308, 1e308)
    stretched = (1e308, *IDENTITY[1:9], 1e10, 0.0, 0.0)
    with pytest.raises(NumberError, match="inf is not a finite number"):
        fast.placed(stretched, huge)
    with pytest.raises(NumberError, match="nan is not a finite number"):
        fast.constant(math.nan)
    for bad in ((), (1.0,) * 11, [1.0] * 12, None):
        with pytest.raises(UsageError, match="a tuple of 12 numbers"):
            fast.placed(bad)


def test_readers_need_classes_with_slots() -> None:
    module = backend.module()
    with pytest.raises(UsageError, match="__slots__"):
        module.UrdfReader(5, *PROTOTYPES[1:])
    with pytest.raises(UsageError, match="no slot 'name'"):
        module.UrdfReader(PROTOTYPES[1], *PROTOTYPES[1:])
    assert module.UrdfReader(*PROTOTYPES).read(5) is None


def test_robots_are_the_same_objects_as_those_of_the_reader_in_python() -> None:
    """No two links share lists, and what is not given has the default."""
    text = "<robot name='r'><link name='a'/><link name='b'/></robot>"
    fast, plain = fast_urdf_robot(text, "f.urdf"), plain_urdf_robot(text, "f.urdf")
    assert fast is not None
    one, other = fast.links.values()
    assert one.shapes is not other.shapes and one.collisions is not other.collisions
    assert type(one) is type(plain.links["a"]) and one.X_LC is IDENTITY
