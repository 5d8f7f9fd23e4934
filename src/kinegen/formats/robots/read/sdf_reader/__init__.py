"""SDF files → Robot."""
