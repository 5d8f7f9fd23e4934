from __future__ import annotations

import pytest

from kinegen.errors import UsageError
from kinegen.workspace.budget import MOST_POSES, check_budget, free_memory


def test_what_fits_passes() -> None:
    check_budget(1000, 10, what="it", remedy="-")


def test_a_million_million_poses_are_refused_with_the_estimate_and_a_way_out() -> None:
    with pytest.raises(UsageError, match=r"the cloud has 1e\+12 poses: about 24 TB and 14 hours"):
        check_budget(10**12, 3, what="the cloud", remedy="Take fewer.")
    with pytest.raises(UsageError, match="Take fewer"):
        check_budget(MOST_POSES + 1, 0, what="the cloud", remedy="Take fewer.")


def test_memory_counts_and_not_only_poses() -> None:
    poses = free_memory() // 800 + 1
    check_budget(poses, 10, what="it", remedy="-")
    with pytest.raises(UsageError, match=f"{poses:,} poses"):
        check_budget(poses, 100, what="it", remedy="-")
