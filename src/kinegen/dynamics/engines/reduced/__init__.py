"""The engine reduced: exact loops in the coordinates of the tree."""
