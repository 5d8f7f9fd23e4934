"""Couplings as equations, and guides as joints with couplings."""
