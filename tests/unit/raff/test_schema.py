import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

import kinegen.raff
from kinegen.mechanism.load import library_file, library_names
from kinegen.raff.schema import SCHEMA_FILE, json_schema, schema_text

EVERYTHING = Path(__file__).with_name("everything.raff")
VALIDATOR = Draft202012Validator(json_schema())
GOOD: dict[str, Any] = {
    "raff": 1,
    "parameters": {"crank": "150 mm", "lift": {"value": 0.04, "min": 0}},
    "joints": [{"name": "A", "parent": "base", "d": "2*crank", "limits": ["-1", 1]}],
}


def test_the_published_schema_is_current() -> None:
    published = Path(kinegen.raff.__file__).with_name(SCHEMA_FILE).read_text(encoding="utf-8")
    command = f"kinegen schema --out src/kinegen/raff/{SCHEMA_FILE}"
    assert published == schema_text(), f"the published schema is stale; run: {command}"
    assert json.loads(published) == json_schema()


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(json_schema())


@pytest.mark.parametrize("name", library_names())
def test_library_files_are_valid(name: str) -> None:
    VALIDATOR.validate(yaml.safe_load(library_file(name).read_text(encoding="utf-8")))


def test_a_file_with_every_key_is_valid() -> None:
    VALIDATOR.validate(yaml.safe_load(EVERYTHING.read_text(encoding="utf-8")))
    VALIDATOR.validate(GOOD)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("raff",), 2),
        (("joint",), []),
        (("joints", 0, "parnt"), "base"),
        (("joints", 0, "type"), "hinge"),
        (("joints", 0, "type"), "screw"),  # without pitch
        (("joints", 0, "pitch"), 0.1),  # not a screw
        (("joints", 0, "d"), [1]),
        (("joints", 0, "d"), "a; b"),
        (("joints", 0, "d"), True),
        (("joints", 0, "name"), "a=b"),
        (("joints", 0, "xyz"), [0, 0, 0]),  # with d
        (("joints", 0, "motor"), {"watts": 3}),
        (("joints", 0, "motor"), "yes"),
        (("joints", 0, "inertia"), [1, 2]),
        (("joints", 0, "closes"), {"d": 1}),
        (("joints", 0, "color"), "orang"),
        (("joints",), {"name": "A"}),
        (("parameters", "my-length"), 1),
        (("parameters", "a"), {"min": 1}),
        (("gravity",), 9.81),
        (("sensors",), [{"name": "s", "type": "nose"}]),
    ],
)
def test_mistakes_are_refused(path: tuple[Any, ...], value: object) -> None:
    document = copy.deepcopy(GOOD)
    place: Any = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert not VALIDATOR.is_valid(document)


def test_a_fixed_joint_has_no_motor_and_a_cut_joint_no_mass() -> None:
    for row in ({"type": "fixed", "motor": True}, {"closes": {"onto": "base"}, "mass": 1}):
        document = {"raff": 1, "joints": [{"name": "A", "parent": "base", **row}]}
        assert not VALIDATOR.is_valid(document)


def test_keys_carry_their_documentation() -> None:
    joint = json_schema()["$defs"]["joints"]["properties"]
    assert joint["alpha"]["description"] == "rotation about x (default 0)"
    assert "deg" in json_schema()["$defs"]["number_angle"]["description"]
