"""The library as it is listed."""

from __future__ import annotations

import kinegen as kg
from kinegen.studio.session.files.library import library_entries


def test_every_mechanism_is_listed_under_a_family() -> None:
    found = {entry.name: entry for entry in library_entries()}
    assert set(found) == {*kg.library_names(), *kg.world.world_names()}
    for name, family in {
        "four-bar": "Linkages", "slider-crank": "Linkages", "five-bar": "Linkages",
        "bricard": "Linkages", "peaucellier": "Linkages", "stewart": "Parallel robots",
        "delta": "Parallel robots", "3-rrr": "Parallel robots", "tricept": "Parallel robots",
        "puma560": "Arms", "amtec-7": "Arms", "hybrid-9": "Arms", "humanoid-30": "Mobile robots",
        "cart": "Mobile robots", "exploring-cart": "Worlds",
    }.items():  # fmt: skip
        assert found[name].family == family, name
    assert found["stewart"].loops == 5 and found["stewart"].title == "Stewart-Gough platform"
