"""Flat parts of planar mechanisms: plates with holes, pins between them, drawings of them."""
