"""Files that come in: checked, counted and stored."""
