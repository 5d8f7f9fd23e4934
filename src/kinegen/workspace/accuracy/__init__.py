"""Accuracy: what backlash and tolerances do to the place of a tool."""
