"""Joint maps: the joint values of each branch over a box of places."""
