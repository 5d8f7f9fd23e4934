"""Assembly: closing the loops of a mechanism."""
