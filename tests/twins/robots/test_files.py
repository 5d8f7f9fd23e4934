"""Robot files of four packages: read as Pinocchio, MuJoCo and Drake read them, or refused rightly.

``make test`` takes a sample of them, ``make test-robots`` all; docs/how-to/formats.md has the
counts.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.formats.robots.read.urdf_reader.xacro import expand
from kinegen.mechanism.load import make_opener
from tests.support.robots.drake import compare_with_drake, drake
from tests.support.robots.files import PACKAGES, NotFetchedError, fetch, robot_files
from tests.support.robots.twins import compare_with_mujoco, compare_with_pinocchio

ALL = os.environ.get("KINEGEN_ROBOTS") == "all"
DOCS = Path(__file__).parents[3] / "docs" / "how-to" / "formats.md"

REFUSED = {
    # URDF
    "ur3.urdf": "the robot has no links",
    "rtbdata/data/test.urdf": "this is not well-formed XML: syntax error",
    "bike.urdf": 'xyz="0.07, 0, -0.69" in <origin> must be 3 numbers',
    "biped2d_pybullet.urdf": 'lower="-1.57." in <limit> is not a number',
    "humanoid/humanoid.urdf": "288:1: this is not well-formed XML",
    "husky.urdf": "$(optenv HUSKY_IMU_XYZ 0.19 0 0.149)",
    "microtaur.urdf": 'rpy="0 1.57079 0 0" in <origin> must be 3 numbers',
    "torus_deform.urdf": "the robot has no links",
    # xacro
    "sick_lms1xx_mount.urdf.xacro": "package://lms1xx/urdf/sick_lms1xx.urdf.xacro' was not found",
    "sick_s300_mount.urdf.xacro": "package://lms1xx/urdf/sick_lms1xx.urdf.xacro' was not found",
    "kr210l150.xacro": "name 'deg' is not defined",
    "urdf/panda_arm_hand.urdf.xacro": "there is no link 'panda_link8'",
}
"""Files that say nothing or something wrong, by the end of their path, and what is said of them.
Whether Pinocchio refuses them too is not checked here."""
MACROS = "the file has no links: it defines macros"
"""Said of xacro files that are there to be included."""
UNEQUAL = {
    # Drake replaces an inertia that breaks the triangle inequality, of two feet here
    "cassie.sdf": "mass matrix differs by 1.22e-05 of 35",
}


@pytest.fixture(scope="module", autouse=True)
def fetched() -> None:
    """The packages; a reason to skip where there are none."""
    try:
        for package in PACKAGES:
            fetch(package)
    except NotFetchedError as error:
        pytest.skip(str(error))


@contextmanager
def quiet() -> Iterator[None]:
    """Without what C++ libraries print."""
    null, kept = os.open(os.devnull, os.O_WRONLY), [os.dup(1), os.dup(2)]
    try:
        os.dup2(null, 1), os.dup2(null, 2)
        yield
    finally:
        os.dup2(kept[0], 1), os.dup2(kept[1], 2)
        for one in (null, *kept):
            os.close(one)


def sample(files: list[Path], every: int) -> list[Path]:
    """All files, or some of them, always the same."""
    return files if ALL else files[::every]


def judge(
    file: Path, twin: Callable[[], object], compare: Callable[[kg.Mechanism, object], list[str]]
) -> tuple[str, str]:
    """equal, refused, ours (only Kinegen reads it) or wrong, and why."""
    try:
        mechanism = kg.load(file)
        mechanism.compile()
    except kg.errors.KinegenError as error:
        said = next((text for end, text in REFUSED.items() if str(file).endswith(end)), "")
        known = (said and said in str(error)) or MACROS in str(error)
        return ("refused" if known else "wrong"), str(error)
    try:
        with quiet():
            other = twin()
    except Exception as error:
        return "ours", str(error)
    found = compare(mechanism, other)
    expected = UNEQUAL.get(file.name)
    if expected and found == [expected]:
        return "equal", ""
    return ("wrong" if found else "equal"), "; ".join(found[:4])


def pinocchio(text: str) -> object:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheel for this platform")
    return pin.buildModelFromXML(text)


@cache
def outcomes(package: str, suffix: str) -> tuple[Counter[str], list[str]]:
    """How many files of a package are equal, refused, …; and what is wrong with the others."""
    files = robot_files(package, suffix)
    if package == "pybullet" and suffix == ".urdf":
        random = [one for one in files if "random_urdfs" in str(one)]
        files = [one for one in files if one not in set(random)] + sample(random, 50)
    elif suffix == ".xacro":
        files = sample(files, 4)
    elif package == "robosuite" and suffix == ".xml":
        files = sample(files, 3)
    counts: Counter[str] = Counter()
    wrong = []
    for file in files:
        judged = _judge_one(file, suffix)
        if judged is None:
            continue
        verdict, why = judged
        counts[verdict] += 1
        if verdict == "wrong":
            wrong.append(f"{file}: {why}")
    return counts, wrong


def _judge_one(file: Path, suffix: str) -> tuple[str, str] | None:
    if suffix == ".urdf":
        return judge(file, lambda: pinocchio(file.read_text()), compare_with_pinocchio)
    if suffix == ".xacro":
        opener = make_opener(file.parent)
        urdf = lambda: pinocchio(expand(file.read_text(), str(file), opener))  # noqa: E731
        return judge(file, urdf, compare_with_pinocchio)
    if suffix == ".sdf":
        return judge(file, file.read_text, compare_with_drake)  # type: ignore[arg-type]
    if "<mujoco" not in file.read_text(errors="replace"):
        return None
    return _judge_mjcf(file)


def _judge_mjcf(file: Path) -> tuple[str, str]:
    """MuJoCo reads its own files: what it refuses is refused here with its words."""
    mujoco = pytest.importorskip("mujoco", reason="MJCF files are read by MuJoCo")
    try:
        with quiet():
            twin = mujoco.MjModel.from_xml_path(str(file))
    except ValueError as error:
        with pytest.raises(kg.errors.KinegenError, match="MuJoCo rejects it"):
            kg.load(file)
        return "refused", str(error)
    found = compare_with_mujoco(kg.load(file), twin)
    return ("wrong" if found else "equal"), "; ".join(found[:4])


CASES = [
    (package, suffix)
    for package, suffixes in {
        "example-robot-data": (".urdf", ".sdf", ".xacro"),
        "rtb-data": (".urdf", ".xacro"),
        "robosuite": (".urdf", ".xacro", ".xml"),
        "pybullet": (".urdf", ".sdf", ".xml"),
    }.items()
    for suffix in suffixes
]


@pytest.mark.parametrize(("package", "suffix"), CASES)
def test_files_mean_what_others_read_in_them(package: str, suffix: str) -> None:
    if suffix == ".sdf":
        try:
            drake("common")
        except (NotFetchedError, ImportError) as error:
            pytest.skip(str(error))
        logging.getLogger("drake").setLevel(logging.CRITICAL)
    elif suffix != ".xml":
        pytest.importorskip("pinocchio", reason="Pinocchio has no wheel for this platform")
    counts, wrong = outcomes(package, suffix)
    assert not wrong, "\n".join(wrong)
    assert counts["equal"] or package == "example-robot-data"


def report() -> list[str]:
    """The rows of the table in docs/how-to/formats.md."""
    names = {".urdf": "URDF", ".sdf": "SDF", ".xacro": "xacro", ".xml": "MJCF"}
    twins = {".urdf": "Pinocchio", ".xacro": "Pinocchio", ".sdf": "Drake", ".xml": "MuJoCo"}
    rows = []
    for package, suffix in CASES:
        counts, _ = outcomes(package, suffix)
        total = sum(counts.values())
        rows.append(
            f"| `{package}` {PACKAGES[package]} | {names[suffix]} | {total} | "
            f"{counts['equal'] + counts['ours']} | {counts['equal']} | {counts['refused']} | "
            f"{twins[suffix]} |"
        )
    return rows


@pytest.mark.skipif(not ALL, reason="the counts are of all files: make test-robots")
def test_the_counts_in_the_docs_are_those_of_the_files() -> None:
    text = DOCS.read_text(encoding="utf-8")
    missing = [row for row in report() if row not in text]
    assert not missing, "docs/how-to/formats.md should have:\n" + "\n".join(missing)
