"""Collisions: bodies, pairs that may touch, distances between them."""
