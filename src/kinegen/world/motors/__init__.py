"""Motors of a world: what drives them, and how they are set."""
