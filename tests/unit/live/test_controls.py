"""Controls in a program's panel: values of people and of programs, plots."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from tests.support.live import until
from tests.unit.live.conftest import Pair


def shown(pair: Pair, item: str) -> dict[str, Any]:
    """The last form of an item in the page."""
    page, view = pair
    view.flush()
    page.wait("item_shown", item=item)
    return dict(page.one.find("item_shown", item=item)[-1]["data"])


def use(pair: Pair, item: str, value: object) -> None:
    page = pair[0]
    program = page.wait("programs")["programs"][0]["program"]
    page.send("input_item", program=program, item=item, value=value)


def test_a_slider_is_shared(pair: Pair) -> None:
    page, view = pair
    k = view.slider("k", 0, 10, value=3, unit="N/m")
    heard: list[float] = []
    k.on_change(heard.append)
    assert shown(pair, k.name) == {
        "kind": "slider", "label": "k", "value": 3, "low": 0, "high": 10, "step": 0, "unit": "N/m",
    }  # fmt: skip
    use(pair, k.name, 7.5)
    until(lambda: k.value == 7.5 and heard == [7.5], "the value")
    k.value = 2
    page.until(lambda: page.one.find("item_shown", item=k.name)[-1]["data"]["value"] == 2)
    use(pair, k.name, 99)  # outside: refused
    page.wait("refused")
    assert k.value == 2
    k.remove()
    page.wait("item_hidden", item=k.name)


def test_every_press_counts(pair: Pair) -> None:
    _, view = pair
    button = view.button("Go")
    presses: list[int] = []
    button.on_press(lambda: presses.append(1))
    shown(pair, button.name)
    assert not button.pressed and not button.wait(0.01)
    for _ in range(50):
        use(pair, button.name, None)
    until(lambda: len(presses) == 50, "all presses")
    assert button.presses == 50 and button.pressed and not button.pressed


def test_checkbox_choice_and_readout(pair: Pair) -> None:
    _, view = pair
    hold, mode = view.checkbox("Hold"), view.choice("Mode", ["follow", "teach"])
    shown(pair, mode.name)
    use(pair, hold.name, True)
    use(pair, mode.name, "teach")
    until(lambda: hold.value and mode.value == "teach", "both")
    with pytest.raises(UsageError, match="did you mean 'teach'"):
        mode.value = "teech"
    error = view.readout("error", 0.0123456, unit="m")
    assert shown(pair, error.name)["value"] == "0.01235 m"
    error.value = "<b>none</b>"
    assert error.value == "<b>none</b> m"


def test_a_plot_keeps_the_newest(pair: Pair) -> None:
    _, view = pair
    for i in range(20):
        plot = view.plot("torque", {"a": i, "b": -i}, x=i, unit="N m", span=5)
    data = shown(pair, plot.name)
    while (rows := decoded(data))[-1, 0] != 19:
        data = shown(pair, plot.name)
    assert data["series"] == ["a", "b"] and len(rows) == 5
    assert np.array_equal(rows[:, 1], rows[:, 0]) and np.array_equal(rows[:, 2], -rows[:, 0])
    with pytest.raises(UsageError, match="has 2 curves"):
        view.plot("torque", 1.0)
    plot.set(np.arange(9), np.zeros(9), np.ones(9))
    plot.clear()
    plot.remove()
    assert view.plot("torque", 1.0).names == ["torque"]


def decoded(data: dict[str, Any]) -> Any:
    return np.frombuffer(base64.b64decode(data["data"])).reshape(-1, 1 + len(data["series"]))


def test_bad_controls_are_refused(pair: Pair) -> None:
    _, view = pair
    with pytest.raises(UsageError, match="from 10 to 0; low must be less"):
        view.slider("k", 10, 0)
    with pytest.raises(UsageError, match="from 0 to 1, got 5"):
        view.slider("k", 0, 1, value=5)
    with pytest.raises(UsageError, match="finite"):
        view.slider("k", 0, float("inf"))
    with pytest.raises(UsageError, match="a label"):
        view.button("")
    with pytest.raises(UsageError, match="different texts"):
        view.choice("Mode", [])
    for bad in ("high", {"a": "high"}):
        with pytest.raises(UsageError, match="a plot takes numbers, got"):
            view.plot("x", bad)
    with pytest.raises(UsageError, match="curves of the same length"):
        view.plot("z", 1.0).set([1, 2], [1, 2, 3])
    with pytest.raises(UsageError, match="2 values and 1 names"):
        view.plot("x", 1.0, 2.0, names=["a"])


def test_what_a_program_showed_outlives_it(pair: Pair) -> None:
    page, view = pair
    view.slider("k", 0, 1, name="k")
    view.close()
    page.wait("notice", message="The program 'test.py' has disconnected")
    page.until(lambda: page.one.find("programs")[-1]["programs"][0]["connected"] is False)
    assert page.one.find("item_shown", item="k") and not page.one.find("item_hidden", item="k")
    # run again, it takes the place of its last run
    link = f"{view._core.link.address.place}/?token={view._core.link.address.token}"
    with kg.connect(link, session=page.session, name="test.py"):
        page.wait("item_hidden", item="k")
        assert [one["connected"] for one in page.one.find("programs")[-1]["programs"]] == [True]
