import difflib
import os
from pathlib import Path

import pytest

from kinegen.errors import KinegenError, NameNotFoundError, NumberError, RaffError, UsageError
from kinegen.formats.load import load
from kinegen.mechanism.editing.structure import apply_change
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import library_names, load_document, make_opener
from kinegen.mechanism.write import write
from kinegen.raff.document import Document

TEXT = """# a five-bar
raff: 1
name: five   # short
parameters: {ground: 0.20, crank: 150 mm, coupler: 0.25, lean: 30 deg}
joints:
  - {name: A, parent: base, motor: {torque: 2}, limits: [-170 deg, 170 deg]}   # driven
  - {name: B, parent: A, d: crank}
  - {name: E, parent: base, d: ground}
  - {name: D, parent: E, d: crank, theta: lean}

  # the cut one
  - {name: C, parent: B, d: coupler, closes: {onto: D, d: "max(coupler, crank)"}}
frames:
  - {name: handle, parent: B, d: coupler}
motions:
  - {name: wave, joints: [A, E], times: [0, 1], values: [[0, 0], [lean, 1]]}
"""


def edits(mechanism: Mechanism, before: str = TEXT) -> list[str]:
    """The lines removed and added."""
    lines = difflib.ndiff(before.splitlines(), mechanism.to_raff().splitlines())
    return [line for line in lines if line[0] in "+-"]


def same(mechanism: Mechanism) -> bool:
    """Whether graph and text agree."""
    return load(mechanism.to_raff()) == mechanism


def test_a_parameter_is_one_token_and_keeps_its_unit() -> None:
    mechanism = load(TEXT)
    mechanism.set_parameter("crank", 0.2)
    assert mechanism.parameters["crank"].formula.value == 0.2
    assert mechanism.to_raff() == TEXT.replace("150 mm", "200 mm")
    mechanism.set_parameter("lean", "45 deg")
    mechanism.set_parameter("ground", 0.25)
    mechanism.set_parameter("coupler", "crank + 50 mm")
    assert mechanism.to_raff() == TEXT.replace(
        "{ground: 0.20, crank: 150 mm, coupler: 0.25, lean: 30 deg}",
        "{ground: 0.25, crank: 200 mm, coupler: crank + 50 mm, lean: 45 deg}",
    )
    assert same(mechanism)
    assert mechanism.topology_version == 0


def test_setting_what_is_there_changes_nothing() -> None:
    mechanism = load(TEXT)
    mechanism.set_parameter("ground", 0.2)
    mechanism.set_number("B", "d", "crank")
    assert mechanism.to_raff() == TEXT


def test_a_parameter_with_a_slider_keeps_it() -> None:
    text = "raff: 1\nparameters:\n  a: {value: 40 mm, min: 0, max: 0.1}  # lift\n"
    mechanism = load(text)
    mechanism.set_parameter("a", 0.05)
    assert mechanism.to_raff() == text.replace("40 mm", "50 mm")
    with pytest.raises(NumberError, match=r"'a' = 200 mm is outside its min and max \(0 to 0.1\)"):
        mechanism.set_parameter("a", 0.2)
    # in the unit that was typed
    with pytest.raises(NumberError, match=r"'a' = 10 in is outside its min and max \(0 to 0.1\)"):
        mechanism.set_parameter("a", "10 in")


def test_parameters_of_a_robot_become_overrides() -> None:
    text = "raff: 1\nparameters: {w: 1 m}\nrobots:\n  - {name: l, include: five-bar}  # left\n"
    mechanism = load(text)
    mechanism.set_parameter("l.crank", 0.1)
    assert mechanism.to_raff() == text.replace(
        "five-bar}", "five-bar, parameters: {crank: 100 mm}}"
    )
    mechanism.set_parameter("l.crank", "w/5")
    mechanism.set_parameter("l.coupler", 0.3)
    assert "parameters: {crank: w/5, coupler: 0.3}}  # left" in mechanism.to_raff()
    assert same(mechanism)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("crnk", 1, "parameter 'crnk' is not in mechanism 'five'; did you mean 'crank'"),
        ("crank", "150 mmm", "unknown unit 'mmm'"),
        ("crank", "30 deg", "'crank' is a length; 'deg' is a unit of angle"),
        ("crank", "lean", "'crank' is a length, but 'lean' is an angle"),
        ("crank", "lngth", "parameter 'lngth' is not in mechanism"),
        ("crank", "2*crank", "parameters would form a cycle: crank -> crank"),
        ("crank", float("nan"), "not a finite number"),
        ("crank", 1e300, "implausibly large"),
        ("crank", "1/(coupler - 0.25)", "division by zero"),
    ],
)
def test_bad_parameters_change_nothing(name: str, value: float | str, message: str) -> None:
    mechanism = load(TEXT)
    with pytest.raises(KinegenError, match=message.replace("(", r"\(")):
        mechanism.set_parameter(name, value)
    assert mechanism == load(TEXT) and mechanism.to_raff() == TEXT


