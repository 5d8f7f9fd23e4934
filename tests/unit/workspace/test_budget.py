from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from kinegen.errors import UsageError
from kinegen.workspace import budget
from kinegen.workspace.budget import (
    MOST_POSES,
    check_budget,
    check_disk,
    check_work,
    free_disk,
    free_memory,
)


def test_what_fits_passes() -> None:
    check_budget(1000, 10, what="it", remedy="-")


def test_a_million_million_poses_are_refused_with_the_estimate_and_a_way_out() -> None:
    with pytest.raises(UsageError, match=r"the cloud has 1e\+12 poses: about 24 TB and 14 hours"):
        check_budget(10**12, 3, what="the cloud", remedy="Take fewer.")
    with pytest.raises(UsageError, match="Take fewer"):
        check_budget(MOST_POSES + 1, 0, what="the cloud", remedy="Take fewer.")


def test_memory_counts_and_not_only_poses(monkeypatch: pytest.MonkeyPatch) -> None:
    # what is free changes from one look to the next
    monkeypatch.setattr(budget, "free_memory", partial(int, free_memory()))
    poses = budget.free_memory() // 800 + 1
    check_budget(poses, 10, what="it", remedy="-")
    with pytest.raises(UsageError, match=f"{poses:,} poses"):
        check_budget(poses, 100, what="it", remedy="-")


def test_a_disk_is_asked_for_room(tmp_path: Path) -> None:
    free = free_disk(tmp_path / "not" / "there" / "yet")
    assert free > 0
    check_disk(100, 8, tmp_path / "a.zarr", what="it", remedy="-")
    with pytest.raises(UsageError, match=r"it has 1e\+15 poses to write: about 8 PB and .* room"):
        check_disk(10**15, 8, tmp_path / "a.zarr", what="it", remedy="Less.")


def test_work_that_is_small_enough_passes_and_the_suggested_step_would_do() -> None:
    check_work(1000, 0.1, 3, most=1000, what="it", unit="mm")
    with pytest.raises(UsageError, match=r"8,000 cells of 100 mm: about 1 s; .* at least 210 mm"):
        check_work(8000, 0.1, 3, most=1000, what="it", unit="mm")
