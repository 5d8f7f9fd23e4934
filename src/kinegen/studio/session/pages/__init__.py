"""Pages of a session: how they enter, their sockets, what is sent to them."""
