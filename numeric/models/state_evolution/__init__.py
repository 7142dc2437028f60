"""The record of Bayes-optimal learning, whose equations stand in `bayes/`."""
