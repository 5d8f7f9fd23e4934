"""A program and a page in one session: poses, text, parameters, drags, pictures."""

from __future__ import annotations

import base64
import threading

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import RefusedError
from tests.support.live import StudioThread, until
from tests.unit.live.conftest import Pair

TEXT = "raff: 1\nname: own\njoints: [{name: A, parent: base, d: 1, motor: true}]\n"


def closed(view: kg.live.View, crank: float) -> kg.kinematics.Configuration:
    return kg.assemble(view.model, {"crank": crank}, locked=["crank"]).q


def test_q_moves_the_page_and_can_be_read(pair: Pair) -> None:
    page, view = pair
    view.q = {"crank": 1.2}
    assert view.q[0] == 1.2 and kg.kinematics.loop_gap(view.model, view.q).largest < 1e-9
    page.until(lambda: page.one.poses and np.allclose(page.one.poses[-1].q, view.q))
    there = closed(view, 0.9)
    page.pose(there)
    until(lambda: np.allclose(view.q, there), "the page's pose")


def test_q_takes_arrays_and_states_and_closes_loops(pair: Pair) -> None:
    _, view = pair
    there = np.asarray(closed(view, 1.1))
    view.q = kg.State(there)
    assert np.array_equal(view.q, there)
    view.q = there + [0.0, 0.001, 0.0, 0.0]  # the crank is a motor: it keeps its value
    assert view.q[0] == pytest.approx(1.1)
    assert kg.kinematics.loop_gap(view.model, view.q).largest < 1e-9


@pytest.mark.parametrize(
    ("q", "words"),
    [
        ([1.0, 2.0], "4 numbers .*got shape"),
        ([float("nan"), 0, 0, 0], "nan: use finite numbers"),
        ({"crnak": 1.0}, "did you mean 'crank'"),
        ({"crank": "much"}, "crank"),
        (None, "."),
    ],
)
def test_a_bad_q_is_refused_and_nothing_moves(pair: Pair, q: object, words: str) -> None:
    _, view = pair
    before = view.q
    with pytest.raises((kg.errors.KinegenError, TypeError), match=words):
        view.q = q  # type: ignore[assignment]
    assert np.array_equal(view.q, before)


def test_writes_are_coalesced_and_the_last_one_arrives(pair: Pair) -> None:
    page, view = pair
    first = len(page.one.poses)
    poses = [np.asarray(closed(view, 1.0 + i / 100)) for i in range(10)]
    for i in range(3000):
        view.q = poses[i % 10]
    view.flush()
    page.until(lambda: page.one.poses and np.array_equal(page.one.poses[-1].q, poses[9]))
    assert len(page.one.poses) - first < 1500


def test_a_hand_wins_until_it_lets_go(pair: Pair) -> None:
    page, view = pair
    drags: list[kg.live.Drag] = []
    view.on_drag(drags.append)
    mine, theirs = np.asarray(closed(view, 1.4)), np.asarray(closed(view, 0.8))
    page.send("hand", active=True, sites=["handle"])
    until(lambda: view.dragging, "the hand")
    assert view.held == ("handle",)
    page.pose(theirs)
    until(lambda: np.allclose(view.q, theirs), "the hand's pose")
    seen = len(page.one.poses)
    view.q = mine
    assert np.allclose(view.q, theirs)  # the hand has it
    view.flush()
    assert len(page.one.poses) == seen
    # as the page does at the end of a drag: what it keeps comes first, the program's pose last
    page.send("commit_pose", request=9000, q=theirs.tolist(), label="Drag", version=None)
    page.send("hand", active=False, sites=[])
    page.until(lambda: len(page.one.poses) > seen and np.allclose(page.one.poses[-1].q, mine))
    until(lambda: np.allclose(view.q, mine), "the program's own pose")
    until(lambda: drags and drags[-1].phase == "end", "the end of the drag")
    assert drags[0].phase == "start" and drags[0].frame == "handle"
    assert np.allclose(drags[-1].q, theirs) and not view.dragging


def test_a_page_that_leaves_lets_go(served: StudioThread, pair: Pair) -> None:
    page, view = pair
    other = served.page_of(page.session)
    other.send("hand", active=True, sites=[])
    until(lambda: view.dragging, "the hand")
    other.leave()
    until(lambda: not view.dragging, "the end of the hand")


def test_waiting_for_a_drag(pair: Pair) -> None:
    page, view = pair
    with pytest.raises(TimeoutError, match=r"the mechanism was not dragged within 0\.01 s"):
        view.wait_for_drag(0.01)
    there = np.asarray(closed(view, 0.7))

    def person() -> None:
        page.send("hand", active=True, sites=["crank"])
        page.pose(there)
        page.send("hand", active=False, sites=[])

    threading.Timer(0.05, person).start()
    drag = view.wait_for_drag(60)
    assert drag.frames == ("crank",) and np.allclose(drag.q, there)


