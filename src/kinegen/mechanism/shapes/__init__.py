"""Shapes of links, from the joint parameters alone."""
