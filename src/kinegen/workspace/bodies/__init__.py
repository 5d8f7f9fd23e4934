"""Reachable sets as bodies: boundary, size, holes, gaps."""
