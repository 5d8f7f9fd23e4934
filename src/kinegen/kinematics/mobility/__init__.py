"""How many degrees of freedom a mechanism has, and which of them last."""