@pytest.mark.parametrize(
    ("owner", "key", "value", "old", "new"),
    [
        ("B", "d", 0.1, "parent: A, d: crank}", "parent: A, d: 0.1}"),
        ("B", "d", "2*crank", "parent: A, d: crank}", "parent: A, d: 2*crank}"),
        ("B", "r", "10 mm", "parent: A, d: crank}", "parent: A, d: crank, r: 10 mm}"),
        ("A", "limits.0", -1.5707963267948966, "[-170 deg,", "[-90 deg,"),
        ("A", "motor.torque", 3, "torque: 2}", "torque: 3}"),
        ("A", "motor.speed", "60 rpm", "torque: 2}", "torque: 2, speed: 60 rpm}"),
        ("A", "spring.stiffness", 5, "170 deg]}   #", "170 deg], spring: {stiffness: 5}}   #"),
        ("C", "closes.d", "crank", '"max(coupler, crank)"', "crank"),
        ("C", "closes.r", 0.1, 'crank)"}}', 'crank)", r: 0.1}}'),
        ("C", "d", "min(coupler, 1)", "B, d: coupler, c", 'B, d: "min(coupler, 1)", c'),
        ("handle", "d", "coupler/2", "parent: B, d: coupler}", "parent: B, d: coupler/2}"),
    ],
)  # fmt: skip
def test_a_number_is_one_token(
    owner: str, key: str, value: float | str, old: str, new: str
) -> None:
    mechanism = load(TEXT)
    mechanism.set_number(owner, key, value)
    assert TEXT.count(old) == 1
    assert mechanism.to_raff() == TEXT.replace(old, new)
    assert same(mechanism)
    assert mechanism.topology_version == 0


@pytest.mark.parametrize(
    ("owner", "key", "value", "message"),
    [
        ("X", "d", 1, "joint 'X' is not in mechanism 'five'"),
        ("B", "d", "30 deg", "d is a length; 'deg' is a unit of angle"),
        ("B", "d", "crnk", "unknown parameter 'crnk'; did you mean 'crank'"),
        ("B", "dd", 1, "unknown key 'dd' in a joint"),
        ("B", "mass", -1, "mass must not be negative"),
        ("A", "limits.0", 4, "limits are reversed"),
        ("A", "start", 4, "start 4 is outside the limits"),
        ("B", "limits.0", 4, "has no 'limits.0'; specify the whole list with set_value"),
    ],
)
def test_bad_numbers_change_nothing(owner: str, key: str, value: float | str, message: str) -> None:
    mechanism = load(TEXT)
    with pytest.raises(KinegenError, match=message):
        mechanism.set_number(owner, key, value)
    assert mechanism == load(TEXT) and mechanism.to_raff() == TEXT
    mechanism.set_number("B", "d", 0.5)  # the document is still in order
    assert same(mechanism)


def test_structure_edits_change_their_own_lines() -> None:
    mechanism = load(TEXT)
    mechanism.add_joint("F", "D", type="prismatic", d="2*crank", limits=[0, 0.5], start=0.1)
    assert edits(mechanism) == [
        "+   - {name: F, parent: D, type: prismatic, d: 2*crank, limits: [0, 0.5], start: 0.1}"
    ]
    assert mechanism.topology_version == 1
    mechanism.add_frame("tip", "F", xyz=[0, 0, 0.1])
    mechanism.add_parameter("extra", "5 mm")
    mechanism.set_number("F", "d", "extra")
    assert same(mechanism) and mechanism.frames["tip"].parent == "F"
    mechanism.remove_frame("tip")
    mechanism.remove_joint("F")
    mechanism.remove_parameter("extra")
    assert mechanism.to_raff() == TEXT
    assert mechanism == load(TEXT)


def test_values_of_any_kind() -> None:
    mechanism = load(TEXT)
    mechanism.set_value("B", "limits", ["-90 deg", 1.5])
    mechanism.set_value("A", "motor", True)
    mechanism.set_value("E", "closes", None) if mechanism.joints["E"].closes else None
    mechanism.set_value("C", "closes.onto", "E")
    mechanism.set_value("B", "color", "#ff8800")
    text = mechanism.to_raff()
    assert 'd: crank, limits: [-90 deg, 1.5], color: "#ff8800"}' in text
    assert "motor: true, limits" in text and "closes: {onto: E," in text
    mechanism.set_value("B", "limits", None)
    assert "d: crank, color" in mechanism.to_raff()
    assert same(mechanism) and mechanism.topology_version == 5


