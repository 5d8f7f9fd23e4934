"""Frames that are messages, and all those that are none."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.codec import LARGEST_MESSAGE, MOST_VALUES, WireError, decode, encode
from kinegen.studio.wire.questions.curves import SegmentCurve
from kinegen.studio.wire.questions.path import PathPlanRequest


def test_a_message_is_decoded_with_its_defaults() -> None:
    made = decode('{"kind": "open_library", "request": 3, "name": "stewart"}')
    assert made == wire.OpenLibrary(3, "stewart", None)


def test_whole_numbers_are_good_where_numbers_are() -> None:
    made = decode('{"kind": "commit_pose", "request": 1, "q": [0, 1.5], "label": "drag"}')
    assert isinstance(made, wire.CommitPose)
    assert made.q == [0.0, 1.5] and all(type(x) is float for x in made.q)


def test_rows_and_choices() -> None:
    text = '{"kind": "set_numbers", "request": 1, "changes": [[null, "a", 1], ["B", "d", "a/2"]]}'
    made = decode(text)
    assert isinstance(made, wire.SetNumbers)
    assert made.changes == [(None, "a", 1.0), ("B", "d", "a/2")]


def test_objects_inside_messages() -> None:
    motion = {
        "name": "m", "joints": ["A"], "times": [0], "values": [[1]], "interpolation": "linear",
        "note": None,
    }  # fmt: skip
    made = decode(json.dumps({"kind": "store_motion", "request": 1, "motion": motion}))
    assert isinstance(made, wire.StoreMotion)
    assert made.motion == wire.MotionData("m", ["A"], [0.0], [[1.0]], "linear", None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[1]", "a JSON object, got a list of 1"),
        ("null", "a JSON object, got null"),
        ("{}", "no message of kind null"),
        ('{"kind": "undoo", "request": 1}', "did you mean 'undo'"),
        ('{"kind": ["undo"]}', "kinds: hello"),
        ('{"kind": "undo"}', "undo lacks request; it takes: request"),
        ('{"kind": "undo", "request": 1, "reqest": 2}', "no 'reqest'; did you mean 'request'"),
        ('{"kind": "undo", "request": true}', "undo.request must be a whole number, got true"),
        ('{"kind": "undo", "request": 1.0}', "undo.request must be a whole number"),
        ('{"kind": "undo", "request": 99999999999999999}', "undo.request must be a whole number"),
        (
            '{"kind": "edit_text", "request": 1, "text": 5}',
            "edit_text.text must be a string, got 5",
        ),
        ('{"kind": "commit_pose", "request": 1, "q": 5, "label": ""}', "q must be a list, got 5"),
        ('{"kind": "commit_pose", "request": 1, "q": [NaN], "label": ""}', "not JSON"),
        (
            '{"kind": "commit_pose", "request": 1, "q": [true], "label": ""}',
            r"q\[0\] must be a finite",
        ),
        (
            '{"kind": "commit_pose", "request": 1, "q": ["1"], "label": ""}',
            r"q\[0\] must be a finite",
        ),
        (
            '{"kind": "remove_entry", "request": 1, "section": "joints", "name": "a"}',
            'one of objects, devices, robots; got "joints"',
        ),
        (
            '{"kind": "set_numbers", "request": 1, "changes": [[1, 2]]}',
            r"changes\[0\] must be a list of 3, got a list of 2",
        ),
        (
            '{"kind": "save", "request": 1, "file": "a", "overwrite": true}',
            "overwrite must be",
        ),
        (
            '{"kind": "store_motion", "request": 1, "motion": []}',
            "motion must be an object, got a list",
        ),
        (
            '{"kind": "add_joint", "request": 1, "name": "a", "parent": "b", "row": 1}',
            "add_joint.row must be an object, got 1",
        ),
        (
            '{"kind": "set_value", "request": 1, "owner": "a", "key": "d", "value": {}}',
            "set_value.value must be true or false, got an object",
        ),
        (
            '{"kind": "set_shape", "request": 1, "owner": "a", "shape": {"ball": 1}}',
            "set_shape.shape has no 'ball'; it takes: mesh, scale, box",
        ),
        (
            '{"kind": "set_shape", "request": 1, "owner": "a", "shape": [{"box": [1, 2]}]}',
            r"set_shape.shape\[0\].box must be a list of 3, got a list of 2",
        ),
        (
            '{"kind": "set_wall", "request": 1, "wall": {"eye": [0, 0, 1]}}',
            "set_wall.wall lacks screens; it takes: screens, eye",
        ),
    ],
)
def test_what_is_wrong_is_said(text: str, words: str) -> None:
    with pytest.raises(WireError, match=words):
        decode(text)


def test_numbers_that_overflow_are_refused() -> None:
    for text in ("[1e999]", "[-1e999]"):
        with pytest.raises(WireError):
            decode('{"kind": "commit_pose", "request": 1, "label": "", "q": ' + text + "}")


def test_the_request_number_is_kept_for_the_answer() -> None:
    with pytest.raises(WireError) as caught:
        decode('{"kind": "undo", "request": 7, "more": 1}')
    assert caught.value.request == 7
    with pytest.raises(WireError) as caught:
        decode('{"kind": "undo", "request": "7"}')
    assert caught.value.request == 0


def test_long_and_deep_messages_are_refused() -> None:
    with pytest.raises(WireError, match="too long"):
        decode(" " * (LARGEST_MESSAGE + 1))
    for deep in ("[" * 100 + "]" * 100, '{"box":' * 100 + "1" + "}" * 100):
        text = '{"kind": "set_shape", "request": 1, "owner": "a", "shape": ' + deep + "}"
        with pytest.raises(WireError, match=r"set_shape\.shape"):
            decode(text)


def test_one_of_several_classes_is_chosen_by_its_kind() -> None:
    line = {"kind": "segment", "points": [[0, 0, 0], [1, 0, 0]]}
    asked = {"kind": "path_plan", "request": 1, "q": []}
    made = decode(json.dumps({**asked, "path": {"curve": line}}))
    assert isinstance(made, PathPlanRequest)
    assert made.path.curve == SegmentCurve("segment", [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)])
    assert decode(encode(made)) == made
    for curve, words in (
        ({**line, "kind": "knot"}, "curve must be an object of one of the kinds segment, .*; got"),
        ({"points": []}, "one of the kinds segment"),
        (3, "one of the kinds segment, .*; got 3"),
        ({**line, "points": [[0, 0, 0]]}, "curve.points must be a list of 2 to 2, got a list of 1"),
        ({**line, "closed": True}, "curve has no 'closed'"),
    ):
        with pytest.raises(WireError, match=words):
            decode(json.dumps({**asked, "path": {"curve": curve}}))


def test_messages_are_encoded_with_their_kind() -> None:
    made = json.loads(encode(wire.Done(4, {"q": np.array([1.0, 2.0]), "far": float("inf")})))
    assert made == {"kind": "done", "request": 4, "result": {"q": [1.0, 2.0], "far": None}}


def test_every_message_of_the_page_can_be_decoded() -> None:
    """Each class has a converter for each of its fields."""
    for cls in wire.FROM_PAGE:
        with pytest.raises(WireError, match=r"lacks|takes"):
            decode(json.dumps({"kind": cls.KIND, "nonsense": 1}))


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
ANY = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner)
)


@given(st.sampled_from([cls.KIND for cls in wire.FROM_PAGE]), st.data())
def test_nothing_but_a_refusal_comes_of_nonsense(kind: str, data: st.DataObject) -> None:
    """Fields of the right names with any values: a message, or words; never another failure."""
    cls = next(cls for cls in wire.FROM_PAGE if kind == cls.KIND)
    names = [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]
    content = {name: data.draw(ANY) for name in names if data.draw(st.booleans())}
    try:
        made = decode(json.dumps({"kind": kind, **content}))
    except WireError as error:
        assert str(error)
    else:
        assert isinstance(made, cls)
        assert decode(encode(made)) == made


def test_values_are_counted_before_they_are_looked_at() -> None:
    numbers = ",".join(["0"] * (MOST_VALUES + 1))
    with pytest.raises(WireError, match="at most 1,000,000 values") as caught:
        decode(f'{{"kind": "commit_pose", "request": 7, "label": "", "q": [{numbers}]}}')
    assert caught.value.request == 7
    # those that stand in a text are letters like others
    text = json.dumps('[{,\\"' * (MOST_VALUES // 2))
    assert isinstance(
        decode(f'{{"kind": "edit_text", "request": 7, "text": {text}}}'), wire.EditText
    )
