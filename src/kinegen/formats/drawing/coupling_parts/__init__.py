"""What is drawn for couplings, by kind."""
