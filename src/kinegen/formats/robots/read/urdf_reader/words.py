"""What both readers of URDF say of things that they do not carry over."""

from __future__ import annotations

__all__ = ["no_bounds", "no_limit"]


def no_limit(joint: str, kind: str) -> str:
    """A joint that should have limits."""
    return f"joint '{joint}' ({kind}) has no <limit>: it moves without bounds"


def no_bounds(joint: str) -> str:
    """Limits that give effort and velocity alone."""
    return f"<limit> of joint '{joint}' gives no bounds"
