"""Tables that the compiled kernels and the page share with Python, generated: ``make tables``."""
