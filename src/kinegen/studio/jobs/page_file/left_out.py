"""What of a world an exported page leaves out: in it nothing senses, decides or falls."""

from __future__ import annotations

from kinegen.mechanism.graph import Mechanism

__all__ = ["left_out"]

NAMED = 4
"""Names of a kind that are listed; the others are counted."""


def left_out(mechanism: Mechanism) -> str:
    """What does not run in the page, in one sentence; '' for a mechanism that is no world."""
    scene = mechanism.scene
    parts = [
        _listed(kind, [str(row["name"]) for row in scene.get(section, ())])
        for section, kind in (
            ("people", "scripted visitor"), ("sensors", "sensor"), ("agents", "agent"),
        )
    ]  # fmt: skip
    named = [part for part in parts if part]
    if not named:
        return ""
    return (
        f"the page shows this world but does not run it: {_together(named)} are left out, and "
        "nothing falls or touches; open the file in Kinegen to run it"
    )


def _listed(kind: str, names: list[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    count = f"{len(names)} {kind}{'' if len(names) == 1 else 's'}"
    return f"{count} ({', '.join(names[:NAMED])}{more})"


def _together(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]
