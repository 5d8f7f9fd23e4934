"""The clock of a world: rates, pace, seeds, moments to come back to."""
