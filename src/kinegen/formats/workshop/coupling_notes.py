"""What a maker should know of couplings: gears, belts and cams are not among the parts."""

from __future__ import annotations

from kinegen.mechanism.model import Model

__all__ = ["coupling_notes"]


def coupling_notes(model: Model) -> list[str]:
    """One sentence for every coupling, which is not among the parts."""
    notes = []
    for one in model.couplings:
        what = one.text
        if one.kind == "follows":
            what = f"what makes joint '{one.members[0]}' follow '{one.members[1]}'"
        notes.append(f"{what} is not among the parts")
    return notes
