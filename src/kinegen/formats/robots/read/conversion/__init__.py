"""Robot → Mechanism: the same for every format."""