def test_text_and_parameters_go_both_ways(pair: Pair) -> None:
    page, view = pair
    edits: list[kg.live.Edit] = []
    view.on_edit(edits.append)
    view.parameters["crank"] = 0.11
    page.until(lambda: page.one.snapshot["author"] == view._core.welcome.client)
    assert view.parameters["crank"] == pytest.approx(0.11)
    view.parameters.set({"crank": 0.12, "rocker": "2*crank"})
    assert view.parameters["rocker"] == pytest.approx(0.24)
    assert dict(view.parameters) == pytest.approx(dict(view.mechanism.compile().parameters))
    assert edits == []  # its own are no news
    page.until(lambda: "2*crank" in page.one.snapshot["text"])
    page.ask("edit_text", text=TEXT, base=page.one.snapshot["version"])
    until(lambda: edits and edits[-1].text == TEXT, "the edit")
    view.text = TEXT.replace("d: 1,", "d: 2,")
    page.until(lambda: "d: 2," in page.one.snapshot["text"])
    view.undo()
    assert view.text == TEXT
    view.redo()
    assert "d: 2," in view.text and view.model.name == "own"


def test_a_text_with_problems_says_where(pair: Pair) -> None:
    _, view = pair
    with pytest.raises(kg.errors.RaffError, match=r"text:3:.*did you mean 'name'"):
        view.text = TEXT.replace("{name:", "{nam:")
    assert "{nam:" in view.text  # as if it had been typed


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("crnak", 1.0, "did you mean 'crank'"),
        ("crank", float("inf"), "finite"),
        ("crank", "2*nothing", "nothing"),
    ],
)
def test_a_bad_parameter_is_refused(pair: Pair, name: str, value: float, words: str) -> None:
    _, view = pair
    with pytest.raises(kg.errors.KinegenError, match=words):
        view.parameters[name] = value
    with pytest.raises(kg.errors.KinegenError):
        view.parameters["nothing"]


def test_a_picture_comes_from_the_page(pair: Pair) -> None:
    page, view = pair
    png = b"\x89PNG picture"

    def answer() -> None:
        wanted = page.wait("picture_wanted")
        data = base64.b64encode(png).decode()
        page.send("picture_taken", picture=wanted["picture"], png=data, error="")

    thread = threading.Thread(target=answer)
    thread.start()
    assert view.screenshot(640, 480) == png
    thread.join()
    assert page.one.find("picture_wanted", width=640, height=480)
    with pytest.raises(kg.errors.KinegenError, match="both width and height"):
        view.screenshot(640)


def test_without_a_page_there_is_no_picture(served: StudioThread) -> None:
    page = served.page(open="four-bar")
    with kg.connect(served.link, session=page.session) as view:
        page.leave()
        until(lambda: view.pages == 0, "the page's end")
        with pytest.raises(RefusedError, match="no page is open"):
            view.screenshot()


def test_motions_are_played_by_the_page(pair: Pair) -> None:
    page, view = pair
    qs = np.array([closed(view, 1.0 + i / 20) for i in range(5)])
    view.play(qs, times=[0, 0.1, 0.2, 0.3, 0.4], rate=2.0)
    wanted = page.wait("play_wanted")
    assert wanted["rate"] == 2.0 and wanted["motion"]["joints"][0] == "crank"
    assert np.allclose(wanted["motion"]["values"], qs)
    threading.Timer(0.05, lambda: page.send("played", name="from Python")).start()
    view.play(kg.Recording.of(view.model, qs, np.arange(5.0)), wait=True)
    with pytest.raises(kg.errors.KinegenError, match=r"configurations of shape \(n, 4\)"):
        view.play(np.zeros((3, 2)))
    qs[2, 0] = np.nan
    with pytest.raises(kg.errors.KinegenError, match=r"row 2 of the motion is not finite"):
        view.play(qs)


def test_a_misspelt_attribute_is_an_error(pair: Pair) -> None:
    _, view = pair
    with pytest.raises(AttributeError, match="no attribute 'txt'; did you mean 'text'"):
        view.txt = "raff: 1"  # type: ignore[attr-defined]


def test_a_callback_that_fails_does_not_end_the_link(
    pair: Pair, caplog: pytest.LogCaptureFixture
) -> None:
    page, view = pair
    heard = threading.Event()

    @view.on_drag
    def fails(drag: kg.live.Drag) -> None:
        raise RuntimeError("of the program")

    view.on_drag(lambda drag: heard.set() if drag.phase == "end" else None)
    page.send("hand", active=True, sites=[])
    page.send("hand", active=False, sites=[])
    assert heard.wait(60)
    assert "of the program" in caplog.text and view.state == "open"


def test_callbacks_run_in_one_thread_and_may_use_the_view(pair: Pair) -> None:
    page, view = pair
    threads: list[str] = []

    @view.on_drag
    def react(drag: kg.live.Drag) -> None:
        threads.append(threading.current_thread().name)
        view.parameters["crank"] = 0.105 if drag.phase == "start" else 0.1

    page.send("hand", active=True, sites=[])
    page.send("hand", active=False, sites=[])
    until(lambda: len(threads) == 2, "both calls")
    assert set(threads) == {"kinegen callbacks of test.py"}
    until(lambda: view.parameters["crank"] == pytest.approx(0.1), "the second edit")
