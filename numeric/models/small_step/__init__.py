"""One gradient step in the standard normalisation: of order 1 or of order sqrt(p)."""
