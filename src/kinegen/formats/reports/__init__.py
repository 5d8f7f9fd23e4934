"""Reports of results, on one page each."""