def test_renaming_reaches_every_mention() -> None:
    mechanism = load(TEXT)
    mechanism.rename("A", "left")
    mechanism.rename("D", "right-arm")
    mechanism.rename("handle", "tool")
    mechanism.rename_parameter("crank", "bar")
    expected = TEXT.replace("name: A,", "name: left,").replace("parent: A,", "parent: left,")
    expected = expected.replace("name: D,", "name: right-arm,").replace(
        "onto: D", "onto: right-arm"
    )
    expected = (
        expected.replace("handle", "tool").replace("crank", "bar").replace("[A, E]", "[left, E]")
    )
    assert mechanism.to_raff() == expected
    assert same(mechanism)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.add_joint("A", "base"), "the name 'A' is already used"),
        (lambda m: m.add_joint("F", "bas"), "parent 'bas' is not known; did you mean 'base'"),
        (lambda m: m.add_joint("F", "base", dd=1), "unknown key 'dd'"),
        (lambda m: m.add_joint("F=", "base"), "a name must not contain '='"),
        (lambda m: m.add_frame("A", "base"), "already used"),
        (lambda m: m.add_parameter("crank", 1), "already has 'crank'"),
        (lambda m: m.add_parameter("sin", 1), "is a function"),
        (lambda m: m.remove_joint("D"), "joint 'D' carries C; remove these first"),
        (lambda m: m.remove_joint("B"), "joint 'B' carries C, handle; remove these first"),
        (lambda m: m.remove_joint("X"), "joint 'X' is not in mechanism 'five'"),
        (lambda m: m.remove_frame("X"), "frame 'X' is not in"),
        (lambda m: m.remove_parameter("crank"), "unknown parameter 'crank'"),
        (lambda m: m.remove_parameter("x"), "parameter 'x' is not in"),
        (lambda m: m.rename("A", "B"), "already used"),
        (lambda m: m.rename("A", "base"), "the name 'base' is that of the ground"),
        (lambda m: m.rename("base", "A"), "the name 'A' is that of the ground"),
        (lambda m: m.rename("X", "Y"), "joint 'X' is not in"),
        (lambda m: m.rename_parameter("crank", "lean"), "given twice"),
        (lambda m: m.rename_parameter("x", "y"), "parameter 'x' is not in"),
        (lambda m: m.set_value("A", "parent", "C"), "is a cut joint"),
        (lambda m: m.set_value("A", "parent", "B"), "the parents form a cycle"),
        (lambda m: m.set_value("X", "d", 1), "joint 'X' is not in"),
    ],
)
def test_bad_structure_edits_change_nothing(call: object, message: str) -> None:
    mechanism = load(TEXT)
    with pytest.raises(KinegenError, match=message):
        call(mechanism)  # type: ignore[operator]
    assert mechanism == load(TEXT) and mechanism.to_raff() == TEXT
    assert mechanism.topology_version == 0


def test_parts_of_an_included_robot_are_edited_in_their_own_file() -> None:
    mechanism = load("raff: 1\nrobots:\n  - {name: l, include: five-bar}\n")
    for call in (
        lambda: mechanism.set_number("l.A", "d", 1),
        lambda: mechanism.remove_joint("l.C"),
        lambda: mechanism.rename("l.A", "x"),
        lambda: mechanism.rename("l", "x"),
    ):
        with pytest.raises(UsageError, match="belongs to an included file"):
            call()


def test_a_mechanism_without_a_text_can_be_edited_too() -> None:
    mechanism = load(TEXT)
    mechanism.document = None
    mechanism.set_parameter("crank", 0.2)
    mechanism.set_number("B", "d", 0.1)
    mechanism.rename("A", "first")
    mechanism.add_joint("F", "first")
    assert mechanism.document is None and mechanism.topology_version == 2
    assert mechanism.joints["B"].parent == "first" and "F" in mechanism.joints
    assert mechanism.joints["B"].placement.numbers[3].value == 0.1
    assert same(mechanism)


def test_problems_of_the_text_as_it_is_now() -> None:
    text = "raff: 1\nparameters: {a: 1}\njoints:\n  - {name: A, parent: base, mass: a}\n"
    mechanism = load(text)
    assert mechanism.problems() == ()
    mechanism.set_parameter("a", -1)
    assert [p.message for p in mechanism.problems()] == ["mass must not be negative: a = -1"]


