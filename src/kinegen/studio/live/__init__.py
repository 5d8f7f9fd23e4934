"""Live simulations: one process each, steered from a page."""
