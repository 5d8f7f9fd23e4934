"""A mechanism as one HTML file."""