def test_saving_is_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "arm.raff"
    mechanism = load(TEXT.replace("\n", "\r\n"))
    with pytest.raises(UsageError, match=r"kg.export\(mechanism, 'arm.urdf'\) writes other"):
        mechanism.save(tmp_path / "arm.urdf")
    mechanism.save(file)
    assert file.read_bytes() == TEXT.replace("\n", "\r\n").encode()
    mechanism.set_parameter("crank", 0.2)
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        mechanism.save(file)
    assert file.read_bytes() == TEXT.replace("\n", "\r\n").encode()
    assert os.listdir(tmp_path) == ["arm.raff"]


@pytest.mark.skipif(os.name == "nt", reason="modes and links of POSIX")
def test_saving_keeps_mode_and_link(tmp_path: Path) -> None:
    file, link = tmp_path / "arm.raff", tmp_path / "link.raff"
    file.write_text(TEXT, encoding="utf-8")
    file.chmod(0o640)
    link.symlink_to(file)
    mechanism = load(link)
    mechanism.set_parameter("crank", 0.2)
    mechanism.save(link)
    assert link.is_symlink() and "200 mm" in file.read_text(encoding="utf-8")
    assert file.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", library_names())
def test_library_files_keep_everything_else(name: str) -> None:
    mechanism = load(name)
    before = mechanism.to_raff()
    if not mechanism.parameters:
        pytest.skip("no parameters")
    for parameter in list(mechanism.parameters.values()):
        value = parameter.formula.value
        if not value or "." in parameter.name:  # that of an included robot is written in its row
            continue
        mechanism.set_parameter(parameter.name, value * (1 + 1e-3))
        pairs = zip(before.splitlines(), mechanism.to_raff().splitlines(), strict=True)
        assert sum(old != new for old, new in pairs) == 1
        mechanism.set_parameter(parameter.name, parameter_text(before, name, parameter.name))
    assert mechanism.to_raff() == before


def parameter_text(text: str, name: str, parameter: str) -> str:
    """The text of a parameter's formula as the file has it."""
    return load(text).parameters[parameter].formula.text


def test_errors_are_of_the_right_kind() -> None:
    mechanism = load(TEXT)
    with pytest.raises(NameNotFoundError):
        mechanism.set_parameter("x", 1)
    with pytest.raises(RaffError):
        mechanism.add_joint("A", "base")


def test_an_edit_reads_only_what_the_mechanism_may_read(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for file in ("out.raff", "in/own.raff"):
        (tmp_path / file).write_text("raff: 1\njoints: [{name: J, parent: base}]\n")
    text = "raff: 1\nrobots: [{name: r, include: own.raff}]\n"
    document = Document(text, opener=make_opener(tmp_path / "in", root=tmp_path / "in"))
    mechanism = load_document(document)
    mechanism.add_joint("K", "r.J")
    assert mechanism.problems() == ()
    for include in ("../out.raff", str(tmp_path / "out.raff")):
        with pytest.raises(RaffError, match="leads out of the project folder"):
            apply_change(
                mechanism,
                lambda d, name=include: d.append(("robots",), f"{{name: s, include: {name}}}"),  # type: ignore[misc]
            )
        assert "s" not in mechanism.joints
    alone = load("raff: 1\n")
    with pytest.raises(RaffError, match="only include library mechanisms"):
        apply_change(alone, lambda d: d.append(("robots",), "{name: s, include: x.raff}"))


def test_the_base_gets_a_name() -> None:
    mechanism = load(TEXT)
    mechanism.rename("base", "the world")
    assert mechanism.base_name == "the world"
    assert 'base: {name: "the world"}' in mechanism.to_raff()
    assert mechanism.joints["A"].parent == "the world"
    mechanism.rename("the world", "ground")
    mechanism.add_joint("base", "ground")
    mechanism.rename("base", "left/arm.1")
    mechanism.add_frame("on it", "left/arm.1", d=0.1)
    mechanism.add_joint("2nd", "on it", closes={"onto": "handle"})
    assert mechanism.compile().link_names[0] == "ground"
    assert load(mechanism.to_raff()) == mechanism == load(write(mechanism))
    with pytest.raises(UsageError, match="2nd sits on frame 'on it'; remove it first"):
        mechanism.remove_frame("on it")
    with pytest.raises(UsageError, match="2nd sits on frame 'handle'"):
        mechanism.remove_frame("handle")
