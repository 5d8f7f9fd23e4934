"""The server: who may come in, and what is served."""
