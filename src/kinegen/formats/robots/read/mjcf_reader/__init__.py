"""MJCF files → Robot."""
