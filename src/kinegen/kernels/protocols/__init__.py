"""What every set of kernels offers, room by room: the signatures that they share."""
