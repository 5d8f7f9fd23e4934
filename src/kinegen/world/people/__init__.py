"""The people of a world: their places, bodies, and the routes of those in the file."""
