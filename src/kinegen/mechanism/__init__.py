"""Mechanisms: the editable graph, the compiled model, the state, the library."""
