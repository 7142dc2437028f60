"""Node 1, the Gaussian expectation: rules, digits, balls, proofs of zero, what is integrable."""
