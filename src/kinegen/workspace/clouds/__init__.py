"""Clouds: where links and frames get to over the ranges of the joints."""
