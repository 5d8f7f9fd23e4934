"""Long runs: what drifts or grows with time."""
