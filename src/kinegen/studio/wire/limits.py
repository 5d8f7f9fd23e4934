"""Numbers on which the page and the studio agree; ``make tables`` writes those of the page."""

from __future__ import annotations

__all__ = ["BODY_TOP", "GONE", "LARGEST_TEXT", "MERGE_LOOKS", "MERGE_PAIRS", "NO_SESSION"]

NO_SESSION = 4404
"""Code with which the studio ends a connection for which it has no session."""
GONE = 4410
"""Code with which the studio ends the connections of a session that has ended."""
LARGEST_TEXT = 4 * 2**20
"""[bytes] A larger text is refused."""
BODY_TOP = 65535
"""Largest number of 16 bits: so finely the box around a person's body is divided, and so many
vertices it may have."""
MERGE_PAIRS = 10_000
"""Pairs of lines up to which the longest common run is looked for one by one."""
MERGE_LOOKS = 40
"""How often a line is looked at on average before a stretch is taken as one difference."""
