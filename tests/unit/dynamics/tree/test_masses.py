"""Which masses are refused, doubted, accepted."""

from __future__ import annotations

import pytest

import kinegen as kg
from kinegen.errors import NumberError


def body(inertia: str, mass: float = 1.0) -> kg.Model:
    text = (
        "raff: 1\nname: body\njoints:\n"
        f"  - {{name: J, parent: base, mass: {mass}, inertia: {inertia}}}\n"
    )
    return kg.load(text).compile()


def test_the_library_is_sound() -> None:
    remarks = {
        name: kg.dynamics.check_masses(kg.load(name).compile()) for name in kg.library_names()
    }
    doubted = {name: said for name, said in remarks.items() if said}
    assert list(doubted) == ["puma560"]
    (said,) = doubted["puma560"]
    assert said.startswith("link 'elbow' has principal moments") and "9.6%" in said


def test_a_possible_body_is_not_mentioned() -> None:
    assert kg.dynamics.check_masses(body("[1, 2, 3]")) == ()


@pytest.mark.parametrize(
    ("inertia", "said"),
    [
        ("[1, 1, 3]", "link 'J' has principal moments .* which is impossible"),
        ("[1, 1, -0.5]", "link 'J' has a negative value among its principal moments"),
        ("[1, 1, 1, 2, 0, 0]", "link 'J' has a negative value"),
    ],
)
def test_impossible_inertias_are_refused(inertia: str, said: str) -> None:
    with pytest.raises(NumberError, match=said):
        kg.dynamics.check_masses(body(inertia))


def test_negative_and_missing_masses_are_refused() -> None:
    model = body("[1, 1, 1]")
    model.set_number("J", "mass", -2.0)
    with pytest.raises(NumberError, match="link 'J' has the negative mass -2 kg"):
        kg.dynamics.check_masses(model)
    model.set_number("J", "mass", 0.0)
    with pytest.raises(NumberError, match=r"link 'J' has principal moments .* but no mass"):
        kg.dynamics.check_masses(model)
    bare = kg.load("raff: 1\nname: bare\njoints:\n  - {name: J, parent: base, shape: none}\n")
    with pytest.raises(NumberError, match="joint 'J' of mechanism 'bare' has no mass to move"):
        kg.dynamics.check_masses(bare.compile())
