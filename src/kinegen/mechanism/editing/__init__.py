"""Changes of a mechanism: in its graph and in its text at once."""
