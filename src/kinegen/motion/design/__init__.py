"""Design: parameters that let a mechanism do what is asked."""
