"""Pictures of mechanisms as SVG: what is seen, in which order, and how it is painted."""
