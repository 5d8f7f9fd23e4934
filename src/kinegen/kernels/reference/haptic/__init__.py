"""A hand coupled to a point of a body."""
