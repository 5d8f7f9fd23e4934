"""What the fuzzer of the compiled kernels calls, and how it spoils the calls."""
