"""The numba back end: scalar compiled functions, and loops over arrays."""
